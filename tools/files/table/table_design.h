// A table of a file: the calls of the service that make it, and sample items.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_TABLE_DESIGN_H_
#define DYNOLITH_TOOLS_FILES_TABLE_TABLE_DESIGN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/shapes.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"

namespace dynolith::designs {

// Whose ARN a call's ResourceArn has to be.
enum class ArnOf : uint8_t { kNone, kTable, kStream };

// A call for an existing table: "UpdateTimeToLive" with all of its members.
struct TableCall {
  std::string operation;
  JsonTree input;
  FileLocation place;
  ArnOf arn_of = ArnOf::kNone;
};

// A replica of a global table in another region than the table's own.
struct ReplicaDesign {
  std::string region;
  FileLocation place;
  JsonTree create = {};                // the action Create of UpdateTable's ReplicaUpdates
  std::vector<TableCall> calls = {};   // in its region, once it is ACTIVE
  std::vector<Finding> findings = {};  // of what the file says of it, if it is made
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
  std::vector<ReplicaDesign> replicas = {};
  // Where the file says that the replicas are to have multi-Region strong consistency.
  std::optional<FileLocation> strong = std::nullopt;
  std::vector<std::string> witnesses = {};  // their regions
  // The input of UpdateTableReplicaAutoScaling that a table with provisioned units has to have
  // before its replicas; without members: none.
  JsonTree scaling = {};
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
