// Random programs about searches of vectors: indexes of some hundred entries that come, change and
// go, among the steps of other programs.
#ifndef DYNOLITH_TESTS_RANDOM_SEARCHES_H_
#define DYNOLITH_TESTS_RANDOM_SEARCHES_H_

#include <cstdint>
#include <vector>

#include "tests/model/operation.h"

namespace dynolith::random {

// So many steps, of which most search or write vectors, and a VerifyOp. The same seed gives the
// same program.
std::vector<model::Operation> MakeSearchingProgram(uint64_t seed, int steps);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_SEARCHES_H_
