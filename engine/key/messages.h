// The texts about damaged keys, and how a key is shown.
#ifndef DYNOLITH_ENGINE_KEY_MESSAGES_H_
#define DYNOLITH_ENGINE_KEY_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Damaged bytes ---

inline constexpr std::string_view kDamageKeyPrefix = "row key is shorter than its id and hash";
inline constexpr std::string_view kDamageKeyComponent = "key component is cut off";
inline constexpr std::string_view kDamageKeyEscape = "unknown escape in a key component";
inline constexpr std::string_view kDamageKeyEmpty = "key component is empty";
inline constexpr std::string_view kDamageKeyHash = "hash is not the hash of the partition key";
inline constexpr std::string_view kDamageKeyConflict = "one key attribute with two values";

// What a dissected field is.
inline std::string DissectedStorageId(uint32_t id) { return Concat("table or index ", id); }
inline std::string DissectedHash() { return "partition hash"; }
inline std::string DissectedKey() { return "key, without a schema to read it by"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_KEY_MESSAGES_H_
