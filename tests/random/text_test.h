// A program that fails, as a text file of tests/testdata/ (tests/datadriven/block_file.h).
#ifndef DYNOLITH_TESTS_RANDOM_TEXT_TEST_H_
#define DYNOLITH_TESTS_RANDOM_TEXT_TEST_H_

#include <string>

#include "tests/random/run.h"

namespace dynolith::random {

// Every call up to the failing step. Calls on which all agreed expect what the dispatcher answers
// them, those that change tables anything good. The last one expects what the model says, if it is
// one call of which that can be said; of an error the model knows only the name. What both say of
// the step stands in front of it. `scratch`: a folder for a store.
std::string TextTest(const Program& program, const Failure& failure, const std::string& scratch);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_TEXT_TEST_H_
