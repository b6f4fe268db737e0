// The share of --sample: which items are taken, by the hash of their partition key.
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_ITEM_SAMPLE_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_ITEM_SAMPLE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"

namespace dynolith::excerpt {

class ItemSample {
 public:
  // "1%", "0.5%". Errors: kInvalidArgument.
  static absl::StatusOr<ItemSample> Parse(std::string_view text);

  // Whether items with this partition key are taken: with equal keys all or none, in each table and
  // each run; and what a smaller share takes, a larger one takes, too. A value that is no key is
  // taken, for the service to refuse.
  bool Takes(const JsonTree& partition_key) const;

 private:
  explicit ItemSample(double share) : share_(share) {}
  double share_;  // up to 1
};

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_ITEM_SAMPLE_H_
