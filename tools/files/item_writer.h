// Writes items in batches over several connections.
#ifndef DYNOLITH_TOOLS_FILES_ITEM_WRITER_H_
#define DYNOLITH_TOOLS_FILES_ITEM_WRITER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/text/json_tree.h"
#include "tools/client/service_target.h"
#include "tools/files/load_journal.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// Writes to the same key keep the order of Put, since each key belongs to one connection. A refused
// item is reported, and the others of its batch are written.
class ItemWriter {
 public:
  using Report = std::function<void(const FileLocation& place, std::string text)>;

  // Borrows the target. `report` is called for each item that is not written, by several threads
  // concurrently. There are fewer connections if not enough threads can be started. Errors:
  // ServiceUnavailable if no thread can be started.
  static absl::StatusOr<std::unique_ptr<ItemWriter>> Start(client::ServiceTarget* target,
                                                           Report report);
  // Without Finish, batches that are not full are lost.
  ~ItemWriter();

  // Waits while many writes are running. `key_attributes`: those of the table. Requires: `position`
  // grows from call to call.
  void Put(const std::string& table, const std::vector<std::string>& key_attributes,
           const JsonTree& item, const ItemWrite& write, FileLocation place,
           const LoadPosition& position);
  // Returns when all has been written or reported.
  void Finish();
  // Whether no connection gets answers any more, so that further writes are useless.
  bool is_lost() const { return is_lost_; }
  // A position before which all items have been written or reported, except items whose connection
  // got no answer; at most `next`.
  LoadPosition DoneBefore(const LoadPosition& next) const;
  uint64_t written() const { return written_; }
  uint64_t refused() const { return refused_; }

 private:
  struct Item {
    std::string json;
    std::string key;
    FileLocation place;
    std::string operation = {};  // empty: a put, else the call whose input `json` is
  };
  struct Batch {
    std::string table;
    std::vector<Item> items;
    size_t bytes = 0;
    LoadPosition first;  // item's
  };
  class Lane;

  explicit ItemWriter(Report report);
  // What throws, for want of memory, ends the load.
  void WriteOrLose(client::ServiceConnection* connection, const Batch& batch);
  void Write(client::ServiceConnection* connection, const Batch& batch);
  void WriteEach(client::ServiceConnection* connection, const Batch& batch);
  void Refuse(const Item& item, const client::ServiceAnswer& answer);
  // What follows is not written.
  void Lose() { is_lost_ = true; }

  const Report report_;
  std::atomic<bool> is_lost_ = false;
  std::atomic<uint64_t> written_ = 0;
  std::atomic<uint64_t> refused_ = 0;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::optional<LoadPosition> lost_;  // the first lost item, if lanes have ended
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEM_WRITER_H_
