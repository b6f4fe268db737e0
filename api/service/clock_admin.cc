#include "api/service/clock_admin.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <variant>

#include "api/json/json_writer.h"
#include "api/json/single_member.h"
#include "api/service/admin_error.h"
#include "api/service/messages.h"
#include "api/service/time_text.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr std::string_view kClock = "/_dynolith/clock";
constexpr std::string_view kAdvance = "/_dynolith/clock/advance";
constexpr std::string_view kSet = "/_dynolith/clock/set";
constexpr std::string_view kSweep = "/_dynolith/ttl/sweep";
constexpr std::string_view kAdvanceExample = R"({"seconds": 3600})";
constexpr std::string_view kSetExample = R"({"now": "2026-01-31T12:00:00Z"})";

}  // namespace

bool ClockAdmin::IsPath(std::string_view path) {
  return path == kClock || path == kAdvance || path == kSet || path == kSweep;
}

void ClockAdmin::Answer(const AdminRequest& request, JsonResponse* answer) {
  const std::string_view path = request.path;
  if (path == kClock) {
    return request.method == "GET" ? Show(answer) : AnswerWrongMethod(path, "GET", answer);
  }
  if (request.method != "POST") return AnswerWrongMethod(path, "POST", answer);
  if (path == kSweep) return Sweep(request.body, answer);
  if (clock_ == nullptr) return AnswerAdminError(409, messages::ClockGoesByItself(), answer);
  return path == kSet ? Set(request.body, answer) : Advance(request.body, answer);
}

void ClockAdmin::Show(JsonResponse* answer) const {
  const bool manual = clock_ != nullptr;
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("now");
  writer.Timestamp(manual ? clock_->Now() : SystemClock().Now());
  writer.Key("mode");
  writer.String(manual ? "manual" : "system");
  writer.EndObject();
}

void ClockAdmin::Advance(std::string_view body, JsonResponse* answer) {
  const auto seconds = ReadSingleMember(body, "seconds");
  if (const auto* error = std::get_if<SingleMemberError>(&seconds)) {
    return AnswerAdminError(400, MemberErrorText(*error, "seconds", kAdvanceExample), answer);
  }
  const auto* number = std::get_if<double>(&seconds);
  if (number == nullptr) {
    return AnswerAdminError(400, messages::AdminWrongType("seconds", kAdvanceExample), answer);
  }
  if (*number < 0) return AnswerAdminError(400, messages::ClockOnlyForward(), answer);
  // Steps are as long as times since 1970 at most.
  const std::optional<absl::Time> step = TimeOfSeconds(*number);
  if (!step) {
    return AnswerAdminError(400, messages::ClockTooFar(TimeText(LatestClockTime())), answer);
  }
  absl::MutexLock lock(&moving_);
  MoveTo(clock_->Now() + (*step - absl::UnixEpoch()), answer);
}

void ClockAdmin::Set(std::string_view body, JsonResponse* answer) {
  const auto now = ReadSingleMember(body, "now");
  if (const auto* error = std::get_if<SingleMemberError>(&now)) {
    return AnswerAdminError(400, MemberErrorText(*error, "now", kSetExample), answer);
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
  if (!time) return AnswerAdminError(400, messages::NotATime(given), answer);
  absl::MutexLock lock(&moving_);
  MoveTo(*time, answer);
}

void ClockAdmin::MoveTo(absl::Time time, JsonResponse* answer) {
  const absl::Time now = clock_->Now();
  if (time < now) {
    return AnswerAdminError(400, messages::ClockNotBack(TimeText(time), TimeText(now)), answer);
  }
  if (time > LatestClockTime()) {
    return AnswerAdminError(400, messages::ClockTooFar(TimeText(LatestClockTime())), answer);
  }
  clock_->Set(time);
  // An index whose delay has passed is ACTIVE only once it has been filled, which takes real time.
  absl::Status status = database_->WaitForBackfills();
  status.Update(database_->TakeBackgroundFailure());
  if (!status.ok()) return AnswerAdminError(500, MessageOf(status), answer);
  Show(answer);
}

void ClockAdmin::Sweep(std::string_view body, JsonResponse* answer) {
  if (!body.empty() && !IsEmptyObject(body)) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), answer);
  }
  const absl::StatusOr<int64_t> deleted = database_->SweepExpiredItems();
  if (!deleted.ok()) return AnswerStateError(deleted.status(), answer);
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("deleted");
  writer.Integer(*deleted);
  writer.EndObject();
}

}  // namespace dynolith
