#include "api/staleness/stale_reads.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "api/staleness/messages.h"
#include "dynolith/client_scope.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/partition/random_numbers.h"
#include "engine/store/local_store.h"

namespace dynolith {
namespace {

constexpr size_t kSeenAtFirst = 1024;

// What counts for a scope, the most special first.
std::array<std::string, 3> SelfAndAbove(const ReadScope& scope) {
  return {ReadScopeText(scope), scope.table, ""};
}

template <typename Map>
typename Map::mapped_type* FindFor(const ReadScope& scope, Map* map) {
  for (const std::string& text : SelfAndAbove(scope)) {
    if (const auto found = map->find(text); found != map->end()) return &found->second;
  }
  return nullptr;
}

bool Lags(Staleness kind) { return kind == Staleness::kFixed || kind == Staleness::kRandom; }

absl::Status CheckScope(const ReadScope& scope) {
  const bool has_part = !scope.index.empty() || scope.stream;
  const bool has_both = !scope.index.empty() && scope.stream;
  if (has_both || (has_part && scope.table.empty())) {
    return absl::InvalidArgumentError(messages::StalenessOfNothing());
  }
  return absl::OkStatus();
}

absl::Status CheckRule(const StalenessRule& rule) {
  DYNOLITH_RETURN_IF_ERROR(CheckScope(rule.of));
  if (!Lags(rule.kind)) {
    return rule.monotonic
               ? absl::InvalidArgumentError(messages::MonotonicOfNothing(ReadScopeText(rule.of)))
               : absl::OkStatus();
  }
  if (rule.bound <= absl::ZeroDuration() || rule.bound > absl::Hours(kStalenessHoursMax)) {
    return absl::InvalidArgumentError(
        messages::StalenessOutOfRange(ReadScopeText(rule.of), kStalenessHoursMax));
  }
  return absl::OkStatus();
}

// The same on every machine, which a library's hash is not.
uint64_t SeedFor(uint64_t seed, std::string_view scope) {
  for (const char c : scope) {
    seed ^= static_cast<unsigned char>(c);
    seed = NextRandom(&seed);
  }
  return seed;
}

// Between zero and the bound.
absl::Duration DrawLag(absl::Duration bound, uint64_t* random) {
  return bound * (static_cast<double>(NextRandom(random) >> 11) * 0x1p-53);
}

}  // namespace

std::string ReadScopeText(const ReadScope& scope) {
  if (scope.stream) return Concat(scope.table, ":stream");
  return scope.index.empty() ? scope.table : Concat(scope.table, "/", scope.index);
}

absl::StatusOr<std::unique_ptr<StaleReads>> StaleReads::Make(Store* store, const StreamLog* streams,
                                                             const Clock* clock,
                                                             const StalenessOptions& options) {
  std::unique_ptr<StaleReads> reads(new StaleReads(store, streams, clock, options));
  bool lags = false;
  {
    absl::MutexLock lock(&reads->mutex_);
    for (const StalenessRule& rule : options.rules) {
      DYNOLITH_RETURN_IF_ERROR(reads->AddRule(rule));
    }
    lags = !reads->kept_.empty();
    reads->TellAny();
  }
  if (!lags) return reads;
  // Moments are kept before each commit, and others commit unseen.
  if (store->local() == nullptr) return absl::InvalidArgumentError(messages::LagOfSharedStore());
  store->local()->SetBeforeCommit([self = reads.get()] { self->BeforeCommit(); });
  return reads;
}

absl::Status StaleReads::AddRule(const StalenessRule& rule) {
  DYNOLITH_RETURN_IF_ERROR(CheckRule(rule));
  const std::string scope = ReadScopeText(rule.of);
  const auto [added, is_new] = rules_.try_emplace(scope);
  if (!is_new) return absl::InvalidArgumentError(messages::StalenessTwice(scope));
  added->second.rule = rule;
  added->second.random = SeedFor(options_.seed, scope);
  if (Lags(rule.kind)) {
    added->second.kept = &kept_.try_emplace(rule.bound, rule.bound).first->second;
  }
  if (rule.kind == Staleness::kHeld) holds_[scope] = {rule.of, Take(Now())};
  return absl::OkStatus();
}

// --- Moments ---

void StaleReads::BeforeCommit() {
  if (absl::ToUnixNanos(clock_->Now()) < due_.load(std::memory_order_relaxed)) return;
  absl::MutexLock lock(&mutex_);
  const absl::Time now = Now();
  MomentPointer moment;
  absl::Time due = absl::InfiniteFuture();
  for (auto& [bound, kept] : kept_) {
    kept.DropUseless(now);
    if (kept.due() <= now) {
      if (moment == nullptr) moment = Take(now);
      kept.Keep(moment);
    }
    due = std::min(due, kept.due());
  }
  due_.store(absl::ToUnixNanos(due), std::memory_order_relaxed);
}

absl::Time StaleReads::Now() {
  const absl::Time now = clock_->Now();
  if (now < last_now_) {
    for (auto& [bound, kept] : kept_) kept.Clear();
    due_.store(kDueAtOnce, std::memory_order_relaxed);
  }
  last_now_ = now;
  return now;
}

MomentPointer StaleReads::Take(absl::Time now) {
  Moment moment;
  // Before the snapshot, which then has all of them.
  if (streams_ != nullptr) moment.stream_through = streams_->VisibleThrough();
  moment.snapshot = store_->TakeSnapshot();
  moment.number = ++taken_;
  moment.taken = now;
  return std::make_shared<const Moment>(std::move(moment));
}

// --- Reads ---

MomentPointer StaleReads::Choose(const ReadScope& what, Mode mode) {
  absl::MutexLock lock(&mutex_);
  Rule* const rule = FindFor(what, &rules_);
  const bool is_monotonic = rule != nullptr && rule->rule.monotonic;
  const std::string seen_key =
      is_monotonic ? Concat(ClientScope::Current(), std::string_view("\0", 1), ReadScopeText(what))
                   : std::string();
  const auto reshard = reshards_.find(ReadScopeText(what));
  const uint64_t number_min = reshard == reshards_.end() ? 0 : reshard->second.number;
  if (mode == Mode::kEventual) {
    if (const HeldMoment* const held = FindFor(what, &holds_)) {
      const bool is_too_old = held->moment->number < number_min;
      const MomentPointer& moment = is_too_old ? reshard->second.moment : held->moment;
      if (is_monotonic) NoteSeen(seen_key, moment->number);
      return moment;
    }
  }
  const bool lags = rule != nullptr && rule->kept != nullptr;
  if (!lags || (mode == Mode::kStrong && !is_monotonic)) return nullptr;
  return ChooseByRule(rule, seen_key, mode, number_min);
}

MomentPointer StaleReads::ChooseByRule(Rule* rule, const std::string& seen_key, Mode mode,
                                       uint64_t number_min) {
  const absl::Time now = Now();
  rule->kept->DropUseless(now);
  MomentPointer moment;
  const bool is_monotonic = rule->rule.monotonic;
  if (mode == Mode::kEventual) {
    const absl::Duration bound = rule->rule.bound;
    const absl::Duration lag =
        rule->rule.kind == Staleness::kFixed ? bound : DrawLag(bound, &rule->random);
    if (is_monotonic) number_min = std::max(number_min, SeenBy(seen_key));
    moment = rule->kept->At(now - lag, number_min);
  }
  if (!is_monotonic) return moment;
  // The newest state has to have a number, too: by the time it is read it may be a newer one than
  // that of a moment which the next read would choose.
  if (moment == nullptr) moment = Take(now);
  NoteSeen(seen_key, moment->number);
  return moment;
}

uint64_t StaleReads::SeenBy(const std::string& seen_key) const {
  const auto found = seen_.find(seen_key);
  return found == seen_.end() ? 0 : found->second;
}

void StaleReads::NoteSeen(const std::string& seen_key, uint64_t number) {
  uint64_t& seen = seen_[seen_key];
  seen = std::max(seen, number);
  if (seen_.size() >= std::max(forget_at_, kSeenAtFirst)) ForgetSeen();
}

void StaleReads::ForgetSeen() {
  uint64_t oldest = taken_ + 1;
  for (auto& [bound, kept] : kept_) {
    kept.DropUseless(last_now_);
    if (!kept.moments().empty()) oldest = std::min(oldest, kept.moments().front()->number);
  }
  std::erase_if(seen_, [oldest](const auto& entry) { return entry.second <= oldest; });
  forget_at_ = 2 * seen_.size();
}

void StaleReads::NoteReshard(const ReadScope& index) {
  absl::MutexLock lock(&mutex_);
  Reshard& reshard = reshards_[ReadScopeText(index)];
  reshard.index = index;
  const bool is_held = FindFor(index, &holds_) != nullptr;
  reshard.moment = is_held ? Take(Now()) : nullptr;
  reshard.number = is_held ? reshard.moment->number : ++taken_;
}

// --- Holds ---

void StaleReads::Hold(const ReadScope& scope) {
  absl::MutexLock lock(&mutex_);
  holds_[ReadScopeText(scope)] = {scope, Take(Now())};
  TellAny();
}

absl::Status StaleReads::Release(const ReadScope& scope) {
  absl::MutexLock lock(&mutex_);
  const std::string text = ReadScopeText(scope);
  if (holds_.erase(text) == 0) return absl::NotFoundError(messages::NotHeld(text));
  ReleaseReshards();
  TellAny();
  return absl::OkStatus();
}

void StaleReads::ReleaseReshards() {
  for (auto& [text, reshard] : reshards_) {
    if (FindFor(reshard.index, &holds_) == nullptr) reshard.moment = nullptr;
  }
}

void StaleReads::TellAny() { any_ = !kept_.empty() || !holds_.empty(); }

StalenessState StaleReads::Describe() const {
  absl::MutexLock lock(&mutex_);
  StalenessState state;
  state.rules = options_.rules;
  std::set<uint64_t> numbers;
  for (const auto& [text, held] : holds_) {
    state.holds.push_back({held.of, held.moment->taken});
    numbers.insert(held.moment->number);
  }
  for (const auto& [text, reshard] : reshards_) {
    if (reshard.moment != nullptr) numbers.insert(reshard.number);
  }
  for (const auto& [bound, kept] : kept_) {
    for (const MomentPointer& moment : kept.moments()) numbers.insert(moment->number);
  }
  state.snapshots = static_cast<int64_t>(numbers.size());
  return state;
}

}  // namespace dynolith
