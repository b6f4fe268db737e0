// Protocol Buffers' binary encoding, as far as OTLP needs it: a message is a sequence of fields,
// each a number, a type and a value.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_PROTOBUF_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_PROTOBUF_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace dynolith::otlp {

// Of a field's number and type, the lowest ones.
inline constexpr uint32_t kTypeBits = 3;

// Appends fields to the end of a string.
class ProtobufWriter {
 public:
  // Borrows `out`.
  explicit ProtobufWriter(std::string* out) : out_(out) {}

  // int64, uint64, bool, and enumerations.
  void Varint(uint32_t field, uint64_t value);
  void Fixed32(uint32_t field, uint32_t value);
  void Fixed64(uint32_t field, uint64_t value);
  void Double(uint32_t field, double value);
  // Bytes and messages; strings, which must be UTF-8.
  void Bytes(uint32_t field, std::string_view value);
  void PackedFixed64(uint32_t field, absl::Span<const uint64_t> values);
  void PackedDoubles(uint32_t field, absl::Span<const double> values);
  // The beginning of a message whose fields, of so many bytes, are appended next.
  void Begin(uint32_t field, size_t bytes);
  // Of such a field, or message.
  static size_t BytesOf(uint32_t field, size_t value_bytes) {
    return VarintBytes(uint64_t{field} << kTypeBits) + VarintBytes(value_bytes) + value_bytes;
  }
  // A message whose fields `write` appends.
  template <typename Write>
  void Message(uint32_t field, const Write& write) {
    std::string bytes;
    ProtobufWriter writer(&bytes);
    write(&writer);
    Bytes(field, bytes);
  }

 private:
  static size_t VarintBytes(uint64_t value) { return (std::bit_width(value | 1) + 6) / 7; }

  void Tag(uint32_t field, uint32_t type);
  void AppendVarint(uint64_t value);
  void AppendFixed64(uint64_t value);

  std::string* const out_;
};

// Reads the fields of a message that somebody else has sent, whatever its bytes are.
class ProtobufReader {
 public:
  // Borrows `bytes`.
  explicit ProtobufReader(std::string_view bytes) : rest_(bytes) {}

  // Goes to the next field; false: there is none, or the rest is no message.
  bool Next();
  uint32_t field() const { return field_; }
  // The field's value; 0 and "" for one of another type.
  uint64_t varint() const { return varint_; }
  std::string_view bytes() const { return bytes_; }

 private:
  std::optional<uint64_t> TakeVarint();
  bool Take(uint64_t size);

  std::string_view rest_;
  uint32_t field_ = 0;
  uint64_t varint_ = 0;
  std::string_view bytes_;
};

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_PROTOBUF_H_
