// Reads the features of a table that are billed beside its requests: its class, backups, DAX and
// more. They only affect costs.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_PAID_FEATURES_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_PAID_FEATURES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/files/toml/toml_reader.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Reads these members of a [[table]], and `storage`.
void ReadPaidFeatures(TomlTable* table, TableDesign* design);

// Reads `reserved` of [experiment]: a table, or false for none.
void ReadReserved(TomlTable* head, std::optional<ReservedCapacity>* reserved);

// Parses a file that has only these members: [[table]] with a name, and [[table.index]] with a name
// and storage. `file` is for messages. Errors: as ParseExperiment.
absl::StatusOr<std::vector<TableDesign>> ParsePaidTables(const std::string& file,
                                                         std::string_view text);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_PAID_FEATURES_H_
