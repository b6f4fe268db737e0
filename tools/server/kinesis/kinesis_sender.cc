#include "tools/server/kinesis/kinesis_sender.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/json/json_member.h"
#include "api/json/json_writer.h"
#include "api/service/admin_error.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/server/kinesis/messages.h"

namespace dynolith::kinesis {
namespace {

// Between looks for destinations, and after how many of these looks places that no call has kept
// are written.
constexpr absl::Duration kDestinationsPause = absl::Milliseconds(200);
constexpr int kLooksUntilKept = 300;

std::string_view StatusOf(const Destination& destination) {
  return destination.status ? StatusName(*destination.status) : "GONE";
}

void WriteLane(const DestinationLane& lane, JsonWriter* writer) {
  const Destination destination = lane.destination();
  const LaneReport report = lane.Report();
  writer->BeginObject();
  WriteText(writer, "table", destination.table);
  WriteText(writer, "stream", destination.stream);
  WriteText(writer, "status", StatusOf(destination));
  WriteCount(writer, "sent", report.sent);
  WriteCount(writer, "waiting", report.waiting);
  if (report.age) WriteCount(writer, "age_seconds", absl::ToInt64Seconds(*report.age));
  WriteCount(writer, "calls", report.calls);
  WriteCount(writer, "failures", report.failures);
  WriteCount(writer, "given_up", report.given_up);
  if (!report.last_error.empty()) WriteText(writer, "last_error", report.last_error);
  writer->EndObject();
}

}  // namespace

absl::Status KinesisSender::Check(const std::string& url, const std::string& region,
                                  const std::string& file) {
  if (url.empty()) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(targets::Positions::Open(file).status());
  return KinesisClient::Open({.url = url, .region = region}).status();
}

absl::StatusOr<std::unique_ptr<KinesisSender>> KinesisSender::Open(KinesisSenderOptions options) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<targets::Positions> positions,
                            targets::Positions::Open(options.file));
  std::unique_ptr<KinesisSender> sender(
      new KinesisSender(std::move(options), std::move(positions)));
  DYNOLITH_ASSIGN_OR_RETURN(std::string region, sender->source_.Region());
  DYNOLITH_ASSIGN_OR_RETURN(sender->client_,
                            KinesisClient::Open({.url = sender->options_.url,
                                                 .region = std::move(region),
                                                 .interrupted = &sender->interrupted_}));
  return sender;
}

KinesisSender::~KinesisSender() { Stop(); }

absl::Status KinesisSender::Begin() { return look_.Begin(absl::ZeroDuration()); }

void KinesisSender::Stop() {
  if (interrupted_.exchange(true)) return;
  look_.Stop();
  for (const auto& [key, work] : lanes()) work->work.Stop();
  const absl::Status kept = positions_->Keep();
  if (!kept.ok()) options_.note(std::string(MessageOf(kept)));
}

KinesisSender::Lanes KinesisSender::lanes() const {
  absl::MutexLock lock(&mutex_);
  return lanes_;
}

absl::Duration KinesisSender::Look() {
  if (interrupted_.load()) return absl::InfiniteDuration();
  absl::Status looked = FollowDestinations();
  if (++looks_ % kLooksUntilKept == 0) looked.Update(positions_->Keep());
  // While the database returns to a snapshot it is not open.
  const bool has_failed = !looked.ok() && !absl::IsUnavailable(looked);
  if (has_failed && !has_failed_) options_.note(messages::KinesisLookFails(MessageOf(looked)));
  has_failed_ = has_failed;
  return kDestinationsPause;
}

absl::Status KinesisSender::FollowDestinations() {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Destination> destinations, source_.Destinations());
  const Lanes before = lanes();
  std::set<targets::MappingKey> there;
  for (const Destination& destination : destinations) {
    const targets::MappingKey key = destination.key();
    there.insert(key);
    if (const auto found = before.find(key); found != before.end()) {
      found->second->lane->Update(destination);
      continue;
    }
    const LaneParts parts = {.source = &source_,
                             .positions = positions_.get(),
                             .waiting_bytes = &waiting_bytes_,
                             .interrupted = &interrupted_,
                             .note = options_.note};
    const auto work = std::make_shared<LaneWork>(
        std::make_unique<DestinationLane>(parts, destination, client_->Connect()), &threads_);
    {
      absl::MutexLock lock(&mutex_);
      lanes_[key] = work;
    }
    DYNOLITH_RETURN_IF_ERROR(work->work.Begin(absl::ZeroDuration()));
  }
  for (const auto& [key, work] : before) {
    if (there.count(key) > 0) continue;
    work->work.Stop();
    work->lane->Forget();
    absl::MutexLock lock(&mutex_);
    lanes_.erase(key);
  }
  return absl::OkStatus();
}

void KinesisSender::Answer(const AdminRequest& request, JsonResponse* answer) const {
  if (request.method != "GET") return AnswerWrongMethod(request.path, "GET", answer);
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  WriteText(&writer, "endpoint", options_.url);
  writer.Key("destinations");
  writer.BeginArray();
  for (const auto& [key, work] : lanes()) WriteLane(*work->lane, &writer);
  writer.EndArray();
  writer.EndObject();
}

void KinesisSender::AddMetrics(MetricFamilies* families) const {
  const Lanes all = lanes();
  if (all.empty()) return;
  // What is left of a table that is gone counts for the one that has its name by now.
  std::map<std::pair<std::string, std::string>, LaneReport> reports;
  for (const auto& [key, work] : all) {
    const Destination destination = work->lane->destination();
    const LaneReport report = work->lane->Report();
    LaneReport& sum = reports[{destination.table, destination.stream}];
    sum.sent += report.sent;
    sum.given_up += report.given_up;
    sum.failures += report.failures;
    sum.waiting += report.waiting;
    if (report.age) sum.age = std::max(*report.age, sum.age.value_or(*report.age));
  }
  MetricFamily failures;
  MetricFamily waiting;
  MetricFamily ages;
  MetricFamily& records = AddCounters(
      "kinesis_records_total", "Changes of tables for Kinesis destinations, by outcome.", families);
  for (const auto& [names, report] : reports) {
    const MetricLabels labels = {{"table", names.first}, {"stream", names.second}};
    for (const auto& [outcome, count] :
         {std::pair<const char*, int64_t>{"sent", report.sent}, {"given_up", report.given_up}}) {
      MetricLabels all_labels = labels;
      all_labels.push_back({"outcome", outcome});
      AddCounter(std::move(all_labels), static_cast<double>(count), &records);
    }
    AddCounter(labels, static_cast<double>(report.failures), &failures);
    AddGauge(labels, static_cast<double>(report.waiting), &waiting);
    AddGauge(labels, absl::ToDoubleSeconds(report.age.value_or(absl::ZeroDuration())), &ages);
  }
  AddCounters("kinesis_failures_total", "Calls of Kinesis that failed or left out records.",
              families)
      .metric = std::move(failures.metric);
  AddGauges("kinesis_waiting_records", "Changes that have been read and are not sent.", families)
      .metric = std::move(waiting.metric);
  AddGauges("kinesis_age_seconds", "The age of the oldest of them; 0: there is none.", families)
      .metric = std::move(ages.metric);
}

}  // namespace dynolith::kinesis
