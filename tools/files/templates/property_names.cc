#include "tools/files/templates/property_names.h"

#include <algorithm>
#include <utility>

#include "engine/text/nearest_word.h"
#include "tools/files/table/messages.h"
#include "tools/files/templates/messages.h"

namespace dynolith::designs {
namespace {

bool IsAmong(const std::string& name, const std::vector<std::string>& known) {
  return std::find(known.begin(), known.end(), name) != known.end();
}

}  // namespace

void CheckNames(const std::string& file, const std::vector<std::string>& known, const JsonTree& map,
                Findings* findings) {
  // A missing map has no position.
  if (map.kind != JsonTree::Kind::kMap && map.line > 0) {
    findings->Fail(LocationInFile(file, map), messages::TemplateMalformed("this"));
  }
  for (const auto& [name, value] : map.members) {
    if (IsAmong(name, known)) continue;
    findings->Fail(LocationInFile(file, value),
                   messages::TemplateRefused(
                       messages::TemplateUnknownProperty(name, NearestWord(name, known)), name));
  }
}

void KeepNames(const std::string& file, const std::vector<std::string>& known, JsonTree* map,
               Findings* findings) {
  CheckNames(file, known, *map, findings);
  std::erase_if(map->members,
                [&](const JsonTree::Member& member) { return !IsAmong(member.name, known); });
}

}  // namespace dynolith::designs
