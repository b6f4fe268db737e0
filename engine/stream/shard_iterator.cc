#include "engine/stream/shard_iterator.h"

#include "absl/strings/escaping.h"
#include "engine/base/big_endian.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr char kVersion = 3;
// Between the ARN and the rest, which has no such character.
constexpr std::string_view kSeparator = "|1|";
constexpr size_t kFixedBytes = 2 + 3 * sizeof(uint64_t);

// FNV-1a.
uint64_t Checksum(std::string_view stream_arn, std::string_view body) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  };
  add(stream_arn);
  add(body);
  return hash;
}

}  // namespace

std::string EncodeShardIterator(const ShardIterator& iterator) {
  std::string bytes = {kVersion, static_cast<char>(iterator.kind)};
  AppendBigEndian(iterator.stream, &bytes);
  AppendBigEndian(iterator.shard, &bytes);
  AppendBigEndian(static_cast<uint64_t>(absl::ToUnixMicros(iterator.created)), &bytes);
  AppendSequence(iterator.position, &bytes);
  AppendBigEndian(Checksum(iterator.stream_arn, bytes), &bytes);
  std::string text;
  absl::WebSafeBase64Escape(bytes, &text);
  return Concat(iterator.stream_arn, kSeparator, text);
}

std::optional<ShardIterator> ParseShardIterator(std::string_view text) {
  const size_t separator = text.rfind(kSeparator);
  if (separator == std::string_view::npos) return std::nullopt;
  const std::string_view stream_arn = text.substr(0, separator);
  std::string bytes;
  if (!absl::WebSafeBase64Unescape(ToAbsl(text.substr(separator + kSeparator.size())), &bytes)) {
    return std::nullopt;
  }
  if (bytes.size() < kFixedBytes + sizeof(uint64_t) || bytes[0] != kVersion) return std::nullopt;
  const size_t body_bytes = bytes.size() - sizeof(uint64_t);
  const std::string_view body = std::string_view(bytes).substr(0, body_bytes);
  if (ReadBigEndian(std::string_view(bytes).substr(body_bytes)) != Checksum(stream_arn, body)) {
    return std::nullopt;
  }
  if (body[1] < 1 || body[1] > 2) return std::nullopt;
  ShardIterator iterator;
  iterator.kind = static_cast<ShardIterator::Kind>(body[1]);
  iterator.stream_arn = stream_arn;
  iterator.stream = ReadBigEndian(body.substr(2));
  iterator.shard = ReadBigEndian(body.substr(10));
  iterator.created = absl::FromUnixMicros(static_cast<int64_t>(ReadBigEndian(body.substr(18))));
  const std::optional<SequenceNumber> position = ReadSequence(body.substr(kFixedBytes));
  if (!position) return std::nullopt;
  iterator.position = *position;
  return iterator;
}

}  // namespace dynolith
