// C++ values as attribute values: the way back from engine/value/typed_value.h, for its types that
// own their bytes and for std::string_view, and both ways for three more:
//
//   float                     N, the nearest one
//   std::set<T>               SS, NS or BS whose members are T
//   std::map<std::string, T>  M whose values are T
//
// A std::vector<T> becomes L, and a std::vector<std::byte> B.
//
// An empty std::optional and an empty std::set have no value: the service has no empty sets, and
// NULL is another type. As an attribute such a value is absent; as an element it is an error.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_VALUES_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_VALUES_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/value/item.h"
#include "engine/value/number.h"
#include "engine/value/typed_value.h"
#include "engine/value/value.h"

namespace dynolith {
namespace value_internal {

// --- Reading

// Errors: kInvalidArgument, kOutOfRange.
absl::StatusOr<float> ReadFloat(ValueView value);

template <>
struct TypedReader<float> {
  static absl::StatusOr<float> Read(ValueView value) { return ReadFloat(value); }
};

template <typename T>
struct TypedReader<std::set<T>> {
  static_assert(!kBorrows<T>);
  static absl::StatusOr<std::set<T>> Read(ValueView value) {
    if (const absl::Status status = CheckSet(value); !status.ok()) return status;
    absl::StatusOr<std::vector<T>> members = value.As<std::vector<T>>();
    if (!members.ok()) return members.status();
    return std::set<T>(std::move_iterator(members->begin()), std::move_iterator(members->end()));
  }
};

template <typename T>
struct TypedReader<std::map<std::string, T>> {
  static_assert(!kBorrows<T>);
  static absl::StatusOr<std::map<std::string, T>> Read(ValueView value) {
    if (const absl::Status status = CheckType(value, Type::kMap); !status.ok()) return status;
    std::map<std::string, T> entries;
    for (const auto& [name, element] : value.map()) {
      absl::StatusOr<T> read = element.template As<T>();
      if (!read.ok()) return WithName(read.status(), name);
      entries.emplace_hint(entries.end(), name, *std::move(read));
    }
    return entries;
  }
};

// --- Writing

// The shortest decimal number that reads back as the same one. Errors: the service's
// ValidationException for no number, or one beyond its range.
absl::StatusOr<NumberBytes> EncodeShortest(double number);
absl::StatusOr<NumberBytes> EncodeShortest(float number);
NumberBytes EncodeUnsigned(uint64_t number);
absl::Status WithoutValue();

inline std::string_view TextOf(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The writer of a T: adds one value to the builder, of which a part may be there after an error.
// Not defined for a type that is not listed.
template <typename T>
struct TypedWriter;

// Whether the value stands for an absent attribute.
template <typename T>
bool IsAbsent(const T&) {
  return false;
}
template <typename T>
bool IsAbsent(const std::optional<T>& value);
template <typename T>
bool IsAbsent(const std::set<T>& members) {
  return members.empty();
}
template <typename T>
bool IsAbsent(const std::optional<T>& value) {
  return !value || IsAbsent(*value);
}

template <typename T>
absl::Status WriteTyped(const T& value, ItemBuilder* to) {
  return TypedWriter<T>::Write(value, to);
}

template <>
struct TypedWriter<bool> {
  static absl::Status Write(bool value, ItemBuilder* to) {
    to->Bool(value);
    return absl::OkStatus();
  }
};

template <typename T>
concept Text = std::same_as<T, std::string> || std::same_as<T, std::string_view>;

template <Text T>
struct TypedWriter<T> {
  static absl::Status Write(std::string_view text, ItemBuilder* to) {
    to->String(text);
    return absl::OkStatus();
  }
};

template <>
struct TypedWriter<std::vector<std::byte>> {
  static absl::Status Write(const std::vector<std::byte>& bytes, ItemBuilder* to) {
    to->Binary(TextOf(bytes));
    return absl::OkStatus();
  }
};

template <typename T>
concept Numeric =
    Integer<T> || std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, Number>;

// The encoded number. Errors: those of EncodeShortest.
template <Numeric T>
absl::StatusOr<NumberBytes> EncodeNumeric(const T& number) {
  if constexpr (std::same_as<T, Number>) {
    return number.Encode();
  } else if constexpr (std::floating_point<T>) {
    return EncodeShortest(number);
  } else if constexpr (std::signed_integral<T>) {
    return Number::FromInt64(number).Encode();
  } else {
    return EncodeUnsigned(number);
  }
}

template <Numeric T>
struct TypedWriter<T> {
  static absl::Status Write(const T& number, ItemBuilder* to) {
    const absl::StatusOr<NumberBytes> encoded = EncodeNumeric(number);
    if (!encoded.ok()) return encoded.status();
    to->NumberEncoded(encoded->view());
    return absl::OkStatus();
  }
};

template <>
struct TypedWriter<Value> {
  static absl::Status Write(const Value& value, ItemBuilder* to) {
    to->Copy(value.view());
    return absl::OkStatus();
  }
};

template <>
struct TypedWriter<Item> {
  static absl::Status Write(const Item& map, ItemBuilder* to) {
    to->BeginMap();
    for (const auto& [name, value] : map) {
      to->Key(name);
      to->Copy(value);
    }
    to->EndMap();
    return absl::OkStatus();
  }
};

template <typename T>
struct TypedWriter<std::vector<T>> {
  static absl::Status Write(const std::vector<T>& elements, ItemBuilder* to) {
    to->BeginList();
    size_t position = 0;
    for (const T& element : elements) {
      if (const absl::Status status = WriteTyped<T>(element, to); !status.ok()) {
        return WithPosition(status, position);
      }
      ++position;
    }
    to->EndList();
    return absl::OkStatus();
  }
};

template <typename T>
struct TypedWriter<std::set<T>> {
  static absl::Status Write(const std::set<T>& members, ItemBuilder* to) {
    if (members.empty()) return WithoutValue();
    std::vector<std::string_view> payloads;
    payloads.reserve(members.size());
    if constexpr (Numeric<T>) {
      std::vector<NumberBytes> numbers;  // distinct, since T's numbers are
      numbers.reserve(members.size());
      for (const T& member : members) {
        const absl::StatusOr<NumberBytes> encoded = EncodeNumeric(member);
        if (!encoded.ok()) return encoded.status();
        payloads.push_back(numbers.emplace_back(*encoded).view());
      }
      to->Set(Type::kNumberSet, payloads);
    } else if constexpr (Text<T>) {
      payloads.assign(members.begin(), members.end());
      to->Set(Type::kStringSet, payloads);
    } else {
      static_assert(std::same_as<T, std::vector<std::byte>>,
                    "members of sets are texts, numbers or bytes");
      for (const T& member : members) payloads.push_back(TextOf(member));
      to->Set(Type::kBinarySet, payloads);
    }
    return absl::OkStatus();
  }
};

template <typename T>
struct TypedWriter<std::map<std::string, T>> {
  static absl::Status Write(const std::map<std::string, T>& entries, ItemBuilder* to) {
    to->BeginMap();
    for (const auto& [name, value] : entries) {
      if (IsAbsent(value)) continue;
      to->Key(name);
      if (const absl::Status status = WriteTyped<T>(value, to); !status.ok()) {
        return WithName(status, name);
      }
    }
    to->EndMap();
    return absl::OkStatus();
  }
};

template <typename T>
struct TypedWriter<std::optional<T>> {
  static absl::Status Write(const std::optional<T>& value, ItemBuilder* to) {
    return value ? WriteTyped<T>(*value, to) : WithoutValue();
  }
};

}  // namespace value_internal

// The value as an attribute value. Errors: kInvalidArgument for an empty optional or set; the
// service's ValidationException for a number beyond its range.
template <typename T>
absl::StatusOr<Value> ToValue(const T& value) {
  ItemBuilder builder;
  if (const absl::Status status = value_internal::WriteTyped<T>(value, &builder); !status.ok()) {
    return status;
  }
  return builder.FinishValue();
}

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TYPED_VALUES_H_
