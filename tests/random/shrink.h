// Makes a failing program small, by leaving out steps and parts of steps while it goes on to fail.
#ifndef DYNOLITH_TESTS_RANDOM_SHRINK_H_
#define DYNOLITH_TESTS_RANDOM_SHRINK_H_

#include <functional>
#include <optional>

#include "tests/random/run.h"

namespace dynolith::random {

// The step at which a program fails in the way that is looked for; nullopt if it does not.
using FailsAt = std::function<std::optional<size_t>(const Program&)>;

// Runs a program to see whether it fails as `program` does, which likely has the same cause: the
// same kind of step, in the same configuration, with the same two errors or none. Only those
// configurations are run that it takes to see it. Borrows nothing.
FailsAt FailsLike(const Program& program, const Failure& failure, RunOptions options);

// A program that fails, no longer than `program`: without any step, and simplified in no place,
// that it fails without as well, unless `runs_max` calls of `fails_at` were not enough to find out.
// It ends with the step that fails. Requires: `program` fails.
Program Shrink(Program program, const FailsAt& fails_at, int runs_max);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_SHRINK_H_
