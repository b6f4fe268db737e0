#include "engine/key/key_codec.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "engine/base/big_endian.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/key/messages.h"
#include "engine/value/dissect.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

constexpr char kEscapeByte = '\x00';
constexpr char kEscapedZero = '\xff';
constexpr char kComponentEnd = '\x01';
constexpr char kPositiveNumberEnd = '\x00';
constexpr char kNegativeNumberEnd = '\x66';
constexpr size_t kNegativeNumberBytesMax = 21;  // exponent and twenty pairs, without an end

constexpr int64_t kTwelveBits = 4096;

// --- Writing ---

void AppendBigEndian(uint32_t number, std::string* out) {
  const char bytes[] = {static_cast<char>(number >> 24), static_cast<char>(number >> 16),
                        static_cast<char>(number >> 8), static_cast<char>(number)};
  out->append(bytes, sizeof bytes);
}

void AppendEscaped(std::string_view bytes, std::string* out) {
  for (size_t zero; (zero = bytes.find(kEscapeByte)) != std::string_view::npos;) {
    out->append(bytes.substr(0, zero + 1));
    out->push_back(kEscapedZero);
    bytes.remove_prefix(zero + 1);
  }
  out->append(bytes);
}

bool IsNegative(std::string_view encoded_number) { return (encoded_number[0] & 0x80) == 0; }

// A component that others follow.
void AppendEnded(Type type, std::string_view payload, std::string* out) {
  if (type != Type::kNumber) {
    AppendEscaped(payload, out);
    out->push_back(kEscapeByte);
    out->push_back(kComponentEnd);
    return;
  }
  out->append(payload);
  if (!IsNegative(payload)) {
    out->push_back(kPositiveNumberEnd);
  } else if (payload.back() != kNegativeNumberEnd) {
    out->push_back(kNegativeNumberEnd);
  }
}

void AppendComponent(Type type, std::string_view payload, bool is_last, std::string* out) {
  if (is_last) {
    out->append(payload);
  } else {
    AppendEnded(type, payload, out);
  }
}

std::string_view KeyPayload(ItemView item, const KeyAttribute& attribute) {
  const std::optional<ValueView> value = item.Find(attribute.name);
  assert(value && value->type() == attribute.type);
  return value->payload();
}

void AppendPayloads(const std::vector<KeyAttribute>& attributes, ItemView item,
                    KeyPayloads* payloads) {
  for (const KeyAttribute& attribute : attributes) {
    payloads->push_back(KeyPayload(item, attribute));
  }
}

KeyPayloads KeyPayloadsIn(const std::vector<KeyAttribute>& attributes, ItemView item) {
  KeyPayloads payloads;
  AppendPayloads(attributes, item, &payloads);
  return payloads;
}

// Where the rows of a partition key stand, in the first shard if there are several.
uint64_t HashPosition(const PartitionHash& hash) {
  return ReadBigEndian({reinterpret_cast<const char*>(hash.data()), hash.size()});
}
uint64_t HashPosition(absl::Span<const std::string_view> hash_payloads) {
  return HashPosition(HashPartitionKey(hash_payloads));
}

// How far behind the first shard another one stands, of `shards` that divide the space evenly.
uint64_t ShardDistance(int shard, int shards) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(shard) << 64) / static_cast<uint64_t>(shards));
}

void AppendPrefix(StorageId id, uint64_t place, std::string* out) {
  const uint32_t id_bytes = __builtin_bswap32(id);
  const uint64_t place_bytes = __builtin_bswap64(place);
  std::array<char, kRowPrefixBytes> prefix;
  static_assert(sizeof(id_bytes) + sizeof(place_bytes) == kRowPrefixBytes);
  std::memcpy(prefix.data(), &id_bytes, sizeof(id_bytes));
  std::memcpy(prefix.data() + sizeof(id_bytes), &place_bytes, sizeof(place_bytes));
  out->append(prefix.data(), prefix.size());
}

// Requires: at least kRowPrefixBytes bytes.
void SetPlace(uint64_t place, std::string* row_key) {
  std::string hash;
  AppendBigEndian(static_cast<uint32_t>(place >> 32), &hash);
  AppendBigEndian(static_cast<uint32_t>(place), &hash);
  row_key->replace(sizeof(StorageId), kRowHashBytes, hash);
}

// How far behind the first shard the entry of an item stands. Requires: HasKey(base_key, item).
uint64_t DistanceToShard(const KeySchema& base_key, ItemView item, int shards) {
  if (shards == 1) return 0;
  KeyPayloads payloads = KeyPayloadsIn(base_key.hash, item);
  AppendPayloads(base_key.range, item, &payloads);
  const auto shard = static_cast<int>(HashPosition(payloads) % static_cast<uint64_t>(shards));
  return ShardDistance(shard, shards);
}

void AppendComponents(const std::vector<KeyAttribute>& attributes, const KeyPayloads& payloads,
                      bool is_last, std::string* out) {
  for (size_t i = 0; i < attributes.size(); ++i) {
    AppendComponent(attributes[i].type, payloads[i], is_last && i + 1 == attributes.size(), out);
  }
}

// The components of a table's key, as they stand at the end of a table row and of an index row.
void AppendBaseKey(const KeySchema& key, const KeyPayloads& hash, ItemView item, std::string* out) {
  AppendComponents(key.hash, hash, key.range.empty(), out);
  for (const KeyAttribute& attribute : key.range) {
    const bool is_last = &attribute == &key.range.back();
    AppendComponent(attribute.type, KeyPayload(item, attribute), is_last, out);
  }
}

// --- Ranges ---

// The smallest string that is greater than every string with this prefix. Requires: not all FF,
// which the storage id in front rules out.
std::string Successor(std::string prefix) {
  while (prefix.back() == '\xff') prefix.pop_back();
  ++prefix.back();
  return prefix;
}

// Rows before, at and behind one value of the range attribute, given the components in front.
class RangeBuilder {
 public:
  RangeBuilder(std::string prefix, Type type, bool is_last)
      : prefix_(std::move(prefix)), type_(type), is_last_(is_last) {}

  std::string First() const { return prefix_; }
  std::string BehindAll() const { return Successor(prefix_); }
  std::string At(ValueView value) const {
    std::string at = prefix_;
    AppendComponent(type_, value.payload(), is_last_, &at);
    return at;
  }
  std::string Behind(ValueView value) const {
    std::string at = At(value);
    if (!is_last_) return Successor(std::move(at));
    // The value ends the row key: the next row key is this one and a zero byte.
    at.push_back('\0');
    return at;
  }
  KeyRange BeginningWith(ValueView value) const {
    std::string begin = prefix_;
    if (is_last_) {
      begin.append(value.payload());
    } else {
      AppendEscaped(value.payload(), &begin);
    }
    std::string end = Successor(begin);
    return {std::move(begin), std::move(end)};
  }

 private:
  std::string prefix_;
  Type type_;
  bool is_last_;
};

KeyRange RangeOfClause(const RangeBuilder& rows, const KeyCondition& condition) {
  switch (condition.range_operator) {
    case RangeOperator::kNone:
      break;
    case RangeOperator::kEqual:
      return {rows.At(*condition.low), rows.Behind(*condition.low)};
    case RangeOperator::kLess:
      return {rows.First(), rows.At(*condition.low)};
    case RangeOperator::kLessEqual:
      return {rows.First(), rows.Behind(*condition.low)};
    case RangeOperator::kGreater:
      return {rows.Behind(*condition.low), rows.BehindAll()};
    case RangeOperator::kGreaterEqual:
      return {rows.At(*condition.low), rows.BehindAll()};
    case RangeOperator::kBetween:
      return {rows.At(*condition.low), rows.Behind(*condition.high)};
    case RangeOperator::kBeginsWith:
      return rows.BeginningWith(*condition.low);
  }
  return {rows.First(), rows.BehindAll()};
}

// --- Segments ---

// Where segment `segment` begins in a space of 2^32 hash prefixes; 2^32 for segment == total.
uint64_t SegmentBegin(int64_t segment, int64_t total) {
  const auto ceiling = [](uint64_t dividend, uint64_t divisor) {
    return (dividend + divisor - 1) / divisor;
  };
  const auto part = static_cast<uint64_t>(segment);
  const auto parts = static_cast<uint64_t>(total);
  if (total <= kTwelveBits) return ceiling(part * kTwelveBits, parts) << 20;
  return ceiling(part << 32, parts);
}

std::string RowKeyAt(StorageId id, uint64_t hash_prefix) {
  std::string row_key;
  const bool is_behind_all = hash_prefix >> 32 != 0;
  AppendBigEndian(is_behind_all ? id + 1 : id, &row_key);
  if (!is_behind_all) AppendBigEndian(static_cast<uint32_t>(hash_prefix), &row_key);
  return row_key;
}

// --- Reading back ---

// Takes the components of a row key apart, front to back.
class ComponentReader {
 public:
  explicit ComponentReader(std::string_view row_key) : row_key_(row_key), at_(kRowPrefixBytes) {}

  size_t position() const { return at_; }
  bool at_end() const { return at_ == row_key_.size(); }
  absl::Status Damaged(std::string_view what) const {
    return absl::DataLossError(ToAbsl(messages::Damaged(what, at_)));
  }

  // Reads one component's payload into `payload`.
  absl::Status Read(Type type, bool is_last, std::string* payload) {
    const std::string_view rest = row_key_.substr(at_);
    size_t used = rest.size();
    payload->clear();
    if (is_last) {
      payload->assign(rest);
    } else if (type == Type::kNumber) {
      DYNOLITH_RETURN_IF_ERROR(ReadEndedNumber(rest, payload, &used));
    } else {
      DYNOLITH_RETURN_IF_ERROR(ReadEscaped(rest, payload, &used));
    }
    if (type == Type::kNumber && !IsEncodedNumber(*payload))
      return Damaged(messages::kDamageNumber);
    if (payload->empty()) return Damaged(messages::kDamageKeyEmpty);
    at_ += used;
    return absl::OkStatus();
  }

 private:
  absl::Status ReadEscaped(std::string_view rest, std::string* payload, size_t* used) const {
    for (size_t i = 0; i + 1 < rest.size(); ++i) {
      if (rest[i] != kEscapeByte) {
        payload->push_back(rest[i]);
        continue;
      }
      ++i;
      if (rest[i] == kComponentEnd) {
        *used = i + 1;
        return absl::OkStatus();
      }
      if (rest[i] != kEscapedZero) return Damaged(messages::kDamageKeyEscape);
      payload->push_back(kEscapeByte);
    }
    return Damaged(messages::kDamageKeyComponent);
  }

  absl::Status ReadEndedNumber(std::string_view rest, std::string* payload, size_t* used) const {
    if (rest.empty()) return Damaged(messages::kDamageKeyComponent);
    const bool is_negative = IsNegative(rest);
    const size_t end = rest.find(is_negative ? kNegativeNumberEnd : kPositiveNumberEnd, 1);
    if (end == std::string_view::npos) return Damaged(messages::kDamageKeyComponent);
    const bool owns_end = is_negative && end < kNegativeNumberBytesMax;
    payload->assign(rest.substr(0, end + (owns_end ? 1 : 0)));
    *used = end + 1;
    return absl::OkStatus();
  }

  std::string_view row_key_;
  size_t at_;
};

Value ValueOfPayload(Type type, std::string_view payload) {
  return Value::FromBytes(Concat(static_cast<char>(type), payload));
}

// Reads the components of `attributes` into `item` and their payloads into `payloads`.
absl::Status ReadAttributes(const std::vector<KeyAttribute>& attributes, bool is_last,
                            ComponentReader* reader, Item* item,
                            std::vector<std::string>* payloads) {
  for (size_t i = 0; i < attributes.size(); ++i) {
    const KeyAttribute& attribute = attributes[i];
    std::string payload;
    DYNOLITH_RETURN_IF_ERROR(
        reader->Read(attribute.type, is_last && i + 1 == attributes.size(), &payload));
    const Value value = ValueOfPayload(attribute.type, payload);
    const std::optional<ValueView> earlier = item->Find(attribute.name);
    if (earlier && !(*earlier == value.view()))
      return reader->Damaged(messages::kDamageKeyConflict);
    if (!earlier) item->Set(attribute.name, value);
    payloads->push_back(std::move(payload));
  }
  return absl::OkStatus();
}

absl::Status CheckHash(std::string_view row_key, const std::vector<std::string>& payloads,
                       uint64_t shard_distance) {
  const std::vector<std::string_view> views(payloads.begin(), payloads.end());
  if (RowHash(row_key) == HashPosition(views) + shard_distance) return absl::OkStatus();
  return absl::DataLossError(
      ToAbsl(messages::Damaged(messages::kDamageKeyHash, sizeof(StorageId))));
}

// `index_key` is nullptr for a table row, and `shards` then 1.
absl::StatusOr<Item> DecodeKey(const KeySchema* index_key, const KeySchema& base_key, int shards,
                               std::string_view row_key) {
  if (row_key.size() < kRowPrefixBytes) {
    return absl::DataLossError(
        ToAbsl(messages::Damaged(messages::kDamageKeyPrefix, row_key.size())));
  }
  Item item;
  ComponentReader reader(row_key);
  std::vector<std::string> hashed;
  std::vector<std::string> others;
  if (index_key != nullptr) {
    DYNOLITH_RETURN_IF_ERROR(ReadAttributes(index_key->hash, false, &reader, &item, &hashed));
    DYNOLITH_RETURN_IF_ERROR(ReadAttributes(index_key->range, false, &reader, &item, &others));
  }
  std::vector<std::string>* const base_hash = index_key == nullptr ? &hashed : &others;
  DYNOLITH_RETURN_IF_ERROR(
      ReadAttributes(base_key.hash, base_key.range.empty(), &reader, &item, base_hash));
  DYNOLITH_RETURN_IF_ERROR(ReadAttributes(base_key.range, true, &reader, &item, &others));
  DYNOLITH_RETURN_IF_ERROR(
      CheckHash(row_key, hashed, DistanceToShard(base_key, item.view(), shards)));
  return item;
}

void AppendLine(size_t position, std::string_view bytes, std::string_view meaning,
                std::string* text) {
  text->append(Concat(position, ": ", Hex(bytes), bytes.empty() ? "" : " ", meaning, "\n"));
}

// Lines for `attributes`; false after an error, which has its line too.
bool DissectAttributes(const std::vector<KeyAttribute>& attributes, bool is_last,
                       std::string_view row_key, ComponentReader* reader, std::string* text) {
  for (size_t i = 0; i < attributes.size(); ++i) {
    const size_t begin = reader->position();
    std::string payload;
    const absl::Status status =
        reader->Read(attributes[i].type, is_last && i + 1 == attributes.size(), &payload);
    if (!status.ok()) {
      AppendLine(begin, row_key.substr(begin), ToStd(status.message()), text);
      return false;
    }
    const Value value = ValueOfPayload(attributes[i].type, payload);
    AppendLine(begin, row_key.substr(begin, reader->position() - begin),
               Concat(attributes[i].name, ": ", DebugString(value.view())), text);
  }
  return true;
}

}  // namespace

bool HasKey(const KeySchema& schema, ItemView item) {
  const auto has = [item](const KeyAttribute& attribute) {
    const std::optional<ValueView> value = item.Find(attribute.name);
    return value && value->type() == attribute.type && !value->payload().empty();
  };
  return std::all_of(schema.hash.begin(), schema.hash.end(), has) &&
         std::all_of(schema.range.begin(), schema.range.end(), has);
}

void AppendRowKey(StorageId id, const KeySchema& key, ItemView item, std::string* row_key) {
  const KeyPayloads hash = KeyPayloadsIn(key.hash, item);
  // The components are less than the item, but for escapes, which are rare, and their ends.
  constexpr size_t kUsualBytesMax = 512;
  row_key->reserve(row_key->size() + kRowPrefixBytes +
                   std::min(item.bytes().size(), kUsualBytesMax));
  AppendPrefix(id, HashPosition(hash), row_key);
  AppendBaseKey(key, hash, item, row_key);
}

RowKeys::RowKeys(StorageId id, const KeySchema& key, absl::Span<const Item> items) {
  ends_.reserve(items.size());
  size_t item_bytes = 0;
  for (const Item& item : items) item_bytes += item.view().bytes().size();
  bytes_.reserve(items.size() * kRowPrefixBytes + item_bytes);
  for (size_t begin = 0; begin < items.size(); begin += kKeysAtOnce) {
    // Behind the last one the same once more.
    const auto item_at = [&](size_t i) {
      return items[std::min(begin + i, items.size() - 1)].view();
    };
    KeyPayloads payloads[kKeysAtOnce];
    for (size_t i = 0; i < kKeysAtOnce; ++i) AppendPayloads(key.hash, item_at(i), &payloads[i]);
    PartitionHash hashes[kKeysAtOnce];
    HashPartitionKeys(payloads, hashes);
    for (size_t i = 0; i < kKeysAtOnce && begin + i < items.size(); ++i) {
      AppendPrefix(id, HashPosition(hashes[i]), &bytes_);
      AppendBaseKey(key, payloads[i], item_at(i), &bytes_);
      ends_.push_back(bytes_.size());
    }
  }
}

void AppendIndexRowKey(const IndexLayout& layout, const KeySchema& index_key,
                       const KeySchema& base_key, ItemView item, std::string* row_key) {
  const KeyPayloads hash = KeyPayloadsIn(index_key.hash, item);
  AppendPrefix(layout.id, HashPosition(hash) + DistanceToShard(base_key, item, layout.shards),
               row_key);
  AppendComponents(index_key.hash, hash, false, row_key);
  AppendComponents(index_key.range, KeyPayloadsIn(index_key.range, item), false, row_key);
  AppendBaseKey(base_key, KeyPayloadsIn(base_key.hash, item), item, row_key);
}

void MoveToShard(int shard, int shards, std::string* row_key) {
  SetPlace(RowHash(*row_key) + ShardDistance(shard, shards), row_key);
}

void MoveToFirstShard(const KeySchema& index_key, std::string* row_key) {
  if (row_key->size() < kRowPrefixBytes) return;
  ComponentReader reader(*row_key);
  std::vector<std::string> payloads(index_key.hash.size());
  for (size_t i = 0; i < payloads.size(); ++i) {
    if (!reader.Read(index_key.hash[i].type, false, &payloads[i]).ok()) return;
  }
  const std::vector<std::string_view> views(payloads.begin(), payloads.end());
  SetPlace(HashPosition(views), row_key);
}

KeyRange EncodeKeyRange(StorageId id, const KeySchema& key, const KeySchema* base_key,
                        const KeyCondition& condition) {
  assert(condition.hash_equals.size() == key.hash.size());
  const bool ends_row_key = base_key == nullptr;
  KeyPayloads hash;
  for (const ValueView value : condition.hash_equals) hash.push_back(value.payload());
  std::string prefix;
  AppendPrefix(id, HashPosition(hash), &prefix);
  AppendComponents(key.hash, hash, ends_row_key && key.range.empty(), &prefix);

  const size_t equals = condition.range_equals.size();
  const auto is_last = [&](size_t i) { return ends_row_key && i + 1 == key.range.size(); };
  for (size_t i = 0; i < equals; ++i) {
    AppendComponent(key.range[i].type, condition.range_equals[i].payload(), is_last(i), &prefix);
  }
  if (ends_row_key && equals == key.range.size()) {
    // A whole row key. Others may have it as a prefix, so the range is this one alone.
    std::string end = prefix;
    end.push_back('\0');
    return {std::move(prefix), std::move(end)};
  }
  if (equals == key.range.size()) return {prefix, Successor(prefix)};
  return RangeOfClause(RangeBuilder(std::move(prefix), key.range[equals].type, is_last(equals)),
                       condition);
}

KeyRange RangeOfId(StorageId id) {
  KeyRange range;
  AppendBigEndian(id, &range.begin);
  AppendBigEndian(id + 1, &range.end);
  return range;
}

KeyRange RangeOfSegment(StorageId id, int64_t segment, int64_t total) {
  return {RowKeyAt(id, SegmentBegin(segment, total)),
          RowKeyAt(id, SegmentBegin(segment + 1, total))};
}

int64_t FindSegment(std::string_view row_key, int64_t total) {
  const uint64_t prefix = RowHash(row_key) >> 32;
  const auto parts = static_cast<uint64_t>(total);
  if (total <= kTwelveBits) return static_cast<int64_t>((prefix >> 20) * parts / kTwelveBits);
  return static_cast<int64_t>(prefix * parts >> 32);
}

uint64_t RowHash(std::string_view row_key) {
  return ReadBigEndian(row_key.substr(sizeof(StorageId)));
}

size_t CollectionBytes(const KeySchema& key, bool is_table_key, std::string_view row_key) {
  if (row_key.size() < kRowPrefixBytes) return row_key.size();
  if (is_table_key && key.range.empty()) return row_key.size();
  ComponentReader reader(row_key);
  static thread_local std::string payload;
  for (size_t i = 0; i < key.hash.size(); ++i) {
    if (!reader.Read(key.hash[i].type, /*is_last=*/false, &payload).ok()) return row_key.size();
  }
  return reader.position();
}

absl::StatusOr<Item> DecodeRowKey(const KeySchema& key, std::string_view row_key) {
  return DecodeKey(nullptr, key, 1, row_key);
}

absl::StatusOr<Item> DecodeIndexRowKey(const KeySchema& index_key, const KeySchema& base_key,
                                       int shards, std::string_view row_key) {
  return DecodeKey(&index_key, base_key, shards, row_key);
}

std::string DissectRowKey(const KeySchema* key, const KeySchema* base_key,
                          std::string_view row_key) {
  std::string text;
  if (row_key.size() < kRowPrefixBytes) {
    AppendLine(0, row_key, messages::Damaged(messages::kDamageKeyPrefix, row_key.size()), &text);
    return text;
  }
  uint32_t id = 0;
  for (size_t i = 0; i < sizeof id; ++i) id = id << 8 | static_cast<uint8_t>(row_key[i]);
  AppendLine(0, row_key.substr(0, sizeof id), messages::DissectedStorageId(id), &text);
  AppendLine(sizeof id, row_key.substr(sizeof id, kRowHashBytes), messages::DissectedHash(), &text);
  if (key == nullptr) {
    AppendLine(kRowPrefixBytes, row_key.substr(kRowPrefixBytes), messages::DissectedKey(), &text);
    return text;
  }
  ComponentReader reader(row_key);
  const bool is_index = base_key != nullptr;
  if (DissectAttributes(key->hash, !is_index && key->range.empty(), row_key, &reader, &text) &&
      DissectAttributes(key->range, !is_index, row_key, &reader, &text) && is_index &&
      DissectAttributes(base_key->hash, base_key->range.empty(), row_key, &reader, &text)) {
    DissectAttributes(base_key->range, true, row_key, &reader, &text);
  }
  return text;
}

}  // namespace dynolith
