#include "tools/server/otlp/telemetry.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "absl/synchronization/notification.h"
#include "engine/base/clock.h"
#include "engine/base/status_macros.h"
#include "engine/process/thread_start.h"
#include "tools/server/otlp/messages.h"

namespace dynolith::otlp {
namespace {

// For how long spans wait for others.
constexpr absl::Duration kSpansPause = absl::Seconds(1);
// After the first failure at most this, then twice as long each time.
constexpr absl::Duration kFirstBackOff = absl::Seconds(1);
constexpr absl::Duration kLongestBackOff = absl::Seconds(30);
constexpr absl::Duration kLongestRetryAfter = absl::Minutes(5);
constexpr int kDoublingsMax = 5;
// Between two warnings that spans were dropped.
constexpr absl::Duration kDroppedPause = absl::Minutes(1);

}  // namespace

absl::StatusOr<std::unique_ptr<Telemetry>> Telemetry::Make(TelemetryOptions options) {
  std::unique_ptr<Telemetry> made(new Telemetry(std::move(options)));
  const Settings& settings = made->options_.settings;
  if (settings.address.is_tls) {
    DYNOLITH_ASSIGN_OR_RETURN(made->trust_, client::TlsTrust::Load(settings.certificates));
  }
  for (Signal* signal : {&made->traces_, &made->metrics_}) {
    signal->client =
        std::make_unique<ExportClient>(&settings, made->trust_.get(), &made->interrupted_);
  }
  return made;
}

Telemetry::Telemetry(TelemetryOptions options)
    : options_(std::move(options)),
      calls_(options_.sample_ratio, [this](std::string span) { Keep(std::move(span)); }),
      starts_(SystemClock().Now()) {}

Telemetry::~Telemetry() { Stop(); }

absl::Status Telemetry::Begin() {
  has_begun_ = true;
  DYNOLITH_RETURN_IF_ERROR(spans_work_.Begin(kSpansPause));
  return metrics_work_.Begin(options_.interval);
}

void Telemetry::Stop() {
  if (!has_begun_ || has_stopped_.exchange(true)) return;
  absl::Notification done;
  std::thread watch;
  // Without a thread an export still has its own time.
  const absl::Status watched = StartThread(
      [&] {
        if (!done.WaitForNotificationWithTimeout(options_.settings.timeout / 2)) {
          interrupted_ = true;
        }
      },
      &watch);
  spans_work_.Stop();
  metrics_work_.Stop();
  absl::Duration pause;
  if (batch_.empty()) batch_ = queue_.Take();
  while (!batch_.empty() && !interrupted_ && SendBatch(&pause)) batch_ = queue_.Take();
  SayDropped();
  if (!interrupted_) SendMetrics();
  done.Notify();
  if (watched.ok()) watch.join();
}

void Telemetry::Keep(std::string span) {
  if (queue_.Add(std::move(span))) spans_work_.Wake();
}

absl::Duration Telemetry::SendSpans() {
  if (batch_.empty()) batch_ = queue_.Take();
  absl::Duration pause = kSpansPause;
  const bool is_sent = batch_.empty() || SendBatch(&pause);
  SayDropped();
  return is_sent && queue_.has_batch() ? absl::ZeroDuration() : pause;
}

bool Telemetry::SendBatch(absl::Duration* pause) {
  const ExportResult result = Export(&traces_, EncodeTraces(batch_, options_.settings.resource));
  if (result.kind == ExportResult::Kind::kLater) {
    *pause = BackOff(result, traces_.failures_in_row);
    return false;
  }
  const uint64_t spans = batch_.size();
  const uint64_t refused = result.kind == ExportResult::Kind::kRefused
                               ? spans
                               : std::min<uint64_t>(result.rejected, spans);
  sent_ += spans - refused;
  refused_ += refused;
  batch_.clear();
  return true;
}

absl::Duration Telemetry::SendMetrics() {
  const MetricFamilies families = options_.metrics();
  if (families.empty()) return options_.interval;
  const std::string request =
      EncodeMetrics(families, options_.settings.resource, SystemClock().Now(), &starts_);
  const ExportResult result = Export(&metrics_, request);
  if (result.kind != ExportResult::Kind::kLater) return options_.interval;
  // Sums say everything again the next time, so nothing is kept.
  return BackOff(result, metrics_.failures_in_row);
}

ExportResult Telemetry::Export(Signal* signal, const std::string& request) {
  const std::string& url = options_.settings.url;
  ExportResult result = signal->client->Export(signal->path, request);
  ++signal->exports;
  if (result.kind == ExportResult::Kind::kTaken) {
    if (signal->failures_in_row > 0) {
      options_.note(messages::OtlpWorksAgain(signal->name, url));
    }
    signal->failures_in_row = 0;
    if (result.reason != signal->last_partial && (result.rejected > 0 || !result.reason.empty())) {
      options_.note(messages::OtlpPartlyTaken(signal->name, url, result.rejected, result.reason));
    }
    signal->last_partial = result.reason;
    return result;
  }
  ++signal->failures;
  // Once, until it succeeds again.
  if (signal->failures_in_row++ == 0) {
    options_.note(result.kind == ExportResult::Kind::kLater
                      ? messages::OtlpFails(signal->name, url, result.reason)
                      : messages::OtlpRefused(signal->name, url, result.reason));
  }
  return result;
}

absl::Duration Telemetry::BackOff(const ExportResult& result, int failures) const {
  if (result.retry_after >= absl::ZeroDuration()) {
    return std::min(result.retry_after, kLongestRetryAfter);
  }
  thread_local std::mt19937_64 random{std::random_device{}()};
  const absl::Duration longest =
      std::min(kFirstBackOff * (1 << std::min(failures - 1, kDoublingsMax)), kLongestBackOff);
  // From half of it on, so that receivers that come back do not get everything at once.
  return longest * std::uniform_real_distribution<double>(0.5, 1)(random);
}

void Telemetry::SayDropped() {
  const uint64_t dropped = queue_.dropped();
  const absl::Time now = SystemClock().Now();
  const bool is_time = has_stopped_ || now - told_at_ >= kDroppedPause;
  if (dropped == told_dropped_ || !is_time) return;
  options_.note(messages::OtlpDropped(dropped - told_dropped_));
  told_dropped_ = dropped;
  told_at_ = now;
}

void Telemetry::AddMetrics(MetricFamilies* families) const {
  MetricFamily& spans =
      AddCounters("otlp_spans_total", "Spans of calls, by what became of them.", families);
  const auto add_spans = [&](const char* outcome, uint64_t count) {
    AddCounter({{"outcome", outcome}}, static_cast<double>(count), &spans);
  };
  add_spans("sent", sent_);
  add_spans("refused", refused_);
  add_spans("dropped", queue_.dropped());
  MetricFamily exports;
  MetricFamily failures;
  for (const Signal* signal : {&traces_, &metrics_}) {
    const MetricLabels labels = {{"signal", std::string(signal->name)}};
    AddCounter(labels, static_cast<double>(signal->exports.load()), &exports);
    AddCounter(labels, static_cast<double>(signal->failures.load()), &failures);
  }
  AddCounters("otlp_exports_total", "Requests to the receiver of telemetry, by signal.", families)
      .metric = std::move(exports.metric);
  AddCounters("otlp_export_failures_total", "Of those, what failed or was refused.", families)
      .metric = std::move(failures.metric);
}

}  // namespace dynolith::otlp
