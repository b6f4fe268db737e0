#include "index/graph/vector_graphs.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/families.h"
#include "index/graph/messages.h"
#include "index/graph/range_graph.h"

namespace dynolith {
namespace {

// How many candidates a search keeps on its way; index/graph/README.md has what it finds with them.
constexpr size_t kEffort = 100;
constexpr size_t kEffortPerResult = 3;
// When a condition leaves too few of them, more are asked for, before all entries are looked at.
constexpr size_t kMoreEffort = 4;
// Entries that are compared beyond those that are wanted: the graph's distances are
// single-precision ones, and of equal ones the smaller key is wanted.
constexpr size_t kSpare = 16;
constexpr size_t kEffortMax = 1'600;
// A graph of so many times fewer entries than it takes to get one is given up.
constexpr size_t kShrunk = 4;
constexpr absl::Duration kLookForDead = absl::Seconds(1);

// Looks proposed entries up in one state of the store.
class ProposedEntries {
 public:
  ProposedEntries(const Store& store, const IndexSchema& index, const VectorScorer& scorer,
                  absl::FunctionRef<bool(ItemView)> matches)
      : moment_(store.TakeSnapshot()), index_(index), scorer_(scorer), matches_(matches) {}

  // Whether it is there and matches, and so was taken.
  absl::StatusOr<bool> Take(const std::string& row_key) {
    Row row;
    DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                              moment_->Get(IndexFamily(index_.kind), row_key, &row));
    if (!found) return false;
    const ItemView entry = ItemView::Unchecked(row.value());
    if (!matches_(entry)) return false;
    DYNOLITH_ASSIGN_OR_RETURN(const double score, ScoreEntry(index_, scorer_, entry));
    taken_.push_back({row_key, {Item::Copy(entry), score}});
    return true;
  }

  // The `count` nearest, in the order of FindNearest.
  NearestEntries Nearest(size_t count) {
    NearestEntries nearest = {.compared = taken_.size()};
    std::sort(taken_.begin(), taken_.end(), [this](const TakenRow& left, const TakenRow& right) {
      if (left.neighbour.score == right.neighbour.score) return left.row_key < right.row_key;
      return scorer_.IsNearer(left.neighbour.score, right.neighbour.score);
    });
    for (TakenRow& taken : taken_) {
      if (nearest.neighbours.size() == count) break;
      nearest.neighbours.push_back(std::move(taken.neighbour));
    }
    return nearest;
  }

 private:
  struct TakenRow {
    std::string row_key;
    Neighbour neighbour;
  };

  const std::shared_ptr<const Snapshot> moment_;
  const IndexSchema& index_;
  const VectorScorer& scorer_;
  const absl::FunctionRef<bool(ItemView)> matches_;
  std::vector<TakenRow> taken_;
};

// Takes what changed and, of the others, the nearest that match: `count` and some to spare. Returns
// whether there were `count`.
absl::StatusOr<bool> TakeProposed(const RangeGraph::Proposal& proposal, size_t count,
                                  ProposedEntries* entries) {
  for (const std::string& row_key : proposal.changed) {
    DYNOLITH_RETURN_IF_ERROR(entries->Take(row_key).status());
  }
  size_t taken = 0;
  for (const std::string& row_key : proposal.near) {
    if (taken == count + kSpare) break;
    if (std::binary_search(proposal.changed.begin(), proposal.changed.end(), row_key)) continue;
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_taken, entries->Take(row_key));
    taken += is_taken ? 1 : 0;
  }
  return taken >= count;
}

}  // namespace

VectorGraphs::VectorGraphs(const Store* store, IsAlive is_alive, BackgroundThreads* threads,
                           const VectorGraphOptions& options)
    : store_(store),
      is_alive_(std::move(is_alive)),
      options_(options),
      work_(threads, [this] { return WorkOnNext(); }) {}

absl::StatusOr<std::optional<NearestEntries>> VectorGraphs::SearchThrough(
    const RangeGraph& graph, const IndexSchema& index, const VectorScorer& scorer,
    const std::vector<float>& vector, size_t count, absl::FunctionRef<bool(ItemView)> matches) {
  for (size_t effort = std::max(kEffort, kEffortPerResult * count); effort <= kEffortMax;
       effort *= kMoreEffort) {
    DYNOLITH_ASSIGN_OR_RETURN(const auto proposal, graph.Propose(vector, effort));
    if (!proposal) return std::nullopt;
    ProposedEntries entries(*store_, index, scorer, matches);
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_enough, TakeProposed(*proposal, count, &entries));
    if (!is_enough) continue;
    ++searches_;
    return entries.Nearest(count);
  }
  return std::nullopt;
}

absl::StatusOr<NearestEntries> VectorGraphs::FindNearest(
    const IndexSchema& index, const KeyRange& range, const VectorScorer& scorer,
    const std::vector<float>& vector, size_t count, absl::FunctionRef<bool(ItemView)> matches) {
  const std::shared_ptr<RangeGraph> graph = Find(range);
  if (graph != nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(auto nearest,
                              SearchThrough(*graph, index, scorer, vector, count, matches));
    if (nearest) return *std::move(nearest);
  }
  size_t looked_at = 0;
  const auto counted = [&](ItemView entry) {
    ++looked_at;
    return matches(entry);
  };
  auto nearest = dynolith::FindNearest(*store_, index, range, scorer, count, counted);
  if (nearest.ok() && graph == nullptr && looked_at >= options_.entries_min) {
    AskFor(index, range, looked_at);
  }
  return nearest;
}

void VectorGraphs::Follow(const WriteBatch& committed) {
  if (!any_) return;
  absl::MutexLock lock(&mutex_);
  committed.ForEach([this](const WriteBatch::Change& change) {
    mutex_.AssertHeld();
    if (change.family != IndexFamily(IndexKind::kVector)) return;
    const auto graph = FindGraph(change.key);
    if (graph == nullptr) return;
    graph->Note(change.key);
    work_.Wake();
  });
}

size_t VectorGraphs::bytes() const {
  absl::MutexLock lock(&mutex_);
  size_t bytes = 0;
  for (const auto& [begin, graph] : graphs_) bytes += graph->bytes();
  return bytes;
}

absl::Status VectorGraphs::TakeFailure() {
  absl::Status failure = work_.TakeFailure();
  absl::MutexLock lock(&mutex_);
  failure.Update(std::exchange(failure_, absl::OkStatus()));
  return failure;
}

std::shared_ptr<RangeGraph> VectorGraphs::FindGraph(std::string_view row_key) const {
  const auto behind = graphs_.upper_bound(row_key);
  if (behind == graphs_.begin()) return nullptr;
  const std::shared_ptr<RangeGraph>& graph = std::prev(behind)->second;
  return graph->Contains(row_key) ? graph : nullptr;
}

std::shared_ptr<RangeGraph> VectorGraphs::Find(const KeyRange& range) const {
  if (!any_) return nullptr;
  absl::ReaderMutexLock lock(&mutex_);
  return FindGraph(range.begin);
}

void VectorGraphs::AskFor(const IndexSchema& index, const KeyRange& range, size_t entries) {
  absl::MutexLock lock(&mutex_);
  if (graphs_.contains(range.begin)) return;
  DropDead();
  size_t bytes = VectorGraph::EstimateBytes(entries, range.begin.size(), index.vector->dimensions);
  for (const auto& [begin, graph] : graphs_) bytes += graph->bytes();
  if (bytes > options_.bytes_max) {
    // Once: every search of the range comes here.
    if (!refused_.insert(range.begin).second) return;
    failure_.Update(absl::ResourceExhaustedError(
        messages::VectorGraphTooLarge(index.name, options_.bytes_max)));
    return;
  }
  graphs_[range.begin] = std::make_shared<RangeGraph>(store_, index, range, options_.changes_max);
  any_ = true;
  work_.Wake();
}

absl::Duration VectorGraphs::WorkOnNext() {
  std::shared_ptr<RangeGraph> graph;
  {
    absl::MutexLock lock(&mutex_);
    graph = NextToWorkOn();
    if (graph == nullptr) {
      // When nothing has been done for that long.
      if (!std::exchange(has_worked_, false)) DropDead();
      return graphs_.empty() ? absl::InfiniteDuration() : kLookForDead;
    }
    has_worked_ = true;
  }
  const absl::Status status = CatchThrown([&] { return graph->Work(RoomFor(*graph)); });
  const bool is_small = !graph->NeedsWork() && kShrunk * graph->keys() < options_.entries_min;
  // The next search requests a new graph.
  if (!status.ok() || is_small) Drop(*graph, status);
  return absl::ZeroDuration();
}

size_t VectorGraphs::RoomFor(const RangeGraph& graph) const {
  absl::MutexLock lock(&mutex_);
  size_t others = 0;
  for (const auto& [begin, other] : graphs_) {
    if (other.get() != &graph) others += other->bytes();
  }
  return options_.bytes_max - std::min(others, options_.bytes_max);
}

std::shared_ptr<RangeGraph> VectorGraphs::NextToWorkOn() {
  // Graphs take turns, so that building a large one does not keep the others from following writes.
  auto next = graphs_.upper_bound(worked_on_);
  for (size_t looked_at = 0; looked_at < graphs_.size(); ++looked_at, ++next) {
    if (next == graphs_.end()) next = graphs_.begin();
    if (!next->second->NeedsWork()) continue;
    worked_on_ = next->first;
    return next->second;
  }
  return nullptr;
}

void VectorGraphs::Drop(const RangeGraph& graph, const absl::Status& why) {
  absl::MutexLock lock(&mutex_);
  graphs_.erase(graph.range().begin);
  failure_.Update(why);
}

void VectorGraphs::DropDead() {
  std::erase_if(graphs_,
                [this](const auto& graph) { return !is_alive_(graph.second->index().id); });
}

}  // namespace dynolith
