// What is kept beside a data folder: snapshots, and what is being made or removed.
//
//   <parent>/.dynolith-states/<name>/    of the data folder <parent>/<name>
//     snapshots/<snapshot>                a whole store
//     work/<number>                       is being made, or removed; nobody looks into it
//     deleted                             the data folder itself: its database is deleted, and all
//                                         of this goes with it
//   <parent>/.dynolith-states/.removed-*  goes
//
// Neither a database nor a snapshot has a name that begins with ".", so that nothing of this is in
// the place of one, and names of 255 bytes fit. Programs before kept "<parent>/<name>.snapshots",
// whose snapshots are moved here when the database is opened to write.
#ifndef DYNOLITH_API_DATABASE_STATES_FOLDER_H_
#define DYNOLITH_API_DATABASE_STATES_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// Of one data folder, which need not be there. Whatever changes anything requires its lock
// (engine/store/folder_lock.h).
class StatesFolder {
 public:
  static constexpr std::string_view kFolder = ".dynolith-states";

  // Errors: the operating system's, if it does not tell where the folder is.
  static absl::StatusOr<StatesFolder> Of(const std::string& data_folder);

  // The data folder, by its own name: no link on the way to it is one that is changed here.
  const std::string& data() const { return data_; }

  // The place of that snapshot; empty: there is none. Names that are none have none.
  std::string FindSnapshot(std::string_view name) const;
  absl::StatusOr<std::vector<std::string>> ListSnapshots() const;
  // Puts the store in `work` there; one that is there goes.
  absl::Status PlaceSnapshot(const std::string& work, std::string_view name) const;
  // Requires: it is there.
  absl::Status RemoveSnapshot(std::string_view name) const;

  // Whether another folder can take the place of the data folder. Errors: kFailedPrecondition, if
  // it is a mount point.
  absl::Status CheckReplaceable() const;
  // A new path for a folder that is to be made. Errors: the operating system's, if there can be
  // none.
  absl::StatusOr<std::string> NewWork() const;
  // Takes a folder away, at once, and then removes it.
  absl::Status Discard(const std::string& folder) const;

  // Ends what a killed process has begun: removes what it was making or removing, and all of a
  // database that it deleted. Moves here what programs before kept elsewhere.
  absl::Status Tidy() const;
  // Deletes the database in the data folder, and all of this: at once, then and after a kill.
  absl::Status DeleteAll() const;
  // Of all data folders in `parent` that nobody holds.
  static absl::Status TidyAll(const std::string& parent);

  // Whether a store can be copied to the path: nothing is there, or a folder with nothing in it but
  // what a process leaves that is killed before it has begun a store. Errors: kFailedPrecondition.
  static absl::Status CheckRoom(const std::string& path);
  // The same of the data folder, which is there; removes what is left in it.
  absl::Status ClearRoom() const;

  // Whether a store is in the folder, whole or not.
  static bool IsStore(const std::string& folder);

 private:
  StatesFolder(std::string given, std::string data);
  // Where snapshots are looked for.
  std::vector<std::string> SnapshotFolders() const;
  absl::Status RemoveDeleted() const;
  void Adopt(const std::string& former) const;

  std::string given_;  // the data folder as it was named
  std::string data_;
  std::string root_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_STATES_FOLDER_H_
