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
#include "engine/base/json_tree.h"
#include "tools/client/service_target.h"
#include "tools/files/load_journal.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// What is written to the same key is written in the order of Put, wherever it is: each key has its
// connection. An item that is refused is reported, and the others of its batch are written.
class ItemWriter {
 public:
  using Report = std::function<void(const FileLocation& place, std::string text)>;

  // Borrows the target. `report` is called by several threads at once, for each item that is not
  // written. There are fewer connections where not each gets a thread. Errors: ServiceUnavailable
  // if none does.
  static absl::StatusOr<std::unique_ptr<ItemWriter>> Start(client::ServiceTarget* target,
                                                           Report report);
  // Without Finish, batches that are not full are lost.
  ~ItemWriter();

  // Waits while much is under way. `key_attributes` are those of the table. Requires: `position`
  // grows from call to call.
  void Put(const std::string& table, const std::vector<std::string>& key_attributes,
           const JsonTree& item, const ItemWrite& write, FileLocation place,
           const LoadPosition& position);
  // Returns when all has been written or reported.
  void Finish();
  // No connection gets an answer any more, so there is no use in going on.
  bool is_lost() const { return is_lost_; }
  // All items that were put before this position have been written or reported, but for those whose
  // connection got no answer; at most `next`.
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
  void Write(client::ServiceConnection* connection, const Batch& batch);
  void WriteEach(client::ServiceConnection* connection, const Batch& batch);
  void Refuse(const Item& item, const client::ServiceAnswer& answer);

  const Report report_;
  std::atomic<bool> is_lost_ = false;
  std::atomic<uint64_t> written_ = 0;
  std::atomic<uint64_t> refused_ = 0;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::optional<LoadPosition> lost_;  // the first one, when lanes have gone
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEM_WRITER_H_
