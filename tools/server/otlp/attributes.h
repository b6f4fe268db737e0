// Attributes of resources, spans and series: OTLP's KeyValue.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_ATTRIBUTES_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "tools/server/otlp/fields.h"
#include "tools/server/otlp/protobuf.h"

namespace dynolith::otlp {

// Appends one attribute as that field. Requires: UTF-8.
inline void AddText(uint32_t field, std::string_view key, std::string_view value,
                    ProtobufWriter* writer) {
  // Without a string for each message: there are many of these.
  const size_t any = ProtobufWriter::BytesOf(fields::kStringValue, value.size());
  writer->Begin(field, ProtobufWriter::BytesOf(fields::kKey, key.size()) +
                           ProtobufWriter::BytesOf(fields::kValue, any));
  writer->Bytes(fields::kKey, key);
  writer->Begin(fields::kValue, any);
  writer->Bytes(fields::kStringValue, value);
}

inline void AddInteger(uint32_t field, std::string_view key, int64_t value,
                       ProtobufWriter* writer) {
  writer->Message(field, [&](ProtobufWriter* pair) {
    pair->Bytes(fields::kKey, key);
    pair->Message(fields::kValue, [&](ProtobufWriter* any) {
      any->Varint(fields::kIntValue, static_cast<uint64_t>(value));
    });
  });
}

template <typename Texts>
void AddTexts(uint32_t field, std::string_view key, const Texts& values, ProtobufWriter* writer) {
  writer->Message(field, [&](ProtobufWriter* pair) {
    pair->Bytes(fields::kKey, key);
    pair->Message(fields::kValue, [&](ProtobufWriter* any) {
      any->Message(fields::kArrayValue, [&](ProtobufWriter* array) {
        for (const std::string_view value : values) {
          array->Message(fields::kArrayValues, [&](ProtobufWriter* element) {
            element->Bytes(fields::kStringValue, value);
          });
        }
      });
    });
  });
}

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_ATTRIBUTES_H_
