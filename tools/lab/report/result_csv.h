// Writes a result as tables for spreadsheets and notebooks: one file for each kind of row, with a
// heading line and the rows of all designs. README.md lists them.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_RESULT_CSV_H_
#define DYNOLITH_TOOLS_LAB_REPORT_RESULT_CSV_H_

#include <string>
#include <vector>

#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

struct CsvFile {
  std::string name;  // "accesses.csv"
  std::string text;
};

std::vector<CsvFile> CsvFiles(const std::vector<RunResult>& runs, const PriceList& prices);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_RESULT_CSV_H_
