#include "tools/mcp/session.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/resources.h"
#include "tools/mcp/tool_list.h"

namespace dynolith::mcp {
namespace {

// From the oldest one.
constexpr std::string_view kHandshakeVersions[] = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                   kNewestWithHandshake};
constexpr std::string_view kWithBatches = "2025-03-26";
constexpr std::string_view kServerInfoInMeta = "io.modelcontextprotocol/serverInfo";
constexpr std::chrono::milliseconds kProgressPause{100};
// Tools do not change while the server runs; tables do.
constexpr int64_t kToolsFreshMilliseconds = 3'600'000;

RpcError Refused(ErrorCode code, std::string text) { return {code, std::move(text), std::nullopt}; }

bool IsQuickMethod(std::string_view method) {
  return method == "ping" || method == "initialize" || method == "server/discover" ||
         method == "tools/list" || method == "resources/templates/list";
}

// Reports progress, but not more often than a client can show it.
std::function<void(double, double, std::string_view)> ProgressOf(const Message& message,
                                                                 const Session::Notify& notify) {
  const JsonTree* const token = message.Meta("progressToken");
  if (token == nullptr || !notify) return [](double, double, std::string_view) {};
  auto last = std::make_shared<std::chrono::steady_clock::time_point>();
  auto highest = std::make_shared<double>(-1);
  return [=, token = *token](double progress, double total, std::string_view text) {
    const auto now = std::chrono::steady_clock::now();
    if (now - *last < kProgressPause || progress <= *highest) return;
    *last = now;
    *highest = progress;
    JsonTree params = MapTree();
    SetMember(&params, "progressToken", token);
    SetMember(&params, "progress", RealTree(progress));
    if (total > 0) SetMember(&params, "total", RealTree(total));
    if (!text.empty()) SetMember(&params, "message", TextTree(text));
    notify(NotificationText("notifications/progress", params));
  };
}

std::string CursorOf(const Message& message) { return TextAt(message.params, "cursor"); }

}  // namespace

bool IsHandshakeVersion(std::string_view version) {
  return std::count(std::begin(kHandshakeVersions), std::end(kHandshakeVersions), version) > 0;
}

RpcError UnsupportedVersion(std::string_view version) {
  JsonTree supported = ListTree();
  supported.elements.push_back(TextTree(kStateless));
  for (auto each = std::rbegin(kHandshakeVersions); each != std::rend(kHandshakeVersions); ++each) {
    supported.elements.push_back(TextTree(*each));
  }
  JsonTree data = MapTree();
  SetMember(&data, "supported", std::move(supported));
  SetMember(&data, "requested", TextTree(version));
  return {ErrorCode::kUnsupportedVersion, messages::McpWrongVersion(version), std::move(data)};
}

bool Session::Work::is_quick() const {
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    const auto* const message = std::get_if<Message>(&step.message);
    return message == nullptr || IsQuickMethod(message->method);
  });
}

Session::Work Session::Take(std::string_view text) {
  ReadMessages read = ParseMessages(text);
  Work work{.is_batch = read.is_batch, .steps = {}};
  if (read.is_batch) {
    const absl::MutexLock lock(&mutex_);
    if (version_ != kWithBatches) {
      const RpcError error = Refused(ErrorCode::kInvalidRequest, messages::McpNoBatches());
      return {.is_batch = false, .steps = {{BadMessage{WordTree("null"), error}, nullptr}}};
    }
  }
  for (auto& each : read.list) {
    auto* const message = std::get_if<Message>(&each);
    if (message == nullptr) {
      work.steps.push_back({std::move(each), nullptr});
    } else if (message->kind == Message::Kind::kNotification) {
      TakeNotification(*message);
    } else if (message->kind == Message::Kind::kRequest) {
      if (auto step = TakeRequest(std::move(*message))) work.steps.push_back(*std::move(step));
    }
    // This server asks nothing, so answers belong to nothing.
  }
  return work;
}

void Session::TakeNotification(const Message& message) {
  if (message.method != "notifications/cancelled") return;
  const JsonTree* const id = message.params.Find("requestId");
  if (id == nullptr) return;
  const absl::MutexLock lock(&mutex_);
  const auto found = pending_.find(PrintJson(*id));
  if (found != pending_.end()) *found->second = true;
}

std::optional<Session::Work::Step> Session::TakeRequest(Message message) {
  const absl::MutexLock lock(&mutex_);
  if (pending_.size() >= kRequestsPendingMax) {
    const RpcError error =
        Refused(ErrorCode::kInvalidRequest, messages::McpTooManyPending(kRequestsPendingMax));
    return Work::Step{BadMessage{message.id, error}, nullptr};
  }
  auto is_cancelled = std::make_shared<std::atomic<bool>>(false);
  pending_[PrintJson(message.id)] = is_cancelled;
  return Work::Step{std::move(message), std::move(is_cancelled)};
}

void Session::Forget(const Work::Step& step) {
  const auto* const message = std::get_if<Message>(&step.message);
  if (message == nullptr) return;
  const absl::MutexLock lock(&mutex_);
  const auto found = pending_.find(PrintJson(message->id));
  if (found != pending_.end() && found->second == step.is_cancelled) pending_.erase(found);
}

void Session::CancelAll() {
  const absl::MutexLock lock(&mutex_);
  for (const auto& [id, is_cancelled] : pending_) *is_cancelled = true;
}

Session::Answer Session::Run(const Work& work, const Notify& notify) {
  Answer answer;
  std::string all;
  for (const Work::Step& step : work.steps) {
    const std::string text = RunStep(step, notify, &answer);
    Forget(step);
    if (text.empty()) continue;
    all += Concat(all.empty() ? "" : ",", text);
  }
  answer.text = work.is_batch && !all.empty() ? Concat("[", all, "]") : all;
  return answer;
}

std::string Session::RunStep(const Work::Step& step, const Notify& notify, Answer* answer) {
  if (const auto* const bad = std::get_if<BadMessage>(&step.message)) {
    answer->error = bad->error.code;
    return ErrorText(bad->id, bad->error);
  }
  const auto& message = std::get<Message>(step.message);
  const bool is_stateless = message.Meta(kVersionInMeta) != nullptr;
  answer->is_stateless = is_stateless;
  const auto is_cancelled = [&step] { return step.is_cancelled->load(); };
  if (is_cancelled()) return "";
  Outcome outcome;
  try {
    outcome = RunRequest({message, is_cancelled, notify, is_stateless});
  } catch (const std::exception& error) {
    outcome = Refused(ErrorCode::kInternal, messages::McpFailed(error.what()));
  }
  // Nobody waits for it.
  if (is_cancelled()) return "";
  if (const auto* const error = std::get_if<RpcError>(&outcome)) {
    answer->error = error->code;
    return ErrorText(message.id, *error);
  }
  answer->has_initialized = message.method == "initialize";
  return ResultText(message.id, std::get<JsonTree>(outcome));
}

std::optional<RpcError> Session::Refusal(const Message& message, bool is_stateless) {
  if (is_stateless) {
    const std::string version(MemberText(message.Meta(kVersionInMeta)));
    if (version != kStateless) return UnsupportedVersion(version);
    return std::nullopt;
  }
  if (message.method == "initialize" || message.method == "ping") return std::nullopt;
  const absl::MutexLock lock(&mutex_);
  if (!version_.empty()) return std::nullopt;
  return Refused(ErrorCode::kInvalidRequest, messages::McpNotInitialized());
}

Session::Outcome Session::RunRequest(const RequestScope& scope) {
  if (auto refusal = Refusal(scope.message, scope.is_stateless)) return *std::move(refusal);
  const std::string& method = scope.message.method;
  Outcome outcome = Refused(ErrorCode::kNoSuchMethod, messages::McpNoSuchMethod(method));
  if (method == "tools/list") {
    if (CursorOf(scope.message).empty()) {
      outcome = ListTools();
    } else {
      outcome = Refused(ErrorCode::kInvalidParams, messages::McpNoSuchPage());
    }
  } else if (method == "tools/call") {
    outcome = CallNamedTool(scope);
  } else if (method.starts_with("resources/")) {
    outcome = Resources(scope);
  } else if (method == "server/discover" && scope.is_stateless) {
    JsonTree result = Described();
    SetMember(&result, "supportedVersions",
              *UnsupportedVersion(kStateless).data->Find("supported"));
    outcome = std::move(result);
  } else if (method == "initialize" && !scope.is_stateless) {
    outcome = Initialize(scope.message);
  } else if (method == "ping" && !scope.is_stateless) {
    outcome = MapTree();
  }
  if (auto* const result = std::get_if<JsonTree>(&outcome)) Complete(scope, result);
  return outcome;
}

Session::Outcome Session::Initialize(const Message& message) {
  const JsonTree* const wanted = message.params.Find("protocolVersion");
  if (wanted == nullptr || wanted->kind != JsonTree::Kind::kString) {
    return Refused(ErrorCode::kInvalidParams, messages::McpWantsVersion());
  }
  // For any other the newest one, which the client may refuse.
  const std::string version(IsHandshakeVersion(wanted->text) ? std::string_view(wanted->text)
                                                             : kNewestWithHandshake);
  {
    const absl::MutexLock lock(&mutex_);
    if (!version_.empty()) {
      return Refused(ErrorCode::kInvalidRequest, messages::McpTwiceInitialized());
    }
    version_ = version;
  }
  JsonTree result = Described();
  SetMember(&result, "protocolVersion", TextTree(version));
  SetMember(&result, "serverInfo", ServerInfo());
  return result;
}

JsonTree Session::ServerInfo() const {
  JsonTree info = MapTree();
  SetMember(&info, "name", TextTree("dynolith"));
  SetMember(&info, "title", TextTree("Dynolith"));
  SetMember(&info, "version", TextTree(parts_->version));
  return info;
}

JsonTree Session::Described() const {
  JsonTree capabilities = MapTree();
  SetMember(&capabilities, "tools", MapTree());
  SetMember(&capabilities, "resources", MapTree());
  const Permission permission = parts_->rules.permission;
  const std::string allowed = permission == Permission::kRead    ? messages::McpReadsOnly()
                              : permission == Permission::kWrite ? messages::McpWritesToo()
                                                                 : messages::McpDeletesToo();
  JsonTree result = MapTree();
  SetMember(&result, "capabilities", std::move(capabilities));
  SetMember(&result, "instructions",
            TextTree(messages::McpInstructions(parts_->backend->Place(), allowed)));
  return result;
}

JsonTree Session::ListTools() const {
  JsonTree tools = ListTree();
  for (const ListedTool& tool : AllTools()) {
    if (tool.needs <= parts_->rules.permission) tools.elements.push_back(tool.definition);
  }
  JsonTree result = MapTree();
  SetMember(&result, "tools", std::move(tools));
  return result;
}

ToolCall Session::MakeCall(const RequestScope& scope, const JsonTree& arguments) const {
  return {arguments, parts_->backend, parts_->rules, scope.is_cancelled,
          ProgressOf(scope.message, scope.notify)};
}

Session::Outcome Session::CallNamedTool(const RequestScope& scope) {
  const JsonTree* const name = scope.message.params.Find("name");
  if (name == nullptr || name->kind != JsonTree::Kind::kString) {
    return Refused(ErrorCode::kInvalidParams, messages::McpWantsToolName());
  }
  const ListedTool* const tool = FindTool(name->text);
  if (tool == nullptr) {
    std::vector<std::string> names;
    for (const ListedTool& each : AllTools()) names.push_back(each.name);
    const std::string nearest = NearestWord(name->text, names);
    return Refused(ErrorCode::kInvalidParams, messages::McpNoSuchTool(name->text, nearest));
  }
  const JsonTree none = MapTree();
  const JsonTree* const given = scope.message.params.Find("arguments");
  return CallTool(*tool, MakeCall(scope, given == nullptr ? none : *given));
}

Session::Outcome Session::Resources(const RequestScope& scope) {
  const std::string& method = scope.message.method;
  if (method == "resources/templates/list") return ListResourceTemplates();
  const JsonTree none = MapTree();
  const ToolCall call = MakeCall(scope, none);
  absl::StatusOr<JsonTree> result = absl::NotFoundError("");
  if (method == "resources/list") {
    result = ListResources(call, CursorOf(scope.message));
  } else if (method == "resources/read") {
    const JsonTree* const uri = scope.message.params.Find("uri");
    if (uri == nullptr || uri->kind != JsonTree::Kind::kString) {
      return Refused(ErrorCode::kInvalidParams, messages::McpWantsUri());
    }
    result = ReadResource(call, uri->text);
  } else {
    return Refused(ErrorCode::kNoSuchMethod, messages::McpNoSuchMethod(method));
  }
  if (result.ok()) return *std::move(result);
  return Refused(ErrorCode::kInvalidParams, std::string(MessageOf(result.status())));
}

// The members that results of revision 2026-07-28 have.
void Session::Complete(const RequestScope& scope, JsonTree* result) const {
  if (!scope.is_stateless) return;
  SetMember(result, "resultType", TextTree("complete"));
  JsonTree meta = MapTree();
  SetMember(&meta, kServerInfoInMeta, ServerInfo());
  SetMember(result, "_meta", std::move(meta));
  const std::string& method = scope.message.method;
  if (method == "tools/call") return;
  const bool is_fixed = method == "tools/list" || method == "server/discover";
  SetMember(result, "ttlMs", WholeTree(is_fixed ? kToolsFreshMilliseconds : 0));
  SetMember(result, "cacheScope", TextTree("private"));
}

}  // namespace dynolith::mcp
