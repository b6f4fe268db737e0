#include "api/read/page.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "api/read/projection_request.h"
#include "api/request/call_bounds.h"
#include "api/request/key_checks.h"
#include "api/staleness/stale_reads.h"
#include "api/table/enforced_capacity.h"
#include "engine/base/big_endian.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// nullptr where nobody wants to know what is used of it, or the table is gone meanwhile.
std::shared_ptr<Table> UsedTable(const OperationContext& context, const PagePlan& plan) {
  std::shared_ptr<Table> table = context.catalog->Find(plan.meta->schema.name);
  const bool is_wanted =
      table != nullptr && (table->throughput.is_enforced() || table->use.is_watched());
  return is_wanted ? table : nullptr;
}

// Of a page that begins there: a Query has a partition key, a scan goes through hashes.
EnforcedCapacity::Names NamesOf(const PagePlan& plan) {
  return plan.charged_by_partition ? EnforcedCapacity::Names::kNothing
                                   : EnforcedCapacity::Names::kPartitionKey;
}

// The row keys at which the partitions begin: those that there are, or, as long as nobody minds,
// those that a table had at first.
std::vector<std::string> PartitionBegins(const PagePlan& plan, const Table* used) {
  const std::string first = RangeOfId(plan.source.id()).begin;
  std::vector<std::string> begins;
  if (used != nullptr) {
    const IndexSchema* const index = plan.source.index();
    const bool is_own = index != nullptr && index->kind == IndexKind::kGlobal;
    begins = used->throughput.PartitionsOf(is_own ? index->id : plan.meta->schema.id);
    for (std::string& begin : begins) begin.insert(0, first);
  }
  if (!begins.empty()) return begins;
  const auto count = static_cast<uint64_t>(std::max(1, plan.meta->initial_partitions));
  begins.push_back(first);
  for (uint64_t i = 1; i < count; ++i) {
    __extension__ using Wide = unsigned __int128;
    begins.push_back(first);
    AppendBigEndian(static_cast<uint64_t>(((Wide{i} << 64) + count - 1) / count), &begins.back());
  }
  return begins;
}

// Adds up what a page read, so that it can be charged and ended.
class PageMeter {
 public:
  PageMeter(const PagePlan& plan, const Table* used) : plan_(plan) {
    if (plan.charged_by_partition) begins_ = PartitionBegins(plan, used);
    partition_bytes_.resize(std::max<size_t>(1, begins_.size()));
  }

  void AddRow(std::string_view row_key, size_t bytes) {
    bytes_ += bytes;
    partition_bytes_[plan_.charged_by_partition ? PartitionOf(row_key) : 0] += bytes;
  }
  void AddFetch(size_t bytes) { fetch_units_ += ReadUnits(bytes, plan_.mode); }
  size_t bytes() const { return bytes_; }

  // `last` is the last row key read; empty when the range was walked to its end.
  double Units(std::string_view last) const {
    double units = 0;
    VisitPartitions(last, [&](std::string_view, double part) { units += part; });
    return units;
  }
  double fetch_units() const { return fetch_units_; }

  // Calls `visit` with a row key of each partition that the page read and its units.
  template <typename Visit>
  void VisitPartitions(std::string_view last, const Visit& visit) const {
    const std::string_view begin = Begin();
    if (!plan_.charged_by_partition) return visit(begin, ReadUnits(bytes_, plan_.mode));
    const size_t first = PartitionOf(begin);
    const size_t end = PartitionOf(last.empty() ? LastOfRange() : last);
    for (size_t i = first; i <= end; ++i) {
      visit(i == first ? begin : begins_[i], ReadUnits(partition_bytes_[i], plan_.mode));
    }
  }
  // Where the page begins.
  std::string_view Begin() const {
    return plan_.start_after ? std::string_view(*plan_.start_after) : plan_.range.begin;
  }

 private:
  size_t PartitionOf(std::string_view row_key) const {
    const auto behind = std::upper_bound(begins_.begin(), begins_.end(), row_key);
    return static_cast<size_t>(behind - begins_.begin()) - 1;
  }
  // A key just below the end of the range, within the same id.
  std::string LastOfRange() const {
    std::string last = RangeOfId(plan_.source.id()).begin + std::string(kRowHashBytes, '\xff');
    if (plan_.range.end > last) return last;
    last = plan_.range.end;
    last.resize(kRowPrefixBytes, '\0');
    // Borrow through zero bytes: the largest prefix below `end`.
    for (size_t i = kRowPrefixBytes; i-- > sizeof(StorageId);) {
      if (last[i]-- != '\0') break;
    }
    return last;
  }

  const PagePlan& plan_;
  std::vector<std::string> begins_;  // of the partitions, if they are charged one by one
  std::vector<size_t> partition_bytes_;
  size_t bytes_ = 0;
  double fetch_units_ = 0;
};

// Walks one page's rows.
class PageWalk {
 public:
  PageWalk(const OperationContext& context, const PagePlan& plan, const Table* used, ItemSink sink)
      : context_(context), plan_(plan), sink_(sink), meter_(plan, used) {}

  absl::Status Run(PageOutput* output) {
    if (plan_.range.begin >= plan_.range.end) return absl::OkStatus();
    if (plan_.fetches_base) {
      base_reader_.emplace(*context_.store, plan_.meta->schema,
                           plan_.moment != nullptr ? plan_.moment->snapshot : nullptr);
    }
    Cursor cursor = Open();
    if (plan_.start_after) {
      cursor.SeekAfter(*plan_.start_after);
    } else {
      cursor.SeekToStart();
    }
    for (; cursor.Valid(); cursor.Next()) {
      const ItemView item = ItemView::Unchecked(cursor.value());
      DYNOLITH_RETURN_IF_ERROR(
          SpendWork(context_, context_.allowance != nullptr ? WorkAtMost(item) : 0));
      meter_.AddRow(cursor.key(), plan_.source.index() == nullptr
                                      ? TableBilledBytes(plan_.meta->schema, item)
                                      : BilledBytes(item));
      ++output->scanned_count;
      DYNOLITH_RETURN_IF_ERROR(Evaluate(item, output));
      if (PageIsFull(*output)) {
        output->last_evaluated_key = StartKeyAt(item);
        last_row_key_ = std::string(cursor.key());
        break;
      }
    }
    return cursor.status();
  }

  void AddTo(PageUse* use) const {
    use->bytes += meter_.bytes();
    use->work += work_;
  }

  // The table's or the index's part, and what was fetched from the table, which they share.
  void ChargeUse(EnforcedCapacity* capacity) const {
    std::deque<std::string> row_keys;
    meter_.VisitPartitions(last_row_key_, [&](std::string_view row_key, double units) {
      const size_t use = capacity->Add(AccessKind::kRead, plan_.source.index(),
                                       row_keys.emplace_back(row_key), NamesOf(plan_));
      capacity->AddUnits(use, units);
    });
    capacity->AddUnits(0, meter_.fetch_units());
    capacity->Charge();
  }
  std::string_view begin() const { return meter_.Begin(); }

  void Charge(CapacityTotal* total) const {
    const double units = meter_.Units(last_row_key_);
    const IndexSchema* const index = plan_.source.index();
    if (index == nullptr) {
      total->AddTable(units);
    } else {
      total->AddTable(meter_.fetch_units());
      total->AddIndex(*index, units);
    }
  }

 private:
  Cursor Open() const {
    const Family family = plan_.source.family();
    const KeyRange& range = plan_.range;
    if (base_reader_) {
      return context_.store->Scan(family, range.begin, range.end, plan_.direction,
                                  base_reader_->moment());
    }
    if (plan_.moment != nullptr) {
      return context_.store->Scan(family, range.begin, range.end, plan_.direction,
                                  *plan_.moment->snapshot);
    }
    return context_.store->Scan(family, range.begin, range.end, plan_.direction);
  }

  bool PageIsFull(const PageOutput& output) const {
    const PageUse before = plan_.use != nullptr ? *plan_.use : PageUse();
    return (plan_.limit && output.scanned_count >= *plan_.limit) ||
           before.bytes + meter_.bytes() >= kPageBytesMax || before.work + work_ >= kPageWorkMax ||
           answer_ == SinkAnswer::kStop;
  }

  absl::Status Evaluate(ItemView entry, PageOutput* output) {
    const bool passes =
        plan_.filter == nullptr || plan_.filter->Matches(entry, &work_, context_.interrupted);
    if (!passes) DYNOLITH_RETURN_IF_ERROR(CheckNotInterrupted(context_));
    if (!passes && !plan_.fetches_filtered) return absl::OkStatus();
    ItemView item = entry;
    Row base;
    if (base_reader_) {
      DYNOLITH_RETURN_IF_ERROR(SpendWork(context_, kGetWork));
      DYNOLITH_ASSIGN_OR_RETURN(const bool found, base_reader_->Fetch(entry, &base));
      if (found) item = ItemView::Unchecked(base.value());
      DYNOLITH_RETURN_IF_ERROR(SpendWork(context_, found ? item.bytes().size() : 0));
      meter_.AddFetch(found ? TableBilledBytes(plan_.meta->schema, item) : 0);
    }
    if (!passes) return absl::OkStatus();
    ++output->count;
    if (plan_.counts_only) return absl::OkStatus();
    work_ += ProjectionWork();
    answer_ = Emit(item, plan_.projection, &builder_, sink_);
    return absl::OkStatus();
  }

  // Each path of a projection is looked for in each item.
  size_t ProjectionWork() const {
    return plan_.projection ? plan_.projection->paths().size() * Condition::kOperandWork : 0;
  }

  // What this row may cost; its base item is announced when it is read.
  size_t WorkAtMost(ItemView item) const {
    const size_t filter = plan_.filter ? plan_.filter->WorkAtMost(item) : 0;
    return kRowWork + item.bytes().size() + filter + ProjectionWork();
  }

  Item StartKeyAt(ItemView item) const {
    const KeySchema& key = plan_.meta->schema.key;
    return plan_.source.index() ? KeyOf(plan_.source.key(), key, item) : KeyOf(key, item);
  }

  const OperationContext& context_;
  const PagePlan& plan_;
  const ItemSink sink_;
  std::optional<BaseReader> base_reader_;
  PageMeter meter_;
  ItemBuilder builder_;
  size_t work_ = 0;  // of filter and projection
  SinkAnswer answer_ = SinkAnswer::kContinue;
  std::string last_row_key_;  // empty when the walk reached the end
};

// A page may go on if there is room where it begins.
absl::Status AdmitPage(const OperationContext& context, const PagePlan& plan, Table* table,
                       std::string_view begin) {
  EnforcedCapacity capacity(context, table, *plan.meta);
  if (!capacity.wants_uses()) return absl::OkStatus();
  capacity.Add(AccessKind::kRead, plan.source.index(), begin, NamesOf(plan));
  return capacity.Check();
}

}  // namespace

absl::StatusOr<PageOutput> ReadPage(const OperationContext& context, const PagePlan& plan,
                                    std::string_view table_name,
                                    ReturnConsumedCapacity return_consumed_capacity,
                                    ItemSink sink) {
  PageOutput output;
  const std::shared_ptr<Table> used = UsedTable(context, plan);
  PageWalk walk(context, plan, used.get(), sink);
  if (used != nullptr) {
    DYNOLITH_RETURN_IF_ERROR(AdmitPage(context, plan, used.get(), walk.begin()));
  }
  DYNOLITH_RETURN_IF_ERROR(walk.Run(&output));
  if (used != nullptr) {
    EnforcedCapacity capacity(context, used.get(), *plan.meta);
    walk.ChargeUse(&capacity);
  }
  if (plan.use != nullptr) walk.AddTo(plan.use);
  CapacityTotal total;
  walk.Charge(&total);
  output.consumed_capacity = total.Report(table_name, return_consumed_capacity);
  return output;
}

void BindMoment(const OperationContext& context, PagePlan* plan) {
  const IndexSchema* const index = plan->source.index();
  plan->moment = ChooseMoment(
      context.staleness, plan->meta->schema.name,
      index != nullptr ? index->name : std::string_view(),
      plan->mode == ReadMode::kEventual ? StaleReads::Mode::kEventual : StaleReads::Mode::kStrong);
}

absl::Status BindSelection(std::optional<Select> select, PagePlan* plan) {
  plan->counts_only = select == Select::kCount;
  DYNOLITH_ASSIGN_OR_RETURN(
      plan->fetches_base,
      NeedsBaseItem(plan->source, select == Select::kAllAttributes, plan->projection));
  return absl::OkStatus();
}

}  // namespace dynolith
