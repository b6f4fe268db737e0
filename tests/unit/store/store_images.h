// Stores as they can be found on a disk: closed, killed at any moment, copied; and what each of
// them must hold.
#ifndef DYNOLITH_TESTS_UNIT_STORE_STORE_IMAGES_H_
#define DYNOLITH_TESTS_UNIT_STORE_STORE_IMAGES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/store/local_store.h"
#include "engine/store/store_on_file_system.h"
#include "rocksdb/file_system.h"
#include "tests/unit/store/noise.h"
#include "tests/unit/store/test_key.h"

namespace dynolith::testing {

// The rows of all families that the programs write, as family digit and key.
using Rows = std::map<std::string, std::string>;

// A deterministic sequence of commits: overwrites, deletions, several families, of which one is
// idle most of the time, so that logs outlive many flushes.
class WriteProgram {
 public:
  static WriteBatch Batch(int i) {
    WriteBatch batch;
    batch.Put(Family::kTables, Key(i % 400), Value(i, 300));
    if (i % 3 == 0) batch.Put(Family::kGlobalIndexes, Key(i % 70), Value(i, 40));
    if (i % 5 == 4) batch.Delete(Family::kTables, Key((i * 7) % 400));
    if (i % 250 == 0) batch.Put(Family::kMeta, Key(i), Value(i, 20));
    if (i % 97 == 0) batch.Put(Family::kLog, Key(i), Value(i, 70'000));
    return batch;
  }

  // What the first `commits` leave.
  static Rows RowsAfter(int commits) {
    Rows rows;
    for (int i = 0; i < commits; ++i) {
      Batch(i).ForEach([&](const WriteBatch::Change& change) {
        const std::string key = RowName(change.family, change.key);
        if (change.operation == WriteBatch::Operation::kDelete) {
          rows.erase(key);
        } else {
          rows[key] = std::string(change.value);
        }
      });
    }
    return rows;
  }

  static std::string RowName(Family family, std::string_view key) {
    return std::string(1, static_cast<char>('0' + static_cast<int>(family))) + std::string(key);
  }

 private:
  static std::string Key(int i) { return "key" + std::to_string(100'000 + i); }
  static std::string Value(int i, size_t bytes) {
    std::string value = std::to_string(i) + ":";
    if (value.size() < bytes) value += MakeNoise(static_cast<uint64_t>(i), bytes - value.size());
    return value;
  }
};

// A folder in which a store was left, and what it holds.
struct StoreImage {
  std::string name;
  std::string folder;
  int commits = 0;
  // Closed in order, and nothing was written since.
  bool is_closed = false;
};

// The same files at another place, with DYNOLITH's own identity if `is_original`: as if the folder
// itself had been left there. What is said of files is copied before the files are looked for, as
// more may come meanwhile.
inline void CopyStore(const std::string& from, const std::string& to, bool is_original) {
  namespace fs = std::filesystem;
  fs::create_directories(to);
  const auto copy = [&](const std::string& name) {
    std::error_code gone;
    fs::copy_file(from + "/" + name, to + "/" + name, gone);
  };
  const auto copy_all = [&](const auto& is_wanted) {
    for (const auto& entry : fs::directory_iterator(from)) {
      const std::string name = entry.path().filename();
      if (is_wanted(name)) copy(name);
    }
  };
  if (is_original) {
    std::error_code gone;
    // Who renames over the name meanwhile takes its last name from the file that was found.
    do {
      fs::create_hard_link(from + "/DYNOLITH", to + "/DYNOLITH", gone);
    } while (gone == std::errc::no_such_file_or_directory && fs::exists(from + "/DYNOLITH"));
    if (gone) throw fs::filesystem_error("link", from + "/DYNOLITH", gone);
  } else {
    copy("DYNOLITH");
  }
  copy("CURRENT");
  const auto is_manifest = [](const std::string& name) { return name.starts_with("MANIFEST-"); };
  copy_all(is_manifest);
  copy_all([&](const std::string& name) {
    return name != "DYNOLITH" && name != "CURRENT" && !is_manifest(name);
  });
}

// Leaves an image of the store whenever its files are about to change, as kill -9 would.
class ImagingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  ImagingFileSystem(std::string folder, std::string images)
      : FileSystemWrapper(rocksdb::FileSystem::Default()),
        folder_(std::move(folder)),
        images_(std::move(images)) {}

  const char* Name() const override { return "dynolith.ImagingFileSystem"; }

  // Runs a commit, during which no image is made: its acknowledgement would be uncertain.
  template <typename Commit>
  void Count(Commit commit) {
    const std::lock_guard lock(commit_mutex_);
    commit();
    ++commits_;
  }
  // Makes at most so many images of each kind. At first none.
  void ImageAtMost(int images) {
    const std::lock_guard lock(files_mutex_);
    images_max_ = images;
  }
  void Take(const std::string& kind) {
    const std::unique_lock no_commit(commit_mutex_, std::try_to_lock);
    if (!no_commit.owns_lock()) return;
    const std::lock_guard lock(files_mutex_);
    if (counts_[kind] >= images_max_) return;
    StoreImage image;
    image.name = kind + std::to_string(counts_[kind]++);
    image.folder = images_ + "/" + image.name;
    image.commits = commits_;
    CopyStore(folder_, image.folder, /*is_original=*/true);
    std::string first_line;
    std::getline(std::ifstream(image.folder + "/DYNOLITH"), first_line);
    image.is_closed = first_line.ends_with(" closed");
    made_.push_back(image);
  }
  std::vector<StoreImage> made() {
    const std::lock_guard lock(files_mutex_);
    return made_;
  }

  rocksdb::IOStatus NewWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    if (file.ends_with(".sst")) Take("at_table_file");
    return target()->NewWritableFile(file, options, result, debug);
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    if (to.ends_with("/CURRENT")) Take("before_current");
    rocksdb::IOStatus status;
    {
      const std::lock_guard lock(files_mutex_);
      status = target()->RenameFile(from, to, options, debug);
    }
    if (to.ends_with("/CURRENT")) Take("after_current");
    return status;
  }
  rocksdb::IOStatus DeleteFile(const std::string& file, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    const std::string kind = file.substr(std::min(file.rfind('.'), file.size()));
    Take("before_deleting_a_file" + kind);
    rocksdb::IOStatus status;
    {
      const std::lock_guard lock(files_mutex_);
      status = target()->DeleteFile(file, options, debug);
    }
    Take("after_deleting_a_file" + kind);
    return status;
  }

 private:
  const std::string folder_;
  const std::string images_;
  // Held over a commit, before files_mutex_.
  std::mutex commit_mutex_;
  // Held while files come or go, and while they are copied.
  std::mutex files_mutex_;
  int images_max_ = 0;
  int commits_ = 0;
  std::map<std::string, int> counts_;
  std::vector<StoreImage> made_;
};

inline std::string ReadFile(const std::filesystem::path& path) {
  std::string bytes(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<long>(bytes.size()));
  return bytes;
}
// A new file: the old one may be linked from elsewhere.
inline void WriteFile(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

inline StoreOptions MakeOptions(const std::string& folder, bool read_only) {
  StoreOptions options;
  options.path = folder;
  options.read_only = read_only;
  options.encryption_key = TestKey();
  // Small, so that there are many files.
  options.write_buffer_bytes = 64 << 10;
  return options;
}

inline absl::StatusOr<Rows> ReadRows(const Store& store) {
  Rows rows;
  for (const Family family :
       {Family::kMeta, Family::kTables, Family::kGlobalIndexes, Family::kLog}) {
    Cursor cursor = store.Scan(family, "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      rows[WriteProgram::RowName(family, cursor.key())] = std::string(cursor.value());
    }
    if (!cursor.status().ok()) return cursor.status();
  }
  return rows;
}

inline absl::StatusOr<Rows> OpenAndRead(const std::string& folder, bool read_only) {
  const auto store = LocalStore::Open(MakeOptions(folder, read_only));
  if (!store.ok()) return store.status();
  return ReadRows(**store);
}

inline std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Of what a store consists, without what only talks about it.
inline std::vector<std::string> StoreFiles(const std::string& folder) {
  std::vector<std::string> names = NamesIn(folder);
  std::erase_if(names, [](const std::string& name) {
    return name.starts_with("LOG") || name == "LOCK" || name == "DYNOLITH.new";
  });
  return names;
}

// A store that was written to, with an image of every kind of moment.
// The images lie in `scratch`.
inline std::vector<StoreImage> MakeImages(const std::string& scratch, int images_of_a_kind_max) {
  const std::string data = scratch + "/data";
  const auto file_system = std::make_shared<ImagingFileSystem>(data, scratch + "/images");
  std::vector<StoreImage> closed;
  int commits = 0;
  for (int life = 0; life < 3; ++life) {
    auto store = OpenStoreOn(MakeOptions(data, false), file_system).value();
    // What a crash leaves before the first life has begun is none of a store.
    file_system->ImageAtMost(std::min(life + 1, images_of_a_kind_max));
    for (const int end = commits + 900; commits < end; ++commits) {
      file_system->Count([&] { EXPECT_TRUE(store->Commit(WriteProgram::Batch(commits)).ok()); });
    }
    file_system->Take("at_rest");
    if (life == 1) {
      EXPECT_TRUE(store->CompactAll().ok());
      closed.push_back({"checkpoint", scratch + "/images/checkpoint", commits, true});
      EXPECT_TRUE(store->Checkpoint(closed.back().folder).ok());
    }
    store.reset();
    const std::string name = "closed" + std::to_string(life);
    closed.push_back({name, scratch + "/images/" + name, commits, true});
    CopyStore(data, closed.back().folder, /*is_original=*/false);
  }
  std::vector<StoreImage> images = file_system->made();
  images.insert(images.end(), closed.begin(), closed.end());
  return images;
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_STORE_IMAGES_H_
