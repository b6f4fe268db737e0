#include "tools/ship/shipper.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "api/service/time_text.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/sleeper.h"
#include "engine/process/thread_start.h"
#include "engine/store/folder.h"
#include "engine/store/integrity_manifest.h"
#include "tools/backup/file_copy.h"
#include "tools/ship/messages.h"
#include "tools/ship/shipped_objects.h"
#include "tools/ship/state_file.h"
#include "tools/ship/target_content.h"
#include "tools/ship/work_folder.h"

namespace dynolith::ship {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSegmentBytes = 4 << 20;
constexpr uint64_t kEveryLog = std::numeric_limits<uint64_t>::max();
// How often a store that writes nothing looks whether another one ships in its place.
constexpr absl::Duration kLookPause = absl::Seconds(10);
constexpr absl::Duration kBasePause = absl::Seconds(1);
constexpr absl::Duration kStartPatience = absl::Seconds(10);
constexpr absl::Duration kStopPause = absl::Milliseconds(50);

// Whether a target with this error may be as before after a while.
bool MayComeBack(const absl::Status& error) {
  return !absl::IsInvalidArgument(error) && !absl::IsFailedPrecondition(error);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Shipper>> Shipper::Open(ShipOptions options) {
  std::unique_ptr<Shipper> shipper(new Shipper(std::move(options)));
  const ShipOptions& given = shipper->options_;
  DYNOLITH_RETURN_IF_ERROR(CheckApart(given.url, given.folder));
  DYNOLITH_ASSIGN_OR_RETURN(const auto state, ReadShippingState(shipper->state_file_));
  if (state) {
    absl::MutexLock lock(&shipper->state_mutex_);
    shipper->state_ = *state;
    shipper->has_state_ = true;
    // Before the store is opened.
    shipper->was_shipped_ = state->manifest == CurrentManifest(given.folder);
  }
  const absl::Status opened = shipper->OpenTargetIfClosed();
  if (!opened.ok() && !(shipper->HasShippedThere() && MayComeBack(opened))) return opened;
  return shipper;
}

absl::Status Shipper::OpenTargetIfClosed() {
  if (target_ != nullptr) return absl::OkStatus();
  TargetOptions opening = {
      .endpoint = options_.endpoint, .region = "", .interrupted = &interrupted_};
  opening.must_exist = options_.take_over && !HasShippedThere();
  DYNOLITH_ASSIGN_OR_RETURN(target_, OpenTarget(options_.url, opening));
  return absl::OkStatus();
}

Shipper::Shipper(ShipOptions options)
    : options_(std::move(options)),
      state_file_(Concat(options_.folder, kStateEnding)),
      tail_(options_.folder) {}

Shipper::~Shipper() {
  interrupted_ = true;
  segments_.Stop();
  bases_.Stop();
}

absl::Status Shipper::Begin(MakeCheckpoint checkpoint) {
  checkpoint_ = std::move(checkpoint);
  std::error_code ignored;
  fs::remove_all(CheckpointFolder(options_.folder), ignored);
  NoteManifest();
  const bool has_shipped = HasShippedThere();
  // One that has shipped there does not wait for it.
  const absl::Status attached =
      has_shipped ? Within(kStartPatience, [&] { return Attach(); }) : Attach();
  if (!attached.ok() && !(has_shipped && MayComeBack(attached))) return attached;
  NoteResult(attached, &segment_trouble_);
  if (attached.ok()) options_.note(messages::ShippingTo(options_.url, owner()));
  is_running_ = true;
  DYNOLITH_RETURN_IF_ERROR(bases_.Begin(absl::ZeroDuration()));
  return segments_.Begin(absl::ZeroDuration());
}

absl::Status Shipper::Within(absl::Duration patience, absl::FunctionRef<absl::Status()> work) {
  Sleeper done;
  std::thread timer;
  const absl::Status timed = StartThread(
      [&] {
        const SteadyTime end = SteadyNow() + absl::ToChronoNanoseconds(patience);
        if (!done.SleepUntil(end)) interrupted_ = true;
      },
      &timer);
  // Without a thread for the time nothing is sent.
  if (!timed.ok()) return timed;
  absl::Status worked = work();
  done.Wake();
  timer.join();
  interrupted_ = false;
  return worked;
}

void Shipper::Stop(absl::Duration patience) {
  if (!std::exchange(is_running_, false)) return;
  const absl::Status shipped = Within(patience, [&] {
    // A segment may be on its way, to a target that does not answer.
    segments_.Stop();
    for (;;) {
      DYNOLITH_RETURN_IF_ERROR(ShipNew());
      if (LeadsOn()) return ShipNew();
      if (interrupted_) return absl::Status(absl::UnavailableError(messages::BaseNotShipped()));
      bases_.Wake();
      absl::SleepFor(kStopPause);
    }
  });
  if (!shipped.ok()) options_.warn(messages::ShippingEnds(options_.url, MessageOf(shipped)));
  interrupted_ = true;
  segments_.Stop();
  bases_.Stop();
}

// --- Who ships

absl::Status Shipper::Attach() {
  DYNOLITH_RETURN_IF_ERROR(OpenTargetIfClosed());
  DYNOLITH_ASSIGN_OR_RETURN(TargetContent content, ReadContent(target_.get()));
  std::optional<ShippingState> state;
  {
    absl::MutexLock lock(&state_mutex_);
    if (has_state_) state = state_;
  }
  const uint64_t next = content.next_segment;
  bool is_ours = state && content.owner && state->owner == *content.owner;
  if (is_ours) {
    DYNOLITH_ASSIGN_OR_RETURN(is_ours, IsStoreOf(content));
  }
  if (content.owner && !is_ours && !options_.take_over) {
    const std::string why =
        messages::ShippedByOther(options_.url, *content.owner, TimeText(content.time));
    return absl::FailedPreconditionError(why);
  }
  // What is old is removed there, so nothing there may be anybody else's.
  if (!content.owner && !content.files.empty()) {
    return absl::FailedPreconditionError(messages::TargetForeign(options_.url, kFileFolder));
  }
  // Its disk may not be mounted.
  if (!content.owner && HasShippedThere() && !options_.take_over) {
    return absl::NotFoundError(messages::TargetEmptied(options_.url));
  }
  if (!content.owner && !HasShippedThere() && options_.take_over) {
    return absl::FailedPreconditionError(messages::NothingToTakeOver(options_.url));
  }
  {
    absl::MutexLock lock(&mutex_);
    last_time_ = std::max(last_time_, content.time);
    complete_ = std::max(complete_, content.complete);
    SetBase(content.base);
    next_segment_ = next;
    uploaded_ = std::move(content.files);
  }
  if (!is_ours) DYNOLITH_RETURN_IF_ERROR(Announce(next));
  bool continues = false;
  if (is_ours && was_shipped_ && !options_.is_encrypted && content.LeadsOn(*state)) {
    DYNOLITH_ASSIGN_OR_RETURN(continues,
                              tail_.Continues(content.last->parts.back(), content.LastBytes()));
  }
  absl::MutexLock lock(&mutex_);
  is_attached_ = true;
  looked_ = SteadyNow();
  if (continues) {
    const SegmentPart& part = content.last->parts.back();
    position_ = LogTail::Position{.log = part.log, .offset = part.offset + part.bytes};
    position_chain_ = state->chain;
  } else if (is_ours) {
    absl::MutexLock state_lock(&state_mutex_);
    state_.chain = NewChain();
    KeepState();
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Shipper::IsStoreOf(const TargetContent& content) const {
  if (!content.base) return true;
  const absl::StatusOr<std::string> shipped = IdentityOfBase(target_.get(), *content.base);
  // What is missing or damaged there is sent again with the next base.
  if (absl::IsNotFound(shipped.status()) || absl::IsDataLoss(shipped.status())) return true;
  DYNOLITH_RETURN_IF_ERROR(shipped.status());
  if (shipped->empty() || *shipped == IdentityOf(options_.folder)) return true;
  if (options_.take_over) return false;
  return absl::FailedPreconditionError(messages::ShipsOtherStore(options_.url, options_.folder));
}

bool Shipper::HasShippedThere() const {
  absl::MutexLock lock(&state_mutex_);
  return has_state_ && state_.target == options_.url;
}

void Shipper::NoteManifest() {
  absl::MutexLock lock(&state_mutex_);
  if (!has_state_) return;
  if (!was_shipped_) state_.chain = NewChain();
  state_.manifest = CurrentManifest(options_.folder);
  KeepState();
}

absl::Status Shipper::Announce(uint64_t number) {
  const absl::Time time = Now();
  const Segment segment{.owner = NewOwner(), .chain = NewChain(), .time = time, .complete = time};
  ShippingState before;
  {
    absl::MutexLock lock(&state_mutex_);
    before = state_;
    state_ = {.owner = segment.owner,
              .chain = segment.chain,
              .target = options_.url,
              .manifest = CurrentManifest(options_.folder)};
    // Before the target knows it: a store that is killed in between is a stranger there, not one
    // that believes to be known.
    DYNOLITH_RETURN_IF_ERROR(WriteShippingState(state_file_, state_));
  }
  absl::StatusOr<bool> made = false;
  // The store before may go on until it knows.
  for (int attempt = 0; made.ok() && !*made && attempt < kAnnouncementsMax; ++attempt, ++number) {
    made = target_->PutNew(SegmentName(number), SegmentText(segment));
  }
  const bool is_announced = made.ok() && *made;
  {
    absl::MutexLock lock(&state_mutex_);
    if (is_announced) {
      has_state_ = true;
    } else {
      // So that the next start does not take this for a target that was emptied.
      state_ = std::move(before);
      if (has_state_) {
        KeepState();
      } else {
        unlink(state_file_.c_str());
      }
    }
  }
  if (!made.ok()) return made.status();
  if (!is_announced) return absl::UnavailableError(messages::NotTakenOver(options_.url));
  absl::MutexLock lock(&mutex_);
  next_segment_ = number;
  return absl::OkStatus();
}

absl::Status Shipper::LookForOthers() {
  uint64_t next = 0;
  std::string own;
  {
    absl::MutexLock lock(&mutex_);
    if (!HasPassed(kLookPause, looked_)) return absl::OkStatus();
    next = next_segment_;
    if (pending_) own = pending_->text;
  }
  const absl::StatusOr<std::string> found = target_->Get(SegmentName(next));
  // One of an attempt whose answer was lost is our own.
  if (found.ok() && *found != own) return Fence(*found);
  if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
  absl::MutexLock lock(&mutex_);
  looked_ = SteadyNow();
  return absl::OkStatus();
}

absl::Status Shipper::Fence(std::string_view other) {
  const absl::StatusOr<Segment> segment = ParseSegment("", other);
  const absl::Status taken = absl::FailedPreconditionError(
      messages::TakenOver(options_.url, segment.ok() ? segment->owner : "?"));
  {
    absl::MutexLock lock(&mutex_);
    if (std::exchange(is_fenced_, true)) return taken;
  }
  options_.fenced(taken);
  return taken;
}

// --- Segments

absl::Duration Shipper::ShipPiece() {
  const absl::Status shipped = ShipNew();
  NoteResult(shipped, &segment_trouble_);
  absl::MutexLock lock(&mutex_);
  if (is_fenced_) return absl::InfiniteDuration();
  // Another store may take over a target that only fails for this one.
  return shipped.ok() ? options_.interval : std::min(segment_trouble_.pause, kLookPause);
}

absl::Status Shipper::ShipNew() {
  bool is_attached = false;
  {
    absl::MutexLock lock(&mutex_);
    if (is_fenced_) return absl::OkStatus();
    is_attached = is_attached_;
  }
  DYNOLITH_RETURN_IF_ERROR(BoundBacklog());
  if (!is_attached) {
    const absl::Status attached = Attach();
    // It was away at the start, and another store has come meanwhile.
    if (absl::IsFailedPrecondition(attached)) {
      {
        absl::MutexLock lock(&mutex_);
        is_fenced_ = true;
      }
      options_.fenced(attached);
    }
    DYNOLITH_RETURN_IF_ERROR(attached);
  }
  absl::MutexLock writing(&writing_mutex_);
  DYNOLITH_RETURN_IF_ERROR(LookForOthers());
  DYNOLITH_RETURN_IF_ERROR(PutPending().status());
  // What comes meanwhile is for the next time, so that a segment is not made of each commit.
  for (bool is_last = false; !is_last;) {
    DYNOLITH_ASSIGN_OR_RETURN(const bool has_more, Prepare(&is_last));
    if (!has_more) break;
    DYNOLITH_RETURN_IF_ERROR(PutPending().status());
  }
  return absl::OkStatus();
}

bool Shipper::LeadsOn() const {
  const uint64_t chain = this->chain();
  const std::string owner = this->owner();
  absl::MutexLock lock(&mutex_);
  if (is_fenced_) return true;  // nothing is to be shipped any more
  return position_ && position_chain_ == chain && base_ && base_->owner == owner &&
         base_->chain == chain;
}

absl::StatusOr<bool> Shipper::PutPending() {
  std::optional<Pending> pending;
  {
    absl::MutexLock lock(&mutex_);
    pending = pending_;
  }
  if (!pending) return false;
  DYNOLITH_RETURN_IF_ERROR(Put(*pending));
  return true;
}

absl::StatusOr<uint64_t> Shipper::PutMark(uint64_t chain) {
  Segment mark{.owner = owner(), .chain = chain};
  absl::MutexLock writing(&writing_mutex_);
  DYNOLITH_RETURN_IF_ERROR(PutPending().status());
  mark.time = Now();
  uint64_t number = 0;
  {
    absl::MutexLock lock(&mutex_);
    number = next_segment_;
    mark.complete = complete_;
    pending_ = Pending{
        .number = number, .chain = chain, .text = SegmentText(mark), .behind = std::nullopt};
  }
  DYNOLITH_RETURN_IF_ERROR(PutPending().status());
  return number;
}

absl::StatusOr<bool> Shipper::Prepare(bool* is_last) {
  const absl::Time began = Now();
  const uint64_t chain = this->chain();
  LogTail::Position position;
  {
    absl::MutexLock lock(&mutex_);
    if (!position_ || position_chain_ != chain) {
      bases_.Wake();
      return false;
    }
    position = *position_;
  }
  absl::StatusOr<LogTail::Bytes> read = tail_.Read(kSegmentBytes, &position);
  if (absl::IsNotFound(read.status())) {
    BreakChain(MessageOf(read.status()));
    return false;
  }
  DYNOLITH_RETURN_IF_ERROR(read.status());
  // Rows that no log has are noted before they are there: without a note none have come.
  if (this->chain() != chain) return false;
  Segment segment{.owner = owner(), .chain = chain, .time = Now()};
  *is_last = read->data.size() < kSegmentBytes;
  absl::MutexLock lock(&mutex_);
  if (*is_last) complete_ = began;
  if (read->data.empty()) {
    if (base_ && base_->owner == segment.owner && base_->chain == chain) report_.shipped = began;
    if (position_ && position_chain_ == chain) position_ = position;
    return false;
  }
  const uint64_t bytes = read->data.size();
  segment.complete = complete_;
  segment.parts = std::move(read->parts);
  segment.data = std::move(read->data);
  pending_ = Pending{.number = next_segment_,
                     .chain = chain,
                     .text = SegmentText(segment),
                     .behind = position,
                     .bytes = bytes};
  return true;
}

absl::Status Shipper::Put(const Pending& pending) {
  const std::string name = SegmentName(pending.number);
  DYNOLITH_ASSIGN_OR_RETURN(const bool made, target_->PutNew(name, pending.text));
  if (!made) {
    // Of an attempt whose answer was lost, or somebody else's.
    DYNOLITH_ASSIGN_OR_RETURN(const std::string found, target_->Get(name));
    if (found != pending.text) return Fence(found);
  }
  bool is_next_log = false;
  {
    absl::MutexLock lock(&mutex_);
    looked_ = SteadyNow();
    next_segment_ = pending.number + 1;
    bytes_since_base_ += pending.bytes;
    ++report_.segments;
    report_.bytes += pending.text.size();
    if (position_ && position_chain_ == pending.chain && pending.behind) {
      is_next_log = position_->log != pending.behind->log;
      position_ = pending.behind;
    }
    pending_.reset();
  }
  if (is_next_log) tail_.DropBefore(pending.behind->log);
  return absl::OkStatus();
}

absl::Status Shipper::BoundBacklog() {
  const uint64_t chain = this->chain();
  std::optional<LogTail::Position> position;
  {
    absl::MutexLock lock(&mutex_);
    if (position_chain_ == chain) position = position_;
  }
  if (!position) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t bytes, tail_.Backlog(*position));
  {
    absl::MutexLock lock(&mutex_);
    report_.backlog_bytes = bytes;
  }
  if (bytes > options_.backlog_bytes) GiveUp(bytes);
  return absl::OkStatus();
}

void Shipper::GiveUp(uint64_t bytes) {
  BreakChain(messages::BacklogTooLong(bytes, options_.backlog_bytes));
  tail_.DropBefore(kEveryLog);
  absl::MutexLock lock(&mutex_);
  report_.backlog_bytes = 0;
}

// --- Bases

absl::Duration Shipper::BasePiece() {
  if (!IsBaseDue()) return kBasePause;
  const absl::Status made = MakeBase();
  NoteResult(made, &base_trouble_);
  std::error_code ignored;
  fs::remove_all(CheckpointFolder(options_.folder), ignored);
  absl::MutexLock lock(&mutex_);
  return made.ok() ? kBasePause : base_trouble_.pause;
}

bool Shipper::IsBaseDue() const {
  const bool leads_on = LeadsOn();
  absl::MutexLock lock(&mutex_);
  if (!is_attached_ || is_fenced_) return false;
  if (!leads_on || bytes_since_base_ >= options_.base_bytes) return true;
  return bytes_since_base_ > 0 &&
         HasPassed(std::max(options_.base_interval - base_age_, absl::ZeroDuration()), known_base_);
}

absl::Status Shipper::MakeBase() {
  // Copies of encrypted logs are encrypted anew, and segments do not go on from them.
  if (options_.is_encrypted) BeginChain();
  Base base{.owner = owner(), .chain = chain()};
  uint64_t bytes_before = 0;
  {
    absl::MutexLock lock(&mutex_);
    base.segment = pending_ ? pending_->number : next_segment_;
    bytes_before = bytes_since_base_;
  }
  const std::string folder = CheckpointFolder(options_.folder);
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directory(WorkFolder(options_.folder), error);
  DYNOLITH_RETURN_IF_ERROR(LookAtFiles());
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t written, tail_.NewestWritten());
  base.complete = Now();
  DYNOLITH_RETURN_IF_ERROR(checkpoint_(folder));
  // Then it is due again at once.
  if (chain() != base.chain) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const LogTail::LogsOfCheckpoint logs,
                            tail_.FindLogsOf(folder, written));
  base.log = logs.first;
  SetPosition(base.chain, logs);
  if (options_.is_encrypted) DYNOLITH_RETURN_IF_ERROR(ShipUpTo(base.chain, logs.end));
  base.time = Now();
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t mark, PutMark(base.chain));
  DYNOLITH_ASSIGN_OR_RETURN(base.files, Upload(folder, SnapshotName(mark, base.time)));
  DYNOLITH_RETURN_IF_ERROR(Publish(base));
  absl::MutexLock lock(&mutex_);
  bytes_since_base_ -= std::min(bytes_since_base_, bytes_before);
  return absl::OkStatus();
}

void Shipper::SetPosition(uint64_t chain, const LogTail::LogsOfCheckpoint& logs) {
  const LogTail::Position begin =
      options_.is_encrypted ? LogTail::Position{.log = logs.first, .offset = 0} : logs.end;
  {
    absl::MutexLock lock(&mutex_);
    if (position_ && position_chain_ == chain) return;
    position_ = begin;
    position_chain_ = chain;
  }
  tail_.DropBefore(begin.log);
  segments_.Wake();
}

absl::Status Shipper::ShipUpTo(uint64_t chain, const LogTail::Position& end) {
  for (;;) {
    DYNOLITH_RETURN_IF_ERROR(ShipNew());
    absl::MutexLock lock(&mutex_);
    if (!position_ || position_chain_ != chain) {
      return absl::UnavailableError(messages::BaseNotShipped());
    }
    if (std::pair(position_->log, position_->offset) >= std::pair(end.log, end.offset)) {
      return absl::OkStatus();
    }
  }
}

absl::Status Shipper::Publish(const Base& base) {
  // Another store, or a person, may have removed what was there when this began.
  DYNOLITH_RETURN_IF_ERROR(LookAtFiles());
  DYNOLITH_RETURN_IF_ERROR(CheckThere(base));
  const std::string name = Concat(kBaseFolder, base.files.name);
  const std::string text = BaseText(base);
  DYNOLITH_ASSIGN_OR_RETURN(const bool made, target_->PutNew(name, text));
  if (!made) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string found, target_->Get(name));
    if (found != text) return Fence(found);
  }
  {
    absl::MutexLock lock(&mutex_);
    SetBase(base);
    report_.base = base.time;
    report_.shipped = std::max(report_.shipped.value_or(base.complete), base.complete);
    ++report_.bases;
    report_.bytes += text.size();
  }
  {
    absl::MutexLock lock(&state_mutex_);
    if (is_state_lost_) KeepState();
  }
  return RemoveOld();
}

void Shipper::SetBase(std::optional<Base> base) {
  base_ = std::move(base);
  known_base_ = SteadyNow();
  base_age_ =
      base_ ? std::max(absl::Now() - base_->time, absl::ZeroDuration()) : absl::ZeroDuration();
}

absl::Status Shipper::LookAtFiles() {
  DYNOLITH_ASSIGN_OR_RETURN(FileObjects files, ListFiles(target_.get()));
  absl::MutexLock lock(&mutex_);
  uploaded_ = std::move(files);
  return absl::OkStatus();
}

absl::Status Shipper::CheckThere(const Base& base) const {
  absl::MutexLock lock(&mutex_);
  for (const SnapshotFile& file : base.files.files) {
    const std::string object = Concat(kFileFolder, file.sha256);
    if (!uploaded_.contains(object)) {
      return absl::UnavailableError(messages::ObjectMissing(Concat(options_.url, "/", object)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<StoreSnapshot> Shipper::Upload(const std::string& checkpoint,
                                              const std::string& name) {
  StoreSnapshot files{.name = name, .store = options_.folder, .files = {}};
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(checkpoint, error), end; !error && it != end;
       it.increment(error)) {
    std::string file = it->path().filename().string();
    // It tells of this moment alone; a restore writes its own.
    if (file == kFormatFile || (options_.is_encrypted && LogNumber(file))) continue;
    names.push_back(std::move(file));
  }
  if (error) {
    return absl::InternalError(messages::FileUnread(checkpoint, error.message()));
  }
  std::sort(names.begin(), names.end());
  for (const std::string& file : names) {
    DYNOLITH_ASSIGN_OR_RETURN(SnapshotFile uploaded,
                              UploadFile(Concat(checkpoint, "/", file), file));
    files.files.push_back(std::move(uploaded));
  }
  return files;
}

absl::StatusOr<SnapshotFile> Shipper::UploadFile(const std::string& path, const std::string& name) {
  DYNOLITH_ASSIGN_OR_RETURN(SnapshotFile file, LookAt(path, name));
  {
    absl::MutexLock lock(&mutex_);
    const auto is_same = [&](const SnapshotFile& known) {
      return known.name == file.name && known.bytes == file.bytes && known.origin == file.origin;
    };
    if (base_) {
      const auto known =
          std::find_if(base_->files.files.begin(), base_->files.files.end(), is_same);
      if (known != base_->files.files.end() &&
          uploaded_.contains(Concat(kFileFolder, known->sha256))) {
        return *known;
      }
    }
  }
  DYNOLITH_ASSIGN_OR_RETURN(const FileDigest digest, DigestFile(path));
  file.sha256 = digest.sha256;
  file.bytes = digest.bytes;
  const std::string object = Concat(kFileFolder, file.sha256);
  {
    absl::MutexLock lock(&mutex_);
    const auto there = uploaded_.find(object);
    if (there != uploaded_.end() && there->second == file.bytes) return file;
  }
  DYNOLITH_RETURN_IF_ERROR(target_->PutFile(object, path));
  absl::MutexLock lock(&mutex_);
  uploaded_[object] = file.bytes;
  ++report_.files;
  report_.bytes += file.bytes;
  return file;
}

absl::Status Shipper::RemoveOld() {
  if (options_.keep == absl::ZeroDuration()) return absl::OkStatus();
  // A store that has taken over may need what this one would remove.
  DYNOLITH_RETURN_IF_ERROR(PutMark(chain()).status());
  FileObjects known;
  {
    absl::MutexLock lock(&mutex_);
    known = uploaded_;
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> removed,
                            RemoveBefore(target_.get(), absl::Now() - options_.keep, known));
  absl::MutexLock lock(&mutex_);
  for (const std::string& object : removed) uploaded_.erase(object);
  return absl::OkStatus();
}

// --- What logs cannot tell

bool Shipper::IsStore(std::string_view folder) const {
  if (folder == options_.folder) return true;
  std::error_code error;
  return fs::equivalent(folder, options_.folder, error) && !error;
}

void Shipper::OnLogDeletion(const std::string& file) {
  if (!IsStore(fs::path(file).parent_path().string())) return;
  const absl::Status kept = tail_.Keep(file);
  if (!kept.ok()) return BreakChain(messages::LogNotKept(MessageOf(kept)));
  // Whatever the target does meanwhile, the disk does not fill up.
  const uint64_t bytes = tail_.KeptBytes();
  if (bytes > options_.backlog_bytes) GiveUp(bytes);
}

void Shipper::OnRowsBesideLog(std::string_view folder, bool is_done) {
  if (!IsStore(folder)) return;
  {
    absl::MutexLock lock(&state_mutex_);
    loads_ += is_done ? -1 : 1;
  }
  if (is_done) return BeginChain();
  BreakChain(messages::RowsBesideLog());
}

void Shipper::BeginChain() {
  absl::MutexLock lock(&state_mutex_);
  state_.chain = NewChain();
  if (has_state_) KeepState();
}

void Shipper::BreakChain(std::string_view why) {
  BeginChain();
  {
    absl::MutexLock lock(&state_mutex_);
    if (!has_state_) return;
  }
  options_.warn(messages::BaseNeeded(options_.url, why));
}

void Shipper::KeepState() {
  ShippingState state = state_;
  // If the process is killed meanwhile, the next start does not go on.
  if (loads_ > 0) state.manifest.clear();
  const absl::Status written = WriteShippingState(state_file_, state);
  is_state_lost_ = !written.ok();
  if (written.ok()) return;
  unlink(state_file_.c_str());
  options_.warn(messages::StateNotWritten(state_file_, MessageOf(written)));
}

// --- Figures

uint64_t Shipper::chain() const {
  absl::MutexLock lock(&state_mutex_);
  return state_.chain;
}

std::string Shipper::owner() const {
  absl::MutexLock lock(&state_mutex_);
  return state_.owner;
}

absl::Time Shipper::Now() {
  // As segments write it.
  const absl::Time now = absl::FromUnixMillis(absl::ToUnixMillis(absl::Now()));
  absl::MutexLock lock(&mutex_);
  last_time_ = std::max(last_time_, now);
  return last_time_;
}

void Shipper::NoteResult(const absl::Status& result, Trouble* trouble) {
  std::string failed;
  std::string mended;
  {
    absl::MutexLock lock(&mutex_);
    if (result.ok()) {
      if (trouble->since) {
        mended = messages::ShippingGoesOn(options_.url, TimeText(*trouble->since));
      }
      *trouble = Trouble();
    } else {
      ++report_.failures;
      if (!trouble->since) failed = messages::ShippingFails(options_.url, MessageOf(result));
      if (!trouble->since) trouble->since = absl::Now();
      trouble->pause = std::clamp(trouble->pause * 2, kPauseMin, kPauseMax);
      trouble->why = MessageOf(result);
    }
  }
  if (!failed.empty()) options_.warn(failed);
  if (!mended.empty()) options_.note(mended);
}

ShippingReport Shipper::Report() const {
  absl::MutexLock lock(&mutex_);
  ShippingReport report = report_;
  report.target = options_.url;
  for (const Trouble* trouble : {&segment_trouble_, &base_trouble_}) {
    if (!trouble->since || (report.away_since && *report.away_since < *trouble->since)) continue;
    report.away_since = trouble->since;
    report.why_away = trouble->why;
  }
  return report;
}

}  // namespace dynolith::ship
