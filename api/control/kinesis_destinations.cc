#include "api/control/kinesis_destinations.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/control/messages.h"
#include "api/request/arn.h"
#include "api/table/messages.h"
#include "api/table/table_description.h"
#include "api/table/table_lifecycle.h"
#include "api/table/table_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"
#include "engine/stream/stream_rows.h"

namespace dynolith {
namespace {

using Status = KinesisDestinationStatus;

bool IsStreamName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

constexpr std::string_view kResource = "stream/";

std::string_view StreamNameIn(std::string_view arn) {
  return SplitArn(arn).resource.substr(kResource.size());
}

// "arn:aws:kinesis:<region>:<account>:stream/<name>". The existence of the stream is not checked.
absl::Status CheckStreamArn(const OperationContext& context, std::string_view arn) {
  const ArnParts parts = SplitArn(arn);
  const bool is_stream = arn.starts_with("arn:") && parts.partition == "aws" &&
                         parts.service == "kinesis" && parts.resource.starts_with(kResource) &&
                         IsStreamName(parts.resource.substr(kResource.size()));
  if (!is_stream) return ValidationError(messages::NotAKinesisStream(arn));
  if (parts.region != context.region || parts.account != context.account_id) {
    return ValidationError(messages::KinesisStreamElsewhere(arn));
  }
  return absl::OkStatus();
}

// nullptr if it has never been enabled.
KinesisDestination* Find(std::string_view stream_arn, TableMeta* meta) {
  const auto it = std::find_if(
      meta->kinesis_destinations.begin(), meta->kinesis_destinations.end(),
      [&](const KinesisDestination& destination) { return destination.stream_arn == stream_arn; });
  return it == meta->kinesis_destinations.end() ? nullptr : &*it;
}

absl::StatusOr<KinesisDestination*> FindActive(std::string_view stream_arn,
                                               std::string_view operation, TableMeta* meta) {
  KinesisDestination* const destination = Find(stream_arn, meta);
  if (destination != nullptr && destination->status == Status::kActive) return destination;
  return ValidationError(messages::DestinationNotActive(operation));
}

// Runs `change` on a table that is ACTIVE. Returns its name.
absl::StatusOr<std::string> Change(const OperationContext& context, std::string_view table_name,
                                   const std::function<absl::Status(TableMeta*)>& change) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, FindTable(context, table_name));
  const auto checked_change = [&](TableMeta* meta) {
    DYNOLITH_RETURN_IF_ERROR(CheckNotBusy(*meta));
    if (meta->status != TableStatus::kActive) {
      return MakeError(ErrorKind::kResourceInUse, messages::TableBeingUpdated(meta->schema.name));
    }
    return change(meta);
  };
  const std::string name = table->meta()->schema.name;
  const absl::Status gone = MakeError(ErrorKind::kResourceNotFound, messages::TableNotFound(name));
  DYNOLITH_RETURN_IF_ERROR(
      ChangeTable(context.catalog, table.get(), checked_change, gone).status());
  return name;
}

// Changes are kept from now on, and sent once it is ACTIVE.
void KeepRecords(const TableMeta& meta, KinesisDestination* destination) {
  destination->log_label = DestinationLabel(meta.schema.id, StreamNameIn(destination->stream_arn));
}

void Begin(const OperationContext& context, Status status, KinesisDestination* destination,
           TableMeta* meta) {
  DelayDestination(context.clock->Now(), context.delays.update, status, destination);
  FindNextTransition(meta);
}

}  // namespace

absl::StatusOr<KinesisStreamingDestinationOutput> EnableKinesisStreamingDestination(
    const OperationContext& context, const KinesisStreamingDestinationRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckStreamArn(context, request.stream_arn));
  const auto precision = request.approximate_creation_date_time_precision;
  const auto enable = [&](TableMeta* meta) {
    KinesisDestination* destination = Find(request.stream_arn, meta);
    if (destination == nullptr) {
      destination = &meta->kinesis_destinations.emplace_back();
      destination->stream_arn = request.stream_arn;
    } else if (destination->status != Status::kDisabled &&
               destination->status != Status::kEnableFailed) {
      return ValidationError(messages::DestinationNotDisabled());
    }
    destination->precision = precision;
    destination->status_description.clear();
    destination->log_label.clear();
    if (context.sends_to_kinesis) KeepRecords(*meta, destination);
    Begin(context, Status::kEnabling, destination, meta);
    return absl::OkStatus();
  };
  if (context.sends_to_kinesis) {
    // A write that ran beside the disabling may have opened the stream again: it has missed changes
    // and does not go on.
    DYNOLITH_ASSIGN_OR_RETURN(const auto table, FindTable(context, request.table_name));
    DYNOLITH_RETURN_IF_ERROR(FollowStream(context, table->meta()->schema.name));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::string name, Change(context, request.table_name, enable));
  return KinesisStreamingDestinationOutput{name, request.stream_arn, Status::kEnabling, precision};
}

absl::StatusOr<KinesisStreamingDestinationOutput> DisableKinesisStreamingDestination(
    const OperationContext& context, const KinesisStreamingDestinationRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckStreamArn(context, request.stream_arn));
  const auto disable = [&](TableMeta* meta) {
    DYNOLITH_ASSIGN_OR_RETURN(KinesisDestination* const destination,
                              FindActive(request.stream_arn, "DISABLE", meta));
    Begin(context, Status::kDisabling, destination, meta);
    return absl::OkStatus();
  };
  DYNOLITH_ASSIGN_OR_RETURN(const std::string name, Change(context, request.table_name, disable));
  DYNOLITH_RETURN_IF_ERROR(FollowStream(context, name));
  return KinesisStreamingDestinationOutput{name, request.stream_arn, Status::kDisabling,
                                           request.approximate_creation_date_time_precision};
}

absl::StatusOr<UpdateKinesisStreamingDestinationOutput> UpdateKinesisStreamingDestination(
    const OperationContext& context, const UpdateKinesisStreamingDestinationRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckStreamArn(context, request.stream_arn));
  if (!request.approximate_creation_date_time_precision) {
    return ValidationError(messages::DestinationUpdateEmpty());
  }
  const TimestampPrecision wanted = *request.approximate_creation_date_time_precision;
  const auto update = [&](TableMeta* meta) {
    DYNOLITH_ASSIGN_OR_RETURN(KinesisDestination* const destination,
                              FindActive(request.stream_arn, "UPDATE", meta));
    if (destination->precision.value_or(TimestampPrecision::kMillisecond) == wanted) {
      const std::string_view word =
          wanted == TimestampPrecision::kMillisecond ? "MILLISECOND" : "MICROSECOND";
      return ValidationError(
          messages::PrecisionUnchanged(word, meta->schema.name, request.stream_arn));
    }
    destination->precision = wanted;
    Begin(context, Status::kUpdating, destination, meta);
    return absl::OkStatus();
  };
  DYNOLITH_ASSIGN_OR_RETURN(const std::string name, Change(context, request.table_name, update));
  return UpdateKinesisStreamingDestinationOutput{name, request.stream_arn, Status::kUpdating,
                                                 wanted};
}

absl::StatusOr<DescribeKinesisStreamingDestinationOutput> DescribeKinesisStreamingDestination(
    const OperationContext& context, const DescribeKinesisStreamingDestinationRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DescribeKinesisStreamingDestinationOutput output;
  output.table_name = meta->schema.name;
  for (const KinesisDestination& destination : meta->kinesis_destinations) {
    std::optional<std::string> description;
    if (!destination.status_description.empty()) description = destination.status_description;
    output.kinesis_data_stream_destinations.push_back(
        {.stream_arn = destination.stream_arn,
         .destination_status = destination.status,
         .destination_status_description = std::move(description),
         .approximate_creation_date_time_precision =
             destination.precision.value_or(TimestampPrecision::kMillisecond)});
  }
  return output;
}

absl::StatusOr<std::vector<TableDestination>> FindKinesisDestinations(
    const OperationContext& context) {
  const auto is_new = [](const KinesisDestination& destination) {
    return destination.log_label.empty() && destination.status != Status::kDisabled &&
           destination.status != Status::kDisabling;
  };
  std::vector<TableDestination> found;
  for (const std::shared_ptr<Table>& table : context.catalog->All()) {
    std::shared_ptr<const TableMeta> meta = table->meta();
    if (meta->kinesis_destinations.empty()) continue;
    // States that are due end here, too.
    const std::string name = meta->schema.name;
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> settled, FindSettled(context, name));
    if (settled == nullptr) continue;
    meta = settled->meta();
    const std::vector<KinesisDestination>& all = meta->kinesis_destinations;
    if (std::any_of(all.begin(), all.end(), is_new)) {
      const auto keep = [&](TableMeta* changed) {
        for (KinesisDestination& destination : changed->kinesis_destinations) {
          if (is_new(destination)) KeepRecords(*changed, &destination);
        }
        return absl::OkStatus();
      };
      DYNOLITH_ASSIGN_OR_RETURN(
          meta, ChangeTable(context.catalog, settled.get(), keep, absl::OkStatus()));
    }
    for (const KinesisDestination& destination : meta->kinesis_destinations) {
      if (!destination.log_label.empty()) found.push_back({name, destination});
    }
  }
  return found;
}

absl::Status FinishEnabling(const OperationContext& context, const std::string& table_name,
                            std::string_view stream_arn, const std::string& failure) {
  const std::shared_ptr<Table> table = context.catalog->Find(table_name);
  if (table == nullptr) return absl::OkStatus();
  const auto finish = [&](TableMeta* meta) {
    KinesisDestination* const destination = Find(stream_arn, meta);
    if (destination == nullptr || !destination->awaits_check()) return absl::OkStatus();
    destination->status = failure.empty() ? Status::kActive : Status::kEnableFailed;
    destination->status_description = failure;
    return absl::OkStatus();
  };
  DYNOLITH_RETURN_IF_ERROR(
      ChangeTable(context.catalog, table.get(), finish, absl::OkStatus()).status());
  return failure.empty() ? absl::OkStatus() : FollowStream(context, table_name);
}

absl::Status ForgetSending(const OperationContext& context) {
  const auto forget = [](TableMeta* meta) {
    for (KinesisDestination& destination : meta->kinesis_destinations) {
      if (destination.awaits_check()) destination.status = Status::kActive;
      destination.log_label.clear();
    }
    return absl::OkStatus();
  };
  for (const std::shared_ptr<Table>& table : context.catalog->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    const auto& all = meta->kinesis_destinations;
    const bool is_sent = std::any_of(all.begin(), all.end(), [](const KinesisDestination& each) {
      return !each.log_label.empty();
    });
    if (!is_sent) continue;
    DYNOLITH_RETURN_IF_ERROR(
        ChangeTable(context.catalog, table.get(), forget, absl::OkStatus()).status());
    DYNOLITH_RETURN_IF_ERROR(FollowStream(context, meta->schema.name));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
