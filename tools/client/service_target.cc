#include "tools/client/service_target.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/remote/remote_service.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/client/messages.h"

namespace dynolith::client {
namespace {

// More do not make one server faster.
constexpr size_t kServerConnections = 8;
constexpr size_t kDatabaseConnections = 2;
constexpr absl::Duration kFirstLook = absl::Milliseconds(20);
constexpr absl::Duration kLongestWait = absl::Seconds(2);
constexpr absl::Duration kPatienceSlice = absl::Milliseconds(100);
constexpr int kHttpOk = 200;
// An item of 32 levels, each of which is two in JSON, and what is around it.
constexpr int kAnswerDepthMax = 128;

std::atomic<bool (*)()> end_of_patience = nullptr;

bool IsOfStreams(std::string_view operation) {
  return operation == "ListStreams" || operation == "DescribeStream" ||
         operation == "GetShardIterator" || operation == "GetRecords";
}

std::string_view TextAt(const JsonTree& map, std::string_view name) {
  const JsonTree* const member = map.Find(name);
  return member == nullptr ? std::string_view() : std::string_view(member->text);
}

// {"__type": "…#ValidationException", "message": …}
ServiceAnswer ToServiceAnswer(int status, std::string_view body) {
  ServiceAnswer answer;
  // Operations that answer nothing: TagResource.
  if (status == kHttpOk && body.empty()) body = "{}";
  std::optional<JsonTree> tree = ParseJson(body, kAnswerDepthMax);
  if (!tree) {
    return {.error = std::string(kNoAnswer), .message = messages::ClientOddAnswer(status)};
  }
  answer.status = status;
  if (status == kHttpOk) {
    answer.output = *std::move(tree);
    return answer;
  }
  const std::string_view type = TextAt(*tree, "__type");
  answer.error = type.substr(type.find('#') + 1);
  if (answer.error.empty()) answer.error = kNoAnswer;
  for (const std::string_view name : {"message", "Message"}) {
    if (answer.message.empty()) answer.message = TextAt(*tree, name);
  }
  return answer;
}

// Whether an answer with status 200 is none of that operation: of a proxy, or of another service.
// Seen by those operations that everything else begins with; where nothing is answered, dynalite
// sends an empty text.
bool IsForeign(std::string_view operation, std::string_view input, const JsonTree& output) {
  using Kind = JsonTree::Kind;
  const auto lacks = [&](std::string_view name, Kind kind) {
    const JsonTree* const member = output.Find(name);
    return member == nullptr || member->kind != kind;
  };
  if (operation == "DescribeTable") return lacks("Table", Kind::kMap);
  if (operation != "ListTables") return false;
  if (lacks("TableNames", Kind::kList)) return true;
  // Who follows one that does not move on never ends.
  const std::string_view last = TextAt(output, "LastEvaluatedTableName");
  const std::optional<JsonTree> asked = ParseJson(input, kAnswerDepthMax);
  return !last.empty() && asked && last == TextAt(*asked, "ExclusiveStartTableName");
}

class DatabaseTarget final : public ServiceTarget {
 public:
  explicit DatabaseTarget(Database* database) : database_(database), dispatcher_(database, {}) {}
  std::unique_ptr<ServiceConnection> Connect() override {
    return std::make_unique<Connection>(&dispatcher_);
  }
  size_t connections() const override { return kDatabaseConnections; }
  Database* database() const override { return database_; }

 private:
  class Connection final : public ServiceConnection {
   public:
    explicit Connection(const Dispatcher* dispatcher) : dispatcher_(dispatcher) {}
    absl::StatusOr<HttpAnswer> Send(std::string_view operation, std::string_view body) override {
      JsonResponse response = dispatcher_->Handle(operation, body);
      return HttpAnswer{.status = response.http_status, .body = std::move(response.body)};
    }

   private:
    const Dispatcher* const dispatcher_;
  };

  Database* const database_;
  const Dispatcher dispatcher_;
};

class FolderTarget final : public ServiceTarget {
 public:
  explicit FolderTarget(DatabaseOptions options) : options_(std::move(options)) {}

  absl::Status Open() override {
    DYNOLITH_ASSIGN_OR_RETURN(database_, Database::Open(options_));
    target_ = MakeDatabaseTarget(database_.get());
    return absl::OkStatus();
  }
  std::unique_ptr<ServiceConnection> Connect() override { return target_->Connect(); }
  size_t connections() const override { return target_->connections(); }
  Database* database() const override { return database_.get(); }

 private:
  const DatabaseOptions options_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<ServiceTarget> target_;
};

class ServerTarget final : public ServiceTarget {
 public:
  explicit ServerTarget(std::unique_ptr<RemoteService> service) : service_(std::move(service)) {}
  std::unique_ptr<ServiceConnection> Connect() override {
    return std::make_unique<Connection>(service_.get());
  }
  size_t connections() const override { return kServerConnections; }

 private:
  class Connection final : public ServiceConnection {
   public:
    explicit Connection(RemoteService* service) : service_(service) {}
    absl::StatusOr<HttpAnswer> Send(std::string_view operation, std::string_view body) override {
      const std::string_view service =
          IsOfStreams(operation) ? "DynamoDBStreams_20120810." : "DynamoDB_20120810.";
      return service_->Call(Concat(service, operation), body);
    }

   private:
    RemoteService* const service_;
  };

  const std::unique_ptr<RemoteService> service_;
};

}  // namespace

ServiceAnswer ServiceConnection::Call(std::string_view operation, std::string_view body) {
  const absl::StatusOr<HttpAnswer> answer = Send(operation, body);
  if (!answer.ok()) {
    return {.error = std::string(kNoAnswer), .message = std::string(MessageOf(answer.status()))};
  }
  ServiceAnswer read = ToServiceAnswer(answer->status, answer->body);
  if (!read.error.empty() || !IsForeign(operation, body, read.output)) return read;
  return {.error = std::string(kNoAnswer), .message = messages::ClientForeignAnswer(operation)};
}

std::unique_ptr<ServiceTarget> MakeDatabaseTarget(Database* database) {
  return std::make_unique<DatabaseTarget>(database);
}

std::unique_ptr<ServiceTarget> MakeFolderTarget(DatabaseOptions options) {
  return std::make_unique<FolderTarget>(std::move(options));
}

absl::StatusOr<std::unique_ptr<ServiceTarget>> MakeServerTarget(const std::string& url,
                                                                const std::string& certificates,
                                                                const IdentityOptions& identity) {
  RemoteOptions options{.endpoint = url, .certificates_file = certificates, .identity = identity};
  options.retries.attempts_max = 1;  // callers have the patience they want
  options.pool.connections_max = std::numeric_limits<size_t>::max();  // each has its own
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<RemoteService> service, RemoteService::Open(options));
  return std::make_unique<ServerTarget>(std::move(service));
}

Retries& PatientRetries() {
  constexpr int kAttemptsMax = 30;
  static Retries retries({.attempts_max = kAttemptsMax,
                          .delay_max = kLongestWait,
                          .has_quota = false,
                          .is_over = IsPatienceOver});
  return retries;
}

ServiceAnswer CallPatiently(ServiceConnection* connection, std::string_view operation,
                            std::string_view body) {
  Retries::Call retry(&PatientRetries());
  for (;;) {
    ServiceAnswer answer = connection->Call(operation, body);
    if (answer.error.empty() || answer.error == kNoAnswer) return answer;
    if (!retry.WaitForNext(KindOfFailure(answer.status, answer.error))) return answer;
  }
}

void WaitBeforeLook(int look) {
  constexpr int kDoublingsMax = 10;
  const absl::Duration wait = kFirstLook * (1 << std::min(look - 1, kDoublingsMax));
  const absl::Time end = absl::Now() + std::min(wait, kLongestWait);
  while (absl::Now() < end && !IsPatienceOver()) {
    absl::SleepFor(std::min(end - absl::Now(), kPatienceSlice));
  }
}

PatienceUntil::PatienceUntil(bool (*is_over)()) { end_of_patience = is_over; }
PatienceUntil::~PatienceUntil() { end_of_patience = nullptr; }

bool IsPatienceOver() {
  bool (*const is_over)() = end_of_patience;
  return is_over != nullptr && is_over();
}

}  // namespace dynolith::client
