#include "tools/server/cloudwatch/cloudwatch.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "api/request/operation_context.h"
#include "api/service/request_id.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/server/cloudwatch/alarm_calls.h"
#include "tools/server/cloudwatch/messages.h"
#include "tools/server/cloudwatch/metric_calls.h"

namespace dynolith::cloudwatch {
namespace {

absl::Time NowOf(const DatabaseInstance::Use& use) {
  return use.clock() != nullptr ? use.clock()->Now() : SystemClock().Now();
}

void CatchUpWith(const DatabaseInstance::Use& use, Monitor* monitor) {
  monitor->CatchUp(NowOf(use), use.database()->ReportUse());
}

// Why there is no database to be asked.
CallError Failed(const absl::Status& status) {
  if (absl::IsInvalidArgument(status)) return ValidationFailed(std::string(MessageOf(status)));
  return {"InternalServiceFault", "InternalServiceError", 500, std::string(MessageOf(status))};
}

// Why a caller may not call, in the words of the signature's checks.
CallError Refused(const absl::Status& status) {
  const ErrorInfo& info = InfoOf(KindOf(status));
  return {info.exception_name, info.exception_name, 403, std::string(MessageOf(status))};
}

}  // namespace

std::string_view Cloudwatch::UsualName(std::string_view name) const {
  NamedDatabases* const databases = databases_;
  if (name.empty() || databases == nullptr) return name;
  const std::vector<std::string> regions = databases->RegionNames();
  return !regions.empty() && name == regions.front() ? std::string_view() : name;
}

std::shared_ptr<Monitor> Cloudwatch::MonitorOf(std::string_view name) {
  absl::MutexLock lock(&mutex_);
  const auto found = monitors_.find(name);
  if (found != monitors_.end()) return found->second;
  MonitorOptions options;
  options.delay = options_.delay;
  options.note = options_.note;
  options.collector.store.memory = memory_;
  options.collector.before_change = [this, of = std::string(name)] { CatchUpOne(of); };
  return monitors_.emplace(name, std::make_shared<Monitor>(std::move(options))).first->second;
}

std::shared_ptr<Collector> Cloudwatch::CollectorOf(std::string_view name) {
  const std::shared_ptr<Monitor> monitor = MonitorOf(name);
  return {monitor, &monitor->collector()};
}

void Cloudwatch::Forget(std::string_view name) {
  absl::MutexLock lock(&mutex_);
  const auto found = monitors_.find(name);
  if (found != monitors_.end()) monitors_.erase(found);
}

void Cloudwatch::WithOpen(
    std::string_view name,
    absl::FunctionRef<void(const DatabaseInstance::Use& use, Monitor* monitor)> visit) {
  NamedDatabases* const databases = databases_;
  if (databases == nullptr) return;
  const std::string_view usual = UsualName(name);
  const std::shared_ptr<DatabaseInstance> named =
      usual.empty() ? nullptr : databases->PeekOpen(usual);
  if (!usual.empty() && named == nullptr) return;
  DatabaseInstance& database = named != nullptr ? *named : databases->first();
  const std::optional<DatabaseInstance::Use> use = database.TryBegin();
  if (use && *use) visit(*use, MonitorOf(usual).get());
}

void Cloudwatch::CatchUpOne(std::string_view name) { WithOpen(name, &CatchUpWith); }

void Cloudwatch::CatchUp() {
  std::vector<std::string> names;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [name, _] : monitors_) names.push_back(name);
  }
  for (const std::string& name : names) CatchUpOne(name);
  MakeRoom();
}

void Cloudwatch::MakeRoom() {
  // Above this part of the memory, so that the next minutes of all databases find room.
  const size_t much = memory_->bytes_max / 4 * 3;
  for (size_t before = 0; memory_->bytes > much && memory_->bytes != before;) {
    before = memory_->bytes;
    std::shared_ptr<Monitor> largest;
    size_t most = 0;
    {
      absl::MutexLock lock(&mutex_);
      for (const auto& [_, monitor] : monitors_) {
        const size_t bytes = monitor->collector().bytes();
        if (bytes <= most) continue;
        most = bytes;
        largest = monitor;
      }
    }
    if (largest != nullptr) largest->collector().DropOlderHalf();
  }
}

void Cloudwatch::GoBack(std::string_view name) {
  WithOpen(name,
           [](const DatabaseInstance::Use& use, Monitor* monitor) { monitor->GoBack(NowOf(use)); });
}

void Cloudwatch::NoteUserError(std::string_view name) {
  WithOpen(name, [](const DatabaseInstance::Use& use, Monitor* monitor) {
    monitor->collector().NoteUserError(NowOf(use));
  });
}

void Cloudwatch::Answer(const http::Request& request, std::string_view path, const Caller& caller,
                        http::Response* response) {
  std::array<char, kRequestIdBytes> id;
  DrawRequestId(id.data());
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): only what has a form comes here.
  const Form form = *FindForm(request, path);
  // What somebody sends who may not call is not read.
  const CallText call =
      caller.refusal.ok() ? ReadCall(form, request, path) : CallText{.form = form};
  const CallResult result =
      caller.refusal.ok() ? Run(call, caller) : CallResult(Refused(caller.refusal));
  WriteResult(call, result, {id.data(), id.size()}, response);
}

CallResult Cloudwatch::Run(const CallText& call, const Caller& caller) {
  if (call.is_too_large) return TooLarge(messages::CloudwatchTooLarge(kRequestBytesMax));
  if (!call.input) return ValidationFailed(messages::CloudwatchNotReadable(NameOf(call.form)));
  NamedDatabases* const databases = databases_;
  const std::string_view name = UsualName(caller.database);
  const auto database = databases->Obtain(name, caller.region);
  if (!database.ok()) return Failed(database.status());
  const DatabaseInstance::Use use = (*database)->Begin();
  if (!use) return Failed(absl::InternalError(messages::CloudwatchNoDatabase()));
  const std::shared_ptr<Monitor> kept = MonitorOf(name);
  Monitor& monitor = *kept;
  CatchUpWith(use, &monitor);
  const absl::Time now = NowOf(use);
  const std::string& operation = call.operation;
  if (operation == "GetMetricData") return GetMetricData(*call.input, now, &monitor);
  if (operation == "GetMetricStatistics") return GetMetricStatistics(*call.input, now, &monitor);
  if (operation == "ListMetrics") return ListMetrics(*call.input, now, &monitor);
  if (operation == "PutMetricAlarm") {
    const std::string& region = ContextOf(*use.database()).region;
    return PutMetricAlarm(*call.input, now,
                          Concat("arn:aws:cloudwatch:", region.empty() ? options_.region : region,
                                 ":", options_.account, ":alarm:"),
                          &monitor);
  }
  if (operation == "DescribeAlarms") return DescribeAlarms(*call.input, &monitor);
  if (operation == "DeleteAlarms") return DeleteAlarms(*call.input, &monitor);
  if (operation == "SetAlarmState") return SetAlarmState(*call.input, now, &monitor);
  return CallError{"InvalidAction", "InvalidAction", 400,
                   messages::CloudwatchNoOperation(operation)};
}

}  // namespace dynolith::cloudwatch
