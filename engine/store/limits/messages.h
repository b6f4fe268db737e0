// The texts of stores whose keys and values have limits.
#ifndef DYNOLITH_ENGINE_STORE_LIMITS_MESSAGES_H_
#define DYNOLITH_ENGINE_STORE_LIMITS_MESSAGES_H_

#include <cstddef>
#include <string>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string StoreKeysTooShort(size_t bytes, size_t least) {
  return Concat("the store takes keys of at most ", bytes, " bytes; at least ", least,
                " are needed");
}
inline std::string StoreValuesTooShort(size_t bytes, size_t least) {
  return Concat("the store takes values of at most ", bytes, " bytes; at least ", least,
                " are needed");
}
inline std::string StampedRowTooLong() {
  return "a row in the order of the commits is longer than the store takes";
}
inline std::string LongRowDamaged() { return "a row in several parts is damaged"; }
inline std::string LongRowChanges() {
  return "a row in several parts was changed again and again while it was read";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_STORE_LIMITS_MESSAGES_H_
