// The service model's constraints on single members, for callers that come in from C++: over the
// wire, api/json has checked them before. Same texts, same order (api/facts/operations.md §1.2).
#ifndef DYNOLITH_API_REQUEST_MEMBER_CONSTRAINTS_H_
#define DYNOLITH_API_REQUEST_MEMBER_CONSTRAINTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "dynolith/requests.h"
#include "engine/key/schema.h"

namespace dynolith {

// Collects the faults of a request's members, and joins them into one error.
class MemberConstraints {
 public:
  void NotNull(std::string_view path, bool present);
  void Length(std::string_view path, std::string_view value, size_t least, size_t most);
  // A list that needs an element.
  void NotEmpty(std::string_view path, bool has_elements);
  // A table's or an index's name: pattern and length.
  void Name(std::string_view path, std::string_view name);
  // `matches`: whether `value` does.
  void Pattern(std::string_view path, std::string_view value, bool matches,
               std::string_view pattern);
  void AtLeast(std::string_view path, std::optional<int64_t> value, int64_t least);
  void AtMost(std::string_view path, std::optional<int64_t> value, int64_t most);
  void Definitions(std::string_view path, const std::vector<AttributeDefinition>& definitions);
  void Key(std::string_view path, const std::vector<KeySchemaElement>& key, size_t most);
  void Units(std::string_view path, const std::optional<ProvisionedThroughput>& throughput);
  void Projection(std::string_view path, const IndexProjection& projection);
  // An index to create; local ones have at most two key elements.
  void Index(std::string_view path, const SecondaryIndex& index, IndexKind kind);

  // ValidationException with the first 10 faults, or OK.
  absl::Status status() const;

 private:
  void Add(std::string_view value, std::string_view path, const std::string& constraint);

  std::vector<std::string> faults_;
};

// The TableName of an operation on an existing table, which may also be an ARN.
absl::Status CheckTableName(std::string_view name_or_arn);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_MEMBER_CONSTRAINTS_H_
