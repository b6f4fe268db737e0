// Whether a table file is the one that its name says: RocksDB takes one that lies under another
// one's name for it. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_TABLE_FILE_CHECK_H_
#define DYNOLITH_ENGINE_STORE_TABLE_FILE_CHECK_H_

#include <cstdint>
#include <string>

#include "rocksdb/sst_file_reader.h"
#include "rocksdb/status.h"

namespace dynolith {

// Of the table files that are written: RocksDB's number, which stands in front of the last eight
// bytes of each.
inline constexpr uint32_t kTableFileFormat = 5;

// Whether the file says that it has that format. RocksDB reads one that says another as that one,
// finds its checksums right, and its blocks without sense.
rocksdb::Status CheckTableFileFormat(const std::string& file);

enum class TableFileDepth : uint8_t { kEnds, kBlocks };

// Opens the table file `file` and says why it cannot be taken as it is; OK if it can. kEnds looks
// at its footer, index and properties, kBlocks also reads all of it. `is_open`: whether something
// of it can be read all the same; a reader that is not open may be asked nothing.
rocksdb::Status CheckTableFile(const std::string& file, TableFileDepth depth,
                               rocksdb::SstFileReader* reader, bool* is_open);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TABLE_FILE_CHECK_H_
