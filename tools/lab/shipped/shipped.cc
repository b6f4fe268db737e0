#include "tools/lab/shipped/shipped.h"

namespace dynolith::lab {
namespace {

#include "tools/lab/shipped/example.inc"
#include "tools/lab/shipped/example_replay.inc"
#include "tools/lab/shipped/experiments.inc"
#include "tools/lab/shipped/prices.inc"

}  // namespace

absl::Span<const ShippedFile> ShippedExperiments() { return kExperiments; }

const ShippedFile* FindShippedExperiment(std::string_view name) {
  for (const ShippedFile& file : kExperiments) {
    const std::string_view number = file.name.substr(0, file.name.find('-'));
    const std::string_view words = file.name.substr(number.size() + 1);
    const std::string_view short_number = number.substr(number.starts_with('0') ? 1 : 0);
    if (name == file.name || name == words || name == number || name == short_number) return &file;
  }
  return nullptr;
}

std::string_view ExampleExperiment() { return kExample; }

std::string_view ExampleReplay() { return kExampleReplay; }

std::string_view ShippedPrices() { return kPrices; }

}  // namespace dynolith::lab
