// The operations as methods of the database: each method calls a function of its context and a
// request.
#include "dynolith/database.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "api/database/all_operations.h"
#include "api/database/messages.h"
#include "api/database/remote_calls.h"
#include "api/faults/faulty_call.h"
#include "api/stream/change_watch.h"
#include "engine/base/status_macros.h"
#include "engine/model/check_members.h"
#include "engine/model/members.h"
#include "engine/store/work_counters.h"

namespace dynolith {
namespace {

// Copies an item that a sink receives.
Item CopyCounted(ItemView item) {
  WorkCounters& work = ThreadWork();
  ++work.item_copies;
  work.bytes_copied += item.bytes().size();
  return Item::Copy(item);
}

// Collects the items of a Query or Scan in a list.
absl::StatusOr<PageOutput> CollectPage(
    absl::FunctionRef<absl::StatusOr<PageOutput>(ItemSink)> page) {
  std::vector<Item> items;
  DYNOLITH_ASSIGN_OR_RETURN(PageOutput output,
                            page([&items](ItemView item) { items.push_back(CopyCounted(item)); }));
  output.items = std::move(items);
  return output;
}

// Asks an endpoint for an operation; `Output` is void if it has none.
template <typename Output, typename Request>
auto Ask(RemoteCalls* remote, std::string_view operation, const Request& request) {
  if constexpr (std::is_void_v<Output>) {
    return remote->Call(operation, &request, nullptr);
  } else {
    absl::StatusOr<Output> output{Output()};
    absl::Status status = remote->Call(operation, &request, &*output);
    if (!status.ok()) output = std::move(status);
    return output;
  }
}

}  // namespace

absl::StatusOr<GetItemOutput> Database::GetItem(const GetItemRequest& request) {
  if (remote_ != nullptr) return Ask<GetItemOutput>(remote_, "GetItem", request);
  std::optional<Item> copy;
  DYNOLITH_ASSIGN_OR_RETURN(GetItemOutput output,
                            GetItem(request, [&copy](ItemView item) { copy = CopyCounted(item); }));
  output.item = std::move(copy);
  return output;
}

absl::StatusOr<GetItemOutput> Database::GetItem(const GetItemRequest& request, ItemSink sink) {
  if (remote_ != nullptr) return remote_->GetItem(request, sink);
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(ShapeAt(members::GetItemInput::kShape), &request));
  return WithFaults(context(), "GetItem", request, nullptr, [&](const OperationContext& given) {
    return dynolith::GetItem(given, request, sink);
  });
}

absl::StatusOr<BatchGetItemOutput> Database::BatchGetItem(const BatchGetItemRequest& request) {
  if (remote_ != nullptr) return Ask<BatchGetItemOutput>(remote_, "BatchGetItem", request);
  std::vector<std::pair<std::string, std::vector<Item>>> responses;
  responses.reserve(request.request_items.size());
  for (const auto& [name, part] : request.request_items) {
    responses.emplace_back(name, std::vector<Item>()).second.reserve(part.keys.size());
  }
  const auto copy = [&](size_t table, ItemView item) {
    responses[table].second.push_back(CopyCounted(item));
  };
  DYNOLITH_ASSIGN_OR_RETURN(BatchGetItemOutput output, BatchGetItem(request, copy));
  output.responses = std::move(responses);
  return output;
}

absl::StatusOr<BatchGetItemOutput> Database::BatchGetItem(const BatchGetItemRequest& request,
                                                          TableItemSink sink) {
  if (remote_ != nullptr) return remote_->BatchGetItem(request, sink);
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(ShapeAt(members::BatchGetItemInput::kShape), &request));
  return WithFaults(
      context(), "BatchGetItem", request, nullptr,
      [&](const OperationContext& given) { return dynolith::BatchGetItem(given, request, sink); });
}

absl::StatusOr<PageOutput> Database::Query(const QueryRequest& request) {
  if (remote_ != nullptr) return Ask<PageOutput>(remote_, "Query", request);
  return CollectPage([&](ItemSink sink) { return Query(request, sink); });
}

absl::StatusOr<PageOutput> Database::Query(const QueryRequest& request, ItemSink sink) {
  if (remote_ != nullptr) return remote_->Query(request, sink);
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(ShapeAt(members::QueryInput::kShape), &request));
  return WithFaults(context(), "Query", request, nullptr, [&](const OperationContext& given) {
    return dynolith::Query(given, request, sink);
  });
}

absl::StatusOr<PageOutput> Database::Scan(const ScanRequest& request) {
  if (remote_ != nullptr) return Ask<PageOutput>(remote_, "Scan", request);
  return CollectPage([&](ItemSink sink) { return Scan(request, sink); });
}

absl::StatusOr<PageOutput> Database::Scan(const ScanRequest& request, ItemSink sink) {
  if (remote_ != nullptr) return remote_->Scan(request, sink);
  DYNOLITH_RETURN_IF_ERROR(CheckMembers(ShapeAt(members::ScanInput::kShape), &request));
  return WithFaults(context(), "Scan", request, nullptr, [&](const OperationContext& given) {
    return dynolith::Scan(given, request, sink);
  });
}

absl::Status Database::CatchUp() {
  return absl::FailedPreconditionError(messages::FollowsNobody());
}

absl::StatusOr<std::unique_ptr<ChangeWatch>> Database::Watch(
    const ChangesFrom& from, std::function<void(const PlacedChange&)> function) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<ChangeReader> reader, ReadChanges(from));
  return ThreadChangeWatch::Start(std::move(reader), std::move(function));
}

#include "engine/model/definitions.inc"

}  // namespace dynolith
