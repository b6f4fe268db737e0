#include "tools/mcp/parsed_partiql.h"

#include <cstddef>
#include <string>
#include <utility>

#include "api/json/item_line.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/value/item.h"
#include "tools/mcp/json_values.h"

namespace dynolith::mcp {

absl::StatusOr<ParsedPartiql> ParsePartiql(const JsonTree& input) {
  ParsedPartiql parsed;
  if (const JsonTree* const given = input.Find("Parameters")) {
    JsonTree item = MapTree();
    for (size_t i = 0; i < given->elements.size(); ++i) {
      SetMember(&item, Concat(i), given->elements[i]);
    }
    JsonTree line = MapTree();
    SetMember(&line, "Item", std::move(item));
    DYNOLITH_ASSIGN_OR_RETURN(const Item values, ReadItemLine(PrintJson(line)));
    for (size_t i = 0; i < given->elements.size(); ++i) {
      parsed.parameters.push_back(Value::Copy(*values.Find(Concat(i))));
    }
  }
  DYNOLITH_ASSIGN_OR_RETURN(parsed.statement,
                            partiql::Parse(TextAt(input, "Statement"), parsed.parameters));
  return parsed;
}

}  // namespace dynolith::mcp
