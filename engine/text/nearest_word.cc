#include "engine/text/nearest_word.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dynolith {
namespace {

// Returns how many letters must be inserted, removed, replaced or swapped with their neighbours to
// turn one word into the other.
size_t EditDistance(std::string_view left, std::string_view right) {
  std::vector<size_t> before_last(right.size() + 1);
  std::vector<size_t> last = before_last;
  std::vector<size_t> row = before_last;
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < left.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i + 1;
    for (size_t j = 0; j < right.size(); ++j) {
      const size_t replaced = last[j] + (left[i] == right[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, row[j] + 1, last[j + 1] + 1});
      const bool are_swapped = i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j];
      if (are_swapped) row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string NearestWord(std::string_view word, const std::vector<std::string>& candidates) {
  std::string nearest;
  size_t least = std::max<size_t>(1, (word.size() + 1) / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool is_beginning = word.size() > 3 && candidate.starts_with(word);
    const size_t distance = is_beginning ? 1 : EditDistance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace dynolith
