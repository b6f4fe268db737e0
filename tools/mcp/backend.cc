#include "tools/mcp/backend.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/service/database_instance.h"
#include "api/service/messages.h"
#include "api/service/time_text.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/client/admin_call.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/server/admin_guard.h"

namespace dynolith::mcp {
namespace {

constexpr int kStatusOk = 200;
constexpr size_t kConnections = 2;

absl::StatusOr<JsonTree> ToCallResult(client::ServiceAnswer answer) {
  if (answer.error.empty()) return std::move(answer.output);
  if (answer.error == client::kNoAnswer) return absl::UnavailableError(ToAbsl(answer.message));
  return absl::FailedPreconditionError(messages::McpServiceError(answer.error, answer.message));
}

absl::StatusOr<JsonTree> ToAdminResult(std::string_view path, std::string_view body) {
  if (body.empty()) return MapTree();
  std::optional<JsonTree> tree = ParseJson(body, kMessageDepthMax);
  if (!tree) return absl::InternalError(messages::McpAdminNotJson(path));
  return *std::move(tree);
}

// Each call sees the state in which it begins, so that a snapshot can be restored between two.
class LocalBackend final : public Backend, public client::ServiceTarget {
 public:
  LocalBackend(std::unique_ptr<DatabaseInstance> database, std::string folder)
      : database_(std::move(database)), folder_(std::move(folder)) {}

  absl::StatusOr<JsonTree> Call(std::string_view operation, const JsonTree& input) override {
    return ToCallResult(Connect()->Call(operation, input));
  }
  absl::StatusOr<JsonTree> Admin(AdminVerb verb, const std::string& path,
                                 const JsonTree& body) override;
  client::ServiceTarget* target() override { return this; }
  std::string Place() const override {
    return folder_.empty() ? messages::McpInMemory() : messages::McpInFolder(folder_);
  }

  std::unique_ptr<client::ServiceConnection> Connect() override {
    return std::make_unique<Connection>(database_.get());
  }
  size_t connections() const override { return kConnections; }

 private:
  class Connection final : public client::ServiceConnection {
   public:
    explicit Connection(DatabaseInstance* database) : database_(database) {}
    absl::StatusOr<client::HttpAnswer> Send(std::string_view operation,
                                            std::string_view body) override {
      const DatabaseInstance::Use use = database_->Begin();
      if (!use) return absl::InternalError(messages::DatabaseNotOpen());
      JsonResponse response = use.dispatcher().Handle(operation, body);
      absl::SleepFor(response.delay);  // of an injected fault
      if (response.is_dropped) return absl::UnavailableError(messages::McpAnswerLost());
      return client::HttpAnswer{.status = response.http_status, .body = std::move(response.body)};
    }

   private:
    DatabaseInstance* const database_;
  };

  const std::unique_ptr<DatabaseInstance> database_;
  const std::string folder_;
};

std::string_view VerbName(AdminVerb verb) {
  if (verb == AdminVerb::kGet) return "GET";
  return verb == AdminVerb::kPost ? "POST" : "DELETE";
}

absl::StatusOr<JsonTree> LocalBackend::Admin(AdminVerb verb, const std::string& path,
                                             const JsonTree& body) {
  const size_t question = path.find('?');
  const std::string text = verb == AdminVerb::kPost ? PrintJson(body) : "";
  const std::string bare = path.substr(0, question);
  JsonResponse answer;
  const bool is_there = database_->Answer(
      {.method = VerbName(verb),
       .path = bare,
       .query = question == std::string::npos ? std::string_view()
                                              : std::string_view(path).substr(question + 1),
       .body = text},
      &answer);
  if (!is_there) return absl::NotFoundError(messages::AdminNoSuchPath(bare));
  absl::StatusOr<JsonTree> result = ToAdminResult(bare, answer.body);
  if (answer.http_status == kStatusOk || !result.ok()) return result;
  return absl::FailedPreconditionError(ToAbsl(TextAt(*result, "error")));
}

class RemoteBackend final : public Backend {
 public:
  RemoteBackend(std::unique_ptr<client::ServiceTarget> target, client::AdminServer admin)
      : target_(std::move(target)), admin_(std::move(admin)) {}

  absl::StatusOr<JsonTree> Call(std::string_view operation, const JsonTree& input) override {
    // Once: who injects faults wants to see them.
    return ToCallResult(target_->Connect()->Call(operation, input));
  }
  absl::StatusOr<JsonTree> Admin(AdminVerb verb, const std::string& path,
                                 const JsonTree& body) override {
    const auto method = verb == AdminVerb::kGet    ? client::AdminMethod::kGet
                        : verb == AdminVerb::kPost ? client::AdminMethod::kPost
                                                   : client::AdminMethod::kDelete;
    const std::string text = verb == AdminVerb::kPost ? PrintJson(body) : "";
    DYNOLITH_ASSIGN_OR_RETURN(const std::string answer,
                              client::CallAdmin(admin_, method, path, text));
    return ToAdminResult(path, answer);
  }
  client::ServiceTarget* target() override { return target_.get(); }
  std::string Place() const override { return messages::McpAtEndpoint(admin_.url); }

 private:
  const std::unique_ptr<client::ServiceTarget> target_;
  const client::AdminServer admin_;
};

absl::StatusOr<std::unique_ptr<Backend>> OpenRemote(const BackendOptions& options) {
  client::AdminServer admin{.url = options.endpoint, .token = "", .timeouts = {}};
  if (!options.admin_token_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(admin.token, ReadAdminToken(options.admin_token_file));
  }
  client::IdentityOptions identity;
  identity.region = options.region;
  DYNOLITH_ASSIGN_OR_RETURN(
      std::unique_ptr<client::ServiceTarget> target,
      client::MakeServerTarget(options.endpoint, options.certificates_file, identity));
  DYNOLITH_RETURN_IF_ERROR(target->Open());
  return std::make_unique<RemoteBackend>(std::move(target), std::move(admin));
}

absl::StatusOr<std::unique_ptr<Backend>> OpenLocal(const BackendOptions& options) {
  RestorableOptions restorable{.database = options.settings.database};
  restorable.database.in_memory = restorable.database.path.empty();
  restorable.database.count_use = true;
  if (options.settings.manual_clock) {
    absl::Time start = absl::FromUnixMillis(absl::ToUnixMillis(SystemClock().Now()));
    if (!options.clock_start.empty()) {
      const std::optional<absl::Time> given = ParseTimeText(options.clock_start);
      if (!given) return absl::InvalidArgumentError(messages::NotATime(options.clock_start));
      start = *given;
    }
    restorable.manual_clock_start = start;
  }
  DYNOLITH_ASSIGN_OR_RETURN(
      std::unique_ptr<DatabaseInstance> database,
      DatabaseInstance::Open(std::move(restorable), {.endpoint_address = "localhost"}));
  return std::make_unique<LocalBackend>(std::move(database), options.settings.database.path);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> Backend::Open(const BackendOptions& options) {
  return options.endpoint.empty() ? OpenLocal(options) : OpenRemote(options);
}

}  // namespace dynolith::mcp
