#include "tools/lab/experiment/experiment_file.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/files/toml/toml_reader.h"
#include "tools/lab/experiment/csv_members.h"
#include "tools/lab/experiment/experiment_reader.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/experiment/replay_reader.h"
#include "tools/lab/experiment/workbench_model.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

using ReadFile = absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)>;

// Finds the table with this name in an array of tables; nullptr if there is none.
toml::table* Named(toml::array* array, std::string_view name) {
  for (toml::node& element : *array) {
    toml::table* const table = element.as_table();
    if (table == nullptr) continue;
    const auto* const own = table->get_as<std::string>("name");
    if (own != nullptr && own->get() == name) return table;
  }
  return nullptr;
}

// The names of the tables in an array of tables.
std::vector<std::string> NamesIn(const toml::array& array) {
  std::vector<std::string> names;
  for (const toml::node& element : array) {
    const toml::table* const table = element.as_table();
    const auto* const name = table == nullptr ? nullptr : table->get_as<std::string>("name");
    if (name != nullptr) names.push_back(name->get());
  }
  return names;
}

// A table with a kind is replaced as a whole, since another kind has other members.
bool HasKind(const toml::table& table) {
  return table.contains("shape") || table.contains("distribution");
}

// Moves the members of `set` into `base`; tables of an array are matched by their names. Moved
// nodes keep their positions in the file.
void Override(toml::table* base, toml::table* set, const std::string& path, TomlErrors* errors) {
  for (auto&& [key, value] : *set) {
    toml::node* const old = base->get(key.str());
    toml::table* const members = value.as_table();
    const std::string own = path.empty() ? std::string(key.str()) : Concat(path, ".", key.str());
    const bool is_whole = old == nullptr || members == nullptr || HasKind(*members);
    toml::table* const table = is_whole ? nullptr : old->as_table();
    toml::array* const array = is_whole ? nullptr : old->as_array();
    if (table != nullptr) {
      Override(table, members, own, errors);
    } else if (array != nullptr) {
      for (auto&& [name, element] : *members) {
        toml::table* const target = Named(array, name.str());
        toml::table* const source = element.as_table();
        if (target == nullptr || source == nullptr) {
          errors->Add(name.source(),
                      messages::LabNothingNamed(own, own, name.str(),
                                                NearestWord(name.str(), NamesIn(*array))));
          continue;
        }
        Override(target, source, Concat(own, ".", name.str()), errors);
      }
    } else {
      base->insert_or_assign(key, std::move(value));
    }
  }
}

// The paths of all tables and accesses that a design can remove: "access.like".
std::vector<std::string> RemovablePaths(const toml::table& document) {
  std::vector<std::string> paths;
  for (const auto& [key, value] : document) {
    const toml::array* const array = value.as_array();
    if (array == nullptr || key.str() == "design") continue;
    for (const std::string& name : NamesIn(*array)) paths.push_back(Concat(key.str(), ".", name));
  }
  return paths;
}

// Removes the table or access that `path` names, "access.like", from the document.
bool Remove(toml::table* document, std::string_view path) {
  const size_t point = path.find('.');
  if (point == std::string_view::npos) return false;
  toml::array* const array = document->get_as<toml::array>(path.substr(0, point));
  if (array == nullptr || Named(array, path.substr(point + 1)) == nullptr) return false;
  for (auto it = array->begin(); it != array->end(); ++it) {
    const auto* const name = it->as_table()->get_as<std::string>("name");
    if (name == nullptr || name->get() != path.substr(point + 1)) continue;
    array->erase(it);
    return true;
  }
  return false;
}

void RemoveAll(const toml::node& without, toml::table* document, TomlErrors* errors) {
  const toml::array* const paths = without.as_array();
  if (paths == nullptr) {
    errors->Add(without.source(), messages::LabWrongKind("design.without", "a list of texts"));
    return;
  }
  for (const toml::node& path : *paths) {
    const std::string text = path.value_or(std::string());
    if (Remove(document, text)) continue;
    errors->Add(path.source(),
                messages::LabNothingToRemove("design.without", text,
                                             NearestWord(text, RemovablePaths(*document))));
  }
}

struct Design {
  std::string name;
  std::string description;
  toml::source_region where;
};

// Reads design number `at`, and puts what it sets into the document, which has no designs then.
std::optional<Design> ApplyDesign(toml::table* document, size_t at, TomlErrors* errors) {
  std::vector<TomlTable> designs = TomlTable(*document, "", errors).Tables("design");
  if (at >= designs.size()) return std::nullopt;
  TomlTable& table = designs[at];
  Design design{.where = table.table().source()};
  table.Need("name", "what this variant is called");
  table.Text("name", &design.name);
  table.Text("description", &design.description);
  const std::optional<TomlTable> set = table.Table("set");
  if (const toml::node* without = table.Find("without")) RemoveAll(*without, document, errors);
  table.RefuseUnknown();
  if (set) {
    toml::table moved = std::move(
        *(*document->get_as<toml::array>("design"))[at].as_table()->get_as<toml::table>("set"));
    Override(document, &moved, "", errors);
  }
  return design;
}

// Returns the tables of the model, none if the document names none, or nullopt if it cannot be
// read; then `errors` has the reason.
std::optional<std::vector<TableDesign>> WorkbenchTables(const toml::table& document, ReadFile read,
                                                        TomlErrors* errors) {
  TomlTable root(document, "", errors);
  if (!root.Has("workbench")) return std::vector<TableDesign>();
  std::optional<TomlTable> workbench = root.Table("workbench");
  if (!workbench) return std::nullopt;
  const toml::node* const node = workbench->Need("file", "where the model is");
  std::string file;
  workbench->Text("file", &file);
  workbench->RefuseUnknown();
  if (node == nullptr || file.empty()) return std::nullopt;
  const absl::StatusOr<std::string> text = read(file);
  absl::StatusOr<std::vector<TableDesign>> tables =
      text.ok() ? ParseWorkbenchModel(file, *text) : text.status();
  if (tables.ok()) return *std::move(tables);
  workbench->Error(*node, ToStd(tables.status().message()));
  return std::nullopt;
}

// The inputs that designs share.
struct NamedFiles {
  ReadFile read;
  LoadedTraces traces;
  NamedTexts texts = NamedTexts(read);
};

Experiment ReadDocument(const toml::table& document, NamedFiles* files, TomlErrors* errors) {
  std::optional<std::vector<TableDesign>> known = WorkbenchTables(document, files->read, errors);
  std::optional<Replay> replay = ReadReplay(document, files->read, &files->traces, errors);
  if (replay) {
    known = MakeTables(*replay);
  } else if (document.contains("replay")) {
    known.reset();
  }
  return ExperimentReader(document, std::move(known), std::move(replay), &files->texts, errors)
      .Read();
}

// Reads files whose paths are relative to the folder of this one.
auto ReadBeside(const std::string& file) {
  return [folder = std::filesystem::path(file).parent_path()](const std::string& path) {
    return ReadTextFile((folder / path).string());
  };
}

}  // namespace

absl::StatusOr<std::vector<Experiment>> ParseExperiment(const std::string& file,
                                                        std::string_view text, ReadFile read) {
  std::vector<Experiment> experiments;
  std::set<std::string> names;
  NamedFiles files{read, {}};
  TomlErrors errors(file);
  size_t count = 1;
  for (size_t i = 0; i < count; ++i) {
    // Parsed again for each design, since a copy would lose the positions of its members.
    DYNOLITH_ASSIGN_OR_RETURN(toml::table document, ParseToml(file, text));
    if (const auto* const designs = document.get_as<toml::array>("design")) {
      count = std::max<size_t>(1, designs->size());
    }
    const std::optional<Design> design = ApplyDesign(&document, i, &errors);
    if (design && !names.insert(design->name).second) {
      errors.Add(design->where, messages::LabNameTwice("designs", design->name));
    }
    Experiment experiment = ReadDocument(document, &files, &errors);
    if (design) {
      experiment.design = design->name;
      experiment.description = design->description;
    }
    experiments.push_back(std::move(experiment));
  }
  DYNOLITH_RETURN_IF_ERROR(errors.status());
  return experiments;
}

absl::StatusOr<Experiment> ParseWithoutDesigns(const std::string& file, std::string_view text,
                                               ReadFile read) {
  DYNOLITH_ASSIGN_OR_RETURN(const toml::table document, ParseToml(file, text));
  TomlErrors errors(file);
  NamedFiles files{read, {}};
  Experiment experiment = ReadDocument(document, &files, &errors);
  DYNOLITH_RETURN_IF_ERROR(errors.status());
  return experiment;
}

absl::StatusOr<std::string> ReadTextFile(const std::string& file) {
  FileText read = ReadFileText(file);
  if (read.error == 0) return std::move(read.text);
  return absl::NotFoundError(ToAbsl(messages::LabCannotRead(file, ErrnoReason(read.error))));
}

absl::StatusOr<std::vector<Experiment>> ReadExperiment(const std::string& file) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(file));
  return ParseExperiment(file, text, ReadBeside(file));
}

absl::StatusOr<Experiment> ReadWithoutDesigns(const std::string& file) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(file));
  return ParseWithoutDesigns(file, text, ReadBeside(file));
}

}  // namespace dynolith::lab
