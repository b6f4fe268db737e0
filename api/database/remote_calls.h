// The operations of a database behind an endpoint, for the methods of Database.
#ifndef DYNOLITH_API_DATABASE_REMOTE_CALLS_H_
#define DYNOLITH_API_DATABASE_REMOTE_CALLS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dynolith/item_sink.h"
#include "dynolith/requests.h"

namespace dynolith {

// Errors: the service's; kUnavailable where there is no answer; kDataLoss for an answer that cannot
// be read. Thread-safe.
class RemoteCalls {
 public:
  virtual ~RemoteCalls() = default;

  // `operation`: "PutItem". `request` and `output` are of the C++ types to which its shapes are
  // bound; `output` is newly made, and nullptr if there is none.
  virtual absl::Status Call(std::string_view operation, const void* request, void* output) = 0;

  // As the methods of Database.
  virtual absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request, ItemSink sink) = 0;
  virtual absl::StatusOr<BatchGetItemOutput> BatchGetItem(const BatchGetItemRequest& request,
                                                          TableItemSink sink) = 0;
  virtual absl::StatusOr<PageOutput> Query(const QueryRequest& request, ItemSink sink) = 0;
  virtual absl::StatusOr<PageOutput> Scan(const ScanRequest& request, ItemSink sink) = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_REMOTE_CALLS_H_
