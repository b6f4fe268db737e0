// What is said of partitions and of capacity that is enforced.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_PARTITIONS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_PARTITIONS_H_

#include <string>

namespace dynolith::messages {

inline std::string PartitionsNotInOrder() {
  return "the partitions of a table are not in order, or not numbered";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_PARTITIONS_H_
