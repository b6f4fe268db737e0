#include "api/read/start_key.h"

#include <algorithm>

#include "api/read/messages.h"
#include "api/request/messages.h"
#include "engine/base/errors.h"
#include "engine/key/key_codec.h"

namespace dynolith {
namespace {

// Whether `fits` holds for every attribute of the schema.
template <typename Fits>
bool All(const KeySchema& key, Fits fits) {
  return std::all_of(key.hash.begin(), key.hash.end(), fits) &&
         std::all_of(key.range.begin(), key.range.end(), fits);
}

bool HasNames(const KeySchema& key, ItemView item) {
  return All(
      key, [item](const KeyAttribute& attribute) { return item.Find(attribute.name).has_value(); });
}

// Requires: HasNames.
bool HasTypes(const KeySchema& key, ItemView item) {
  return All(key, [item](const KeyAttribute& attribute) {
    return item.Find(attribute.name)->type() == attribute.type;
  });
}

// How many attributes both schemas have together.
size_t StartKeySize(const TableSchema& schema, const IndexSchema* index) {
  size_t size = schema.key.size();
  if (index == nullptr) return size;
  for (const auto* attributes : {&index->key.hash, &index->key.range}) {
    for (const KeyAttribute& attribute : *attributes) size += !schema.key.Contains(attribute.name);
  }
  return size;
}

}  // namespace

absl::Status CheckStartKey(const RowSource& source, ItemView start_key, PageOperation operation) {
  const TableSchema& schema = source.schema();
  const IndexSchema* const index = source.index();
  const bool queries = operation == PageOperation::kQuery;
  const bool complete = start_key.size() == StartKeySize(schema, index) &&
                        HasNames(schema.key, start_key) &&
                        (index == nullptr || HasNames(index->key, start_key));
  if (!complete) {
    return ValidationError(queries || index != nullptr ? messages::StartKeyInvalid()
                                                       : messages::StartKeyMismatch());
  }
  if (index != nullptr && !HasTypes(index->key, start_key)) {
    return ValidationError(queries ? messages::KeyMismatch() : messages::StartKeyMismatch());
  }
  if (!HasTypes(schema.key, start_key)) return ValidationError(messages::StartKeyMismatch());
  if (!HasKey(schema.key, start_key) || (index != nullptr && !HasKey(index->key, start_key))) {
    return ValidationError(queries ? messages::StartKeyInvalid() : messages::StartKeyMismatch());
  }
  return absl::OkStatus();
}

}  // namespace dynolith
