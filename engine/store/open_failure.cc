#include "engine/store/open_failure.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "engine/base/messages/store.h"
#include "engine/base/strings.h"
#include "engine/store/rocks_types.h"
#include "engine/store/table_file_check.h"
#include "engine/store/witness.h"
#include "rocksdb/sst_file_reader.h"

namespace dynolith {
namespace {

// The first table file that cannot be opened, or that holds what belongs to another one, with the
// reason; empty if there is none.
std::string WrongTableFile(const std::string& folder, TableFileDepth depth) {
  std::error_code error;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator it(folder, error); !error && it != end;
       it.increment(error)) {
    const std::string file = it->path().string();
    if (!file.ends_with(kTableFileSuffix)) continue;
    rocksdb::SstFileReader reader{rocksdb::Options()};
    bool is_open = false;
    const rocksdb::Status status = CheckTableFile(file, depth, &reader, &is_open);
    if (!status.ok()) return Concat(file, ": ", status.ToString());
  }
  return {};
}

// RocksDB looks for a missing table file under its older name last, and reports that one.
std::string WithTodaysFileNames(std::string detail) {
  constexpr std::string_view kOlder = ".ldb";
  for (size_t at = detail.find(kOlder); at != std::string::npos; at = detail.find(kOlder, at)) {
    detail.replace(at, kOlder.size(), kTableFileSuffix);
  }
  return detail;
}

}  // namespace

absl::Status OpenFailure(const std::string& folder, const rocksdb::Status& status,
                         const OpenLog& log) {
  const std::string detail = WithTodaysFileNames(status.ToString());
  if (status.IsIOError() && detail.find("/LOCK") != std::string::npos) {
    return absl::UnavailableError(messages::StoreHeld(folder));
  }
  if (!status.IsCorruption()) return FromRocksFailure(folder, status);
  if (const std::string file = log.damaged_file(); !file.empty()) {
    return absl::DataLossError(messages::StoreDamaged(folder, Concat(file, ": ", detail)));
  }
  const bool names_table_file = detail.find(kTableFileSuffix) != std::string::npos;
  std::string table_file;
  for (const TableFileDepth depth : {TableFileDepth::kEnds, TableFileDepth::kBlocks}) {
    if (table_file.empty() && !names_table_file) table_file = WrongTableFile(folder, depth);
  }
  return absl::DataLossError(
      messages::StoreDamaged(folder, table_file.empty() ? detail : table_file));
}

}  // namespace dynolith
