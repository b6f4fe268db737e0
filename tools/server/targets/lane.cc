#include "tools/server/targets/lane.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/targets/messages.h"

namespace dynolith::targets {
namespace {

// How often a lane looks for records, and at the database's clock, by the machine's.
constexpr absl::Duration kLookPause = absl::Milliseconds(50);
constexpr absl::Duration kFirstBackOff = absl::Milliseconds(100);
constexpr absl::Duration kLongestBackOff = absl::Seconds(30);
constexpr int kDoublingsMax = 9;
constexpr size_t kReadRecordsMax = 1000;
// In one step, so that others get the thread.
constexpr int kReadsMax = 20;
// Of an invocation's payload, and of the state of a window (api/facts/stream_targets.md §1, §4).
constexpr size_t kEventBytesMax = 6 << 20;
constexpr size_t kStateBytesMax = 1 << 20;
// Of an event around its records.
constexpr size_t kEventFrameBytes = 1024;
constexpr std::string_view kTooOld = "RecordAgeExceeded";
constexpr std::string_view kRetriesExhausted = "RetryAttemptsExhausted";
constexpr std::string_view kNoState = "{}";

}  // namespace

Lane::Lane(LaneParts parts, SourceShard shard, LaneKey key, LanePosition at,
           std::unique_ptr<Target> target)
    : parts_(std::move(parts)),
      mapping_(*parts_.mapping),
      shard_(std::move(shard)),
      key_(std::move(key)),
      target_(std::move(target)),
      has_windows_(mapping_.tumbling_window > absl::ZeroDuration()),
      at_(std::move(at)),
      read_position_(at_.next) {
  absl::MutexLock lock(&mutex_);
  report_.next = at_.next;
}

absl::Duration Lane::Step() {
  if (parts_.interrupted->load() || done()) return absl::InfiniteDuration();
  const absl::StatusOr<absl::Time> now = parts_.source->Now();
  if (!now.ok()) return kLookPause;  // it returns to a snapshot
  // A clock that went back with its database must not make it wait.
  next_try_ = std::min(next_try_, *now + kLongestBackOff);
  first_seen_ = std::min(first_seen_, *now);
  absl::Duration pause = kLookPause;
  if (*now >= next_try_) {
    if (segments_.empty()) {
      if (const absl::Status gathered = Gather(*now); !gathered.ok()) {
        SetError(std::string(MessageOf(gathered)));
        return kLookPause;
      }
      if (failures_in_row_ == 0) SetError("");
    }
    if (!segments_.empty() || FormSegment(*now)) {
      pause = Deliver(*now);
    } else if (ended_ && pending_.empty()) {
      pause = Finish();
    } else if (!caught_up_) {
      pause = absl::ZeroDuration();
    }
  }
  UpdateReport(*now);
  return pause;
}

// --- reading

absl::Status Lane::Gather(absl::Time now) {
  const bool had_none = pending_.empty();
  caught_up_ = false;
  // After a return to a snapshot the shard may be open again.
  if (had_none) ended_ = false;
  for (int reads = 0; reads < kReadsMax && !ended_; ++reads) {
    const bool is_enough = pending_.size() >= static_cast<size_t>(mapping_.batch_size) ||
                           pending_bytes_ >= kEventBytesMax;
    if (is_enough) break;
    DYNOLITH_ASSIGN_OR_RETURN(const size_t records, ReadOnce());
    caught_up_ = records == 0;
    if (caught_up_) break;
  }
  if (ended_) caught_up_ = true;
  if (had_none) first_seen_ = now;
  if (pending_.empty() && read_position_ != at_.next) {
    at_.next = read_position_;
    KeepPosition(false);
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> Lane::ReadOnce() {
  size_t records = 0;
  DYNOLITH_ASSIGN_OR_RETURN(
      const StreamSource::Place place,
      parts_.source->Read(
          shard_, read_position_, kReadRecordsMax,
          [&](const OperationContext& context, SequenceNumber number, const RecordView& record) {
            ++records;
            Take(context, number, record);
          }));
  if (place.trimmed) {
    parts_.note(messages::RecordsTrimmed(mapping_.table, mapping_.target, shard_.id));
  }
  if (place.restarted) {
    parts_.note(messages::PositionBeyond(mapping_.table, mapping_.target, shard_.id));
  }
  read_position_ = place.next;
  ended_ = place.ended;
  return records;
}

void Lane::Take(const OperationContext& context, SequenceNumber number, const RecordView& record) {
  if (LaneOf(shard_.key, record.keys, key_.of) != key_.lane) return;
  EventRecord made = MakeEventRecord(context, shard_.stream_arn, number, record);
  if (!mapping_.filters.empty()) {
    const std::optional<JsonTree> tree = ParseJson(made.json, designs::kJsonDepthMax);
    if (tree && !mapping_.filters.Matches(*tree)) {
      absl::MutexLock lock(&mutex_);
      ++report_.filtered;
      return;
    }
  }
  pending_bytes_ += made.json.size() + 1;
  pending_.push_back(std::move(made));
}

int64_t Lane::WindowOf(const EventRecord& record) const {
  const int64_t seconds = absl::ToInt64Seconds(mapping_.tumbling_window);
  return absl::ToUnixSeconds(ShownTime(record.created)) / seconds * seconds;
}

bool Lane::IsWindowOver(absl::Time now) const {
  if (!at_.window) return false;
  // A record that is late counts for the window that is open.
  if (!pending_.empty()) return WindowOf(pending_.front()) > *at_.window;
  return caught_up_ &&
         (ended_ || now >= absl::FromUnixSeconds(*at_.window) + mapping_.tumbling_window);
}

size_t Lane::CountTogether(bool* is_full) const {
  const std::optional<int64_t> window =
      !has_windows_ ? std::nullopt
                    : std::optional<int64_t>(at_.window.value_or(WindowOf(pending_.front())));
  size_t records = 0;
  size_t bytes = kEventFrameBytes + at_.state.size();
  *is_full = true;
  for (const EventRecord& record : pending_) {
    if (records == static_cast<size_t>(mapping_.batch_size)) return records;
    bytes += record.json.size() + 1;
    if (records > 0 && bytes > kEventBytesMax) return records;
    if (window && WindowOf(record) > *window) return records;
    ++records;
  }
  *is_full = records == static_cast<size_t>(mapping_.batch_size);
  return records;
}

bool Lane::FormSegment(absl::Time now) {
  if (IsWindowOver(now)) {
    segments_.push_back({.is_final = true});
    return true;
  }
  if (pending_.empty()) return false;
  bool is_full = false;
  const size_t records = CountTogether(&is_full);
  if (!is_full && !ended_ && now < first_seen_ + mapping_.batching_window) return false;
  segments_.push_back({.records = records});
  return true;
}

absl::Duration Lane::Finish() {
  at_.done = true;
  KeepPosition(true);
  done_ = true;
  return absl::InfiniteDuration();
}

// --- delivering

std::vector<const EventRecord*> Lane::RecordsOf(const Segment& segment) const {
  std::vector<const EventRecord*> records;
  for (size_t i = 0; i < segment.records; ++i) records.push_back(&pending_[i]);
  return records;
}

std::string Lane::EventOf(const Segment& segment) const {
  const std::vector<const EventRecord*> records = RecordsOf(segment);
  if (!has_windows_) return MakeEvent(records, nullptr);
  // What is given up before its first call has no window yet.
  const int64_t window_start = at_.window ? *at_.window : WindowOf(pending_.front());
  const absl::Time start = absl::FromUnixSeconds(window_start);
  const EventWindow window = {.start = start,
                              .end = start + mapping_.tumbling_window,
                              .state = at_.window ? std::string_view(at_.state) : kNoState,
                              .shard_id = shard_.id,
                              .stream_arn = shard_.stream_arn,
                              .is_final = segment.is_final,
                              .is_terminated_early = segment.is_early};
  return MakeEvent(records, &window);
}

absl::Duration Lane::Deliver(absl::Time now) {
  if (segments_.front().give_up.empty()) SplitTooOld(now);
  if (!segments_.front().give_up.empty()) return GiveUp(now);
  Segment& segment = segments_.front();
  if (has_windows_ && !at_.window) {
    at_.window = WindowOf(pending_.front());
    at_.state = kNoState;
  }
  const Invocation invocation = target_->Invoke(EventOf(segment));
  if (parts_.interrupted->load() && invocation.result == Invocation::Result::kAway) {
    return absl::InfiniteDuration();  // it is delivered when the server is there again
  }
  ++segment.invocations;
  segment.status = invocation.status;
  segment.function_error = invocation.function_error;
  {
    absl::MutexLock lock(&mutex_);
    ++report_.invocations;
  }
  if (invocation.result != Invocation::Result::kSucceeded) {
    return Fail(now, invocation.error, invocation.result == Invocation::Result::kFailed);
  }
  return Succeed(now, Judge(segment, invocation.answer));
}

void Lane::SplitTooOld(absl::Time now) {
  Segment& first = segments_.front();
  if (first.is_final || mapping_.age_max == absl::InfiniteDuration()) return;
  size_t old = 0;
  while (old < first.records && now - pending_[old].created > mapping_.age_max) ++old;
  if (old == 0) return;
  Segment given_up = first;
  given_up.records = old;
  given_up.give_up = kTooOld;
  first.records -= old;
  if (first.records == 0) segments_.pop_front();
  segments_.push_front(std::move(given_up));
}

Lane::Verdict Lane::Judge(const Segment& segment, const std::string& answer) const {
  Verdict verdict = {.done = segment.records};
  const bool is_read = mapping_.reports_failures || has_windows_;
  if (!is_read || designs::WithoutSpaces(answer).empty()) return verdict;
  const std::optional<JsonTree> tree = ParseJson(answer, designs::kJsonDepthMax);
  if (!tree) return {.error = messages::TargetOddAnswer()};
  if (const JsonTree* const state = has_windows_ ? tree->Find("state") : nullptr) {
    if (state->kind == JsonTree::Kind::kMap) {
      verdict.state = PrintJson(*state);
    } else if (state->text != "null" || state->kind != JsonTree::Kind::kOther) {
      return {.error = messages::TargetWindowState()};
    }
  }
  const JsonTree* const failures =
      mapping_.reports_failures ? tree->Find("batchItemFailures") : nullptr;
  if (failures == nullptr || segment.is_final) return verdict;
  Verdict judged = JudgeFailures(segment, *failures);
  judged.state = std::move(verdict.state);
  return judged;
}

Lane::Verdict Lane::JudgeFailures(const Segment& segment, const JsonTree& failures) const {
  if (failures.kind == JsonTree::Kind::kOther && failures.text == "null") {
    return {.done = segment.records};
  }
  if (failures.kind != JsonTree::Kind::kList) {
    return {.error = messages::TargetFailuresUnreadable()};
  }
  size_t first = segment.records;
  for (const JsonTree& failure : failures.elements) {
    const JsonTree* const number = failure.Find("itemIdentifier");
    if (number == nullptr || number->kind != JsonTree::Kind::kString || number->text.empty()) {
      return {.error = messages::TargetFailuresUnreadable()};
    }
    const std::optional<SequenceNumber> told = ParseSequenceText(number->text);
    const auto end = pending_.begin() + static_cast<ptrdiff_t>(segment.records);
    const auto found = std::lower_bound(
        pending_.begin(), end, told.value_or(0),
        [](const auto& record, SequenceNumber sought) { return record.number < sought; });
    if (!told || found == end || found->number != *told) {
      return {.error = messages::TargetFailureUnknown(number->text)};
    }
    first = std::min(first, static_cast<size_t>(found - pending_.begin()));
  }
  if (first == segment.records) return {.done = first};
  return {.done = first, .error = messages::TargetFailedFrom(SequenceText(pending_[first].number))};
}

absl::Duration Lane::Succeed(absl::Time now, const Verdict& verdict) {
  const bool is_all = verdict.error.empty();
  if (verdict.state && (is_all || verdict.done > 0)) at_.state = *verdict.state;
  if (!is_all && verdict.done == 0) return Fail(now, verdict.error, true);
  if (!is_all) {
    // What is left is a batch of its own.
    Segment& segment = segments_.front();
    segment.records -= verdict.done;
    segment.retries = 0;
    failures_in_row_ = 0;
    Advance(verdict.done, now);
    CountDelivered(verdict.done);
    return Fail(now, verdict.error, true, true);
  }
  failures_in_row_ = 0;
  SetError("");
  EndSegment(now);
  CountDelivered(verdict.done);
  if (at_.window && at_.state.size() > kStateBytesMax) {
    segments_.push_front({.is_final = true, .is_early = true});
  }
  return absl::ZeroDuration();
}

void Lane::CountDelivered(size_t records) {
  absl::MutexLock lock(&mutex_);
  report_.delivered += static_cast<int64_t>(records);
}

absl::Duration Lane::Fail(absl::Time now, const std::string& error, bool is_counted, bool is_cut) {
  {
    absl::MutexLock lock(&mutex_);
    ++report_.failures;
  }
  Segment& segment = segments_.front();
  segment.error = error;
  if (!is_counted) return BackOff(now, error);
  if (mapping_.bisects && !is_cut && segment.records > 1) {
    Segment first = segment;
    first.records /= 2;
    segment.records -= first.records;
    segments_.push_front(std::move(first));
    SetError(error);
    return absl::ZeroDuration();
  }
  ++segment.retries;
  if (mapping_.retries_max >= 0 && segment.retries > mapping_.retries_max) {
    segment.give_up = kRetriesExhausted;
    SetError(error);
    return absl::ZeroDuration();
  }
  return BackOff(now, error);
}

absl::Duration Lane::BackOff(absl::Time now, const std::string& error) {
  SetError(error);
  const absl::Duration wait =
      std::min(kFirstBackOff * (1 << std::min(failures_in_row_, kDoublingsMax)), kLongestBackOff);
  ++failures_in_row_;
  next_try_ = now + wait;
  return kLookPause;
}

absl::Duration Lane::GiveUp(absl::Time now) {
  const Segment segment = segments_.front();
  const std::vector<const EventRecord*> records = RecordsOf(segment);
  if (!records.empty() && !mapping_.on_failure.empty()) {
    const std::string text = MakeFailureText({.condition = segment.give_up,
                                              .target = mapping_.target,
                                              .stream_arn = shard_.stream_arn,
                                              .shard_id = shard_.id,
                                              .invocations = segment.invocations,
                                              .now = now,
                                              .status = segment.status,
                                              .function_error = segment.function_error},
                                             records, EventOf(segment));
    const absl::Status told = DeliverLine(mapping_.on_failure, text, parts_.interrupted);
    if (!told.ok()) {
      return BackOff(now, messages::FailureNotDelivered(mapping_.on_failure, MessageOf(told)));
    }
  }
  parts_.note(
      messages::RecordsDiscarded(mapping_.table, mapping_.target, records.size(),
                                 records.empty() ? "-" : SequenceText(records.front()->number),
                                 records.empty() ? "-" : SequenceText(records.back()->number),
                                 segment.give_up, segment.error));
  failures_in_row_ = 0;
  EndSegment(now);
  absl::MutexLock lock(&mutex_);
  report_.given_up += static_cast<int64_t>(segment.records);
  return absl::ZeroDuration();
}

void Lane::EndSegment(absl::Time now) {
  const Segment segment = segments_.front();
  segments_.pop_front();
  if (segment.is_final) {
    at_.window.reset();
    at_.state.clear();
  }
  Advance(segment.records, now);
}

void Lane::Advance(size_t records, absl::Time now) {
  for (size_t i = 0; i < records; ++i) {
    pending_bytes_ -= pending_.front().json.size() + 1;
    pending_.pop_front();
  }
  first_seen_ = now;
  at_.next = pending_.empty() ? read_position_ : pending_.front().number;
  KeepPosition(true);
}

void Lane::KeepPosition(bool durably) {
  const absl::Status kept =
      parts_.positions->Set({mapping_.table, mapping_.target}, key_, at_, durably);
  // What is not kept is delivered again after a restart.
  if (!kept.ok()) SetError(std::string(MessageOf(kept)));
}

void Lane::SetError(const std::string& error) {
  bool is_new = false;
  {
    absl::MutexLock lock(&mutex_);
    is_new = report_.last_error.empty() && !error.empty();
    report_.last_error = error;
  }
  // Once, until it succeeds again.
  if (is_new) parts_.note(messages::DeliveryFails(mapping_.table, mapping_.target, error));
}

void Lane::UpdateReport(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  report_.next = at_.next;
  report_.done = done();
  report_.waiting = pending_.size();
  report_.age.reset();
  if (!pending_.empty()) report_.age = now - pending_.front().created;
}

LaneReport Lane::Report() const {
  absl::MutexLock lock(&mutex_);
  return report_;
}

}  // namespace dynolith::targets
