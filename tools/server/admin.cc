#include "tools/server/admin.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "api/json/json_writer.h"
#include "api/json/single_member.h"
#include "api/service/admin_error.h"
#include "api/service/databases_admin.h"
#include "api/service/messages.h"
#include "api/service/regions_admin.h"
#include "api/service/snapshot_admin.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/backup/checkpoint_folder.h"
#include "tools/pages/live/live_page.h"
#include "tools/server/handover/handover_admin.h"
#include "tools/server/messages.h"

namespace dynolith {
namespace {

constexpr std::string_view kMetrics = "/_dynolith/metrics";
constexpr std::string_view kCheckpoint = "/_dynolith/checkpoint";
constexpr std::string_view kRemoveCheckpoint = "/_dynolith/checkpoint/remove";
// Of the text format that Prometheus reads.
constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

bool IsAdminPath(std::string_view path) {
  return path.starts_with(kAdminFolder) &&
         (path.size() == kAdminFolder.size() || path[kAdminFolder.size()] == '/');
}

// Whether it changes what is in the data folder or beside it. What is left out asks the database.
bool ChangesFolder(const http::Request& request) {
  const std::string_view path = request.path();
  return request.method_text != "GET" &&
         (path == kCheckpoint || path == kRemoveCheckpoint || DatabasesAdmin::IsPath(path) ||
          handover::HandoverAdmin::IsPath(path));
}

// Another backup may hold the checkpoint; that passes.
void AnswerCheckpointError(const absl::Status& status, JsonResponse* answer) {
  AnswerAdminError(absl::IsAborted(status) ? 409 : 500, MessageOf(status), answer);
}

std::string_view ContentTypeFor(std::string_view path, int status) {
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

}  // namespace

http::Lane Admin::ChooseLane(const http::Request& request) const {
  // It may wait for all calls under way in a database.
  const std::string_view path = request.path();
  if (DatabasesAdmin::IsPath(path) || SnapshotAdmin::IsPath(path)) return http::Lane::kWaiting;
  if (ChangesAdmin::IsPath(path)) return http::Lane::kPolling;
  // A move of the clock may take as long as a sweep.
  if (IsAdminPath(path)) return http::Lane::kLong;
  return options_.next->ChooseLane(request);
}

http::WorkOwner Admin::WorkOwnerFor(const http::Request& request) const {
  if (!IsAdminPath(request.path())) return options_.next->WorkOwnerFor(request);
  return {.kind = std::hash<std::string_view>()(request.path())};
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
  const bool is_page =
      request.method_text == "GET" && live::FindPageFile(request.path()) != nullptr;
  if (const auto objection = guard_.Objection(request, is_page)) {
    JsonResponse refusal;
    AnswerAdminError(objection->status, objection->reason, &refusal);
    http::HandOn(std::move(refusal), response);
    if (objection->status == 401) response->AddHeader("WWW-Authenticate", "Bearer");
  } else if (options_.foreign && options_.foreign(request, response)) {
    return Record(request, *response, start);
  } else {
    Answer(request, response);
  }
  response->AddHeader("Content-Type", ContentTypeFor(request.path(), response->status));
  if (response->status >= 500 && options_.fail) {
    const auto error = ReadSingleMember(response->body, kAdminErrorMember);
    const auto* const cause = std::get_if<std::string>(&error);
    options_.fail({.status = response->status,
                   .kind = InfoOf(ErrorKind::kInternalServerError).exception_name,
                   .operation = request.path(),
                   .cause = cause != nullptr ? *cause : response->body});
  }
  Record(request, *response, start);
}

void Admin::Record(const http::Request& request, const http::Response& response,
                   std::chrono::steady_clock::time_point start) const {
  if (!options_.record) return;
  options_.record({.method = request.method_text,
                   .path = request.path(),
                   .status = response.status,
                   .database = request.Find(http::kDatabaseHeader).value_or(""),
                   .request_bytes = request.body.size(),
                   .response_bytes = response.body.size(),
                   .duration = absl::FromChrono(std::chrono::steady_clock::now() - start)});
}

void Admin::Answer(const http::Request& request, http::Response* response) {
  const std::string_view path = request.path();
  JsonResponse answer;
  const AdminRequest asked = {
      .method = request.method_text, .path = path, .query = request.query(), .body = request.body};
  if (options_.only_reads && ChangesFolder(request)) {
    AnswerAdminError(409, messages::ServerOnlyReads(options_.data_folder), &answer);
  } else if (options_.first && options_.first(asked, &answer)) {
    // It has answered.
  } else if (const live::PageFile* const file = live::FindPageFile(path)) {
    if (request.method_text == "GET") return AnswerPageFile(*file, response);
    AnswerWrongMethod(path, "GET", &answer);
  } else if (path == kMetrics) {
    if (request.method_text == "GET") {
      if (const auto database = FindDatabase(request, &answer)) {
        AnswerMetrics(database.get(), &answer);
      }
    } else {
      AnswerWrongMethod(path, "GET", &answer);
    }
  } else if (options_.handovers != nullptr && handover::HandoverAdmin::IsPath(path)) {
    AnswerHandovers(request, asked, &answer);
  } else if (path == kCheckpoint || path == kRemoveCheckpoint) {
    AnswerCheckpoint(request, &answer);
  } else {
    AnswerDatabase(request, asked, &answer);
  }
  http::HandOn(std::move(answer), response);
}

std::shared_ptr<DatabaseInstance> Admin::FindDatabase(const http::Request& request,
                                                      JsonResponse* answer) const {
  const std::string_view name = request.Find(http::kDatabaseHeader).value_or("");
  auto database = options_.databases->Find(name);
  if (database.ok() && *database != nullptr) return *std::move(database);
  if (database.ok()) {
    AnswerAdminError(404, messages::NoSuchDatabase(name), answer);
  } else {
    AnswerStateError(database.status(), answer);
  }
  return nullptr;
}

void Admin::AnswerMetrics(DatabaseInstance* database, JsonResponse* answer) const {
  absl::StatusOr<std::string> text = options_.metrics(*database);
  if (!text.ok()) return AnswerStateError(text.status(), answer);
  answer->body = *std::move(text);
}

void Admin::AnswerHandovers(const http::Request& request, const AdminRequest& asked,
                            JsonResponse* answer) const {
  const auto database = FindDatabase(request, answer);
  if (database == nullptr) return;
  const std::string name(request.Find(http::kDatabaseHeader).value_or(""));
  handover::HandoverAdmin(options_.handovers, database.get(), name).Answer(asked, answer);
}

void Admin::AnswerDatabase(const http::Request& request, const AdminRequest& asked,
                           JsonResponse* answer) const {
  if (DatabasesAdmin::IsPath(asked.path)) {
    return DatabasesAdmin(options_.databases).Answer(asked, answer);
  }
  if (RegionsAdmin::IsPath(asked.path)) {
    return RegionsAdmin(options_.databases).Answer(asked, answer);
  }
  const auto database = FindDatabase(request, answer);
  if (database == nullptr) return;
  if (RegionsAdmin(options_.databases).AnswerOf(database.get(), asked, answer)) return;
  AnswerAdminError(404, messages::AdminNoSuchPath(asked.path, messages::AdminPathsOfServer()),
                   answer);
}

void Admin::EndIdle() {
  options_.databases->ForEach([](DatabaseInstance& database) {
    if (const auto use = database.TryBegin(); use && *use) use->admin().EndIdle();
  });
}

void Admin::AnswerCheckpoint(const http::Request& request, JsonResponse* answer) {
  const std::string_view path = request.path();
  if (request.method_text != "POST") return AnswerWrongMethod(path, "POST", answer);
  if (!request.body.empty() && !IsEmptyObject(request.body)) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), answer);
  }
  return path == kCheckpoint ? Checkpoint(answer) : RemoveCheckpoint(answer);
}

void Admin::Checkpoint(JsonResponse* answer) {
  if (options_.data_folder.empty()) {
    return AnswerAdminError(400, messages::CheckpointOfMemory(), answer);
  }
  absl::MutexLock lock(&checkpointing_);
  const DatabaseInstance::Use use = options_.databases->first().Begin();
  if (!use) return AnswerAdminError(500, messages::DatabaseNotOpen(), answer);
  const absl::StatusOr<std::string> folder = MakeCheckpoint(
      options_.data_folder, [&](const std::string& to) { return use.database()->Checkpoint(to); });
  if (!folder.ok()) return AnswerCheckpointError(folder.status(), answer);
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("folder");
  writer.String(*folder);
  writer.EndObject();
}

void Admin::RemoveCheckpoint(JsonResponse* answer) {
  absl::MutexLock lock(&checkpointing_);
  if (!options_.data_folder.empty()) {
    const absl::Status removed = dynolith::RemoveCheckpoint(options_.data_folder);
    if (!removed.ok()) return AnswerCheckpointError(removed, answer);
  }
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.EndObject();
}

}  // namespace dynolith
