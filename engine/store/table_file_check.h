// Whether a table file is the one that its name says: RocksDB accepts a file under another one's
// name. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_TABLE_FILE_CHECK_H_
#define DYNOLITH_ENGINE_STORE_TABLE_FILE_CHECK_H_

#include <cstdint>
#include <string>

#include "rocksdb/env.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/status.h"

namespace dynolith {

// The format of the table files written here: RocksDB's number, which is before the last eight
// bytes of each.
inline constexpr uint32_t kTableFileFormat = 5;

// Whether the file, read by `env`, states that format. If the number is altered, RocksDB reads the
// file in another format, finds its checksums right, and misinterprets its blocks.
rocksdb::Status CheckTableFileFormat(rocksdb::Env* env, const std::string& file);

enum class TableFileDepth : uint8_t { kEnds, kBlocks };

// Opens the table file by `reader`, whose Env is `env` `file` and returns the reason for which it
// cannot be used as it is; OK if it can. kEnds reads its footer, index and properties, kBlocks also
// all of it. `is_open`: whether a part of it can be read all the same; do not use a reader that is
// not open.
rocksdb::Status CheckTableFile(rocksdb::Env* env, const std::string& file, TableFileDepth depth,
                               rocksdb::SstFileReader* reader, bool* is_open);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TABLE_FILE_CHECK_H_
