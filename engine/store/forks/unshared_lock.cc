#include "engine/store/forks/unshared_lock.h"

#include <fcntl.h>

#include <cerrno>
#include <memory>

#include "engine/base/errno_status.h"
#include "engine/base/strings.h"
#include "engine/process/forked_process.h"

namespace dynolith {
namespace {

class UnsharedLock final : public rocksdb::FileLock {
 public:
  explicit UnsharedLock(int descriptor) : descriptor_(descriptor) {}
  UnsharedLock(const UnsharedLock&) = delete;
  UnsharedLock& operator=(const UnsharedLock&) = delete;
  // A child of the locking process does not have the descriptor.
  ~UnsharedLock() override {
    if (!process_.IsForked()) CloseUnshared(descriptor_);
  }

 private:
  const MakingProcess process_{};
  const int descriptor_;
};

rocksdb::IOStatus Unlocked(const std::string& file, int error) {
  return rocksdb::IOStatus::IOError(Concat("while locking ", file), ErrnoReason(error));
}

}  // namespace

rocksdb::IOStatus UnsharedLocks::LockFile(const std::string& file,
                                          const rocksdb::IOOptions& /*options*/,
                                          rocksdb::FileLock** lock,
                                          rocksdb::IODebugContext* /*debug*/) {
  *lock = nullptr;
  const int descriptor = OpenUnshared(file.c_str(), O_RDWR | O_CREAT, 0644);
  if (descriptor < 0) return Unlocked(file, errno);
  auto held = std::make_unique<UnsharedLock>(descriptor);
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(descriptor, F_OFD_SETLK, &whole) != 0) {
    const bool is_held = errno == EAGAIN || errno == EACCES;
    return Unlocked(file, !is_held ? errno : IsOpenTwiceUnshared(descriptor) ? EDEADLK : EAGAIN);
  }
  *lock = held.release();
  return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus UnsharedLocks::UnlockFile(rocksdb::FileLock* lock,
                                            const rocksdb::IOOptions& /*options*/,
                                            rocksdb::IODebugContext* /*debug*/) {
  delete lock;
  return rocksdb::IOStatus::OK();
}

}  // namespace dynolith
