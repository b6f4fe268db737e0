// Whether the engine's answer is one that the model allows.
#ifndef DYNOLITH_TESTS_RANDOM_COMPARISON_H_
#define DYNOLITH_TESTS_RANDOM_COMPARISON_H_

#include <cstdint>
#include <string>

#include "tests/model/operation.h"

namespace dynolith::random {

// `got` has groups of one item, in the engine's complete order; those of `expected` may stand in
// any order within a group.
bool Agrees(const model::Outcome& expected, const model::Outcome& got);

// What of an approximate search's results is among those that an exact one could have.
struct Recall {
  int64_t wanted = 0;
  int64_t found = 0;
};

// Whether `got` may be the answer of an approximate search. It may miss some, but what it has is in
// `all`, which are all results that there are, once, with its own score, the nearest first; and it
// has as many as `expected`, which an exact search would have. `recall` is added to.
bool AgreesApproximately(const model::Outcome& all, const model::Outcome& expected,
                         const model::Outcome& got, Recall* recall);

// Some lines that differ for different outcomes.
std::string Describe(const model::Outcome& outcome);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_COMPARISON_H_
