// Reads vector indexes, searches in them, and bulk puts.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_VECTOR_MEMBERS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_VECTOR_MEMBERS_H_

#include <vector>

#include "tools/files/toml/toml_reader.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Reads [[table.vector_index]], which a replay has not. Requires: the table's throughput and paid
// features have been read.
void ReadVectorIndexes(TomlTable* table, bool is_replay, TableDesign* design);

// Reads `index` and `searched` of an access that searches vectors. `design`: its table.
void ReadVectorSearch(TomlTable* access, const TableDesign& design, Access* result);

// Reads `items`, `units`, `tier`, `monthly` and `at` of a bulk put. `design`: its table.
void ReadBulkPut(TomlTable* access, const TableDesign& design, Access* result);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_VECTOR_MEMBERS_H_
