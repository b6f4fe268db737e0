#include "dynolith/pager.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "api/database/messages.h"
#include "dynolith/database.h"

namespace dynolith {

template <typename Request>
Pager<Request>::~Pager() {
  if (status_.ok() || is_looked_at_ || std::uncaught_exceptions() > 0) return;
  std::fprintf(stderr, "%s\n", messages::PagerFailureUnseen(status_.ToString()).c_str());
  std::abort();
}

template <typename Request>
void Pager<Request>::ReadPages() {
  position_ = 0;
  page_.items.clear();
  while (has_more_ && page_.items.empty()) {
    absl::StatusOr<PageOutput> page;
    if constexpr (std::is_same_v<Request, QueryRequest>) {
      page = database_->Query(request_);
    } else {
      page = database_->Scan(request_);
    }
    has_more_ = page.ok() && page->last_evaluated_key.has_value();
    if (!page.ok()) {
      status_ = page.status();
      is_looked_at_ = false;
      return;
    }
    page_ = *std::move(page);
    count_ += page_.count;
    scanned_count_ += page_.scanned_count;
    request_.exclusive_start_key = page_.last_evaluated_key;
  }
}

template class Pager<QueryRequest>;
template class Pager<ScanRequest>;

Pager<QueryRequest> Database::QueryAll(QueryRequest request) {
  return Pager<QueryRequest>(this, std::move(request));
}

Pager<ScanRequest> Database::ScanAll(ScanRequest request) {
  return Pager<ScanRequest>(this, std::move(request));
}

Pager<QueryRequest> QueryAll(Database& database, QueryRequest request) {
  return database.QueryAll(std::move(request));
}

Pager<ScanRequest> ScanAll(Database& database, ScanRequest request) {
  return database.ScanAll(std::move(request));
}

}  // namespace dynolith
