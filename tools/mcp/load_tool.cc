#include "tools/mcp/load_tool.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/errno_status.h"
#include "engine/base/status_macros.h"
#include "tools/files/design/design_file.h"
#include "tools/files/load_designs.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/safety_snapshot.h"

namespace dynolith::mcp {
namespace {

// A folder with one file, which goes with this object.
class TextInFolder {
 public:
  TextInFolder() = default;
  TextInFolder(const TextInFolder&) = delete;
  TextInFolder& operator=(const TextInFolder&) = delete;
  ~TextInFolder() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  absl::Status Write(const std::string& name, const std::string& text) {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    std::string pattern = (parent / "dynolith-mcp-XXXXXX").string();
    if (error || mkdtemp(pattern.data()) == nullptr) {
      return absl::UnavailableError(messages::McpNoTemporaryFolder(ErrnoReason(errno)));
    }
    folder_ = pattern;
    file_ = folder_ + "/" + name;
    std::ofstream out(file_, std::ios::binary);
    out << text;
    out.close();
    if (out) return absl::OkStatus();
    return absl::UnavailableError(messages::McpNoTemporaryFolder(ErrnoReason(errno)));
  }
  const std::string& file() const { return file_; }

 private:
  std::string folder_;
  std::string file_;
};

// A name without folders, whose ending says what the text is.
absl::Status CheckFileName(const std::string& name) {
  const bool is_bare = name.find_first_of("/\\") == std::string::npos && name.front() != '.' &&
                       std::all_of(name.begin(), name.end(), [](char c) { return c >= ' '; });
  if (is_bare && designs::HasDesignName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::McpNotADesignName(name));
}

designs::IfExists IfExistsOf(const std::string& word) {
  if (word == "keep") return designs::IfExists::kKeep;
  return word == "replace" ? designs::IfExists::kReplace : designs::IfExists::kFail;
}

designs::LoadOptions OptionsOf(const JsonTree& arguments, const std::string& file) {
  designs::LoadOptions options;
  options.files = {file};
  options.if_exists = IfExistsOf(TextAt(arguments, "if_exists"));
  options.table = TextAt(arguments, "table");
  if (const JsonTree* const parameters = arguments.Find("parameters")) {
    for (const auto& [name, value] : parameters->members) {
      options.read.parameters[name] = value.text;
    }
  }
  return options;
}

}  // namespace

absl::StatusOr<ToolResult> LoadDesign(const ToolCall& call) {
  const std::string name = TextAt(call.arguments, "file_name");
  DYNOLITH_RETURN_IF_ERROR(CheckFileName(name));
  if (TextAt(call.arguments, "if_exists") == "replace" &&
      call.rules.permission < Permission::kDelete) {
    return absl::PermissionDeniedError(messages::McpReplaceDeletes());
  }
  TextInFolder text;
  DYNOLITH_RETURN_IF_ERROR(text.Write(name, TextAt(call.arguments, "text")));
  // Items of a file replace those of the same keys.
  DYNOLITH_ASSIGN_OR_RETURN(const std::string snapshot, TakeSafetySnapshot(call));
  JsonTree findings = ListTree();
  JsonTree made = ListTree();
  const designs::LoadListener listener = {
      .find =
          [&](const designs::Finding& finding) {
            if (findings.elements.size() >= kFindingsMax) return;
            findings.elements.push_back(TextTree(messages::McpFinding(
                finding.place.line, finding.place.column, finding.is_error, finding.text)));
          },
      .progress = nullptr,
      .made = [&](const std::string& table) { made.elements.push_back(TextTree(table)); },
      .is_over = [&] { return call.is_cancelled(); }};
  DYNOLITH_ASSIGN_OR_RETURN(const designs::LoadSummary summary,
                            designs::LoadDesigns(OptionsOf(call.arguments, text.file()),
                                                 call.backend->target(), listener));
  JsonTree result = MapTree();
  SetMember(&result, "tables_made", std::move(made));
  SetMember(&result, "tables_kept", WholeTree(static_cast<int64_t>(summary.kept)));
  SetMember(&result, "items_written", WholeTree(static_cast<int64_t>(summary.items)));
  SetMember(&result, "items_left_out", WholeTree(static_cast<int64_t>(summary.left_out)));
  SetMember(&result, "errors", WholeTree(static_cast<int64_t>(summary.errors)));
  SetMember(&result, "findings", std::move(findings));
  SetSnapshotMember(snapshot, &result);
  return ToolResult{std::move(result), ""};
}

}  // namespace dynolith::mcp
