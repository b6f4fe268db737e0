// A table of a file: the calls of the service that make it, and sample items.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_TABLE_DESIGN_H_
#define DYNOLITH_TOOLS_FILES_TABLE_TABLE_DESIGN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/shapes.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"

namespace dynolith::designs {

// A call for an existing table: "UpdateTimeToLive" with all of its members.
struct TableCall {
  std::string operation;
  JsonTree input;
  FileLocation place;
  // Whether its ResourceArn has to be that of the table's stream.
  bool is_of_stream = false;
};

// How an item is written into its table.
struct ItemWrite {
  bool is_deletion = false;  // the item is only the key of a deletion
  JsonTree conditions = {};  // the members of PutItem's input for its condition

  // Whether the write does not depend on the existing item.
  bool is_plain() const { return !is_deletion && conditions.members.empty(); }
};

// An item of a design, as {"name": {"S": "…"}, …}.
struct SampleItem {
  JsonTree item;
  FileLocation place;
  ItemWrite write = {};
};

struct TableDesign {
  std::string name;
  FileLocation place;
  // The input of CreateTable; without members if the file has only `calls`.
  JsonTree create;
  std::vector<TableCall> calls;
  std::vector<SampleItem> items;
};

// The input of an operation of the service.
const Shape& InputShape(std::string_view operation);

// How members that a shape does not have are reported.
enum class UnknownMembers : uint8_t { kWarn, kFail };

// Adapts `tree` to `shape`: reports and removes unknown members, and converts between texts, and
// the numbers and words that they spell. Other mismatches stay unchanged, so that the service
// refuses them.
void FitToShape(const std::string& file, const Shape& shape, JsonTree* tree, Findings* findings,
                UnknownMembers unknown = UnknownMembers::kWarn);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TABLE_TABLE_DESIGN_H_
