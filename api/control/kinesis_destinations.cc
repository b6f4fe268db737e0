#include "api/control/kinesis_destinations.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "api/control/messages.h"
#include "api/request/arn.h"
#include "api/table/messages.h"
#include "api/table/table_description.h"
#include "api/table/table_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"

namespace dynolith {
namespace {

using Status = KinesisDestinationStatus;

bool IsStreamName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
}

// "arn:aws:kinesis:<region>:<account>:stream/<name>". The existence of the stream is not checked.
absl::Status CheckStreamArn(const OperationContext& context, std::string_view arn) {
  constexpr std::string_view kResource = "stream/";
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
    } else if (destination->status != Status::kDisabled) {
      return ValidationError(messages::DestinationNotDisabled());
    }
    destination->precision = precision;
    Begin(context, Status::kEnabling, destination, meta);
    return absl::OkStatus();
  };
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
    output.kinesis_data_stream_destinations.push_back(
        {.stream_arn = destination.stream_arn,
         .destination_status = destination.status,
         .approximate_creation_date_time_precision =
             destination.precision.value_or(TimestampPrecision::kMillisecond)});
  }
  return output;
}

}  // namespace dynolith
