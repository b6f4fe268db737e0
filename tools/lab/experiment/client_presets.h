// How clients of the service retry throttled requests, by their names and versions.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_CLIENT_PRESETS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_CLIENT_PRESETS_H_

#include <string_view>
#include <utility>

#include "absl/types/span.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Names like "boto3 1.44", in the order of api/facts/capacity.md §9. The retry quota is that of one
// client.
absl::Span<const std::pair<std::string_view, RetryRule>> ClientPresets();

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_CLIENT_PRESETS_H_
