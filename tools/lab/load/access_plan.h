// Turns a request into its uses: the keys that it names, the sizes of items, and the capacity that
// tables and indexes consume for them.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_ACCESS_PLAN_H_
#define DYNOLITH_TOOLS_LAB_LOAD_ACCESS_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/load/lab_use.h"

namespace dynolith::lab {

// The value of one key attribute.
struct KeyValue {
  std::string attribute;
  Type type = Type::kString;
  std::string text;
};

// One item of a request, beside its uses.
struct DrawnItem {
  std::vector<KeyValue> keys;  // every key attribute that the access gives
  int64_t bytes = 0;           // of the item; of a Query, of all items
};

// The uses of drawn operations, one operation after the other. Their memory is used again.
class DrawnOperations {
 public:
  // Without uses. Valid until the next call.
  LabUses* Add() {
    if (size_ == all_.size()) all_.emplace_back();
    LabUses& added = all_[size_++];
    added.clear();
    return &added;
  }
  void Clear() { size_ = 0; }
  size_t size() const { return size_; }
  LabUses& operator[](size_t at) { return all_[at]; }

 private:
  std::vector<LabUses> all_;
  size_t size_ = 0;
};

// The most items of a table that accesses can create or delete; infinity if unbounded.
double ItemsMost(const Experiment& experiment, size_t table);

// An upper bound of the operations of an access in the whole run; infinity if unknown. A random
// load exceeds it once in 10^15 runs.
double OperationsMost(const Experiment& experiment, size_t access);

// One access pattern, ready to make requests. Thread-compatible.
class AccessPlan {
 public:
  // `generators` are those of Experiment::sources. All are borrowed.
  AccessPlan(const Experiment& experiment, const Access& access, const KeyGenerators& generators,
             uint64_t seed);

  const Access& access() const { return access_; }
  // Adds the operations of one request, which do not depend on the results of others. Requires:
  // neither a Scan nor a replay.
  void Request(Micros now, DrawnOperations* operations);
  // Calls `run` with the uses of each operation of one gathering request; they are valid during the
  // call. Requires: the access gathers.
  void EachShard(Micros now, absl::FunctionRef<void(LabUses*)> run);
  // Draws the items of one request, and for each appends its uses and then calls `each`. If a write
  // follows the read, the read's uses come first. `each` gets the plan of the item's action, which
  // in a transaction is that of a member. Requires: the access does not gather.
  void EachItem(Micros now, LabUses* uses, absl::FunctionRef<void(const AccessPlan& of)> each);
  // The item whose uses were made last, for callers that send real requests.
  DrawnItem drawn() const;
  // Whether some of its uses are entries of a sparse index.
  bool changes_sparse_indexes() const { return changes_sparse_indexes_; }
  // The number of items that the last drawn Query evaluates.
  int64_t drawn_items() const { return items_; }
  // A page of a Scan with so many bytes, which begins at the part `at` of the hashes.
  LabUse Page(double at, int64_t bytes) const;
  // The table or index that it reads, or the table that it writes; of ResourceDesigns.
  size_t target_resource() const { return resource_ + (access_.index ? *access_.index + 1 : 0); }

 private:
  // An attribute that the access gives; or, without a name, only an outer key of other slots.
  struct Slot {
    std::string attribute;
    KeyGenerator* generator;
    int64_t shards;
    std::optional<size_t> within;           // another slot, before this one
    const Slot* shared = nullptr;           // a slot that all members of a transaction share
    std::optional<size_t> calculated_from;  // another slot
    KeyNumber drawn;
  };
  // Key attributes and their sources; without a name, the outer source of other keys.
  using SlotSources = std::vector<std::pair<std::string, size_t>>;
  // The key of the table or of an index.
  struct KeyPlan {
    size_t index = 0;  // of the table's indexes, if it is the key of one
    size_t partition_slot = 0;
    std::optional<size_t> sort_slot;
    bool has_sort_key = false;
    int64_t index_shards = 1;
    IndexChange change = IndexChange::kPut;
    // Of a sparse index: the part of the items that have an entry at the start.
    std::optional<double> entries;
    int64_t entry_bytes = 0;
    std::unique_ptr<PartitionHashes> hashes;
  };

  // For a member of a transaction; `shared`: slots that all members share.
  AccessPlan(const Experiment& experiment, const Access& access, const KeyGenerators& generators,
             uint64_t seed, const std::vector<Slot>& shared);
  static SlotSources ListSources(const Experiment& experiment, const Access& access);
  static SlotSources SharedSources(const Experiment& experiment, const Access& access);
  void AddSlots(const Experiment& experiment, const SlotSources& sources,
                const KeyGenerators& generators, const std::vector<Slot>& shared);
  void AddKeys(const Experiment& experiment);
  static uint64_t NextNumber(const std::vector<Slot>& slots, const Slot& slot, Micros now);
  std::optional<size_t> FindSlot(const std::string& attribute) const;
  KeyPlan MakeKeyPlan(const KeyPart& partition, const std::optional<KeyPart>& sort) const;
  void Draw(Micros now);
  // A Query evaluates its items as one operation.
  int64_t items_of_request() const {
    return access_.operation == Operation::kQuery ? 1 : access_.items;
  }
  bool DrawFailure() { return access_.fails > 0 && NextPart(&random_) < access_.fails; }
  void NextItem(Micros now, bool is_first, LabUses* uses);
  int64_t ReadBytes();
  Tokens ToCost(int64_t bytes, AccessKind kind);
  void AddRead(LabUses* uses);
  void AddWrite(Micros now, bool is_first, LabUses* uses);
  LabUse& AddUse(KeyPlan* plan, const KeyNumber& key, size_t resource, LabUses* uses) const;
  void AddIndexWrite(Micros now, KeyPlan* plan, const LabPosition& base, int64_t item_bytes,
                     LabUses* uses);
  void AddEntry(KeyPlan* plan, const KeyNumber& key, const LabPosition& base, int64_t bytes,
                EntryChange change, LabUses* uses) const;
  EntryChange FirstEntryChange(const KeyPlan& plan) const;

  const Access& access_;
  const TableDesign& table_;
  const SizeRange& sizes_;
  size_t resource_ = 0;  // the table, of ResourceDesigns
  const uint64_t placement_;
  Growth growth_ = Growth::kNone;
  bool finds_items_ = false;  // whether its items exist at the start
  bool changes_sparse_indexes_ = false;
  uint64_t random_;
  bool fails_ = false;  // whether the condition of the current request fails
  std::vector<Slot> slots_;
  bool has_suffixes_ = false;      // whether some of them do
  std::optional<KeyPlan> target_;  // the table or index that it reads, or the table that it writes
  std::vector<KeyPlan> maintained_;  // indexes whose key a write gives
  std::vector<AccessPlan> members_;
  LabUses uses_;
  int64_t items_ = 1;
  int64_t bytes_ = 0;
  // What was read or written last, outside of indexes: mostly the next one is as large.
  PerKind<int64_t> cost_bytes_ = {-1, -1};
  PerKind<Tokens> cost_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_ACCESS_PLAN_H_
