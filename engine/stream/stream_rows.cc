#include "engine/stream/stream_rows.h"

#include <algorithm>
#include <cstdio>

#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/stream/messages.h"
#include "engine/stream/sequence_numbers.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

// Labels of clients are times.
constexpr std::string_view kDestinationPrefix = "kinesis:";
constexpr std::string_view kShardIdPrefix = "shardId-";
constexpr size_t kShardDigits = 20;
constexpr char kRecordLetter = 'R';

std::string NumberedKey(char kind, uint64_t first) {
  std::string key(1, kind);
  AppendBigEndian(first, &key);
  return key;
}

std::string NumberedKey(char kind, uint64_t first, uint64_t second) {
  std::string key = NumberedKey(kind, first);
  AppendBigEndian(second, &key);
  return key;
}

Value FromUint64(uint64_t number) {
  std::string bytes;
  AppendBigEndian(number, &bytes);
  return Value::B(bytes);
}

Value FromSequence(SequenceNumber number) {
  std::string bytes;
  AppendSequence(number, &bytes);
  return Value::B(bytes);
}

Value FromTime(absl::Time time) { return Value::N(absl::ToUnixNanos(time)); }

Value FromKey(const std::vector<KeyAttribute>& attributes) {
  std::vector<Value> elements;
  elements.reserve(attributes.size());
  for (const KeyAttribute& attribute : attributes) {
    elements.push_back(Value::M(
        Item{{"name", Value::S(attribute.name)}, {"type", Value::S(TypeName(attribute.type))}}));
  }
  return Value::L(elements);
}

// Reads the members of a row; remembers whether one was missing or of another kind.
class MemberReader {
 public:
  explicit MemberReader(ItemView item) : item_(item) {}

  bool Has(std::string_view name) const { return item_.Find(name).has_value(); }
  std::string Text(std::string_view name) {
    const auto value = Find(name, Type::kString);
    return value ? std::string(value->string()) : std::string();
  }
  int64_t Integer(std::string_view name) {
    const auto value = Find(name, Type::kNumber);
    int64_t integer = 0;
    if (value && !value->number().ToInt64(&integer)) ok_ = false;
    return integer;
  }
  uint64_t Unsigned(std::string_view name) {
    const auto value = Find(name, Type::kBinary);
    if (!value || value->binary().size() != sizeof(uint64_t)) return ok_ = false;
    return ReadBigEndian(value->binary());
  }
  SequenceNumber Sequence(std::string_view name) {
    const auto value = Find(name, Type::kBinary);
    const auto number = value ? ReadSequence(value->binary()) : std::nullopt;
    ok_ = ok_ && number;
    return number.value_or(0);
  }
  absl::Time Time(std::string_view name) { return absl::FromUnixNanos(Integer(name)); }
  std::vector<KeyAttribute> Key(std::string_view name) {
    std::vector<KeyAttribute> attributes;
    const auto value = Find(name, Type::kList);
    if (!value) return attributes;
    const ListView list = value->list();
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].type() != Type::kMap) {
        ok_ = false;
        return attributes;
      }
      MemberReader member(list[i].map());
      const std::string attribute = member.Text("name");
      const auto type = TypeFromName(member.Text("type"));
      ok_ = ok_ && member.ok() && type && IsOrdered(*type);
      attributes.push_back({attribute, type.value_or(Type::kString)});
    }
    return attributes;
  }

  bool ok() const { return ok_; }

 private:
  std::optional<ValueView> Find(std::string_view name, Type type) {
    const auto value = item_.Find(name);
    if (value && value->type() == type) return value;
    ok_ = false;
    return std::nullopt;
  }

  ItemView item_;
  bool ok_ = true;
};

absl::Status Damaged(std::string_view key) {
  return absl::DataLossError(messages::DamagedLogRow(key.substr(0, 1)));
}

// The eight hexadecimal digits at the end of a shard's id, which follow from its number.
std::string ShardSuffix(uint64_t number) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x",
                static_cast<unsigned>((number * 0x9e3779b97f4a7c15) >> 32));
  return text;
}

}  // namespace

const StreamShard* Stream::FindShard(uint64_t shard_number) const {
  const auto it = std::lower_bound(
      shards.begin(), shards.end(), shard_number,
      [](const StreamShard& shard, uint64_t wanted) { return shard.number < wanted; });
  return it != shards.end() && it->number == shard_number ? &*it : nullptr;
}

StreamShard* Stream::FindShard(uint64_t shard_number) {
  return const_cast<StreamShard*>(static_cast<const Stream*>(this)->FindShard(shard_number));
}

bool Stream::HasSoundShards() const {
  std::vector<std::pair<uint64_t, uint64_t>> open;
  for (const StreamShard& shard : shards) {
    if (!shard.end) open.emplace_back(shard.hash_first, shard.hash_last);
  }
  if (closed) return open.empty();
  std::sort(open.begin(), open.end());
  uint64_t next = 0;  // and again behind the greatest hash
  for (size_t i = 0; i < open.size(); ++i) {
    const auto [first, last] = open[i];
    if (first != next || last < first || (i > 0 && next == 0)) return false;
    next = last + 1;
  }
  return !open.empty() && next == 0;
}

const StreamShard& Stream::FindOpenShard(uint64_t row_hash) const {
  return *std::find_if(shards.begin(), shards.end(), [row_hash](const StreamShard& shard) {
    return !shard.end && shard.hash_first <= row_hash && row_hash <= shard.hash_last;
  });
}

std::string StreamKey(uint64_t stream) { return NumberedKey('S', stream); }
std::string ShardKey(uint64_t stream, uint64_t shard) { return NumberedKey('H', stream, shard); }
std::string RecordKey(uint64_t shard, SequenceNumber sequence_number) {
  std::string key = NumberedKey(kRecordLetter, shard);
  AppendSequence(sequence_number, &key);
  return key;
}
std::string StampedRecordPrefix(uint64_t shard) {
  return NumberedKey(kRecordLetter, shard) + kStampedByte;
}
absl::StatusOr<SequenceNumber> SequenceOfRecordKey(std::string_view key) {
  constexpr size_t kPrefixBytes = 1 + sizeof(uint64_t);
  if (key.size() > kPrefixBytes && key[0] == kRecordLetter) {
    if (const auto number = ReadSequence(key.substr(kPrefixBytes))) return *number;
  }
  return absl::DataLossError(messages::DamagedRecord());
}

std::pair<std::string_view, std::string_view> AllStreamKeys() { return {"S", "T"}; }
std::pair<std::string_view, std::string_view> AllShardKeys() { return {"H", "I"}; }
std::pair<std::string_view, std::string_view> AllRecordKeys() { return {"R", "S"}; }

std::string EncodeStream(const Stream& stream) {
  Item item{{"table", Value::S(stream.name.table)},
            {"label", Value::S(stream.name.label)},
            {"table_id", Value::N(int64_t{stream.table_id})},
            {"view_type", Value::N(static_cast<int64_t>(stream.view_type))},
            {"hash", FromKey(stream.key.hash)},
            {"range", FromKey(stream.key.range)},
            {"created", FromTime(stream.created)}};
  if (stream.closed) item.Set("closed", FromTime(*stream.closed));
  return std::move(item).bytes();
}

absl::StatusOr<Stream> DecodeStream(std::string_view key, std::string_view bytes) {
  const auto item = ItemView::Parse(bytes);
  if (!item.ok() || key.size() != 1 + sizeof(uint64_t)) return Damaged(key);
  MemberReader in(*item);
  Stream stream;
  stream.number = ReadBigEndian(key.substr(1));
  stream.name = {in.Text("table"), in.Text("label")};
  stream.table_id = static_cast<StorageId>(in.Integer("table_id"));
  const int64_t view_type = in.Integer("view_type");
  stream.view_type = static_cast<StreamViewType>(view_type);
  stream.key = {in.Key("hash"), in.Key("range")};
  stream.created = in.Time("created");
  if (in.Has("closed")) stream.closed = in.Time("closed");
  if (!in.ok() || view_type < 1 || view_type > 4) return Damaged(key);
  return stream;
}

std::string EncodeShard(const StreamShard& shard) {
  Item item{{"hash_first", FromUint64(shard.hash_first)},
            {"hash_last", FromUint64(shard.hash_last)},
            {"trimmed_through", FromSequence(shard.trimmed_through)},
            {"created", FromTime(shard.created)}};
  if (shard.parent) item.Set("parent", FromUint64(*shard.parent));
  if (shard.end) {
    if (!shard.ends_with_last_record) item.Set("end", FromSequence(*shard.end));
    item.Set("closed", FromTime(shard.closed));
  }
  return std::move(item).bytes();
}

absl::StatusOr<std::pair<uint64_t, StreamShard>> DecodeShard(std::string_view key,
                                                             std::string_view bytes) {
  const auto item = ItemView::Parse(bytes);
  if (!item.ok() || key.size() != 1 + 2 * sizeof(uint64_t)) return Damaged(key);
  MemberReader in(*item);
  StreamShard shard;
  shard.number = ReadBigEndian(key.substr(1 + sizeof(uint64_t)));
  shard.hash_first = in.Unsigned("hash_first");
  shard.hash_last = in.Unsigned("hash_last");
  shard.trimmed_through = in.Sequence("trimmed_through");
  shard.deleted_through = shard.trimmed_through;
  // Without one, the shard is from a version that did not look at the age of open shards.
  if (in.Has("created")) shard.created = in.Time("created");
  if (in.Has("parent")) shard.parent = in.Unsigned("parent");
  if (in.Has("end") || in.Has("closed")) {
    shard.ends_with_last_record = !in.Has("end");
    shard.end = shard.ends_with_last_record ? kGreatestSequence : in.Sequence("end");
    shard.closed = in.Time("closed");
  }
  if (!in.ok()) return Damaged(key);
  return std::make_pair(ReadBigEndian(key.substr(1)), shard);
}

std::string DestinationLabel(StorageId table_id, std::string_view stream_name) {
  return Concat(kDestinationPrefix, table_id, ":", stream_name);
}

bool IsDestinationLabel(std::string_view label) { return label.starts_with(kDestinationPrefix); }

std::string_view DestinationOf(std::string_view label) {
  return label.substr(label.find(':', kDestinationPrefix.size()) + 1);
}

std::string ShardIdText(uint64_t shard_number) {
  const std::string digits = std::to_string(shard_number);
  return Concat(kShardIdPrefix, std::string(kShardDigits - digits.size(), '0'), digits, "-",
                ShardSuffix(shard_number));
}

std::optional<uint64_t> ParseShardId(std::string_view text) {
  if (!text.starts_with(kShardIdPrefix)) return std::nullopt;
  const auto number =
      ParseSequenceText(Concat("1", text.substr(kShardIdPrefix.size(), kShardDigits)));
  if (!number || ShardIdText(absl::Uint128Low64(*number)) != text) return std::nullopt;
  return absl::Uint128Low64(*number);
}

}  // namespace dynolith
