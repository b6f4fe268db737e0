// Loads files into a service: tables are made, then items are written.
#ifndef DYNOLITH_TOOLS_FILES_LOAD_DESIGNS_H_
#define DYNOLITH_TOOLS_FILES_LOAD_DESIGNS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/client/service_target.h"
#include "tools/files/design/design_file.h"
#include "tools/files/excerpt/excerpt.h"
#include "tools/files/table/findings.h"
#include "tools/files/table_replicas.h"

namespace dynolith::designs {

// The treatment of an existing table of a design's name.
enum class IfExists : uint8_t {
  kFail,     // the load does nothing
  kKeep,     // the table stays unchanged and gets no items
  kReplace,  // the table is deleted first
};

struct LoadOptions {
  // Files, and folders with files.
  std::vector<std::string> files;
  ReadOptions read;
  IfExists if_exists = IfExists::kFail;
  // For items whose file does not name the table; empty: see README.md.
  std::string table;
  // A file with the progress of an incomplete load: if it exists, the load continues there. Empty:
  // none.
  std::string journal;
  // The service's name in the journal.
  std::string to;
  // Reaches the target in another region, for replicas of global tables; empty: there is one
  // region.
  RegionTarget in_region;
  // Which items are loaded, and what of them; nullptr: all as they are. Borrowed.
  excerpt::Excerpt* excerpt = nullptr;
};

struct LoadProgress {
  uint64_t items = 0;
  // Of files of items, as stored on the disk.
  uint64_t bytes = 0;
  uint64_t bytes_all = 0;
  uint64_t bytes_skipped = 0;  // the part of `bytes` that an earlier run has written
  // Whether all items of a table that is made with its items have been read; the rest of the work
  // has no size in bytes.
  bool is_sorting = false;
};

struct LoadListener {
  // A warning or an error. Called by one thread at a time.
  std::function<void(const Finding& finding)> find;
  // Called now and then on the loading thread; may be empty.
  std::function<void(const LoadProgress& progress)> progress;
  // Called when a table has been made, before its further calls; may be empty.
  std::function<void(const std::string& table)> made;
  // Called when a replica has been begun, before it is waited for; may be empty.
  std::function<void()> replica_begun = nullptr;
  // Called before each item; returns whether to stop. May be empty.
  std::function<bool()> is_over;
};

struct LoadSummary {
  uint64_t made = 0;       // tables
  uint64_t kept = 0;       // unchanged tables
  uint64_t items = 0;      // written ones
  uint64_t left_out = 0;   // items of unchanged tables
  uint64_t not_taken = 0;  // items that are not in the excerpt
  uint64_t errors = 0;     // all of which the listener received
  bool is_over = false;    // whether the listener stopped it before the last item
  bool is_kept = false;    // whether the journal remains, so that a load can continue
};

// Reads all files first, but those of items; after an error in them it does nothing and does not
// open the target. Nor does it do more if that is nullptr. An item that the service refuses is an
// error, and the others are written. Errors: those of the target's Open.
absl::StatusOr<LoadSummary> LoadDesigns(const LoadOptions& options, client::ServiceTarget* target,
                                        const LoadListener& listener);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_LOAD_DESIGNS_H_
