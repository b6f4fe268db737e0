// RocksDB in processes that fork: what it keeps for the whole process is the parent's in a child.
#ifndef DYNOLITH_ENGINE_STORE_FORKS_PROCESS_ENV_H_
#define DYNOLITH_ENGINE_STORE_FORKS_PROCESS_ENV_H_

#include <memory>

#include "absl/status/statusor.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace dynolith {

// The machine with another file system. In a process that nobody has forked, background work runs
// on the threads that RocksDB shares. Those are not there in a child, so that there the Env has
// threads of its own, which end with it. Whatever RocksDB schedules is done, also where there is no
// room for more threads, since it waits for that when it closes a database. Errors: StartThread's.
absl::StatusOr<std::unique_ptr<rocksdb::Env>> MakeProcessEnv(
    const std::shared_ptr<rocksdb::FileSystem>& files);

// After the first call, a later child of this process ends without the destructors of RocksDB's
// static objects, which wait for threads that only the parent has. exit() comes past what was
// registered since, writes what stdio has gathered, and ends. To be called when RocksDB has opened
// a database, and so made those objects.
void LetChildrenEnd();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FORKS_PROCESS_ENV_H_
