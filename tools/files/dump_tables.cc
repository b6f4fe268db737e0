#include "tools/files/dump_tables.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "tools/files/design/files_to_load.h"
#include "tools/files/excerpt/table_keys.h"
#include "tools/files/messages.h"
#include "tools/files/new_file.h"
#include "tools/files/table/create_table.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

namespace fs = std::filesystem;

// Appends the tree as JSON with an indentation of two spaces for each level.
void AppendIndented(const JsonTree& tree, size_t depth, std::string* out) {
  const bool is_map = tree.kind == JsonTree::Kind::kMap;
  const size_t size = is_map ? tree.members.size() : tree.elements.size();
  const bool is_open = (is_map || tree.kind == JsonTree::Kind::kList) && size > 0;
  if (!is_open) {
    *out += PrintJson(tree);
    return;
  }
  *out += is_map ? '{' : '[';
  for (size_t i = 0; i < size; ++i) {
    *out += i > 0 ? ",\n" : "\n";
    out->append(2 * depth + 2, ' ');
    if (is_map) {
      AppendJsonString(tree.members[i].name, out);
      *out += ": ";
    }
    AppendIndented(is_map ? tree.members[i].value : tree.elements[i], depth + 1, out);
  }
  *out += '\n';
  out->append(2 * depth, ' ');
  *out += is_map ? '}' : ']';
}

// Whether files named after the table could be taken for another table's, or have too long a name.
bool NeedsOtherFileNames(std::string_view table) {
  constexpr std::string_view kEnds[] = {".items", ".ttl", ".recovery"};
  constexpr size_t kTableBytesMax = 255 - sizeof(".recovery.json");
  return table.size() > kTableBytesMax ||
         std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](std::string_view end) { return table.ends_with(end); });
}

class Dump {
 public:
  Dump(const DumpOptions& options, client::ServiceTarget* target,
       const std::function<void(const Finding& finding)>& find)
      : options_(options), connection_(target->Connect()), find_(find) {}

  absl::StatusOr<DumpSummary> Run() {
    std::error_code error;
    fs::create_directories(options_.folder, error);
    const bool is_empty = !error && fs::is_empty(options_.folder, error);
    if (error) {
      return ErrnoStatus(error.value(),
                         messages::DumpFolderUnusable(options_.folder, ErrnoReason(error.value())));
    }
    if (!is_empty) {
      return absl::InvalidArgumentError(messages::DumpFolderInUse(options_.folder));
    }
    std::vector<std::string> tables = options_.tables;
    if (tables.empty()) {
      DYNOLITH_ASSIGN_OR_RETURN(tables, AllTables());
    }
    std::vector<JsonTree> descriptions;
    for (const std::string& table : tables) {
      DYNOLITH_ASSIGN_OR_RETURN(JsonTree answer, AskAbout("DescribeTable", table));
      descriptions.push_back(TakeMember(&answer, "Table"));
      if (options_.excerpt == nullptr) continue;
      DYNOLITH_RETURN_IF_ERROR(
          options_.excerpt->CheckTable(excerpt::ToTableKeys(descriptions.back())));
    }
    for (size_t i = 0; i < tables.size(); ++i) {
      // A table's name cannot contain "~", so this stem collides with no table's files.
      file_stem_ = NeedsOtherFileNames(tables[i]) ? Concat("table~", i + 1) : tables[i];
      DYNOLITH_RETURN_IF_ERROR(WriteDesign(tables[i], descriptions[i]));
      DYNOLITH_RETURN_IF_ERROR(WriteItems(tables[i], excerpt::ToTableKeys(descriptions[i])));
      ++summary_.tables;
    }
    DYNOLITH_RETURN_IF_ERROR(NameFiles());
    if (options_.excerpt == nullptr) return summary_;
    for (auto& [file, line, text, is_error] : options_.excerpt->Doubts(/*is_whole=*/true)) {
      Find({{file, line}, text, is_error});
    }
    return summary_;
  }

 private:
  void Find(const Finding& finding) {
    if (finding.is_error) ++summary_.errors;
    find_(finding);
  }

  absl::StatusOr<JsonTree> Ask(std::string_view operation, const JsonTree& input) {
    client::ServiceAnswer answer =
        client::CallPatiently(connection_.get(), operation, PrintJson(input));
    if (answer.error.empty()) return std::move(answer.output);
    return absl::FailedPreconditionError(
        ToAbsl(Concat(operation, ": ", messages::DesignRefused(answer.error, answer.message))));
  }
  absl::StatusOr<JsonTree> AskAbout(std::string_view operation, const std::string& table) {
    JsonTree input = MapTree();
    SetMember(&input, "TableName", TextTree(table));
    return Ask(operation, input);
  }

  absl::StatusOr<std::vector<std::string>> AllTables() {
    std::vector<std::string> tables;
    JsonTree input = MapTree();
    while (true) {
      DYNOLITH_ASSIGN_OR_RETURN(const JsonTree page, Ask("ListTables", input));
      for (const JsonTree& name : page.Find("TableNames")->elements) tables.push_back(name.text);
      const JsonTree* const last = page.Find("LastEvaluatedTableName");
      if (last == nullptr) return tables;
      SetMember(&input, "ExclusiveStartTableName", *last);
    }
  }

  std::string PathOf(std::string_view name) const {
    return (fs::path(options_.folder) / name).string();
  }
  // Until the end all files have other names, so that a dump that was killed is not taken for one
  // of fewer tables and items.
  static std::string Unfinished(const std::string& path) { return Concat(path, kUnfinishedEnding); }
  absl::Status NameFiles() const {
    for (const std::string& path : written_) {
      std::error_code error;
      fs::rename(Unfinished(path), path, error);
      if (!error) continue;
      return ErrnoStatus(error.value(),
                         messages::DumpCannotWrite(path, ErrnoReason(error.value())));
    }
    return absl::OkStatus();
  }

  absl::Status WriteTree(const std::string& name, const JsonTree& tree) {
    std::string text;
    AppendIndented(tree, 0, &text);
    written_.push_back(PathOf(name));
    NewFile file(Unfinished(written_.back()));
    file.Write(text + "\n");
    return file.Close();
  }

  absl::Status WriteDesign(const std::string& table, const JsonTree& description) {
    JsonTree input = ToCreateTableCall(description);
    JsonTree named = MapTree();
    SetMember(&named, "ResourceArn", TextTree(MemberText(description.Find("TableArn"))));
    JsonTree tags = ListTree();
    while (true) {
      DYNOLITH_ASSIGN_OR_RETURN(JsonTree page, Ask("ListTagsOfResource", named));
      for (JsonTree& tag : TakeMember(&page, "Tags").elements) tags.elements.push_back(tag);
      const JsonTree* const next = page.Find("NextToken");
      if (next == nullptr) break;
      SetMember(&named, "NextToken", *next);
    }
    if (!tags.elements.empty()) SetMember(&input, "Tags", std::move(tags));
    DYNOLITH_RETURN_IF_ERROR(WriteTree(file_stem_ + ".json", input));
    DYNOLITH_RETURN_IF_ERROR(WriteTimeToLive(table));
    return WriteRecovery(table);
  }

  absl::Status WriteTimeToLive(const std::string& table) {
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, AskAbout("DescribeTimeToLive", table));
    const JsonTree* const ttl = answer.Find("TimeToLiveDescription");
    const std::string_view status =
        ttl == nullptr ? std::string_view() : MemberText(ttl->Find("TimeToLiveStatus"));
    if (status != "ENABLED" && status != "ENABLING") return absl::OkStatus();
    JsonTree specification = MapTree();
    SetMember(&specification, "AttributeName", *ttl->Find("AttributeName"));
    SetMember(&specification, "Enabled", WordTree("true"));
    return WriteCall(table, ".ttl.json", "TimeToLiveSpecification", std::move(specification));
  }
  absl::Status WriteRecovery(const std::string& table) {
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, AskAbout("DescribeContinuousBackups", table));
    const JsonTree* const backups = answer.Find("ContinuousBackupsDescription");
    const JsonTree* const recovery =
        backups == nullptr ? nullptr : backups->Find("PointInTimeRecoveryDescription");
    const bool is_on =
        recovery != nullptr && MemberText(recovery->Find("PointInTimeRecoveryStatus")) == "ENABLED";
    if (!is_on) return absl::OkStatus();
    JsonTree specification = MapTree();
    SetMember(&specification, "PointInTimeRecoveryEnabled", WordTree("true"));
    if (const JsonTree* days = recovery->Find("RecoveryPeriodInDays")) {
      SetMember(&specification, "RecoveryPeriodInDays", *days);
    }
    return WriteCall(table, ".recovery.json", "PointInTimeRecoverySpecification",
                     std::move(specification));
  }
  absl::Status WriteCall(const std::string& table, std::string_view end, std::string_view member,
                         JsonTree specification) {
    JsonTree input = MapTree();
    SetMember(&input, "TableName", TextTree(table));
    SetMember(&input, member, std::move(specification));
    return WriteTree(Concat(file_stem_, end), input);
  }

  // Whether the item is dumped. Applies the rules to it.
  bool IsTaken(const excerpt::TableKeys& keys, JsonTree* item) {
    if (options_.excerpt == nullptr) return true;
    const absl::StatusOr<bool> taken = options_.excerpt->Take(keys, item);
    if (!taken.ok()) Find({{keys.table}, std::string(MessageOf(taken.status())), true});
    if (taken.ok() && !*taken) ++summary_.not_taken;
    return taken.value_or(false);
  }

  absl::Status WriteItems(const std::string& table, const excerpt::TableKeys& keys) {
    const std::string path = PathOf(file_stem_ + ".items.json");
    NewFile file(Unfinished(path));
    const uint64_t before = summary_.items;
    JsonTree input = MapTree();
    SetMember(&input, "TableName", TextTree(table));
    SetMember(&input, "ConsistentRead", WordTree("true"));
    for (bool can_write = true;;) {
      DYNOLITH_ASSIGN_OR_RETURN(JsonTree page, Ask("Scan", input));
      for (JsonTree& item : page.Find("Items")->elements) {
        if (!IsTaken(keys, &item)) continue;
        const std::string named =
            file_stem_ == table ? "" : Concat("\"TableName\":\"", table, "\",");
        can_write = file.Write(Concat("{", named, "\"Item\":", PrintJson(item), "}\n"));
        ++summary_.items;
      }
      const JsonTree* const last = page.Find("LastEvaluatedKey");
      if (last == nullptr || !can_write) break;
      SetMember(&input, "ExclusiveStartKey", *last);
    }
    DYNOLITH_RETURN_IF_ERROR(file.Close());
    if (summary_.items > before) {
      written_.push_back(path);
    } else {
      std::error_code ignored;
      fs::remove(Unfinished(path), ignored);
    }
    return absl::OkStatus();
  }

  const DumpOptions& options_;
  const std::unique_ptr<client::ServiceConnection> connection_;
  const std::function<void(const Finding& finding)>& find_;
  std::string file_stem_;  // the names of the current table's files, without their endings
  std::vector<std::string> written_;  // the files, by the names that they will have
  DumpSummary summary_;
};

}  // namespace

absl::StatusOr<DumpSummary> DumpTables(const DumpOptions& options, client::ServiceTarget* target,
                                       const std::function<void(const Finding& finding)>& find) {
  return Dump(options, target, find).Run();
}

}  // namespace dynolith::designs
