#include "index/maintain.h"

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
  std::string item_row_key;
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

// Calls `visit` with the row key of the item's entry in each layout of the index but for one whose
// writes are noted: there `note`.
template <typename Visit, typename Note>
void ForEachRowKey(const IndexSchema& index, const KeySchema& base_key, ItemView item, Visit visit,
                   Note note) {
  const bool notes = index.notes && index.notes->is_open;
  const StorageId noted = !notes ? 0 : index.next ? index.next->id : index.id;
  ForEachLayout(index, [&](IndexLayout layout) {
    const bool is_noted = notes && layout.id == noted;
    if (is_noted) layout.id = index.notes->id;
    std::string& row_key = ThreadScratch().row_key;
    row_key.clear();
    AppendIndexRowKey(layout, index.key, base_key, item, &row_key);
    is_noted ? note(std::string_view(row_key)) : visit(std::string_view(row_key));
  });
}

// The rows that one write of an item adds to a batch.
class EntryWriter {
 public:
  EntryWriter(const TableSchema& schema, const IndexSchema& index, WriteBatch* batch)
      : schema_(schema), index_(index), family_(IndexFamily(index.kind)), batch_(batch) {}

  void Put(ItemView item) {
    if (ProjectsWholeItem(index_)) return Put(item, item.bytes());
    const ItemView projected = BuildProjection(index_, schema_.key, item, &ThreadScratch().builder);
    Put(item, projected.bytes());
  }
  void Delete(ItemView item) {
    ForEachRowKey(
        index_, schema_.key, item,
        [this](std::string_view row_key) { batch_->Delete(family_, row_key); },
        [&](std::string_view row_key) { Note(item, row_key); });
  }

 private:
  void Put(ItemView item, std::string_view value) {
    ForEachRowKey(
        index_, schema_.key, item,
        [&](std::string_view row_key) { batch_->Put(family_, row_key, value); },
        [&](std::string_view row_key) { Note(item, row_key); });
  }
  void Note(ItemView item, std::string_view row_key) {
    std::string& item_row_key = ThreadScratch().item_row_key;
    item_row_key.clear();
    AppendRowKey(schema_.id, schema_.key, item, &item_row_key);
    batch_->Put(family_, row_key, item_row_key);
  }

  const TableSchema& schema_;
  const IndexSchema& index_;
  const Family family_;
  WriteBatch* const batch_;
};

// Charges the write of an entry of so many bytes.
void Charge(const IndexSchema& index, size_t bytes, IndexWork* work) {
  if (index.vector) {
    work->vector_write_bytes += static_cast<double>(std::max(bytes, kVectorRequestBytesMin));
  } else {
    work->write_units += WriteUnits(bytes);
  }
}

// Adds what it cost to `work`. Returns whether the index is touched.
bool MaintainIndex(const TableSchema& schema, const IndexSchema& index, Image* before, Image* after,
                   WriteBatch* batch, IndexWork* work) {
  const bool was_there = before->HasEntryIn(index);
  const bool is_there = after->HasEntryIn(index);
  if (!was_there && !is_there) return false;

  const bool stays = was_there && is_there && HaveSameKey(index.key, before->item(), after->item());
  if (stays && HaveSameProjection(index, before->item(), after->item())) return false;
  if (was_there) work->bytes_before = before->EntryBytes(index, schema.key);
  if (is_there) work->bytes_after = after->EntryBytes(index, schema.key);
  work->moves = was_there && is_there && !stays;
  EntryWriter writer(schema, index, batch);
  if (stays) {
    writer.Put(after->item());
    Charge(index, std::max(work->bytes_before, work->bytes_after), work);
    return true;
  }

  if (was_there) {
    writer.Delete(before->item());
    Charge(index, work->bytes_before, work);
  }
  if (is_there) {
    writer.Put(after->item());
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
    if (MaintainIndex(schema, schema.indexes[i], &old_image, &new_image, batch, &cost)) {
      work->push_back(cost);
    }
  }
}

}  // namespace dynolith
