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
#include "tools/ship/attempts.h"
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
// How often it looks for a base that nothing asks for, and for how long a base is on its way once a
// segment has given it its number.
constexpr absl::Duration kUnaskedBasePause = absl::Minutes(1);
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

absl::Status Sync(const std::string& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const int error = descriptor < 0 || fdatasync(descriptor) != 0 ? errno : 0;
  if (descriptor >= 0) close(descriptor);
  return error == 0 ? absl::OkStatus() : Failure(file, error);
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
  const ReceiveOptions& given = receiver->options_;
  DYNOLITH_ASSIGN_OR_RETURN(receiver->lock_, FolderLock::TakeNew(given.folder));
  DYNOLITH_RETURN_IF_ERROR(receiver->ReadState());
  DYNOLITH_ASSIGN_OR_RETURN(receiver->target_,
                            OpenTarget(given.url, {.endpoint = given.endpoint,
                                                   .region = "",
                                                   .interrupted = &receiver->interrupted_}));
  return receiver;
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
  if (*target != options_.url) {
    return absl::FailedPreconditionError(messages::ReceivesFromOther(options_.folder, *target));
  }
  if (base->empty()) return absl::OkStatus();
  if (*current != CrcOfCurrent(options_.folder)) {
    return absl::FailedPreconditionError(
        messages::ReceivedWasWritten(options_.folder, state_file_));
  }
  next_segment_ = *next;
  absl::MutexLock lock(&mutex_);
  report_.base = std::string(*base);
  report_.received = absl::FromUnixMillis(static_cast<int64_t>(*complete));
  return absl::OkStatus();
}

absl::Status Receiver::WriteState() const {
  absl::Time received;
  {
    absl::MutexLock lock(&mutex_);
    received = report_.received;
  }
  return WriteStateFile(
      state_file_, kReceivingMagic,
      Concat("target ", options_.url, "\nbase ", base_ ? base_->files.name : std::string(),
             "\nnext ", next_segment_, "\ncomplete ", absl::ToUnixMillis(received), "\ncurrent ",
             base_ ? CrcOfCurrent(options_.folder) : 0, "\n"));
}

absl::Status Receiver::MarkStore() const {
  std::optional<StoreKeys> keys;
  if (!options_.encryption_key.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(options_.encryption_key));
    DYNOLITH_ASSIGN_OR_RETURN(keys, StoreKeys::Read(options_.folder, wrapping));
  }
  return Folder::MarkWritten(options_.folder, keys ? &*keys : nullptr);
}

absl::Status Receiver::SyncLogs() {
  if (logs_->unsynced().empty()) return absl::OkStatus();
  for (const uint64_t log : logs_->unsynced()) DYNOLITH_RETURN_IF_ERROR(Sync(In(LogName(log))));
  DYNOLITH_RETURN_IF_ERROR(SyncFolder(options_.folder));
  logs_->NoteSynced();
  return absl::OkStatus();
}

// --- In the background

absl::Status Receiver::Begin() {
  const bool was_store = !Report().base.empty();
  const absl::Status received = ReceiveAll();
  // What is there already is served until the target is back, or the next base has come.
  const bool may_wait = absl::IsUnavailable(received) ? was_store : no_base_yet_.has_value();
  if (!received.ok() && !may_wait) return received;
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
  base_ = *std::move(base);
  logs_.emplace(*base_, options_.folder);
  needs_base_ = false;
  return absl::OkStatus();
}

absl::Status Receiver::ReceiveAll() {
  DYNOLITH_RETURN_IF_ERROR(Resume());
  no_base_yet_.reset();
  bool is_new = false;
  for (bool goes_on = true; goes_on;) {
    const absl::Time now = absl::Now();
    const bool looks =
        needs_base_ || now < base_due_until_ || now >= looked_for_base_ + kUnaskedBasePause;
    goes_on = false;
    if (looks) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool has_base, ReceiveBase());
      goes_on |= has_base;
    }
    if (needs_base_) break;
    for (bool has_segment = true; has_segment; is_new |= has_segment, goes_on |= has_segment) {
      DYNOLITH_ASSIGN_OR_RETURN(has_segment, ReceiveSegment());
    }
    goes_on |= needs_base_;
  }
  if (is_new) {
    DYNOLITH_RETURN_IF_ERROR(SyncLogs());
    DYNOLITH_RETURN_IF_ERROR(WriteState());
  }
  return no_base_yet_ ? absl::FailedPreconditionError(*no_base_yet_) : absl::OkStatus();
}

// --- Segments

absl::StatusOr<bool> Receiver::ReceiveSegment() {
  const std::string object = SegmentName(next_segment_);
  const absl::StatusOr<std::string> text = target_->Get(object);
  // There is no later one, or all up to a base were removed.
  if (absl::IsNotFound(text.status())) return false;
  DYNOLITH_RETURN_IF_ERROR(text.status());
  const std::string name = Describe(*target_, object);
  DYNOLITH_ASSIGN_OR_RETURN(const Segment segment, ParseSegment(name, *text));
  const bool leads_on = LeadsOn(segment, *base_);
  if (!leads_on && !segment.parts.empty()) {
    needs_base_ = true;
    no_base_yet_ =
        messages::ReceivingNeedsBase(options_.url, TimeText(segment.time), TimeText(last_time_));
    return false;
  }
  if (leads_on) DYNOLITH_RETURN_IF_ERROR(WriteParts(options_.folder, name, segment, &*logs_));
  // It is the number of a base that comes next, or somebody else ships from here on, with a base.
  if (segment.parts.empty()) base_due_until_ = absl::Now() + kBasePatience;
  ++next_segment_;
  last_time_ = std::max(last_time_, segment.time);
  absl::MutexLock lock(&mutex_);
  if (leads_on) report_.received = std::max(report_.received, segment.complete);
  if (!segment.parts.empty()) ++report_.segments;
  report_.bytes += segment.data.size();
  return true;
}

// --- Bases

absl::StatusOr<bool> Receiver::ReceiveBase() {
  looked_for_base_ = absl::Now();
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListBases(target_.get()));
  if (names.empty()) {
    if (base_) return false;
    return absl::NotFoundError(messages::NothingShipped(target_->Describe()));
  }
  if (base_ && names.back() == base_->files.name) return false;
  DYNOLITH_ASSIGN_OR_RETURN(const Base base, ReadBase(target_.get(), names.back()));
  const auto& files = base.files.files;
  const bool is_encrypted = std::any_of(
      files.begin(), files.end(), [](const SnapshotFile& file) { return file.name == kKeysFile; });
  if (is_encrypted != !options_.encryption_key.empty()) {
    return absl::FailedPreconditionError(is_encrypted
                                             ? messages::KeyNeeded(target_->Describe())
                                             : messages::KeyNotNeeded(target_->Describe()));
  }
  // The logs that are here go on as those of the base do.
  const bool keeps_logs = base_ && base_->owner == base.owner && base_->chain == base.chain &&
                          next_segment_ >= base.segment;
  DYNOLITH_RETURN_IF_ERROR(Fetch(base));
  DYNOLITH_RETURN_IF_ERROR(Place(base, keeps_logs));
  needs_base_ = false;
  no_base_yet_.reset();
  base_due_until_ = absl::InfinitePast();
  absl::MutexLock lock(&mutex_);
  ++report_.bases;
  return true;
}

absl::Status Receiver::Fetch(const Base& base) {
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

// Without CURRENT nobody takes a mixture of both for a store: who follows tries again, and a start
// puts the base in its place anew.
absl::Status Receiver::Place(const Base& base, bool keeps_logs) {
  const std::optional<Base> before = std::exchange(base_, std::nullopt);
  DYNOLITH_RETURN_IF_ERROR(WriteState());
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
  if (!keeps_logs) next_segment_ = base.segment;
  logs_.emplace(base, options_.folder);
  last_time_ = std::max(last_time_, base.time);
  {
    absl::MutexLock lock(&mutex_);
    report_.base = base.files.name;
    report_.received = keeps_logs ? std::max(report_.received, base.complete) : base.complete;
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

absl::Status TakeOverReceived(const ShipOptions& options, const std::string& encryption_key) {
  const absl::Status is_own = CheckDoesNotReceive(options.folder);
  if (is_own.ok()) return absl::OkStatus();
  if (!options.take_over || !absl::IsFailedPrecondition(is_own)) return is_own;
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Receiver> receiver,
                            Receiver::Open({.url = options.url,
                                            .endpoint = options.endpoint,
                                            .folder = options.folder,
                                            .encryption_key = encryption_key,
                                            .note = options.note,
                                            .warn = options.warn}));
  const ShippingState state = {
      .owner = NewOwner(), .chain = NewChain(), .target = options.url, .manifest = ""};
  for (int attempt = 0; attempt < kAnnouncementsMax; ++attempt) {
    const absl::Status received = receiver->ReceiveAll();
    // Its base will never come if the store that ships is gone.
    if (receiver->no_base_yet_) {
      return absl::FailedPreconditionError(
          messages::NotTakenOverWithoutBase(*receiver->no_base_yet_, receiver->state_file_));
    }
    DYNOLITH_RETURN_IF_ERROR(received);
    const absl::Time time = std::max(absl::Now(), receiver->last_time_);
    const Segment mark = {
        .owner = state.owner, .chain = state.chain, .time = time, .complete = time};
    // Before the target knows it, as Shipper does.
    DYNOLITH_RETURN_IF_ERROR(WriteShippingState(Concat(options.folder, kStateEnding), state));
    // Where there is none yet, so that nothing is shipped behind what is here.
    DYNOLITH_ASSIGN_OR_RETURN(
        const bool is_ours,
        receiver->target_->PutNew(SegmentName(receiver->next_segment_), SegmentText(mark)));
    if (is_ours) return Remove(receiver->state_file_);
  }
  return absl::UnavailableError(messages::NotTakenOver(options.url));
}

}  // namespace dynolith::ship
