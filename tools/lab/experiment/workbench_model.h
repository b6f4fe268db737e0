// Tables of a data model written by NoSQL Workbench.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_WORKBENCH_MODEL_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_WORKBENCH_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Returns names, keys, indexes, billing and capacity; sizes of items and entries are the averages
// of the model's samples. `file` is for messages. Errors: kInvalidArgument for a text that is not
// such a model.
absl::StatusOr<std::vector<TableDesign>> ParseWorkbenchModel(const std::string& file,
                                                             std::string_view text);

// Billed bytes of an item in DynamoDB's JSON, {"pk": {"S": "text"}, …} (api/facts/values.md §7).
int64_t SampleBytes(const JsonTree& item);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_WORKBENCH_MODEL_H_
