// What queries of several keys as one (dynolith/shards.h) refuse: ours, the service has none.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_TOGETHER_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_TOGETHER_H_

#include <string>

namespace dynolith::messages {

inline std::string TogetherWithoutKeys() {
  return "Keys that are queried together need a projection with all keys of the table and of the "
         "index";
}
inline std::string TogetherRequestInvalid() {
  return "Keys that are queried together are distinct, at least one, and asked for items from the "
         "beginning";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_TOGETHER_H_
