#include "api/read/search_vectors.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "api/read/messages.h"
#include "api/read/projection_request.h"
#include "api/request/call_bounds.h"
#include "api/request/current_tables.h"
#include "api/request/request_checks.h"
#include "api/staleness/stale_reads.h"
#include "api/table/table_gate.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/expr/messages.h"
#include "engine/model/messages.h"
#include "index/graph/vector_graphs.h"
#include "index/nearest.h"
#include "index/read.h"

namespace dynolith {
namespace {

// The parsed request.
struct SearchExpressions {
  explicit SearchExpressions(const SearchVectorsRequest& request)
      : placeholders(PointerTo(request.expression_attribute_names),
                     PointerTo(request.expression_attribute_values)) {}

  Placeholders placeholders;
  std::optional<Condition> condition;
  std::optional<Projection> projection;
};

absl::Status CheckRequestParameters(const SearchVectorsRequest& request) {
  const Parameter condition = {"SearchConditionExpression",
                               request.search_condition_expression.has_value()};
  return CheckParameters(
      {}, {{"ProjectionExpression", request.projection_expression.has_value()}, condition},
      {condition},
      {.names = request.expression_attribute_names.has_value(),
       .values = request.expression_attribute_values.has_value()},
      Wording::kCurrent);
}

absl::Status CheckLength(std::string_view member, size_t length, size_t most) {
  const bool is_short = length == 0;
  if (!is_short && length <= most) return absl::OkStatus();
  return Enveloped(ValidationError(messages::ShortConstraintFailure(
      member, messages::MustHaveLength(is_short, is_short ? 1 : static_cast<int64_t>(most)))));
}

// What the members are, whatever they say.
absl::Status CheckShapes(const SearchVectorsRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckLength("TableName", request.table_name.size(), kTableArnBytesMax));
  DYNOLITH_RETURN_IF_ERROR(
      CheckLength("SearchVector", request.search_vector.size(), kVectorDimensionsMax));
  if (request.top_k >= 1) return absl::OkStatus();
  return Enveloped(ValidationError(messages::ConstraintFailure(
      Concat("'", request.top_k, "'"), "topK", messages::MustHaveValue(true, 1))));
}

// Everything that can be said without the table.
absl::Status CheckRequest(const OperationContext& context, const SearchVectorsRequest& request,
                          SearchExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(CheckShapes(request));
  if (request.top_k > kTopKMax) {
    return ValidationError(messages::TopKOutOfRange(request.top_k, kTopKMax));
  }
  const bool finite = std::all_of(request.search_vector.begin(), request.search_vector.end(),
                                  [](float number) { return std::isfinite(number); });
  if (!finite) return ValidationError(messages::SearchVectorInvalid());
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
  DYNOLITH_RETURN_IF_ERROR(CheckRequestParameters(request));
  DYNOLITH_RETURN_IF_ERROR(
      CheckPlaceholders(parsed->placeholders, context.violations->Of(&request)));
  if (request.search_condition_expression) {
    DYNOLITH_ASSIGN_OR_RETURN(
        parsed->condition,
        Condition::Parse(*request.search_condition_expression, ExpressionKind::kSearchCondition,
                         &parsed->placeholders));
  }
  DYNOLITH_RETURN_IF_ERROR(ParseRequestProjection(request.projection_expression,
                                                  &parsed->placeholders, &parsed->projection));
  return parsed->placeholders.CheckAllUsed();
}

bool IsInSearchSchema(const IndexSchema& index, std::string_view attribute) {
  const std::vector<KeyAttribute>& filters = index.vector->inline_filters;
  return index.key.Contains(attribute) ||
         std::any_of(filters.begin(), filters.end(),
                     [attribute](const KeyAttribute& filter) { return filter.name == attribute; });
}

absl::Status CheckConditionPaths(const IndexSchema& index, const Condition& condition) {
  absl::Status status;
  condition.ForEachPath([&](const Path& path) {
    if (!status.ok()) return;
    if (!IsInSearchSchema(index, path.attribute())) {
      status = ValidationError(messages::SearchConditionOutsideSchema(path.attribute()));
    } else if (!path.is_top_level()) {
      status = ValidationError(messages::SearchConditionNestedPath(path.ToString()));
    }
  });
  return status;
}

// What a condition means for one index.
struct BoundCondition {
  KeyRange range;
  // Whether the rows of the range still have to be looked at.
  bool filters = false;
};

// Nothing but `=` on each attribute, joined by AND.
absl::Status CheckComparators(const Condition& condition) {
  absl::Status status;
  condition.ForEachPath([&](const Path& path) {
    size_t mentions = 0;
    condition.ForEachPath([&](const Path& other) { mentions += other == path ? 1 : 0; });
    if (condition.RequiredEquals(path.attribute()).size() == mentions) return;
    status = ValidationError(messages::SearchConditionComparator());
  });
  return status;
}

// The rows with the value that the condition demands of the HASH attribute.
absl::StatusOr<BoundCondition> BindHash(const TableSchema& schema, const IndexSchema& index,
                                        const Condition& condition) {
  const KeyAttribute& hash = index.key.hash[0];
  const std::vector<ValueView> values = condition.RequiredEquals(hash.name);
  if (values.empty()) return ValidationError(messages::SearchConditionMissing());
  if (values[0].type() != hash.type) {
    return ValidationError(messages::KeyConditionTypeMismatch());
  }
  size_t mentions = 0;
  condition.ForEachPath([&mentions](const Path&) { ++mentions; });
  BoundCondition bound;
  bound.range = RowSource(schema, &index).RangeFor({.hash_equals = {values[0]}});
  bound.filters = mentions > 1;
  return bound;
}

absl::StatusOr<BoundCondition> Bind(const TableSchema& schema, const IndexSchema& index,
                                    const std::optional<Condition>& condition) {
  if (condition) {
    DYNOLITH_RETURN_IF_ERROR(CheckConditionPaths(index, *condition));
    DYNOLITH_RETURN_IF_ERROR(CheckComparators(*condition));
  }
  if (index.key.hash.empty()) return BoundCondition{RangeOfId(index.id), condition.has_value()};
  if (!condition) return ValidationError(messages::SearchConditionMissing());
  return BindHash(schema, index, *condition);
}

absl::StatusOr<NearestEntries> FindNearest(const OperationContext& context, const TableMeta& meta,
                                           const IndexSchema& index,
                                           const SearchVectorsRequest& request,
                                           const BoundCondition& bound,
                                           absl::FunctionRef<bool(ItemView)> matches) {
  const std::shared_ptr<const Snapshot> moment =
      ChooseMoment(context.staleness, meta.schema.name, index.name, StaleReads::Mode::kEventual);
  const VectorScorer scorer(index.vector->distance, request.search_vector);
  const auto count = static_cast<size_t>(request.top_k);
  // Graphs know the newest state only.
  if (context.vector_graphs != nullptr && moment == nullptr) {
    return context.vector_graphs->FindNearest(index, bound.range, scorer, request.search_vector,
                                              count, matches);
  }
  const ReadView& rows = context.store->At(moment.get());
  auto nearest = dynolith::FindNearest(rows, index, bound.range, scorer, count, matches);
  // Behind the rows: what the index has lost by then was lost before.
  CurrentTables tables(context, moment.get());
  if (nearest.ok()) DYNOLITH_RETURN_IF_ERROR(tables.ReadAndCheck(rows));
  return nearest;
}

// Turns entries into what the request wants to see of them: the vector only if it is asked for.
class ResultMaker {
 public:
  ResultMaker(const IndexSchema& index, const std::optional<Projection>& projection)
      : attribute_(index.vector->attribute), projection_(projection) {
    if (!projection) return;
    for (const Path& path : projection->paths()) {
      shows_vector_ |= path.attribute() == attribute_;
    }
  }

  Item Make(ItemView entry) {
    builder_.BeginMap();
    for (size_t i = 0; i < entry.size(); ++i) {
      const bool is_vector = entry.name(i) == attribute_;
      if (is_vector && !shows_vector_) continue;
      builder_.Key(entry.name(i));
      if (is_vector) {
        UnpackVector(entry.value(i).binary(), &builder_);
      } else {
        builder_.Copy(entry.value(i));
      }
    }
    builder_.EndMap();
    Item shown = builder_.FinishItem();
    return projection_ ? projection_->Apply(shown.view()) : shown;
  }

 private:
  const std::string& attribute_;
  const std::optional<Projection>& projection_;
  bool shows_vector_ = false;
  ItemBuilder builder_;
};

}  // namespace

absl::StatusOr<SearchVectorsOutput> SearchVectors(const OperationContext& context,
                                                  const SearchVectorsRequest& request) {
  SearchExpressions parsed(request);
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(context, request, &parsed));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindUsableTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_ASSIGN_OR_RETURN(const IndexSchema* const index,
                            FindVectorIndex(*meta, request.index_name));
  const int64_t dimensions = index->vector->dimensions;
  if (request.search_vector.size() != static_cast<size_t>(dimensions)) {
    return ValidationError(
        messages::SearchVectorDimension(request.search_vector.size(), dimensions));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const BoundCondition bound,
                            Bind(meta->schema, *index, parsed.condition));

  DYNOLITH_ASSIGN_OR_RETURN(
      const NearestEntries nearest,
      FindNearest(context, *meta, *index, request, bound, [&](ItemView entry) {
        // What is passed over without a look is soon over.
        if (!CheckNotInterrupted(context).ok()) return false;
        return !bound.filters || parsed.condition->Matches(entry);
      }));
  DYNOLITH_RETURN_IF_ERROR(CheckNotInterrupted(context));

  SearchVectorsOutput output;
  ResultMaker maker(*index, parsed.projection);
  size_t returned_bytes = 0;
  for (const Neighbour& neighbour : nearest.neighbours) {
    Item item = maker.Make(neighbour.entry.view());
    returned_bytes += BilledBytes(item.view());
    if (returned_bytes > kSearchBytesMax) break;
    output.search_results.push_back({std::move(item), neighbour.score});
  }
  if (request.return_consumed_capacity != ReturnConsumedCapacity::kNone) {
    const size_t bytes = nearest.compared * PackedVectorBytes(dimensions) + returned_bytes;
    const auto searched = static_cast<double>(std::max(bytes, kVectorRequestBytesMin));
    output.consumed_capacity = {.vector_search_request_bytes = searched,
                                .vector_search_units = searched};
  }
  return output;
}

}  // namespace dynolith
