#include "tools/mcp/safety_snapshot.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"

namespace dynolith::mcp {
namespace {

// The machine's time, since a manual clock may stand still.
std::string NewName() {
  static std::atomic<uint32_t> count = 0;
  const std::string time = absl::FormatTime("%Y%m%dT%H%M%E3S", absl::Now(), absl::UTCTimeZone());
  return absl::StrFormat("%s%s-%04d", ToAbsl(kSafetyPrefix), time, count++ % 10'000);
}

// What cannot be removed is removed by a later call.
void RemoveOldest(const ToolCall& call, const JsonTree& listed, std::string_view spared) {
  std::vector<std::string> names;
  if (const JsonTree* const list = listed.Find("snapshots")) {
    for (const JsonTree& each : list->elements) {
      if (each.text.starts_with(kSafetyPrefix)) names.push_back(each.text);
    }
  }
  std::sort(names.begin(), names.end());
  const auto kept = static_cast<size_t>(call.rules.snapshots_kept);
  for (size_t i = 0; i + kept < names.size(); ++i) {
    if (names[i] == spared) continue;
    const std::string path = Concat("/_dynolith/snapshots/", names[i]);
    call.backend->Admin(AdminVerb::kDelete, path, MapTree()).status().IgnoreError();
  }
}

}  // namespace

absl::StatusOr<std::string> TakeSafetySnapshot(const ToolCall& call, std::string_view spared) {
  const std::string name = NewName();
  JsonTree body = MapTree();
  SetMember(&body, "name", TextTree(name));
  const absl::StatusOr<JsonTree> listed =
      call.backend->Admin(AdminVerb::kPost, "/_dynolith/snapshot", body);
  if (listed.ok()) {
    RemoveOldest(call, *listed, spared);
    return name;
  }
  if (call.rules.without_snapshots) return std::string();
  return absl::FailedPreconditionError(messages::McpNoSnapshot(MessageOf(listed.status())));
}

void SetSnapshotMember(const std::string& name, JsonTree* result) {
  if (!name.empty()) SetMember(result, "snapshot", TextTree(name));
}

}  // namespace dynolith::mcp
