// One write's difference in every index of its table.
#include <algorithm>

#include "engine/base/limits.h"
#include "engine/key/key_codec.h"
#include "engine/partition/capacity.h"
#include "index/entry.h"
#include "index/projection.h"

namespace dynolith {
namespace {

// One of the two items of a write. What all indexes with the whole item ask for is computed once.
class Image {
 public:
  explicit Image(const ItemView* item) : item_(item) {}

  ItemView item() const { return *item_; }
  bool HasEntryIn(const IndexSchema& index) const {
    return item_ != nullptr && HasEntry(index, *item_);
  }
  size_t EntryBytes(const IndexSchema& index, const KeySchema& base_key) {
    if (!ProjectsWholeItem(index)) return ProjectedBilledBytes(index, base_key, *item_);
    if (whole_bytes_ == 0) whole_bytes_ = BilledBytes(*item_);
    return whole_bytes_;
  }

 private:
  const ItemView* item_;
  size_t whole_bytes_ = 0;  // 0: not asked for yet; an item with keys has more
};

// Memory that a thread's writes use again and again.
struct Scratch {
  std::string row_key;
  ItemBuilder builder;
};

Scratch& ThreadScratch() {
  thread_local Scratch scratch;
  return scratch;
}

bool HaveSameKey(const KeySchema& key, ItemView left, ItemView right) {
  const auto same = [&](const KeyAttribute& attribute) {
    return left.Find(attribute.name) == right.Find(attribute.name);
  };
  return std::all_of(key.hash.begin(), key.hash.end(), same) &&
         std::all_of(key.range.begin(), key.range.end(), same);
}

// Calls `visit` with the row key of the item's entry in each layout of the index.
template <typename Visit>
void ForEachRowKey(const IndexSchema& index, const KeySchema& base_key, ItemView item,
                   Visit visit) {
  ForEachLayout(index, [&](const IndexLayout& layout) {
    std::string& row_key = ThreadScratch().row_key;
    row_key.clear();
    AppendIndexRowKey(layout, index.key, base_key, item, &row_key);
    visit(std::string_view(row_key));
  });
}

void PutEntry(const IndexSchema& index, const KeySchema& base_key, ItemView item,
              WriteBatch* batch) {
  const auto put = [&](std::string_view value) {
    ForEachRowKey(index, base_key, item, [&](std::string_view row_key) {
      batch->Put(FamilyOf(index.kind), row_key, value);
    });
  };
  if (ProjectsWholeItem(index)) return put(item.bytes());
  const ItemView projected = BuildProjection(index, base_key, item, &ThreadScratch().builder);
  put(projected.bytes());
}

void DeleteEntry(const IndexSchema& index, const KeySchema& base_key, ItemView item,
                 WriteBatch* batch) {
  ForEachRowKey(index, base_key, item,
                [&](std::string_view row_key) { batch->Delete(FamilyOf(index.kind), row_key); });
}

// Charges the write of an entry of so many bytes.
void Charge(const IndexSchema& index, size_t bytes, IndexWork* work) {
  if (index.vector) {
    work->vector_write_bytes += static_cast<double>(std::max(bytes, kVectorRequestBytesMin));
  } else {
    work->write_units += WriteUnits(bytes);
  }
}

// Adds what it cost to `work`. Returns whether the index is touched.
bool MaintainIndex(const IndexSchema& index, const KeySchema& base_key, Image* before, Image* after,
                   WriteBatch* batch, IndexWork* work) {
  const bool was_there = before->HasEntryIn(index);
  const bool is_there = after->HasEntryIn(index);
  if (!was_there && !is_there) return false;

  const bool stays = was_there && is_there && HaveSameKey(index.key, before->item(), after->item());
  if (stays && HaveSameProjection(index, before->item(), after->item())) return false;
  if (was_there) work->bytes_before = before->EntryBytes(index, base_key);
  if (is_there) work->bytes_after = after->EntryBytes(index, base_key);
  work->moves = was_there && is_there && !stays;
  if (stays) {
    PutEntry(index, base_key, after->item(), batch);
    Charge(index, std::max(work->bytes_before, work->bytes_after), work);
    return true;
  }

  if (was_there) {
    DeleteEntry(index, base_key, before->item(), batch);
    Charge(index, work->bytes_before, work);
  }
  if (is_there) {
    PutEntry(index, base_key, after->item(), batch);
    Charge(index, work->bytes_after, work);
  }
  return true;
}

}  // namespace

void MaintainIndexes(const TableSchema& schema, const ItemView* before, const ItemView* after,
                     WriteBatch* batch, std::vector<IndexWork>* work) {
  Image old_image(before);
  Image new_image(after);
  for (size_t i = 0; i < schema.indexes.size(); ++i) {
    IndexWork cost = {.index = i};
    if (MaintainIndex(schema.indexes[i], schema.key, &old_image, &new_image, batch, &cost)) {
      work->push_back(cost);
    }
  }
}

}  // namespace dynolith
