// One logical program in two languages: operations of items, and statements of PartiQL that do the
// same. A statement says of a put "if there is none", of an update "if there is one" and of a
// deletion "if there is one, then", which operations say with conditions.
#ifndef DYNOLITH_TESTS_RANDOM_SPOKEN_H_
#define DYNOLITH_TESTS_RANDOM_SPOKEN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/model/operation.h"

namespace dynolith::random {

// A random program (tests/random/generator.h) of operations, many of which a statement can say as
// well. Changes of indexes are awaited, since what is consumed meanwhile depends on the moment.
std::vector<model::Operation> MakeSpeakableProgram(uint64_t seed, int steps);

struct KeyNames {
  std::string hash;
  bool has_range = false;
  std::set<std::string> wide_indexes;  // whose keys have more than two attributes
  std::set<std::string> local_indexes;
};
// nullopt: there is no such table.
using FindKeyNames = std::function<std::optional<KeyNames>(const std::string& table)>;

// The same as statements; nullopt if they do not say it.
std::optional<model::Operation> AsStatements(const model::Operation& operation,
                                             const FindKeyNames& find);

// What the statements of `operation` came to, as the operation would have told it.
model::Outcome OfCalls(const model::Operation& operation, model::Outcome spoken);

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_SPOKEN_H_
