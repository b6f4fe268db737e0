#include "tools/server/handover/handover_file.h"

#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/file_text.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/checked_json.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/handover/messages.h"

namespace dynolith::handover {
namespace {

using designs::MapTree;
using designs::MemberText;
using designs::SetMember;
using designs::TextTree;

constexpr std::string_view kVersion = "1";
constexpr int kFileDepthMax = 4;

JsonTree TableTree(const HandedTable& table) {
  JsonTree tree = MapTree();
  SetMember(&tree, "database", TextTree(table.database));
  SetMember(&tree, "table", TextTree(table.table));
  SetMember(&tree, "state", TextTree(StateName(table.state)));
  SetMember(&tree, "to", TextTree(table.to.url));
  SetMember(&tree, "region", TextTree(table.to.region));
  SetMember(&tree, "profile", TextTree(table.to.profile));
  SetMember(&tree, "certificates", TextTree(table.to.certificates));
  return tree;
}

absl::Status Damaged() { return absl::InvalidArgumentError(messages::HandoverFileDamaged()); }

}  // namespace

std::string_view StateName(HandoverState state) {
  return state == HandoverState::kRefuse ? "refuse" : "forward";
}

std::string PrintHandovers(const std::vector<HandedTable>& tables) {
  JsonTree tree = MapTree();
  SetMember(&tree, "dynolith_handovers", designs::WordTree(kVersion));
  JsonTree list = designs::ListTree();
  for (const HandedTable& table : tables) list.elements.push_back(TableTree(table));
  SetMember(&tree, "tables", std::move(list));
  return designs::PrintChecked(tree);
}

absl::StatusOr<std::vector<HandedTable>> ParseHandovers(std::string_view text) {
  const std::optional<std::string> content = designs::WithoutChecksum(text);
  if (!content) return Damaged();
  const std::optional<JsonTree> tree = ParseJson(*content, kFileDepthMax);
  if (!tree || MemberText(tree->Find("dynolith_handovers")) != kVersion) return Damaged();
  const JsonTree* const list = tree->Find("tables");
  if (list == nullptr) return Damaged();
  std::vector<HandedTable> tables;
  for (const JsonTree& each : list->elements) {
    const auto member = [&](std::string_view name) {
      return std::string(MemberText(each.Find(name)));
    };
    HandedTable table = {.database = member("database"),
                         .table = member("table"),
                         .state = HandoverState::kRefuse,
                         .to = {.url = member("to"),
                                .region = member("region"),
                                .profile = member("profile"),
                                .certificates = member("certificates")}};
    if (member("state") == StateName(HandoverState::kForward)) {
      table.state = HandoverState::kForward;
    } else if (member("state") != StateName(HandoverState::kRefuse)) {
      return Damaged();
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

absl::StatusOr<std::vector<HandedTable>> ReadHandovers(const std::string& file) {
  const FileText read = ReadFileText(file);
  if (read.error == ENOENT) return std::vector<HandedTable>();
  if (read.error != 0) {
    return absl::FailedPreconditionError(
        messages::HandoverFileUnread(file, ErrnoReason(read.error)));
  }
  absl::StatusOr<std::vector<HandedTable>> tables = ParseHandovers(read.text);
  if (tables.ok()) return tables;
  return absl::FailedPreconditionError(
      messages::HandoverFileUnread(file, MessageOf(tables.status())));
}

absl::Status WriteHandovers(const std::string& file, const std::vector<HandedTable>& tables) {
  int error = 0;
  if (!tables.empty()) {
    error = ReplaceFileText(file, PrintHandovers(tables));
  } else if (std::remove(file.c_str()) == 0 || errno == ENOENT) {
    error = SynchronizeFolderOf(file);
  } else {
    error = errno;
  }
  if (error == 0) return absl::OkStatus();
  return absl::UnavailableError(messages::HandoverFileUnwritten(file, ErrnoReason(error)));
}

}  // namespace dynolith::handover
