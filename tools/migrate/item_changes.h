// What TO has of an item of FROM: the options --filter, --sample and --anonymise, for several
// threads.
#ifndef DYNOLITH_TOOLS_MIGRATE_ITEM_CHANGES_H_
#define DYNOLITH_TOOLS_MIGRATE_ITEM_CHANGES_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/text/json_tree.h"
#include "tools/files/excerpt/excerpt.h"
#include "tools/files/excerpt/table_keys.h"

namespace dynolith::migrate {

// The key of an item, or of a key.
JsonTree KeyOf(const excerpt::TableKeys& keys, const JsonTree& item);

// The same text for the same value, however it is written: members and elements of sets in order,
// numbers in their one form.
std::string CanonicalText(const JsonTree& item);

// Thread-safe.
class ItemChanges {
 public:
  // Errors: as Excerpt::Make.
  static absl::StatusOr<std::unique_ptr<ItemChanges>> Make(const excerpt::ExcerptOptions& options);

  // Errors: as Excerpt::CheckTable.
  absl::Status CheckTable(const excerpt::TableKeys& keys) const;
  // The item that TO has; nullopt: none. Errors: kInvalidArgument naming item and rule.
  absl::StatusOr<std::optional<JsonTree>> Change(const excerpt::TableKeys& keys, JsonTree item);
  // The key under which TO may have this image of an item, whole or its key alone; nullopt: it has
  // it under none. Errors: as above.
  absl::StatusOr<std::optional<JsonTree>> ChangeKey(const excerpt::TableKeys& keys, JsonTree image);
  // As Excerpt::Doubts.
  std::vector<excerpt::Excerpt::Doubt> Doubts(bool is_whole) const;

  bool has_rules() const { return excerpt_ != nullptr && excerpt_->has_rules(); }
  // Tells no secret; empty: all items as they are.
  std::string digest() const { return excerpt_ == nullptr ? "" : excerpt_->digest(); }

 private:
  explicit ItemChanges(std::unique_ptr<excerpt::Excerpt> excerpt) : excerpt_(std::move(excerpt)) {}

  mutable absl::Mutex mutex_;
  // nullptr: everything is taken as it is.
  const std::unique_ptr<excerpt::Excerpt> excerpt_;
};

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_ITEM_CHANGES_H_
