// The returned parts of an item: everything, AttributesToGet or a ProjectionExpression.
#ifndef DYNOLITH_API_READ_PROJECTION_REQUEST_H_
#define DYNOLITH_API_READ_PROJECTION_REQUEST_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/request/request_checks.h"
#include "engine/expr/expression.h"
#include "engine/key/schema.h"

namespace dynolith {

// Lowers AttributesToGet into `projection` if it is present. Errors: duplicate names.
absl::Status LowerRequestAttributesToGet(const std::optional<std::vector<std::string>>& names,
                                         std::optional<Projection>* projection);

// Parses a ProjectionExpression into `projection` if it is present.
absl::Status ParseRequestProjection(const std::optional<std::string>& expression,
                                    Placeholders* placeholders,
                                    std::optional<Projection>* projection);

// CheckKeyPath for every path of a projection, if there is one.
absl::Status CheckKeyPaths(const std::optional<Projection>& projection, const KeySchema& key,
                           absl::Span<const IndexSchema> indexes = {});

// Passes the selected part of `item` to `sink`, or the item itself when there is no projection. The
// argument is valid during the call. From the second item on a builder allocates nothing. Returns
// the sink's result.
template <typename Sink>
auto Emit(ItemView item, const std::optional<Projection>& projection, ItemBuilder* builder,
          Sink&& sink) {
  if (!projection) return sink(item);
  projection->Apply(item, builder);
  return sink(builder->FinishItemView());
}

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_PROJECTION_REQUEST_H_
