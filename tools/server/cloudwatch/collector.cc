#include "tools/server/cloudwatch/collector.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/base/strings.h"
#include "engine/partition/tokens.h"

namespace dynolith::cloudwatch {
namespace {

// The only operations of the dimension Operation (api/facts/cloudwatch.md §1).
constexpr std::string_view kMeasured[] = {"BatchExecuteStatement",
                                          "BatchGetItem",
                                          "BatchWriteItem",
                                          "DeleteItem",
                                          "ExecuteStatement",
                                          "ExecuteTransaction",
                                          "GetItem",
                                          "GetRecords",
                                          "PutItem",
                                          "Query",
                                          "Scan",
                                          "TransactGetItems",
                                          "TransactWriteItems",
                                          "UpdateItem"};
bool IsMeasured(std::string_view operation) {
  return std::find(std::begin(kMeasured), std::end(kMeasured), operation) != std::end(kMeasured);
}

bool MayChangeCapacity(std::string_view operation) {
  return operation == "UpdateTable" || operation == "DeleteTable";
}

bool IsThrottled(std::optional<ErrorKind> error) {
  return error == ErrorKind::kProvisionedThroughputExceeded || error == ErrorKind::kThrottling ||
         error == ErrorKind::kRequestLimitExceeded;
}

Metric ConsumedBy(AccessKind kind) {
  return kind == AccessKind::kRead ? Metric::kConsumedReadCapacityUnits
                                   : Metric::kConsumedWriteCapacityUnits;
}
Metric ThrottledBy(AccessKind kind) {
  return kind == AccessKind::kRead ? Metric::kReadThrottleEvents : Metric::kWriteThrottleEvents;
}
Metric ThrottledBy(AccessKind kind, ThroughputLimit limit) {
  const bool reads = kind == AccessKind::kRead;
  switch (limit) {
    case ThroughputLimit::kProvisionedThroughput:
      return reads ? Metric::kReadProvisionedThroughputThrottleEvents
                   : Metric::kWriteProvisionedThroughputThrottleEvents;
    case ThroughputLimit::kKeyRange:
      return reads ? Metric::kReadKeyRangeThroughputThrottleEvents
                   : Metric::kWriteKeyRangeThroughputThrottleEvents;
    case ThroughputLimit::kMaxOnDemand:
      return reads ? Metric::kReadMaxOnDemandThroughputThrottleEvents
                   : Metric::kWriteMaxOnDemandThroughputThrottleEvents;
    case ThroughputLimit::kAccount:
      break;
  }
  return reads ? Metric::kReadAccountLimitThrottleEvents : Metric::kWriteAccountLimitThrottleEvents;
}

// "…/stream/2026-11-29T03:24:10.000" -> "2026-11-29T03:24:10.000"
std::string_view LabelIn(std::string_view stream_arn) {
  constexpr std::string_view kBefore = "/stream/";
  const size_t at = stream_arn.find(kBefore);
  return at == stream_arn.npos ? std::string_view() : stream_arn.substr(at + kBefore.size());
}

// "arn:…:table/T/index/ix" or "T" -> "T"
std::string_view TableIn(std::string_view name) {
  constexpr std::string_view kBefore = ":table/";
  const size_t at = name.find(kBefore);
  if (at == name.npos) return name;
  name.remove_prefix(at + kBefore.size());
  return name.substr(0, name.find('/'));
}

// The call that a thread works for.
struct CallUnderWay {
  const Collector* collector = nullptr;
  std::string operation;
  std::chrono::steady_clock::time_point begin;
  std::map<Series, double> consumed;
  std::map<Series, Statistic> sums;
  std::set<std::string> tables;
  std::string stream_label;
  bool was_throttled = false;
};
CallUnderWay& CurrentCall() {
  thread_local CallUnderWay current;
  return current;
}

size_t ThreadNumber() {
  static std::atomic<size_t> threads = 0;
  thread_local const size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

void Collector::BeginCall(std::string_view operation) {
  if (options_.before_change && MayChangeCapacity(operation)) options_.before_change();
  CallUnderWay& current = CurrentCall();
  current.collector = this;
  current.operation = operation;
  current.consumed.clear();
  current.sums.clear();
  current.tables.clear();
  current.stream_label.clear();
  current.was_throttled = false;
  current.begin = std::chrono::steady_clock::now();
}

void Collector::NoteAccesses(absl::Span<const ObservedAccess> accesses) {
  CallUnderWay& current = CurrentCall();
  if (current.collector != this) return;
  for (const ObservedAccess& access : accesses) {
    current.tables.insert(access.table->name);
    Series series = {.table = access.table->name};
    if (access.index != nullptr) series.index = access.index->name;
    if (!access.limit) {
      series.metric = ConsumedBy(access.use->kind);
      current.consumed[std::move(series)] +=
          static_cast<double>(access.use->tokens) / static_cast<double>(kTokensPerUnit);
      continue;
    }
    current.was_throttled = true;
    series.metric = ThrottledBy(access.use->kind);
    current.sums[series].Add(1);
    series.metric = ThrottledBy(access.use->kind, *access.limit);
    current.sums[std::move(series)].Add(1);
  }
}

void Collector::NoteReturnedItems(const TableSchema& table, int64_t items) {
  CallUnderWay& current = CurrentCall();
  if (current.collector != this) return;
  current.tables.insert(table.name);
  current
      .sums[{.metric = Metric::kReturnedItemCount,
             .table = table.name,
             .operation = current.operation}]
      .Add(static_cast<double>(items));
}

void Collector::NoteRowFailure(const TableSchema& table, ErrorKind error) {
  CallUnderWay& current = CurrentCall();
  if (current.collector != this) return;
  current.tables.insert(table.name);
  if (error == ErrorKind::kConditionalCheckFailed) {
    current.sums[{.metric = Metric::kConditionalCheckFailedRequests, .table = table.name}].Add(1);
  } else if (error == ErrorKind::kTransactionConflict) {
    current.sums[{.metric = Metric::kTransactionConflict, .table = table.name}].Add(1);
  }
}

void Collector::NoteStreamRead(const ObservedStreamRead& read) {
  CallUnderWay& current = CurrentCall();
  if (current.collector != this) return;
  current.tables.insert(std::string(read.table));
  current.stream_label = LabelIn(read.stream_arn);
  Series series = {.table = std::string(read.table),
                   .operation = current.operation,
                   .stream_label = current.stream_label};
  series.metric = Metric::kReturnedBytes;
  current.sums[series].Add(static_cast<double>(read.bytes));
  series.metric = Metric::kReturnedRecordsCount;
  current.sums[series].Add(static_cast<double>(read.records));
}

void Collector::EndCall(const ObservedEnd& end) {
  CallUnderWay& current = CurrentCall();
  current.collector = nullptr;
  // Of one that has thrown nobody knows the minute.
  const bool has_thrown = end.at == absl::Time();
  if (end.given_up || has_thrown || !IsMeasured(current.operation)) return;
  const absl::Duration took =
      absl::FromChrono(std::chrono::steady_clock::now() - current.begin) + end.delay;
  for (const auto& [series, units] : current.consumed) current.sums[series].Add(units);
  // What failed before it reached its tables still names them.
  std::string_view named = end.tables;
  while (!named.empty()) {
    const size_t size = std::min(named.find(','), named.size());
    current.tables.emplace(TableIn(named.substr(0, size)));
    named.remove_prefix(std::min(size + 1, named.size()));
  }
  const auto add = [&](Metric metric, double value) {
    for (const std::string& table : current.tables) {
      current
          .sums[{.metric = metric,
                 .table = table,
                 .operation = current.operation,
                 .stream_label = current.stream_label}]
          .Add(value);
    }
  };
  if (end.http_status == 200) {
    add(Metric::kSuccessfulRequestLatency, absl::ToDoubleMilliseconds(took));
  } else if (end.http_status >= 500) {
    add(Metric::kSystemErrors, 1);
  } else if (IsThrottled(end.error) || current.was_throttled) {
    add(Metric::kThrottledRequests, 1);
  }
  Add(MinuteOf(end.at), current.sums);
}

void Collector::NoteExpired(const TableSchema& table, int64_t items, absl::Time at) {
  Statistic deleted;
  deleted.Add(1, static_cast<uint64_t>(items));
  Add(MinuteOf(at),
      {{{.metric = Metric::kTimeToLiveDeletedItemCount, .table = table.name}, deleted}});
}

void Collector::NoteUserError(absl::Time at) {
  Statistic errors;
  errors.Add(1);
  Add(MinuteOf(at), {{{.metric = Metric::kUserErrors}, errors}});
}

void Collector::Add(Minute minute, const Sums& sums) {
  if (sums.empty()) return;
  Part& part = parts_[ThreadNumber() % parts_.size()];
  absl::MutexLock lock(&part.mutex);
  if (part.minute != minute || part.sums.size() >= kPartSeriesMax) HandOn(&part);
  part.minute = minute;
  for (const auto& [series, statistic] : sums) part.sums[series].Merge(statistic);
}

void Collector::HandOn(Part* part) {
  for (const auto& [series, statistic] : part->sums) store_.Add(series, part->minute, statistic);
  part->sums.clear();
}

const MinuteStore& Collector::Collect() {
  for (Part& part : parts_) {
    absl::MutexLock lock(&part.mutex);
    HandOn(&part);
  }
  return store_;
}

void Collector::DropFrom(Minute minute) {
  Collect();
  store_.DropFrom(minute);
}

}  // namespace dynolith::cloudwatch
