#include "tools/migrate/item_writes.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "api/remote/retries.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

using designs::MemberText;

constexpr absl::Duration kLongestWait = absl::Seconds(2);

std::string WriteRequest(const ItemWrite& write) {
  return Concat(write.is_deletion ? R"({"DeleteRequest":{"Key":)" : R"({"PutRequest":{"Item":)",
                PrintJson(write.tree), "}}");
}

double UnitsOf(const JsonTree& consumed) {
  return std::strtod(std::string(MemberText(consumed.Find("CapacityUnits"))).c_str(), nullptr);
}

// The writes of one batch.
class Batch {
 public:
  Batch(Work* work, Side::Caller* caller, const excerpt::TableKeys& keys)
      : work_(work), caller_(caller), keys_(keys) {
    AppendJsonString(keys.table, &table_);
  }

  absl::Status Write(const ItemWrite* begin, const ItemWrite* end) {
    std::string requests;
    for (const ItemWrite* write = begin; write != end; ++write) {
      if (!requests.empty()) requests += ',';
      requests += WriteRequest(*write);
    }
    client::Retries retries(
        {.attempts_max = 1 << 30, .delay_max = kLongestWait, .has_quota = false});
    client::Retries::Call pause(&retries);
    while (true) {
      if (!work_->writes()->Await(work_->to()->is_over())) {
        return absl::CancelledError(messages::MigrateStopped());
      }
      const client::ServiceAnswer answer =
          caller_->Call("BatchWriteItem",
                        Concat(R"({"RequestItems":{)", table_, ":[", requests,
                               R"(]},"ReturnConsumedCapacity":"TOTAL"})"),
                        work_->writes());
      if (IsOfItems(answer)) return WriteEach(begin, end);
      if (!answer.error.empty()) return work_->to()->ToStatus("BatchWriteItem", answer);
      const std::string left = Unprocessed(answer.output);
      const double bytes = static_cast<double>(requests.size()) -
                           static_cast<double>(std::min(left.size(), requests.size()));
      work_->writes()->Charge(ConsumedUnits(answer.output, bytes / kWriteUnitBytes));
      if (left.empty()) return absl::OkStatus();
      work_->writes()->SlowDown();
      requests = left;
      pause.WaitForNext(client::FailureKind::kTransient);
    }
  }

 private:
  // Whether one of the items is to blame.
  static bool IsOfItems(const client::ServiceAnswer& answer) {
    return answer.error == "ValidationException" || answer.error == "SerializationException" ||
           answer.error == "ItemCollectionSizeLimitExceededException";
  }

  // The requests that were not processed, with commas between them.
  std::string Unprocessed(const JsonTree& output) const {
    const JsonTree* const tables = output.Find("UnprocessedItems");
    const JsonTree* const requests = tables == nullptr ? nullptr : tables->Find(keys_.table);
    if (requests == nullptr) return "";
    std::string left;
    for (const JsonTree& request : requests->elements) {
      if (!left.empty()) left += ',';
      left += PrintJson(request);
    }
    return left;
  }

  absl::Status WriteEach(const ItemWrite* begin, const ItemWrite* end) {
    for (const ItemWrite* write = begin; write != end; ++write) {
      if (!work_->writes()->Await(work_->to()->is_over())) {
        return absl::CancelledError(messages::MigrateStopped());
      }
      const std::string_view operation = write->is_deletion ? "DeleteItem" : "PutItem";
      const std::string tree = PrintJson(write->tree);
      const client::ServiceAnswer answer = caller_->Call(
          operation,
          Concat(R"({"TableName":)", table_, write->is_deletion ? R"(,"Key":)" : R"(,"Item":)",
                 tree, R"(,"ReturnConsumedCapacity":"TOTAL"})"),
          work_->writes());
      if (IsOfItems(answer)) {
        work_->Refuse(keys_.table, messages::MigrateItemRefused(
                                       keys_.table, PrintJson(KeyOf(keys_, write->tree)),
                                       answer.error, answer.message));
        continue;
      }
      if (!answer.error.empty()) return work_->to()->ToStatus(operation, answer);
      work_->writes()->Charge(
          ConsumedUnits(answer.output, static_cast<double>(tree.size()) / kWriteUnitBytes));
    }
    return absl::OkStatus();
  }

  Work* const work_;
  Side::Caller* const caller_;
  const excerpt::TableKeys& keys_;
  std::string table_;  // as JSON
};

}  // namespace

double ConsumedUnits(const JsonTree& answer, double otherwise) {
  const JsonTree* const consumed = answer.Find("ConsumedCapacity");
  if (consumed == nullptr) return otherwise;
  if (consumed->kind == JsonTree::Kind::kMap) return UnitsOf(*consumed);
  if (consumed->elements.empty()) return otherwise;
  double units = 0;
  for (const JsonTree& each : consumed->elements) units += UnitsOf(each);
  return units;
}

absl::Status WriteItems(Work* work, Side::Caller* caller, const excerpt::TableKeys& keys,
                        const std::vector<ItemWrite>& writes) {
  Batch batch(work, caller, keys);
  for (size_t begin = 0; begin < writes.size(); begin += kBatchWriteRequestsMax) {
    const size_t end = std::min(writes.size(), begin + kBatchWriteRequestsMax);
    DYNOLITH_RETURN_IF_ERROR(batch.Write(writes.data() + begin, writes.data() + end));
  }
  return absl::OkStatus();
}

}  // namespace dynolith::migrate
