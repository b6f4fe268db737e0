#include "index/nearest.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/catalog/families.h"
#include "index/messages.h"

namespace dynolith {
namespace {

// The nearest entries so far: a heap with the farthest on top.
class NearestHeap {
 public:
  NearestHeap(const VectorScorer& scorer, size_t count) : scorer_(scorer), count_(count) {}

  // Entries come in the order of their row keys.
  void Offer(double score, ItemView entry) {
    const auto nearer = [this](const Candidate& left, const Candidate& right) {
      return IsNearer(left, right);
    };
    if (heap_.size() == count_) {
      if (!scorer_.IsNearer(score, heap_.front().score)) return;
      std::pop_heap(heap_.begin(), heap_.end(), nearer);
      heap_.pop_back();
    }
    heap_.push_back({score, arrivals_++, Item::Copy(entry)});
    std::push_heap(heap_.begin(), heap_.end(), nearer);
  }

  std::vector<Neighbour> Take() {
    std::sort(heap_.begin(), heap_.end(), [this](const Candidate& left, const Candidate& right) {
      return IsNearer(left, right);
    });
    std::vector<Neighbour> neighbours;
    for (Candidate& candidate : heap_) {
      neighbours.push_back({std::move(candidate.entry), candidate.score});
    }
    return neighbours;
  }

 private:
  struct Candidate {
    double score = 0;
    uint64_t arrival = 0;
    Item entry;
  };

  bool IsNearer(const Candidate& left, const Candidate& right) const {
    if (left.score != right.score) return scorer_.IsNearer(left.score, right.score);
    return left.arrival < right.arrival;
  }

  const VectorScorer& scorer_;
  const size_t count_;
  std::vector<Candidate> heap_;
  uint64_t arrivals_ = 0;
};

}  // namespace

absl::StatusOr<std::string_view> FindPackedVector(const IndexSchema& index, ItemView entry) {
  const std::optional<ValueView> vector = entry.Find(index.vector->attribute);
  const bool is_packed = vector && vector->type() == Type::kBinary &&
                         vector->binary().size() == PackedVectorBytes(index.vector->dimensions);
  if (!is_packed) return absl::DataLossError(messages::VectorEntryDamaged(index.name));
  return vector->binary();
}

absl::StatusOr<double> ScoreEntry(const IndexSchema& index, const VectorScorer& scorer,
                                  ItemView entry) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string_view packed, FindPackedVector(index, entry));
  const double score = scorer.Score(packed);
  // Finite floats have a finite score; without one (NaN) the results could not be ordered.
  if (std::isfinite(score)) return score;
  return absl::DataLossError(messages::VectorEntryDamaged(index.name));
}

absl::StatusOr<NearestEntries> FindNearest(const ReadView& view, const IndexSchema& index,
                                           const KeyRange& range, const VectorScorer& scorer,
                                           size_t count,
                                           absl::FunctionRef<bool(ItemView)> matches) {
  NearestEntries found;
  NearestHeap nearest(scorer, count);
  Cursor cursor = view.Scan(IndexFamily(index.kind), range.begin, range.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    const ItemView entry = ItemView::Unchecked(cursor.value());
    if (!matches(entry)) continue;
    DYNOLITH_ASSIGN_OR_RETURN(const double score, ScoreEntry(index, scorer, entry));
    nearest.Offer(score, entry);
    ++found.compared;
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  found.neighbours = nearest.Take();
  return found;
}

}  // namespace dynolith
