// The graphs over the large ranges of a database's vector indexes: which there are, how they follow
// the rows, and searches through them.
//
// A graph only proposes row keys. Every answer is read from one state of the store, in which each
// proposed entry is looked up, filtered and compared exactly: a result is never one that is not
// there, nor with a score that is not its own. What a graph can do wrong is to miss some.
//
// Nothing of a graph is stored. The first search of a range that looks at many entries asks for its
// graph; it is built from the rows in the background, a range after the other, while searches look
// at all. Writers name the keys of their rows after each commit. Until the graph has been brought
// along, these keys are compared one by one beside what the graph proposes, so that a search sees
// every write that was answered before it began.
#ifndef DYNOLITH_INDEX_GRAPH_VECTOR_GRAPHS_H_
#define DYNOLITH_INDEX_GRAPH_VECTOR_GRAPHS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/base/background_work.h"
#include "engine/key/key_codec.h"
#include "engine/key/schema.h"
#include "engine/store/store.h"
#include "index/nearest.h"

namespace dynolith {

class RangeGraph;

struct VectorGraphOptions {
  // Of all graphs together. One that would not fit is not built.
  size_t bytes_max = size_t{1} << 30;
  // Fewer entries are soon looked at.
  size_t entries_min = 10'000;
  // Changed keys that a search compares beside a graph; with more it looks at all.
  size_t changes_max = 1'000;
};

// Thread-safe. Everything that it is made of must outlive it.
class VectorGraphs {
 public:
  // Whether the index with that id is still there. Must not call the graphs.
  using IsAlive = std::function<bool(StorageId index)>;

  // Graphs are built on `threads`.
  VectorGraphs(const Store* store, IsAlive is_alive, BackgroundThreads* threads,
               const VectorGraphOptions& options);
  ~VectorGraphs() = default;
  VectorGraphs(const VectorGraphs&) = delete;
  VectorGraphs& operator=(const VectorGraphs&) = delete;

  // As dynolith::FindNearest, in the newest state, but may miss some of the nearest. `vector` is
  // the scorer's. `compared` counts the entries whose stored vectors were compared.
  absl::StatusOr<NearestEntries> FindNearest(const IndexSchema& index, const KeyRange& range,
                                             const VectorScorer& scorer,
                                             const std::vector<float>& vector, size_t count,
                                             absl::FunctionRef<bool(ItemView)> matches);

  // To be called after each commit that may have touched rows of vector indexes, before it is
  // answered. O(rows), and nothing while there are no graphs.
  void Follow(const WriteBatch& committed);

  // Blocks until all graphs that were asked for are built, or refused, and have followed all
  // writes.
  void WaitUntilIdle() { work_.Drain(); }
  // How many searches went through a graph.
  int64_t searches() const { return searches_; }
  // Of memory that all graphs take, estimated.
  size_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);
  // The first reason since the last call why a large range has no graph.
  absl::Status TakeFailure() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The graph over the range; nullptr: there is none.
  std::shared_ptr<RangeGraph> Find(const KeyRange& range) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The graph whose range holds the key; nullptr: there is none.
  std::shared_ptr<RangeGraph> GraphOf(std::string_view row_key) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  // nullopt: the graph has not found enough.
  absl::StatusOr<std::optional<NearestEntries>> SearchThrough(
      const RangeGraph& graph, const IndexSchema& index, const VectorScorer& scorer,
      const std::vector<float>& vector, size_t count, absl::FunctionRef<bool(ItemView)> matches);
  // Has the range's graph built unless it is there.
  void AskFor(const IndexSchema& index, const KeyRange& range, size_t entries)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // A short piece of one graph.
  absl::Duration WorkOnNext() ABSL_LOCKS_EXCLUDED(mutex_);
  // nullptr: there is nothing to do.
  std::shared_ptr<RangeGraph> NextToWorkOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What the others leave of the memory.
  size_t RoomFor(const RangeGraph& graph) const ABSL_LOCKS_EXCLUDED(mutex_);
  void Drop(const RangeGraph& graph, const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_);
  // Those of indexes that are gone.
  void DropDead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Store* const store_;
  const IsAlive is_alive_;
  const VectorGraphOptions options_;
  std::atomic<bool> any_{false};  // whether there has ever been a graph
  std::atomic<int64_t> searches_{0};
  mutable absl::Mutex mutex_;
  // By the begin of their ranges, which do not overlap.
  std::map<std::string, std::shared_ptr<RangeGraph>, std::less<>> graphs_ ABSL_GUARDED_BY(mutex_);
  // Begins of ranges whose graphs would have been too large.
  std::set<std::string> refused_ ABSL_GUARDED_BY(mutex_);
  std::string worked_on_ ABSL_GUARDED_BY(mutex_);
  bool has_worked_ ABSL_GUARDED_BY(mutex_) = false;  // since there was nothing to do
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  BackgroundWork work_;  // last: it stops before what it uses goes
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_GRAPH_VECTOR_GRAPHS_H_
