#include "tools/lab/measure/service_probe.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/partition/capacity_settings.h"
#include "tools/lab/measure/messages.h"
#include "tools/lab/measure/table_setup.h"

namespace dynolith::lab {
namespace {

// The table that saves, and is read a unit at a time: small, so that what it saves is less than a
// partition gives.
constexpr int64_t kSavedReads = 5;
constexpr Micros kSavedPause = kSecond / 200;
constexpr int64_t kSavedSecondsMost = 3'600;
constexpr int64_t kSavedCallsMost = kSavedReads * kSavedSecondsMost;

// The hot partition: items of one partition key, all of them asked for so often that three times
// 3,000 units are.
constexpr size_t kHotItems = 8;
constexpr size_t kHotItemBytes = 390'000;
constexpr Micros kHotPause = kSecond / 25;
// What was saved is taken in the first seconds.
constexpr size_t kHotFirstSecond = 2;
constexpr size_t kHotSecondsLeast = 4;
constexpr size_t kHotSecondsMost = 30;
// So much more is served by two partitions, for so many seconds.
constexpr double kSplitShows = 1.2;
constexpr size_t kSplitSeconds = 3;

// All of the hot partition. Each comes first as often as the others, since the last ones are not
// served.
BatchGetItemRequest ReadHotItems(const std::string& table, size_t first) {
  KeysAndAttributes asked{.projection_expression = "pk"};
  for (size_t i = 0; i < kHotItems; ++i) {
    asked.keys.push_back(
        Item({{"pk", Value::S("hot")}, {"sk", Value::S(Concat((first + i) % kHotItems))}}));
  }
  return {.request_items = {{table, std::move(asked)}},
          .return_consumed_capacity = ReturnConsumedCapacity::kTotal};
}

double SumUnits(const CallAnswer& answer) {
  return std::accumulate(answer.consumed.begin(), answer.consumed.end(), 0.0,
                         [](double sum, const auto& each) { return sum + each.units; });
}

// The tables, as an experiment has them.
Experiment ProbedTables() {
  Experiment experiment;
  TableDesign& saves = experiment.tables.emplace_back();
  saves.name = "saves";
  saves.partition_key.attribute = "pk";
  saves.throughput.on_demand = false;
  saves.throughput.units = {kSavedReads, int64_t{1}};
  TableDesign& hot = experiment.tables.emplace_back();
  hot.name = "hot";
  hot.partition_key.attribute = "pk";
  hot.sort_key = KeyPart{.attribute = "sk"};
  return experiment;
}

class Probe {
 public:
  Probe(const ProbeOptions& options, const std::vector<std::string>& tables, MeasuredTarget* target,
        ProbeTime* time)
      : options_(options), tables_(tables), connection_(target->Connect()), time_(time) {}

  absl::StatusOr<ProbeReport> Run() {
    DYNOLITH_RETURN_IF_ERROR(ReadWhatIsSaved());
    DYNOLITH_RETURN_IF_ERROR(HeatPartition());
    ReadRate();
    ReadSplit();
    return std::move(report_);
  }

 private:
  absl::Status ReadWhatIsSaved();
  absl::Status HeatPartition();
  void ReadRate();
  void ReadSplit();
  absl::StatusOr<CallAnswer> Call(const ServiceCall& call);
  absl::Status Put(const PutItemRequest& put);
  bool HasSplitIn(size_t second) const;

  const ProbeOptions& options_;
  const std::vector<std::string>& tables_;
  const std::unique_ptr<MeasuredConnection> connection_;
  ProbeTime* const time_;
  bool goes_on_ = true;
  std::vector<double> served_;   // of the hot partition, units in each second
  std::vector<bool> throttled_;  // whether it was, in each second
  std::optional<double> rate_;   // of the hot partition before its split
  ProbeReport report_;
};

// Throttled or served.
absl::StatusOr<CallAnswer> Probe::Call(const ServiceCall& call) {
  CallAnswer answer = connection_->Call(call);
  if (answer.outcome != CallAnswer::Outcome::kFailed) return answer;
  return absl::FailedPreconditionError(
      ToAbsl(messages::LabServiceSays("probe", answer.error, answer.message)));
}

// Until it is not throttled.
absl::Status Probe::Put(const PutItemRequest& put) {
  while (goes_on_) {
    DYNOLITH_ASSIGN_OR_RETURN(const CallAnswer answer, Call(put));
    goes_on_ = time_->WaitUntil(time_->Now() + kSecond);
    if (answer.outcome == CallAnswer::Outcome::kServed) break;
  }
  return absl::OkStatus();
}

absl::Status Probe::ReadWhatIsSaved() {
  const Item key({{"pk", Value::S("saves")}});
  PutItemRequest put{.table_name = tables_[0]};
  put.item = key;
  DYNOLITH_RETURN_IF_ERROR(Put(put));
  const GetItemRequest get{.table_name = tables_[0],
                           .key = key,
                           .consistent_read = true,
                           .return_consumed_capacity = ReturnConsumedCapacity::kTotal};
  goes_on_ = goes_on_ && time_->WaitUntil(time_->Now() + options_.idle);
  const Micros begun = time_->Now();
  double taken = 0;
  bool is_empty = false;
  for (int64_t calls = 1; goes_on_ && calls < kSavedCallsMost && !is_empty; ++calls) {
    DYNOLITH_ASSIGN_OR_RETURN(const CallAnswer answer, Call(get));
    is_empty = answer.outcome == CallAnswer::Outcome::kThrottled;
    taken += SumUnits(answer);
    if (!is_empty) goes_on_ = time_->WaitUntil(begun + calls * kSavedPause);
  }
  const double passed = static_cast<double>(time_->Now() - begun) / static_cast<double>(kSecond);
  const double seconds = taken / static_cast<double>(kSavedReads) - passed;
  const Micros saved = std::llround(seconds) * kSecond;
  if (!goes_on_) {
    report_.missing.push_back(messages::LabProbeStopped("burst"));
  } else if (!is_empty) {
    report_.missing.push_back(messages::LabProbeNeverEmpty(kSavedSecondsMost));
  } else if (saved < kSecond) {
    report_.missing.push_back(messages::LabProbeNothingSaved());
  } else if (saved + kSecond >= options_.idle) {
    // It might have saved more.
    report_.missing.push_back(messages::LabProbeIdleTooShort(saved / kSecond));
  } else {
    report_.found.burst = saved;
  }
  return absl::OkStatus();
}

// Whether more than one partition served there.
bool Probe::HasSplitIn(size_t second) const {
  return second + kSplitSeconds <= served_.size() &&
         std::all_of(served_.begin() + static_cast<std::ptrdiff_t>(second),
                     served_.begin() + static_cast<std::ptrdiff_t>(second + kSplitSeconds),
                     [this](double units) { return units > kSplitShows * *rate_; });
}

absl::Status Probe::HeatPartition() {
  for (size_t i = 0; i < kHotItems && goes_on_; ++i) {
    PutItemRequest put{.table_name = tables_[1]};
    put.item = Item({{"pk", Value::S("hot")},
                     {"sk", Value::S(Concat(i))},
                     {"a", Value::S(std::string(kHotItemBytes, 'x'))}});
    DYNOLITH_RETURN_IF_ERROR(Put(put));
  }
  const Micros begun = time_->Now();
  for (int64_t calls = 0; goes_on_ && time_->Now() < begun + options_.hot; ++calls) {
    const auto second = static_cast<size_t>((time_->Now() - begun) / kSecond);
    if (served_.size() <= second) {
      // All seconds before this one are over.
      if (served_.size() == kHotFirstSecond + kHotSecondsMost) ReadRate();
      if (rate_ && served_.size() > kSplitSeconds && HasSplitIn(served_.size() - kSplitSeconds)) {
        break;
      }
      served_.resize(second + 1);
      throttled_.resize(second + 1);
    }
    DYNOLITH_ASSIGN_OR_RETURN(const CallAnswer answer,
                              Call(ReadHotItems(tables_[1], static_cast<size_t>(calls))));
    served_.back() += SumUnits(answer);
    if (!answer.left.empty() || answer.outcome == CallAnswer::Outcome::kThrottled) {
      throttled_.back() = true;
    }
    goes_on_ = time_->WaitUntil(begun + (calls + 1) * kHotPause);
  }
  return absl::OkStatus();
}

// Of the seconds in which there was only one partition, the last one of which may not be over.
void Probe::ReadRate() {
  if (rate_) return;
  const size_t end = std::min(served_.size(), kHotFirstSecond + kHotSecondsMost);
  if (end < kHotFirstSecond + kHotSecondsLeast) {
    report_.missing.push_back(goes_on_ ? messages::LabProbeTooShort()
                                       : messages::LabProbeStopped("eventual_reads"));
    return;
  }
  const auto at = [](const auto& list, size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const double sum = std::accumulate(at(served_, kHotFirstSecond), at(served_, end), 0.0);
  const double mean = sum / static_cast<double>(end - kHotFirstSecond);
  if (std::find(at(throttled_, kHotFirstSecond), at(throttled_, end), false) !=
      at(throttled_, end)) {
    report_.missing.push_back(messages::LabProbeNotThrottled(std::llround(mean)));
    return;
  }
  rate_ = mean;
  report_.found.eventual_units = std::llround(mean / 10) * 10;
}

// A partition counts as hot after a while, which the model takes for known; measured from the
// middle of its windows.
void Probe::ReadSplit() {
  if (!rate_ && goes_on_) return report_.missing.push_back(messages::LabProbeNoRate());
  const HeatRule rule;
  for (size_t second = kHotFirstSecond; rate_ && second < served_.size(); ++second) {
    if (!HasSplitIn(second)) continue;
    const Micros delay = static_cast<Micros>(second) * kSecond - rule.duration - rule.window / 2;
    const Micros windows = (delay + rule.window / 2) / rule.window;
    report_.found.split_delay = std::max<Micros>(0, windows * rule.window);
    return;
  }
  report_.missing.push_back(goes_on_ ? messages::LabProbeNoSplit(served_.size())
                                     : messages::LabProbeStopped("split_delay"));
}

}  // namespace

absl::StatusOr<ProbeReport> ProbeService(const ProbeOptions& options, MeasuredTarget* target,
                                         ProbeTime* time) {
  const Experiment experiment = ProbedTables();
  const std::vector<std::string> tables = TableNames(experiment, options.prefix, "");
  DYNOLITH_RETURN_IF_ERROR(MakeTables(experiment, tables, target));
  absl::StatusOr<ProbeReport> report = Probe(options, tables, target, time).Run();
  const absl::Status deleted = DeleteTables(tables, target);
  DYNOLITH_RETURN_IF_ERROR(report.status());
  DYNOLITH_RETURN_IF_ERROR(deleted);
  return report;
}

}  // namespace dynolith::lab
