#include "tools/ship/receiver.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "api/service/time_text.h"
#include "engine/base/crc32c.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/key_source.h"
#include "engine/store/encryption/secret_key.h"
#include "engine/store/encryption/store_keys.h"
#include "engine/store/folder.h"
#include "engine/store/integrity_manifest.h"
#include "tools/backup/file_copy.h"
#include "tools/ship/lines.h"
#include "tools/ship/messages.h"
#include "tools/ship/shipped_objects.h"
#include "tools/ship/shipper.h"
#include "tools/ship/shipping_state.h"
#include "tools/ship/state_file.h"
#include "tools/ship/target_content.h"

namespace dynolith::ship {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReceivingMagic = "dynolith receiving";
// Where files of a base wait until they take the place of others, within the folder.
constexpr std::string_view kFetchedFolder = "receiving";
// How often it looks for what nothing asks for: a base, segments behind one that is missing.
constexpr absl::Duration kLookAroundPause = absl::Minutes(1);
// For how long a base is on its way once a segment has given it its number, or needs it.
constexpr absl::Duration kBasePatience = absl::Minutes(1);

bool IsTableFile(std::string_view name) { return TableFileNumber(name).has_value(); }

uint32_t CrcOfCurrent(const std::string& folder) {
  return Crc32c(ReadFileText(Concat(folder, "/CURRENT")).text);
}

absl::Status Failure(const std::string& file, int error) {
  return ErrnoStatus(error, messages::FileUnwritten(file, ErrnoReason(error)));
}

absl::Status Rename(const std::string& from, const std::string& to) {
  return rename(from.c_str(), to.c_str()) == 0 ? absl::OkStatus() : Failure(to, errno);
}

absl::Status Remove(const std::string& file) {
  const bool is_gone = unlink(file.c_str()) == 0 || errno == ENOENT;
  return is_gone ? absl::OkStatus() : Failure(file, errno);
}

// Makes the file if there is none.
absl::Status Touch(const std::string& file) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return Failure(file, errno);
  close(descriptor);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename() != "lost+found") names.push_back(it->path().filename().string());
  }
  if (error) return ErrnoStatus(error.value(), messages::FileUnread(folder, error.message()));
  return names;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Receiver>> Receiver::Open(ReceiveOptions options) {
  std::unique_ptr<Receiver> receiver(new Receiver(std::move(options)));
  const std::string& folder = receiver->options_.folder;
  DYNOLITH_RETURN_IF_ERROR(CheckApart(receiver->options_.url, folder));
  // A target that was mistyped leaves no folder behind.
  std::error_code error;
  if (!fs::exists(folder, error)) {
    DYNOLITH_RETURN_IF_ERROR(receiver->OpenTarget(/*only_reads=*/true));
    DYNOLITH_RETURN_IF_ERROR(receiver->FindBases().status());
  }
  DYNOLITH_ASSIGN_OR_RETURN(receiver->lock_, FolderLock::TakeNew(folder));
  DYNOLITH_RETURN_IF_ERROR(receiver->ReadState());
  return receiver;
}

absl::Status Receiver::OpenTarget(bool only_reads) {
  DYNOLITH_ASSIGN_OR_RETURN(target_, ship::OpenTarget(options_.url, {.endpoint = options_.endpoint,
                                                                     .region = "",
                                                                     .interrupted = &interrupted_,
                                                                     .only_reads = only_reads,
                                                                     .must_exist = !only_reads}));
  return absl::OkStatus();
}

absl::Status Receiver::CheckNotOver() const {
  const bool is_over = options_.is_over != nullptr && options_.is_over();
  return is_over ? absl::CancelledError(messages::ReceivingInterrupted()) : absl::OkStatus();
}

Receiver::Receiver(ReceiveOptions options)
    : options_(std::move(options)), state_file_(Concat(options_.folder, kReceivingEnding)) {
  absl::MutexLock lock(&mutex_);
  report_.target = options_.url;
}

Receiver::~Receiver() { Stop(); }

std::string Receiver::In(std::string_view name) const { return Concat(options_.folder, "/", name); }
std::string Receiver::Fetched(std::string_view name) const {
  return Concat(options_.folder, "/", kFetchedFolder, "/", name);
}

// --- The folder

absl::Status Receiver::ReadState() {
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<std::string> read,
                            ReadStateFile(state_file_, kReceivingMagic));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(options_.folder));
  // If there is a note, somebody has removed what was received.
  if (names.empty()) return absl::OkStatus();
  if (!read) return absl::FailedPreconditionError(messages::ReceivesIntoOther(options_.folder));
  std::string_view lines = *read;
  const auto target = TakeLine("target", &lines);
  const auto base = TakeLine("base", &lines);
  const auto next = TakeNumberLine("next", &lines);
  const auto complete = TakeNumberLine("complete", &lines);
  const auto current = TakeNumberLine("current", &lines);
  if (!target || !base || !next || !complete || !current) {
    return absl::DataLossError(messages::ShippedUnreadable(state_file_));
  }
  if (*target != RealTarget(options_.url)) {
    return absl::FailedPreconditionError(messages::ReceivesFromOther(options_.folder, *target));
  }
  if (base->empty()) return absl::OkStatus();
  if (*current != CrcOfCurrent(options_.folder)) {
    return absl::FailedPreconditionError(
        messages::ReceivedWasWritten(options_.folder, state_file_));
  }
  while (!lines.empty()) {
    const auto log = TakeNumberLine("log", &lines);
    const auto bytes = TakeNumberLine("bytes", &lines);
    if (!log || !bytes) return absl::DataLossError(messages::ShippedUnreadable(state_file_));
    std::error_code error;
    const uint64_t found = fs::file_size(In(LogName(*log)), error);
    if (!error && found >= *bytes) continue;
    options_.warn(messages::ReceivedLogCut(In(LogName(*log))));
    return absl::OkStatus();
  }
  next_segment_ = behind_last_ = *next;
  last_time_ = absl::FromUnixMillis(static_cast<int64_t>(*complete));
  absl::MutexLock lock(&mutex_);
  report_.base = std::string(*base);
  report_.received = last_time_;
  return absl::OkStatus();
}

absl::Status Receiver::WriteState() const {
  const absl::Time received = Report().received;
  std::string lines = Concat("target ", RealTarget(options_.url), "\nbase ",
                             base_ ? base_->files.name : std::string(), "\nnext ", behind_last_,
                             "\ncomplete ", absl::ToUnixMillis(received), "\ncurrent ",
                             base_ ? CrcOfCurrent(options_.folder) : 0, "\n");
  if (base_) {
    for (const auto& [log, bytes] : logs_->bytes()) {
      lines += Concat("log ", log, "\nbytes ", bytes, "\n");
    }
  }
  return WriteStateFile(state_file_, kReceivingMagic, lines);
}

absl::Status Receiver::MarkStore() const {
  std::optional<StoreKeys> keys;
  if (!options_.encryption_key.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(options_.encryption_key));
    DYNOLITH_ASSIGN_OR_RETURN(keys, StoreKeys::Read(options_.folder, wrapping));
  }
  return Folder::MarkWritten(options_.folder, keys ? &*keys : nullptr);
}

// --- In the background

absl::Status Receiver::Begin() {
  const bool was_store = !Report().base.empty();
  const absl::Status received = ReceiveAll();
  // What is there already is served until the target is back.
  const bool may_end = absl::IsUnavailable(received) || is_other_store_;
  if (!received.ok() && !(was_store && may_end)) return received;
  NoteResult(received);
  return work_.Begin(options_.interval);
}

void Receiver::Stop() {
  interrupted_ = true;
  work_.Stop();
}

ReceivingReport Receiver::Report() const {
  absl::MutexLock lock(&mutex_);
  return report_;
}

absl::Duration Receiver::ReceivePiece() {
  const absl::Status received = ReceiveAll();
  NoteResult(received);
  absl::MutexLock lock(&mutex_);
  // A base may come at any moment.
  return received.ok() || no_base_yet_ ? options_.interval : pause_;
}

void Receiver::NoteResult(const absl::Status& result) {
  std::optional<absl::Time> since;
  bool is_new = false;
  {
    absl::MutexLock lock(&mutex_);
    if (result.ok()) {
      since = std::exchange(report_.away_since, std::nullopt);
      pause_ = absl::ZeroDuration();
    } else {
      is_new = !report_.away_since;
      ++report_.failures;
      if (is_new) report_.away_since = absl::Now();
      report_.why_away = std::string(MessageOf(result));
      pause_ = std::clamp(pause_ * 2, kPauseMin, kPauseMax);
    }
  }
  if (is_new) options_.warn(messages::ReceivingFails(options_.url, MessageOf(result)));
  if (since) options_.note(messages::ReceivingGoesOn(options_.url, TimeText(*since)));
}

absl::Status Receiver::Resume() {
  const std::string known = Report().base;
  if (base_ || known.empty()) return absl::OkStatus();
  absl::StatusOr<Base> base = ReadBase(target_.get(), known);
  // It is too old for the target by now: another one takes its place.
  if (absl::IsNotFound(base.status())) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(base.status());
  DYNOLITH_RETURN_IF_ERROR(CheckIsSameStore(*base));
  // The folder may have been moved.
  DYNOLITH_RETURN_IF_ERROR(MarkStore());
  base_ = *std::move(base);
  logs_.emplace(*base_, options_.folder);
  needs_base_ = false;
  return absl::OkStatus();
}

absl::Status Receiver::ReceiveAll() {
  if (target_ == nullptr) DYNOLITH_RETURN_IF_ERROR(OpenTarget(/*only_reads=*/true));
  DYNOLITH_RETURN_IF_ERROR(Resume());
  const auto receive_segments = [this]() -> absl::Status {
    if (needs_base_) return absl::OkStatus();
    bool is_new = false;
    for (bool has_segment = true; has_segment; is_new |= has_segment) {
      DYNOLITH_ASSIGN_OR_RETURN(has_segment,
                                ReceiveSegment(*base_, options_.folder, &*logs_, &next_segment_));
    }
    if (!is_new) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(SyncLogs(options_.folder, &*logs_));
    return WriteState();
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    // What is there already has what comes after it, before another base takes its place.
    DYNOLITH_RETURN_IF_ERROR(receive_segments());
    const SteadyTime now = SteadyNow();
    const bool looks_around = HasPassed(kLookAroundPause, looked_around_);
    const bool is_base_due = base_due_since_ && !HasPassed(kBasePatience, base_due_since_);
    bool is_missing = false;
    if (looks_around) {
      DYNOLITH_ASSIGN_OR_RETURN(is_missing, IsNextMissing());
    }
    if (needs_base_ || is_missing || looks_around || is_base_due) {
      DYNOLITH_ASSIGN_OR_RETURN(goes_on, ReceiveBase(/*skips=*/needs_base_ || is_missing));
    }
    if (is_missing && !goes_on) {
      return absl::DataLossError(
          messages::ObjectMissing(Describe(*target_, SegmentName(next_segment_))));
    }
    // Behind a new base it looks once more.
    if (looks_around && !goes_on) looked_around_ = now;
  }
  return WaitForBase(no_base_yet_.value_or(""));
}

absl::Status Receiver::WaitForBase(const std::string& why) {
  if (why.empty()) {
    waits_since_.reset();
  } else if (!waits_since_) {
    waits_since_ = SteadyNow();
  }
  const bool is_late = waits_since_ && HasPassed(kBasePatience, waits_since_);
  {
    absl::MutexLock lock(&mutex_);
    report_.waits = why;
  }
  return is_late ? absl::FailedPreconditionError(why) : absl::OkStatus();
}

// --- Segments

absl::StatusOr<bool> Receiver::IsNextMissing() {
  if (needs_base_) return false;
  const std::string next = SegmentName(next_segment_);
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<ObjectInfo> later,
                            target_->List(kSegmentFolder, next));
  const bool has_later = std::any_of(later.begin(), later.end(), [](const ObjectInfo& object) {
    return SegmentNumber(object.name).has_value();
  });
  if (!has_later) return false;
  // It may have come since it was asked for.
  const absl::Status found = target_->Get(next).status();
  if (!found.ok() && !absl::IsNotFound(found)) return found;
  return !found.ok();
}

absl::StatusOr<bool> Receiver::ReceiveSegment(const Base& base, const std::string& folder,
                                              LogLengths* logs, uint64_t* next) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotOver());
  const std::string object = SegmentName(*next);
  const absl::StatusOr<std::string> text = target_->Get(object);
  // There is no later one, or all up to a base were removed.
  if (absl::IsNotFound(text.status())) return false;
  DYNOLITH_RETURN_IF_ERROR(text.status());
  const std::string name = Describe(*target_, object);
  DYNOLITH_ASSIGN_OR_RETURN(const Segment segment, ParseSegment(name, *text));
  const bool leads_on = LeadsOn(segment, base);
  if (!leads_on && !segment.parts.empty()) {
    needs_base_ = true;
    no_base_yet_ =
        messages::ReceivingNeedsBase(options_.url, TimeText(segment.time), TimeText(last_time_));
    return false;
  }
  const bool is_here = next == &next_segment_;
  // Nothing of a chain follows another one's, so those between were of another target.
  if (leads_on && is_here && *next != behind_last_) {
    *next = behind_last_;
    return absl::UnavailableError(messages::SegmentsReplaced(target_->Describe()));
  }
  if (leads_on) DYNOLITH_RETURN_IF_ERROR(WriteParts(folder, name, segment, logs));
  // It is the number of a base that comes next, or somebody else ships from here on, with a base.
  if (segment.parts.empty()) base_due_since_ = SteadyNow();
  ++*next;
  if (leads_on && is_here) behind_last_ = *next;
  last_time_ = std::max(last_time_, segment.time);
  absl::MutexLock lock(&mutex_);
  if (leads_on) report_.received = std::max(report_.received, segment.complete);
  if (!segment.parts.empty()) ++report_.segments;
  report_.bytes += segment.data.size();
  return true;
}

// --- Bases

absl::StatusOr<std::vector<std::string>> Receiver::FindBases() {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<std::string> names, ListBases(target_.get()));
  if (!names.empty() || base_) return names;
  return absl::NotFoundError(messages::NothingShipped(target_->Describe()));
}

absl::Status Receiver::CheckIsSameStore(const Base& base) {
  is_other_store_ = false;
  const std::string here = IdentityOf(options_.folder);
  // Nothing yet, or a copy by an older program.
  if (here.empty()) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const std::string there, IdentityOfBase(target_.get(), base));
  if (there == here) return absl::OkStatus();
  is_other_store_ = true;
  // If that was a mistake, what is here goes on where it was.
  next_segment_ = behind_last_;
  needs_base_ = !base_;
  no_base_yet_.reset();
  absl::MutexLock lock(&mutex_);
  report_.waits.clear();
  return absl::FailedPreconditionError(messages::TargetOfOtherStore(
      target_->Describe(), base.owner, TimeText(base.time), options_.folder, state_file_));
}

absl::StatusOr<bool> Receiver::ReceiveBase(bool skips) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, FindBases());
  if (names.empty()) return false;
  const bool is_known = base_ && names.back() == base_->files.name;
  if (is_known && !needs_base_) return false;
  DYNOLITH_ASSIGN_OR_RETURN(const Base base, ReadBase(target_.get(), names.back()));
  // Names are numbers and seconds, so another store's may have the same one.
  DYNOLITH_RETURN_IF_ERROR(CheckIsSameStore(base));
  if (is_known) return false;
  const auto& files = base.files.files;
  const bool is_encrypted = std::any_of(
      files.begin(), files.end(), [](const SnapshotFile& file) { return file.name == kKeysFile; });
  if (is_encrypted != !options_.encryption_key.empty()) {
    return absl::FailedPreconditionError(is_encrypted
                                             ? messages::KeyNeeded(target_->Describe())
                                             : messages::KeyNotNeeded(target_->Describe()));
  }
  // The logs that are here go on as those of the base do, and have all that its files have.
  const bool leads_on = base_ && base_->owner == base.owner && base_->chain == base.chain;
  const bool keeps_logs = leads_on && next_segment_ > *SnapshotNumber(base.files.name);
  if (leads_on && !keeps_logs && !skips) return false;
  DYNOLITH_RETURN_IF_ERROR(Fetch(base));
  uint64_t next = next_segment_;
  if (!keeps_logs) {
    DYNOLITH_ASSIGN_OR_RETURN(next, FetchSegments(base));
  }
  const absl::Status placed = Place(base, keeps_logs, next);
  if (placed.ok()) return true;
  if (!base_) {
    // What is there may be of both: all is fetched anew, as after a kill.
    needs_base_ = true;
    absl::MutexLock lock(&mutex_);
    report_.base.clear();
  }
  return placed;
}

absl::Status Receiver::Fetch(const Base& base) {
  // So that a start after a kill knows the folder.
  if (!base_) DYNOLITH_RETURN_IF_ERROR(WriteState());
  std::error_code error;
  fs::create_directory(In(kFetchedFolder), error);
  if (error) return Failure(In(kFetchedFolder), error.value());
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> left, NamesIn(In(kFetchedFolder)));
  for (const std::string& name : left) DYNOLITH_RETURN_IF_ERROR(Remove(Fetched(name)));
  std::set<std::pair<std::string, std::string>> here;  // name, SHA-256
  if (base_) {
    for (const SnapshotFile& file : base_->files.files) here.emplace(file.name, file.sha256);
  }
  for (const SnapshotFile& file : base.files.files) {
    DYNOLITH_RETURN_IF_ERROR(CheckNotOver());
    // It is written for what is here.
    if (file.name == kFormatFile) continue;
    // Table files are written once.
    const bool is_here = IsTableFile(file.name) && here.contains({file.name, file.sha256}) &&
                         fs::exists(In(file.name), error);
    if (is_here) continue;
    DYNOLITH_RETURN_IF_ERROR(FetchFile(target_.get(), file, Fetched(file.name)));
    absl::MutexLock lock(&mutex_);
    report_.bytes += file.bytes;
  }
  return SyncFolder(In(kFetchedFolder));
}

// So that what takes the place of what is here, before a kill or now, is not older.
absl::StatusOr<uint64_t> Receiver::FetchSegments(const Base& base) {
  const std::string folder = In(kFetchedFolder);
  LogLengths logs(base, folder);
  uint64_t next = base.segment;
  for (bool has_segment = true; has_segment;) {
    DYNOLITH_ASSIGN_OR_RETURN(has_segment, ReceiveSegment(base, folder, &logs, &next));
  }
  DYNOLITH_RETURN_IF_ERROR(SyncLogs(folder, &logs));
  return next;
}

// Without CURRENT nobody takes a mixture of both for a store: who follows tries again, and a start
// puts the base in its place anew.
absl::Status Receiver::Place(const Base& base, bool keeps_logs, uint64_t next) {
  std::optional<Base> before = std::exchange(base_, std::nullopt);
  if (absl::Status written = WriteState(); !written.ok()) {
    base_ = std::move(before);
    return written;
  }
  DYNOLITH_RETURN_IF_ERROR(Remove(In("CURRENT")));
  DYNOLITH_RETURN_IF_ERROR(SyncFolder(options_.folder));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(options_.folder));
  for (const std::string& name : names) {
    const std::optional<uint64_t> log = LogNumber(name);
    if (log && (!keeps_logs || *log < base.log)) DYNOLITH_RETURN_IF_ERROR(Remove(In(name)));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> fetched, NamesIn(In(kFetchedFolder)));
  for (const std::string& name : fetched) {
    if (name == "CURRENT" || (keeps_logs && LogNumber(name))) continue;
    DYNOLITH_RETURN_IF_ERROR(Rename(Fetched(name), In(name)));
  }
  // A store that is written to has a log, if only an empty one.
  DYNOLITH_RETURN_IF_ERROR(Touch(In(LogName(base.log))));
  DYNOLITH_RETURN_IF_ERROR(SyncFolder(options_.folder));
  DYNOLITH_RETURN_IF_ERROR(Rename(Fetched("CURRENT"), In("CURRENT")));
  DYNOLITH_RETURN_IF_ERROR(MarkStore());
  base_ = base;
  logs_.emplace(base, options_.folder);
  next_segment_ = behind_last_ = next;
  needs_base_ = false;
  no_base_yet_.reset();
  base_due_since_.reset();
  last_time_ = std::max(last_time_, base.time);
  {
    absl::MutexLock lock(&mutex_);
    report_.base = base.files.name;
    report_.received = std::max(report_.received, base.complete);
    ++report_.bases;
  }
  DYNOLITH_RETURN_IF_ERROR(WriteState());
  return RemoveOthers(base);
}

absl::Status Receiver::RemoveOthers(const Base& base) const {
  std::set<std::string_view> needed;
  for (const SnapshotFile& file : base.files.files) needed.insert(file.name);
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(options_.folder));
  for (const std::string& name : names) {
    const bool is_of_store = IsTableFile(name) || name.starts_with("MANIFEST-");
    if (is_of_store && !needed.contains(name)) DYNOLITH_RETURN_IF_ERROR(Remove(In(name)));
  }
  std::error_code ignored;
  fs::remove_all(In(kFetchedFolder), ignored);
  return absl::OkStatus();
}

// --- Going on in the other one's place

absl::Status CheckDoesNotReceive(const std::string& folder) {
  const std::string file = Concat(folder, kReceivingEnding);
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<std::string> lines,
                            ReadStateFile(file, kReceivingMagic));
  if (!lines) return absl::OkStatus();
  std::string_view rest = *lines;
  return absl::FailedPreconditionError(
      messages::FolderReceives(folder, TakeLine("target", &rest).value_or(""), file));
}

absl::Status TakeOverReceived(const ShipOptions& options, const std::string& encryption_key,
                              absl::FunctionRef<absl::Status()> check_opens) {
  const absl::Status is_own = CheckDoesNotReceive(options.folder);
  if (is_own.ok()) return absl::OkStatus();
  if (!options.take_over || !absl::IsFailedPrecondition(is_own)) return is_own;
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Receiver> receiver,
                            Receiver::Open({.url = options.url,
                                            .endpoint = options.endpoint,
                                            .folder = options.folder,
                                            .encryption_key = encryption_key,
                                            .note = options.note,
                                            .warn = options.warn,
                                            .is_over = options.is_over}));
  const ShippingState state = {
      .owner = NewOwner(), .chain = NewChain(), .target = options.url, .manifest = ""};
  for (int attempt = 0; attempt < kAnnouncementsMax; ++attempt) {
    receiver->looked_around_.reset();
    const absl::Status received = receiver->ReceiveAll();
    // Its base will never come if the store that ships is gone.
    if (receiver->no_base_yet_) {
      return absl::FailedPreconditionError(
          messages::NotTakenOverWithoutBase(*receiver->no_base_yet_, receiver->state_file_));
    }
    DYNOLITH_RETURN_IF_ERROR(received);
    // The other one goes on unless this one can.
    if (attempt == 0) {
      DYNOLITH_RETURN_IF_ERROR(check_opens());
      DYNOLITH_RETURN_IF_ERROR(receiver->OpenTarget(/*only_reads=*/false));
      // It may be another one by now.
      continue;
    }
    const absl::Time time = std::max(absl::Now(), receiver->last_time_);
    const Segment mark = {
        .owner = state.owner, .chain = state.chain, .time = time, .complete = time};
    // Before the target knows it, as Shipper does.
    DYNOLITH_RETURN_IF_ERROR(WriteShippingState(Concat(options.folder, kStateEnding), state));
    // Where there is none yet, so that nothing is shipped behind what is here.
    DYNOLITH_ASSIGN_OR_RETURN(
        const bool is_ours,
        receiver->target_->PutNew(SegmentName(receiver->next_segment_), SegmentText(mark)));
    if (!is_ours) continue;
    DYNOLITH_RETURN_IF_ERROR(Remove(receiver->state_file_));
    return SyncFolder(fs::path(receiver->state_file_).parent_path().string());
  }
  return absl::UnavailableError(messages::NotTakenOver(options.url));
}

}  // namespace dynolith::ship
