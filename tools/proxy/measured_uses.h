// What a call has used of one table and its global indexes: positions and names of keys by the
// request, costs by the answer.
#ifndef DYNOLITH_TOOLS_PROXY_MEASURED_USES_H_
#define DYNOLITH_TOOLS_PROXY_MEASURED_USES_H_

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/faults/fault_rules.h"
#include "api/table/request_capacity.h"
#include "engine/text/json_tree.h"
#include "tools/proxy/known_call.h"

namespace dynolith::proxy {

// Of one table.
struct Consumed {
  double table = 0;  // with its local indexes
  std::map<std::string, double> global;
};

// By table, from the ConsumedCapacity of an answer: one object, or a list of them.
std::map<std::string, Consumed> ReadConsumed(std::string_view json);

class MeasuredUses {
 public:
  // Borrows all. `capacity` is of the table.
  MeasuredUses(const TableMeta& meta, const KnownCall& known, RequestCapacity* capacity)
      : meta_(meta), known_(known), capacity_(capacity) {}

  // The uses by these elements of the call, which are of this table. The costs of a table and of an
  // index are shared equally by its elements.
  void Add(const std::vector<const CallElement*>& elements, AccessKind kind,
           const Consumed& consumed);

  const std::vector<ThroughputUse>& uses() const { return uses_; }
  // In their order: the index of each; nullptr: the table.
  const std::vector<const IndexSchema*>& indexes() const { return indexes_; }

 private:
  void AddUse(ThroughputUse use, const IndexSchema* index, double units);
  // The first position of the index, or where the request of a page begins.
  ThroughputUse PageUse(const IndexSchema* index);
  // Where an element's row of the table is.
  ThroughputUse ElementUse(const CallElement& element, AccessKind kind);
  // Of an index, where an element's entry is, if it can be told from the request.
  ThroughputUse EntryUse(const CallElement& element, const IndexSchema& index);
  // Of an index, or nullptr for the table, at a position that names nothing.
  ThroughputUse UnnamedUse(AccessKind kind, const IndexSchema* index, std::string_view position);
  const IndexSchema* FindIndex(std::string_view name) const;

  const TableMeta& meta_;
  const KnownCall& known_;
  RequestCapacity* const capacity_;
  std::deque<std::string> row_keys_;
  std::vector<ThroughputUse> uses_;
  std::vector<const IndexSchema*> indexes_;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_MEASURED_USES_H_
