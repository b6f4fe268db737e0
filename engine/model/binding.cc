#include "engine/model/binding.h"

#include "engine/model/structures.h"

namespace dynolith {
namespace {

#include "engine/model/bindings.inc"

}  // namespace

absl::Span<const FieldBinding> StructureBinding::fields() const { return {kFields + first, count}; }

const StructureBinding& FindBinding(const Shape& shape) { return kStructures[ShapeIndex(shape)]; }

int FindEnumerator(const Shape& shape, std::string_view word) {
  const absl::Span<const std::string_view> words = shape.values();
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return kEnumNumbers[shape.first + i];
  }
  return -1;
}

std::string_view EnumeratorWord(const Shape& shape, uint8_t enumerator) {
  const absl::Span<const std::string_view> words = shape.values();
  for (size_t i = 0; i < words.size(); ++i) {
    if (kEnumNumbers[shape.first + i] == enumerator) return words[i];
  }
  return "";
}

}  // namespace dynolith
