// The types of attribute values.
#ifndef DYNOLITH_ENGINE_VALUE_TYPE_H_
#define DYNOLITH_ENGINE_VALUE_TYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace dynolith {

// On disk. Append only.
enum class Type : uint8_t {
  kNull = 1,
  kBool = 2,
  kNumber = 3,
  kString = 4,
  kBinary = 5,
  kList = 6,
  kMap = 7,
  kStringSet = 8,
  kNumberSet = 9,
  kBinarySet = 10,
};

// "S", "N", "BOOL", ...
std::string_view TypeName(Type type);
// nullopt for anything that is not a type name.
std::optional<Type> TypeFromName(std::string_view name);
// Whether two values of the type have an order: only these can be compared with <, and only these
// can be keys.
inline bool IsOrdered(Type type) {
  return type == Type::kString || type == Type::kNumber || type == Type::kBinary;
}
inline bool IsSet(Type type) { return type >= Type::kStringSet && type <= Type::kBinarySet; }

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_TYPE_H_
