// The files of an empty store: RocksDB opens them with all families, where it would create one
// family after the other, each with a manifest that is written and synced again. Private to
// engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_NEW_STORE_H_
#define DYNOLITH_ENGINE_STORE_NEW_STORE_H_

#include <string>

#include "rocksdb/env.h"

namespace dynolith {

// Makes IDENTITY, a manifest that names all families, and CURRENT in the existing folder `folder`.
// They replace the remains of an interrupted start, which had acknowledged nothing; but if a log
// contains anything, nothing is done. Nothing is synced: the next open of a store that is being
// made makes it again, and RocksDB writes and syncs a manifest of its own at every open.
rocksdb::Status MakeNewStore(rocksdb::Env* env, const std::string& folder);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_NEW_STORE_H_
