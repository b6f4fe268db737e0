#include "engine/store/rows/row_tree.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "absl/cleanup/cleanup.h"

namespace dynolith {
namespace {

constexpr int kEntriesMax = 32;
// A node with fewer takes in its neighbour, if both together have no more than the other number.
constexpr int kEntriesFew = kEntriesMax / 4;
constexpr int kMergedMax = kEntriesMax * 3 / 4;
constexpr size_t kPrefixBytesMax = 40;

size_t CommonPrefix(std::string_view left, std::string_view right) {
  const size_t most = std::min(left.size(), right.size());
  size_t same = 0;
  while (same < most && left[same] == right[same]) ++same;
  return same;
}

// Eight bytes of the key, as a number that is ordered as they are; zeros behind its end.
uint64_t HeadAt(std::string_view key, size_t at) {
  uint64_t head = 0;
  if (key.size() >= at + sizeof head) {
    std::memcpy(&head, key.data() + at, sizeof head);
  } else if (key.size() > at) {
    std::memcpy(&head, key.data() + at, key.size() - at);
  }
  return __builtin_bswap64(head);
}

}  // namespace

// Keys are those of rows in a leaf; above, the lowest key that may be below the entry, but for the
// first entry, which has none.
struct RowTree::Node {
  explicit Node(int node_level) : level(static_cast<uint8_t>(node_level)) {}

  // The first entry that has a key.
  int first_key() const { return level == 0 ? 0 : 1; }
  std::string_view prefix() const { return {prefix_bytes, prefix_size}; }

  std::atomic<uint32_t> holders = 1;
  uint8_t level;  // above leaves
  uint8_t prefix_size = 0;
  uint16_t count = 0;
  char prefix_bytes[kPrefixBytesMax];  // what all keys begin with
  uint64_t heads[kEntriesMax];         // of the keys, behind the prefix
  Bytes* keys[kEntriesMax];
  // Far from what is looked at on the way down: rows that come and go below change them.
  Totals totals;
};

struct RowTree::Inner : Node {
  using Node::Node;
  Node* children[kEntriesMax];
};

// Behind a change: what has to stand beside the node.
struct RowTree::Split {
  Bytes* key = nullptr;
  Node* right = nullptr;  // nullptr: nothing
};

// All the memory that a put takes from a full leaf on, so that nothing fails once a node has
// changed.
struct RowTree::SplitMemory {
  SplitMemory() = default;
  SplitMemory(const SplitMemory&) = delete;
  SplitMemory& operator=(const SplitMemory&) = delete;
  ~SplitMemory() {
    if (key != nullptr) Bytes::Release(key);
    for (int level = 0; level < made; ++level) {
      if (nodes[level] != nullptr) Release(nodes[level]);
    }
  }

  Node* TakeNode(int level) { return std::exchange(nodes[level], nullptr); }
  Bytes* TakeKey() { return std::exchange(key, nullptr); }

  Bytes* key = nullptr;  // between the two leaves
  int made = 0;          // of the nodes, one for each level from the leaves up
  Node* nodes[Position::kLevelsMax + 1];
};

// A row that is put or removed, and what that made more or, modulo 2^64, less.
struct RowTree::Change {
  std::string_view key;
  const May* may = nullptr;            // nullptr: nobody asks
  const Position* position = nullptr;  // nullptr: not known
  Bytes* row = nullptr;                // that is put; then the one that was there before
  bool is_refused = false;
  int levels = 0;      // of the tree
  int full_above = 0;  // nodes in a row above the one that was reached
  uint64_t rows = 0;
  uint64_t bytes = 0;
  SplitMemory memory = {};

  void AddTo(Totals* totals) const {
    if (rows == 0 && bytes == 0) return;
    totals->rows += rows;
    totals->bytes += bytes;
  }
};

RowTree::Inner* RowTree::AsInner(Node* node) { return static_cast<Inner*>(node); }
const RowTree::Inner* RowTree::AsInner(const Node* node) { return static_cast<const Inner*>(node); }

RowTree::Node* RowTree::MakeNode(int level) { return level == 0 ? new Node(0) : new Inner(level); }

void RowTree::Hold(Node* node) { node->holders.fetch_add(1, std::memory_order_relaxed); }

void RowTree::Release(Node* node) {
  if (node->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) Free(node);
}

void RowTree::Free(Node* node) {
  std::for_each(node->keys + node->first_key(),
                node->keys + std::max<int>(node->count, node->first_key()), Bytes::Release);
  if (node->level == 0) {
    delete node;
    return;
  }
  Inner* const inner = AsInner(node);
  std::for_each(inner->children, inner->children + inner->count, Release);
  delete inner;
}

RowTree::Node* RowTree::Copy(const Node& node) {
  Node* const copy = MakeNode(node.level);
  copy->prefix_size = node.prefix_size;
  copy->count = node.count;
  copy->totals = node.totals;
  std::memcpy(copy->prefix_bytes, node.prefix_bytes, sizeof node.prefix_bytes);
  for (int i = node.first_key(); i < node.count; ++i) {
    copy->heads[i] = node.heads[i];
    copy->keys[i] = node.keys[i];
    copy->keys[i]->holders.fetch_add(1, std::memory_order_relaxed);
  }
  for (int i = 0; node.level > 0 && i < node.count; ++i) {
    Node* const child = AsInner(&node)->children[i];
    Hold(child);
    AsInner(copy)->children[i] = child;
  }
  return copy;
}

RowTree::Node* RowTree::Own(Node** slot) {
  // Whoever held it has read it before this tree writes.
  if ((*slot)->holders.load(std::memory_order_acquire) == 1) return *slot;
  Node* const shared = *slot;
  *slot = Copy(*shared);
  Release(shared);
  return *slot;
}

RowTree::RowTree(const RowTree& other) : root_(other.root_) {
  // Sequentially consistent, for Overwrite.
  if (root_ != nullptr) root_->holders.fetch_add(1);
}

RowTree::~RowTree() {
  if (root_ != nullptr) Release(root_);
}

int RowTree::LowerBound(const Node& node, std::string_view key, bool* is_equal) {
  *is_equal = false;
  const int order = key.substr(0, node.prefix_size).compare(node.prefix());
  if (order != 0) return order < 0 ? node.first_key() : node.count;
  const uint64_t head = HeadAt(key, node.prefix_size);
  int low = node.first_key();
  int high = node.count;
  while (low < high) {
    const int middle = (low + high) / 2;
    const uint64_t other = node.heads[middle];
    const int difference =
        head != other ? (head < other ? -1 : 1) : key.compare(node.keys[middle]->key());
    if (difference == 0) {
      *is_equal = true;
      return middle;
    }
    if (difference < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

int RowTree::FindChild(const Node& node, std::string_view key) {
  bool is_equal = false;
  const int at = LowerBound(node, key, &is_equal);
  return is_equal ? at : at - 1;
}

void RowTree::SetHead(Node* node, int at) {
  node->heads[at] = HeadAt(node->keys[at]->key(), node->prefix_size);
}

void RowTree::FindPrefix(Node* node) {
  const int first = node->first_key();
  if (node->count <= first) {
    node->prefix_size = 0;
    return;
  }
  const std::string_view low = node->keys[first]->key();
  const size_t same = CommonPrefix(low, node->keys[node->count - 1]->key());
  node->prefix_size = static_cast<uint8_t>(std::min(same, kPrefixBytesMax));
  std::memcpy(node->prefix_bytes, low.data(), node->prefix_size);
  for (int i = first; i < node->count; ++i) SetHead(node, i);
}

void RowTree::FitPrefix(Node* node, std::string_view key) {
  const size_t same = CommonPrefix(node->prefix(), key);
  if (same == node->prefix_size) return;
  node->prefix_size = static_cast<uint8_t>(same);
  for (int i = node->first_key(); i < node->count; ++i) SetHead(node, i);
}

void RowTree::InsertAt(Node* node, int at, Bytes* key, Node* child) {
  const auto make_room = [&](auto* entries) {
    std::copy_backward(entries + at, entries + node->count, entries + node->count + 1);
  };
  make_room(node->heads);
  make_room(node->keys);
  if (child != nullptr) {
    make_room(AsInner(node)->children);
    AsInner(node)->children[at] = child;
  }
  node->keys[at] = key;
  ++node->count;
  // What grows from nothing finds out now and then what its keys have come to share.
  if (node->count == kEntriesMax / 4 || node->count == kEntriesMax / 2) return FindPrefix(node);
  FitPrefix(node, key->key());
  SetHead(node, at);
}

void RowTree::EraseEntries(Node* node, int first, int last) {
  if (first == last) return;
  for (int i = std::max(first, node->first_key()); i < last; ++i) Bytes::Release(node->keys[i]);
  const auto close_up = [&](auto* entries) {
    std::copy(entries + last, entries + node->count, entries + first);
  };
  if (node->level > 0) {
    Inner* const inner = AsInner(node);
    std::for_each(inner->children + first, inner->children + last, Release);
    close_up(inner->children);
    // What is now the first entry has no key.
    if (first == 0 && last < node->count) Bytes::Release(node->keys[last]);
  }
  close_up(node->heads);
  close_up(node->keys);
  node->count = static_cast<uint16_t>(node->count - (last - first));
}

void RowTree::CountTotals(Node* node) {
  node->totals = {};
  for (int i = 0; i < node->count; ++i) {
    if (node->level == 0) {
      ++node->totals.rows;
      node->totals.bytes += node->keys[i]->row_bytes();
    } else {
      const Totals& below = AsInner(node)->children[i]->totals;
      node->totals.rows += below.rows;
      node->totals.bytes += below.bytes;
    }
  }
}

SharedRow::Bytes* RowTree::MakeBetween(std::string_view low, std::string_view high) {
  return Bytes::Make(high.substr(0, CommonPrefix(low, high) + 1), "");
}

void RowTree::MakeForSplit(std::string_view low, std::string_view high, Change* change) {
  SplitMemory& memory = change->memory;
  memory.key = MakeBetween(low, high);
  const bool is_root_full = change->full_above + 1 == change->levels;
  const int nodes = change->full_above + (is_root_full ? 2 : 1);
  while (memory.made < nodes) {
    memory.nodes[memory.made] = MakeNode(memory.made);
    ++memory.made;
  }
}

RowTree::Split RowTree::SplitAt(Node* node, int at, Change* change) {
  Split split;
  split.right = change->memory.TakeNode(node->level);
  const int moved = node->count - at;
  std::copy_n(node->keys + at, moved, split.right->keys);
  split.right->count = static_cast<uint16_t>(moved);
  node->count = static_cast<uint16_t>(at);
  if (node->level > 0) {
    std::copy_n(AsInner(node)->children + at, moved, AsInner(split.right)->children);
    split.key = split.right->keys[0];
  } else {
    split.key = change->memory.TakeKey();
  }
  for (Node* const half : {node, split.right}) {
    FindPrefix(half);
    CountTotals(half);
  }
  return split;
}

RowTree::Split RowTree::PutIntoLeaf(Node* leaf, Change* change, const Position::Step* step) {
  bool is_equal = step != nullptr && change->position->is_row_there_;
  int at = step != nullptr ? step->at : LowerBound(*leaf, change->key, &is_equal);
  if (change->may != nullptr) {
    const std::string_view before = is_equal ? leaf->keys[at]->whole_value() : std::string_view();
    change->is_refused = !(*change->may)(is_equal ? &before : nullptr);
    if (change->is_refused) return {};
  }
  if (is_equal) {
    change->bytes = change->row->row_bytes() - leaf->keys[at]->row_bytes();
    std::swap(leaf->keys[at], change->row);
    change->AddTo(&leaf->totals);
    return {};
  }
  Split split;
  if (leaf->count == kEntriesMax && at == kEntriesMax) {
    // A neighbour of its own: there may be more where it came from.
    MakeForSplit(leaf->keys[at - 1]->key(), change->key, change);
    split = {.key = change->memory.TakeKey(), .right = change->memory.TakeNode(0)};
    leaf = split.right;
    at = 0;
  } else if (leaf->count == kEntriesMax) {
    constexpr int kHalf = kEntriesMax / 2;
    MakeForSplit(leaf->keys[kHalf - 1]->key(), leaf->keys[kHalf]->key(), change);
    split = SplitAt(leaf, kHalf, change);
    // What stands between the two may be less than what comes between them.
    if (at > leaf->count || (at == leaf->count && change->key >= split.key->key())) {
      at -= leaf->count;
      leaf = split.right;
    }
  }
  change->rows = 1;
  change->bytes = change->row->row_bytes();
  InsertAt(leaf, at, std::exchange(change->row, nullptr), nullptr);
  change->AddTo(&leaf->totals);
  return split;
}

RowTree::Split RowTree::PutInto(Node** slot, Change* change, const Position::Step* step) {
  Node* node = Own(slot);
  if (node->level == 0) return PutIntoLeaf(node, change, step);
  change->full_above = node->count == kEntriesMax ? change->full_above + 1 : 0;
  int at = 1 + (step != nullptr ? step->at : FindChild(*node, change->key));
  const Split below =
      PutInto(&AsInner(node)->children[at - 1], change, step != nullptr ? step + 1 : nullptr);
  change->AddTo(&node->totals);
  if (below.key == nullptr) return {};
  Split split;
  if (node->count == kEntriesMax) {
    split = SplitAt(node, at == kEntriesMax ? kEntriesMax - 1 : kEntriesMax / 2, change);
    if (at > node->count) {
      at -= node->count;
      node = split.right;
    }
  }
  InsertAt(node, at, below.key, below.right);
  if (split.right != nullptr) CountTotals(node);
  return split;
}

void RowTree::Put(Change* change) {
  if (root_ == nullptr) root_ = MakeNode(0);
  // It is empty if nothing was put.
  const absl::Cleanup trimmed = [this] { TrimRoot(); };
  change->levels = root_->level + 1;
  const bool is_known = change->position != nullptr && change->position->levels_ > 0;
  const Split split = PutInto(&root_, change, is_known ? change->position->steps_ : nullptr);
  if (split.key == nullptr) return;
  Inner* const root = AsInner(change->memory.TakeNode(change->levels));
  root->children[0] = root_;
  root->count = 1;
  root_ = root;
  InsertAt(root, 1, split.key, split.right);
  CountTotals(root);
}

void RowTree::Put(std::string_view key, std::string_view value) {
  SharedRow row = SharedRow::Of(key, value);
  PutRow(&row, Position(), nullptr);
}

bool RowTree::PutRow(SharedRow* row, const Position& position, const May* may) {
  Change change{.key = row->bytes_->key(), .may = may, .position = &position, .row = row->bytes_};
  Put(&change);
  row->bytes_ = change.row;
  return !change.is_refused;
}

bool RowTree::OwnBoth(Node** left, Node** right) {
  try {
    Own(left);
    Own(right);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void RowTree::MergeAt(Node* node, int at) {
  const int right = std::max(at, 1);
  if (right >= node->count) return;
  Inner* const inner = AsInner(node);
  if (inner->children[right - 1]->count + inner->children[right]->count > kMergedMax) return;
  if (!OwnBoth(&inner->children[right - 1], &inner->children[right])) return;
  Node* const to = inner->children[right - 1];
  Node* const from = inner->children[right];
  std::copy_n(from->keys, from->count, to->keys + to->count);
  if (to->level > 0) {
    std::copy_n(AsInner(from)->children, from->count, AsInner(to)->children + to->count);
    // What stood between the two stands between their children.
    to->keys[to->count] = node->keys[right];
    node->keys[right]->holders.fetch_add(1, std::memory_order_relaxed);
  }
  to->count = static_cast<uint16_t>(to->count + from->count);
  from->count = 0;
  FindPrefix(to);
  CountTotals(to);
  EraseEntries(node, right, right + 1);
}

void RowTree::RemoveFrom(Node** slot, Change* change, const Position::Step* step) {
  Node* const node = Own(slot);
  if (node->level == 0) {
    bool is_equal = false;
    const int at = step != nullptr ? step->at : LowerBound(*node, change->key, &is_equal);
    change->row = node->keys[at];
    change->row->Hold();
    change->rows = ~uint64_t{0};
    change->bytes = uint64_t{0} - node->keys[at]->row_bytes();
    EraseEntries(node, at, at + 1);
    change->AddTo(&node->totals);
    return;
  }
  const int at = step != nullptr ? step->at : FindChild(*node, change->key);
  RemoveFrom(&AsInner(node)->children[at], change, step != nullptr ? step + 1 : nullptr);
  change->AddTo(&node->totals);
  const int left = AsInner(node)->children[at]->count;
  if (left == 0) {
    EraseEntries(node, at, at + 1);
  } else if (left < kEntriesFew) {
    MergeAt(node, at);
  }
}

void RowTree::TrimRoot() {
  while (root_ != nullptr && root_->count <= 1 && (root_->level > 0 || root_->count == 0)) {
    Node* const only = root_->count == 0 ? nullptr : AsInner(root_)->children[0];
    if (only != nullptr) Hold(only);
    Release(std::exchange(root_, only));
  }
}

bool RowTree::Remove(std::string_view key) {
  return static_cast<bool>(RemoveRow(key, FindPosition(key), nullptr));
}

RowTree::Position RowTree::FindPosition(std::string_view key) const {
  Position position;
  FindForOverwrite(key, &position);
  return position;
}

SharedRow RowTree::RemoveRow(std::string_view key, const Position& position, const May* may) {
  const bool is_known = position.levels_ > 0;
  const Bytes* row = nullptr;
  if (!is_known) {
    row = FindBytes(key);
  } else if (position.is_row_there_) {
    const Position::Step& last = position.steps_[position.levels_ - 1];
    row = last.node->keys[last.at];
  }
  if (may != nullptr) {
    const std::string_view before = row != nullptr ? row->whole_value() : std::string_view();
    if (!(*may)(row != nullptr ? &before : nullptr)) return {};
  }
  if (row == nullptr) return {};
  Change change{.key = key};
  RemoveFrom(&root_, &change, is_known ? position.steps_ : nullptr);
  TrimRoot();
  return SharedRow(change.row);
}

SharedRow RowTree::PrepareRemoval(std::string_view key) {
  if (root_ == nullptr) return {};
  Node** slot = &root_;
  while (Own(slot)->level > 0) slot = &AsInner(*slot)->children[FindChild(**slot, key)];
  bool is_equal = false;
  const int at = LowerBound(**slot, key, &is_equal);
  if (!is_equal) return {};
  (*slot)->keys[at]->Hold();
  return SharedRow((*slot)->keys[at]);
}

void RowTree::RemovePrepared(const SharedRow& row) {
  const std::string_view key = row.bytes_->key();
  if (FindBytes(key) == row.bytes_) Remove(key);
}

void RowTree::RemoveRangeFrom(Node** slot, std::string_view begin, std::string_view end,
                              std::vector<RowTree>* removed) {
  Node* const node = Own(slot);
  bool is_equal = false;
  if (node->level == 0) {
    const int first = LowerBound(*node, begin, &is_equal);
    const int last = end.empty() ? node->count : LowerBound(*node, end, &is_equal);
    EraseEntries(node, first, last);
    return CountTotals(node);
  }
  Inner* const inner = AsInner(node);
  const int first = FindChild(*node, begin);
  const int last = end.empty() ? node->count - 1 : FindChild(*node, end);
  for (int i = first + 1; i < last; ++i) {
    Hold(inner->children[i]);
    removed->push_back(RowTree(inner->children[i]));
  }
  RemoveRangeFrom(&inner->children[first], begin, end, removed);
  if (last > first) {
    RemoveRangeFrom(&inner->children[last], begin, end, removed);
    const bool is_last_empty = inner->children[last]->count == 0;
    EraseEntries(node, first + 1, is_last_empty ? last + 1 : last);
  }
  if (inner->children[first]->count == 0) EraseEntries(node, first, first + 1);
  CountTotals(node);
}

std::vector<RowTree> RowTree::RemoveRange(std::string_view begin, std::string_view end) {
  std::vector<RowTree> removed;
  if (root_ == nullptr || (!end.empty() && end <= begin)) return removed;
  RowTree rest(*this);
  RemoveRangeFrom(&rest.root_, begin, end, &removed);
  rest.TrimRoot();
  *this = std::move(rest);
  return removed;
}

// How a row is overwritten beside those who copy the tree, and read the copy without a lock:
//
//   this                                         a copy
//     says in the row that it is written           adds a holder to the root
//     looks whether every node of the way has      finds the row somewhen, and waits if the row
//     one holder, from the root down, and so       says that it is written
//     has the row
//     if so: writes
//     says that it is written no more
//
// Of the two at least one sees the other (all four are sequentially consistent): either nothing is
// written here, or whoever reads the copy waits until it is, and the copy is one from after the
// change. Who had a copy before holds one of the nodes, or the row, when this looks: a copy adds
// its own holders to what is below a node before it lets go of the node.
RowTree::Overwritten RowTree::Overwrite(std::string_view key, std::string_view value,
                                        const May* may, Position* position) {
  // Readers of the row wait.
  constexpr size_t kBytesMax = 16 << 10;
  Bytes* const row = FindForOverwrite(key, position);
  if (row == nullptr || value.size() > kBytesMax || !row->Suits(value.size())) {
    return Overwritten::kNot;
  }
  uint32_t holders = 1;
  if (!row->holders.compare_exchange_strong(holders, Bytes::kIsWritten | 1)) {
    return Overwritten::kNot;
  }
  const absl::Cleanup written = [row] {
    row->holders.fetch_sub(Bytes::kIsWritten, std::memory_order_release);
  };
  for (int i = 0; i < position->levels_; ++i) {
    if (position->steps_[i].node->holders.load() != 1) return Overwritten::kNot;
  }
  // Nor has anybody the row who got it from such a copy.
  if (row->holders.load() != (Bytes::kIsWritten | 1)) return Overwritten::kNot;
  if (may != nullptr) {
    const std::string_view before = row->value();
    if (!(*may)(&before)) return Overwritten::kRefused;
  }
  row->Set(value);
  return Overwritten::kDone;
}

SharedRow::Bytes* RowTree::FindForOverwrite(std::string_view key, Position* position) const {
  position->levels_ = 0;
  if (root_ == nullptr || root_->level >= Position::kLevelsMax) return nullptr;
  Position::Step* step = position->steps_;
  const Node* node = root_;
  for (; node->level > 0; node = AsInner(node)->children[step++->at]) {
    *step = {node, FindChild(*node, key)};
  }
  *step = {node, LowerBound(*node, key, &position->is_row_there_)};
  position->levels_ = root_->level + 1;
  return position->is_row_there_ ? node->keys[step->at] : nullptr;
}

const SharedRow::Bytes* RowTree::FindBytes(std::string_view key) const {
  if (root_ == nullptr) return nullptr;
  const Node* node = root_;
  while (node->level > 0) node = AsInner(node)->children[FindChild(*node, key)];
  bool is_equal = false;
  const int at = LowerBound(*node, key, &is_equal);
  return is_equal ? node->keys[at] : nullptr;
}

SharedRow RowTree::Find(std::string_view key) const {
  auto* const row = const_cast<Bytes*>(FindBytes(key));
  if (row != nullptr) row->Hold();
  return SharedRow(row);
}

RowTree::Totals RowTree::totals() const { return root_ != nullptr ? root_->totals : Totals(); }

void RowTree::AddTotals(const Node& node, std::string_view begin, std::string_view end,
                        Totals* totals) {
  bool is_equal = false;
  if (node.level == 0) {
    const int last = end.empty() ? node.count : LowerBound(node, end, &is_equal);
    for (int i = LowerBound(node, begin, &is_equal); i < last; ++i) {
      ++totals->rows;
      totals->bytes += node.keys[i]->row_bytes();
    }
    return;
  }
  const Inner& inner = *AsInner(&node);
  const int first = FindChild(node, begin);
  const int last = end.empty() ? node.count - 1 : FindChild(node, end);
  for (int i = first; i <= last; ++i) {
    if (i == first || i == last) {
      AddTotals(*inner.children[i], begin, end, totals);
    } else {
      totals->rows += inner.children[i]->totals.rows;
      totals->bytes += inner.children[i]->totals.bytes;
    }
  }
}

RowTree::Totals RowTree::SumRange(std::string_view begin, std::string_view end) const {
  Totals totals;
  if (root_ != nullptr && (end.empty() || begin < end)) AddTotals(*root_, begin, end, &totals);
  return totals;
}

void RowTree::Walk::EnterLeaf() {
  const std::string_view low = leaf_->keys[0]->key();
  const std::string_view high = leaf_->keys[leaf_->count - 1]->key();
  bool is_equal = false;
  first_ = low >= begin_ ? 0 : LowerBound(*leaf_, begin_, &is_equal);
  last_ = end_.empty() || high < end_ ? leaf_->count : LowerBound(*leaf_, end_, &is_equal);
}

void RowTree::Walk::DescendToEdge(const Node* node, bool to_last) {
  for (; node->level > 0; node = AsInner(node)->children[steps_.back().at]) {
    steps_.push_back({AsInner(node), to_last ? node->count - 1 : 0});
  }
  leaf_ = node;
  EnterLeaf();
}

void RowTree::Walk::DescendTo(std::string_view key) {
  steps_.clear();
  leaf_ = nullptr;
  if (root_ == nullptr) return;
  if (key.empty()) return DescendToEdge(root_, /*to_last=*/true);
  const Node* node = root_;
  for (; node->level > 0; node = AsInner(node)->children[steps_.back().at]) {
    steps_.push_back({AsInner(node), FindChild(*node, key)});
  }
  leaf_ = node;
  EnterLeaf();
}

void RowTree::Walk::NextLeaf() {
  // Beyond a row that is out of bounds there is none that is not.
  const bool is_at_end = last_ < leaf_->count;
  leaf_ = nullptr;
  if (is_at_end) return;
  while (!steps_.empty() && steps_.back().at + 1 == steps_.back().node->count) steps_.pop_back();
  if (steps_.empty()) return;
  DescendToEdge(steps_.back().node->children[++steps_.back().at], /*to_last=*/false);
  at_ = first_;
  if (at_ >= last_) leaf_ = nullptr;
}

void RowTree::Walk::PreviousLeaf() {
  const bool is_at_begin = first_ > 0;
  leaf_ = nullptr;
  if (is_at_begin) return;
  while (!steps_.empty() && steps_.back().at == 0) steps_.pop_back();
  if (steps_.empty()) return;
  DescendToEdge(steps_.back().node->children[--steps_.back().at], /*to_last=*/true);
  at_ = last_ - 1;
  if (at_ < first_) leaf_ = nullptr;
}

void RowTree::Walk::SeekAtOrAfter(std::string_view key) {
  if (key < begin_) key = begin_;
  // An empty one is the last for DescendTo.
  if (key.empty()) {
    steps_.clear();
    leaf_ = nullptr;
    if (root_ == nullptr) return;
    DescendToEdge(root_, /*to_last=*/false);
    at_ = 0;
  } else {
    DescendTo(key);
    if (leaf_ == nullptr) return;
    bool is_equal = false;
    at_ = LowerBound(*leaf_, key, &is_equal);
  }
  if (at_ >= last_) NextLeaf();
}

void RowTree::Walk::SeekBefore(std::string_view key) {
  if (!end_.empty() && (key.empty() || end_ < key)) key = end_;
  DescendTo(key);
  if (leaf_ == nullptr) return;
  bool is_equal = false;
  at_ = (key.empty() ? leaf_->count : LowerBound(*leaf_, key, &is_equal)) - 1;
  if (at_ < first_) PreviousLeaf();
}

void RowTree::Walk::Prefetch() const {
  if (at_ + 1 < leaf_->count) __builtin_prefetch(leaf_->keys[at_ + 1]);
}

std::string_view RowTree::Walk::key() const { return leaf_->keys[at_]->key(); }
std::string_view RowTree::Walk::value() const { return leaf_->keys[at_]->whole_value(); }

}  // namespace dynolith
