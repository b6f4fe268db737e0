// All items of a Query or a Scan, page after page, as a range.
//
//   auto songs = database->QueryAll({.table_name = "music", ...});
//   for (const Item& song : songs) ...
//   if (!songs.status().ok()) ...
//
// A failure ends the loop early, so check status() after it. If a pager is destroyed with an
// unchecked failure, the program ends and prints the failure, as StatusOr::value() does. So use a
// loop over a temporary pager only in programs that accept this:
//
//   for (const Item& song : dynolith::QueryAll(*database, request)) ...
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_PAGER_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_PAGER_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "dynolith/requests.h"

namespace dynolith {

class Database;

// `Request` is QueryRequest or ScanRequest. Its limit is the size of a page, its
// exclusive_start_key the start of the first one. Empty pages, which a filter leaves, are skipped.
// With Select kCount there are no items at all, but count() has the number of all pages after the
// loop.
//
// One pass: begin() reads the first page; called again, it continues at the pager's position. Each
// item has been copied once, and may be moved out of the loop. Belongs to one thread at a time;
// must be destroyed before its database.
template <typename Request>
class [[nodiscard]] Pager {
 public:
  Pager(Database* database, Request request) : database_(database), request_(std::move(request)) {}
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  ~Pager();

  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(Pager* pager) : pager_(pager) {}
    // Valid until the next increment.
    Item& operator*() const { return pager_->page_.items[pager_->position_]; }
    Item* operator->() const { return &**this; }
    Iterator& operator++() {
      pager_->Advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) { return it.IsAtEnd(); }

   private:
    bool IsAtEnd() const { return pager_->position_ == pager_->page_.items.size(); }

    Pager* pager_;
  };

  Iterator begin() ABSL_ATTRIBUTE_LIFETIME_BOUND {
    if (position_ == page_.items.size()) ReadPages();
    return Iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

  // The reason for the end of the items; OK when all of them were seen, and as long as more may
  // come.
  const absl::Status& status() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    is_looked_at_ = true;
    return status_;
  }
  // The count of the pages read so far, as the service counts.
  int64_t count() const { return count_; }
  int64_t scanned_count() const { return scanned_count_; }
  // The current page: its last_evaluated_key, from which another pager continues after the whole
  // page, and its consumed_capacity.
  const PageOutput& page() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return page_; }

 private:
  void Advance() {
    if (++position_ == page_.items.size()) ReadPages();
  }
  // Reads on until a page has items, or there are no more pages, or one fails.
  void ReadPages();

  Database* const database_;
  Request request_;
  PageOutput page_;
  size_t position_ = 0;  // in page_.items
  bool has_more_ = true;
  mutable bool is_looked_at_ = false;  // whether the caller has checked the failure
  int64_t count_ = 0;
  int64_t scanned_count_ = 0;
  absl::Status status_;
};

extern template class Pager<QueryRequest>;
extern template class Pager<ScanRequest>;

// `database` must outlive the pager.
Pager<QueryRequest> QueryAll(Database& database, QueryRequest request);
Pager<ScanRequest> ScanAll(Database& database, ScanRequest request);

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_PAGER_H_
