#include "engine/store/postgres/reads.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/store/cursor_rep.h"
#include "engine/store/postgres/limits.h"
#include "engine/store/work_counters.h"

namespace dynolith::postgres {
namespace {

// Of the first page of a walk without hints; each further one is larger, since it is likely that
// all are wanted.
constexpr int64_t kRowsAtFirst = 100;
constexpr int64_t kRowsMax = 1600;
constexpr int64_t kGrowth = 4;
// The values of a page: the row that reaches it is the last.
constexpr int64_t kPageBytes = 1 << 20;

// Behind every key.
std::string EndOfKeys() { return std::string(kKeyBytesMax + 1, '\xff'); }

// Shows a row that a kGet has found; returns whether it has.
bool TakeRow(const Result& result, Row* row) {
  row->Release();
  if (result.rows() == 0) return false;
  ++ThreadWork().rows_read;
  row->Hold(result.Field(0, 0));
  return true;
}

// Walks rows that come in pages, each by one statement.
class PageCursor final : public Cursor::Rep {
 public:
  PageCursor(RunCalls run, Family family, std::string_view begin, std::string_view end,
             Direction direction, const ScanHints& hints, RowRead* with)
      : run_(std::move(run)),
        family_(family),
        direction_(direction),
        range_begin_(begin),
        range_end_(end.empty() ? EndOfKeys() : std::string(end)),
        hints_(hints),
        with_(with) {}

  bool SeekToStart() override {
    Rewind();
    return Fetch();
  }
  bool SeekAfter(std::string_view after) override {
    // It may be the view of this cursor's row.
    const std::string row_key(after);
    Rewind();
    GoOnBehind(row_key);
    return Fetch();
  }
  bool Next() override {
    if (++row_ < page_.rows()) return Show();
    if (is_last_ || page_.rows() == 0) return false;
    GoOnBehind(std::string(key));
    return Fetch();
  }
  absl::Status status() const override { return status_; }

 private:
  void Rewind() {
    begin_ = range_begin_;
    end_ = range_end_;
    rows_wanted_ = 0;
  }
  // To the rest of the range behind that row.
  void GoOnBehind(const std::string& row_key) {
    if (direction_ == Direction::kForward) {
      begin_ = std::max(begin_, row_key + '\0');
    } else {
      end_ = std::min(end_, row_key);
    }
  }
  // The page that begins at the bounds, and with the first one the other row.
  bool Fetch();
  bool Show() {
    key = page_.Field(row_, 0);
    value = page_.Field(row_, 1);
    return true;
  }
  void ChooseSize();

  const RunCalls run_;
  const Family family_;
  const Direction direction_;
  const std::string range_begin_;
  const std::string range_end_;
  const ScanHints hints_;
  RowRead* with_;  // nullptr: none, or it is read
  std::string begin_;
  std::string end_;
  Result page_;
  int row_ = 0;
  int64_t rows_wanted_ = 0;  // by the last page; 0: there was none
  int64_t bytes_wanted_ = 0;
  bool is_last_ = false;  // no row follows the page
  absl::Status status_;
};

void PageCursor::ChooseSize() {
  if (rows_wanted_ > 0) {
    rows_wanted_ = std::min(kGrowth * rows_wanted_, kRowsMax);
    bytes_wanted_ = kPageBytes;
    return;
  }
  const auto rows = static_cast<int64_t>(hints_.rows);
  const auto bytes = static_cast<int64_t>(hints_.bytes);
  // A page that is bounded by bytes may have many rows.
  rows_wanted_ = rows > 0 ? std::min(rows, kRowsMax) : bytes > 0 ? kRowsMax : kRowsAtFirst;
  bytes_wanted_ = bytes > 0 ? std::min(bytes, kPageBytes) : kPageBytes;
}

bool PageCursor::Fetch() {
  page_ = Result();
  row_ = 0;
  is_last_ = true;
  if (!status_.ok()) return false;
  ChooseSize();
  const std::string rows = IntegerOf(rows_wanted_);
  const std::string bytes = IntegerOf(bytes_wanted_);
  std::vector<Call> calls;
  if (begin_ < end_) {
    calls.push_back(
        {.verb = direction_ == Direction::kForward ? Verb::kPageForward : Verb::kPageBackward,
         .family = family_,
         .parameters = {begin_, end_, rows, bytes}});
  }
  const size_t pages = calls.size();
  if (with_ != nullptr) {
    calls.push_back({.verb = Verb::kGet, .family = with_->family, .parameters = {with_->key}});
  }
  if (calls.empty()) return false;
  status_ = run_(calls, [&](size_t call, Result result) {
    if (call < pages) {
      page_ = std::move(result);
    } else {
      with_->found = TakeRow(result, with_->row);
    }
  });
  if (!status_.ok()) {
    page_ = Result();
    return false;
  }
  with_ = nullptr;
  int64_t taken = 0;
  for (int i = 0; i < page_.rows(); ++i) taken += static_cast<int64_t>(page_.Field(i, 1).size());
  is_last_ = page_.rows() < rows_wanted_ && taken < bytes_wanted_;
  return page_.rows() > 0 && Show();
}

// Reads of several rows, as one statement for each family.
class ManyReads {
 public:
  explicit ManyReads(absl::Span<RowRead> reads) : reads_(reads) {
    std::array<std::vector<size_t>, kFamilies> of_family;
    for (size_t i = 0; i < reads.size(); ++i) {
      of_family[static_cast<size_t>(reads[i].family)].push_back(i);
    }
    for (size_t family = 0; family < kFamilies; ++family) {
      if (of_family[family].empty()) continue;
      std::vector<std::string_view> keys;
      for (const size_t i : of_family[family]) keys.push_back(reads[i].key);
      calls_.push_back({.verb = Verb::kGetMany,
                        .family = static_cast<Family>(family),
                        .parameters = {arrays_.emplace_back(ArrayOf(keys))}});
      of_call_.push_back(std::move(of_family[family]));
    }
  }

  const std::vector<Call>& calls() const { return calls_; }
  void Take(size_t call, const Result& result) {
    for (const size_t i : of_call_[call]) {
      reads_[i].row->Release();
      reads_[i].found = false;
    }
    for (int row = 0; row < result.rows(); ++row) {
      // Positions begin with 1.
      RowRead& read = reads_[of_call_[call][ReadBigEndian(result.Field(row, 0)) - 1]];
      read.found = true;
      ++ThreadWork().rows_read;
      read.row->Hold(result.Field(row, 1));
    }
  }

 private:
  const absl::Span<RowRead> reads_;
  std::vector<std::vector<size_t>> of_call_;  // positions among the reads
  std::list<std::string> arrays_;
  std::vector<Call> calls_;
};

}  // namespace

absl::StatusOr<bool> ReadRow(const RunCalls& run, Family family, std::string_view key, Row* row) {
  ++ThreadWork().gets;
  bool found = false;
  const Call call = {.verb = Verb::kGet, .family = family, .parameters = {key}};
  DYNOLITH_RETURN_IF_ERROR(run(absl::MakeConstSpan(&call, 1), [&](size_t, const Result& result) {
    found = TakeRow(result, row);
  }));
  return found;
}

absl::Status ReadRows(const RunCalls& run, absl::Span<RowRead> reads) {
  if (reads.empty()) return absl::OkStatus();
  ThreadWork().gets += reads.size();
  ManyReads many(reads);
  return run(many.calls(), [&](size_t call, const Result& result) { many.Take(call, result); });
}

Cursor ReadPages(const RunCalls& run, Family family, std::string_view begin, std::string_view end,
                 Direction direction, const ScanHints& hints, RowRead* with) {
  return Cursor(std::make_unique<PageCursor>(run, family, begin, end, direction, hints, with));
}

}  // namespace dynolith::postgres
