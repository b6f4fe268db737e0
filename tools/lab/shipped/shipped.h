// The files inside the program: experiments that show one thing each, a commented example, and
// prices. Their texts are embedded when CMake runs.
#ifndef DYNOLITH_TOOLS_LAB_SHIPPED_SHIPPED_H_
#define DYNOLITH_TOOLS_LAB_SHIPPED_SHIPPED_H_

#include <string_view>

#include "absl/types/span.h"

namespace dynolith::lab {

struct ShippedFile {
  std::string_view name;  // "05-celebrity"
  std::string_view text;
};

// In the order of their names.
absl::Span<const ShippedFile> ShippedExperiments();
// Finds an experiment by its name or its number alone; nullptr if there is none.
const ShippedFile* FindShippedExperiment(std::string_view name);
std::string_view ExampleExperiment();
// An example of a replay.
std::string_view ExampleReplay();
std::string_view ShippedPrices();

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_SHIPPED_SHIPPED_H_
