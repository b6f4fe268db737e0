// Data models of NoSQL Workbench: tables, indexes, and the rows of samples.
#ifndef DYNOLITH_TOOLS_FILES_WORKBENCH_WORKBENCH_MODEL_H_
#define DYNOLITH_TOOLS_FILES_WORKBENCH_WORKBENCH_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/json_tree.h"

namespace dynolith::workbench {

struct Attribute {
  std::string name;
  std::string type;  // "S", "N", "B", "M", …, as the model says
};

// Units a second; absent: not in the model.
struct Capacity {
  std::optional<int64_t> read;
  std::optional<int64_t> write;
};

struct Index {
  std::string name;
  Attribute partition_key;
  std::optional<Attribute> sort_key;
  std::string projection;  // "ALL", "KEYS_ONLY", "INCLUDE"
  std::vector<std::string> projected;
  Capacity capacity;
  bool is_local = false;
};

// Borrows the tree.
struct Table {
  std::string name;
  const JsonTree* tree = nullptr;
  Attribute partition_key;
  std::optional<Attribute> sort_key;
  std::vector<Attribute> other_attributes;
  bool is_on_demand = true;
  Capacity capacity;
  std::vector<Index> indexes;
  // Objects: of the table, then of its facets.
  std::vector<const JsonTree*> rows;
};

// Whether a file is one, by its beginning.
bool IsModel(const JsonTree& tree);

// nullopt if a table or an index lacks its name or its partition key; `lacks` receives that table.
// Requires: IsModel(model).
std::optional<std::vector<Table>> ReadTables(const JsonTree& model, const JsonTree** lacks);

}  // namespace dynolith::workbench

#endif  // DYNOLITH_TOOLS_FILES_WORKBENCH_WORKBENCH_MODEL_H_
