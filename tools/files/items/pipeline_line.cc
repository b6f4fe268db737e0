#include "tools/files/items/pipeline_line.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tools/files/items/attribute_values.h"
#include "tools/files/items/messages.h"
#include "tools/files/items/text_file.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

constexpr char kBetweenAttributes = '\x02';
constexpr char kBehindName = '\x03';
constexpr std::string_view kValueBegins = "\x03{";

}  // namespace

std::optional<JsonTree> ReadPipelineLine(std::string_view line, PipelineError* error) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  JsonTree item = MapTree();
  item.line = 1;
  item.column = 1;
  std::set<std::string_view> names;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find(kBetweenAttributes, at), line.size());
    const std::string_view attribute = line.substr(at, end - at);
    const size_t name_end = attribute.find(kBehindName);
    if (name_end == std::string_view::npos || name_end == 0) {
      *error = {at + 1, messages::PipelineNoAttribute()};
      return std::nullopt;
    }
    const std::string_view name = attribute.substr(0, name_end);
    if (!names.insert(name).second) {
      *error = {at + 1, messages::DesignNameTwice(name)};
      return std::nullopt;
    }
    JsonLocation stopped;
    const std::optional<JsonTree> json =
        ParseJson(attribute.substr(name_end + 1), kJsonDepthMax, &stopped);
    if (!json) {
      *error = {at + name_end + 1 + stopped.column, messages::DesignNotJson()};
      return std::nullopt;
    }
    if (const JsonTree::Member* const twice = NameTwice(*json)) {
      *error = {at + name_end + 1 + twice->value.name_column,
                messages::DesignNameTwice(twice->name)};
      return std::nullopt;
    }
    std::optional<JsonTree> value = ValueOfLowerCase(*json);
    if (!value) {
      *error = {at + name_end + 2, messages::PipelineNoValue(name)};
      return std::nullopt;
    }
    item.members.push_back({std::string(name), *std::move(value)});
    at = end + 1;
  }
  return item;
}

bool HoldsPipelineLines(std::string_view beginning) {
  const size_t begin = beginning.find_first_not_of(kBlank);
  return begin != std::string_view::npos && beginning[begin] != '{' && beginning[begin] != '[' &&
         beginning.find(kValueBegins) != std::string_view::npos;
}

}  // namespace dynolith::designs
