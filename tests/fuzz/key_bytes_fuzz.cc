// Any bytes are read as row keys of several schemas. What decodes must encode to the same bytes.
// The hash in front would stop nearly every input, so it is put right first.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "engine/key/key_codec.h"

namespace {

using dynolith::Item;
using dynolith::KeySchema;
using dynolith::Type;

void Require(bool holds) {
  if (!holds) std::abort();
}

struct Shape {
  KeySchema key;
  bool is_index = false;
  KeySchema base;
  int shards = 1;
};

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> shapes = [] {
    const KeySchema table{{{"h", Type::kString}}, {{"r", Type::kNumber}}};
    const KeySchema bytes{{{"h", Type::kBinary}}, {{"r", Type::kString}}};
    const KeySchema number{{{"h", Type::kNumber}}, {}};
    const KeySchema wide{{{"x", Type::kString}, {"y", Type::kNumber}},
                         {{"z", Type::kBinary}, {"r", Type::kNumber}}};
    return std::vector<Shape>{{table},
                              {bytes},
                              {number},
                              {{{{"x", Type::kNumber}}, {{"y", Type::kString}}}, true, table},
                              {wide, true, table},
                              {wide, true, table, 200},
                              {{{{"y", Type::kBinary}}, {}}, true, number, 3}};
  }();
  return shapes;
}

absl::StatusOr<Item> Decode(const Shape& shape, std::string_view row_key) {
  return shape.is_index ? dynolith::DecodeIndexRowKey(shape.key, shape.base, shape.shards, row_key)
                        : dynolith::DecodeRowKey(shape.key, row_key);
}

std::string Encode(const Shape& shape, const Item& item) {
  std::string row_key;
  if (shape.is_index) {
    dynolith::AppendIndexRowKey({1, shape.shards}, shape.key, shape.base, item.view(), &row_key);
  } else {
    dynolith::AppendRowKey(1, shape.key, item.view(), &row_key);
  }
  return row_key;
}

// Splits the input into payloads for the key attributes and encodes an item of them, so that valid
// row keys are reached from any input.
std::string RowKeyFromPayloads(const Shape& shape, std::string_view bytes) {
  Item item;
  const auto add = [&](const std::vector<dynolith::KeyAttribute>& attributes) {
    for (const dynolith::KeyAttribute& attribute : attributes) {
      const size_t size = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]) % 24 + 1;
      const std::string_view payload = bytes.substr(0, size);
      bytes.remove_prefix(payload.size());
      if (payload.empty()) {
        item.Set(attribute.name, attribute.type == Type::kNumber   ? dynolith::Value::N(-5)
                                 : attribute.type == Type::kString ? dynolith::Value::S("x")
                                                                   : dynolith::Value::B("x"));
      } else if (attribute.type == Type::kNumber) {
        uint64_t number = 0;
        for (const char byte : payload) number = number * 31 + static_cast<uint8_t>(byte);
        item.Set(attribute.name, dynolith::Value::N(static_cast<int64_t>(number)));
      } else {
        item.Set(attribute.name, attribute.type == Type::kString ? dynolith::Value::S(payload)
                                                                 : dynolith::Value::B(payload));
      }
    }
  };
  add(shape.key.hash);
  add(shape.key.range);
  if (shape.is_index) add(shape.base.hash);
  if (shape.is_index) add(shape.base.range);
  const std::string row_key = Encode(shape, item);
  const auto decoded = Decode(shape, row_key);
  Require(decoded.ok() && *decoded == item);
  return row_key;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Shape& shape : Shapes()) {
    const std::string valid = RowKeyFromPayloads(shape, bytes);
    // A valid prefix, id and hash of the valid row, with foreign components behind it.
    const std::string foreign = valid.substr(0, dynolith::kRowPrefixBytes).append(bytes);
    // The valid row with its tail cut where the input says.
    const std::string cut = valid.substr(0, size == 0 ? 0 : data[0] % (valid.size() + 1));
    for (const std::string_view row_key :
         {std::string_view(foreign), std::string_view(cut), bytes}) {
      const auto decoded = Decode(shape, row_key);
      Require(!dynolith::DissectRowKey(&shape.key, shape.is_index ? &shape.base : nullptr, row_key)
                   .empty());
      if (decoded.ok()) Require(Encode(shape, *decoded).substr(4) == row_key.substr(4));
    }
    for (const int64_t total : {1, 3, 4096, 5000}) {
      const int64_t segment = dynolith::FindSegment(valid, total);
      const dynolith::KeyRange range = dynolith::RangeOfSegment(1, segment, total);
      Require(range.begin <= valid && valid < range.end);
    }
  }
  return 0;
}
