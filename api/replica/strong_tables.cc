#include "api/replica/strong_tables.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "api/replica/messages.h"
#include "api/replica/replica_upkeep.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// Of one look; the next one goes on.
constexpr size_t kChangesOfLook = 1000;

absl::Status Unavailable(std::string_view message) {
  return MakeError(ErrorKind::kServiceUnavailable, message);
}

// Whether the name is there, and no part of a longer one. A point may be that before the index of a
// table in a statement.
bool HasWord(std::string_view text, std::string_view name) {
  const auto is_inner = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-'; };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || !is_inner(text[at - 1]);
    if (begins && (end == text.size() || !is_inner(text[end]))) return true;
  }
  return false;
}

}  // namespace

// The turns that one use has. Clang cannot follow locks in a list.
class StrongTables::Turns final : public StrongUse {
 public:
  Turns(StrongTables* tables, const OperationContext* context, StrongAccess access)
      : tables_(tables), context_(context), access_(access) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  ~Turns() override ABSL_NO_THREAD_SAFETY_ANALYSIS {
    // Of a call that has failed, perhaps after some of its writes.
    if (may_have_written_) CarryOver().IgnoreError();
    for (const Held& held : held_) {
      held.is_exclusive ? held.entry->turn.Unlock() : held.entry->turn.ReaderUnlock();
    }
  }

  absl::Status TakeAll(const std::set<std::string>& tables) {
    for (const std::string& table : tables) DYNOLITH_RETURN_IF_ERROR(Take(table));
    may_have_written_ = access_ == StrongAccess::kWrite;
    return absl::OkStatus();
  }

  absl::Status CarryOver() override ABSL_NO_THREAD_SAFETY_ANALYSIS {
    may_have_written_ = false;
    absl::Status status;
    for (const Held& held : held_) {
      const std::shared_ptr<const TableMeta> meta = MetaOf(held.table);
      if (meta != nullptr) status.Update(tables_->CarryOver(*context_, *meta, held.entry));
    }
    return status;
  }

 private:
  struct Held {
    std::string table;
    Entry* entry;
    bool is_exclusive;
  };

  absl::Status Take(const std::string& table) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    Entry* const entry = tables_->EntryOf(table);
    if (access_ == StrongAccess::kRead) {
      entry->turn.ReaderLock();
      if (entry->current.contains(context_->region)) {
        held_.push_back({table, entry, /*is_exclusive=*/false});
        return Check(table);
      }
      entry->turn.ReaderUnlock();
    }
    entry->turn.Lock();
    held_.push_back({table, entry, /*is_exclusive=*/true});
    DYNOLITH_RETURN_IF_ERROR(Check(table));
    const std::shared_ptr<const TableMeta> meta = MetaOf(table);
    return meta == nullptr ? absl::OkStatus() : tables_->BringUpToDate(*context_, *meta, entry);
  }

  // nullptr: it is not strong, or there is none.
  std::shared_ptr<const TableMeta> MetaOf(std::string_view table) const {
    const std::shared_ptr<Table> found = context_->catalog->Find(table);
    if (found == nullptr || !found->meta()->is_strong) return nullptr;
    return found->meta();
  }

  absl::Status Check(std::string_view table) const {
    const std::shared_ptr<const TableMeta> meta = MetaOf(table);
    return meta == nullptr ? absl::OkStatus() : tables_->CheckMajority(context_->region, *meta);
  }

  StrongTables* const tables_;
  const OperationContext* const context_;
  const StrongAccess access_;
  bool may_have_written_ = false;
  std::vector<Held> held_;
};

absl::StatusOr<std::unique_ptr<StrongUse>> StrongTables::Use(
    const OperationContext& context, absl::Span<const std::string_view> tables,
    StrongAccess access) {
  // One order for all.
  const std::set<std::string> names(tables.begin(), tables.end());
  auto turns = std::make_unique<Turns>(this, &context, access);
  DYNOLITH_RETURN_IF_ERROR(turns->TakeAll(names));
  return turns;
}

void StrongTables::NoteUse(absl::Span<const std::string_view> tables) {
  for (const std::string_view table : tables) EntryOf(table);
}

bool StrongTables::IsNamedIn(std::string_view call) const {
  absl::MutexLock lock(&mutex_);
  return std::any_of(entries_.begin(), entries_.end(),
                     [call](const auto& each) { return HasWord(call, each.first); });
}

absl::Mutex* StrongTables::TurnOf(std::string_view table) { return &EntryOf(table)->turn; }

StrongTables::Entry* StrongTables::EntryOf(std::string_view table) {
  absl::MutexLock lock(&mutex_);
  auto found = entries_.find(table);
  if (found == entries_.end()) {
    found = entries_.emplace(std::string(table), std::make_unique<Entry>()).first;
  }
  return found->second.get();
}

void StrongTables::ForgetWhoIsCurrent() {
  std::vector<Entry*> entries;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [table, entry] : entries_) entries.push_back(entry.get());
  }
  for (Entry* const entry : entries) {
    absl::MutexLock turn(&entry->turn);
    entry->current.clear();
    entry->compared.clear();
  }
}

absl::Status StrongTables::CheckMajority(std::string_view region, const TableMeta& meta) const {
  if (!meta.NeedsMajority()) return absl::OkStatus();
  if (states_->IsCut(region)) return Unavailable(messages::RegionIsolated(region));
  int others = 0;
  for (const Replica& replica : meta.replicas) {
    const bool is_open = states_->Find(replica.region) != nullptr;
    // A witness only has a vote here: it could not give what that region has written.
    if (!is_open && meta.witness) return Unavailable(messages::RegionNotOpen(replica.region));
    others += is_open && !states_->IsCut(replica.region) ? 1 : 0;
  }
  if (HasWitness(meta)) ++others;
  return others > 0 ? absl::OkStatus() : Unavailable(messages::NoMajority(region));
}

absl::Status StrongTables::SendAll(const OperationContext& from, const TableMeta& meta,
                                   const OperationContext& to) {
  const auto at_once = [](const ReplicaChange&, std::string_view) { return absl::InfinitePast(); };
  for (;;) {
    DYNOLITH_ASSIGN_OR_RETURN(const SendResult sent,
                              SendDue(from, meta, to, from.clock->Now(), at_once, kChangesOfLook));
    states_->NoteSent(from.region, to.region, sent);
    if (!sent.has_more) return absl::OkStatus();
  }
}

// From those that are cut as well: the majority that has agreed to their writes has them. What was
// written here before the process ended, or could not be carried over, is agreed to now.
absl::Status StrongTables::BringUpToDate(const OperationContext& context, const TableMeta& meta,
                                         Entry* entry) {
  if (entry->current.contains(context.region)) return absl::OkStatus();
  const bool are_all_open =
      std::all_of(meta.replicas.begin(), meta.replicas.end(),
                  [&](const Replica& replica) { return states_->Find(replica.region) != nullptr; });
  // Of what a region has written that is closed nobody else keeps what is on its way.
  const bool compares = !are_all_open && !entry->compared.contains(context.region);
  for (const Replica& replica : meta.replicas) {
    const OperationContext* const peer = states_->Find(replica.region);
    if (peer == nullptr) continue;
    const std::shared_ptr<Table> table = peer->catalog->Find(meta.schema.name);
    if (table == nullptr) continue;
    const std::shared_ptr<const TableMeta> theirs = table->meta();
    if (!HasReplica(*theirs, context.region)) continue;
    DYNOLITH_RETURN_IF_ERROR(SendAll(*peer, *theirs, context));
    if (compares) DYNOLITH_RETURN_IF_ERROR(CopyNewer(*peer, *theirs, context));
  }
  if (compares) entry->compared.insert(context.region);
  entry->current.insert(context.region);
  return CarryOver(context, meta, entry);
}

std::vector<std::string_view> StrongTables::Prompt(std::string_view from,
                                                   const TableMeta& meta) const {
  std::vector<std::string_view> prompt;
  if (states_->IsCut(from)) return prompt;
  std::string_view delayed;
  for (const Replica& replica : meta.replicas) {
    const bool is_reached = replica.is_filled && !replica.deleting_from &&
                            !states_->IsCut(replica.region) &&
                            states_->Find(replica.region) != nullptr;
    if (!is_reached) continue;
    if (!states_->IsDelayed(from, replica.region)) {
      prompt.emplace_back(replica.region);
    } else if (delayed.empty()) {
      delayed = replica.region;
    }
  }
  // At least one other region has it, a witness if it is one.
  if (prompt.empty() && !HasWitness(meta) && !delayed.empty()) prompt.push_back(delayed);
  return prompt;
}

absl::Status StrongTables::CarryOver(const OperationContext& context, const TableMeta& meta,
                                     Entry* entry) {
  const std::vector<std::string_view> prompt = Prompt(context.region, meta);
  bool is_agreed = HasWitness(meta) && !states_->IsCut(context.region);
  absl::Status failure;
  for (const Replica& replica : meta.replicas) {
    const bool is_prompt = std::find(prompt.begin(), prompt.end(), replica.region) != prompt.end();
    const absl::Status sent =
        is_prompt ? SendAll(context, meta, *states_->Find(replica.region)) : absl::OkStatus();
    if (is_prompt && sent.ok()) {
      is_agreed = true;
      continue;
    }
    failure.Update(sent);
    // Its next use gets the rest, or what has failed.
    entry->current.erase(replica.region);
  }
  if (is_agreed || !meta.NeedsMajority()) return absl::OkStatus();
  entry->current.erase(context.region);  // its next use tries again
  return Unavailable(messages::NotAgreed(context.region, MessageOf(failure)));
}

}  // namespace dynolith
