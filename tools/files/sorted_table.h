// A new table of a database in this process, made with all of its items at once.
#ifndef DYNOLITH_TOOLS_FILES_SORTED_TABLE_H_
#define DYNOLITH_TOOLS_FILES_SORTED_TABLE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dynolith/table_load.h"
#include "engine/text/json_tree.h"
#include "engine/value/item.h"
#include "tools/client/service_target.h"

namespace dynolith::designs {

// Not thread-safe.
class SortedTable {
 public:
  // `create`: the input of CreateTable. nullptr if this way is not possible: for a server, for a
  // table with a stream, which must have records of the items, and for one that CreateTable
  // refuses, with a better message. Borrows both; the connection gives the messages of refusals.
  static std::unique_ptr<SortedTable> Begin(client::ServiceTarget* target,
                                            client::ServiceConnection* connection,
                                            const JsonTree& create);

  // Whether the item has been accepted as it is. If not, Put gives the reason, or converts it.
  // Errors: as Put.
  absl::StatusOr<bool> PutPlain(ItemView item);
  // An item in the service's JSON. The answer has PutItem's error if the item was refused. Errors:
  // the store's, after which this is unusable.
  absl::StatusOr<client::ServiceAnswer> Put(const JsonTree& item);
  // Items so far.
  uint64_t items() const { return static_cast<uint64_t>(load_->items()); }
  // TableLoad::Finish.
  absl::Status Finish(TableLoad::MayGoOn may_go_on) { return load_->Finish(may_go_on).status(); }

 private:
  SortedTable(std::unique_ptr<TableLoad> load, client::ServiceConnection* connection, JsonTree name)
      : load_(std::move(load)), connection_(connection), name_(std::move(name)) {}

  const std::unique_ptr<TableLoad> load_;
  client::ServiceConnection* const connection_;
  const JsonTree name_;
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_SORTED_TABLE_H_
