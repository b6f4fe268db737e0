// Any bytes as a file of rules. Reading must end and must not misbehave, and rules that are read
// change an item again and again into the same, of which the service has all types, or say why not.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/text/json_tree.h"
#include "tools/files/excerpt/anonymiser.h"
#include "tools/files/excerpt/rules_file.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::excerpt {
namespace {

constexpr std::string_view kItem =
    R"({"pk":{"S":"USER#a@x"},"sk":{"N":"12"},"b":{"B":"YWI="},"s":{"SS":["a#b","c"]},"n":{"NS":["1"]},)"
    R"("at":{"S":"2026-11-26T10:00:00Z"},"m":{"M":{"l":{"L":[{"S":"x"},{"NULL":true},{"BOOL":true}]}}}})";

void Check(bool is_right) {
  if (!is_right) std::abort();
}

// The item as the rules make it, or what they say of it.
std::string Changed(const Rules& rules) {
  TableKeys keys;
  keys.table = "t";
  keys.names = {"pk", "sk"};
  keys.types = {{"pk", "S"}, {"sk", "N"}};
  Anonymiser anonymiser(rules);
  if (const absl::Status checked = anonymiser.CheckTable(keys); !checked.ok()) {
    return std::string(checked.message());
  }
  JsonTree item = ParseJson(kItem, designs::kJsonDepthMax).value();
  const absl::Status changed = anonymiser.Change(keys, &item);
  if (!changed.ok()) return std::string(changed.message());
  Check(TypeOfValue(*item.Find("pk")) == "S" && TypeOfValue(*item.Find("sk")) == "N");
  return PrintJson(item);
}

}  // namespace
}  // namespace dynolith::excerpt

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynolith::excerpt;
  const std::string text(reinterpret_cast<const char*>(data), size);
  // No file and no variable that there may be here.
  if (text.find("file") != std::string::npos || text.find("variable") != std::string::npos)
    return 0;
  const absl::StatusOr<Rules> rules = ReadRules("rules.toml", text);
  Check(rules.ok() ? !rules->rules.empty() : !rules.status().message().empty());
  if (rules.ok()) Check(Changed(*rules) == Changed(*rules));
  return 0;
}
