// Which items of a table exist, so that the first write of an item adds to the stored bytes and the
// next one does not: a bit for each item, found by a hash. Of items that share a bit only one
// counts; an estimate adds the others (linear counting; Whang, Vander-Zanden and Taylor, 1990). The
// error is a hundredth for a hundred million items, and far less for fewer.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_STORED_ITEMS_H_
#define DYNOLITH_TOOLS_LAB_MODEL_STORED_ITEMS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace dynolith::lab {

// Thread-compatible. Takes 4 KB for each item that changes, at most 8 MB.
class StoredItems {
 public:
  // `weight`: items for each reported item. `most`: how many items can change at all.
  StoredItems(double weight, double most) : weight_(weight), most_(most) {}

  // Whether the item exists. Its arguments as below.
  bool Has(uint64_t hash, bool was_there) const;
  // Records that the item is written or deleted. Returns the change of the number of items; 0 if
  // nothing changed. `hash`: of its key. `was_there`: it existed at the start.
  double Write(uint64_t hash, bool was_there) { return Change(hash, was_there, true); }
  double Delete(uint64_t hash, bool was_there) { return Change(hash, was_there, false); }

 private:
  // A bit for each item: differs from the start. Many short runs change few items.
  using Page = std::array<uint64_t, 512>;

  double Change(uint64_t hash, bool was_there, bool is_there);

  const double weight_;
  const double most_;
  std::vector<std::unique_ptr<Page>> pages_;  // nullptr: nothing differs there
  double set_ = 0;                            // bits
  double counted_ = 0;                        // items that differ
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_STORED_ITEMS_H_
