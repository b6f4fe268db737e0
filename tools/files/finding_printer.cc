#include "tools/files/finding_printer.h"

#include <cstdio>

#include "tools/files/messages.h"

namespace dynolith::designs {
namespace {

constexpr uint64_t kErrorsShown = 20;

}  // namespace

void FindingPrinter::Print(const Finding& finding) {
  if (finding.is_error && ++errors_ > kErrorsShown) return;
  const FileLocation& place = finding.place;
  std::fputs(
      messages::DesignFinding(place.file, place.line, place.column, finding.is_error, finding.text)
          .c_str(),
      stderr);
}

FindingPrinter::~FindingPrinter() {
  if (errors_ <= kErrorsShown) return;
  std::fputs(messages::DesignErrorsLeftOut(errors_ - kErrorsShown).c_str(), stderr);
}

}  // namespace dynolith::designs
