// The requests of a trace, repeated by each user, in the order of virtual time.
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

  // The time of the next request; requests never end.
  Micros next() const { return turns_->next().at; }
  // Its access in Experiment::accesses, and its user, below Replay::users.
  size_t access() const;
  uint32_t user() const { return turns_->next().who; }
  // Calls `run` with the uses of each of its operations, which are valid during the call, and moves
  // to the request behind it.
  void Take(absl::FunctionRef<void(LabUses*)> run);

  // This user's use for a recorded one.
  LabUse MakeUse(const RecordedUse& recorded, uint32_t user) const;
  // The same for an index entry, in the shard of an item with this place.
  LabUse MakeEntryUse(const RecordedUse& recorded, uint32_t user, uint64_t place) const;
  // The place of an item, given its use of the table.
  static uint64_t FindPlace(const LabUse& item);

  std::string ToText(const KeyNumber& key) const override;

 private:
  // The experiment's table or index for a resource of the trace.
  struct Target {
    size_t resource = 0;  // of ResourceDesigns
    int64_t shards = 1;
    bool is_shared = false;  // all users have the same keys
    bool is_table = false;
    int64_t local_indexes = 0;
  };
  // Converts a time of the trace to one since the beginning of a round.
  Micros Replayed(Micros at) const {
    return static_cast<Micros>(static_cast<double>(at) / replay_.speed);
  }
  // The first request at or after this time since the beginning of a round; behind the last one if
  // there is none.
  uint32_t FirstFrom(Micros at) const;
  // The next turn of the same user.
  Turn After(const Turn& turn) const;
  void Prefetch() const;
  // Returns how much the stored bytes of its item or entry grow, and records the new size.
  int64_t TakeGrowth(const RecordedWrite& write, const Turn& turn, const Target& target);
  // Reads a key in each of an index's shards.
  void Gather(const RecordedUse& recorded, const LabUse& whole,
              absl::FunctionRef<void(LabUses*)> run);

  const Replay& replay_;
  const RecordedTrace& trace_;
  const uint64_t placement_;
  std::vector<Target> targets_;     // by RecordedTrace::resources
  std::optional<TurnQueue> turns_;  // of users: `what` is the next request
  std::vector<uint32_t> stored_;    // bytes of items that all users share, by RecordedTrace::items
  LabUses uses_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_REPLAY_SOURCE_H_
