#include "tools/designs/design_file.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/base/errors.h"
#include "engine/base/messages/designs.h"
#include "tools/designs/create_table.h"
#include "tools/designs/json_parts.h"
#include "tools/designs/serverless_file.h"
#include "tools/designs/template_tables.h"
#include "tools/designs/text_file.h"
#include "tools/designs/workbench_tables.h"
#include "tools/designs/yaml_tree.h"
#include "tools/workbench/workbench_model.h"

namespace dynolith::designs {
namespace {

// A document is held in memory, as a tree some times as large; lines of items are not.
constexpr size_t kDocumentBytesMax = size_t{256} << 20;
constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kCodingEnds[] = {".gz", ".zst"};
constexpr std::string_view kNameEnds[] = {".json", ".jsonl", ".ndjson", ".yml", ".yaml", ".csv"};

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
    findings->Fail(PlaceOf(file, tree), messages::DesignUnknownForm());
    return;
  }
  for (ItemList& list : *lists) files->item_lists.push_back(std::move(list));
}

// nullopt: it has been said why.
std::optional<JsonTree> ReadDocument(const std::string& file, Findings* findings) {
  const absl::StatusOr<std::string> read = ReadWhole(file, kDocumentBytesMax);
  if (!read.ok()) {
    findings->Fail({file}, std::string(MessageOf(read.status())));
    return std::nullopt;
  }
  const std::string_view text = WithoutByteOrderMark(*read);
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) {
    findings->Warn({file}, messages::DesignEmptyFile());
    return std::nullopt;
  }
  std::optional<JsonTree> tree;
  if (text[begin] == '{' || text[begin] == '[') {
    JsonPlace stopped;
    tree = ParseJson(text, kJsonDepthMax, &stopped);
    if (!tree) findings->Fail({file, stopped.line, stopped.column}, messages::DesignNotJson());
    return tree;
  }
  YamlFault fault;
  tree = ParseYaml(std::string(text), &fault);
  if (!tree) {
    findings->Fail({file, fault.place.line, fault.place.column},
                   messages::DesignNotYaml(fault.reason));
  }
  return tree;
}

void AddTemplate(const std::string& file, const JsonTree& tree, const ReadOptions& options,
                 DesignFiles* files, Findings* findings) {
  if (!IsTemplate(tree)) return findings->Fail(PlaceOf(file, tree), messages::DesignNotATemplate());
  for (TableDesign& table :
       ReadTemplateTables(file, tree, options.parameters, options.region, findings)) {
    files->tables.push_back(std::move(table));
  }
}

void AddServerless(const std::string& file, const JsonTree& tree, const ReadOptions& options,
                   DesignFiles* files, Findings* findings) {
  for (const ServerlessPart& part : ReadServerlessFile(tree, options.parameters)) {
    if (part.file.empty()) {
      if (!part.tree.members.empty()) AddTemplate(file, part.tree, options, files, findings);
      continue;
    }
    const std::string other =
        (std::filesystem::path(file).parent_path() / part.file).lexically_normal().string();
    std::optional<JsonTree> read = ReadDocument(other, findings);
    if (!read) continue;
    ResolveVariables(tree, options.parameters, &*read);
    AddTemplate(other, *read, options, files, findings);
  }
}

void AddDocument(const std::string& file, const JsonTree& tree, const ReadOptions& options,
                 DesignFiles* files, Findings* findings) {
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

}  // namespace

bool HasDesignName(const std::string& file) {
  std::string_view name = WithoutCoding(file);
  for (const std::string_view end : kNameEnds) {
    if (TakeEnd(end, &name)) return true;
  }
  return false;
}

std::string StemOf(const std::string& file) {
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
  if (WithoutCoding(file).ends_with(".csv")) {
    files->item_files.push_back({file, /*is_csv=*/true});
    return;
  }
  const absl::StatusOr<bool> has_lines = HoldsJsonLines(file);
  if (!has_lines.ok()) return findings->Fail({file}, std::string(MessageOf(has_lines.status())));
  if (*has_lines) {
    files->item_files.push_back({file, /*is_csv=*/false});
    return;
  }
  if (const std::optional<JsonTree> tree = ReadDocument(file, findings)) {
    AddDocument(file, *tree, options, files, findings);
  }
}

}  // namespace dynolith::designs
