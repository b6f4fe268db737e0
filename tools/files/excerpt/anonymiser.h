// Changes items by rules, and sees to it that keys stay keys.
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_ANONYMISER_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_ANONYMISER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "engine/text/json_tree.h"
#include "tools/files/excerpt/rules.h"
#include "tools/files/excerpt/table_keys.h"

namespace dynolith::excerpt {

// Not thread-safe.
class Anonymiser {
 public:
  explicit Anonymiser(Rules rules);
  Anonymiser(const Anonymiser&) = delete;
  Anonymiser& operator=(const Anonymiser&) = delete;

  // Errors: kInvalidArgument naming the rule that no item of this table can survive, because of its
  // keys.
  absl::Status CheckTable(const TableKeys& keys) const;

  // Changes an item, or the key of one, in the service's JSON. The first rule that fits a value
  // changes it. Keys of all items have to be given, each also more than once, so that two that
  // become the same are found: 16 bytes and more for each, if a rule changes the table's own key.
  // Errors: kInvalidArgument naming the item and the rule; the item is not to be used then.
  absl::Status Change(const TableKeys& keys, JsonTree* item);

  // About rules that have never found a value, and about attributes in which a changed value still
  // stands: the line of the rule, and a text.
  struct Doubt {
    size_t line = 0;
    std::string text;
  };
  // `is_whole`: all items have been seen.
  std::vector<Doubt> Doubts(bool is_whole) const;

  const Rules& rules() const { return rules_; }

 private:
  // A path of a rule.
  struct Place {
    const Rule* rule;
    const AttributePath* path;
    bool has_matched = false;
  };
  struct Changed {
    const Place* place;
    std::vector<std::string> before;  // what is not to stand anywhere any more
  };
  // Values of the item that were changed, or are to be taken out.
  using Changes = std::map<const JsonTree*, Changed>;

  static std::string Name(const Place& place);
  absl::Status Apply(Place* place, std::string_view shift_by, JsonTree* item, Changes* changes);
  static absl::Status CheckKeys(const TableKeys& keys, const JsonTree& before, const JsonTree& item,
                                const Changes& changes);
  absl::Status CheckDistinct(const TableKeys& keys, const JsonTree& before, const JsonTree& item);
  // The first one that may change the table's own key; nullptr: there is none.
  const Place* PlaceInKey(const TableKeys& keys) const;
  void FindLeft(const std::string& title, const JsonTree& item, const Changes& changes);

  const Rules rules_;
  std::vector<Place> places_;
  // For each table whose own key is changed: hashes of the keys, new -> old.
  std::map<std::string, absl::flat_hash_map<uint64_t, uint64_t>> keys_;
  std::set<std::pair<const Place*, std::string>> left_;  // with the attribute
  std::vector<Doubt> doubts_;
};

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_ANONYMISER_H_
