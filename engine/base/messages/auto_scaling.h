// Message texts of the auto scaling of tables. None is a text of the service: those are not known.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_AUTO_SCALING_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_AUTO_SCALING_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/messages/tables.h"
#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string AutoScalingUpdateEmpty() {
  return tables_internal::Invalid(
      "At least one of GlobalSecondaryIndexUpdates, ProvisionedWriteCapacityAutoScalingUpdate or "
      "ReplicaUpdates is required");
}
inline std::string NoReplicaInRegion(std::string_view region) {
  return tables_internal::Invalid(Concat("The table has no replica in region: ", region));
}
inline std::string RegionRepeated(std::string_view region) {
  return tables_internal::Invalid(
      Concat("Only one replica update per region is allowed simultaneously. Region: ", region));
}
inline std::string MinimumAboveMaximum(int64_t minimum, int64_t maximum) {
  return tables_internal::Invalid(
      Concat("MinimumUnits must not be above MaximumUnits. MinimumUnits: ", minimum,
             ", MaximumUnits: ", maximum));
}
inline std::string TargetValueOutOfRange(int64_t least, int64_t most) {
  return tables_internal::Invalid(Concat("TargetValue must be between ", least, " and ", most));
}
// `which`: "ScaleInCooldown" or "ScaleOutCooldown".
inline std::string NegativeCooldown(std::string_view which, int64_t seconds) {
  return tables_internal::Invalid(Concat(which, " must not be negative. ", which, ": ", seconds));
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_AUTO_SCALING_H_
