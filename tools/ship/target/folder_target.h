// A folder as a target: an object is the file of its name.
//
// What is put is first written into a file of the folder `unfinished~`, which no name can be,
// synced, and then renamed or linked to its name. Killed programs leave such files; who opens the
// folder removes those that were not written to for an hour. While a store is shipped, that folder
// also proves that the target is there: without it, as where a disk is not mounted, calls fail with
// kUnavailable, and nothing is written to the place where the disk should be.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_FOLDER_TARGET_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_FOLDER_TARGET_H_

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

struct FolderOptions {
  const std::atomic<bool>* interrupted = nullptr;
  bool may_link = true;     // false: as in a file system without hard links
  bool only_reads = false;  // as of TargetOptions, like the next one
  bool must_exist = false;
};

class FolderTarget final : public ShipTarget {
 public:
  // A folder that cannot be written to is opened for reading if it is there.
  static absl::StatusOr<std::unique_ptr<FolderTarget>> Open(const std::string& folder,
                                                            const FolderOptions& options);

  std::string Describe() const override { return folder_; }
  absl::Status Put(std::string_view name, std::string_view bytes) override;
  absl::StatusOr<bool> PutNew(std::string_view name, std::string_view bytes) override;
  absl::Status PutFile(std::string_view name, const std::string& path) override;
  absl::StatusOr<std::string> Get(std::string_view name) override;
  absl::Status GetFile(std::string_view name, const std::string& path) override;
  absl::StatusOr<std::vector<ObjectInfo>> List(std::string_view prefix,
                                               std::string_view after) override;
  absl::Status Delete(const std::vector<std::string>& names) override;

 private:
  class Unfinished;

  FolderTarget(std::string folder, const FolderOptions& options)
      : folder_(std::move(folder)), options_(options) {}
  absl::Status Prepare();
  absl::Status FindMark();
  // Of a folder that exists.
  absl::Status MakeMark();
  void RemoveOldRemains() const;
  absl::Status CheckPresence(std::string_view what, std::string_view name) const;
  absl::Status PlaceAsName(std::string_view name, const Unfinished& file) const;
  absl::StatusOr<bool> PlaceAsNew(std::string_view name, const Unfinished& file) const;
  int MakeFolderOf(std::string_view name) const;
  // The bytes of an object, in pieces.
  absl::Status Read(std::string_view name,
                    absl::FunctionRef<absl::Status(std::string_view)> take) const;
  absl::Status Walk(const std::string& inside, std::string_view prefix, std::string_view after,
                    std::vector<ObjectInfo>* found) const;
  absl::Status Failure(std::string_view what, std::string_view name, int error) const;
  bool IsInterrupted() const;
  std::string PathOf(std::string_view name) const;

  const std::string folder_;
  const FolderOptions options_;
  bool has_mark_ = false;  // `unfinished~` was there, or could be made
};

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_FOLDER_TARGET_H_
