#include "engine/store/open_failure.h"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "absl/strings/numbers.h"
#include "engine/base/messages/store.h"
#include "engine/base/strings.h"
#include "engine/store/rocks_types.h"
#include "rocksdb/sst_file_reader.h"

namespace dynolith {
namespace {

constexpr std::string_view kTableFileSuffix = ".sst";

// The first table file that cannot be opened, or that holds what belongs to another one, with the
// reason; empty if there is none. `reads_all`: looks at their blocks instead.
std::string WrongTableFile(const std::string& folder, bool reads_all) {
  std::error_code error;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator it(folder, error); !error && it != end;
       it.increment(error)) {
    const std::string file = it->path().string();
    if (!file.ends_with(kTableFileSuffix)) continue;
    rocksdb::SstFileReader reader{rocksdb::Options()};
    const rocksdb::Status status = reader.Open(file);
    if (!status.ok()) return Concat(file, ": ", status.ToString());
    if (reads_all) {
      const rocksdb::Status blocks = reader.VerifyChecksum();
      if (!blocks.ok()) return Concat(file, ": ", blocks.ToString());
      continue;
    }
    const uint64_t made_as = reader.GetTableProperties()->orig_file_number;
    uint64_t number = 0;
    const std::string stem = it->path().stem().string();
    if (absl::SimpleAtoi(stem, &number) && made_as != 0 && made_as != number) {
      return messages::StoreTableFileOfOther(file, made_as);
    }
  }
  return {};
}

// RocksDB looks for a missing table file under its older name last, and reports that one.
std::string WithTodaysFileNames(std::string detail) {
  constexpr std::string_view kOlder = ".ldb";
  for (size_t at = detail.find(kOlder); at != std::string::npos; at = detail.find(kOlder, at)) {
    detail.replace(at, kOlder.size(), ".sst");
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
  for (const bool reads_all : {false, true}) {
    if (table_file.empty() && !names_table_file) table_file = WrongTableFile(folder, reads_all);
  }
  return absl::DataLossError(
      messages::StoreDamaged(folder, table_file.empty() ? detail : table_file));
}

}  // namespace dynolith
