#include "tools/migrate/table_scan.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/item_writes.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

constexpr double kPageBytes = 1 << 20;

}  // namespace

absl::Status ScanSegment(Side* side, Side::Caller* caller, const ScanOptions& options,
                         RateLimiter* limiter,
                         const std::function<absl::Status(ScanPage* page)>& take) {
  std::string fixed = R"({"TableName":)";
  AppendJsonString(options.table, &fixed);
  fixed += R"(,"ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL")";
  if (options.segments > 1) {
    fixed += Concat(R"(,"Segment":)", options.segment, R"(,"TotalSegments":)", options.segments);
  }
  if (options.items_max > 0) fixed += Concat(R"(,"Limit":)", options.items_max);
  if (options.counts_only) fixed += R"(,"Select":"COUNT")";
  ScanPage page;
  page.after = options.after;
  do {
    if (!limiter->Await(side->is_over())) return absl::CancelledError(messages::MigrateStopped());
    const std::string start =
        page.after.empty() ? std::string() : Concat(R"(,"ExclusiveStartKey":)", page.after);
    client::ServiceAnswer answer = caller->Call("Scan", Concat(fixed, start, "}"), limiter);
    if (!answer.error.empty()) return side->ToStatus("Scan", answer);
    JsonTree items = designs::TakeMember(&answer.output, "Items");
    page.items = std::move(items.elements);
    page.count = std::strtoull(
        std::string(designs::MemberText(answer.output.Find("Count"))).c_str(), nullptr, 10);
    const JsonTree* const last = answer.output.Find("LastEvaluatedKey");
    page.after = last == nullptr || last->members.empty() ? "" : PrintJson(*last);
    size_t bytes = 0;
    if (answer.output.Find("ConsumedCapacity") == nullptr) {
      for (const JsonTree& item : page.items) bytes += PrintJson(item).size();
    }
    limiter->Charge(ConsumedUnits(answer.output, static_cast<double>(bytes) / kReadUnitBytes));
    DYNOLITH_RETURN_IF_ERROR(take(&page));
  } while (!page.after.empty());
  return absl::OkStatus();
}

size_t PageItems(double rate, size_t threads, uint64_t items, uint64_t bytes) {
  if (rate <= 0) return 0;
  const double item_bytes =
      items == 0 ? kReadUnitBytes : static_cast<double>(bytes) / static_cast<double>(items);
  const double page_bytes = std::min(
      kPageBytes, rate * kReadUnitBytes / static_cast<double>(std::max<size_t>(threads, 1)));
  return std::max<size_t>(1, static_cast<size_t>(page_bytes / std::max(item_bytes, 1.0)));
}

}  // namespace dynolith::migrate
