// From a request to what it uses: the keys that it names, the sizes of items, what tables and
// indexes have to give for them.
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

// What one item of a request is, beside what it uses.
struct DrawnItem {
  std::vector<KeyValue> keys;  // of every attribute that the access gives
  int64_t bytes = 0;           // of the item; of a Query, of all items
};

// Of how many items of a table the accesses can change whether they are there; infinity: no end.
double ItemsMost(const Experiment& experiment, size_t table);

// The operations of an access in the whole run are no more; infinity if nothing says how many. A
// load at random is exceeded once in 10^15 runs.
double OperationsMost(const Experiment& experiment, size_t access);

// One access pattern, ready to make requests. Thread-compatible.
class AccessPlan {
 public:
  // `generators` are those of Experiment::sources. All are borrowed.
  AccessPlan(const Experiment& experiment, const Access& access, const KeyGenerators& generators,
             uint64_t seed);

  const Access& access() const { return access_; }
  // Makes the operations of one request, one after the other; the uses of each are valid during the
  // call. Not of a Scan, nor of what is replayed.
  void Request(Micros now, absl::FunctionRef<void(LabUses*)> run);
  // Draws the items of one request, one after the other, and appends what each uses before `each`
  // is called: of a read that is followed by a write what the read uses first. `each` gets the plan
  // of what is done with the item, a member of a transaction. Not of what gathers.
  void EachItem(Micros now, LabUses* uses, absl::FunctionRef<void(const AccessPlan& of)> each);
  // The item whose uses were made last: for who sends real requests.
  DrawnItem drawn() const;
  // How many items a Query evaluates, as it was drawn last.
  int64_t drawn_items() const { return items_; }
  // A page of a Scan that covers so many bytes from this part of the hashes on.
  LabUse Page(double at, int64_t bytes) const;
  // The table or index that is read, or the table that is written; of ResourceDesigns.
  size_t target_resource() const { return resource_ + (access_.index ? *access_.index + 1 : 0); }

 private:
  // An attribute that the access gives, or only a key within which others are: then it has no name.
  struct Slot {
    std::string attribute;
    KeyGenerator* generator;
    int64_t shards;
    std::optional<size_t> within;           // another slot, before this one
    const Slot* shared = nullptr;           // drawn already, for all members of a transaction
    std::optional<size_t> calculated_from;  // another slot
    KeyNumber drawn;
  };
  // A key attribute and its source; without a name, what other keys are within.
  using SlotSources = std::vector<std::pair<std::string, size_t>>;
  // The key of the table or of an index.
  struct KeyPlan {
    size_t index = 0;  // of the table's indexes, if it is one
    size_t partition_slot = 0;
    std::optional<size_t> sort_slot;
    bool has_sort_key = false;
    int64_t index_shards = 1;
    bool moves = false;  // a write moves the entry of an index to another key
    int64_t entry_bytes = 0;
    std::unique_ptr<PartitionHashes> hashes;
  };

  // Of a member of a transaction; `shared`: slots that are drawn for all members.
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
  void NextItem(Micros now, bool is_first, LabUses* uses);
  int64_t ReadBytes();
  void AddRead(LabUses* uses);
  void AddWrite(Micros now, bool is_first, LabUses* uses);
  LabUse& AddUse(KeyPlan* plan, const KeyNumber& key, size_t resource, LabUses* uses) const;
  void AddIndexWrite(Micros now, KeyPlan* plan, const LabPosition& base, int64_t item_bytes,
                     LabUses* uses);
  void Gather(absl::FunctionRef<void(LabUses*)> run);

  const Access& access_;
  const TableDesign& table_;
  const SizeRange& sizes_;
  size_t resource_ = 0;  // the table, of ResourceDesigns
  const uint64_t placement_;
  Growth growth_ = Growth::kNone;
  bool finds_items_ = false;  // its items are there at the start
  uint64_t random_;
  bool fails_ = false;  // a condition of the present request
  std::vector<Slot> slots_;
  std::optional<KeyPlan> target_;    // of what is read, or of the table that is written
  std::vector<KeyPlan> maintained_;  // indexes whose key a write gives
  std::vector<AccessPlan> members_;
  LabUses uses_;
  int64_t items_ = 1;
  int64_t bytes_ = 0;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_ACCESS_PLAN_H_
