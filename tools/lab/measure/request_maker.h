// Turns the accesses of an experiment into calls of the service, with the keys that their plans
// draw and items of the given sizes.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_REQUEST_MAKER_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_REQUEST_MAKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/lab/experiment/experiment.h"
#include "tools/lab/load/access_plan.h"
#include "tools/lab/measure/service_call.h"

namespace dynolith::lab {

// An item, or its key, and its use.
struct PlannedItem {
  size_t table = 0;  // of Experiment::tables
  Item item;
  LabUses uses;
  int64_t bytes = 0;  // of the item
  // Of a transaction's: PutItem, UpdateItem or DeleteItem, or only a check of its condition.
  Operation action = Operation::kPutItem;
  bool only_checks = false;
};

// The work of one call: a batch's items, a query of one shard, or a page of a Scan.
struct PlannedCall {
  Operation operation = Operation::kGetItem;
  size_t access = 0;
  size_t table = 0;             // of Experiment::tables
  std::optional<size_t> index;  // of its indexes; reads only
  ReadMode consistency = ReadMode::kEventual;
  std::vector<PlannedItem> items;
  int64_t query_items = 0;           // that a Query, or one page of a Scan, still evaluates
  int64_t segment = 0;               // of a Scan
  std::optional<Item> begin;         // of a page
  std::optional<PlannedItem> write;  // the write that follows a read
};

// The attribute that holds a sharded index's key, since its value has its own suffix:
// "by-status.status"; else the index's partition key.
std::string IndexAttribute(const IndexDesign& index);

// The number of a key attribute as a value of its type.
Value ToKeyValue(Type type, const std::string& text);

// Const methods are thread-safe, others not.
class RequestMaker {
 public:
  // `tables`: their names in the service. All arguments are borrowed.
  RequestMaker(const Experiment& experiment, const std::vector<std::string>& tables,
               const KeyGenerators& generators, uint64_t seed);

  // The calls of one request of an access that is not a Scan. Only a gathering Query has several,
  // which run in parallel.
  std::vector<PlannedCall> Request(size_t access, Micros now);
  // One call for each segment.
  std::vector<PlannedCall> BeginScan(size_t access) const;

  ServiceCall MakeCall(const PlannedCall& planned) const;
  // The items of a batch, in rising order, that an answer reports as unprocessed.
  std::vector<size_t> ListUnprocessed(const PlannedCall& planned,
                                      const std::vector<Item>& left) const;
  // The key of a table's item that has these attributes; without a sort key, the first one is
  // meant.
  Item TableKey(size_t table, const Item& item) const;
  // A whole item of a table, with these keys and its intended size.
  Item WholeItem(size_t table, const std::vector<KeyValue>& keys, int64_t bytes) const;

 private:
  PlannedCall CallFor(size_t access) const;
  PlannedItem MakeItem(const Access& access, const DrawnItem& drawn, LabUses uses,
                       bool is_whole) const;
  TransactWriteItem MakeAction(const PlannedItem& planned) const;
  void AddIndexKeys(const TableDesign& table, const LabUses& uses, Item* item) const;
  QueryRequest MakeQuery(const PlannedCall& planned) const;
  ScanRequest MakeScan(const PlannedCall& planned) const;
  UpdateItemRequest MakeUpdate(const PlannedItem& item) const;

  const Experiment& experiment_;
  const std::vector<std::string>& tables_;
  std::vector<AccessPlan> plans_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_REQUEST_MAKER_H_
