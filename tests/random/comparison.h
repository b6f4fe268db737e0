// Whether the engine's answer is one that the model allows.
#ifndef DYNOLITH_TESTS_RANDOM_COMPARISON_H_
#define DYNOLITH_TESTS_RANDOM_COMPARISON_H_

#include <string>

#include "tests/model/operation.h"

namespace dynolith::random {

// `got` has groups of one item, in the engine's complete order; those of `expected` may stand in
// any order within a group.
bool Agrees(const model::Outcome& expected, const model::Outcome& got);

// Some lines that differ for different outcomes.
std::string Describe(const model::Outcome& outcome);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_COMPARISON_H_
