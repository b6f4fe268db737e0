// What is said of partitions and of capacity that is enforced.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_PARTITIONS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_PARTITIONS_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string PartitionsNotInOrder() {
  return "the partitions of a table are not in order, or not numbered";
}

inline std::string CapacityScaleNotAbove() { return "the scale of capacity has to be above 0"; }

// --- the admin endpoint

inline std::string CapacityMembers() { return "table, mode, scale and seed"; }
inline std::string CapacityWantsTable() { return "the name of a table"; }
inline std::string CapacityWantsMode() { return "account, enforce, static, burst or adaptive"; }
inline std::string CapacityWantsScale() { return "a number above 0"; }
inline std::string CapacityWantsSeed() { return "a whole number from 0 on"; }

// --- throttling (api/facts/capacity.md §7)

inline std::string TableUnitsExceeded() {
  return "The level of configured provisioned throughput for the table was exceeded. Consider "
         "increasing your provisioning level with the UpdateTable API.";
}
inline std::string IndexUnitsExceededByWrite() {
  return "The level of configured provisioned throughput for one or more global secondary indexes "
         "of the table was exceeded. Consider increasing your provisioning level for the "
         "under-provisioned global secondary indexes with the UpdateTable API";
}
inline std::string IndexUnitsExceededByRead() {
  return "The level of configured provisioned throughput for the index was exceeded. Consider "
         "increasing your provisioning level with the UpdateTable API.";
}
inline std::string OnDemandCapacityExceeded() {
  return "Throughput exceeds the current capacity of your table or index. DynamoDB is "
         "automatically "
         "scaling your table or index so please try again shortly. If exceptions persist, check if "
         "you have a hot key: "
         "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
         "bp-partition-key-design.html";
}
inline std::string OnDemandIndexCapacityExceededByWrite() {
  return "Throughput exceeds the current capacity for one or more global secondary indexes. "
         "DynamoDB is automatically scaling your index so please try again shortly.";
}
inline std::string OnDemandMaximumExceeded() {
  return "Throughput exceeds the maximum OnDemandThroughput configured on table or index";
}
inline std::string AccountThroughputExceeded() {
  return "Throughput exceeds the current throughput limit for your account. To request a limit "
         "increase, contact AWS Support at https://aws.amazon.com/support.";
}
// Of calls that are not about items.
inline std::string TooManyControlChanges() {
  return "The rate of control plane requests made by this account is too high";
}
inline std::string TooManyDescriptions() { return "Rate exceeded"; }
inline std::string CollectionSizeExceeded() { return "Collection size exceeded."; }
// Of a partition, of either billing mode: "Table" or "Index", "Read" or "Write".
inline std::string ThrottlingReasonName(bool is_index, bool is_write, std::string_view limit) {
  return Concat(is_index ? "Index" : "Table", is_write ? "Write" : "Read", limit, "Exceeded");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_PARTITIONS_H_
