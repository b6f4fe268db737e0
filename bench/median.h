// What a measurement says when the machine did something else now and then.
#ifndef DYNOLITH_BENCH_MEDIAN_H_
#define DYNOLITH_BENCH_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dynolith {

// Requires: there are values.
inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace dynolith

#endif  // DYNOLITH_BENCH_MEDIAN_H_
