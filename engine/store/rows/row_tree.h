// Rows in the order of their keys, in memory. A copy of a tree is made at once and shares with it
// what neither has changed since (engine/store/rows/README.md).
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

// For one writer, or several readers, at a time, but for Overwrite; different copies beside each
// other.
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
  // O(rows that nobody else has).
  ~RowTree();

  // Empty: there is none.
  SharedRow Find(std::string_view key) const;

  void Put(std::string_view key, std::string_view value);
  // Whether a change may be made, of the row's value before (nullptr: there is none).
  using May = absl::FunctionRef<bool(const std::string_view* before)>;
  // Where in the tree a row is, or would be, as long as nothing but Overwrite changes the tree.
  class Place {
   public:
    // Somewhere: to be looked for.
    void Forget() { levels_ = 0; }

   private:
    friend class RowTree;
    struct Step {
      const Node* node;
      int at;  // its child; of a leaf the row
    };
    // A tree with more has at least 16 rows to the power of their number.
    static constexpr int kLevelsMax = 12;
    int levels_ = 0;  // 0: not known
    bool is_row_there_ = false;
    Step steps_[kLevelsMax];  // from the root to the leaf
  };
  enum class Overwritten { kNot, kRefused, kDone };
  // Overwrites the value of a row that is there where it is, if this tree alone has the row, and
  // the row's memory suits; kNot: nothing was changed, and `may` not asked. Beside any number of
  // readers and other calls of this, but of nothing else that changes the tree: a copy that is made
  // meanwhile has the value before or the one behind, for good. Sets `*place`.
  Overwritten Overwrite(std::string_view key, std::string_view value, const May* may, Place* place);
  // Puts a row that has been made at the place of its key if `may` (nullptr: nobody asks) says so;
  // whether it did. `*row` is then what was there before, for the caller to let go of.
  bool PutRow(SharedRow* row, const Place& place, const May* may);
  // Whether there was such a row.
  bool Remove(std::string_view key);
  // Where its row is, or would be.
  Place PlaceOf(std::string_view key) const;
  // As Remove if `may` (nullptr: nobody asks) says so, at the place of the key. What was removed is
  // for the caller to let go of; empty: nothing was.
  SharedRow RemoveRow(std::string_view key, const Place& place, const May* may);
  // Cuts out all rows from `begin` to before `end` (empty: to the last one) and returns those that
  // lay together. O(nodes at the range's edges).
  std::vector<RowTree> RemoveRange(std::string_view begin, std::string_view end);

  struct Totals {
    uint64_t rows = 0;
    uint64_t bytes = 0;  // of keys and places for values, of which half may be unused
  };
  Totals totals() const;
  // Of the rows from `begin` to before `end` (empty: to the last one).
  Totals TotalsOf(std::string_view begin, std::string_view end) const;

  class Walk;

 private:
  struct Split;
  struct Change;

  explicit RowTree(Node* root) : root_(root) {}
  const Bytes* FindBytes(std::string_view key) const;
  Bytes* FindPlace(std::string_view key, Place* place) const;

  // What a node is made of.
  static Inner* InnerOf(Node* node);
  static const Inner* InnerOf(const Node* node);
  static Node* MakeNode(int level);
  static void Free(Node* node);
  static void Hold(Node* node);
  static void Release(Node* node);
  static Node* Copy(const Node& node);
  // What the slot holds, for this tree alone.
  static Node* Own(Node** slot);

  // The first entry whose key is not before `key`; `*is_equal`: it is that of the entry.
  static int LowerBound(const Node& node, std::string_view key, bool* is_equal);
  // The child that has the key, if any has.
  static int ChildOf(const Node& node, std::string_view key);
  static void FindPrefix(Node* node);
  static void SetHead(Node* node, int at);
  // Makes the node's prefix one that the key has, too.
  static void FitPrefix(Node* node, std::string_view key);
  static void InsertAt(Node* node, int at, Bytes* key, Node* child);
  // Entries [first, last); gives back what they hold.
  static void EraseEntries(Node* node, int first, int last);
  static void CountTotals(Node* node);
  // The shortest key that is more than `low` and not more than `high`. Requires: low < high.
  static Bytes* MakeBetween(std::string_view low, std::string_view high);
  // Moves the entries from `at` on to a new node on its right. Requires: 0 < at < the entries.
  static Split SplitAt(Node* node, int at);

  // `step`: of the change's place, nullptr: it is not known.
  static Split PutInto(Node** slot, Change* change, const Place::Step* step);
  static Split PutIntoLeaf(Node* leaf, Change* change, const Place::Step* step);
  static void RemoveFrom(Node** slot, Change* change, const Place::Step* step);
  void Put(Change* change);
  static void MergeAt(Node* node, int at);
  static void RemoveRangeFrom(Node** slot, std::string_view begin, std::string_view end,
                              std::vector<RowTree>* removed);
  static void AddTotals(const Node& node, std::string_view begin, std::string_view end,
                        Totals* totals);
  void TrimRoot();

  Node* root_ = nullptr;  // nullptr: no rows
};

// A way through the rows from `begin` to before `end` (empty: to the last one) in either direction,
// beyond which there is nothing. The tree, or a copy of it that was made before it was changed, and
// both bounds must outlive it.
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
  // Down to the leaf where the key is, if it is anywhere; empty: to the last one.
  void DescendTo(std::string_view key);
  // Down to the first or the last leaf below.
  void DescendToEdge(const Node* node, bool to_last);
  // Finds out which rows of the leaf are within the bounds.
  void EnterLeaf();
  void NextLeaf();
  void PreviousLeaf();
  // What may be asked for next.
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
