// Whether both sides have the same items, by checksums of parts of them, whatever the order in
// which the sides are read.
#ifndef DYNOLITH_TOOLS_MIGRATE_COMPARISON_H_
#define DYNOLITH_TOOLS_MIGRATE_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/migrate/table_source.h"
#include "tools/migrate/work.h"

namespace dynolith::migrate {

// The sum of the items of a table, in parts by the hashes of their keys: in each part their number,
// and the sum of their hashes. Not thread-safe.
class ItemSums {
 public:
  static constexpr size_t kParts = 4096;

  ItemSums() : parts_(kParts) {}
  void Add(const std::string& key, const std::string& item);
  uint64_t count() const;
  // The parts in which the two are not the same.
  std::set<size_t> Difference(const ItemSums& other) const;

  // Of the key's canonical text.
  static size_t PartOf(std::string_view key);

 private:
  struct Part {
    uint64_t count = 0;
    uint64_t low = 0;  // of a sum of 128 bits, without carry
    uint64_t high = 0;
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts_;
};

struct ItemDifference {
  enum class Kind : uint8_t { kMissing, kOther, kExtra };  // on TO
  Kind kind = Kind::kOther;
  JsonTree tree;  // the item that TO should have, or the key that it should not
};

struct TableComparison {
  uint64_t from_items = 0;  // that TO should have
  uint64_t to_items = 0;
  std::vector<ItemDifference> differences;
  uint64_t refused = 0;  // items of FROM that rules cannot change; said
};

// Reads both sides; twice, the second time for the parts that differ. With Verify::kCount only
// counts are compared, and differ by at most one nameless difference. kFull: besides, each item is
// read from TO by its key and compared as a whole. Requires: nobody writes meanwhile; the verify is
// not kNone. Errors: as Work::Together.
absl::StatusOr<TableComparison> CompareTable(Work* work, const TableSource& source, Verify verify);

// Writes what differs to TO, deletions only if `deletes`.
absl::Status WriteDifferences(Work* work, const TableSource& source,
                              const std::vector<ItemDifference>& differences, bool deletes);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_COMPARISON_H_
