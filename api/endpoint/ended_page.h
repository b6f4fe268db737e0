// The items of an answered page, handed to a sink that may end it.
#ifndef DYNOLITH_API_ENDPOINT_ENDED_PAGE_H_
#define DYNOLITH_API_ENDPOINT_ENDED_PAGE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/database/remote_calls.h"
#include "dynolith/item_sink.h"
#include "dynolith/requests.h"

namespace dynolith {

// What a page was read from.
struct PageSource {
  std::string_view table;
  const std::optional<std::string>& index;
  bool is_filtered = false;
};

// Hands the items over; afterwards the page has none. If the sink ends it early, the page's count
// is that of the items handed over, and so is its scanned_count without a filter; with one it
// remains that of the whole page, as its consumption does. Its last_evaluated_key is then that of
// the last item, for which the table is described if the service has given no key.
//
// Errors: kFailedPrecondition if that item lacks its key; those of DescribeTable.
absl::Status DeliverPage(const PageSource& source, ItemSink sink, RemoteCalls* calls,
                         PageOutput* page);

}  // namespace dynolith

#endif  // DYNOLITH_API_ENDPOINT_ENDED_PAGE_H_
