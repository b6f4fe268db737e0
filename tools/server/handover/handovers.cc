#include "tools/server/handover/handovers.h"

#include <algorithm>
#include <random>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "api/remote/aws_settings.h"
#include "api/remote/remote_service.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/handover/call_tables.h"
#include "tools/server/handover/messages.h"

namespace dynolith::handover {
namespace {

constexpr int kHttpOk = 200;
constexpr int kHttpServerErrors = 500;
// A server that stops waits for its calls.
constexpr std::chrono::seconds kForwardTimeout{15};

std::string_view OperationIn(std::string_view target) {
  constexpr std::string_view kService = "DynamoDB_20120810.";
  return target.starts_with(kService) ? target.substr(kService.size()) : std::string_view();
}

// Of this process, in Via headers.
const std::string& Pseudonym() {
  static const std::string pseudonym = [] {
    std::random_device device;
    return absl::StrCat("dynolith-", absl::Hex(device(), absl::kZeroPad8),
                        absl::Hex(device(), absl::kZeroPad8));
  }();
  return pseudonym;
}

std::optional<ErrorKind> KindIn(const std::string& body) {
  const std::string name = client::ReadErrorName(body);
  for (int i = 0; i <= static_cast<int>(ErrorKind::kInternalServerError); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    if (InfoOf(kind).exception_name == name) return kind;
  }
  return std::nullopt;
}

JsonResponse Unavailable(std::string_view message) {
  return ErrorResponse(MakeError(ErrorKind::kServiceUnavailable, message));
}

// What a partial batch leaves to its caller; empty: the operation is none.
std::string_view UnprocessedOf(std::string_view operation) {
  if (operation == "BatchGetItem") return "UnprocessedKeys";
  if (operation == "BatchWriteItem") return "UnprocessedItems";
  return "";
}

}  // namespace

// One table. Its table, state and target never change; another entry replaces it.
class Handovers::Entry {
 public:
  explicit Entry(HandedTable table) : table_(std::move(table)) {}

  const HandedTable& table() const { return table_; }
  bool forwards() const { return table_.state == HandoverState::kForward; }
  std::string Title() const { return messages::HandoverTable(table_.table, table_.database); }

  // Opens it when it is first needed, since credentials may come late. Errors: those of
  // RemoteService::Open.
  absl::StatusOr<client::RemoteService*> Service() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (service_ == nullptr) {
      client::RemoteOptions options;
      options.endpoint = table_.to.url;
      options.certificates_file = table_.to.certificates;
      options.identity.region = table_.to.region;
      if (!table_.to.profile.empty()) {
        options.identity.environment = client::EnvironmentOfProfile(table_.to.profile);
      }
      // The caller repeats.
      options.retries = {.attempts_max = 1};
      options.pool.timeouts.answer = kForwardTimeout;
      options.pool.wait_max = absl::FromChrono(kForwardTimeout);
      options.may_repeat = false;
      DYNOLITH_ASSIGN_OR_RETURN(service_, client::RemoteService::Open(options));
    }
    return service_.get();
  }

  std::atomic<uint64_t> forwarded = 0;
  std::atomic<uint64_t> failed = 0;
  std::atomic<uint64_t> refused = 0;

 private:
  const HandedTable table_;
  absl::Mutex mutex_;
  std::unique_ptr<client::RemoteService> service_ ABSL_GUARDED_BY(mutex_);
};

// The entries of a call's tables.
struct Handovers::Found {
  std::shared_ptr<Entry> refusing;               // of a table that the call may write
  std::shared_ptr<Entry> first;                  // that forwards
  std::string other;                             // a table that goes elsewhere, or stays
  std::set<std::string, std::less<>> of_target;  // tables that go where the first one goes
};

Handovers::~Handovers() = default;

absl::StatusOr<std::unique_ptr<Handovers>> Handovers::Open(HandoverOptions options) {
  std::unique_ptr<Handovers> handovers(new Handovers(std::move(options)));
  if (handovers->options_.file.empty()) return handovers;
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<HandedTable> tables,
                            ReadHandovers(handovers->options_.file));
  absl::MutexLock lock(&handovers->mutex_);
  for (HandedTable& table : tables) {
    Key key(table.database, table.table);
    const auto entry = std::make_shared<Entry>(std::move(table));
    handovers->Note(entry->forwards()
                        ? messages::HandoverForwards(entry->Title(), entry->table().to.url)
                        : messages::HandoverRefuses(entry->Title()));
    handovers->entries_[std::move(key)] = entry;
  }
  handovers->has_any_ = !handovers->entries_.empty();
  return handovers;
}

void Handovers::Note(const std::string& text) const {
  if (options_.note) options_.note(text);
}

Handovers::Entries Handovers::entries() const {
  absl::MutexLock lock(&mutex_);
  return entries_;
}

std::shared_ptr<Handovers::Entry> Handovers::Find(const Key& key) const {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second;
}

bool Handovers::MayWait(std::string_view target, std::string_view body) const {
  if (!IsOfItems(OperationIn(target))) return false;
  absl::MutexLock lock(&mutex_);
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& each) {
    return each.second->forwards() && body.find(each.first.second) != std::string_view::npos;
  });
}

Handovers::Found Handovers::FindEntries(const HandoverCall& call, std::string_view operation,
                                        const JsonTree& body) const {
  Found found;
  for (const CallTable& table : TablesOfCall(operation, body)) {
    std::shared_ptr<Entry> entry = Find({std::string(call.database), table.name});
    if (entry != nullptr && !entry->forwards() && table.writes) found.refusing = entry;
    const bool goes_along =
        entry != nullptr && entry->forwards() &&
        (found.first == nullptr || found.first->table().to == entry->table().to);
    if (!goes_along) {
      found.other = table.name;
      continue;
    }
    if (found.first == nullptr) found.first = std::move(entry);
    found.of_target.insert(table.name);
  }
  return found;
}

std::optional<JsonResponse> Handovers::Answer(const HandoverCall& call, bool may_wait,
                                              bool* must_wait) {
  const std::string_view operation = OperationIn(call.target);
  if (!IsOfItems(operation)) return std::nullopt;
  std::optional<JsonTree> body = ParseJson(call.body, designs::kJsonDepthMax);
  if (!body) return std::nullopt;
  const Found found = FindEntries(call, operation, *body);
  if (found.refusing != nullptr) {
    ++found.refusing->refused;
    return Unavailable(messages::HandoverRefused(found.refusing->table().table));
  }
  if (found.first == nullptr) return std::nullopt;
  const HandedTable& first = found.first->table();
  if (call.via.find(Pseudonym()) != std::string_view::npos) {
    return ErrorResponse(ValidationError(messages::HandoverCircle(first.table, first.to.url)));
  }
  if (operation == "StartBulkPutItems") {
    return ErrorResponse(ValidationError(messages::HandoverBulk(first.table, first.to.url)));
  }
  const bool is_whole = found.other.empty();
  if (!is_whole && UnprocessedOf(operation).empty()) {
    return ErrorResponse(
        ValidationError(messages::HandoverMixed(first.table, first.to.url, found.other)));
  }
  if (!may_wait) {
    *must_wait = true;
    return std::nullopt;
  }
  if (is_whole) return ForwardCall(call, call.body, found.first.get());
  return ForwardPart(call, *std::move(body), found);
}

// A batch for several places: the rest of it is left to the caller, as of any partial batch.
JsonResponse Handovers::ForwardPart(const HandoverCall& call, JsonTree body,
                                    const Found& found) const {
  JsonTree* const items = body.Find("RequestItems");
  std::vector<JsonTree::Member> rest;
  std::vector<JsonTree::Member> part;
  for (JsonTree::Member& member : items->members) {
    // Of an ARN, too.
    const std::string_view name = member.name;
    const bool goes = found.of_target.count(name.substr(name.rfind('/') + 1)) > 0;
    (goes ? part : rest).push_back(std::move(member));
  }
  items->members = std::move(part);
  JsonResponse answer = ForwardCall(call, PrintJson(body), found.first.get());
  std::optional<JsonTree> output = ParseJson(answer.body, designs::kJsonDepthMax);
  if (answer.http_status != kHttpOk || !output) return answer;
  const std::string_view member = UnprocessedOf(OperationIn(call.target));
  JsonTree* left = output->Find(member);
  if (left == nullptr) left = designs::SetMember(&*output, member, designs::MapTree());
  for (JsonTree::Member& each : rest) left->members.push_back(std::move(each));
  answer.body = PrintJson(*output);
  return answer;
}

JsonResponse Handovers::ForwardCall(const HandoverCall& call, std::string_view body,
                                    Entry* entry) const {
  const HandedTable& table = entry->table();
  const auto fail = [&](const absl::Status& why) {
    ++entry->failed;
    JsonResponse response =
        Unavailable(messages::HandoverUnreached(table.table, table.to.url, MessageOf(why)));
    response.cause = messages::HandoverUnreached(table.table, table.to.url, MessageOf(why));
    response.tables = table.table;
    return response;
  };
  const absl::StatusOr<client::RemoteService*> service = entry->Service();
  if (!service.ok()) return fail(service.status());
  const std::string via = Concat(call.via, call.via.empty() ? "1.1 " : ", 1.1 ", Pseudonym());
  absl::StatusOr<client::HttpAnswer> answer = (*service)->Call(call.target, body, {{"Via", via}});
  if (!answer.ok()) return fail(answer.status());
  ++entry->forwarded;
  JsonResponse response;
  response.http_status = answer->status;
  response.body = std::move(answer->body);
  if (answer->status != kHttpOk) response.error = KindIn(response.body);
  int64_t milliseconds = 0;
  if (absl::SimpleAtoi(answer->retry_after, &milliseconds)) {
    response.retry_after = absl::Milliseconds(milliseconds);
  }
  return response;
}

absl::Status Handovers::Put(const Key& key, std::shared_ptr<Entry> entry) {
  Entries changed = entries();
  if (entry == nullptr) {
    changed.erase(key);
  } else {
    changed[key] = std::move(entry);
  }
  if (!options_.file.empty()) {
    std::vector<HandedTable> tables;
    for (const auto& [name, each] : changed) tables.push_back(each->table());
    DYNOLITH_RETURN_IF_ERROR(WriteHandovers(options_.file, tables));
  }
  absl::MutexLock lock(&mutex_);
  entries_ = std::move(changed);
  has_any_.store(!entries_.empty(), std::memory_order_seq_cst);
  return absl::OkStatus();
}

absl::Status Handovers::Refuse(const std::string& database, const std::string& table) {
  absl::MutexLock lock(&changing_);
  const Key key(database, table);
  const std::shared_ptr<Entry> before = Find(key);
  if (before != nullptr && before->forwards()) {
    return absl::FailedPreconditionError(
        messages::HandoverIsForwarded(table, before->table().to.url));
  }
  if (before == nullptr) {
    const auto entry = std::make_shared<Entry>(HandedTable{.database = database, .table = table});
    DYNOLITH_RETURN_IF_ERROR(Put(key, entry));
    Note(messages::HandoverRefuses(entry->Title()));
  }
  running_.AwaitThoseBefore();
  return absl::OkStatus();
}

absl::Status Handovers::Forward(const std::string& database, const std::string& table,
                                const HandoverTarget& to) {
  absl::MutexLock lock(&changing_);
  const Key key(database, table);
  const std::shared_ptr<Entry> before = Find(key);
  if (before == nullptr) {
    return absl::FailedPreconditionError(messages::HandoverNotRefused(table));
  }
  if (before->forwards()) {
    if (before->table().to == to) return absl::OkStatus();
    return absl::FailedPreconditionError(
        messages::HandoverIsForwarded(table, before->table().to.url));
  }
  const auto entry = std::make_shared<Entry>(HandedTable{
      .database = database, .table = table, .state = HandoverState::kForward, .to = to});
  DYNOLITH_ASSIGN_OR_RETURN(client::RemoteService* const service, entry->Service());
  std::string ask = R"({"TableName":)";
  AppendJsonString(table, &ask);
  const absl::StatusOr<client::HttpAnswer> described =
      service->Call("DynamoDB_20120810.DescribeTable", ask + "}");
  if (!described.ok() || described->status != kHttpOk) {
    // While it restarts, another try may find it.
    const bool is_away = !described.ok() || described->status >= kHttpServerErrors;
    return absl::Status(
        is_away ? absl::StatusCode::kUnavailable : absl::StatusCode::kFailedPrecondition,
        messages::HandoverNoTable(
            to.url, table,
            described.ok() ? std::string_view(described->body) : MessageOf(described.status())));
  }
  DYNOLITH_RETURN_IF_ERROR(Put(key, entry));
  Note(messages::HandoverForwards(entry->Title(), to.url));
  return absl::OkStatus();
}

absl::Status Handovers::End(const std::string& database, const std::string& table) {
  absl::MutexLock lock(&changing_);
  const Key key(database, table);
  const std::shared_ptr<Entry> before = Find(key);
  if (before == nullptr) return absl::NotFoundError(messages::HandoverNone(table));
  DYNOLITH_RETURN_IF_ERROR(Put(key, nullptr));
  Note(messages::HandoverEnds(before->Title()));
  return absl::OkStatus();
}

std::vector<HandoverReport> Handovers::List() const {
  std::vector<HandoverReport> reports;
  for (const auto& [key, entry] : entries()) {
    reports.push_back({.table = entry->table(),
                       .forwarded = entry->forwarded,
                       .failed = entry->failed,
                       .refused = entry->refused});
  }
  return reports;
}

void Handovers::AddMetrics(MetricFamilies* families) const {
  const std::vector<HandoverReport> reports = List();
  if (reports.empty()) return;
  MetricFamily& calls = AddCounters(
      "handover_calls_total",
      "Calls about a table that was handed over to another endpoint, by outcome.", families);
  for (const HandoverReport& report : reports) {
    const std::pair<const char*, uint64_t> outcomes[] = {
        {"forwarded", report.forwarded}, {"failed", report.failed}, {"refused", report.refused}};
    for (const auto& [outcome, count] : outcomes) {
      AddCounter({{"database", report.table.database},
                  {"table", report.table.table},
                  {"outcome", outcome}},
                 static_cast<double>(count), &calls);
    }
  }
}

}  // namespace dynolith::handover
