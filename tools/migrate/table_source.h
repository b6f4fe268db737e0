// A table of FROM, as its service describes it, and its likeness on TO.
#ifndef DYNOLITH_TOOLS_MIGRATE_TABLE_SOURCE_H_
#define DYNOLITH_TOOLS_MIGRATE_TABLE_SOURCE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/files/excerpt/table_keys.h"
#include "tools/migrate/side.h"

namespace dynolith::migrate {

// A call that gives TO's table what the call that makes it cannot.
struct TableSetting {
  std::string title;      // "TTL of expires"
  std::string operation;  // "UpdateTimeToLive"
  JsonTree input;
  std::string resource_member;  // that takes the ARN of TO's table; empty: TableName stands in it
};

struct TableSource {
  std::string name;
  JsonTree description;  // of DescribeTable
  JsonTree create;       // the input of CreateTable that makes its likeness
  excerpt::TableKeys keys;
  std::vector<TableSetting> settings;  // tags, policy, TTL, point-in-time recovery
  std::vector<std::string> untold;     // settings that FROM does not tell, and why
  uint64_t items = 0;                  // by its description
  uint64_t bytes = 0;

  std::string StreamView() const;  // empty: the stream is off
  std::string StreamArn() const;
  std::string TimeToLiveAttribute() const;  // empty: off
};

absl::StatusOr<std::vector<std::string>> ListTables(Side::Caller* caller);
absl::StatusOr<TableSource> ReadTableSource(Side::Caller* caller, const std::string& name);
// The number that a member of a description tells; 0 without it.
uint64_t ToCount(const JsonTree* tree);
// The description; nullopt: there is no such table.
absl::StatusOr<std::optional<JsonTree>> DescribeTable(Side* side, Side::Caller* caller,
                                                      const std::string& name);

// Makes the table, and waits until it is active. Members that TO refuses are left out, and said.
// Errors: TO's, if it refuses the table.
absl::Status MakeTable(Side* to, const TableSource& source,
                       const std::function<void(const std::string& text)>& warn);
// Makes the calls. What TO refuses is said.
absl::Status ApplySettings(Side* to, const TableSource& source,
                           const std::function<void(const std::string& text)>& warn);
// Waits until the table is ACTIVE, for ten minutes. Returns its description.
absl::StatusOr<JsonTree> AwaitActive(Side* side, Side::Caller* caller, const std::string& name);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_TABLE_SOURCE_H_
