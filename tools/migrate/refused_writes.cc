#include "tools/migrate/refused_writes.h"

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/json_tree.h"
#include "engine/base/status_macros.h"
#include "tools/client/admin_call.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::migrate {
namespace {

using designs::MemberText;
using designs::SetMember;
using designs::TextTree;

constexpr const char* kFaults = "/_dynolith/faults";
constexpr std::string_view kFault = "unavailable";
constexpr std::string_view kWriting[] = {"PutItem",
                                         "UpdateItem",
                                         "DeleteItem",
                                         "BatchWriteItem",
                                         "TransactWriteItems",
                                         "ExecuteStatement",
                                         "BatchExecuteStatement",
                                         "ExecuteTransaction",
                                         "StartBulkPutItems"};

std::optional<int64_t> IdOf(const JsonTree& tree) {
  const JsonTree* const id = tree.Find("id");
  if (id == nullptr) return std::nullopt;
  return std::strtoll(id->text.c_str(), nullptr, 10);
}

// The id of such a rule among `faults`, if it still has an effect on every call.
std::optional<int64_t> FindRule(const JsonTree& faults, std::string_view operation,
                                std::string_view table) {
  const JsonTree* const list = faults.Find("faults");
  if (list == nullptr) return std::nullopt;
  for (const JsonTree& rule : list->elements) {
    const bool is_plain = rule.Find("key") == nullptr && rule.Find("nth") == nullptr &&
                          rule.Find("probability") == nullptr && rule.Find("hits_max") == nullptr &&
                          rule.Find("lifetime") == nullptr;
    if (is_plain && MemberText(rule.Find("fault")) == kFault &&
        MemberText(rule.Find("operation")) == operation &&
        MemberText(rule.Find("table")) == table && MemberText(rule.Find("expired")) != "true") {
      return IdOf(rule);
    }
  }
  return std::nullopt;
}

JsonTree Parsed(const std::string& text) {
  std::optional<JsonTree> tree = ParseJson(text, designs::kJsonDepthMax);
  return tree ? *std::move(tree) : designs::MapTree();
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> RefuseWrites(const std::string& url, const std::string& token,
                                                  const std::string& table) {
  const client::AdminServer server = {.url = url, .token = token, .timeouts = {}};
  DYNOLITH_ASSIGN_OR_RETURN(const std::string listed,
                            client::CallAdmin(server, client::AdminMethod::kGet, kFaults));
  const JsonTree faults = Parsed(listed);
  std::vector<int64_t> ids;
  for (const std::string_view operation : kWriting) {
    std::optional<int64_t> id = FindRule(faults, operation, table);
    if (!id) {
      JsonTree rule = designs::MapTree();
      SetMember(&rule, "fault", TextTree(kFault));
      SetMember(&rule, "operation", TextTree(operation));
      SetMember(&rule, "table", TextTree(table));
      DYNOLITH_ASSIGN_OR_RETURN(
          const std::string made,
          client::CallAdmin(server, client::AdminMethod::kPost, kFaults, PrintJson(rule)));
      id = IdOf(Parsed(made));
    }
    ids.push_back(id.value_or(0));
  }
  return ids;
}

}  // namespace dynolith::migrate
