// Turns the requests of a trace into calls of the service. A trace has no values, so keys and items
// are made from its data, always the same ones (README.md, "Replays").
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_REPLAY_MAKER_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_REPLAY_MAKER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/load/replay_source.h"
#include "tools/lab/measure/request_maker.h"

namespace dynolith::lab {

// Const methods are thread-safe.
class ReplayMaker {
 public:
  // Requires: an experiment with a replay. Both arguments are borrowed.
  ReplayMaker(const Experiment& experiment, const RequestMaker& maker);

  // The calls of the next request, which run in parallel.
  std::vector<PlannedCall> Request(ReplaySource* source) const;

  struct FoundItems {
    std::vector<Item> items;
    uint64_t needed = 0;  // including those beyond `most`
  };
  // The items that requests find in a table at the start, at most `most`, user after user.
  FoundItems FindItems(size_t table, uint64_t most) const;

 private:
  // A place where a Query reads more than its trace has written, and how many items more.
  struct QueriedKey {
    uint32_t use = 0;  // of RecordedTrace::uses
    int64_t items = 0;
  };
  struct Contents {
    int64_t items = 0;
    int64_t bytes = 0;
  };

  void FindEntries();
  void FindQueries();
  Operation OperationFor(Operation traced, const LabUse& first) const;
  PlannedCall MakeCall(Operation operation, size_t access, const LabUses& uses) const;
  std::vector<PlannedItem> MakeReads(LabUses* uses, Operation operation) const;
  std::vector<PlannedItem> MakeWrites(const LabUses& uses, Operation operation,
                                      const ReplaySource& source, uint32_t user) const;
  PlannedItem MakeWrite(absl::Span<const LabUse> uses, Operation operation,
                        const ReplaySource& source, uint32_t user) const;
  void AddEntriesBefore(const LabUse& item, const ReplaySource& source, uint32_t user,
                        LabUses* entries) const;
  void AddOnce(PlannedItem item, PlannedCall* call) const;
  // The attributes of a key; changes the use's position to that of the made key.
  std::vector<KeyValue> MakeKey(LabUse* use) const;
  std::string PartitionText(Type type, const LabUse& use) const;
  // The key of an item that the trace does not contain.
  std::vector<KeyValue> FillerKey(size_t table, const std::string& name) const;
  void AddQueried(const QueriedKey& queried, LabUse use,
                  absl::FunctionRef<void(const std::vector<KeyValue>&)> add) const;
  // How many items of a table or an index have so many bytes.
  int64_t ItemsIn(const LabUse& use, int64_t bytes) const;
  std::optional<Item> FindBegin(const LabUse& page) const;
  bool IsTable(const LabUse& use) const { return !designs_[use.resource].index; }
  size_t FindTable(const LabUse& use) const { return designs_[use.resource].table; }

  const Experiment& experiment_;
  const RequestMaker& maker_;
  const RecordedTrace& trace_;
  const std::vector<ResourceDesign> designs_;
  // By RecordedTrace::items, for items of tables: the uses that wrote their entries.
  std::vector<std::vector<uint32_t>> entries_;
  std::vector<QueriedKey> queried_;
  std::vector<int64_t> scanned_;  // by table: items that its pages lack
  // By the first of RecordedTrace::uses of a Query or of a Scan's page: the items that it
  // evaluates.
  absl::flat_hash_map<uint32_t, int64_t> evaluated_;
  std::vector<std::map<uint64_t, Item>> begins_;  // by table and partition hash: keys
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_REPLAY_MAKER_H_
