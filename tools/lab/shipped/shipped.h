// What the program brings with it: experiments that show one thing each, a commented example, and
// prices. Made of the files in tools/lab/shipped at build time.
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
// nullptr if there is none of this name; its number alone will do.
const ShippedFile* FindShippedExperiment(std::string_view name);
std::string_view ExampleExperiment();
// Of a replay.
std::string_view ExampleReplay();
std::string_view ShippedPrices();

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_SHIPPED_SHIPPED_H_
