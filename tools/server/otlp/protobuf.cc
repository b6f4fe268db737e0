#include "tools/server/otlp/protobuf.h"

#include <bit>
#include <cstddef>

namespace dynolith::otlp {
namespace {

constexpr uint32_t kVarint = 0;
constexpr uint32_t kFixed64 = 1;
constexpr uint32_t kBytes = 2;
constexpr uint32_t kFixed32 = 5;
constexpr int kVarintBits = 7;
constexpr uint64_t kMore = 0x80;

}  // namespace

void ProtobufWriter::AppendVarint(uint64_t value) {
  for (; value >= kMore; value >>= kVarintBits) {
    out_->push_back(static_cast<char>(value | kMore));
  }
  out_->push_back(static_cast<char>(value));
}

void ProtobufWriter::AppendFixed64(uint64_t value) {
  for (size_t i = 0; i < sizeof value; ++i) out_->push_back(static_cast<char>(value >> 8 * i));
}

void ProtobufWriter::Tag(uint32_t field, uint32_t type) {
  AppendVarint(uint64_t{field} << kTypeBits | type);
}

void ProtobufWriter::Varint(uint32_t field, uint64_t value) {
  Tag(field, kVarint);
  AppendVarint(value);
}

void ProtobufWriter::Fixed32(uint32_t field, uint32_t value) {
  Tag(field, kFixed32);
  for (size_t i = 0; i < sizeof value; ++i) out_->push_back(static_cast<char>(value >> 8 * i));
}

void ProtobufWriter::Fixed64(uint32_t field, uint64_t value) {
  Tag(field, kFixed64);
  AppendFixed64(value);
}

void ProtobufWriter::Double(uint32_t field, double value) {
  Fixed64(field, std::bit_cast<uint64_t>(value));
}

void ProtobufWriter::Begin(uint32_t field, size_t bytes) {
  Tag(field, kBytes);
  AppendVarint(bytes);
}

void ProtobufWriter::Bytes(uint32_t field, std::string_view value) {
  Begin(field, value.size());
  out_->append(value);
}

void ProtobufWriter::PackedFixed64(uint32_t field, absl::Span<const uint64_t> values) {
  Begin(field, values.size() * sizeof(uint64_t));
  for (const uint64_t value : values) AppendFixed64(value);
}

void ProtobufWriter::PackedDoubles(uint32_t field, absl::Span<const double> values) {
  Begin(field, values.size() * sizeof(double));
  for (const double value : values) AppendFixed64(std::bit_cast<uint64_t>(value));
}

std::optional<uint64_t> ProtobufReader::TakeVarint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += kVarintBits) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= (byte & ~kMore) << shift;
    if (byte < kMore) return value;
  }
  return std::nullopt;
}

bool ProtobufReader::Take(uint64_t size) {
  if (size > rest_.size()) return false;
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool ProtobufReader::Next() {
  varint_ = 0;
  bytes_ = {};
  const std::optional<uint64_t> tag = TakeVarint();
  if (!tag) return false;
  field_ = static_cast<uint32_t>(*tag >> kTypeBits);
  switch (*tag & ((1U << kTypeBits) - 1)) {
    case kVarint: {
      const std::optional<uint64_t> value = TakeVarint();
      varint_ = value.value_or(0);
      return value.has_value();
    }
    case kFixed64:
    case kFixed32: {
      const bool is_there =
          Take((*tag & kFixed32) == kFixed32 ? sizeof(uint32_t) : sizeof(uint64_t));
      bytes_ = {};
      return is_there;
    }
    case kBytes: {
      const std::optional<uint64_t> size = TakeVarint();
      return size && Take(*size);
    }
    default:
      return false;
  }
}

}  // namespace dynolith::otlp
