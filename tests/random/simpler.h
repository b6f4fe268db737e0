// Smaller versions of one step.
#ifndef DYNOLITH_TESTS_RANDOM_SIMPLER_H_
#define DYNOLITH_TESTS_RANDOM_SIMPLER_H_

#include <vector>

#include "tests/model/operation.h"

namespace dynolith::random {

// Each leaves out one thing: a condition, an attribute, an element of a batch, an index … What
// comes of it can be said as a request again.
std::vector<model::Operation> Simpler(const model::Operation& operation);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_SIMPLER_H_
