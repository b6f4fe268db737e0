// A table as some file says it: calls of the service that make it, and sample items.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_TABLE_DESIGN_H_
#define DYNOLITH_TOOLS_FILES_TABLE_TABLE_DESIGN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json_tree.h"
#include "engine/model/shapes.h"
#include "tools/files/table/findings.h"

namespace dynolith::designs {

// A call for a table that is there: "UpdateTimeToLive" with all of its members.
struct TableCall {
  std::string operation;
  JsonTree input;
  FileLocation place;
  // Whether its ResourceArn is to be that of the table's stream.
  bool is_of_stream = false;
};

// How an item gets into its table.
struct ItemWrite {
  bool is_deletion = false;  // what stands for the item is the key of what goes
  JsonTree conditions = {};  // the members of PutItem's input that say when it is written

  // Whether nothing has to be known of what is there.
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
  // The input of CreateTable; without members: the file says only what `calls` say.
  JsonTree create;
  std::vector<TableCall> calls;
  std::vector<SampleItem> items;
};

// The input of an operation of the service.
const Shape& InputShape(std::string_view operation);

// What is said of members that a shape does not have.
enum class UnknownMembers : uint8_t { kWarn, kFail };

// Makes `tree` what `shape` wants: members that it does not have are said and taken out, texts
// become the numbers and words that they spell, and numbers texts. What does not fit stays as it is
// for the service to refuse.
void FitToShape(const std::string& file, const Shape& shape, JsonTree* tree, Findings* findings,
                UnknownMembers unknown = UnknownMembers::kWarn);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TABLE_TABLE_DESIGN_H_
