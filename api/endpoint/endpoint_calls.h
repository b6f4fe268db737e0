// The operations of a database behind an endpoint: a request's structure to JSON, the call, its
// answer to the output's structure or to a status.
#ifndef DYNOLITH_API_ENDPOINT_ENDPOINT_CALLS_H_
#define DYNOLITH_API_ENDPOINT_ENDPOINT_CALLS_H_

#include <atomic>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/database/remote_calls.h"
#include "api/endpoint/json_service.h"
#include "api/remote/retries.h"
#include "dynolith/requests.h"
#include "engine/process/forked_process.h"

namespace dynolith {

// Thread-safe.
class EndpointCalls final : public RemoteCalls {
 public:
  // Borrows all arguments. `endpoint`: for messages. `retries`: of batches that were done in part.
  EndpointCalls(JsonService* service, std::string_view endpoint, client::Retries* retries)
      : service_(service), endpoint_(endpoint), retries_(retries) {}

  // A batch of which the service leaves out a part is called again with that, by the rules for
  // throttled calls; what is left out in the end is in the output.
  absl::Status Call(std::string_view operation, const void* request, void* output) override;
  absl::StatusOr<GetItemOutput> GetItem(const GetItemRequest& request, ItemSink sink) override;
  absl::StatusOr<BatchGetItemOutput> BatchGetItem(const BatchGetItemRequest& request,
                                                  TableItemSink sink) override;
  absl::StatusOr<PageOutput> Query(const QueryRequest& request, ItemSink sink) override;
  absl::StatusOr<PageOutput> Scan(const ScanRequest& request, ItemSink sink) override;

  // Database::Interrupt.
  void Interrupt() { interrupted_ = true; }
  const MakingProcess& process() const { return process_; }
  const std::string& endpoint() const { return endpoint_; }

 private:
  absl::Status CallOnce(std::string_view operation, const void* request, void* output);
  absl::Status WriteBatch(const BatchWriteItemRequest& request, BatchWriteItemOutput* output);
  absl::Status ReadBatch(const BatchGetItemRequest& request, BatchGetItemOutput* output);

  const MakingProcess process_{};
  JsonService* const service_;
  const std::string endpoint_;
  client::Retries* const retries_;
  std::atomic<bool> interrupted_{false};
};

}  // namespace dynolith

#endif  // DYNOLITH_API_ENDPOINT_ENDPOINT_CALLS_H_
