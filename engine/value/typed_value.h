// Attribute values as C++ values: the types of ValueView::As<T> and of Get<T> of items.
//
//   T                                its source
//   bool                             BOOL
//   an integer type                  N that is an integer and fits
//   double                           N, the nearest double
//   Number                           N, exactly
//   std::string, std::string_view    S
//   std::vector<std::byte>           B
//   ListView, SetView, ItemView      L; SS, NS or BS; M
//   Item                             M
//   ValueView, Value                 every value
//   std::vector<T>                   L whose elements are T; SS, NS or BS whose members are T
//   std::optional<T>                 T; of an absent attribute std::nullopt
//
// NULL is a value of another type for all but ValueView and Value.
#ifndef DYNOLITH_ENGINE_VALUE_TYPED_VALUE_H_
#define DYNOLITH_ENGINE_VALUE_TYPED_VALUE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/value/value.h"

namespace dynolith {
namespace value_internal {

// Whether a T borrows from the value from which it was read.
template <typename T>
inline constexpr bool kBorrows =
    std::same_as<T, std::string_view> || std::same_as<T, ValueView> || std::same_as<T, ListView> ||
    std::same_as<T, SetView> || std::same_as<T, ItemView>;
template <typename T>
inline constexpr bool kBorrows<std::vector<T>> = kBorrows<T>;
template <typename T>
inline constexpr bool kBorrows<std::optional<T>> = kBorrows<T>;

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Characters do not count as integers.
template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                  !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// kInvalidArgument unless the value is of that type.
absl::Status CheckType(ValueView value, Type type);
absl::Status CheckSet(ValueView value);
// Errors: kInvalidArgument, kOutOfRange.
absl::StatusOr<int64_t> ReadSigned(ValueView value, int64_t least, int64_t greatest);
absl::StatusOr<uint64_t> ReadUnsigned(ValueView value, uint64_t greatest);
absl::StatusOr<double> ReadDouble(ValueView value);
// The same failure with the attribute's name, or the element's position, before its message.
absl::Status WithName(const absl::Status& status, std::string_view name);
absl::Status WithPosition(const absl::Status& status, size_t position);
absl::Status Absent(std::string_view name);

// The reader of a T; not defined for a type that is not listed above.
template <typename T>
struct TypedReader;

template <>
struct TypedReader<ValueView> {
  static absl::StatusOr<ValueView> Read(ValueView value) { return value; }
};

// T made by `Make` of a value of one type.
template <typename T, Type type, auto Make>
struct ReaderOfType {
  static absl::StatusOr<T> Read(ValueView value) {
    if (const absl::Status status = CheckType(value, type); !status.ok()) return status;
    return T((value.*Make)());
  }
};
template <>
struct TypedReader<bool> : ReaderOfType<bool, Type::kBool, &ValueView::boolean> {};
template <>
struct TypedReader<Number> : ReaderOfType<Number, Type::kNumber, &ValueView::number> {};
template <>
struct TypedReader<std::string> : ReaderOfType<std::string, Type::kString, &ValueView::string> {};
template <>
struct TypedReader<std::string_view>
    : ReaderOfType<std::string_view, Type::kString, &ValueView::string> {};
template <>
struct TypedReader<ListView> : ReaderOfType<ListView, Type::kList, &ValueView::list> {};
template <>
struct TypedReader<ItemView> : ReaderOfType<ItemView, Type::kMap, &ValueView::map> {};

template <>
struct TypedReader<SetView> {
  static absl::StatusOr<SetView> Read(ValueView value) {
    if (const absl::Status status = CheckSet(value); !status.ok()) return status;
    return value.set();
  }
};

template <Integer T>
struct TypedReader<T> {
  using Limits = std::numeric_limits<T>;
  static absl::StatusOr<T> Read(ValueView value) {
    if constexpr (std::signed_integral<T>) {
      const absl::StatusOr<int64_t> number = ReadSigned(value, Limits::min(), Limits::max());
      if (!number.ok()) return number.status();
      return static_cast<T>(*number);
    } else {
      const absl::StatusOr<uint64_t> number = ReadUnsigned(value, Limits::max());
      if (!number.ok()) return number.status();
      return static_cast<T>(*number);
    }
  }
};

template <>
struct TypedReader<double> {
  static absl::StatusOr<double> Read(ValueView value) { return ReadDouble(value); }
};

template <>
struct TypedReader<std::vector<std::byte>> {
  static absl::StatusOr<std::vector<std::byte>> Read(ValueView value) {
    if (const absl::Status status = CheckType(value, Type::kBinary); !status.ok()) return status;
    const auto* const bytes = reinterpret_cast<const std::byte*>(value.binary().data());
    return std::vector<std::byte>(bytes, bytes + value.binary().size());
  }
};

// The type of a set's members.
inline Type MemberType(Type set_type) {
  if (set_type == Type::kStringSet) return Type::kString;
  return set_type == Type::kNumberSet ? Type::kNumber : Type::kBinary;
}

template <typename T>
struct TypedReader<std::vector<T>> {
  static absl::StatusOr<std::vector<T>> Read(ValueView value) {
    std::vector<T> elements;
    if (IsSet(value.type())) return ReadMembers(value, std::move(elements));
    if (const absl::Status status = CheckType(value, Type::kList); !status.ok()) return status;
    elements.reserve(value.list().size());
    for (const ValueView element : value.list()) {
      absl::StatusOr<T> read = element.As<T>();
      if (!read.ok()) return WithPosition(read.status(), elements.size());
      elements.push_back(*std::move(read));
    }
    return elements;
  }

 private:
  static absl::StatusOr<std::vector<T>> ReadMembers(ValueView value, std::vector<T> elements) {
    if constexpr (std::same_as<T, std::string_view>) {
      if (const absl::Status status = CheckType(value, Type::kStringSet); !status.ok()) {
        return status;
      }
      elements.assign(value.set().begin(), value.set().end());
    } else if constexpr (kBorrows<T>) {
      return CheckType(value, Type::kList);  // a member has no tag to be borrowed with it
    } else {
      const auto tag = static_cast<char>(MemberType(value.type()));
      std::string tagged;
      elements.reserve(value.set().size());
      for (const std::string_view member : value.set()) {
        tagged.assign(1, tag).append(member);
        absl::StatusOr<T> read = ValueView::Unchecked(tagged).As<T>();
        if (!read.ok()) return WithPosition(read.status(), elements.size());
        elements.push_back(*std::move(read));
      }
    }
    return elements;
  }
};

template <typename T>
struct TypedReader<std::optional<T>> {
  static absl::StatusOr<std::optional<T>> Read(ValueView value) {
    absl::StatusOr<T> read = value.As<T>();
    if (!read.ok()) return read.status();
    return std::optional<T>(*std::move(read));
  }
};

}  // namespace value_internal

template <typename T>
absl::StatusOr<T> ValueView::As() const {
  return value_internal::TypedReader<T>::Read(*this);
}

template <typename T>
absl::StatusOr<T> ItemView::Get(std::string_view name) const {
  const std::optional<ValueView> value = Find(name);
  if (!value) {
    if constexpr (value_internal::kIsOptional<T>) {
      return T();
    } else {
      return value_internal::Absent(name);
    }
  }
  absl::StatusOr<T> read = value->As<T>();
  if (!read.ok()) return value_internal::WithName(read.status(), name);
  return read;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_TYPED_VALUE_H_
