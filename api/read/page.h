// One page of Query or Scan: walk a range of rows, filter, project, stop at Limit or at 1 MB.
#ifndef DYNOLITH_API_READ_PAGE_H_
#define DYNOLITH_API_READ_PAGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "api/write/consumed_capacity.h"
#include "dynolith/database.h"
#include "engine/catalog/catalog.h"
#include "engine/expr/expression.h"
#include "engine/key/key_codec.h"
#include "engine/partition/capacity.h"
#include "engine/store/store.h"
#include "index/read.h"

namespace dynolith {

// The counts against a page's megabyte and its bound on the work of filter and projection.
struct PageUse {
  size_t bytes = 0;
  size_t work = 0;
};

// A page, bound to its table and checked.
struct PagePlan {
  // `index`: nullptr for the table itself.
  PagePlan(const TableMeta& meta, const IndexSchema* index)
      : meta(&meta), source(meta.schema, index) {}

  const TableMeta* meta;
  RowSource source;
  // For a keyed read of an index in shards: in the first one.
  KeyRange range;
  Direction direction = Direction::kForward;
  // The row key of ExclusiveStartKey, in the same shard as `range`.
  std::optional<std::string> start_after;
  // Sees the attributes of the index, even where the base item is fetched for the projection.
  const Condition* filter = nullptr;
  std::optional<Projection> projection;
  bool counts_only = false;
  // Whether the whole base item is needed, which a local index may lack.
  bool fetches_base = false;
  // Whether it is also fetched, and charged, for entries that the filter leaves out.
  bool fetches_filtered = false;
  std::optional<int64_t> limit;
  // The use of the page by earlier ranges; this range adds to it.
  PageUse* use = nullptr;
  ReadMode mode = ReadMode::kEventual;
  // All reads are of this moment; nullptr: the present.
  std::shared_ptr<const Snapshot> moment;
  // For all partition keys: in the order of the row keys, charged by partition
  // (api/facts/capacity.md §1). Otherwise for one, in the order of its sort keys, which are
  // gathered from all shards; each shard is charged.
  bool is_scan = false;

  bool scatters() const { return !is_scan && source.shards() > 1; }
};

// Sets the start of the page.
void StartAfter(ItemView start_key, PagePlan* plan);

// The projection of Select, AttributesToGet and ProjectionExpression on an index, and whether a
// local index must fetch from the table for it. Errors: attributes that a global index lacks
// (api/facts/operations.md §2, Query).
absl::Status BindSelection(std::optional<Select> select, PagePlan* plan);

// Chooses the moment by `mode`. Errors: those of StrongMoment.
absl::Status BindMoment(const OperationContext& context, PagePlan* plan);

// Walks the page; its items go to `sink` unless `counts_only`. The page also ends after the item at
// which the sink returns kStop. Errors: also that of ReadWhereItIs, before the first item.
absl::StatusOr<PageOutput> ReadPage(const OperationContext& context, const PagePlan& plan,
                                    std::string_view table_name,
                                    ReturnConsumedCapacity return_consumed_capacity, ItemSink sink);

// Whether an operation failed because its index was resharded after the plan was made.
bool IsResharded(const absl::Status& status);

// Reads again if the index was resharded meanwhile. `read` makes a new plan each time.
template <typename Read>
auto ReadWhereItIs(Read read) {
  for (;;) {
    auto output = read();
    if (!IsResharded(output.status())) return output;
  }
}

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_PAGE_H_
