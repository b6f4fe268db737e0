// The graphs over the large ranges of a database's vector indexes: their set, how they follow the
// rows, and searches through them.
//
// A graph only proposes row keys. Every answer is read from one state of the store, in which each
// proposed entry is looked up, filtered and compared exactly: a result always exists and has its
// own score. The only error of a graph is to miss some results.
//
// Graphs are not stored. The first search of a range that compares many entries requests its graph;
// it is built from the rows in the background, one range after the other, while searches compare
// all entries. Writers name the keys of their rows after each commit. Until the graph has followed,
// searches compare these keys one by one beside the graph's proposals, so that a search sees every
// write that was answered before it began.
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
#include "engine/key/key_codec.h"
#include "engine/key/schema.h"
#include "engine/process/background_work.h"
#include "engine/store/store.h"
#include "index/nearest.h"

namespace dynolith {

class RangeGraph;

struct VectorGraphOptions {
  // For all graphs together. A graph that would not fit is not built.
  size_t bytes_max = size_t{1} << 30;
  // Fewer entries are compared quickly enough.
  size_t entries_min = 10'000;
  // Changed keys that a search compares beside a graph; with more it compares all entries.
  size_t changes_max = 1'000;
};

// Thread-safe. All constructor arguments must outlive it.
class VectorGraphs {
 public:
  // Whether the index with that id still exists. Must not call the graphs.
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

  // Call it after each commit that may have touched rows of vector indexes, before the answer.
  // O(rows), and nothing while there are no graphs.
  void Follow(const WriteBatch& committed);

  // Blocks until all requested graphs are built or refused, and have followed all writes.
  void WaitUntilIdle() { work_.Drain(); }
  // The number of searches that went through a graph.
  int64_t searches() const { return searches_; }
  // Estimated memory of all graphs.
  size_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);
  // The first reason since the last call for which a large range has no graph.
  absl::Status TakeFailure() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The graph over the range; nullptr: none.
  std::shared_ptr<RangeGraph> Find(const KeyRange& range) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The graph whose range contains the key; nullptr: none.
  std::shared_ptr<RangeGraph> FindGraph(std::string_view row_key) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  // nullopt: the graph has not found enough.
  absl::StatusOr<std::optional<NearestEntries>> SearchThrough(
      const RangeGraph& graph, const IndexSchema& index, const VectorScorer& scorer,
      const std::vector<float>& vector, size_t count, absl::FunctionRef<bool(ItemView)> matches);
  // Requests the range's graph unless it exists.
  void AskFor(const IndexSchema& index, const KeyRange& range, size_t entries)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // A short piece of one graph.
  absl::Duration WorkOnNext() ABSL_LOCKS_EXCLUDED(mutex_);
  // nullptr: nothing to do.
  std::shared_ptr<RangeGraph> NextToWorkOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The memory that the other graphs leave.
  size_t RoomFor(const RangeGraph& graph) const ABSL_LOCKS_EXCLUDED(mutex_);
  void Drop(const RangeGraph& graph, const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_);
  // Drops the graphs of dropped indexes.
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
  bool has_worked_ ABSL_GUARDED_BY(mutex_) = false;  // since it was last idle
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  BackgroundWork work_;  // last: it stops before the members that it uses are destroyed
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_GRAPH_VECTOR_GRAPHS_H_
