// The folder beside a data folder: snapshots, and states being made or removed.
//
//   <parent>/.dynolith-states/<name>/    of the data folder <parent>/<name>
//     snapshots/<snapshot>                a whole store
//     work/<number>                       is being made, or removed, or is what forks of the
//                                         beginning begin as while a process lasts; no later one
//                                         reads it
//     deleted                             the data folder itself: its database is deleted, and all
//                                         of this is removed with it
//   <parent>/.dynolith-states/.removed-*  is being removed
//
// Names of databases and snapshots do not begin with ".", so this folder cannot collide with one,
// and names of 255 bytes fit. Older programs kept "<parent>/<name>.snapshots"; its snapshots are
// moved here when the database is opened for writing.
#ifndef DYNOLITH_API_DATABASE_STATES_FOLDER_H_
#define DYNOLITH_API_DATABASE_STATES_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// For one data folder, which need not exist. Changes require its lock (engine/store/folder_lock.h).
class StatesFolder {
 public:
  static constexpr std::string_view kFolder = ".dynolith-states";

  // Errors: the operating system's, if it cannot resolve the folder.
  static absl::StatusOr<StatesFolder> Of(const std::string& data_folder);

  // The data folder with links resolved, so that none of them is changed here.
  const std::string& data() const { return data_; }

  // The place of that snapshot; empty: there is none, or the name is invalid.
  std::string FindSnapshot(std::string_view name) const;
  absl::StatusOr<std::vector<std::string>> ListSnapshots() const;
  // Puts the store in `work` there; an existing snapshot is replaced.
  absl::Status PlaceSnapshot(const std::string& work, std::string_view name) const;
  // Requires: it exists.
  absl::Status RemoveSnapshot(std::string_view name) const;

  // Whether another folder can take the place of the data folder. Errors: kFailedPrecondition, if
  // it is a mount point.
  absl::Status CheckReplaceable() const;
  // A new path for a folder to be made. Errors: the operating system's, if there can be none.
  absl::StatusOr<std::string> NewWork() const;
  // Removes a folder: hides it atomically, and then deletes it.
  absl::Status Discard(const std::string& folder) const;

  // Finishes the work of a killed process: removes what it was making or removing, and all of a
  // database that it deleted. Moves snapshots of older programs here.
  absl::Status Tidy() const;
  // Deletes the database in the data folder, and all of this: atomically, even if the process is
  // killed.
  absl::Status DeleteAll() const;
  // For all data folders in `parent` that nobody holds.
  static absl::Status TidyAll(const std::string& parent);

  // Whether a store can be copied to the path: nothing exists there, or only the remains of a
  // process that was killed before it had begun a store. Errors: kFailedPrecondition.
  static absl::Status CheckRoom(const std::string& path);
  // The same for the data folder, which exists; removes such remains.
  absl::Status ClearRoom() const;

  // Whether a store is in the folder, complete or not.
  static bool IsStore(const std::string& folder);

 private:
  StatesFolder(std::string given, std::string data);
  // The folders to search for snapshots.
  std::vector<std::string> SnapshotFolders() const;
  absl::Status RemoveDeleted() const;
  void Adopt(const std::string& former) const;

  std::string given_;  // the data folder as it was named
  std::string data_;
  std::string root_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_STATES_FOLDER_H_
