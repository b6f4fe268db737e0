#include "api/read/page.h"

#include <algorithm>
#include <vector>

#include "api/read/projection_request.h"
#include "api/request/call_bounds.h"
#include "api/request/key_checks.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// Adds up what a page read, so that it can be charged and ended.
class PageMeter {
 public:
  explicit PageMeter(const PagePlan& plan)
      : plan_(plan),
        partitions_(std::max(1, plan.meta->initial_partitions)),
        partition_bytes_(plan.charged_by_partition ? partitions_ : 1) {}

  void AddRow(std::string_view row_key, size_t bytes) {
    bytes_ += bytes;
    partition_bytes_[plan_.charged_by_partition ? PartitionOf(row_key) : 0] += bytes;
  }
  void AddFetch(size_t bytes) { fetch_units_ += ReadUnits(bytes, plan_.mode); }
  size_t bytes() const { return bytes_; }

  // `last` is the last row key read; empty when the range was walked to its end.
  double Units(std::string_view last) const {
    if (!plan_.charged_by_partition) return ReadUnits(bytes_, plan_.mode);
    const size_t first =
        PartitionOf(plan_.start_after ? std::string_view(*plan_.start_after) : plan_.range.begin);
    const size_t end = PartitionOf(last.empty() ? LastOfRange() : last);
    double units = 0;
    for (size_t i = first; i <= end; ++i) units += ReadUnits(partition_bytes_[i], plan_.mode);
    return units;
  }
  double fetch_units() const { return fetch_units_; }

 private:
  // The hash space is divided evenly.
  size_t PartitionOf(std::string_view row_key) const {
    std::string padded(row_key.substr(0, kRowPrefixBytes));
    padded.resize(kRowPrefixBytes, '\0');
    __extension__ using Wide = unsigned __int128;
    return static_cast<size_t>(Wide{RowHash(padded)} * partitions_ >> 64);
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
  const size_t partitions_;
  std::vector<size_t> partition_bytes_;
  size_t bytes_ = 0;
  double fetch_units_ = 0;
};

// Walks one page's rows.
class PageWalk {
 public:
  PageWalk(const OperationContext& context, const PagePlan& plan, ItemSink sink)
      : context_(context), plan_(plan), sink_(sink), meter_(plan) {}

  absl::Status Run(PageOutput* output) {
    if (plan_.range.begin >= plan_.range.end) return absl::OkStatus();
    if (plan_.fetches_base) base_reader_.emplace(*context_.store, plan_.meta->schema);
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
      meter_.AddRow(cursor.key(), BilledBytes(item));
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
    return context_.store->Scan(family, range.begin, range.end, plan_.direction);
  }

  bool PageIsFull(const PageOutput& output) const {
    const PageUse before = plan_.use != nullptr ? *plan_.use : PageUse();
    return (plan_.limit && output.scanned_count >= *plan_.limit) ||
           before.bytes + meter_.bytes() >= kPageBytesMax || before.work + work_ >= kPageWorkMax ||
           answer_ == SinkAnswer::kStop;
  }

  absl::Status Evaluate(ItemView entry, PageOutput* output) {
    if (plan_.filter != nullptr && !plan_.filter->Matches(entry, &work_, context_.interrupted)) {
      return CheckNotInterrupted(context_);
    }
    ItemView item = entry;
    Row base;
    if (base_reader_) {
      DYNOLITH_RETURN_IF_ERROR(SpendWork(context_, kGetWork));
      DYNOLITH_ASSIGN_OR_RETURN(const bool found, base_reader_->Fetch(entry, &base));
      if (found) item = ItemView::Unchecked(base.value());
      DYNOLITH_RETURN_IF_ERROR(SpendWork(context_, found ? item.bytes().size() : 0));
      meter_.AddFetch(found ? BilledBytes(item) : 0);
    }
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

}  // namespace

absl::StatusOr<PageOutput> ReadPage(const OperationContext& context, const PagePlan& plan,
                                    std::string_view table_name,
                                    ReturnConsumedCapacity return_consumed_capacity,
                                    ItemSink sink) {
  PageOutput output;
  PageWalk walk(context, plan, sink);
  DYNOLITH_RETURN_IF_ERROR(walk.Run(&output));
  if (plan.use != nullptr) walk.AddTo(plan.use);
  CapacityTotal total;
  walk.Charge(&total);
  output.consumed_capacity = total.Report(table_name, return_consumed_capacity);
  return output;
}

absl::Status BindSelection(std::optional<Select> select, PagePlan* plan) {
  plan->counts_only = select == Select::kCount;
  DYNOLITH_ASSIGN_OR_RETURN(
      plan->fetches_base,
      NeedsBaseItem(plan->source, select == Select::kAllAttributes, plan->projection));
  return absl::OkStatus();
}

}  // namespace dynolith
