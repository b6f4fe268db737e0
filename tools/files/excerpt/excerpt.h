// Which items of tables a copy has, and what of them: the options --filter, --sample and
// --anonymise of all commands that copy tables.
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_EXCERPT_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_EXCERPT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/files/excerpt/anonymiser.h"
#include "tools/files/excerpt/item_filter.h"
#include "tools/files/excerpt/item_sample.h"
#include "tools/files/excerpt/table_keys.h"

namespace dynolith::excerpt {

struct ExcerptOptions {
  std::string filter;      // a condition of PartiQL; empty: all items
  std::string sample;      // "1%"; empty: all items
  std::string rules_file;  // empty: no rules
  bool is_strict = false;  // what is a warning otherwise is an error

  bool IsAll() const { return filter.empty() && sample.empty() && rules_file.empty(); }
};

// Not thread-safe.
class Excerpt {
 public:
  // Errors: kInvalidArgument with what is wrong with an option or the file of rules.
  static absl::StatusOr<std::unique_ptr<Excerpt>> Make(const ExcerptOptions& options);

  // Of a table before its items. Errors: as Anonymiser::CheckTable.
  absl::Status CheckTable(const TableKeys& keys) const;

  // Makes an item, in the service's JSON, what the copy has; false: it is left out, and is as it
  // was. `is_key`: there is only the key of one that is deleted, which no filter knows; it is not
  // left out by the filter. Errors: kInvalidArgument naming item and rule; the item is not to be
  // used then.
  absl::StatusOr<bool> Take(const TableKeys& keys, JsonTree* item, bool is_key = false);

  // Whether there are rules, to which all items have to be given, even if they are not used.
  bool has_rules() const { return anonymiser_.has_value(); }

  // What is to be said at the end. `is_whole`: all items have been seen.
  struct Doubt {
    std::string file;
    size_t line = 0;
    std::string text;
    bool is_error = false;
  };
  std::vector<Doubt> Doubts(bool is_whole) const;

  // The same for options that take the same items and make the same of them; tells no secret.
  const std::string& digest() const { return digest_; }

 private:
  Excerpt() = default;

  std::optional<ItemFilter> filter_;
  std::optional<ItemSample> sample_;
  std::optional<Anonymiser> anonymiser_;
  bool is_strict_ = false;
  std::string digest_;
};

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_EXCERPT_H_
