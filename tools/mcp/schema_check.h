// Compares a tool's arguments with its input schema. Knows the keywords of JSON Schema 2020-12 that
// tools.json uses; a test compares its verdicts with those of a full implementation.
#ifndef DYNOLITH_TOOLS_MCP_SCHEMA_CHECK_H_
#define DYNOLITH_TOOLS_MCP_SCHEMA_CHECK_H_

#include "absl/status/status.h"
#include "engine/text/json_tree.h"

namespace dynolith::mcp {

// Keywords: type, properties, required, additionalProperties, items, enum, minimum, maximum,
// minLength, maxLength, minItems, maxItems. All others are descriptions. Errors: kInvalidArgument,
// which names the member and what is wanted; also for a member that stands there twice.
absl::Status CheckAgainst(const JsonTree& schema, const JsonTree& value);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_SCHEMA_CHECK_H_
