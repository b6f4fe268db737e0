// Members for what stands around tables: quotas of the account, replicas, readers of streams, and
// how long the service takes to answer.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_SERVICE_MEMBERS_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_SERVICE_MEMBERS_H_

#include <optional>

#include "tools/lab/experiment/experiment.h"
#include "tools/lab/experiment/toml_reader.h"

namespace dynolith::lab {

// `quota` of [experiment]: { table = { read, write }, account = { read, write } }.
void ReadQuotas(TomlTable* head, Experiment* experiment);
// `latency` of [experiment] or of an access: { p50, p99 }.
void ReadLatency(TomlTable* owner, std::optional<LatencyQuantiles>* latency);
// `stream` of a table: { readers, interval, view }, or false: none.
void ReadStream(TomlTable* table, std::optional<StreamReaders>* stream);
// Errors: the table has replicas, and its write units, or those of an index, are provisioned, but
// not scaled. Requires: its throughput is read.
void CheckReplicas(TomlTable* table, const TableDesign& design);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_SERVICE_MEMBERS_H_
