#include "tools/mcp/admin_tools.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "dynolith/restorable_database.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/safety_snapshot.h"

namespace dynolith::mcp {
namespace {

constexpr std::string_view kKeyLists[] = {"accessed_partition_keys", "accessed_items",
                                          "throttled_partition_keys", "throttled_items"};

// As a value in a query of a URL.
std::string InQuery(std::string_view text) {
  constexpr std::string_view kPlain = "-_.~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos;
    if (is_plain) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

absl::StatusOr<JsonTree> Get(const ToolCall& call, const std::string& path) {
  return call.backend->Admin(AdminVerb::kGet, path, MapTree());
}

// A part of the answer, as the whole result.
ToolResult PartOf(JsonTree answer, std::initializer_list<std::string_view> names) {
  JsonTree result = MapTree();
  for (const std::string_view name : names) {
    SetMember(&result, name, designs::TakeMember(&answer, name));
  }
  return {std::move(result), ""};
}

absl::Status CheckSnapshotName(const std::string& name) {
  if (RestorableDatabase::IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::McpNotASnapshotName(name));
}

absl::StatusOr<bool> HasSnapshot(const ToolCall& call, const std::string& name) {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, Get(call, "/_dynolith/snapshots"));
  const std::vector<JsonTree>& list = answer.Find("snapshots")->elements;
  return std::any_of(list.begin(), list.end(),
                     [&](const JsonTree& each) { return each.text == name; });
}

absl::Status CheckHasSnapshot(const ToolCall& call, const std::string& name) {
  DYNOLITH_RETURN_IF_ERROR(CheckSnapshotName(name));
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_there, HasSnapshot(call, name));
  if (is_there) return absl::OkStatus();
  return absl::NotFoundError(messages::McpNoSuchSnapshot(name));
}

}  // namespace

absl::StatusOr<ToolResult> HotKeys(const ToolCall& call) {
  const std::string table = TextAt(call.arguments, "table");
  const std::string index = TextAt(call.arguments, "index");
  std::string path = Concat("/_dynolith/hot-keys?table=", InQuery(table));
  if (!index.empty()) path += Concat("&index=", InQuery(index));
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer, Get(call, path));
  const auto limit = static_cast<size_t>(WholeAt(call.arguments, "limit", kElementsUsual));
  JsonTree all = designs::TakeMember(&answer, "all");
  JsonTree result = MapTree();
  SetMember(&result, "table", TextTree(table));
  if (!index.empty()) SetMember(&result, "index", TextTree(index));
  SetMember(&result, "watched", BoolTree(IsTrueAt(answer, "watched")));
  for (const std::string_view name : kKeyLists) {
    JsonTree list = designs::TakeMember(&all, name);
    if (list.kind != JsonTree::Kind::kList) list = ListTree();
    if (list.elements.size() > limit) list.elements.resize(limit);
    SetMember(&result, name, std::move(list));
  }
  if (!IsTrueAt(answer, "watched")) {
    JsonTree notes = ListTree();
    notes.elements.push_back(TextTree(messages::McpNotWatched()));
    SetMember(&result, "notes", std::move(notes));
  }
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> Capacity(const ToolCall& call) {
  const std::string table = InQuery(TextAt(call.arguments, "table"));
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer, Get(call, "/_dynolith/capacity?table=" + table));
  return PartOf(std::move(answer), {"tables"});
}

absl::StatusOr<ToolResult> GetClock(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer, Get(call, "/_dynolith/clock"));
  return PartOf(std::move(answer), {"now", "mode"});
}

absl::StatusOr<ToolResult> AdvanceClock(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree before, Get(call, "/_dynolith/clock"));
  if (TextAt(before, "mode") != "manual") {
    return absl::FailedPreconditionError(messages::McpClockGoesByItself());
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::string snapshot, TakeSafetySnapshot(call));
  JsonTree body = MapTree();
  SetMember(&body, "seconds", *call.arguments.Find("advance_seconds"));
  DYNOLITH_ASSIGN_OR_RETURN(
      JsonTree answer, call.backend->Admin(AdminVerb::kPost, "/_dynolith/clock/advance", body));
  ToolResult result = PartOf(std::move(answer), {"now", "mode"});
  SetSnapshotMember(snapshot, &result.structured);
  return result;
}

absl::StatusOr<ToolResult> ListFaults(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer, Get(call, "/_dynolith/faults"));
  return PartOf(std::move(answer), {"faults"});
}

absl::StatusOr<ToolResult> SetFault(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(
      JsonTree answer,
      call.backend->Admin(AdminVerb::kPost, "/_dynolith/faults", *call.arguments.Find("rule")));
  return PartOf(std::move(answer), {"id"});
}

absl::StatusOr<ToolResult> RemoveFaults(const ToolCall& call) {
  std::string path = "/_dynolith/faults";
  if (call.arguments.Find("id") != nullptr) path += "/" + TextAt(call.arguments, "id");
  DYNOLITH_RETURN_IF_ERROR(call.backend->Admin(AdminVerb::kDelete, path, MapTree()).status());
  return ListFaults(call);
}

absl::StatusOr<ToolResult> ListSnapshots(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer, Get(call, "/_dynolith/snapshots"));
  return PartOf(std::move(answer), {"snapshots"});
}

absl::StatusOr<ToolResult> TakeSnapshot(const ToolCall& call) {
  const std::string name = TextAt(call.arguments, "snapshot_name");
  DYNOLITH_RETURN_IF_ERROR(CheckSnapshotName(name));
  if (name.starts_with(kSafetyPrefix)) {
    return absl::InvalidArgumentError(messages::McpNameIsAutomatic(kSafetyPrefix));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_there, HasSnapshot(call, name));
  if (is_there) return absl::AlreadyExistsError(messages::McpSnapshotIsThere(name));
  JsonTree body = MapTree();
  SetMember(&body, "name", TextTree(name));
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer,
                            call.backend->Admin(AdminVerb::kPost, "/_dynolith/snapshot", body));
  return PartOf(std::move(answer), {"snapshots"});
}

absl::StatusOr<ToolResult> RestoreSnapshot(const ToolCall& call) {
  const std::string name = TextAt(call.arguments, "snapshot_name");
  DYNOLITH_RETURN_IF_ERROR(CheckHasSnapshot(call, name));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string snapshot, TakeSafetySnapshot(call, name));
  JsonTree body = MapTree();
  SetMember(&body, "name", TextTree(name));
  DYNOLITH_RETURN_IF_ERROR(
      call.backend->Admin(AdminVerb::kPost, "/_dynolith/restore", body).status());
  JsonTree result = MapTree();
  SetMember(&result, "restored", TextTree(name));
  SetSnapshotMember(snapshot, &result);
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> RemoveSnapshot(const ToolCall& call) {
  const std::string name = TextAt(call.arguments, "snapshot_name");
  DYNOLITH_RETURN_IF_ERROR(CheckHasSnapshot(call, name));
  DYNOLITH_RETURN_IF_ERROR(
      call.backend->Admin(AdminVerb::kDelete, "/_dynolith/snapshots/" + name, MapTree()).status());
  return ListSnapshots(call);
}

}  // namespace dynolith::mcp
