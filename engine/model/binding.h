// The C++ structures of the service model, member by member without their types: one reader, writer
// and checker uses these rows for all structures.
#ifndef DYNOLITH_ENGINE_MODEL_BINDING_H_
#define DYNOLITH_ENGINE_MODEL_BINDING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/model/shapes.h"
#include "engine/value/item.h"

namespace dynolith {

// The kind of a C++ type. A structure's members are found by its shape.
enum class FieldKind : uint8_t {
  kText,
  kInteger,
  kDouble,
  kBoolean,
  kTime,
  kEnumeration,  // a byte
  kValue,
  kItem,
  kList,
  kMap,  // texts and elements, in the order given
  kStructure,
  kOptional,
  kByHand  // read and written by two functions that know the type
};

// Each function is set for the kinds to which it applies.
struct TypeBinding {
  FieldKind holding;
  const TypeBinding* element = nullptr;  // of a list, a map, an optional
  // For an optional: nullptr if it is empty; the new value in it.
  const void* (*get)(const void* optional) = nullptr;
  void* (*emplace)(void* optional) = nullptr;
  // For a list or a map.
  size_t (*size)(const void* container) = nullptr;
  const void* (*at)(const void* container, size_t i) = nullptr;
  std::string_view (*key)(const void* map, size_t i) = nullptr;
  // Reserves room for all elements, so that their addresses stay; then each new one, for a map with
  // its key.
  void (*reserve)(void* container, size_t n) = nullptr;
  void* (*append)(void* list) = nullptr;
  void* (*append_keyed)(void* map, std::string_view key) = nullptr;
};

enum class Presence : uint8_t {
  kOptional,   // a std::optional
  kPlain,      // always there
  kOmitEmpty,  // always there; written unless it is empty
  kDefault,    // always there; written unless it is `initial`
  kGiven       // only whether the member was there: a bool, never written
};

// The role of a map of attribute values in its request, which decides about the checks of its
// values.
enum class ItemRole : uint8_t { kItem, kStartKey, kExpressionValues };

// One member of a structure.
struct FieldBinding {
  uint16_t offset = 0;
  uint8_t member = 0;  // the shape's member
  Presence presence = Presence::kPlain;
  bool text = false;         // an enumeration kept as its word
  bool arn_checked = false;  // a table name that may be an ARN, whose form is checked at once
  bool spelled = false;      // keys, of which some are one but for the spelling of numbers
  bool custom = false;
  bool bounded = false;  // its value or its absence can break a constraint (CanBeUnsound)
  uint8_t initial = 0;
  ItemRole role = ItemRole::kItem;
  const TypeBinding* type = nullptr;
};

// Whether a constraint on members of the type can be broken at all; that of attribute values is
// checked elsewhere.
constexpr bool CanBeUnsound(const TypeBinding& type) {
  switch (type.holding) {
    case FieldKind::kText:
    case FieldKind::kInteger:
    case FieldKind::kList:
    case FieldKind::kMap:
    case FieldKind::kStructure:
    case FieldKind::kOptional:
      return true;
    default:
      return false;
  }
}

struct StructureBinding {
  uint16_t first;
  uint16_t count;
  bool is_bound;    // whether C++ has it at all
  bool unwrapped;   // replaced by its one member
  bool violations;  // what is wrong with its values is reported at it, not at what it stands in

  absl::Span<const FieldBinding> fields() const;
};

const StructureBinding& FindBinding(const Shape& shape);

// The number of the enumerator of the shape's word, -1 if there is none; the word of an enumerator,
// which must be one of the shape's.
int FindEnumerator(const Shape& shape, std::string_view word);
std::string_view EnumeratorWord(const Shape& shape, uint8_t enumerator);

// --- The bindings of types ---

namespace binding_internal {

template <typename T>
struct Binder;

template <typename T>
inline constexpr TypeBinding kTypeOf = Binder<T>::Bind();

template <FieldKind holding>
struct PlainBinder {
  static constexpr TypeBinding Bind() { return {.holding = holding}; }
};
template <>
struct Binder<std::string> : PlainBinder<FieldKind::kText> {};
template <>
struct Binder<int64_t> : PlainBinder<FieldKind::kInteger> {};
template <>
struct Binder<double> : PlainBinder<FieldKind::kDouble> {};
template <>
struct Binder<bool> : PlainBinder<FieldKind::kBoolean> {};
template <>
struct Binder<absl::Time> : PlainBinder<FieldKind::kTime> {};
template <>
struct Binder<Value> : PlainBinder<FieldKind::kValue> {};
template <>
struct Binder<Item> : PlainBinder<FieldKind::kItem> {};
template <>
struct Binder<absl::Status> : PlainBinder<FieldKind::kByHand> {};
template <>
struct Binder<std::vector<float>> : PlainBinder<FieldKind::kByHand> {};

template <typename T>
struct Binder {
  static_assert(!std::is_enum_v<T> || sizeof(T) == 1);
  static constexpr TypeBinding Bind() {
    return {.holding = std::is_enum_v<T> ? FieldKind::kEnumeration : FieldKind::kStructure};
  }
};

template <typename T>
struct Binder<std::optional<T>> {
  static const void* Get(const void* optional) {
    const auto& typed = *static_cast<const std::optional<T>*>(optional);
    return typed ? &*typed : nullptr;
  }
  static void* Emplace(void* optional) {
    return &static_cast<std::optional<T>*>(optional)->emplace();
  }
  static constexpr TypeBinding Bind() {
    return {
        .holding = FieldKind::kOptional, .element = &kTypeOf<T>, .get = &Get, .emplace = &Emplace};
  }
};

template <typename T>
struct Binder<std::vector<T>> {
  using List = std::vector<T>;
  static size_t Size(const void* list) { return static_cast<const List*>(list)->size(); }
  static const void* At(const void* list, size_t i) {
    return &(*static_cast<const List*>(list))[i];
  }
  static void Reserve(void* list, size_t n) { static_cast<List*>(list)->reserve(n); }
  static void* Append(void* list) { return &static_cast<List*>(list)->emplace_back(); }
  static constexpr TypeBinding Bind() {
    return {.holding = FieldKind::kList,
            .element = &kTypeOf<T>,
            .size = &Size,
            .at = &At,
            .reserve = &Reserve,
            .append = &Append};
  }
};

template <typename T>
struct Binder<std::vector<std::pair<std::string, T>>> {
  using Map = std::vector<std::pair<std::string, T>>;
  static size_t Size(const void* map) { return static_cast<const Map*>(map)->size(); }
  static const void* At(const void* map, size_t i) {
    return &(*static_cast<const Map*>(map))[i].second;
  }
  static std::string_view Key(const void* map, size_t i) {
    return (*static_cast<const Map*>(map))[i].first;
  }
  static void Reserve(void* map, size_t n) { static_cast<Map*>(map)->reserve(n); }
  static void* Append(void* map, std::string_view key) {
    return &static_cast<Map*>(map)->emplace_back(key, T()).second;
  }
  static constexpr TypeBinding Bind() {
    return {.holding = FieldKind::kMap,
            .element = &kTypeOf<T>,
            .size = &Size,
            .at = &At,
            .key = &Key,
            .reserve = &Reserve,
            .append_keyed = &Append};
  }
};

}  // namespace binding_internal

using binding_internal::kTypeOf;

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_MODEL_BINDING_H_
