// The graph over one range of a vector index, and the changes in the range that it has not followed
// yet.
#ifndef DYNOLITH_INDEX_GRAPH_RANGE_GRAPH_H_
#define DYNOLITH_INDEX_GRAPH_RANGE_GRAPH_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/key/schema.h"
#include "engine/store/store.h"
#include "index/graph/vector_graph.h"

namespace dynolith {

// Thread-safe except Work, which belongs to one thread. The store must outlive it.
class RangeGraph {
 public:
  // Keeps at most `changes_max` changed keys for searches, and a hundred times as many in all.
  RangeGraph(const Store* store, const IndexSchema& index, KeyRange range, size_t changes_max);

  const IndexSchema& index() const { return index_; }
  const KeyRange& range() const { return range_; }
  bool Contains(std::string_view row_key) const {
    return row_key >= range_.begin && (range_.end.empty() || row_key < range_.end);
  }

  // A row has changed, and can be read. Without memory to note it the graph is overrun.
  void Note(std::string_view row_key) noexcept ABSL_LOCKS_EXCLUDED(changes_mutex_);

  struct Proposal {
    // The keys that the graph does not know yet. Sorted.
    std::vector<std::string> changed;
    // The nearest first.
    std::vector<std::string> near;
  };
  // Row keys that probably include the nearest to `vector`: every noted key is in `changed`, or the
  // graph has followed it. nullopt: the graph is not ready, or too far behind.
  absl::StatusOr<std::optional<Proposal>> Propose(const std::vector<float>& vector,
                                                  size_t effort) const
      ABSL_LOCKS_EXCLUDED(changes_mutex_, graph_mutex_);

  // Whether there is anything to build or to follow.
  bool NeedsWork() const ABSL_LOCKS_EXCLUDED(changes_mutex_);
  // A short piece of work. Errors, after which the graph is unusable: the store's; kDataLoss for a
  // damaged entry; kResourceExhausted when it takes more than `bytes_max` or cannot follow.
  absl::Status Work(size_t bytes_max) ABSL_LOCKS_EXCLUDED(changes_mutex_, graph_mutex_);

  // Estimated memory; includes a graph that is being built to replace this one.
  size_t bytes() const { return bytes_; }
  // Entries that the graph knows.
  size_t keys() const { return keys_; }

 private:
  // Continues to read the range, after the last piece.
  absl::Status Build();
  absl::Status FollowChanges() ABSL_LOCKS_EXCLUDED(changes_mutex_, graph_mutex_);
  absl::Status FollowOne(const std::string& row_key) ABSL_LOCKS_EXCLUDED(graph_mutex_);
  absl::Status CheckBytes(size_t bytes_max);
  // When there are too many nodes without a key.
  void BeginAnew(size_t bytes_max) ABSL_LOCKS_EXCLUDED(graph_mutex_);

  const Store* const store_;
  const IndexSchema index_;
  const KeyRange range_;
  const size_t changes_max_;

  // For the working thread. The graph being built, and the last key in it.
  std::unique_ptr<VectorGraph> building_;
  std::string built_to_;

  std::atomic<size_t> bytes_{0};
  std::atomic<size_t> keys_{0};
  std::atomic<bool> is_building_{true};
  mutable absl::Mutex graph_mutex_;
  std::unique_ptr<VectorGraph> graph_ ABSL_GUARDED_BY(graph_mutex_);  // nullptr: not ready yet
  mutable absl::Mutex changes_mutex_;
  // The keys noted since the graph saw them, each with the number of its note. Not one of Abseil's
  // tables: those are damaged when there is no memory for them to grow.
  std::unordered_map<std::string, uint64_t, StringViewHash, std::equal_to<>> changes_
      ABSL_GUARDED_BY(changes_mutex_);
  uint64_t notes_ ABSL_GUARDED_BY(changes_mutex_) = 0;
  bool is_overrun_ ABSL_GUARDED_BY(changes_mutex_) = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_GRAPH_RANGE_GRAPH_H_
