// Parses the few forms of regular expressions in the service's model.
#ifndef DYNOLITH_ENGINE_MODEL_GENERATOR_PATTERN_H_
#define DYNOLITH_ENGINE_MODEL_GENERATOR_PATTERN_H_

#include <string>

namespace dynolith::generator {

// The initialiser of a Pattern (../shapes.h) for a regular expression. Ends the program with a
// message for other forms.
std::string PatternInitializer(const std::string& expression);

}  // namespace dynolith::generator

#endif  // DYNOLITH_ENGINE_MODEL_GENERATOR_PATTERN_H_
