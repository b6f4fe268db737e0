// The texts about partitions.
#ifndef DYNOLITH_ENGINE_PARTITION_MESSAGES_H_
#define DYNOLITH_ENGINE_PARTITION_MESSAGES_H_

#include <string>

namespace dynolith::messages {

inline std::string PartitionsNotInOrder() {
  return "the partitions of a table are not in order, or not numbered";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_PARTITION_MESSAGES_H_
