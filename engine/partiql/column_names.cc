#include "engine/partiql/column_names.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "absl/strings/ascii.h"
#include "engine/base/strings.h"

namespace dynolith::partiql {
namespace {

bool NeedsQuotes(std::string_view name) {
  return absl::ascii_isdigit(name[0]) || !std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '_' || c == '$';
         });
}

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string IndexesFrom(const Path& path, size_t begin) {
  std::string text;
  for (size_t i = begin; i < path.size() && path[i].is_index(); ++i) {
    text += Concat("[", path[i].index(), "]");
  }
  return text;
}

std::string LastElementName(const Path& path) {
  size_t last = path.size() - 1;
  while (path[last].is_index()) --last;
  return Concat(path[last].name(), IndexesFrom(path, last + 1));
}

// As a statement says it, so that no two paths have one text.
std::string WholePathText(const Path& path) {
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i].is_index()) continue;
    const std::string_view name = path[i].name();
    text += Concat(i == 0 ? "" : ".", NeedsQuotes(name) ? Quoted(name) : std::string(name),
                   IndexesFrom(path, i + 1));
  }
  return text;
}

}  // namespace

std::vector<std::string> NamesOfColumns(const std::vector<Path>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const Path& column : columns) names.push_back(LastElementName(column));
  // A whole path may be another column's name, `m.x` that of "m.x", which is then to be changed,
  // too.
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::string, int> uses;
    for (const std::string& name : names) ++uses[name];
    for (size_t i = 0; i < columns.size(); ++i) {
      if (uses[names[i]] == 1) continue;
      std::string whole = WholePathText(columns[i]);
      changed |= whole != names[i];
      names[i] = std::move(whole);
    }
  }
  return names;
}

}  // namespace dynolith::partiql
