// Prints findings in files on standard error.
#ifndef DYNOLITH_TOOLS_FILES_FINDING_PRINTER_H_
#define DYNOLITH_TOOLS_FILES_FINDING_PRINTER_H_

#include <cstdint>

#include "tools/files/table/findings.h"

namespace dynolith::designs {

// Writes a finding to standard error; of errors only the first ones of a run.
class FindingPrinter {
 public:
  ~FindingPrinter();
  void Print(const Finding& finding);

 private:
  uint64_t errors_ = 0;
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_FINDING_PRINTER_H_
