#include "api/service/snapshot_admin.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "api/json/json_writer.h"
#include "api/json/single_member.h"
#include "api/service/admin_error.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr std::string_view kSnapshot = "/_dynolith/snapshot";
constexpr std::string_view kSnapshots = "/_dynolith/snapshots";
constexpr std::string_view kOneSnapshot = "/_dynolith/snapshots/";
constexpr std::string_view kRestore = "/_dynolith/restore";
constexpr std::string_view kSnapshotExample = R"({"name": "loaded"})";

}  // namespace

bool SnapshotAdmin::IsRestore(std::string_view path) { return path == kRestore; }

bool SnapshotAdmin::IsPath(std::string_view path) {
  return path == kSnapshot || path == kSnapshots || path == kRestore ||
         path.starts_with(kOneSnapshot);
}

void SnapshotAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  const std::string_view path = request.path;
  if (path == kSnapshots) {
    return request.method == "GET" ? List(answer) : AnswerWrongMethod(path, "GET", answer);
  }
  if (path.starts_with(kOneSnapshot)) return Remove(request, answer);
  if (request.method != "POST") return AnswerWrongMethod(path, "POST", answer);
  const auto member = ReadSingleMember(request.body, "name");
  const auto* const name = std::get_if<std::string>(&member);
  if (name == nullptr) {
    const auto* const error = std::get_if<SingleMemberError>(&member);
    return AnswerAdminError(
        400,
        MemberErrorText(error != nullptr ? *error : SingleMemberError::kOtherType, "name",
                        kSnapshotExample),
        answer);
  }
  const bool restores = path == kRestore;
  const absl::Status status = restores ? database_->Restore(*name) : database_->TakeSnapshot(*name);
  if (!status.ok()) return AnswerStateError(status, answer);
  if (!restores) return List(answer);
  answer->body = kNothing;
}

void SnapshotAdmin::List(JsonResponse* answer) const {
  const absl::StatusOr<std::vector<std::string>> names = database_->ListSnapshots();
  if (!names.ok()) return AnswerStateError(names.status(), answer);
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("snapshots");
  writer.BeginArray();
  for (const std::string& name : *names) writer.String(name);
  writer.EndArray();
  writer.EndObject();
}

void SnapshotAdmin::Remove(const AdminRequest& request, JsonResponse* answer) const {
  if (request.method != "DELETE") return AnswerWrongMethod(request.path, "DELETE", answer);
  const absl::Status status = database_->RemoveSnapshot(request.path.substr(kOneSnapshot.size()));
  if (!status.ok()) return AnswerStateError(status, answer);
  answer->body = kNothing;
}

}  // namespace dynolith
