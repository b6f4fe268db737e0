// What a design changes: ways in which an experiment can be paid for and sharded, and how such a
// change is written in the experiment's file.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_DESIGN_CHANGE_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_DESIGN_CHANGE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// How a table, with its indexes, is paid for.
enum class BillingKind : uint8_t { kOnDemand, kProvisioned, kScaled };
BillingKind ToBillingKind(const TableDesign& table);

// A table or an index.
Throughput& ThroughputAt(Experiment* experiment, size_t table, std::optional<size_t> index);

// What each table and each index is warm for at first, on demand.
int64_t WarmAtFirst(AccessKind kind);

// The table's and its indexes' billing; units are left as they are. `target` is of auto scaling.
void SetBilling(BillingKind kind, double target, TableDesign* table);
// The shards of a key source or of an index, as `member` says. Reads by such a key then ask every
// shard unless they can calculate it. Requires: CanShard.
void SetShards(const OpenMember& member, int64_t shards, Experiment* experiment);
int64_t CountShards(const Experiment& experiment, const OpenMember& member);
// Whether some read asks every shard: more of them have their price.
bool IsGathered(const Experiment& experiment, const OpenMember& member);
// Whether each read by the key can find its shard or ask all of them.
bool CanShard(const Experiment& experiment, const OpenMember& member);

// "on demand, 10 shards of post": the members that are open.
std::string DesignName(const Experiment& experiment, const AdviceRequest& request);
// A [[design]] of this name that makes `design` of `base`, as text for the experiment's file.
std::string DesignText(const Experiment& base, const Experiment& design);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_DESIGN_CHANGE_H_
