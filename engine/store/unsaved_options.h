// A file system without RocksDB's OPTIONS files, which are not needed: the program sets the
// options. At each start, and for each new family, RocksDB would write one, sync it, read it again
// and compare it. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_UNSAVED_OPTIONS_H_
#define DYNOLITH_ENGINE_STORE_UNSAVED_OPTIONS_H_

#include <memory>
#include <string>
#include <string_view>

#include "rocksdb/file_system.h"

namespace dynolith {

// Refuses to create OPTIONS files. RocksDB continues without them, unless it is told to fail
// (`fail_if_options_file_error`), and warns: see IsAboutUnsavedOptions.
class UnsavedOptions final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "dynolith.UnsavedOptions"; }

  rocksdb::IOStatus NewWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    const size_t name = file.rfind('/') + 1;  // 0 if there is none
    if (std::string_view(file).substr(name).starts_with("OPTIONS-")) {
      return rocksdb::IOStatus::NotSupported();
    }
    return target()->NewWritableFile(file, options, result, debug);
  }
};

// Whether a line of RocksDB's log is that warning.
inline bool IsAboutUnsavedOptions(std::string_view line) {
  return line.find("nable to persist options -- Not implemented") != std::string_view::npos;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_UNSAVED_OPTIONS_H_
