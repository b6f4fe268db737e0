// The next turn of very many participants: a calendar queue (Brown, 1988). A turn costs about one
// cache miss, however many there are, where a heap costs one for each of its levels.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_TURN_QUEUE_H_
#define DYNOLITH_TOOLS_LAB_LOAD_TURN_QUEUE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "engine/partition/tokens.h"

namespace dynolith::lab {

// The next turn of one participant.
struct Turn {
  Micros at = 0;
  uint32_t who = 0;
  uint32_t what = 0;

  // The order of turns; no participant has two at once.
  friend bool operator<(const Turn& left, const Turn& right) {
    return left.at != right.at ? left.at < right.at : left.who < right.who;
  }
  friend bool operator>(const Turn& left, const Turn& right) { return right < left; }
};

// Thread-compatible.
class TurnQueue {
 public:
  // `turns`: the first turn of each participant. `gap`: microseconds between two turns of a
  // participant, on average. Requires: some turns.
  TurnQueue(std::vector<Turn> turns, double gap) : far_(std::move(turns)) {
    const auto all = static_cast<double>(far_.size());
    width_ = std::max<Micros>(1, std::llround(gap * kTurnsOfPage / all));
    const double pages = std::min(kGapsOfPages * gap / static_cast<double>(width_), all);
    pages_.resize(std::max(kPagesMin, static_cast<size_t>(pages)));
    open_ = pages_.size() - 1;
    TurnPages();
  }

  const Turn& next() const { return has_late_next() ? late_.front() : page_[at_]; }
  // A turn about `ahead` turns behind the next one, so that callers can prefetch its data; nullptr:
  // not yet known.
  const Turn* Ahead(size_t ahead) const {
    return at_ + ahead < page_.size() ? &page_[at_ + ahead] : nullptr;
  }
  // Ends the next turn; `turn` is the next one of the same participant. Requires: it is not before
  // next().
  void Replace(const Turn& turn) {
    if (has_late_next()) {
      std::pop_heap(late_.begin(), late_.end(), std::greater<>());
      late_.pop_back();
    } else {
      ++at_;
    }
    const uint64_t ahead = PagesAhead(turn);
    if (ahead == 0) {
      late_.push_back(turn);
      std::push_heap(late_.begin(), late_.end(), std::greater<>());
    } else {
      (open_ + ahead < pages_.size() ? pages_[open_ + ahead] : far_).push_back(turn);
    }
    if (at_ == page_.size() && late_.empty()) TurnPages();
  }

 private:
  bool has_late_next() const {
    return !late_.empty() && (at_ == page_.size() || late_.front() < page_[at_]);
  }
  uint64_t PagesAhead(const Turn& turn) const {
    return static_cast<uint64_t>((turn.at - begin_) / width_);
  }
  // Opens the next page that is not empty.
  void TurnPages() {
    page_.clear();
    at_ = 0;
    while (page_.empty()) {
      begin_ += width_;
      if (++open_ == pages_.size()) BeginCalendar();
      std::swap(page_, pages_[open_]);
    }
    std::sort(page_.begin(), page_.end());
  }
  // Begins at the first turn: all turns are far.
  void BeginCalendar() {
    open_ = 0;
    begin_ = std::min_element(far_.begin(), far_.end())->at;
    for (const Turn& turn : std::exchange(far_, {})) {
      const uint64_t ahead = PagesAhead(turn);
      (ahead < pages_.size() ? pages_[ahead] : far_).push_back(turn);
    }
  }

  static constexpr size_t kPagesMin = 16;
  // Turns of a page: few enough for sorting in a core's cache.
  static constexpr double kTurnsOfPage = 256;
  // The duration of all pages together, as a multiple of the gap between turns.
  static constexpr double kGapsOfPages = 4;

  // A page of the calendar holds the turns of `width_` microseconds. Only the open page is sorted.
  Micros width_ = 1;
  Micros begin_ = 0;  // of the open page
  size_t open_ = 0;   // of pages_
  std::vector<std::vector<Turn>> pages_;
  std::vector<Turn> far_;   // behind all pages
  std::vector<Turn> page_;  // the open page, sorted; turns before at_ are over
  size_t at_ = 0;
  std::vector<Turn> late_;  // a heap: turns of the open page that were added after it was opened
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_TURN_QUEUE_H_
