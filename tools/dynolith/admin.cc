#include "tools/dynolith/admin.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <variant>

#include "api/json/json_writer.h"
#include "api/json/single_member.h"
#include "api/settings/staleness_text.h"
#include "api/settings/time_text.h"
#include "engine/base/errors.h"
#include "engine/base/messages/admin.h"
#include "engine/base/messages/staleness.h"
#include "engine/base/messages/store_backup.h"
#include "engine/base/strings.h"
#include "tools/backup/checkpoint_folder.h"
#include "tools/dynolith/admin_error.h"
#include "tools/live/live_page.h"
#include "tools/wire/host_names.h"

namespace dynolith {
namespace {

constexpr std::string_view kFolder = "/_dynolith";
constexpr std::string_view kMetrics = "/_dynolith/metrics";
constexpr std::string_view kGets[] = {"/_dynolith/clock", "/_dynolith/staleness", kMetrics};
constexpr std::string_view kPosts[] = {"/_dynolith/clock/advance",     "/_dynolith/clock/set",
                                       "/_dynolith/ttl/sweep",         "/_dynolith/staleness/hold",
                                       "/_dynolith/staleness/release", "/_dynolith/checkpoint",
                                       "/_dynolith/checkpoint/remove"};
// Of the text format that Prometheus reads.
constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kAdvanceExample = R"({"seconds": 3600})";
constexpr std::string_view kSetExample = R"({"now": "2026-01-31T12:00:00Z"})";

bool IsAdminPath(std::string_view path) {
  return path.starts_with(kFolder) &&
         (path.size() == kFolder.size() || path[kFolder.size()] == '/');
}

// Another backup may hold the checkpoint; that passes.
void AnswerCheckpointError(const absl::Status& status, http::Response* response) {
  AnswerAdminError(absl::IsUnavailable(status) ? 409 : 500, MessageOf(status), response);
}

// Whether a browser says that a page has asked which is not of this server.
bool IsOfOtherPage(const http::Request& request) {
  // What a person types into the browser is "none".
  const std::string_view site = request.Find("sec-fetch-site").value_or("none");
  if (site != "none" && site != "same-origin") return true;
  const std::optional<std::string_view> origin = request.Find("origin");
  const std::string_view host = request.Find("host").value_or("");
  return origin && !http::EqualsIgnoreCase(*origin, Concat("http://", host)) &&
         !http::EqualsIgnoreCase(*origin, Concat("https://", host));
}

// Why the request is not answered; nullopt: it is.
std::optional<std::string> Objection(const http::Request& request) {
  if (!request.from_this_machine) return messages::AdminOnlyFromHere();
  for (const std::string_view name : {"forwarded", "x-forwarded-for", "via"}) {
    if (request.Find(name)) return messages::AdminNotForwarded();
  }
  if (IsOfOtherPage(request)) return messages::AdminNotForPages();
  // A page whose name leads here has the same origin as this server, but its name in Host.
  const std::string_view host = request.Find("host").value_or("localhost");
  if (!http::IsLoopbackName(http::WithoutPort(host))) return messages::AdminHostIsNotLocal(host);
  return std::nullopt;
}

std::string_view TypeOf(std::string_view path, int status) {
  constexpr std::string_view kJson = "application/json";
  if (status != 200) return kJson;
  if (path == kMetrics) return kMetricsType;
  const live::PageFile* const file = live::FindPageFile(path);
  return file != nullptr ? file->content_type : kJson;
}

void AnswerPageFile(const live::PageFile& file, http::Response* response) {
  response->AddHeader("Content-Security-Policy", live::kContentSecurityPolicy);
  response->AddHeader("Referrer-Policy", "no-referrer");
  response->AddHeader("Cross-Origin-Resource-Policy", "same-origin");
  response->body = file.text;
}

std::string TextOf(SingleMemberFault fault, std::string_view name, std::string_view example) {
  switch (fault) {
    case SingleMemberFault::kNotAnObject:
      return messages::AdminNotAnObject(example);
    case SingleMemberFault::kOtherMembers:
      return messages::AdminMemberWanted(name, example);
    case SingleMemberFault::kOtherType:
      break;
  }
  return messages::AdminWrongType(name, example);
}

}  // namespace

http::Lane Admin::LaneOf(const http::Request& request) const {
  // A move of the clock may take as long as a sweep.
  if (IsAdminPath(request.path())) return http::Lane::kLong;
  return options_.next->LaneOf(request);
}

bool Admin::HandleOnLoop(const http::Request& request, http::Response* response) {
  if (!IsAdminPath(request.path())) return options_.next->HandleOnLoop(request, response);
  Handle(request, response);
  return true;
}

void Admin::Handle(const http::Request& request, http::Response* response) {
  if (!IsAdminPath(request.path())) return options_.next->Handle(request, response);
  const auto start = std::chrono::steady_clock::now();
  response->AddHeader("Cache-Control", "no-store");
  response->AddHeader("X-Content-Type-Options", "nosniff");
  if (const auto objection = Objection(request)) {
    AnswerAdminError(403, *objection, response);
  } else {
    Answer(request, response);
  }
  response->AddHeader("Content-Type", TypeOf(request.path(), response->status));
  if (response->status >= 500 && options_.fail) {
    const auto error = ReadSingleMember(response->body, kAdminErrorMember);
    const auto* const cause = std::get_if<std::string>(&error);
    options_.fail({.status = response->status,
                   .kind = InfoOf(ErrorKind::kInternalServerError).exception_name,
                   .operation = request.path(),
                   .cause = cause != nullptr ? *cause : response->body});
  }
  if (!options_.record) return;
  options_.record({.method = request.method_text,
                   .path = request.path(),
                   .status = response->status,
                   .request_bytes = request.body.size(),
                   .response_bytes = response->body.size(),
                   .duration = absl::FromChrono(std::chrono::steady_clock::now() - start)});
}

void Admin::Answer(const http::Request& request, http::Response* response) {
  const std::string_view path = request.path();
  if (FaultAdmin::IsPath(path)) return faults_.Answer(request, response);
  if (CapacityAdmin::IsPath(path)) return capacity_.Answer(request, response);
  if (HeatAdmin::IsPath(path)) return heat_.Answer(request, response);
  if (const live::PageFile* const file = live::FindPageFile(path)) {
    if (request.method_text != "GET") return AnswerWrongMethod(path, "GET", response);
    return AnswerPageFile(*file, response);
  }
  const bool reads = std::find(std::begin(kGets), std::end(kGets), path) != std::end(kGets);
  const bool known =
      reads || std::find(std::begin(kPosts), std::end(kPosts), path) != std::end(kPosts);
  if (!known) return AnswerAdminError(404, messages::AdminNoSuchPath(path), response);
  const std::string_view method = reads ? "GET" : "POST";
  if (request.method_text != method) return AnswerWrongMethod(path, method, response);
  return reads ? AnswerGet(path, response) : AnswerPost(path, request.body, response);
}

void Admin::AnswerGet(std::string_view path, http::Response* response) const {
  if (path == "/_dynolith/clock") return AnswerClock(response);
  if (path == kMetrics) {
    response->body = options_.metrics();
    return;
  }
  AppendStaleness(options_.database->DescribeStaleness(), &response->body);
}

void Admin::AnswerPost(std::string_view path, std::string_view body, http::Response* response) {
  if (path.starts_with("/_dynolith/clock/")) return MoveClock(path, body, response);
  if (path.starts_with("/_dynolith/staleness/")) return HoldOrRelease(path, body, response);
  if (!body.empty() && !IsEmptyObject(body)) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), response);
  }
  if (path == "/_dynolith/ttl/sweep") return Sweep(response);
  return path == "/_dynolith/checkpoint" ? Checkpoint(response) : RemoveCheckpoint(response);
}

void Admin::MoveClock(std::string_view path, std::string_view body, http::Response* response) {
  if (options_.clock == nullptr)
    return AnswerAdminError(409, messages::ClockGoesByItself(), response);
  return path == "/_dynolith/clock/set" ? Set(body, response) : Advance(body, response);
}

void Admin::HoldOrRelease(std::string_view path, std::string_view body, http::Response* response) {
  const std::optional<ReadScope> scope = ParseScopeBody(body);
  if (!scope) return AnswerAdminError(400, messages::StalenessBodyWanted(), response);
  Database* const database = options_.database;
  const absl::Status status = path == "/_dynolith/staleness/hold" ? database->HoldReads(*scope)
                                                                  : database->ReleaseReads(*scope);
  if (!status.ok()) {
    return AnswerAdminError(absl::IsNotFound(status) ? 404 : 500, MessageOf(status), response);
  }
  AppendStaleness(database->DescribeStaleness(), &response->body);
}

void Admin::AnswerClock(http::Response* response) const {
  const bool manual = options_.clock != nullptr;
  JsonWriter writer(&response->body);
  writer.BeginObject();
  writer.Key("now");
  writer.Timestamp(manual ? options_.clock->Now() : SystemClock().Now());
  writer.Key("mode");
  writer.String(manual ? "manual" : "system");
  writer.EndObject();
}

void Admin::Advance(std::string_view body, http::Response* response) {
  const auto seconds = ReadSingleMember(body, "seconds");
  if (const auto* fault = std::get_if<SingleMemberFault>(&seconds)) {
    return AnswerAdminError(400, TextOf(*fault, "seconds", kAdvanceExample), response);
  }
  const auto* number = std::get_if<double>(&seconds);
  if (number == nullptr) {
    return AnswerAdminError(400, messages::AdminWrongType("seconds", kAdvanceExample), response);
  }
  if (*number < 0) return AnswerAdminError(400, messages::ClockOnlyForward(), response);
  // Steps are as long as times since 1970 at most.
  const std::optional<absl::Time> step = TimeOfSeconds(*number);
  if (!step) {
    return AnswerAdminError(400, messages::ClockTooFar(TimeText(LatestClockTime())), response);
  }
  absl::MutexLock lock(&moving_);
  MoveTo(options_.clock->Now() + (*step - absl::UnixEpoch()), response);
}

void Admin::Set(std::string_view body, http::Response* response) {
  const auto now = ReadSingleMember(body, "now");
  if (const auto* fault = std::get_if<SingleMemberFault>(&now)) {
    return AnswerAdminError(400, TextOf(*fault, "now", kSetExample), response);
  }
  std::optional<absl::Time> time;
  std::string given;
  if (const auto* number = std::get_if<double>(&now)) {
    time = TimeOfSeconds(*number);
    given = std::to_string(*number);
  } else {
    given = std::get<std::string>(now);
    time = ParseTimeText(given);
  }
  if (!time) return AnswerAdminError(400, messages::NotATime(given), response);
  absl::MutexLock lock(&moving_);
  MoveTo(*time, response);
}

void Admin::MoveTo(absl::Time time, http::Response* response) {
  const absl::Time now = options_.clock->Now();
  if (time < now) {
    return AnswerAdminError(400, messages::ClockNotBack(TimeText(time), TimeText(now)), response);
  }
  if (time > LatestClockTime()) {
    return AnswerAdminError(400, messages::ClockTooFar(TimeText(LatestClockTime())), response);
  }
  options_.clock->Set(time);
  // An index whose delay has passed is ACTIVE only once it has been filled, which takes real time.
  absl::Status status = options_.database->WaitForBackfills();
  status.Update(options_.database->TakeBackgroundFailure());
  if (!status.ok()) return AnswerAdminError(500, MessageOf(status), response);
  AnswerClock(response);
}

void Admin::Sweep(http::Response* response) {
  const absl::StatusOr<int64_t> deleted = options_.database->SweepExpiredItems();
  if (!deleted.ok()) return AnswerAdminError(500, MessageOf(deleted.status()), response);
  JsonWriter writer(&response->body);
  writer.BeginObject();
  writer.Key("deleted");
  writer.Integer(*deleted);
  writer.EndObject();
}

void Admin::Checkpoint(http::Response* response) {
  if (options_.data_folder.empty()) {
    return AnswerAdminError(409, messages::CheckpointOfMemory(), response);
  }
  absl::MutexLock lock(&checkpointing_);
  const absl::StatusOr<std::string> folder =
      MakeCheckpoint(options_.data_folder,
                     [&](const std::string& to) { return options_.database->Checkpoint(to); });
  if (!folder.ok()) return AnswerCheckpointError(folder.status(), response);
  JsonWriter writer(&response->body);
  writer.BeginObject();
  writer.Key("folder");
  writer.String(*folder);
  writer.EndObject();
}

void Admin::RemoveCheckpoint(http::Response* response) {
  absl::MutexLock lock(&checkpointing_);
  if (!options_.data_folder.empty()) {
    const absl::Status removed = dynolith::RemoveCheckpoint(options_.data_folder);
    if (!removed.ok()) return AnswerCheckpointError(removed, response);
  }
  JsonWriter writer(&response->body);
  writer.BeginObject();
  writer.EndObject();
}

}  // namespace dynolith
