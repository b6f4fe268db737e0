// A benchmark that measures something else than it says is worse than none: it ends.
#ifndef DYNOLITH_BENCH_REQUIRE_H_
#define DYNOLITH_BENCH_REQUIRE_H_

#include <cstdio>
#include <cstdlib>

namespace dynolith {

inline void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "benchmark failed: %s\n", what);
  std::abort();
}

}  // namespace dynolith

#endif  // DYNOLITH_BENCH_REQUIRE_H_
