// Rows in the order of their keys, in memory. A copy of a tree is instant and shares unchanged
// parts with it (engine/store/rows/README.md).
#ifndef DYNOLITH_ENGINE_STORE_ROWS_ROW_TREE_H_
#define DYNOLITH_ENGINE_STORE_ROWS_ROW_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "engine/store/rows/shared_row.h"

namespace dynolith {

// One writer, or several readers, at a time, except for Overwrite; different copies may be used
// concurrently. A change for which there is no memory throws std::bad_alloc and changes nothing.
class RowTree {
  struct Node;
  struct Inner;
  using Bytes = SharedRow::Bytes;

 public:
  RowTree() = default;
  RowTree(const RowTree& other);
  RowTree(RowTree&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  RowTree& operator=(RowTree other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  // O(rows that nobody else holds).
  ~RowTree();

  // Empty: not found.
  SharedRow Find(std::string_view key) const;

  void Put(std::string_view key, std::string_view value);
  // Whether a change may be made, given the row's previous value (nullptr: none).
  using May = absl::FunctionRef<bool(const std::string_view* before)>;
  // The position of a row in the tree, or where it would be, as long as only Overwrite changes the
  // tree.
  class Position {
   public:
    // Makes the position unknown.
    void Forget() { levels_ = 0; }

   private:
    friend class RowTree;
    struct Step {
      const Node* node;
      int at;  // the child's index; in a leaf the row's
    };
    // A tree with more has at least 16 rows to the power of their number.
    static constexpr int kLevelsMax = 12;
    int levels_ = 0;  // 0: not known
    bool is_row_there_ = false;
    Step steps_[kLevelsMax];  // from the root to the leaf
  };
  enum class Overwritten { kNot, kRefused, kDone };
  // Overwrites a row's value in position, if only this tree holds the row, and the row's memory
  // suits; kNot: nothing was changed, and `may` not called. May run concurrently with any number of
  // readers and other calls of itself, but with no other change of the tree: a copy made meanwhile
  // has the value before or after, consistently. Sets `*position`.
  Overwritten Overwrite(std::string_view key, std::string_view value, const May* may,
                        Position* position);
  // Puts a new row at the position of its key if `may` (nullptr: no condition) agrees; returns
  // whether it did. `*row` then holds the previous row (empty: none), which the caller frees. As
  // long as the tree has no newer copy, putting that one back, or removing the new one, takes no
  // memory.
  bool PutRow(SharedRow* row, const Position& position, const May* may);
  // Whether there was such a row.
  bool Remove(std::string_view key);
  // The position of its row, or where it would be.
  Position FindPosition(std::string_view key) const;
  // As Remove if `may` (nullptr: no condition) agrees, at the position of the key. The caller frees
  // the removed row; empty: nothing was removed.
  SharedRow RemoveRow(std::string_view key, const Position& position, const May* may);
  // The row of that key (empty: none), which RemovePrepared then removes without taking memory if
  // it is still there, as long as the tree has no newer copy.
  SharedRow PrepareRemoval(std::string_view key);
  void RemovePrepared(const SharedRow& row);
  // Cuts out all rows from `begin` to before `end` (empty: to the last one) and returns them as
  // trees. O(nodes at the range's edges).
  std::vector<RowTree> RemoveRange(std::string_view begin, std::string_view end);

  struct Totals {
    uint64_t rows = 0;
    uint64_t bytes = 0;  // of keys and places for values, of which half may be unused
  };
  Totals totals() const;
  // Of the rows from `begin` to before `end` (empty: to the last one).
  Totals SumRange(std::string_view begin, std::string_view end) const;

  class Walk;

 private:
  struct Split;
  struct SplitMemory;
  struct Change;

  explicit RowTree(Node* root) : root_(root) {}
  const Bytes* FindBytes(std::string_view key) const;
  Bytes* FindForOverwrite(std::string_view key, Position* position) const;

  // The parts of a node.
  static Inner* AsInner(Node* node);
  static const Inner* AsInner(const Node* node);
  static Node* MakeNode(int level);
  static void Free(Node* node);
  static void Hold(Node* node);
  static void Release(Node* node);
  static Node* Copy(const Node& node);
  // The slot's node, held by this tree alone.
  static Node* Own(Node** slot);
  // Whether there was memory for it.
  static bool OwnBoth(Node** left, Node** right);

  // The first entry whose key is not before `key`; `*is_equal`: whether its key equals it.
  static int LowerBound(const Node& node, std::string_view key, bool* is_equal);
  // The index of the child that may contain the key.
  static int FindChild(const Node& node, std::string_view key);
  static void FindPrefix(Node* node);
  static void SetHead(Node* node, int at);
  // Shortens the node's prefix to one that the key shares.
  static void FitPrefix(Node* node, std::string_view key);
  static void InsertAt(Node* node, int at, Bytes* key, Node* child);
  // Erases entries [first, last) and frees their rows or nodes.
  static void EraseEntries(Node* node, int first, int last);
  static void CountTotals(Node* node);
  // The shortest key that is more than `low` and not more than `high`. Requires: low < high.
  static Bytes* MakeBetween(std::string_view low, std::string_view high);
  // Makes all that splitting a leaf takes, there and above, with a key between these two.
  static void MakeForSplit(std::string_view low, std::string_view high, Change* change);
  // Moves the entries from `at` on to a new node on its right. Requires: 0 < at < the entries, and
  // MakeForSplit.
  static Split SplitAt(Node* node, int at, Change* change);

  // `step`: of the change's position; nullptr: not known.
  static Split PutInto(Node** slot, Change* change, const Position::Step* step);
  static Split PutIntoLeaf(Node* leaf, Change* change, const Position::Step* step);
  static void RemoveFrom(Node** slot, Change* change, const Position::Step* step);
  void Put(Change* change);
  static void MergeAt(Node* node, int at);
  static void RemoveRangeFrom(Node** slot, std::string_view begin, std::string_view end,
                              std::vector<RowTree>* removed);
  static void AddTotals(const Node& node, std::string_view begin, std::string_view end,
                        Totals* totals);
  void TrimRoot();

  Node* root_ = nullptr;  // nullptr: no rows
};

// Walks the rows from `begin` to before `end` (empty: to the last one) in either direction, and not
// beyond. The tree, or a copy of it that was made before it was changed, and both bounds must
// outlive it.
class RowTree::Walk {
 public:
  Walk(const RowTree& tree, std::string_view begin, std::string_view end)
      : root_(tree.root_), begin_(begin), end_(end) {}

  // To the first row that is not before `key`.
  void SeekAtOrAfter(std::string_view key);
  // To the last row before `key`; empty: to the last one.
  void SeekBefore(std::string_view key);
  // Require: is_valid().
  void Next() {
    if (++at_ == last_) return NextLeaf();
    Prefetch();
  }
  void Previous() {
    if (at_-- == first_) return PreviousLeaf();
    Prefetch();
  }

  bool is_valid() const { return leaf_ != nullptr; }
  // Require: is_valid(). Borrowed from the tree.
  std::string_view key() const;
  std::string_view value() const;

 private:
  struct Step {
    const Inner* node;
    int at;
  };
  // Descends to the leaf where the key is, or would be; empty: the last one.
  void DescendTo(std::string_view key);
  // Descends to the first or the last leaf below.
  void DescendToEdge(const Node* node, bool to_last);
  // Finds the rows of the leaf that are within the bounds.
  void EnterLeaf();
  void NextLeaf();
  void PreviousLeaf();
  // Prefetches the memory of likely next steps.
  void Prefetch() const;

  const Node* const root_;
  const std::string_view begin_;
  const std::string_view end_;
  absl::InlinedVector<Step, 8> steps_;  // from the root to above the leaf
  const Node* leaf_ = nullptr;
  // Of the leaf's rows those within the bounds: [first_, last_).
  int first_ = 0;
  int last_ = 0;
  int at_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROWS_ROW_TREE_H_
