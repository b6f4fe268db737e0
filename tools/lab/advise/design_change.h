// Changes an experiment into a design, by its billing and its sharding, and writes such a change as
// text for the experiment's file.
#ifndef DYNOLITH_TOOLS_LAB_ADVISE_DESIGN_CHANGE_H_
#define DYNOLITH_TOOLS_LAB_ADVISE_DESIGN_CHANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// The billing of a table and its indexes.
enum class BillingKind : uint8_t { kOnDemand, kProvisioned, kScaled };
BillingKind ToBillingKind(const TableDesign& table);

// The throughput of a table, or of its index.
Throughput& ThroughputAt(Experiment* experiment, size_t table, std::optional<size_t> index);

// The initial warm throughput of each table and index on demand.
int64_t WarmAtFirst(AccessKind kind);

// Sets the billing of the table and its indexes, and keeps their units. `target`: of auto scaling.
void SetBilling(BillingKind kind, double target, TableDesign* table);
// Sets the shards of the key source or index that `member` names. Reads by such a key then query
// every shard unless they can calculate it. Requires: CanShard.
void SetShards(const OpenMember& member, int64_t shards, Experiment* experiment);
int64_t CountShards(const Experiment& experiment, const OpenMember& member);
// Whether some read queries every shard, so that each further shard costs read units.
bool IsGathered(const Experiment& experiment, const OpenMember& member);
// Whether each read by the key can calculate its shard or query all shards.
bool CanGather(const Experiment& experiment, const OpenMember& member);
// If the suffix is drawn: the name of an access that updates, deletes or checks an item that may
// exist, which another shard may have than the one that is drawn; nullopt if there is none. A write
// may draw its shard if it makes a new item, or counts in an item whose whole key has the suffix.
std::optional<std::string> FindAccessThatMisses(const Experiment& experiment,
                                                const OpenMember& member);
// Whether it can gather, and no access misses its items.
bool CanShard(const Experiment& experiment, const OpenMember& member);

// The attributes from which a suffix of the key source can be calculated: those of the table's own
// key, which never change, that every write with such a key gives.
std::vector<std::string> ListSuffixAttributes(const Experiment& experiment, size_t source);

// Returns the values of the open members as a name: "on demand, 10 shards of post".
std::string DesignName(const Experiment& experiment, const AdviceRequest& request);
// "200 write units and 1,000 read units reserved for one year"
std::string ReservedText(const ReservedCapacity& reserved);
// Returns a [[design]] that changes `base` into `design`, as text for the experiment's file.
std::string DesignText(const Experiment& base, const Experiment& design);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_ADVISE_DESIGN_CHANGE_H_
