#include "engine/store/limits/long_reads.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/cursor_rep.h"
#include "engine/store/limits/messages.h"

namespace dynolith {
namespace {

// A reader meets a writer between the parts of a row once in a while.
constexpr int kTriesMax = 20;

// A walk over the rows in the order of their keys: over the rows of the family, and, at a marker,
// over those of its bucket.
class LongCursor final : public Cursor::Rep {
 public:
  LongCursor(LongReads reads, Family family, std::string_view begin, std::string_view end,
             Direction direction, const ScanHints& hints, RowRead* with)
      : reads_(std::move(reads)),
        family_(family),
        begin_(begin),
        end_(end),
        direction_(direction),
        hints_(hints),
        with_(with) {
    // What lies behind the ids is no row of anybody.
    if (family == Family::kLog && (end_.empty() || end_ > kLongRowsArea)) end_ = kLongRowsArea;
  }

  bool SeekToStart() override { return Begin(begin_, end_); }

  bool SeekAfter(std::string_view after) override {
    const std::string at(after);  // it may be the view of this cursor's row
    if (direction_ == Direction::kForward) {
      const std::string behind = at + '\0';
      return Begin(behind > begin_ ? behind : begin_, end_);
    }
    levels_.clear();
    if (at.empty()) {
      ReadWith();
      return false;
    }
    return Begin(begin_, end_.empty() || at < end_ ? at : end_);
  }

  bool Next() override {
    if (levels_.empty()) return false;
    levels_.back().cursor->Next();
    return Arrive();
  }

  absl::Status status() const override { return status_; }

 private:
  // The rows of the family, or of a bucket.
  struct Level {
    Family family;
    size_t hidden = 0;  // bytes of each key that name the bucket
    std::string shown;  // what the row's keys begin with instead
    std::string begin;  // before keys are cut
    std::string end;    // empty: none
    std::optional<Cursor> cursor;
  };

  bool Begin(const std::string& begin, const std::string& end) {
    levels_.clear();
    status_ = absl::OkStatus();
    if (!end.empty() && begin >= end) {
      ReadWith();
      return false;
    }
    RowRead* const with = StartWith();
    Open({.family = family_, .begin = begin, .end = end}, hints_, with);
    levels_.back().cursor->SeekToStart();
    if (with != nullptr && levels_.back().cursor->status().ok()) FinishWith();
    return Arrive();
  }

  // Where there is nothing to read with it.
  void ReadWith() {
    RowRead* const with = std::exchange(with_, nullptr);
    if (with == nullptr) return;
    const absl::StatusOr<bool> found = reads_.Get(with->family, with->key, with->row);
    with->found = found.value_or(false);
    status_ = found.status();
  }

  // The other row is read as it is kept.
  RowRead* StartWith() {
    if (with_ == nullptr) return nullptr;
    kept_with_key_ = reads_.shape().Keep(with_->family, with_->key);
    kept_with_ = {.family = kept_with_key_.family, .key = kept_with_key_.key, .row = &with_row_};
    return &kept_with_;
  }
  void FinishWith() {
    RowRead* const with = std::exchange(with_, nullptr);
    with->found = kept_with_.found;
    if (!with->found) return;
    const absl::StatusOr<bool> found = ShowWith(with->row);
    status_.Update(found.status());
    with->found = found.value_or(false);
  }
  absl::StatusOr<bool> ShowWith(Row* row) const {
    DYNOLITH_ASSIGN_OR_RETURN(const KeptValue kept, ReadKept(kept_with_key_, with_row_.value()));
    std::string held;
    std::string_view whole;
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_whole, reads_.Assemble(kept, &held, &whole));
    if (!is_whole) return reads_.GetKept(kept_with_key_, row);
    row->Hold(whole);
    return true;
  }

  void Open(Level level, const ScanHints& hints, RowRead* with) {
    const size_t plain = reads_.shape().plain();
    const std::string begin = level.begin.substr(0, plain);
    std::string end = level.end.substr(0, plain);
    // A marker at the end has a bucket with keys before the end.
    if (level.end.size() > plain) end += '\0';
    level.cursor.emplace(reads_.view().ScanPage(level.family, begin, end, direction_, hints, with));
    levels_.push_back(std::move(level));
  }

  void OpenBucket() {
    const Level& above = levels_.back();
    const size_t plain = reads_.shape().plain();
    const std::string head(above.cursor->key());
    const std::string bucket = LongRows::Bucket(above.family, head);
    const auto is_here = [&](const std::string& bound) {
      return bound.size() >= plain && std::string_view(bound).substr(0, plain) == head;
    };
    Level level = {.family = Family::kLog,
                   .hidden = bucket.size(),
                   .shown = Concat(above.shown, std::string_view(head).substr(above.hidden)),
                   .begin = bucket,
                   .end = EndOfPrefix(bucket)};
    if (is_here(above.begin)) level.begin += above.begin.substr(plain);
    if (is_here(above.end)) level.end = bucket + above.end.substr(plain);
    Open(std::move(level), {}, nullptr);
    levels_.back().cursor->SeekToStart();
  }

  // Goes to the next row from where the innermost cursor is.
  bool Arrive() {
    while (status_.ok() && !levels_.empty()) {
      Cursor& cursor = *levels_.back().cursor;
      if (!cursor.Valid()) {
        status_.Update(cursor.status());
        levels_.pop_back();
        if (status_.ok() && !levels_.empty()) levels_.back().cursor->Next();
        continue;
      }
      if (cursor.key().size() == reads_.shape().plain()) {
        OpenBucket();
        continue;
      }
      const absl::StatusOr<bool> shows = Show(levels_.back());
      status_.Update(shows.status());
      if (shows.value_or(false)) return true;
      if (status_.ok()) cursor.Next();
    }
    levels_.clear();
    return false;
  }

  // Shows the row at which the level is; false if it is gone.
  absl::StatusOr<bool> Show(const Level& level) {
    const std::string_view kept_key = level.cursor->key();
    if (kept_key.size() > reads_.shape().plain() || kept_key.size() < level.hidden) {
      return absl::DataLossError(messages::LongRowDamaged());
    }
    key_ = Concat(level.shown, kept_key.substr(level.hidden));
    key = key_;
    DYNOLITH_ASSIGN_OR_RETURN(const KeptValue kept, ReadKept({level.family, std::string(kept_key)},
                                                             level.cursor->value()));
    DYNOLITH_ASSIGN_OR_RETURN(const bool whole, reads_.Assemble(kept, &held_, &value));
    if (whole) return true;
    DYNOLITH_ASSIGN_OR_RETURN(const bool found, reads_.Get(family_, key_, &row_));
    if (found) value = row_.value();
    return found;
  }

  const LongReads reads_;
  const Family family_;
  const std::string begin_;
  std::string end_;
  const Direction direction_;
  const ScanHints hints_;
  RowRead* with_;  // nullptr: it is read
  KeptKey kept_with_key_;
  RowRead kept_with_;
  Row with_row_;
  std::vector<Level> levels_;
  absl::Status status_;
  // Of the present row.
  std::string key_;
  std::string held_;
  Row row_;
};

}  // namespace

absl::StatusOr<bool> LongReads::Assemble(const KeptValue& kept, std::string* held,
                                         std::string_view* value) const {
  if (kept.part_keys.empty()) {
    *value = kept.first;
    return true;
  }
  std::vector<Row> rows(kept.part_keys.size());
  std::vector<RowRead> reads;
  for (size_t i = 0; i < rows.size(); ++i) {
    reads.push_back({.family = Family::kLog, .key = kept.part_keys[i], .row = &rows[i]});
  }
  held->assign(kept.first);
  DYNOLITH_RETURN_IF_ERROR(view_->MultiGet(absl::MakeSpan(reads)));
  for (const RowRead& read : reads) {
    if (!read.found) return false;
    *held += read.row->value();
  }
  if (held->size() != kept.bytes) return absl::DataLossError(messages::LongRowDamaged());
  *value = *held;
  return true;
}

absl::StatusOr<bool> LongReads::Get(Family family, std::string_view key, Row* row) const {
  return GetKept(shape_->Keep(family, key), row);
}

absl::StatusOr<bool> LongReads::GetKept(const KeptKey& kept, Row* row) const {
  for (int tries = 0; tries < kTriesMax; ++tries) {
    // Writers of its parts are let through.
    if (tries > 1) absl::SleepFor(absl::Milliseconds(tries));
    Row part;
    DYNOLITH_ASSIGN_OR_RETURN(const bool found, view_->Get(kept.family, kept.key, &part));
    if (!found) {
      row->Release();
      return false;
    }
    DYNOLITH_ASSIGN_OR_RETURN(const KeptValue value, ReadKept(kept, part.value()));
    std::string held;
    std::string_view whole;
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_whole, Assemble(value, &held, &whole));
    if (!is_whole) continue;
    row->Hold(whole);
    return true;
  }
  return absl::UnavailableError(messages::LongRowChanges());
}

absl::Status LongReads::MultiGet(absl::Span<RowRead> reads) const {
  return MultiGetBy(reads, [this](absl::Span<RowRead> kept) { return view_->MultiGet(kept); });
}

absl::Status LongReads::MultiGetBy(absl::Span<RowRead> reads, GetKeptRows get_kept) const {
  std::vector<KeptKey> keys;
  std::vector<Row> rows(reads.size());
  std::vector<RowRead> kept_reads;
  keys.reserve(reads.size());
  for (size_t i = 0; i < reads.size(); ++i) {
    keys.push_back(shape_->Keep(reads[i].family, reads[i].key));
    kept_reads.push_back({.family = keys[i].family, .key = keys[i].key, .row = &rows[i]});
  }
  DYNOLITH_RETURN_IF_ERROR(get_kept(absl::MakeSpan(kept_reads)));
  // The parts of all rows that have some, in one more round trip.
  std::vector<KeptValue> values(reads.size());
  std::vector<RowRead> part_reads;
  for (size_t i = 0; i < reads.size(); ++i) {
    reads[i].found = kept_reads[i].found;
    reads[i].row->Release();
    if (!reads[i].found) continue;
    DYNOLITH_ASSIGN_OR_RETURN(values[i], ReadKept(keys[i], rows[i].value()));
    for (const std::string& key : values[i].part_keys) {
      part_reads.push_back({.family = Family::kLog, .key = key});
    }
  }
  std::vector<Row> parts(part_reads.size());
  for (size_t i = 0; i < parts.size(); ++i) part_reads[i].row = &parts[i];
  if (!part_reads.empty()) DYNOLITH_RETURN_IF_ERROR(view_->MultiGet(absl::MakeSpan(part_reads)));
  size_t next = 0;
  for (size_t i = 0; i < reads.size(); ++i) {
    if (!reads[i].found) continue;
    std::string whole(values[i].first);
    bool is_whole = true;
    for (size_t part = 0; part < values[i].part_keys.size(); ++part, ++next) {
      is_whole = is_whole && part_reads[next].found;
      if (part_reads[next].found) whole += parts[next].value();
    }
    if (is_whole) {
      if (whole.size() != values[i].bytes) return absl::DataLossError(messages::LongRowDamaged());
      reads[i].row->Hold(whole);
    } else {
      DYNOLITH_ASSIGN_OR_RETURN(reads[i].found, GetKept(keys[i], reads[i].row));
    }
  }
  return absl::OkStatus();
}

Cursor LongReads::Scan(Family family, std::string_view begin, std::string_view end,
                       Direction direction, const ScanHints& hints, RowRead* with) const {
  return Cursor(std::make_unique<LongCursor>(*this, family, begin, end, direction, hints, with));
}

}  // namespace dynolith
