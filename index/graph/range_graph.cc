#include "index/graph/range_graph.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/catalog/families.h"
#include "index/graph/messages.h"
#include "index/nearest.h"

namespace dynolith {
namespace {

// Short enough that other graphs, and the end of the database, do not wait long.
constexpr size_t kEntriesPerPiece = 32;
constexpr size_t kChangesPerPiece = 32;
// The longest list of changes, in multiples of the changes that a search still compares.
constexpr size_t kChangesFactor = 100;
// Nodes that a small graph may leave behind.
constexpr size_t kLeftBehindMin = 64;

}  // namespace

RangeGraph::RangeGraph(const Store* store, const IndexSchema& index, KeyRange range,
                       size_t changes_max)
    : store_(store),
      index_(index),
      range_(std::move(range)),
      changes_max_(changes_max),
      building_(std::make_unique<VectorGraph>(index.vector->distance, index.vector->dimensions)) {}

void RangeGraph::Note(std::string_view row_key) noexcept {
  absl::MutexLock lock(&changes_mutex_);
  if (is_overrun_) return;
  const auto known = changes_.find(row_key);
  if (known != changes_.end()) {
    known->second = ++notes_;
    return;
  }
  is_overrun_ = changes_.size() >= kChangesFactor * changes_max_;
  if (!is_overrun_) {
    try {
      changes_.emplace(std::string(row_key), ++notes_);
    } catch (const std::bad_alloc&) {
      is_overrun_ = true;
    }
  }
  if (is_overrun_) changes_.clear();
}

absl::StatusOr<std::optional<RangeGraph::Proposal>> RangeGraph::Propose(
    const std::vector<float>& vector, size_t effort) const {
  Proposal proposal;
  {
    absl::MutexLock lock(&changes_mutex_);
    if (is_overrun_ || changes_.size() > changes_max_) return std::nullopt;
    for (const auto& [row_key, note] : changes_) proposal.changed.push_back(row_key);
  }
  std::sort(proposal.changed.begin(), proposal.changed.end());
  // After the changes: one that is followed in between is in both.
  absl::ReaderMutexLock lock(&graph_mutex_);
  if (graph_ == nullptr) return std::nullopt;
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string_view> near,
                            graph_->Nearest(vector, effort));
  proposal.near.assign(near.begin(), near.end());
  return proposal;
}

bool RangeGraph::NeedsWork() const {
  if (is_building_) return true;
  absl::MutexLock lock(&changes_mutex_);
  return is_overrun_ || !changes_.empty();
}

absl::Status RangeGraph::Work(size_t bytes_max) {
  {
    absl::MutexLock lock(&changes_mutex_);
    if (is_overrun_) {
      return absl::ResourceExhaustedError(messages::VectorGraphOverrun(index_.name));
    }
  }
  DYNOLITH_RETURN_IF_ERROR(is_building_ ? Build() : FollowChanges());
  BeginAnew(bytes_max);
  return CheckBytes(bytes_max);
}

absl::Status RangeGraph::Build() {
  // Each piece sees the rows of its time; what changes behind it is noted.
  Cursor cursor =
      store_->Scan(IndexFamily(index_.kind), range_.begin, range_.end, Direction::kForward);
  built_to_.empty() ? cursor.SeekToStart() : cursor.SeekAfter(built_to_);
  for (size_t i = 0; i < kEntriesPerPiece && cursor.Valid(); ++i, cursor.Next()) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string_view packed,
                              FindPackedVector(index_, ItemView::Unchecked(cursor.value())));
    DYNOLITH_RETURN_IF_ERROR(building_->Put(cursor.key(), packed));
    built_to_ = cursor.key();
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  if (cursor.Valid()) return absl::OkStatus();
  absl::MutexLock lock(&graph_mutex_);
  graph_ = std::move(building_);
  built_to_.clear();
  is_building_ = false;
  return absl::OkStatus();
}

absl::Status RangeGraph::FollowChanges() {
  std::vector<std::pair<std::string, uint64_t>> some;
  {
    absl::MutexLock lock(&changes_mutex_);
    for (const auto& change : changes_) {
      if (some.size() == kChangesPerPiece) break;
      some.emplace_back(change);
    }
  }
  for (const auto& [row_key, note] : some) {
    DYNOLITH_RETURN_IF_ERROR(FollowOne(row_key));
    absl::MutexLock lock(&changes_mutex_);
    const auto change = changes_.find(row_key);
    // One that was noted again has to be read again.
    if (change != changes_.end() && change->second == note) changes_.erase(change);
  }
  return absl::OkStatus();
}

absl::Status RangeGraph::FollowOne(const std::string& row_key) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, store_->Get(IndexFamily(index_.kind), row_key, &row));
  absl::MutexLock lock(&graph_mutex_);
  if (!found) {
    graph_->Remove(row_key);
    return absl::OkStatus();
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::string_view packed,
                            FindPackedVector(index_, ItemView::Unchecked(row.value())));
  return graph_->Put(row_key, packed);
}

void RangeGraph::BeginAnew(size_t bytes_max) {
  if (is_building_) return;
  absl::MutexLock lock(&graph_mutex_);
  if (graph_->nodes_left_behind() <= kLeftBehindMin + graph_->keys() / 2) return;
  // Two at once only if there is room for both.
  if (2 * graph_->bytes() > bytes_max) graph_ = nullptr;
  building_ = std::make_unique<VectorGraph>(index_.vector->distance, index_.vector->dimensions);
  is_building_ = true;
}

absl::Status RangeGraph::CheckBytes(size_t bytes_max) {
  size_t bytes = building_ == nullptr ? 0 : building_->bytes();
  size_t keys = building_ == nullptr ? 0 : building_->keys();
  {
    absl::ReaderMutexLock lock(&graph_mutex_);
    if (graph_ != nullptr) {
      bytes += graph_->bytes();
      keys = graph_->keys();
    }
  }
  bytes_ = bytes;
  keys_ = keys;
  if (bytes <= bytes_max) return absl::OkStatus();
  return absl::ResourceExhaustedError(messages::VectorGraphTooLarge(index_.name, bytes_max));
}

}  // namespace dynolith
