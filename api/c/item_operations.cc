// Operations on items as bytes: the methods of the C++ face, without JSON.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "api/c/database_handle.h"
#include "api/c/error_handle.h"
#include "api/c/item_check.h"
#include "api/c/messages.h"
#include "dynolith/database.h"
#include "dynolith/dynolith.h"
#include "engine/base/status_macros.h"
#include "engine/value/attachments.h"

namespace dynolith::c {
namespace {

// Behind dynolith_buffer::memory.
using BufferMemory = std::string;

void Empty(dynolith_buffer* buffer) {
  if (buffer != nullptr) buffer->item = {nullptr, 0};
}

// An argument, before a buffer that it may lie in is emptied.
dynolith_item Given(const dynolith_item* item) {
  return item != nullptr ? *item : dynolith_item{nullptr, 0};
}

void Keep(ItemView item, dynolith_buffer* buffer) {
  if (buffer->memory == nullptr) buffer->memory = new BufferMemory;
  auto* const memory = static_cast<BufferMemory*>(buffer->memory);
  memory->assign(item.bytes());
  buffer->item = {memory->data(), memory->size()};
}

void SetText(const char* text, size_t size, std::optional<std::string>* to) {
  if (text != nullptr) to->emplace(text, size);
}

absl::Status SetItem(std::string_view name, const dynolith_item* item, std::optional<Item>* to) {
  if (item == nullptr) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const ItemView view, CheckItem(name, item));
  to->emplace(Item::Copy(view));
  return absl::OkStatus();
}

using Names = std::vector<std::pair<std::string, std::string>>;

absl::Status SetNames(const dynolith_item* item, std::optional<Names>* to) {
  if (item == nullptr) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const ItemView view, CheckItem("names", item));
  Names names;
  for (const auto& [name, value] : view) {
    if (value.type() != Type::kString) {
      return absl::InvalidArgumentError(messages::NameIsNoText(name));
    }
    names.emplace_back(name, value.string());
  }
  *to = std::move(names);
  return absl::OkStatus();
}

// What Put and Delete have in common; `to` is either's request.
template <typename Request>
absl::Status SetCondition(const dynolith_condition* condition, const dynolith_buffer* old,
                          Request* to) {
  if (old != nullptr) {
    to->return_values = ReturnValues::kAllOld;
    to->return_values_on_condition_check_failure = ReturnValuesOnConditionCheckFailure::kAllOld;
  }
  if (condition == nullptr) return absl::OkStatus();
  to->condition_expression.emplace(condition->expression, condition->expression_size);
  DYNOLITH_RETURN_IF_ERROR(SetItem("values", condition->values, &to->expression_attribute_values));
  return SetNames(condition->names, &to->expression_attribute_names);
}

absl::Status KeepOld(const absl::StatusOr<WriteOutput>& output, dynolith_buffer* old) {
  if (output.ok()) {
    if (old != nullptr && output->attributes) Keep(output->attributes->view(), old);
    return absl::OkStatus();
  }
  if (old != nullptr) {
    const std::optional<Item> item = AttachedItem(output.status());
    if (item) Keep(item->view(), old);
  }
  return output.status();
}

absl::StatusOr<QueryRequest> ToQueryRequest(const dynolith_query_options* given) {
  // An older program's options are shorter, and the rest is as if it were left out.
  dynolith_query_options options{};
  std::memcpy(&options, given, std::min(given->struct_size, sizeof options));
  QueryRequest request;
  request.table_name.assign(options.table, options.table_size);
  SetText(options.index, options.index_size, &request.index_name);
  SetText(options.key_condition, options.key_condition_size, &request.key_condition_expression);
  SetText(options.filter, options.filter_size, &request.filter_expression);
  SetText(options.projection, options.projection_size, &request.projection_expression);
  DYNOLITH_RETURN_IF_ERROR(SetItem("values", options.values, &request.expression_attribute_values));
  DYNOLITH_RETURN_IF_ERROR(SetNames(options.names, &request.expression_attribute_names));
  DYNOLITH_RETURN_IF_ERROR(SetItem("start_key", options.start_key, &request.exclusive_start_key));
  if (options.limit != 0) request.limit = options.limit;
  request.scan_index_forward = options.is_backward == 0;
  request.consistent_read = options.is_consistent != 0;
  return request;
}

}  // namespace
}  // namespace dynolith::c

using dynolith::c::Guarded;

void dynolith_buffer_free(dynolith_buffer* buffer) {
  if (buffer == nullptr) return;
  delete static_cast<dynolith::c::BufferMemory*>(buffer->memory);
  *buffer = dynolith_buffer();
}

dynolith_error* dynolith_get(dynolith_database* database, const char* table, size_t table_size,
                             const dynolith_item* key, int32_t is_consistent,
                             dynolith_buffer* found) {
  const dynolith_item given = dynolith::c::Given(key);
  dynolith::c::Empty(found);
  return Guarded([&]() -> absl::Status {
    DYNOLITH_ASSIGN_OR_RETURN(const dynolith::ItemView view, dynolith::c::CheckItem("key", &given));
    const dynolith::GetItemRequest request{.table_name = std::string(table, table_size),
                                           .key = dynolith::Item::Copy(view),
                                           .consistent_read = is_consistent != 0};
    DYNOLITH_ASSIGN_OR_RETURN(const dynolith::DatabaseInstance::Use use,
                              dynolith::c::Begin(*database));
    return use.database()
        ->GetItem(request, [&](dynolith::ItemView item) { dynolith::c::Keep(item, found); })
        .status();
  });
}

dynolith_error* dynolith_put(dynolith_database* database, const char* table, size_t table_size,
                             const dynolith_item* item, const dynolith_condition* condition,
                             dynolith_buffer* old) {
  const dynolith_item given = dynolith::c::Given(item);
  dynolith::c::Empty(old);
  return Guarded([&]() -> absl::Status {
    DYNOLITH_ASSIGN_OR_RETURN(const dynolith::ItemView view,
                              dynolith::c::CheckItem("item", &given));
    dynolith::PutItemRequest request{.table_name = std::string(table, table_size),
                                     .item = dynolith::Item::Copy(view)};
    DYNOLITH_RETURN_IF_ERROR(dynolith::c::SetCondition(condition, old, &request));
    DYNOLITH_ASSIGN_OR_RETURN(const dynolith::DatabaseInstance::Use use,
                              dynolith::c::Begin(*database));
    return dynolith::c::KeepOld(use.database()->PutItem(request), old);
  });
}

dynolith_error* dynolith_delete(dynolith_database* database, const char* table, size_t table_size,
                                const dynolith_item* key, const dynolith_condition* condition,
                                dynolith_buffer* old) {
  const dynolith_item given = dynolith::c::Given(key);
  dynolith::c::Empty(old);
  return Guarded([&]() -> absl::Status {
    DYNOLITH_ASSIGN_OR_RETURN(const dynolith::ItemView view, dynolith::c::CheckItem("key", &given));
    dynolith::DeleteItemRequest request{.table_name = std::string(table, table_size),
                                        .key = dynolith::Item::Copy(view)};
    DYNOLITH_RETURN_IF_ERROR(dynolith::c::SetCondition(condition, old, &request));
    DYNOLITH_ASSIGN_OR_RETURN(const dynolith::DatabaseInstance::Use use,
                              dynolith::c::Begin(*database));
    return dynolith::c::KeepOld(use.database()->DeleteItem(request), old);
  });
}

dynolith_error* dynolith_query(dynolith_database* database, const dynolith_query_options* options,
                               dynolith_sink sink, void* context, dynolith_page* page) {
  return Guarded([&]() -> absl::Status {
    const absl::StatusOr<dynolith::QueryRequest> request = dynolith::c::ToQueryRequest(options);
    // Not before: the start key may be this page's last.
    if (page != nullptr) {
      page->count = page->scanned_count = 0;
      dynolith::c::Empty(&page->last_key);
    }
    DYNOLITH_RETURN_IF_ERROR(request.status());
    DYNOLITH_ASSIGN_OR_RETURN(const dynolith::DatabaseInstance::Use use,
                              dynolith::c::Begin(*database));
    DYNOLITH_ASSIGN_OR_RETURN(const dynolith::PageOutput output,
                              use.database()->Query(*request, [&](dynolith::ItemView view) {
                                const dynolith_item item = dynolith::c::Lent(view);
                                return sink(context, &item) == 0 ? dynolith::SinkAnswer::kContinue
                                                                 : dynolith::SinkAnswer::kStop;
                              }));
    if (page == nullptr) return absl::OkStatus();
    page->count = output.count;
    page->scanned_count = output.scanned_count;
    if (output.last_evaluated_key) {
      dynolith::c::Keep(output.last_evaluated_key->view(), &page->last_key);
    }
    return absl::OkStatus();
  });
}
