// The limit of an item collection of a table with a local index, where capacity is enforced
// (api/facts/capacity.md §5): writes that make a collection larger are refused.
#ifndef DYNOLITH_API_WRITE_COLLECTION_LIMIT_H_
#define DYNOLITH_API_WRITE_COLLECTION_LIMIT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "api/write/planned_write.h"

namespace dynolith {

// For one commit. Borrows the writes.
class CollectionLimit {
 public:
  explicit CollectionLimit(absl::Span<const RowWrite> writes);

  // Adds the keys to lock with the rows, so that a collection's size cannot change meanwhile.
  template <typename Keys>
  void AddKeysTo(Keys* keys) const {
    for (const auto& [key, collection] : collections_) keys->push_back(key);
  }
  // Fails the outcomes of writes that grow a collection beyond its limit. The first one that grows
  // a collection reads all of it. Requires: all have been evaluated. Errors: the store's;
  // kCancelled, as SpendWork's.
  absl::Status Check(const OperationContext& context, absl::Span<RowOutcome> outcomes) {
    return collections_.empty() ? absl::OkStatus() : CheckEach(context, outcomes);
  }
  // Call it after their commit.
  void Remember() const {
    if (!collections_.empty()) RememberEach();
  }

 private:
  struct Collection {
    const RowWrite* write = nullptr;  // the first one
    std::optional<int64_t> bytes;     // before the commit, if known
    int64_t growth = 0;
    bool grows = false;
  };

  void RememberEach() const;
  absl::Status CheckEach(const OperationContext& context, absl::Span<RowOutcome> outcomes);
  Collection* FindCollection(const RowWrite& write);

  const absl::Span<const RowWrite> writes_;
  // By the common prefix of their row keys.
  std::map<std::string_view, Collection> collections_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_COLLECTION_LIMIT_H_
