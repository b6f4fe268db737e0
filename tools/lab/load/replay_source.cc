#include "tools/lab/load/replay_source.h"

#include <algorithm>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/partition/stored_bytes.h"

namespace dynolith::lab {
namespace {

constexpr Tokens kTokensPerHalfUnit = kTokensPerUnit / 2;
// How many turns ahead data is prefetched.
constexpr size_t kPrefetched = 8;

int64_t CountReadUnits(int64_t bytes) {
  constexpr auto kBlock = static_cast<int64_t>(kReadUnitBytes);
  return std::max<int64_t>(1, (bytes + kBlock - 1) / kBlock);
}

// A hash that differs for each user, or for each shard.
uint64_t Elsewhere(uint64_t hash, uint64_t number) {
  return Scrambled(hash + number * 0x9e3779b97f4a7c15);
}

}  // namespace

ReplaySource::ReplaySource(const Replay& replay, const Experiment& experiment, uint64_t seed)
    : replay_(replay), trace_(*replay.trace), placement_(experiment.trial.placement) {
  const std::vector<ResourceDesign> designs = ResourceDesigns(experiment);
  for (const Replay::Target& target : replay.targets) {
    const auto resource =
        std::find(designs.begin(), designs.end(), ResourceDesign{target.table, target.index});
    const TableDesign& table = experiment.tables[target.table];
    targets_.push_back({static_cast<size_t>(resource - designs.begin()),
                        target.index ? table.indexes[*target.index].shards : 1, target.is_shared,
                        !target.index, table.local_indexes});
  }
  const bool has_shared = std::any_of(targets_.begin(), targets_.end(),
                                      [](const Target& target) { return target.is_shared; });
  for (size_t i = 0; has_shared && i < trace_.items.size(); ++i) {
    stored_.push_back(trace_.items[i].bytes_at_start);
  }
  std::vector<Turn> turns;
  turns.reserve(static_cast<size_t>(replay.users));
  for (int64_t i = 0; i < replay.users; ++i) {
    // The first user repeats the trace at its recorded times.
    const bool is_late = i > 0 && replay.spread > 0;
    const auto late =
        is_late ? static_cast<Micros>(NextBelow(&seed, static_cast<uint64_t>(replay.spread)))
                : Micros{0};
    // Users have no beginning: each starts with its requests at the end of the previous round.
    Micros begun = late - replay.period;
    uint32_t first = FirstFrom(replay.period - late);
    if (first == trace_.requests.size()) {
      begun = late;
      first = 0;
    }
    turns.push_back({begun + Replayed(trace_.requests[first].at), static_cast<uint32_t>(i), first});
  }
  turns_.emplace(std::move(turns),
                 static_cast<double>(replay.period) / static_cast<double>(trace_.requests.size()));
}

uint32_t ReplaySource::FirstFrom(Micros at) const {
  const auto first = std::partition_point(
      trace_.requests.begin(), trace_.requests.end(),
      [&](const RecordedRequest& request) { return Replayed(request.at) < at; });
  return static_cast<uint32_t>(first - trace_.requests.begin());
}

Turn ReplaySource::After(const Turn& turn) const {
  // The beginning of this round of the trace.
  Micros begun = turn.at - Replayed(trace_.requests[turn.what].at);
  uint32_t request = turn.what + 1;
  if (request == trace_.requests.size()) {
    request = 0;
    begun += replay_.period;
  }
  return {begun + Replayed(trace_.requests[request].at), turn.who, request};
}

size_t ReplaySource::access() const { return trace_.requests[turns_->next().what].access; }

// Users are at different places of the trace, so their requests are in no CPU cache.
void ReplaySource::Prefetch() const {
  if (const Turn* const turn = turns_->Ahead(2 * kPrefetched)) {
    __builtin_prefetch(&trace_.requests[turn->what]);
  }
  if (const Turn* const turn = turns_->Ahead(kPrefetched)) {
    __builtin_prefetch(&trace_.uses[trace_.requests[turn->what].uses]);
  }
}

void ReplaySource::Take(absl::FunctionRef<void(LabUses*)> run) {
  Prefetch();
  const Turn turn = turns_->next();
  const uint32_t number = turn.who;
  const size_t end = trace_.UsesEnd(turn.what);
  uint64_t place = 0;  // of the item, by which entries find their shard
  uses_.clear();
  for (size_t i = trace_.requests[turn.what].uses; i < end; ++i) {
    const RecordedUse& recorded = trace_.uses[i];
    if (recorded.begins && !uses_.empty()) {
      run(&uses_);
      uses_.clear();
    }
    const Target& target = targets_[recorded.resource];
    const bool is_entry = !target.is_table && recorded.kind == AccessKind::kWrite;
    LabUse use = is_entry ? MakeEntryUse(recorded, number, place) : MakeUse(recorded, number);
    if (recorded.write != kNoWrite) {
      use.added_bytes = TakeGrowth(trace_.writes[recorded.write], turn, target);
      use.growth = Growth::kAlways;
    }
    if (target.is_table) place = FindPlace(use);
    if (target.shards > 1 && recorded.has_key && recorded.kind == AccessKind::kRead) {
      Gather(recorded, use, run);
    } else {
      uses_.push_back(use);
    }
  }
  if (!uses_.empty()) run(&uses_);
  turns_->Replace(After(turn));
}

LabUse ReplaySource::MakeUse(const RecordedUse& recorded, uint32_t user) const {
  const Target& target = targets_[recorded.resource];
  LabUse use;
  use.resource = target.resource;
  use.kind = recorded.kind;
  use.tokens = recorded.half_units * kTokensPerHalfUnit;
  use.bytes = recorded.bytes;
  use.recorded = &recorded;
  const bool is_own = !target.is_shared && recorded.has_key && replay_.users > 1;
  const bool is_moved = is_own && user > 0;
  use.position = LabPosition(
      HashInPlacement(is_moved ? Elsewhere(recorded.hash, user) : recorded.hash, placement_));
  if (recorded.has_sort) use.position.Append(recorded.sort);
  if (!recorded.has_key) return use;
  use.texts = this;
  use.key = {.number = recorded.hash, .suffix = is_own ? user + 1 : 0};
  return use;
}

uint64_t ReplaySource::FindPlace(const LabUse& item) {
  return Elsewhere(item.position.hash(), item.recorded->sort);
}

LabUse ReplaySource::MakeEntryUse(const RecordedUse& recorded, uint32_t user,
                                  uint64_t place) const {
  LabUse use = MakeUse(recorded, user);
  const auto shards = static_cast<uint64_t>(targets_[recorded.resource].shards);
  if (shards == 1 || !recorded.has_key) return use;
  use.key.index_suffix = static_cast<uint32_t>(place % shards) + 1;
  use.position = LabPosition(Elsewhere(use.position.hash(), use.key.index_suffix));
  if (recorded.has_sort) use.position.Append(recorded.sort);
  return use;
}

int64_t ReplaySource::TakeGrowth(const RecordedWrite& write, const Turn& turn,
                                 const Target& target) {
  uint32_t before = write.bytes_before;
  if (target.is_shared) {
    before = std::exchange(stored_[write.item], write.bytes);
  } else if (turn.at < replay_.period) {
    // The previous write of the same user counts only if it was after the beginning of the run.
    const bool is_of_round = write.previous < turn.what;
    const Micros passed = Replayed(trace_.requests[turn.what].at) -
                          Replayed(trace_.requests[write.previous].at) +
                          (is_of_round ? 0 : replay_.period);
    if (turn.at < passed) before = trace_.items[write.item].bytes_at_start;
  }
  const auto stored = [&target](int64_t bytes) {
    return target.is_table ? StoredWithLocals(bytes, target.local_indexes)
                           : StoredBytes(bytes, /*is_entry=*/true);
  };
  return stored(write.bytes) - stored(before);
}

void ReplaySource::Gather(const RecordedUse& recorded, const LabUse& whole,
                          absl::FunctionRef<void(LabUses*)> run) {
  const int64_t shards = targets_[recorded.resource].shards;
  const int64_t bytes_each = (int64_t{recorded.bytes} + shards - 1) / shards;
  const Tokens of_block = whole.tokens / CountReadUnits(recorded.bytes);
  for (int64_t shard = 1; shard <= shards; ++shard) {
    LabUses alone = {whole};
    LabUse& use = alone.front();
    use.key.index_suffix = static_cast<uint32_t>(shard);
    use.position = LabPosition(Elsewhere(whole.position.hash(), use.key.index_suffix));
    use.tokens = of_block * CountReadUnits(bytes_each);
    use.bytes = bytes_each;
    run(&alone);
  }
}

std::string ReplaySource::ToText(const KeyNumber& key) const {
  return Concat(trace_.KeyText(key.number),
                key.index_suffix > 0 ? Concat(" shard ", key.index_suffix) : "",
                key.suffix > 0 ? Concat(" (user ", key.suffix, ")") : "");
}

}  // namespace dynolith::lab
