#include "tools/proxy/shadow.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "api/json/json_writer.h"
#include "api/service/time_text.h"
#include "engine/base/errors.h"
#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/process/thread_start.h"
#include "engine/text/utf8.h"
#include "tools/proxy/messages.h"

namespace dynolith::proxy {
namespace {

// Of a request in the file of differences.
constexpr size_t kShownBytesMax = 2000;

std::string DifferenceLine(const ShadowedCall& call, const ComparedAnswer& shadow,
                           const std::vector<AnswerDifference>& differences) {
  std::string line;
  JsonWriter writer(&line);
  const auto text = [&writer](std::string_view name, std::string_view value) {
    writer.Key(name);
    writer.String(ReplaceNonUtf8(value));
  };
  writer.BeginObject();
  text("time", TimeText(absl::Now()));
  text("operation", call.operation);
  text("request", call.body.substr(0, kShownBytesMax));
  writer.Key("target_status");
  writer.Integer(call.answer.status);
  writer.Key("shadow_status");
  writer.Integer(shadow.status);
  writer.Key("differences");
  writer.BeginArray();
  for (const AnswerDifference& each : differences) {
    writer.BeginObject();
    text("path", each.path);
    if (!each.target.empty()) text("target", each.target);
    if (!each.shadow.empty()) text("shadow", each.shadow);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  line += "\n";
  return line;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Shadow>> Shadow::Start(const ShadowOptions& options) {
  std::unique_ptr<Shadow> shadow(new Shadow(options));
  if (!options.differences_file.empty()) {
    shadow->file_ = open(options.differences_file.c_str(),
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (shadow->file_ < 0) {
      return absl::InvalidArgumentError(
          messages::DifferencesNotWritten(options.differences_file, std::strerror(errno)));
    }
  }
  for (std::thread& worker : shadow->workers_) {
    DYNOLITH_RETURN_IF_ERROR(StartThread([running = shadow.get()] { running->Run(); }, &worker));
  }
  return shadow;
}

Shadow::Turn::Turn(Shadow* shadow,
                   const std::vector<uint64_t>& items) ABSL_NO_THREAD_SAFETY_ANALYSIS
    : shadow_(shadow) {
  for (const uint64_t item : items) taken_.insert(item % kTurns);
  // In one order, so that nobody waits for one who waits for him.
  for (const size_t turn : taken_) shadow_->turns_[turn].Lock();
}

Shadow::Turn::~Turn() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  for (const size_t turn : taken_) shadow_->turns_[turn].Unlock();
}

// Evenly: of four reads with a share of 0.25 exactly one.
bool Shadow::DrawsComparison() {
  const auto before = static_cast<double>(reads_.fetch_add(1, std::memory_order_relaxed));
  return std::floor((before + 1) * options_.compare_share) >
         std::floor(before * options_.compare_share);
}

void Shadow::CompareRead(const ShadowedCall& call) {
  Job job = {.target = std::string(call.target),
             .operation = std::string(call.operation),
             .body = std::string(call.body),
             .status = call.answer.status,
             .answer = std::string(call.answer.body)};
  absl::MutexLock lock(&mutex_);
  if (waiting_.size() >= options_.waiting_max ||
      waiting_bytes_ + job.bytes() > options_.waiting_bytes_max || is_ending_) {
    ++counts_.uncompared_reads;
    return;
  }
  waiting_bytes_ += job.bytes();
  waiting_.push_back(std::move(job));
}

void Shadow::Write(const http::Request& request, const ShadowedCall& call) {
  const absl::StatusOr<client::HttpAnswer> answer = options_.shadow->Forward(
      request, {.body = call.body, .is_changed = true, .may_compress = false});
  if (!answer.ok()) {
    Count(&ShadowCounts::failed_writes);
    options_.log->Write(LogLevel::kError, messages::ShadowWriteFailed(),
                        {{"operation", call.operation}, {"cause", MessageOf(answer.status())}});
    return;
  }
  const ComparedAnswer theirs = {.status = answer->status, .body = answer->body};
  const auto differences = CompareAnswers(call.operation, call.answer, theirs);
  const bool is_equal = !differences || differences->empty();
  Count(is_equal ? &ShadowCounts::writes : &ShadowCounts::failed_writes);
  if (!is_equal) Report(call, theirs, *differences);
}

void Shadow::NoteUnclearWrite(std::string_view operation, std::string_view why) {
  Count(&ShadowCounts::unclear_writes);
  options_.log->Write(LogLevel::kError, messages::ShadowWriteUnclear(),
                      {{"operation", operation}, {"cause", why}});
}

ShadowCounts Shadow::Counts() const {
  absl::MutexLock lock(&mutex_);
  return counts_;
}

void Shadow::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    is_ending_ = true;
  }
  for (std::thread& worker : workers_) {
    if (worker.joinable()) worker.join();
  }
  if (file_ >= 0) close(file_);
  file_ = -1;
}

void Shadow::Run() {
  const auto is_called = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return is_ending_ || !waiting_.empty();
  };
  for (;;) {
    Job job;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&is_called));
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= job.bytes();
    }
    bool is_answered = false;
    const auto compare = [&] {
      is_answered = Compare(job);
      return absl::OkStatus();
    };
    if (CatchThrown(compare).ok() && is_answered) continue;
    absl::MutexLock lock(&mutex_);
    ++counts_.failed_reads;
    if (is_ending_) GiveUp();
  }
}

void Shadow::GiveUp() {
  counts_.uncompared_reads += waiting_.size();
  if (!waiting_.empty()) {
    options_.log->Write(LogLevel::kWarning, messages::ReadsNotCompared(),
                        {{"reads", static_cast<int64_t>(waiting_.size())}});
  }
  waiting_.clear();
  waiting_bytes_ = 0;
}

bool Shadow::Compare(const Job& job) {
  Endpoint* const other = options_.reads_from_shadow ? options_.target : options_.shadow;
  const absl::StatusOr<client::HttpAnswer> answer = other->CallTarget(job.target, job.body);
  if (!answer.ok()) return false;
  const ComparedAnswer first = {.status = job.status, .body = job.answer};
  auto differences =
      CompareAnswers(job.operation, first, {.status = answer->status, .body = answer->body});
  const auto counted = [this](uint64_t ShadowCounts::*which) {
    Count(which);
    return true;
  };
  if (!differences) return counted(&ShadowCounts::incomparable_reads);
  if (differences->empty()) return counted(&ShadowCounts::equal_reads);
  // A write may have come between the two.
  client::HttpAnswer target;
  client::HttpAnswer shadow;
  if (!AskAgain(job, &target, &shadow)) return false;
  const ComparedAnswer ours = {.status = target.status, .body = target.body};
  const ComparedAnswer theirs = {.status = shadow.status, .body = shadow.body};
  differences = CompareAnswers(job.operation, ours, theirs);
  if (!differences || differences->empty()) return counted(&ShadowCounts::passing_reads);
  Count(&ShadowCounts::different_reads);
  Report({.target = job.target, .operation = job.operation, .body = job.body, .answer = ours},
         theirs, *differences);
  return true;
}

bool Shadow::AskAgain(const Job& job, client::HttpAnswer* target, client::HttpAnswer* shadow) {
  absl::StatusOr<client::HttpAnswer> ours = options_.target->CallTarget(job.target, job.body);
  absl::StatusOr<client::HttpAnswer> theirs = options_.shadow->CallTarget(job.target, job.body);
  if (!ours.ok() || !theirs.ok()) return false;
  *target = *std::move(ours);
  *shadow = *std::move(theirs);
  return true;
}

void Shadow::Report(const ShadowedCall& call, const ComparedAnswer& shadow,
                    const std::vector<AnswerDifference>& differences) {
  options_.log->Write(LogLevel::kWarning, messages::AnswersDiffer(),
                      {{"operation", call.operation},
                       {"path", differences[0].path},
                       {"target", call.answer.status},
                       {"shadow", shadow.status}});
  if (file_ < 0) return;
  // At once, so that lines of several threads do not mix.
  const std::string line = DifferenceLine(call, shadow, differences);
  if (write(file_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
  absl::MutexLock lock(&mutex_);
  if (std::exchange(has_file_failed_, true)) return;
  options_.log->Write(LogLevel::kError, messages::DifferencesNotWritten(options_.differences_file,
                                                                        std::strerror(errno)));
}

void Shadow::Count(uint64_t ShadowCounts::*which) {
  absl::MutexLock lock(&mutex_);
  ++(counts_.*which);
}

}  // namespace dynolith::proxy
