// The few forms of regular expressions that the service's model has, taken apart.
#ifndef DYNOLITH_ENGINE_MODEL_GENERATOR_PATTERN_H_
#define DYNOLITH_ENGINE_MODEL_GENERATOR_PATTERN_H_

#include <string>

namespace dynolith::generator {

// The initialiser of a Pattern (../shapes.h) for a regular expression. Ends the program with a
// message for one that has no such form.
std::string PatternInitializer(const std::string& expression);

}  // namespace dynolith::generator

#endif  // DYNOLITH_ENGINE_MODEL_GENERATOR_PATTERN_H_
