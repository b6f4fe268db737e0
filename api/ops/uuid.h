// Random identifiers, for TableId.
#ifndef DYNOLITH_API_OPS_UUID_H_
#define DYNOLITH_API_OPS_UUID_H_

#include <string>

namespace dynolith {

// A random UUID (version 4) in lower case: "0f3c1f0e-6b5c-4b7e-9d55-3b1f0e6b5c4b".
std::string NewUuid();

}  // namespace dynolith

#endif  // DYNOLITH_API_OPS_UUID_H_
