#include "tools/server/trace/trace_format.h"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace dynolith::trace {
namespace {

constexpr std::string_view kMagic = "DYNTRACE";
constexpr size_t kBlockHeadBytes = 12;
// Fast, and still finds keys and names that come again.
constexpr int kCompressionLevel = 1;

// Of a use's flags.
constexpr uint8_t kIsWrite = 1;
constexpr uint8_t kBegins = 2;
constexpr uint8_t kHasKey = 4;
constexpr uint8_t kHasSort = 8;
constexpr int kLimitShift = 4;  // three bits: 0, or the limit's number and 1

// --- bytes

template <typename Integer>
void AppendFixed(Integer number, std::string* bytes) {
  for (size_t i = 0; i < sizeof(Integer); ++i) {
    bytes->push_back(static_cast<char>(number >> (8 * i)));
  }
}

void AppendNumber(uint64_t number, std::string* bytes) {
  for (; number >= 0x80; number >>= 7) bytes->push_back(static_cast<char>(number | 0x80));
  bytes->push_back(static_cast<char>(number));
}

void AppendText(std::string_view text, std::string* bytes) {
  AppendNumber(text.size(), bytes);
  bytes->append(text);
}

uint32_t ExtendChecksum(uint32_t check, std::string_view bytes) {
  return libdeflate_crc32(check, bytes.data(), bytes.size());
}

// Takes numbers and texts off; after an error everything is 0 or empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool is_fine() const { return is_fine_; }
  bool is_empty() const { return rest_.empty(); }
  void Fail() {
    is_fine_ = false;
    rest_ = {};
  }

  std::string_view Bytes(uint64_t count) {
    if (count > rest_.size()) {
      Fail();
      return {};
    }
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  template <typename Integer>
  Integer Fixed() {
    Integer number = 0;
    const std::string_view bytes = Bytes(sizeof(Integer));
    for (size_t i = 0; i < bytes.size(); ++i) {
      number |=
          static_cast<Integer>(static_cast<Integer>(static_cast<uint8_t>(bytes[i])) << (8 * i));
    }
    return number;
  }
  uint64_t Number() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = Fixed<uint8_t>();
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    Fail();
    return 0;
  }
  // Of what is counted or measured: never below 0.
  int64_t Amount() { return static_cast<int64_t>(Number() & INT64_MAX); }
  std::string_view Text() { return Bytes(Number()); }

 private:
  std::string_view rest_;
  bool is_fine_ = true;
};

// --- resources

void AppendAttributes(const std::vector<KeyAttribute>& attributes, std::string* bytes) {
  AppendNumber(attributes.size(), bytes);
  for (const KeyAttribute& attribute : attributes) {
    AppendText(attribute.name, bytes);
    bytes->push_back(static_cast<char>(attribute.type));
  }
}

void AppendResource(const Resource& resource, std::string* bytes) {
  AppendText(resource.table, bytes);
  AppendText(resource.index, bytes);
  bytes->push_back(static_cast<char>(resource.on_demand));
  for (const int64_t number :
       {resource.units.read, resource.units.write, resource.shards, resource.local_indexes}) {
    AppendNumber(static_cast<uint64_t>(number), bytes);
  }
  AppendAttributes(resource.key.hash, bytes);
  AppendAttributes(resource.key.range, bytes);
}

std::vector<KeyAttribute> ReadAttributes(ByteReader* reader) {
  std::vector<KeyAttribute> attributes;
  const uint64_t count = reader->Number();
  for (uint64_t i = 0; i < count && reader->is_fine(); ++i) {
    KeyAttribute attribute;
    attribute.name = reader->Text();
    attribute.type = static_cast<Type>(reader->Fixed<uint8_t>());
    const bool is_key_type = attribute.type == Type::kString || attribute.type == Type::kNumber ||
                             attribute.type == Type::kBinary;
    if (!is_key_type) reader->Fail();
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

Resource ReadResource(ByteReader* reader) {
  Resource resource;
  resource.table = reader->Text();
  resource.index = reader->Text();
  resource.on_demand = reader->Fixed<uint8_t>() != 0;
  resource.units.read = reader->Amount();
  resource.units.write = reader->Amount();
  resource.shards = std::max<int64_t>(1, reader->Amount());
  resource.local_indexes = reader->Amount();
  resource.key.hash = ReadAttributes(reader);
  resource.key.range = ReadAttributes(reader);
  return resource;
}

// --- requests

void AppendUse(const Use& use, bool plain, std::string* bytes) {
  uint8_t flags = 0;
  if (use.kind == AccessKind::kWrite) flags |= kIsWrite;
  if (use.begins) flags |= kBegins;
  if (use.has_key) flags |= kHasKey;
  if (use.has_sort) flags |= kHasSort;
  if (use.throttled) {
    flags |= static_cast<uint8_t>((static_cast<int>(*use.throttled) + 1) << kLimitShift);
  }
  bytes->push_back(static_cast<char>(flags));
  AppendNumber(use.resource, bytes);
  AppendNumber(static_cast<uint64_t>(use.half_units), bytes);
  AppendNumber(static_cast<uint64_t>(use.bytes), bytes);
  AppendFixed(use.hash, bytes);
  if (use.has_sort) AppendFixed(use.sort_hash, bytes);
  if (plain && use.has_key) AppendText(use.partition_key, bytes);
  if (plain && use.has_sort) AppendText(use.sort_key, bytes);
}

Use ReadUse(bool plain, size_t resources, ByteReader* reader) {
  Use use;
  const auto flags = reader->Fixed<uint8_t>();
  use.kind = (flags & kIsWrite) != 0 ? AccessKind::kWrite : AccessKind::kRead;
  use.begins = (flags & kBegins) != 0;
  use.has_key = (flags & kHasKey) != 0;
  use.has_sort = (flags & kHasSort) != 0;
  const int limit = flags >> kLimitShift;
  if (limit > static_cast<int>(kThroughputLimits)) reader->Fail();
  if (limit > 0) use.throttled = static_cast<ThroughputLimit>(limit - 1);
  const uint64_t resource = reader->Number();
  if (resource >= resources) reader->Fail();
  use.resource = static_cast<uint32_t>(resource);
  use.half_units = reader->Amount();
  use.bytes = reader->Amount();
  use.hash = reader->Fixed<uint64_t>();
  if (use.has_sort) use.sort_hash = reader->Fixed<uint64_t>();
  if (plain && use.has_key) use.partition_key = reader->Text();
  if (plain && use.has_sort) use.sort_key = reader->Text();
  return use;
}

void AppendRaw(const Block& block, bool plain, std::string* bytes) {
  AppendNumber(block.dropped, bytes);
  AppendNumber(block.resources.size(), bytes);
  for (const Resource& resource : block.resources) AppendResource(resource, bytes);
  Micros last = block.requests.empty() ? 0 : std::max<Micros>(0, block.requests.front().at);
  AppendNumber(static_cast<uint64_t>(last), bytes);
  AppendNumber(block.requests.size(), bytes);
  for (const Request& request : block.requests) {
    const Micros at = std::max<Micros>(0, request.at);
    const Micros later = at - last;
    AppendNumber(
        later >= 0 ? 2 * static_cast<uint64_t>(later) : 2 * static_cast<uint64_t>(-later) - 1,
        bytes);
    last = at;
    bytes->push_back(static_cast<char>(request.operation));
    AppendNumber(request.uses.size(), bytes);
    for (const Use& use : request.uses) AppendUse(use, plain, bytes);
  }
}

}  // namespace

bool operator==(const Resource& left, const Resource& right) {
  const auto all = [](const Resource& resource) {
    return std::tie(resource.table, resource.index, resource.on_demand, resource.units.read,
                    resource.units.write, resource.shards, resource.local_indexes, resource.key);
  };
  return all(left) == all(right);
}

std::string_view OperationName(Operation operation) {
  const auto* const found =
      std::find_if(std::begin(kOperationNames), std::end(kOperationNames),
                   [operation](const auto& named) { return named.second == operation; });
  return found == std::end(kOperationNames) ? "other" : found->first;
}

Operation OperationNamed(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kOperationNames), std::end(kOperationNames),
                                         [name](const auto& named) { return named.first == name; });
  return found == std::end(kOperationNames) ? Operation::kOther : found->second;
}

std::string EncodeHeader(const FileHeader& header) {
  std::string bytes(kMagic);
  AppendFixed(kVersion, &bytes);
  bytes.push_back(static_cast<char>(header.has_plain_keys));
  AppendFixed(header.run, &bytes);
  AppendFixed(header.number, &bytes);
  AppendFixed(ExtendChecksum(0, bytes), &bytes);
  return bytes;
}

HeaderError DecodeHeader(std::string_view bytes, FileHeader* header) {
  if (!bytes.starts_with(kMagic)) return HeaderError::kNoTrace;
  ByteReader reader(bytes.substr(kMagic.size()));
  const auto version = reader.Fixed<uint32_t>();
  if (reader.is_fine() && version > kVersion) return HeaderError::kNewer;
  header->has_plain_keys = reader.Fixed<uint8_t>() != 0;
  header->run = reader.Fixed<uint64_t>();
  header->number = reader.Fixed<uint64_t>();
  const auto check = reader.Fixed<uint32_t>();
  const bool is_whole =
      reader.is_fine() && check == ExtendChecksum(0, bytes.substr(0, kHeaderBytes - sizeof(check)));
  return is_whole ? HeaderError::kNone : HeaderError::kDamaged;
}

void EncodeBlock(const Block& block, bool plain, std::string* bytes) {
  std::string raw;
  AppendRaw(block, plain, &raw);
  std::string stored(ZSTD_compressBound(raw.size()), '\0');
  stored.resize(
      ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), kCompressionLevel));
  std::string head;
  AppendFixed(static_cast<uint32_t>(stored.size()), &head);
  AppendFixed(static_cast<uint32_t>(raw.size()), &head);
  const uint32_t check = ExtendChecksum(ExtendChecksum(0, head), stored);
  AppendFixed(check, &head);
  bytes->append(head).append(stored);
}

bool DecodeRawBlock(std::string_view raw, bool plain, Block* block) {
  *block = {};
  ByteReader reader(raw);
  block->dropped = reader.Number();
  const uint64_t resources = reader.Number();
  for (uint64_t i = 0; i < resources && reader.is_fine(); ++i) {
    block->resources.push_back(ReadResource(&reader));
  }
  // Of damaged times the sum may be anything.
  auto at = static_cast<uint64_t>(reader.Amount());
  const uint64_t requests = reader.Number();
  for (uint64_t i = 0; i < requests && reader.is_fine(); ++i) {
    Request& request = block->requests.emplace_back();
    const uint64_t later = reader.Number();
    at += later % 2 == 0 ? later / 2 : ~(later / 2);
    request.at = static_cast<Micros>(at & INT64_MAX);
    request.operation = static_cast<Operation>(reader.Fixed<uint8_t>());
    const uint64_t uses = reader.Number();
    for (uint64_t j = 0; j < uses && reader.is_fine(); ++j) {
      request.uses.push_back(ReadUse(plain, block->resources.size(), &reader));
    }
  }
  return reader.is_fine() && reader.is_empty();
}

std::optional<size_t> DecodeBlock(std::string_view bytes, bool plain, std::string* raw,
                                  Block* block) {
  ByteReader reader(bytes);
  const auto stored_bytes = reader.Fixed<uint32_t>();
  const auto raw_bytes = reader.Fixed<uint32_t>();
  const auto check = reader.Fixed<uint32_t>();
  const std::string_view stored = reader.Bytes(stored_bytes);
  if (!reader.is_fine() || raw_bytes > kBlockBytesMax) return std::nullopt;
  if (check != ExtendChecksum(ExtendChecksum(0, bytes.substr(0, 8)), stored)) return std::nullopt;
  raw->resize(raw_bytes);
  if (ZSTD_decompress(raw->data(), raw->size(), stored.data(), stored.size()) != raw_bytes) {
    return std::nullopt;
  }
  if (!DecodeRawBlock(*raw, plain, block)) return std::nullopt;
  return kBlockHeadBytes + stored_bytes;
}

uint64_t StableHash(std::string_view bytes) {
  // FNV-1a, and the finalizer of MurmurHash3, since positions are told by their highest bits.
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  }
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

}  // namespace dynolith::trace
