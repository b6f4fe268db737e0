// The keys of a table, as its items have to fit them.
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_TABLE_KEYS_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_TABLE_KEYS_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::excerpt {

struct TableKeys {
  std::string table;
  std::vector<std::string> names;  // of the table's own key, partition key first
  std::unordered_map<std::string, std::string> types;  // "S", "N" or "B" of all key attributes
};

// `description`: of DescribeTable, or an input of CreateTable.
inline TableKeys ToTableKeys(const JsonTree& description) {
  TableKeys keys;
  keys.table = designs::MemberText(description.Find("TableName"));
  if (const JsonTree* const schema = description.Find("KeySchema")) {
    for (const JsonTree& element : schema->elements) {
      const std::string name(designs::MemberText(element.Find("AttributeName")));
      const bool is_first = designs::MemberText(element.Find("KeyType")) == "HASH";
      keys.names.insert(is_first ? keys.names.begin() : keys.names.end(), name);
    }
  }
  if (const JsonTree* const definitions = description.Find("AttributeDefinitions")) {
    for (const JsonTree& element : definitions->elements) {
      keys.types[std::string(designs::MemberText(element.Find("AttributeName")))] =
          designs::MemberText(element.Find("AttributeType"));
    }
  }
  return keys;
}

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_TABLE_KEYS_H_
