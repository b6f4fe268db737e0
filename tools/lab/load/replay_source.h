// The requests of a trace, as often as there are users, one after the other in virtual time.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_REPLAY_SOURCE_H_
#define DYNOLITH_TOOLS_LAB_LOAD_REPLAY_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/experiment/recorded_trace.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/load/lab_use.h"
#include "tools/lab/load/turn_queue.h"

namespace dynolith::lab {

// Thread-compatible.
class ReplaySource final : public KeyTexts {
 public:
  // `replay`, which is the experiment's, is borrowed.
  ReplaySource(const Replay& replay, const Experiment& experiment, uint64_t seed);

  // When the next request comes; there is always another one.
  Micros next() const { return turns_->next().at; }
  // Its access in Experiment::accesses, and who of Replay::users makes it.
  size_t access() const;
  uint32_t user() const { return turns_->next().who; }
  // Makes its operations, one after the other, and goes on to the one behind it. The uses of each
  // are valid during the call.
  void Take(absl::FunctionRef<void(LabUses*)> run);

  // What this user uses where this was recorded.
  LabUse MakeUse(const RecordedUse& recorded, uint32_t user) const;
  // The same of an index entry, in the shard where an item with this place has it.
  LabUse MakeEntryUse(const RecordedUse& recorded, uint32_t user, uint64_t place) const;
  // Of the item that is so used of its table.
  static uint64_t FindPlace(const LabUse& item);

  std::string ToText(const KeyNumber& key) const override;

 private:
  // Where a use falls.
  struct Target {
    size_t resource = 0;  // of ResourceDesigns
    int64_t shards = 1;
    bool is_shared = false;  // all users have the same keys
    bool is_table = false;
    int64_t local_indexes = 0;
  };
  // From a time of the trace to one since the beginning of a round.
  Micros Replayed(Micros at) const {
    return static_cast<Micros>(static_cast<double>(at) / replay_.speed);
  }
  // The first request that comes so long after the beginning of a round, or later; behind the last
  // one if there is none.
  uint32_t FirstFrom(Micros at) const;
  // The turn behind it of the same user.
  Turn After(const Turn& turn) const;
  void Prefetch() const;
  // By how much the stored bytes of its item or entry grow.
  int64_t TakeGrowth(const RecordedWrite& write, const Turn& turn, const Target& target);
  // Reads a key in each of an index's shards.
  void Gather(const RecordedUse& recorded, const LabUse& whole,
              absl::FunctionRef<void(LabUses*)> run);

  const Replay& replay_;
  const RecordedTrace& trace_;
  const uint64_t placement_;
  std::vector<Target> targets_;     // by RecordedTrace::resources
  std::optional<TurnQueue> turns_;  // of a user: `what` is his next request
  std::vector<uint32_t> stored_;    // bytes of items that all users share, by RecordedTrace::items
  LabUses uses_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_REPLAY_SOURCE_H_
