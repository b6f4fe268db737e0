// The turns of the regions at their strong tables: a write is in all regions that can be reached
// before the next use begins, and a region that was left out gets it before its own next use.
#ifndef DYNOLITH_API_REPLICA_STRONG_TABLES_H_
#define DYNOLITH_API_REPLICA_STRONG_TABLES_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "api/replica/change_sender.h"
#include "api/request/operation_context.h"
#include "api/request/region_peers.h"
#include "engine/catalog/catalog.h"

namespace dynolith {

// What is known of the regions.
class RegionStates {
 public:
  virtual ~RegionStates() = default;
  // nullptr: its database is not open.
  virtual const OperationContext* Find(std::string_view region) const = 0;
  virtual bool IsCut(std::string_view region) const = 0;
  // Whether changes from there to there wait for a dial.
  virtual bool IsDelayed(std::string_view from, std::string_view to) const = 0;
  virtual void NoteSent(std::string_view from, std::string_view to, const SendResult& sent) = 0;
};

// Thread-safe. Everywhere: no database is opened or closed as long as a call lasts and a use lives.
class StrongTables {
 public:
  explicit StrongTables(RegionStates* states) : states_(states) {}

  // As RegionPeers::UseStrong.
  absl::StatusOr<std::unique_ptr<StrongUse>> Use(const OperationContext& context,
                                                 absl::Span<const std::string_view> tables,
                                                 StrongAccess access) ABSL_LOCKS_EXCLUDED(mutex_);
  // The tables have a turn: IsNamedIn knows them.
  void NoteUse(absl::Span<const std::string_view> tables) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the text of a call has the name of a table that has, or had, a turn; it may be another
  // word there. O(tables × text).
  bool IsNamedIn(std::string_view call) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Held by whoever works on the replicas of the table of that name. As long as the tables live.
  absl::Mutex* TurnOf(std::string_view table) ABSL_LOCKS_EXCLUDED(mutex_);
  // A database was opened: it may have what the others lack, and the other way round.
  void ForgetWhoIsCurrent() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    absl::Mutex turn;
    // The regions that have everything that was written, of which a majority has what they have.
    std::set<std::string, std::less<>> current ABSL_GUARDED_BY(turn);
    // Those that have looked through the items of the others since a database was opened last.
    std::set<std::string, std::less<>> compared ABSL_GUARDED_BY(turn);
  };
  class Turns;

  Entry* EntryOf(std::string_view table) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status CheckMajority(std::string_view region, const TableMeta& meta) const;
  bool HasWitness(const TableMeta& meta) const {
    return meta.witness && !states_->IsCut(meta.witness->region);
  }
  absl::Status BringUpToDate(const OperationContext& context, const TableMeta& meta, Entry* entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(entry->turn);
  // What was written in `context`'s region, to the others. Errors: as StrongUse::CarryOver.
  absl::Status CarryOver(const OperationContext& context, const TableMeta& meta, Entry* entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(entry->turn);
  // The regions that get it at once.
  std::vector<std::string_view> Prompt(std::string_view from, const TableMeta& meta) const;
  absl::Status SendAll(const OperationContext& from, const TableMeta& meta,
                       const OperationContext& to);

  RegionStates* const states_;
  mutable absl::Mutex mutex_;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_API_REPLICA_STRONG_TABLES_H_
