#include "tools/server/targets/stream_targets.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/json/json_member.h"
#include "api/json/json_writer.h"
#include "api/service/admin_error.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/background_work.h"
#include "tools/server/targets/lane.h"
#include "tools/server/targets/messages.h"
#include "tools/server/targets/target.h"

namespace dynolith::targets {
namespace {

// How often a mapping looks for shards, and how many of these looks there are before positions that
// no delivery has kept are written.
constexpr absl::Duration kShardsPause = absl::Milliseconds(200);
constexpr int kLooksUntilKept = 300;
// Of a mapping: as many invocations run at once.
constexpr size_t kThreadsMax = 64;

}  // namespace

// One mapping.
class StreamTargets::Delivery {
 public:
  Delivery(const Mapping& mapping, LaneParts parts) : mapping_(mapping), parts_(std::move(parts)) {
    parts_.mapping = &mapping_;
  }

  absl::Status Begin();
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  void Write(JsonWriter* writer) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct LaneWork {
    LaneWork(std::unique_ptr<Lane> made, BackgroundThreads* threads)
        : lane(std::move(made)), work(threads, [this] { return lane->Step(); }) {}
    const std::unique_ptr<Lane> lane;
    BackgroundWork work;
  };
  using Lanes = std::map<LaneKey, std::shared_ptr<LaneWork>>;

  MappingKey key() const { return {mapping_.table, mapping_.target}; }
  // Starts lanes for shards whose turn has come, and ends those of shards that are gone.
  absl::Duration LookForShards();
  absl::Status FollowShards();
  absl::Status StartShard(const SourceShard& shard, const MappingPosition& known)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<LanePosition> FirstPosition(const SourceShard& shard, const LaneKey& lane,
                                             const MappingPosition& known) const;
  void EndLanesWithout(const std::set<std::string>& shards, const MappingPosition& known)
      ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsDone(const SourceShard& shard, const MappingPosition& known) const;
  // After a return to a snapshot a shard may be open again: its lanes go on with the next look.
  absl::Status Reopen(const SourceShard& shard, const MappingPosition& known)
      ABSL_LOCKS_EXCLUDED(mutex_);
  Lanes lanes() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return lanes_;
  }

  const Mapping mapping_;
  LaneParts parts_;
  int looks_ = 0;
  mutable absl::Mutex mutex_;
  std::string error_ ABSL_GUARDED_BY(mutex_);  // of looking for shards
  BackgroundThreads threads_{kThreadsMax};
  Lanes lanes_ ABSL_GUARDED_BY(mutex_);
  BackgroundWork follow_{&threads_, [this] { return LookForShards(); }};
};

absl::Status StreamTargets::Delivery::Begin() {
  if (!mapping_.enabled) return absl::OkStatus();
  const MappingPosition known = parts_.positions->Get(key());
  if (mapping_.start == StartingPosition::kLatest && !known.begin && known.lanes.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber end, parts_.source->End());
    DYNOLITH_RETURN_IF_ERROR(parts_.positions->SetBegin(key(), end));
  }
  // A target that cannot be made is an error at the start.
  DYNOLITH_RETURN_IF_ERROR(
      Target::Make(mapping_.target, mapping_.timeout, parts_.interrupted).status());
  return follow_.Begin(absl::ZeroDuration());
}

void StreamTargets::Delivery::Stop() {
  follow_.Stop();
  for (const auto& [key, work] : lanes()) work->work.Stop();
}

absl::Duration StreamTargets::Delivery::LookForShards() {
  if (parts_.interrupted->load()) return absl::InfiniteDuration();
  absl::Status looked = FollowShards();
  if (++looks_ % kLooksUntilKept == 0) looked.Update(parts_.positions->Keep());
  absl::MutexLock lock(&mutex_);
  error_ = std::string(MessageOf(looked));
  return kShardsPause;
}

absl::Status StreamTargets::Delivery::FollowShards() {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<SourceShard> shards,
                            parts_.source->Shards(mapping_.table));
  const MappingPosition known = parts_.positions->Get(key());
  std::set<std::string> there;
  std::set<uint64_t> open;          // shards that are not done
  std::set<uint64_t> open_streams;  // streams of those
  for (const SourceShard& shard : shards) {
    there.insert(shard.id);
    if (IsDone(shard, known)) {
      if (!shard.is_closed) DYNOLITH_RETURN_IF_ERROR(Reopen(shard, known));
      continue;
    }
    // A stream comes after the table's earlier ones, and a shard after its parent.
    const bool is_first = open_streams.empty() || *open_streams.begin() == shard.stream;
    const bool waits = shard.parent && open.count(*shard.parent) > 0;
    open.insert(shard.number);
    open_streams.insert(shard.stream);
    if (is_first && !waits) DYNOLITH_RETURN_IF_ERROR(StartShard(shard, known));
  }
  EndLanesWithout(there, known);
  return absl::OkStatus();
}

bool StreamTargets::Delivery::IsDone(const SourceShard& shard, const MappingPosition& known) const {
  for (int lane = 0; lane < mapping_.lanes; ++lane) {
    const auto found = known.lanes.find({shard.id, lane, mapping_.lanes});
    if (found == known.lanes.end() || !found->second.done) return false;
  }
  return true;
}

absl::Status StreamTargets::Delivery::Reopen(const SourceShard& shard,
                                             const MappingPosition& known) {
  for (auto [lane, position] : known.lanes) {
    if (lane.shard != shard.id) continue;
    {
      absl::MutexLock lock(&mutex_);
      const auto found = lanes_.find(lane);
      if (found != lanes_.end() && !found->second->lane->done()) continue;
      if (found != lanes_.end()) lanes_.erase(found);
    }
    position.done = false;
    DYNOLITH_RETURN_IF_ERROR(parts_.positions->Set(key(), lane, position, true));
  }
  return absl::OkStatus();
}

absl::StatusOr<LanePosition> StreamTargets::Delivery::FirstPosition(
    const SourceShard& shard, const LaneKey& lane, const MappingPosition& known) const {
  const auto same = known.lanes.find(lane);
  if (same != known.lanes.end()) return same->second;
  // Of another ParallelizationFactor: the earliest place of its lanes.
  std::optional<LanePosition> earliest;
  for (const auto& [key, position] : known.lanes) {
    if (key.shard != shard.id) continue;
    if (!earliest || position.next < earliest->next) earliest = position;
  }
  if (earliest) return LanePosition{.next = earliest->next};
  if (mapping_.start == StartingPosition::kAtTimestamp) {
    DYNOLITH_ASSIGN_OR_RETURN(const SequenceNumber place,
                              parts_.source->PlaceAt(shard, mapping_.start_time));
    return LanePosition{.next = place};
  }
  if (mapping_.start == StartingPosition::kTrimHorizon || !known.begin) return LanePosition{};
  return LanePosition{.next = std::max<SequenceNumber>(*known.begin, shard.number)};
}

absl::Status StreamTargets::Delivery::StartShard(const SourceShard& shard,
                                                 const MappingPosition& known) {
  for (int lane = 0; lane < mapping_.lanes; ++lane) {
    const LaneKey key = {shard.id, lane, mapping_.lanes};
    {
      absl::MutexLock lock(&mutex_);
      if (lanes_.count(key) > 0) continue;
    }
    DYNOLITH_ASSIGN_OR_RETURN(const LanePosition at, FirstPosition(shard, key, known));
    if (at.done) continue;
    DYNOLITH_RETURN_IF_ERROR(parts_.positions->Set(this->key(), key, at, true));
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Target> target,
                              Target::Make(mapping_.target, mapping_.timeout, parts_.interrupted));
    const auto work = std::make_shared<LaneWork>(
        std::make_unique<Lane>(parts_, shard, key, at, std::move(target)), &threads_);
    {
      absl::MutexLock lock(&mutex_);
      lanes_[key] = work;
    }
    DYNOLITH_RETURN_IF_ERROR(work->work.Begin(absl::ZeroDuration()));
  }
  // Places of another ParallelizationFactor have been taken over.
  for (const auto& [key, position] : known.lanes) {
    if (key.shard == shard.id && key.of != mapping_.lanes) {
      parts_.positions->Forget(this->key(), key);
    }
  }
  return absl::OkStatus();
}

void StreamTargets::Delivery::EndLanesWithout(const std::set<std::string>& shards,
                                              const MappingPosition& known) {
  for (const auto& [key, work] : lanes()) {
    if (shards.count(key.shard) > 0) continue;
    work->work.Stop();
    absl::MutexLock lock(&mutex_);
    lanes_.erase(key);
  }
  for (const auto& [lane, position] : known.lanes) {
    if (shards.count(lane.shard) > 0) continue;
    if (!position.done) {
      parts_.note(messages::RecordsTrimmed(mapping_.table, mapping_.target, lane.shard));
    }
    parts_.positions->Forget(key(), lane);
  }
}

void StreamTargets::Delivery::Write(JsonWriter* writer) const {
  LaneReport sum;
  {
    absl::MutexLock lock(&mutex_);
    sum.last_error = error_;
  }
  writer->BeginObject();
  WriteText(writer, "table", mapping_.table);
  WriteText(writer, "target", mapping_.target);
  WriteFlag(writer, "enabled", mapping_.enabled);
  writer->Key("shards");
  writer->BeginArray();
  for (const auto& [key, work] : lanes()) {
    const LaneReport lane = work->lane->Report();
    writer->BeginObject();
    WriteText(writer, "shard", key.shard);
    WriteCount(writer, "lane", key.lane);
    WriteCount(writer, "lanes", key.of);
    WriteText(writer, "next", SequenceText(lane.next));
    WriteCount(writer, "waiting", lane.waiting);
    if (lane.age) WriteCount(writer, "age_seconds", absl::ToInt64Seconds(*lane.age));
    WriteFlag(writer, "done", lane.done);
    if (!lane.last_error.empty()) WriteText(writer, "last_error", lane.last_error);
    writer->EndObject();
    sum.waiting += lane.waiting;
    sum.delivered += lane.delivered;
    sum.filtered += lane.filtered;
    sum.given_up += lane.given_up;
    sum.invocations += lane.invocations;
    sum.failures += lane.failures;
    if (!lane.last_error.empty()) sum.last_error = lane.last_error;
  }
  writer->EndArray();
  WriteCount(writer, "waiting", sum.waiting);
  WriteCount(writer, "delivered", sum.delivered);
  WriteCount(writer, "filtered", sum.filtered);
  WriteCount(writer, "given_up", sum.given_up);
  WriteCount(writer, "invocations", sum.invocations);
  WriteCount(writer, "failures", sum.failures);
  if (!sum.last_error.empty()) WriteText(writer, "last_error", sum.last_error);
  writer->EndObject();
}

// ---

StreamTargets::StreamTargets(StreamTargetsOptions options, std::unique_ptr<Positions> positions)
    : options_(std::move(options)), positions_(std::move(positions)), source_(options_.database) {
  for (const Mapping& mapping : options_.mappings) {
    deliveries_.push_back(
        std::make_unique<Delivery>(mapping, LaneParts{.source = &source_,
                                                      .positions = positions_.get(),
                                                      .interrupted = &interrupted_,
                                                      .note = options_.note}));
  }
}

absl::Status StreamTargets::Check(const std::vector<Mapping>& mappings, const std::string& file) {
  if (mappings.empty()) return absl::OkStatus();
  for (const Mapping& mapping : mappings) {
    DYNOLITH_RETURN_IF_ERROR(Target::Make(mapping.target, mapping.timeout, nullptr).status());
  }
  return Positions::Open(file).status();
}

absl::StatusOr<std::unique_ptr<StreamTargets>> StreamTargets::Open(StreamTargetsOptions options) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Positions> positions, Positions::Open(options.file));
  return std::unique_ptr<StreamTargets>(
      new StreamTargets(std::move(options), std::move(positions)));
}

StreamTargets::~StreamTargets() { Stop(); }

absl::Status StreamTargets::Begin() {
  for (const auto& delivery : deliveries_) DYNOLITH_RETURN_IF_ERROR(delivery->Begin());
  return absl::OkStatus();
}

void StreamTargets::Stop() {
  if (interrupted_.exchange(true)) return;
  for (const auto& delivery : deliveries_) delivery->Stop();
  const absl::Status kept = positions_->Keep();
  if (!kept.ok()) options_.note(std::string(MessageOf(kept)));
}

void StreamTargets::Answer(const AdminRequest& request, JsonResponse* answer) const {
  if (request.method != "GET") return AnswerWrongMethod(request.path, "GET", answer);
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("mappings");
  writer.BeginArray();
  for (const auto& delivery : deliveries_) delivery->Write(&writer);
  writer.EndArray();
  writer.EndObject();
}

}  // namespace dynolith::targets
