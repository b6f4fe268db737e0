// A call of the service and its result, for any target.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_SERVICE_CALL_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_SERVICE_CALL_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "dynolith/requests.h"
#include "engine/value/attachments.h"
#include "engine/value/item.h"

namespace dynolith::lab {

using ServiceCall =
    std::variant<GetItemRequest, BatchGetItemRequest, TransactGetItemsRequest, QueryRequest,
                 ScanRequest, PutItemRequest, UpdateItemRequest, DeleteItemRequest,
                 BatchWriteItemRequest, TransactWriteItemsRequest, CreateTableRequest,
                 DescribeTableRequest, DeleteTableRequest>;

struct CallAnswer {
  enum class Outcome : uint8_t { kServed, kThrottled, kFailed };
  struct Consumed {
    std::string table;
    std::string index;  // empty: the table itself, local indexes included
    double units = 0;
  };

  Outcome outcome = Outcome::kServed;
  std::string error;    // the exception's name; without an answer, the reason
  std::string message;  // of the error
  std::vector<ThrottlingReason> reasons;
  std::vector<Consumed> consumed;
  std::vector<Item> left;        // of a batch: keys or items that were not processed
  std::optional<Item> last_key;  // of a page: where the next one begins
  int64_t items = 0;             // of a page: the evaluated items
  bool is_active = false;        // of DescribeTable
  // For DescribeTable: the bytes of the table with its local indexes, and of each global index by
  // its name.
  int64_t table_bytes = 0;
  std::map<std::string, int64_t> index_bytes;
  // When the answer arrived, before it was parsed.
  std::chrono::steady_clock::time_point at;
};

// Whether this error throttles: "ThrottlingException" and its like.
bool IsThrottlingException(std::string_view name);
// Whether this code of a cancelled transaction's reason means throttling.
bool IsThrottlingCode(std::string_view code);

// Waits for each answer; one call at a time.
class MeasuredConnection {
 public:
  virtual ~MeasuredConnection() = default;
  virtual CallAnswer Call(const ServiceCall& call) = 0;
};

// The server or library that answers. Thread-safe.
class MeasuredTarget {
 public:
  virtual ~MeasuredTarget() = default;
  virtual std::unique_ptr<MeasuredConnection> Connect() = 0;
  // A readable name: "http://localhost:8000".
  virtual std::string name() const = 0;
  // The largest useful number of connections.
  virtual size_t connections_max() const = 0;
  // The largest warm throughput that a table may have, if known; units a second.
  virtual std::optional<int64_t> warm_max() const { return std::nullopt; }
  // Whether DescribeTable reports current sizes.
  virtual bool knows_storage() const { return false; }
  // Turns throttling off while items are loaded, if the target can.
  virtual void BeginLoading(const std::vector<std::string>& /*tables*/) {}
  virtual void EndLoading(const std::vector<std::string>& /*tables*/) {}
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_SERVICE_CALL_H_
