// Which items of a table are there, so that the first write of one adds to what is stored and the
// next one does not: a bit for each, found by a hash. Of items that share a bit only one counts,
// and the others are made up for by what is likely (linear counting; Whang, Vander-Zanden and
// Taylor, 1990): off by a hundredth for a hundred million items, by far less for fewer.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_STORED_ITEMS_H_
#define DYNOLITH_TOOLS_LAB_MODEL_STORED_ITEMS_H_

#include <cstdint>
#include <vector>

namespace dynolith::lab {

// Thread-compatible. 8 MB once something has changed.
class StoredItems {
 public:
  // `weight`: items for each that is told. `most`: so many can change at all.
  StoredItems(double weight, double most) : weight_(weight), most_(most) {}

  // The item is written, or deleted. Returns how many more items there are then; 0 if nothing has
  // changed. `hash`: of its key. `was_there`: at the start.
  double Write(uint64_t hash, bool was_there) { return Change(hash, was_there, true); }
  double Delete(uint64_t hash, bool was_there) { return Change(hash, was_there, false); }

 private:
  double Change(uint64_t hash, bool was_there, bool is_there);

  const double weight_;
  const double most_;
  std::vector<uint64_t> differs_;  // from the start: a bit for each item
  double set_ = 0;                 // bits
  double counted_ = 0;             // items that differ
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_STORED_ITEMS_H_
