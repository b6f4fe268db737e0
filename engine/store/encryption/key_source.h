// Where the key that wraps the keys of a store comes from.
#ifndef DYNOLITH_ENGINE_STORE_ENCRYPTION_KEY_SOURCE_H_
#define DYNOLITH_ENGINE_STORE_ENCRYPTION_KEY_SOURCE_H_

#include <string_view>

#include "absl/status/statusor.h"

namespace dynolith {

class SecretKey;

// Whether the text says where a key is: "file:PATH", "env:NAME" (an environment variable) or
// "command:TEXT" (for a shell; the key is what it prints), none of them empty.
bool IsKeySource(std::string_view source);

// Waits for a command, at most a minute. Errors: kInvalidArgument for a text that is no source, and
// for what is no key (32 bytes, 64 hexadecimal digits or base64 of 32 bytes, with white space
// around them); kFailedPrecondition for a variable that is not set and a command that fails; the
// operating system's for a file.
absl::StatusOr<SecretKey> ReadWrappingKey(std::string_view source);

// As one of the forms above; `source` is for messages.
absl::StatusOr<SecretKey> KeyFromText(std::string_view source, std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ENCRYPTION_KEY_SOURCE_H_
