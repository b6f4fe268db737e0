// The graphs over the large ranges of a database's vector indexes: which there are, how they follow
// the rows, and searches through them.
//
// A graph only proposes row keys. Every answer is read from one state of the store, in which each
// proposed entry is looked up, filtered and compared exactly: a result is never one that is not
// there, nor with a score that is not its own. What a graph can do wrong is to miss some.
//
// Nothing of a graph is stored. The first search of a range that looks at many entries asks for its
// graph; a thread builds it from the rows, a range after the other, while searches look at all.
// Writers name the keys of their rows after each commit. Until the thread has brought the graph
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
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
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

// Thread-safe. Everything passed to Make must outlive it.
class VectorGraphs {
 public:
  // Whether the index with that id is still there. Must not call the graphs.
  using IsAlive = std::function<bool(StorageId index)>;

  // Starts the thread. Errors: StartThread's.
  static absl::StatusOr<std::unique_ptr<VectorGraphs>> Make(const Store* store, IsAlive is_alive,
                                                            const VectorGraphOptions& options);
  // Stops the thread.
  ~VectorGraphs();
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
  void WaitUntilIdle() ABSL_LOCKS_EXCLUDED(mutex_);
  // How many searches went through a graph.
  int64_t searches() const { return searches_; }
  // Of memory that all graphs take, estimated.
  size_t bytes() const ABSL_LOCKS_EXCLUDED(mutex_);
  // The first reason since the last call why a large range has no graph.
  absl::Status TakeFailure() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  VectorGraphs(const Store* store, IsAlive is_alive, const VectorGraphOptions& options);
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

  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for something to do; nullptr: stops.
  std::shared_ptr<RangeGraph> NextToWorkOn() ABSL_LOCKS_EXCLUDED(mutex_);
  // What the others leave of the memory.
  size_t RoomFor(const RangeGraph& graph) const ABSL_LOCKS_EXCLUDED(mutex_);
  void Drop(const RangeGraph& graph, const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_);
  // Those of indexes that are gone.
  void DropDead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasWorkOrStops() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool IsIdle() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
    return !is_working_ && (stopping_ || !HasWorkOrStops());
  }

  const Store* const store_;
  const IsAlive is_alive_;
  const VectorGraphOptions options_;
  std::atomic<bool> any_{false};  // whether there has ever been a graph
  std::atomic<int64_t> searches_{0};
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // By the begin of their ranges, which do not overlap.
  std::map<std::string, std::shared_ptr<RangeGraph>, std::less<>> graphs_ ABSL_GUARDED_BY(mutex_);
  // Begins of ranges whose graphs would have been too large.
  std::set<std::string> refused_ ABSL_GUARDED_BY(mutex_);
  bool is_working_ ABSL_GUARDED_BY(mutex_) = false;
  std::string worked_on_ ABSL_GUARDED_BY(mutex_);
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_GRAPH_VECTOR_GRAPHS_H_
