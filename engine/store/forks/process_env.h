// RocksDB in processes that fork: its process-wide state in a child belongs to the parent.
#ifndef DYNOLITH_ENGINE_STORE_FORKS_PROCESS_ENV_H_
#define DYNOLITH_ENGINE_STORE_FORKS_PROCESS_ENV_H_

#include <memory>

#include "absl/status/statusor.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace dynolith {

// The machine's Env with another file system. In a process that was not forked, background work
// runs on RocksDB's shared threads. These do not exist in a child, which has others, for all its
// databases. All scheduled work is done even if no more threads can be started,
// since RocksDB waits for it when it closes a database. Errors: StartThread's.
absl::StatusOr<std::unique_ptr<rocksdb::Env>> MakeProcessEnv(
    const std::shared_ptr<rocksdb::FileSystem>& files);

// After the first call, a later child of this process ends without the destructors of RocksDB's
// static objects, which wait for threads that only the parent has. exit() skips handlers registered
// since, flushes stdio, and ends. Call it when RocksDB has opened a database, and so made those
// objects.
void LetChildrenEnd();

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FORKS_PROCESS_ENV_H_
