// What the C face says by itself.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_C_FACE_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_C_FACE_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string NoMemory() { return "there is not enough memory"; }
// `what`: the exception's own text.
inline std::string UnexpectedException(std::string_view what) {
  return Concat("a bug in Dynolith: ", what);
}
inline std::string NoPlaceForDatabase() { return "the pointer that receives the database is NULL"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_C_FACE_H_
