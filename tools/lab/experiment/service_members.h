// Reads members that concern the service around the tables: quotas of the account, replicas,
// readers of streams, and the latency of answers.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_SERVICE_MEMBERS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_SERVICE_MEMBERS_H_

#include <optional>

#include "tools/files/toml/toml_reader.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Reads `quota` of [experiment]: { table = { read, write }, account = { read, write } }.
void ReadQuotas(TomlTable* head, Experiment* experiment);
// Reads `latency` of [experiment] or of an access: { p50, p99 }.
void ReadLatency(TomlTable* owner, std::optional<LatencyQuantiles>* latency);
// Reads `stream` of a table: { readers, functions, interval, view }, or false for none.
void ReadStream(TomlTable* table, std::optional<StreamReaders>* stream);
// Adds an error if the table has replicas while its write units, or those of an index, are
// provisioned without auto scaling. Requires: its throughput has been read.
void CheckReplicas(TomlTable* table, const TableDesign& design);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_SERVICE_MEMBERS_H_
