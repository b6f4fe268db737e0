#include "tools/lab/measure/library_target.h"

#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/lab/measure/messages.h"

namespace dynolith::lab {
namespace {

void AddConsumed(const ConsumedCapacity& consumed, CallAnswer* answer) {
  double own = consumed.table ? consumed.table->capacity_units : consumed.capacity_units;
  for (const auto& [name, local] : consumed.local_secondary_indexes) own += local.capacity_units;
  if (own > 0) answer->consumed.push_back({consumed.table_name, "", own});
  for (const auto& [name, index] : consumed.global_secondary_indexes) {
    answer->consumed.push_back({consumed.table_name, name, index.capacity_units});
  }
}

void AddConsumed(const std::optional<ConsumedCapacity>& consumed, CallAnswer* answer) {
  if (consumed) AddConsumed(*consumed, answer);
}
void AddConsumed(const std::vector<ConsumedCapacity>& all, CallAnswer* answer) {
  for (const ConsumedCapacity& consumed : all) AddConsumed(consumed, answer);
}

void Digest(const BatchGetItemOutput& output, CallAnswer* answer) {
  for (const auto& [table, keys] : output.unprocessed_keys) {
    answer->left.insert(answer->left.end(), keys.keys.begin(), keys.keys.end());
  }
}
void Digest(const BatchWriteItemOutput& output, CallAnswer* answer) {
  for (const auto& [table, writes] : output.unprocessed_items) {
    for (const WriteRequest& write : writes) {
      if (write.put) answer->left.push_back(*write.put);
    }
  }
}
void Digest(const PageOutput& output, CallAnswer* answer) {
  answer->items = output.scanned_count;
  answer->last_key = output.last_evaluated_key;
}
void Digest(const TableDescription& table, CallAnswer* answer) {
  answer->is_active = table.table_status == TableStatus::kActive;
  answer->table_bytes = table.table_size_bytes;
  for (const auto& index : table.local_secondary_indexes) {
    answer->table_bytes += index.index_size_bytes;
  }
  for (const auto& index : table.global_secondary_indexes) {
    answer->is_active = answer->is_active && index.index_status == IndexStatus::kActive;
    answer->index_bytes[index.index_name] = index.index_size_bytes;
  }
}
template <typename Output>
void Digest(const Output&, CallAnswer*) {}

CallAnswer ToFailedAnswer(const absl::Status& status) {
  CallAnswer answer;
  answer.error = InfoOf(KindOf(status)).exception_name;
  answer.message = MessageOf(status);
  answer.reasons = AttachedThrottling(status);
  bool is_throttled = IsThrottled(status);
  for (const CancellationReason& reason : AttachedReasons(status)) {
    is_throttled = is_throttled || IsThrottlingCode(reason.code);
  }
  answer.outcome = is_throttled ? CallAnswer::Outcome::kThrottled : CallAnswer::Outcome::kFailed;
  return answer;
}

// The method of each request.
#define DYNOLITH_LAB_CALL(name) \
  auto Run(Database* database, const name##Request& request) { return database->name(request); }
DYNOLITH_LAB_CALL(GetItem)
DYNOLITH_LAB_CALL(BatchGetItem)
DYNOLITH_LAB_CALL(TransactGetItems)
DYNOLITH_LAB_CALL(Query)
DYNOLITH_LAB_CALL(Scan)
DYNOLITH_LAB_CALL(PutItem)
DYNOLITH_LAB_CALL(UpdateItem)
DYNOLITH_LAB_CALL(DeleteItem)
DYNOLITH_LAB_CALL(BatchWriteItem)
DYNOLITH_LAB_CALL(TransactWriteItems)
DYNOLITH_LAB_CALL(CreateTable)
DYNOLITH_LAB_CALL(DescribeTable)
DYNOLITH_LAB_CALL(DeleteTable)
#undef DYNOLITH_LAB_CALL

class LibraryConnection final : public MeasuredConnection {
 public:
  explicit LibraryConnection(Database* database) : database_(database) {}

  CallAnswer Call(const ServiceCall& call) override {
    return std::visit([this](const auto& request) { return Ask(request); }, call);
  }

 private:
  template <typename Request>
  CallAnswer Ask(const Request& request) {
    const auto output = Run(database_, request);
    const auto at = std::chrono::steady_clock::now();
    CallAnswer answer;
    if (!output.ok()) {
      answer = ToFailedAnswer(output.status());
    } else {
      if constexpr (requires { output->consumed_capacity; }) {
        AddConsumed(output->consumed_capacity, &answer);
      }
      Digest(*output, &answer);
    }
    answer.at = at;
    return answer;
  }

  Database* const database_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LibraryTarget>> LibraryTarget::Open(DatabaseOptions options) {
  options.in_memory = options.path.empty();
  // Tables of several designs are made and deleted in turn.
  options.control_rates = {.changes = 0, .descriptions = 0, .stream_descriptions = 0};
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Database> database, Database::Open(options));
  return std::unique_ptr<LibraryTarget>(new LibraryTarget(messages::LabLibraryName(options.path),
                                                          options.capacity, std::move(database)));
}

std::unique_ptr<MeasuredConnection> LibraryTarget::Connect() {
  return std::make_unique<LibraryConnection>(database_.get());
}

void LibraryTarget::BeginLoading(const std::vector<std::string>& tables) {
  SetCapacity(tables, {.mode = CapacityMode::kAccount});
}

void LibraryTarget::EndLoading(const std::vector<std::string>& tables) {
  SetCapacity(tables, capacity_);
}

void LibraryTarget::SetCapacity(const std::vector<std::string>& tables,
                                const CapacityOptions& capacity) {
  for (const std::string& table : tables) {
    // A missing table cannot throttle.
    database_->SetCapacity(table, capacity).IgnoreError();
  }
}

}  // namespace dynolith::lab
