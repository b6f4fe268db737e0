#include "api/write/shared_attempts.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/write/old_items.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog_version.h"
#include "engine/history/history.h"
#include "engine/stream/stream_log.h"

namespace dynolith {
namespace {

// Whether the condition depends on nothing but whether the item exists: then its key is known.
bool AsksForKeyOnly(const RowWrite& write) {
  if (write.condition == nullptr) return true;
  bool is_key_only = true;
  write.condition->ForEachPath([&](const Path& path) {
    is_key_only =
        is_key_only && path.is_top_level() && write.meta->schema.key.Contains(path.attribute());
  });
  return is_key_only;
}

// What the old item has to be for the write to happen, if it is not worth reading: an item that has
// to be absent is known then, and one that has to be there may be overwritten unseen.
Presumed PresumedOf(const RowWrite& write) {
  if (write.expired_at || (write.condition == nullptr && !write.inserts)) return Presumed::kNothing;
  if (!AsksForKeyOnly(write)) return Presumed::kNothing;
  const auto matches = [&](ItemView item) {
    return write.condition == nullptr || write.condition->Matches(item);
  };
  const bool if_absent = matches(ItemView());
  const bool if_present = !write.inserts && matches(write.item);
  if (if_absent == if_present) return Presumed::kNothing;
  if (if_absent) return Presumed::kAbsent;
  RowWrite unconditional = write;
  unconditional.condition = nullptr;
  return NeedsOld(unconditional) ? Presumed::kNothing : Presumed::kPresent;
}

bool MustRead(const RowWrite& write, const RowOutcome& outcome) {
  return outcome.presumed == Presumed::kNothing && NeedsOld(write);
}

// What is known to be in the row; nullopt: there is none. Requires: NeedsOldItem, and more is
// presumed than that it is there.
std::optional<std::string_view> OldRow(const RowOutcome& outcome) {
  if (!outcome.old_item) return std::nullopt;
  return outcome.old_row.value();
}

}  // namespace

SharedAttempts::Kind SharedAttempts::KindOfNext() {
  if (attempts_++ == 0) return Kind::kPresumes;
  const bool reads_alone = attempts_ == 2 && has_presumed_ && writes_.size() == 1;
  return reads_alone ? Kind::kReadsAlone : Kind::kReads;
}

absl::Status SharedAttempts::Begin(Transaction* transaction, absl::Span<RowOutcome> outcomes) {
  kind_ = KindOfNext();
  const auto any_concerns = [this](bool (*concerns)(const TableMeta&)) {
    return std::any_of(writes_.begin(), writes_.end(),
                       [&](const RowWrite& write) { return concerns(*write.meta); });
  };
  if (context_.history != nullptr && any_concerns(&HistoryRecorder::Concerns)) {
    DYNOLITH_RETURN_IF_ERROR(context_.history->PrepareChange(kind_ == Kind::kReads));
  }
  context_.catalog->ExpectUnchanged(transaction);
  if (kind_ == Kind::kPresumes) {
    Presume(transaction, outcomes);
    return absl::OkStatus();
  }
  KeepBelieved(outcomes);
  for (RowOutcome& outcome : outcomes) outcome = RowOutcome();
  // It was more likely a row than the shards of a stream.
  if (kind_ == Kind::kReadsAlone || context_.streams == nullptr) return absl::OkStatus();
  return any_concerns(&StreamRecorder::Concerns) ? context_.streams->Refresh() : absl::OkStatus();
}

// What a write costs where capacity is enforced depends on the item, and it is charged once. A
// received write reads the item's version as well.
bool SharedAttempts::MayPresume(const RowWrite& write) const {
  return !write.table->throughput.is_enforced() && write.replicated == nullptr;
}

void SharedAttempts::Presume(Transaction* transaction, absl::Span<RowOutcome> outcomes) {
  for (size_t i = 0; i < writes_.size(); ++i) {
    Presumed& presumed = outcomes[i].presumed;
    if (MayPresume(writes_[i])) presumed = PresumedOf(writes_[i]);
    if (presumed == Presumed::kPresent &&
        !transaction->ExpectPresent(Family::kTables, writes_[i].row_key)) {
      presumed = Presumed::kNothing;
    }
  }
  if (context_.row_beliefs != nullptr) Believe(outcomes);
  bool must_read = false;
  for (size_t i = 0; i < writes_.size(); ++i) {
    must_read = must_read || MustRead(writes_[i], outcomes[i]);
  }
  for (size_t i = 0; i < writes_.size(); ++i) {
    RowOutcome& outcome = outcomes[i];
    // It is read with the others, which costs nothing and is never wrong.
    if (must_read && outcome.presumed == Presumed::kAbsent) outcome.presumed = Presumed::kNothing;
    if (outcome.presumed == Presumed::kAbsent || outcome.presumed == Presumed::kValue) {
      transaction->Expect(Family::kTables, writes_[i].row_key, OldRow(outcome));
    }
    has_presumed_ = has_presumed_ || outcome.presumed != Presumed::kNothing;
  }
}

void SharedAttempts::Believe(absl::Span<RowOutcome> outcomes) {
  absl::InlinedVector<size_t, kBeliefsMax> found;
  RowBeliefs::Tables tables = 0;
  bool must_read = false;
  for (size_t i = 0; i < writes_.size(); ++i) {
    const RowWrite& write = writes_[i];
    // Also of one that would have to be absent: that condition fails in one round trip then.
    const bool is_needed = outcomes[i].presumed != Presumed::kPresent && NeedsOldItem(write);
    if (MayPresume(write) &&
        context_.row_beliefs->Find(write.row_key, is_needed ? &outcomes[i].old_row : nullptr,
                                   &tickets_[i])) {
      found.push_back(i);
      tables |= RowBeliefs::TableOf(write.row_key);
    } else {
      must_read = must_read || MustRead(write, outcomes[i]);
    }
  }
  if (must_read || found.size() > kBeliefsMax || !context_.row_beliefs->AreWorthATry(tables)) {
    return;
  }
  believed_tables_ = tables;
  for (const size_t i : found) {
    TakeOld(writes_[i], /*needs_item=*/true, &outcomes[i]);
    outcomes[i].presumed = Presumed::kValue;
  }
}

void SharedAttempts::KeepBelieved(absl::Span<RowOutcome> outcomes) {
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].presumed != Presumed::kValue) continue;
    believed_.push_back({i, std::move(outcomes[i].old_row)});
  }
}

// An attempt may have been aborted for other reasons, such as a change of the tables.
void SharedAttempts::JudgeBelieved(absl::Span<const RowOutcome> outcomes) {
  RowBeliefs::Tables wrong = 0;
  for (const Believed& believed : believed_) {
    const std::string_view key = writes_[believed.write].row_key;
    if (OldRow(outcomes[believed.write]) != believed.row.value()) wrong |= RowBeliefs::TableOf(key);
  }
  if (wrong != 0) context_.row_beliefs->Tell(wrong, /*were_right=*/false);
  believed_.clear();
}

void SharedAttempts::LearnOld(size_t i, const RowOutcome& outcome) {
  if (outcome.presumed == Presumed::kPresent || !NeedsOldItem(writes_[i])) return;
  context_.row_beliefs->Learn(writes_[i].row_key, OldRow(outcome), tickets_[i]);
}

// In one round trip. Again, the tables are asked for, too: others may have changed them.
absl::Status SharedAttempts::ReadOld(const Transaction& transaction,
                                     absl::Span<RowOutcome> outcomes) {
  std::vector<RowRead> reads;
  for (size_t i = 0; i < writes_.size(); ++i) {
    if (!MustRead(writes_[i], outcomes[i])) continue;
    reads.push_back(
        {.family = Family::kTables, .key = writes_[i].row_key, .row = &outcomes[i].old_row});
  }
  Row version;
  if (is_again()) reads.push_back(CatalogVersionRead(&version));
  if (reads.empty()) return absl::OkStatus();
  const ReadView& rows = kind_ == Kind::kReadsAlone ? *context_.store : transaction.reads();
  DYNOLITH_RETURN_IF_ERROR(rows.MultiGet(absl::MakeSpan(reads)));
  if (is_again()) DYNOLITH_RETURN_IF_ERROR(context_.catalog->CheckUnchanged(reads.back()));
  size_t next = 0;
  for (size_t i = 0; i < writes_.size(); ++i) {
    if (!MustRead(writes_[i], outcomes[i]) || !reads[next++].found) continue;
    TakeOld(writes_[i], NeedsOldItem(writes_[i]), &outcomes[i]);
  }
  JudgeBelieved(outcomes);
  return absl::OkStatus();
}

absl::Status SharedAttempts::Confirm(Transaction* transaction,
                                     absl::Span<const RowOutcome> outcomes) {
  // One read of one item, with the tables as they were then, is a state by itself.
  if (kind_ != Kind::kReadsAlone) DYNOLITH_RETURN_IF_ERROR(transaction->Commit(WriteBatch()));
  if (context_.row_beliefs == nullptr) return absl::OkStatus();
  if (kind_ == Kind::kPresumes) context_.row_beliefs->Tell(believed_tables_, /*were_right=*/true);
  for (size_t i = 0; i < writes_.size(); ++i) LearnOld(i, outcomes[i]);
  return absl::OkStatus();
}

absl::Status SharedAttempts::ExpectRead(const Transaction& transaction,
                                        absl::Span<const RowOutcome> outcomes) {
  if (kind_ != Kind::kReadsAlone) return absl::OkStatus();
  const RowWrite& write = writes_[0];
  const std::optional<std::string_view> old_row = OldRow(outcomes[0]);
  if (!old_row || old_row->size() <= RowBeliefs::kRowBytesMax) {
    transaction.Expect(Family::kTables, write.row_key, old_row);
    return absl::OkStatus();
  }
  // Too long to be sent back.
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                            transaction.Get(Family::kTables, write.row_key, &row));
  return found && row.value() == *old_row ? absl::OkStatus() : absl::AbortedError("");
}

void SharedAttempts::NoteCommitted(absl::Span<const RowOutcome> outcomes) {
  if (context_.row_beliefs == nullptr) return;
  if (kind_ == Kind::kPresumes) context_.row_beliefs->Tell(believed_tables_, /*were_right=*/true);
  for (size_t i = 0; i < writes_.size(); ++i) {
    if (writes_[i].kind == RowWrite::Kind::kCheck) {
      LearnOld(i, outcomes[i]);
      continue;
    }
    std::optional<std::string_view> row;
    if (outcomes[i].new_item) row = outcomes[i].new_item->bytes();
    context_.row_beliefs->Learn(writes_[i].row_key, row, tickets_[i]);
  }
}

}  // namespace dynolith
