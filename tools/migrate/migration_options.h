// What is migrated, and how; and whom its progress is told.
#ifndef DYNOLITH_TOOLS_MIGRATE_MIGRATION_OPTIONS_H_
#define DYNOLITH_TOOLS_MIGRATE_MIGRATION_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/files/excerpt/excerpt.h"
#include "tools/migrate/side.h"

namespace dynolith::migrate {

// What becomes of the writers of FROM at the end.
enum class CutOver : uint8_t {
  kNone,     // the copy only follows the changes
  kRefuse,   // FROM, a server of ours, is told to refuse their writes
  kForward,  // the same, and in the end to forward their calls to TO
  kStopped,  // the user has stopped them
};

enum class Verify : uint8_t { kNone, kCount, kChecksums, kFull };

struct MigrationOptions {
  SideOptions from;
  SideOptions to;
  std::vector<std::string> tables;  // empty: all
  excerpt::ExcerptOptions excerpt;
  std::string state_file;   // empty: DefaultStateFile
  std::string admin_token;  // of FROM's admin endpoint, for CutOver::kRefuse and kForward
  // TO as FROM calls it, with kForward; what is empty is as in `to`.
  SideOptions forward_to;
  size_t segments = 4;   // of each table's scan, and threads
  double read_rate = 0;  // units a second; 0: unbounded
  double write_rate = 0;
  CutOver cut_over = CutOver::kNone;
  Verify verify = Verify::kChecksums;
  bool into_existing = false;  // tables of TO may have items already
  // Whether new tables of TO, a folder, are made as sorted files; nullopt: if FROM is a folder,
  // too, which costs nothing to read again.
  std::optional<bool> bulk;
  // Where FROM exports tables to and TO imports them from, both endpoints: "bucket" or
  // "bucket/prefix". Empty: items are read and written.
  std::string bucket;
  bool no_stream = false;  // a second scan instead
  bool follow = false;     // changes, until Ctrl-C
  bool dry_run = false;

  bool IsFrozen() const;  // whether nobody writes to FROM from the copy's end on
};

// Beside the folder of the two; "dynolith.migrate" for two endpoints.
std::string DefaultStateFile(const MigrationOptions& options);

// What units cost; from a list of prices.
struct UnitPrices {
  std::optional<double> read_million;
  std::optional<double> write_million;
  std::string currency;
  std::string region;
  std::string date;
};

struct MigrationProgress {
  enum class Phase : uint8_t { kCopy, kFollow, kCompare };
  Phase phase = Phase::kCopy;
  uint64_t items = 0;
  uint64_t items_all = 0;  // about; 0: not known
  uint64_t changes = 0;
  double read_units = 0;
  double write_units = 0;
  double lag_seconds = 0;  // of kFollow
};

// Called by one thread at a time.
struct MigrationListener {
  std::function<void(const std::string& text)> say;   // a line of the report
  std::function<void(const std::string& text)> warn;  // what is not as on FROM, and why
  std::function<void(const std::string& text)> fail;  // what is not on TO, and should be
  std::function<void(const MigrationProgress& progress)> progress;
  std::function<bool()> is_over;  // thread-safe
};

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_MIGRATION_OPTIONS_H_
