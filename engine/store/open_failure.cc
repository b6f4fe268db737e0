#include "engine/store/open_failure.h"

#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/errno_status.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/encrypted_file_system.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/manifest_files.h"
#include "engine/store/messages.h"
#include "engine/store/rocks_types.h"
#include "engine/store/table_file_check.h"
#include "rocksdb/env.h"
#include "rocksdb/sst_file_reader.h"

namespace dynolith {
namespace {

// The table files of the folder, the oldest first: the attempt to open may have left new ones.
std::vector<std::string> TableFilesIn(const std::string& folder, bool empty) {
  std::map<uint64_t, std::string> files;
  std::error_code error;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator it(folder, error); !error && it != end;
       it.increment(error)) {
    const auto number = TableFileNumber(it->path().filename().string());
    std::error_code unknown;
    const bool is_empty = it->file_size(unknown) == 0 && !unknown;
    if (number && is_empty == empty) files[*number] = it->path().string();
  }
  std::vector<std::string> names;
  names.reserve(files.size());
  for (auto& [number, name] : files) names.push_back(std::move(name));
  return names;
}

// The first of the files that cannot be opened, or that holds what belongs to another one, with the
// reason; empty if there is none.
std::string WrongTableFile(rocksdb::Env* env, const std::vector<std::string>& files,
                           TableFileDepth depth) {
  rocksdb::Options options;
  options.env = env;
  for (const std::string& file : files) {
    rocksdb::SstFileReader reader(options);
    bool is_open = false;
    const rocksdb::Status status = CheckTableFile(env, file, depth, &reader, &is_open);
    if (!status.ok()) return Concat(file, ": ", status.ToString());
  }
  return {};
}

// The first table file that has not the length with which the manifest names it; empty if there is
// none, or that cannot be told.
std::string FileOfOtherLength(const std::string& folder, rocksdb::Env* env, const StoreKeys* keys) {
  std::string current;
  if (!rocksdb::ReadFileToString(env, Concat(folder, "/CURRENT"), &current).ok()) return {};
  const std::string manifest = current.substr(0, current.find('\n'));
  const absl::StatusOr<TableFiles> named = ReadTableFiles(Concat(folder, "/", manifest), keys);
  if (!named.ok()) return {};
  for (const std::string& file : TableFilesIn(folder, /*empty=*/false)) {
    const auto number = TableFileNumber(std::string_view(file).substr(file.rfind('/') + 1));
    const auto place = named->find(*number);
    uint64_t bytes = 0;
    const bool is_known = env->GetFileSize(file, &bytes).ok();
    if (place == named->end() || !is_known || bytes == place->second.bytes) continue;
    return Concat(file, ": ", messages::StoreTableFileLength(bytes, place->second.bytes));
  }
  return {};
}

// `detail` if no table file is to blame. `keys`: of an encrypted store; nullptr: it is none.
std::string FileToBlame(const std::string& folder, const std::string& detail,
                        const std::shared_ptr<const StoreKeys>& keys) {
  const std::unique_ptr<rocksdb::Env> own = EnvToRead(keys);
  rocksdb::Env* const env = own == nullptr ? rocksdb::Env::Default() : own.get();
  const std::vector<std::string> files = TableFilesIn(folder, /*empty=*/false);
  std::string wrong = WrongTableFile(env, files, TableFileDepth::kEnds);
  if (wrong.empty()) wrong = FileOfOtherLength(folder, env, keys.get());
  if (wrong.empty()) wrong = WrongTableFile(env, files, TableFileDepth::kBlocks);
  if (!wrong.empty()) return wrong;
  // Last, as an attempt that failed leaves what it was going to write.
  const std::string file =
      WrongTableFile(env, TableFilesIn(folder, /*empty=*/true), TableFileDepth::kEnds);
  return file.empty() ? detail : file;
}

// RocksDB looks for a missing table file under its older name last, and reports that one.
std::string WithTodaysFileNames(std::string detail) {
  constexpr std::string_view kOlder = ".ldb";
  for (size_t at = detail.find(kOlder); at != std::string::npos; at = detail.find(kOlder, at)) {
    detail.replace(at, kOlder.size(), kTableFileSuffix);
  }
  return detail;
}

// The error for RocksDB's own lock file, which tells who holds a folder where flock does not work;
// worded like the errors of UnsharedLocks.
absl::Status LockFailure(const std::string& folder, const std::string& detail) {
  const std::string file = Concat(folder, "/LOCK");
  if (detail.ends_with(ErrnoReason(EDEADLK))) {
    return absl::UnavailableError(messages::StoreHeldHere(folder));
  }
  if (detail.ends_with(ErrnoReason(EAGAIN))) {
    return absl::UnavailableError(messages::StoreHeld(folder));
  }
  for (const int error : {EMFILE, ENFILE}) {
    if (!detail.ends_with(ErrnoReason(error))) continue;
    return absl::InternalError(messages::StoreWithoutFiles(folder, detail));
  }
  for (const int error : {EACCES, EPERM, EROFS, EISDIR, ENOSPC, EDQUOT}) {
    if (!detail.ends_with(ErrnoReason(error))) continue;
    return ErrnoStatus(error, messages::StoreLockUnusable(file, ErrnoReason(error)));
  }
  return absl::InternalError(messages::StoreFailed(folder, detail));
}

}  // namespace

absl::Status OpenFailure(const std::string& folder, const rocksdb::Status& status,
                         const OpenLog& log, const std::shared_ptr<const StoreKeys>& keys) {
  const std::string detail = WithTodaysFileNames(status.ToString());
  if (status.IsIOError() && detail.find("/LOCK") != std::string::npos) {
    return LockFailure(folder, detail);
  }
  if (!status.IsCorruption()) return FromRocksFailure(folder, status);
  if (const std::string file = log.damaged_file(); !file.empty()) {
    return absl::DataLossError(messages::StoreDamaged(folder, Concat(file, ": ", detail)));
  }
  const bool names_table_file = detail.find(kTableFileSuffix) != std::string::npos;
  return absl::DataLossError(messages::StoreDamaged(
      folder, names_table_file ? detail : FileToBlame(folder, detail, keys)));
}

}  // namespace dynolith
