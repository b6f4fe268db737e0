#include "tools/files/design/design_file.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/files/design/messages.h"
#include "tools/files/design/source_files.h"
#include "tools/files/design/workbench_tables.h"
#include "tools/files/design/yaml_tree.h"
#include "tools/files/items/messages.h"
#include "tools/files/items/pipeline_line.h"
#include "tools/files/items/text_file.h"
#include "tools/files/table/create_table.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/serverless_file.h"
#include "tools/files/templates/template_tables.h"
#include "tools/files/workbench/workbench_model.h"

namespace dynolith::designs {
namespace {

// A document is held in memory as a tree of several times its size; lines of items are streamed.
constexpr size_t kDocumentBytesMax = size_t{256} << 20;
// Programs, whose values are known only after running them.
constexpr std::string_view kProgramEnds[] = {".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"};
// How much is read to recognise the form of a file whose name does not give it.
constexpr size_t kLookedAtBytes = size_t{64} << 10;
constexpr std::string_view kIonMarker = "$ion_1_0";
constexpr std::string_view kCodingEnds[] = {".gz", ".zst"};
constexpr std::string_view kNameEnds[] = {".json", ".jsonl", ".ndjson", ".yml",
                                          ".yaml", ".csv",   ".ion"};

bool TakeEnd(std::string_view end, std::string_view* name) {
  if (!name->ends_with(end) || name->size() == end.size()) return false;
  name->remove_suffix(end.size());
  return true;
}

std::string_view WithoutCoding(std::string_view name) {
  for (const std::string_view end : kCodingEnds) TakeEnd(end, &name);
  return name;
}

void AddItems(const std::string& file, const JsonTree& tree, DesignFiles* files,
              Findings* findings) {
  std::optional<std::vector<ItemList>> lists = ReadItemDocument(file, tree, findings);
  if (!lists) {
    findings->Fail(LocationInFile(file, tree), messages::DesignUnknownForm());
    return;
  }
  for (ItemList& list : *lists) files->item_lists.push_back(std::move(list));
}

// The text of a document. nullopt: it cannot be read; the error is reported.
std::optional<std::string> ReadText(const std::string& file, Findings* findings) {
  absl::StatusOr<std::string> read = ReadWhole(file, kDocumentBytesMax);
  if (!read.ok()) {
    findings->Fail({file}, std::string(MessageOf(read.status())));
    return std::nullopt;
  }
  return std::string(WithoutByteOrderMark(*read));
}

// nullopt: the file is empty or wrong, which is reported.
std::optional<JsonTree> ReadDocument(const std::string& file, Findings* findings) {
  const std::optional<std::string> text = ReadText(file, findings);
  if (!text) return std::nullopt;
  const size_t begin = text->find_first_not_of(kBlank);
  if (begin == std::string::npos) {
    findings->Warn({file}, messages::DesignEmptyFile());
    return std::nullopt;
  }
  std::optional<JsonTree> tree;
  if ((*text)[begin] == '{' || (*text)[begin] == '[') {
    JsonLocation stopped;
    tree = ParseJson(*text, kJsonDepthMax, &stopped);
    if (!tree) {
      findings->Fail({file, stopped.line, stopped.column}, messages::DesignNotJson());
    } else if (const JsonTree::Member* const twice = NameTwice(*tree)) {
      findings->Fail(LocationInFile(file, twice->value), messages::DesignNameTwice(twice->name));
      return std::nullopt;
    }
    return tree;
  }
  YamlError yaml_error;
  tree = ParseYaml(*text, &yaml_error);
  if (!tree) {
    findings->Fail({file, yaml_error.place.line, yaml_error.place.column},
                   messages::DesignNotYaml(yaml_error.reason));
  }
  return tree;
}

// Resolves `path` relative to the folder of `file`.
std::string Beside(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

// Adds the tables of a template and of the templates nested in it.
class TemplateAdder {
 public:
  TemplateAdder(DesignFiles* files, Findings* findings) : files_(files), findings_(findings) {}

  void Add(const std::string& file, const JsonTree& tree, const ReadOptions& options,
           bool is_part) {
    if (!IsTemplate(tree)) {
      return findings_->Fail(LocationInFile(file, tree), messages::DesignNotATemplate());
    }
    TemplateContents contents = ReadTemplateTables(file, tree, options, is_part, findings_);
    for (TableDesign& table : contents.tables) files_->tables.push_back(std::move(table));
    ++depth_;
    for (const NestedTemplate& nested : contents.nested) {
      // A limit of the depth alone would allow an exponential number of stacks, since each template
      // may nest several others.
      if (is_over_) return;
      if (depth_ > kNestedMax || ++stacks_ > kStacksMax) {
        is_over_ = true;
        return findings_->Fail(nested.place, messages::TemplateNestedTooDeep());
      }
      const std::string other = Beside(file, nested.path);
      const std::optional<JsonTree> read = ReadDocument(other, findings_);
      if (!read) continue;
      ReadOptions inner = options;
      for (const auto& [name, value] : nested.parameters) inner.parameters[name] = value;
      Add(other, *read, inner, /*is_part=*/false);
    }
    --depth_;
  }

 private:
  static constexpr int kNestedMax = 8;
  static constexpr int kStacksMax = 1000;

  int depth_ = 0;  // of the current template, 1 for the outermost
  int stacks_ = 0;
  bool is_over_ = false;
  DesignFiles* const files_;
  Findings* const findings_;
};

void AddTemplate(const std::string& file, const JsonTree& tree, const ReadOptions& options,
                 DesignFiles* files, Findings* findings) {
  TemplateAdder(files, findings).Add(file, tree, options, /*is_part=*/false);
}

// Files that serverless.yml names, each read once.
class NamedFiles {
 public:
  NamedFiles(SourceFiles* sources, Findings* findings) : sources_(sources), findings_(findings) {}

  std::optional<NamedText> ReadNamedText(const std::string& path) {
    const std::string file = Beside(sources_->first(), path);
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
    std::optional<std::string> text = ReadText(file, findings_);
    if (!text) return std::nullopt;
    return NamedText{file, *std::move(text)};
  }

  std::optional<JsonTree> Read(const std::string& path) {
    const std::string file = Beside(sources_->first(), path);
    const auto known = read_.find(file);
    if (known != read_.end()) return known->second;
    std::error_code error;
    std::optional<JsonTree> tree;
    // If there is no such file, the variable takes its next value.
    if (std::filesystem::is_regular_file(file, error)) {
      tree = IsDocument(file) ? ReadDocument(file, findings_) : ReadPlain(file);
    }
    if (tree) sources_->Add(file, &*tree);
    return read_.emplace(file, std::move(tree)).first->second;
  }

 private:
  static bool IsDocument(std::string_view file) {
    return file.ends_with(".yml") || file.ends_with(".yaml") || file.ends_with(".json");
  }
  std::optional<JsonTree> ReadPlain(const std::string& file) {
    for (const std::string_view end : kProgramEnds) {
      if (file.ends_with(end)) return std::nullopt;
    }
    std::optional<std::string> text = ReadText(file, findings_);
    if (!text) return std::nullopt;
    while (!text->empty() && kBlank.find(text->back()) != std::string_view::npos) text->pop_back();
    return TextTree(*text);
  }

  SourceFiles* const sources_;
  Findings* const findings_;
  std::map<std::string, std::optional<JsonTree>> read_;
};

void AddServerless(const std::string& file, const JsonTree& tree, const ReadOptions& options,
                   DesignFiles* files, Findings* findings) {
  SourceFiles sources(file);
  Findings found;
  NamedFiles named(&sources, &found);
  const ServerlessTemplate read = ReadServerlessFile(
      file, tree, options, [&](const std::string& path) { return named.Read(path); },
      [&](const std::string& path) { return named.ReadNamedText(path); }, &found);
  DesignFiles parts;
  if (found.errors() == 0 && !read.tree.members.empty()) {
    ReadOptions inner = options;
    if (!read.stack.empty()) inner.parameters.emplace("AWS::StackName", read.stack);
    TemplateAdder(&parts, &found).Add(file, read.tree, inner, /*is_part=*/true);
  }
  for (TableDesign& table : parts.tables) {
    sources.Correct(&table.place);
    for (TableCall& call : table.calls) sources.Correct(&call.place);
    files->tables.push_back(std::move(table));
  }
  for (Finding finding : found.list()) {
    sources.Correct(&finding.place);
    if (finding.is_error) {
      findings->Fail(std::move(finding.place), std::move(finding.text));
    } else {
      findings->Warn(std::move(finding.place), std::move(finding.text));
    }
  }
}

// The manifest that lies beside the data files of a Data Pipeline export.
bool IsPipelineManifest(const JsonTree& tree) {
  const JsonTree* const entries = tree.Find("entries");
  return MemberText(tree.Find("name")) == "DynamoDB-export" && tree.Find("version") != nullptr &&
         entries != nullptr && entries->kind == JsonTree::Kind::kList;
}

void AddDocument(const std::string& file, const JsonTree& tree, const ReadOptions& options,
                 DesignFiles* files, Findings* findings) {
  if (IsPipelineManifest(tree)) return findings->Warn({file}, messages::PipelineManifest());
  if (IsTemplate(tree)) return AddTemplate(file, tree, options, files, findings);
  if (IsServerlessFile(tree)) return AddServerless(file, tree, options, files, findings);
  if (workbench::IsModel(tree)) {
    for (TableDesign& table : ReadWorkbenchTables(file, tree, findings)) {
      files->tables.push_back(std::move(table));
    }
    return;
  }
  const bool is_list_of_tables = tree.kind == JsonTree::Kind::kList && !tree.elements.empty() &&
                                 tree.elements.front().Find("TableName") != nullptr &&
                                 tree.elements.front().Find("KeySchema") != nullptr;
  if (is_list_of_tables) {
    for (const JsonTree& element : tree.elements) {
      AddDocument(file, element, options, files, findings);
    }
    return;
  }
  if (std::optional<TableDesign> table = ReadTableJson(file, tree, findings)) {
    files->tables.push_back(*std::move(table));
    return;
  }
  AddItems(file, tree, files, findings);
}

// The form of a file that is read record by record; nullopt for a document.
absl::StatusOr<std::optional<ItemForm>> DetectForm(const std::string& file) {
  const std::string_view name = WithoutCoding(file);
  if (name.ends_with(".csv")) return ItemForm::kCsv;
  if (name.ends_with(".ion")) return ItemForm::kIon;
  DYNOLITH_ASSIGN_OR_RETURN(const std::string beginning, ReadBeginning(file, kLookedAtBytes));
  if (beginning.starts_with(kIonMarker)) return ItemForm::kIon;
  if (HoldsPipelineLines(beginning)) return ItemForm::kPipeline;
  DYNOLITH_ASSIGN_OR_RETURN(const bool has_lines, HoldsJsonLines(file));
  return has_lines ? std::optional(ItemForm::kJsonLines) : std::nullopt;
}

}  // namespace

bool HasDesignName(const std::string& file) {
  std::string_view name = WithoutCoding(file);
  for (const std::string_view end : kNameEnds) {
    if (TakeEnd(end, &name)) return true;
  }
  return false;
}

std::string FileStem(const std::string& file) {
  std::string_view name = file;
  if (const size_t slash = name.rfind('/'); slash != std::string_view::npos) {
    name.remove_prefix(slash + 1);
  }
  name = WithoutCoding(name);
  for (const std::string_view end : kNameEnds) {
    if (TakeEnd(end, &name)) break;
  }
  TakeEnd(".items", &name);
  return std::string(name);
}

void ReadDesignFile(const std::string& file, const ReadOptions& options, DesignFiles* files,
                    Findings* findings) {
  const absl::StatusOr<std::optional<ItemForm>> form = DetectForm(file);
  if (!form.ok()) return findings->Fail({file}, std::string(MessageOf(form.status())));
  if (*form) {
    ItemFile items{file, **form};
    const absl::Status looked =
        *form == ItemForm::kCsv ? absl::OkStatus() : LookAtFirstRecord(&items);
    if (!looked.ok()) return findings->Fail({file}, std::string(MessageOf(looked)));
    files->item_files.push_back(std::move(items));
    return;
  }
  if (const std::optional<JsonTree> tree = ReadDocument(file, findings)) {
    AddDocument(file, *tree, options, files, findings);
  }
}

}  // namespace dynolith::designs
