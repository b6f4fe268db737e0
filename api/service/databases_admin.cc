#include "api/service/databases_admin.h"

#include <optional>
#include <string>
#include <vector>

#include "api/json/json_writer.h"
#include "api/service/admin_error.h"
#include "api/service/messages.h"
#include "engine/base/errors.h"
#include "engine/text/json_tree.h"

namespace dynolith {
namespace {

constexpr std::string_view kDatabases = "/_dynolith/databases";
constexpr std::string_view kOneDatabase = "/_dynolith/databases/";
constexpr std::string_view kDatabaseExample = R"({"name": "test1", "from": "base"})";

}  // namespace

bool DatabasesAdmin::IsPath(std::string_view path) {
  return path == kDatabases || path.starts_with(kOneDatabase);
}

void DatabasesAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  if (request.path == kDatabases) {
    if (request.method == "GET") return List(answer);
    if (request.method == "POST") return Create(request.body, answer);
    return AnswerWrongMethod(request.path, "GET, POST", answer);
  }
  if (request.method != "DELETE") return AnswerWrongMethod(request.path, "DELETE", answer);
  const absl::Status status = databases_->Remove(request.path.substr(kOneDatabase.size()));
  if (!status.ok()) return AnswerStateError(status, answer);
  answer->body = kNothing;
}

void DatabasesAdmin::List(JsonResponse* answer) const {
  const absl::StatusOr<std::vector<std::string>> names = databases_->List();
  if (!names.ok()) return AnswerStateError(names.status(), answer);
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("databases");
  writer.BeginArray();
  for (const std::string& name : *names) writer.String(name);
  writer.EndArray();
  writer.EndObject();
}

void DatabasesAdmin::Create(std::string_view body, JsonResponse* answer) const {
  const auto refuse = [&] {
    AnswerAdminError(400, messages::DatabaseBodyWanted(kDatabaseExample), answer);
  };
  const std::optional<JsonTree> tree = ParseJson(body, /*depth_max=*/1);
  if (!tree || tree->kind != JsonTree::Kind::kMap) return refuse();
  std::optional<std::string> name;
  std::optional<std::string> from;
  std::optional<std::string> snapshot;
  for (const JsonTree::Member& member : tree->members) {
    std::optional<std::string>* const to = member.name == "name"       ? &name
                                           : member.name == "from"     ? &from
                                           : member.name == "snapshot" ? &snapshot
                                                                       : nullptr;
    if (to == nullptr || *to || member.value.kind != JsonTree::Kind::kString) return refuse();
    *to = member.value.text;
  }
  if (!name) return refuse();
  const NamedDatabases::Origin origin{from.value_or(""), snapshot.value_or("")};
  const absl::Status status = databases_->Create(*name, from || snapshot ? &origin : nullptr);
  if (!status.ok()) return AnswerStateError(status, answer);
  answer->body = kNothing;
}

}  // namespace dynolith
