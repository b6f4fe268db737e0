// What DescribeTable says of a table, as far as the tools need it.
#ifndef DYNOLITH_TOOLS_MCP_TABLE_FACTS_H_
#define DYNOLITH_TOOLS_MCP_TABLE_FACTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/mcp/backend.h"

namespace dynolith::mcp {

// A table, or one of its indexes.
struct KeyedFacts {
  std::string name;                         // of an index; empty for the table
  std::vector<std::string> partition_keys;  // several for an index with such keys
  std::vector<std::string> sort_keys;
  std::string projection = "ALL";  // ALL, KEYS_ONLY or INCLUDE
  bool is_global = false;
  int64_t items = 0;
  int64_t bytes = 0;
};

struct TableFacts {
  std::string table;
  std::string status;
  KeyedFacts own;
  std::vector<KeyedFacts> indexes;
  JsonTree description;  // "Table" of the answer

  // The table itself for an empty name; nullptr: no such index.
  const KeyedFacts* Find(std::string_view index) const;
  // The members of the primary key of a typed item.
  JsonTree KeyOf(const JsonTree& item) const;
};

// Errors: those of DescribeTable.
absl::StatusOr<TableFacts> FindTableFacts(Backend* backend, std::string_view table);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_TABLE_FACTS_H_
