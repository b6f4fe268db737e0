// Entries of Family::kMeta as bytes: one map whose field names are texts. On disk. Append only: a
// missing field has its default, so that older entries stay readable.
#ifndef DYNOLITH_ENGINE_CATALOG_ENTRY_FIELDS_H_
#define DYNOLITH_ENGINE_CATALOG_ENTRY_FIELDS_H_

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "absl/time/time.h"
#include "engine/value/item.h"

namespace dynolith {

// Writes the fields of one entry.
class FieldWriter {
 public:
  void Integer(std::string_view name, int64_t value) {
    builder_.Key(name);
    builder_.NumberEncoded(Number::FromInt64(value).Encode().view());
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void Enumerator(std::string_view name, Enum value) { Integer(name, static_cast<int64_t>(value)); }
  void Boolean(std::string_view name, bool value) {
    builder_.Key(name);
    builder_.Bool(value);
  }
  void Text(std::string_view name, std::string_view value) {
    builder_.Key(name);
    builder_.String(value);
  }
  void Bytes(std::string_view name, std::string_view value) {
    builder_.Key(name);
    builder_.Binary(value);
  }
  void Time(std::string_view name, absl::Time value) { Integer(name, absl::ToUnixNanos(value)); }
  void Time(std::string_view name, const std::optional<absl::Time>& value) {
    if (value) Time(name, *value);
  }
  void Integer(std::string_view name, const std::optional<int64_t>& value) {
    if (value) Integer(name, *value);
  }
  // As the shortest text that parses to the same number.
  void Real(std::string_view name, double value) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    Text(name, {digits.data(), static_cast<size_t>(end.ptr - digits.data())});
  }
  // A map of fields that `write` adds.
  template <typename Write>
  void Map(std::string_view name, Write write) {
    builder_.Key(name);
    builder_.BeginMap();
    write();
    builder_.EndMap();
  }
  // A list of one map per element, whose fields `write(element)` adds.
  template <typename Elements, typename Write>
  void List(std::string_view name, const Elements& elements, Write write) {
    builder_.Key(name);
    builder_.BeginList();
    for (const auto& element : elements) {
      builder_.BeginMap();
      write(element);
      builder_.EndMap();
    }
    builder_.EndList();
  }

  void Begin() { builder_.BeginMap(); }
  std::string Finish() {
    builder_.EndMap();
    return std::move(builder_.FinishItem()).bytes();
  }

 private:
  ItemBuilder builder_;
};

// Reads the fields of one map. The first field that is missing or wrong is stored; later ones are
// ignored.
class FieldReader {
 public:
  FieldReader(ItemView fields, std::string* damaged) : fields_(fields), damaged_(damaged) {}

  bool Has(std::string_view name) const { return fields_.Find(name).has_value(); }

  int64_t Integer(std::string_view name, int64_t least = std::numeric_limits<int64_t>::min(),
                  int64_t most = std::numeric_limits<int64_t>::max()) {
    const auto value = Get(name, Type::kNumber);
    int64_t integer = 0;
    if (!value) return least;
    if (!value->number().ToInt64(&integer) || integer < least || integer > most) Damaged(name);
    return integer;
  }
  // Requires: enumerators count from 1 to `last`.
  template <typename Enum>
  Enum Enumerator(std::string_view name, Enum last) {
    return static_cast<Enum>(Integer(name, 1, static_cast<int64_t>(last)));
  }
  bool Boolean(std::string_view name) {
    const auto value = Get(name, Type::kBool);
    return value && value->boolean();
  }
  std::string Text(std::string_view name) { return Payload(name, Type::kString); }
  std::string Bytes(std::string_view name) { return Payload(name, Type::kBinary); }
  absl::Time Time(std::string_view name) { return absl::FromUnixNanos(Integer(name)); }
  std::optional<absl::Time> OptionalTime(std::string_view name) {
    if (!Has(name)) return std::nullopt;
    return Time(name);
  }
  std::optional<int64_t> OptionalInteger(std::string_view name) {
    if (!Has(name)) return std::nullopt;
    return Integer(name);
  }
  std::optional<bool> OptionalBoolean(std::string_view name) {
    if (!Has(name)) return std::nullopt;
    return Boolean(name);
  }
  double Real(std::string_view name) {
    const std::string text = Text(name);
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value)) Damaged(name);
    return value;
  }
  FieldReader Map(std::string_view name) {
    const auto value = Get(name, Type::kMap);
    return FieldReader(value ? value->map() : ItemView(), damaged_);
  }
  // Calls `read(FieldReader)` for each map of the list.
  template <typename Read>
  void List(std::string_view name, Read read) {
    const auto value = Get(name, Type::kList);
    if (!value) return;
    const ListView list = value->list();
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].type() != Type::kMap) return Damaged(name);
      read(FieldReader(list[i].map(), damaged_));
    }
  }
  void Damaged(std::string_view name) {
    if (damaged_->empty()) *damaged_ = std::string(name);
  }

 private:
  std::optional<ValueView> Get(std::string_view name, Type type) {
    auto value = fields_.Find(name);
    if (value && value->type() == type) return value;
    Damaged(name);
    return std::nullopt;
  }
  std::string Payload(std::string_view name, Type type) {
    const auto value = Get(name, type);
    return value ? std::string(value->payload()) : std::string();
  }

  ItemView fields_;
  std::string* damaged_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_ENTRY_FIELDS_H_
