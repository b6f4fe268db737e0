#include "api/read/page.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "api/read/messages.h"
#include "api/read/projection_request.h"
#include "api/request/call_bounds.h"
#include "api/request/current_tables.h"
#include "api/request/key_checks.h"
#include "api/staleness/stale_reads.h"
#include "api/table/request_capacity.h"
#include "api/table/strong_moment.h"
#include "engine/base/big_endian.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/partition/access_observer.h"
#include "index/entry.h"
#include "index/sharded.h"

namespace dynolith {
namespace {

// Exceptions of transactions have the same code, but a message.
absl::Status ReshardedError() { return absl::AbortedError(""); }

// The row keys at which the partitions begin: those that there are, or, as long as nobody minds,
// those that a table had at first.
std::vector<std::string> PartitionBegins(const PagePlan& plan, const Table* used) {
  const std::string first = RangeOfId(plan.source.id()).begin;
  std::vector<std::string> begins;
  if (used != nullptr) {
    const IndexSchema* const index = plan.source.index();
    const bool is_own = index != nullptr && index->kind == IndexKind::kGlobal;
    begins = used->throughput.ListPartitions(is_own ? index->id : plan.meta->schema.id);
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

// Where a keyed read begins in each shard, in the order of row keys.
std::vector<std::string> ShardBegins(const PagePlan& plan) {
  std::vector<std::string> begins;
  begins.reserve(static_cast<size_t>(plan.source.shards()));
  for (KeyRange& range : ScatterRange(plan.range, plan.source.shards())) {
    begins.push_back(std::move(range.begin));
  }
  std::sort(begins.begin(), begins.end());
  return begins;
}

// Adds up what a page read, so that it can be charged and ended.
class PageMeter {
 public:
  PageMeter(const PagePlan& plan, const Table* used) : plan_(plan) {
    if (plan.is_scan) begins_ = PartitionBegins(plan, used);
    if (plan.scatters()) begins_ = ShardBegins(plan);
    part_bytes_.resize(std::max<size_t>(1, begins_.size()));
  }

  void AddRow(std::string_view row_key, size_t bytes) {
    bytes_ += bytes;
    part_bytes_[begins_.empty() ? 0 : FindPart(row_key)] += bytes;
  }
  void AddFetch(size_t bytes) { fetch_units_ += ReadUnits(bytes, plan_.mode); }
  size_t bytes() const { return bytes_; }

  double fetch_units() const { return fetch_units_; }

  // Calls `visit` with each place at which the page begins to read.
  template <typename Visit>
  void VisitBegins(const Visit& visit) const {
    if (!plan_.scatters()) return visit(Begin());
    for (const std::string& begin : begins_) visit(begin);
  }
  // Calls `visit` with a row key of each part that the page read, a partition or a shard, and the
  // bytes that it read there. `last` is the last row key read; empty when the range was walked to
  // its end.
  template <typename Visit>
  void VisitParts(std::string_view last, const Visit& visit) const {
    if (begins_.empty()) return visit(Begin(), bytes_);
    if (plan_.scatters()) {
      for (size_t i = 0; i < begins_.size(); ++i) visit(begins_[i], part_bytes_[i]);
      return;
    }
    const size_t first = FindPart(Begin());
    const size_t end = FindPart(last.empty() ? LastOfRange() : last);
    for (size_t i = first; i <= end; ++i) visit(i == first ? Begin() : begins_[i], part_bytes_[i]);
  }

 private:
  std::string_view Begin() const {
    return plan_.start_after ? std::string_view(*plan_.start_after) : plan_.range.begin;
  }
  size_t FindPart(std::string_view row_key) const {
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
  std::vector<std::string> begins_;  // of what is charged one by one, if anything is
  absl::InlinedVector<size_t, 1> part_bytes_;
  size_t bytes_ = 0;
  double fetch_units_ = 0;
};

// Of a page that a store in another process reads: a page with less than each of these is surely
// one round trip (engine/store/postgres/reads.cc, engine/store/limits).
constexpr size_t kTripRowsMin = 1'600;
constexpr size_t kTripBytesMin = 1'000'000;
constexpr size_t kTripKeyBytesMin = 1'200;

struct WalkedRows {
  size_t count = 0;
  size_t bytes = 0;  // of keys and values
  size_t longest_key = 0;
};

// Walks one page's rows.
class PageWalk {
 public:
  // `table`: nullptr if it is gone meanwhile. `is_metered`: as RequestCapacity::is_metered.
  PageWalk(const OperationContext& context, const PagePlan& plan, const Table* table,
           bool is_metered, ItemSink sink)
      : context_(context),
        plan_(plan),
        table_(table),
        sink_(sink),
        meter_(plan, is_metered ? table : nullptr) {}

  absl::Status Run(PageOutput* output) {
    if (plan_.range.begin >= plan_.range.end) return absl::OkStatus();
    const Family family = plan_.source.family();
    const KeyRange& range = plan_.range;
    std::shared_ptr<const Snapshot> moment = plan_.moment;
    // What is read at several places is to agree.
    if (moment == nullptr && (plan_.fetches_base || plan_.scatters())) {
      moment = context_.store->TakeSnapshot();
    }
    if (plan_.fetches_base) base_reader_.emplace(*moment, plan_.meta->schema);
    CurrentTables tables(context_, plan_.moment.get());
    if (!plan_.scatters()) {
      Cursor cursor =
          context_.store->At(moment.get())
              .ScanPage(family, range.begin, range.end, plan_.direction, Hints(), tables.read());
      return Walk(&cursor, tables, output);
    }
    const int shards = plan_.source.shards();
    DYNOLITH_RETURN_IF_ERROR(SpendWork(context_, static_cast<size_t>(shards) * kGetWork));
    ShardedCursor cursor(*moment, family, range, shards, plan_.direction);
    DYNOLITH_RETURN_IF_ERROR(tables.ReadAndCheck(*moment));
    return Walk(&cursor, tables, output);
  }

  void AddTo(PageUse* use) const {
    use->bytes += meter_.bytes();
    use->work += work_;
  }

  // The page may go on if there is room wherever it begins.
  absl::Status Admit(RequestCapacity* capacity) const {
    if (!capacity->is_enforced()) return absl::OkStatus();
    absl::InlinedVector<ThroughputUse, 1> uses;
    meter_.VisitBegins([&](std::string_view begin) { uses.push_back(UseAt(begin, capacity)); });
    return capacity->Admit(uses);
  }

  // Takes what the page has cost, and returns it.
  CapacityTotal Charge(RequestCapacity* capacity) const {
    double sum = 0;
    absl::InlinedVector<ThroughputUse, kPartsAtFirst> uses;
    meter_.VisitParts(last_row_key_, [&](std::string_view row_key, size_t bytes) {
      const double units = ReadUnits(bytes, plan_.mode);
      sum += units;
      if (!capacity->is_metered()) return;
      // What was fetched from the table is taken with the first part.
      const double fetched = uses.empty() ? meter_.fetch_units() : 0;
      SetCost(units + fetched, bytes, &uses.emplace_back(UseAt(row_key, capacity)));
    });
    capacity->Charge(uses);
    const IndexSchema* const index = plan_.source.index();
    CapacityTotal total(index == nullptr ? sum : meter_.fetch_units());
    if (index != nullptr) total.AddIndex(*index, sum);
    return total;
  }

 private:
  // The partitions of a new table on demand.
  static constexpr size_t kPartsAtFirst = 4;

  // A Query has a partition key, a scan goes through hashes.
  ThroughputUse UseAt(std::string_view row_key, RequestCapacity* capacity) const {
    return capacity->MakeUse(
        AccessKind::kRead, plan_.source.index(), row_key,
        plan_.is_scan ? RequestCapacity::Names::kNothing : RequestCapacity::Names::kPartitionKey);
  }

  // A page by a Limit, or of a megabyte: rows have more bytes in the store than are billed.
  ScanHints Hints() const {
    const size_t used = plan_.use != nullptr ? plan_.use->bytes : 0;
    const size_t left = kPageBytesMax - std::min(kPageBytesMax, used);
    return {.rows = plan_.limit ? static_cast<size_t>(*plan_.limit) : 0, .bytes = left + left / 4};
  }

  // A page that takes more than one round trip may have lost rows to the end of its table or index
  // between them. What the sink has taken cannot be taken back, so the client has to ask again.
  absl::Status CheckIsStillThere(const CurrentTables& tables, const WalkedRows& walked) const {
    const bool is_one_trip = walked.bytes < kTripBytesMin && walked.count < kTripRowsMin &&
                             walked.longest_key < kTripKeyBytesMin;
    if (!tables.is_checked() || is_one_trip) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(context_.catalog->CatchUp());
    const std::shared_ptr<Table> now = context_.catalog->Find(plan_.meta->schema.name);
    const bool is_there =
        now != nullptr && now->meta()->schema.id == plan_.meta->schema.id &&
        (plan_.source.index() == nullptr || IsWhereItWas(now->meta()->schema, plan_.source));
    return is_there ? absl::OkStatus()
                    : absl::UnavailableError(messages::TableGoneUnderPage(plan_.meta->schema.name));
  }

  // `cursor`: a Cursor or a ShardedCursor.
  template <typename Rows>
  absl::Status Walk(Rows* cursor, const CurrentTables& tables, PageOutput* output) {
    // What is open by now is not reclaimed under the walk; whether it had been before is asked
    // here.
    if (!IsIndexThere()) return ReshardedError();
    if (plan_.start_after) {
      cursor->SeekAfter(*plan_.start_after);
    } else {
      cursor->SeekToStart();
    }
    if (tables.is_checked()) {
      DYNOLITH_RETURN_IF_ERROR(cursor->status());
      DYNOLITH_RETURN_IF_ERROR(tables.Check());
    }
    WalkedRows walked;
    for (; cursor->Valid(); cursor->Next()) {
      const ItemView item = ItemView::Unchecked(cursor->value());
      const size_t key_bytes = cursor->key().size();
      ++walked.count;
      walked.bytes += key_bytes + cursor->value().size();
      walked.longest_key = std::max(walked.longest_key, key_bytes);
      if (context_.allowance != nullptr) {
        DYNOLITH_RETURN_IF_ERROR(SpendWork(context_, WorkAtMost(item)));
      } else if (context_.interrupted->load(std::memory_order_relaxed)) {
        return CheckNotInterrupted(context_);
      }
      meter_.AddRow(cursor->key(), plan_.source.index() == nullptr
                                       ? TableBilledBytes(plan_.meta->schema, item)
                                       : BilledBytes(item));
      ++output->scanned_count;
      DYNOLITH_RETURN_IF_ERROR(Evaluate(item, output));
      if (PageIsFull(*output)) {
        output->last_evaluated_key = StartKeyAt(item);
        last_row_key_ = std::string(cursor->key());
        break;
      }
    }
    DYNOLITH_RETURN_IF_ERROR(cursor->status());
    return CheckIsStillThere(tables, walked);
  }

  bool IsIndexThere() const {
    if (plan_.source.index() == nullptr) return true;
    return table_ != nullptr && IsWhereItWas(table_->meta()->schema, plan_.source);
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
    std::optional<Row> base;
    if (base_reader_) {
      DYNOLITH_RETURN_IF_ERROR(SpendWork(context_, kGetWork));
      DYNOLITH_ASSIGN_OR_RETURN(const bool found, base_reader_->Fetch(entry, &base.emplace()));
      if (found) item = ItemView::Unchecked(base->value());
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
    return plan_.source.index() ? ExtractKey(plan_.source.key(), key, item) : ExtractKey(key, item);
  }

  const OperationContext& context_;
  const PagePlan& plan_;
  const Table* const table_;
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
  const std::shared_ptr<Table> table = context.catalog->Find(plan.meta->schema.name);
  RequestCapacity capacity(context, table.get(), *plan.meta);
  PageWalk walk(context, plan, table.get(), capacity.is_metered(), sink);
  DYNOLITH_RETURN_IF_ERROR(walk.Admit(&capacity));
  DYNOLITH_RETURN_IF_ERROR(walk.Run(&output));
  if (plan.use != nullptr) walk.AddTo(plan.use);
  output.consumed_capacity = walk.Charge(&capacity).Report(table_name, return_consumed_capacity);
  if (context.observer != nullptr) {
    context.observer->NoteReturnedItems(plan.meta->schema, output.count);
  }
  return output;
}

bool IsResharded(const absl::Status& status) { return status == ReshardedError(); }

void StartAfter(ItemView start_key, PagePlan* plan) {
  plan->start_after =
      plan->is_scan ? plan->source.RowKeyFor(start_key) : plan->source.PositionFor(start_key);
}

absl::Status BindMoment(const OperationContext& context, PagePlan* plan) {
  if (plan->mode != ReadMode::kEventual) {
    DYNOLITH_ASSIGN_OR_RETURN(plan->moment, StrongMoment(context, *plan->meta));
    if (plan->moment != nullptr) return absl::OkStatus();
  }
  const IndexSchema* const index = plan->source.index();
  plan->moment = ChooseMoment(
      context.staleness, plan->meta->schema.name,
      index != nullptr ? index->name : std::string_view(),
      plan->mode == ReadMode::kEventual ? StaleReads::Mode::kEventual : StaleReads::Mode::kStrong);
  return absl::OkStatus();
}

absl::Status BindSelection(std::optional<Select> select, PagePlan* plan) {
  plan->counts_only = select == Select::kCount;
  DYNOLITH_ASSIGN_OR_RETURN(
      plan->fetches_base,
      NeedsBaseItem(plan->source, select == Select::kAllAttributes, plan->projection));
  return absl::OkStatus();
}

}  // namespace dynolith
