// Whoever copies a store while it is written learns what the logs in its folder cannot tell.
#ifndef DYNOLITH_ENGINE_STORE_FOLLOWING_LOG_OBSERVER_H_
#define DYNOLITH_ENGINE_STORE_FOLLOWING_LOG_OBSERVER_H_

#include <string>
#include <string_view>

namespace dynolith {

// Thread-safe; called by RocksDB's threads and by those of callers. Must not use the store, and
// must not wait for anything but the folder's own file system.
class LogObserver {
 public:
  virtual ~LogObserver() = default;

  // The log `file` is about to be deleted, since all of it is in table files. Its bytes are final.
  virtual void OnLogDeletion(const std::string& file) = 0;
  // Rows that are in no log are about to be added to the store in `folder`, or, if `is_done`, have
  // been, or could not be: neither the logs before nor those after make the store again without a
  // copy of its table files that is made once it is done.
  virtual void OnRowsBesideLog(std::string_view folder, bool is_done) = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FOLLOWING_LOG_OBSERVER_H_
