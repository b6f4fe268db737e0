// The experiment that simulates a data model under its declared load.
#ifndef DYNOLITH_TOOLS_LAB_DATA_MODEL_EXPERIMENT_TEXT_H_
#define DYNOLITH_TOOLS_LAB_DATA_MODEL_EXPERIMENT_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "tools/lab/data_model/data_model.h"

namespace dynolith::lab {

// Returns an experiment in TOML, with a comment on whatever the model does not say or the lab does
// not simulate. With `benchmark` it has designs: the declared load, the same with the benchmark's
// distribution of keys, and what the benchmark itself would do.
std::string ExperimentText(std::string_view title, const DataModel& model,
                           const std::optional<BenchmarkConfig>& benchmark);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_DATA_MODEL_EXPERIMENT_TEXT_H_
