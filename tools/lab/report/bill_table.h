// A bill as a table, one line for each position.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_BILL_TABLE_H_
#define DYNOLITH_TOOLS_LAB_REPORT_BILL_TABLE_H_

#include <cstddef>
#include <string>

#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/text/figures_text.h"
#include "tools/lab/text/json_text.h"

namespace dynolith::lab {

// The lines and their sum; empty if there are no lines. A position without a price has no amount.
std::string BillTable(const BillLines& lines, const PriceList& prices, size_t indent,
                      size_t width = kAnyWidth);
// Prints a list of objects: resource, position, region, quantity, unit and, if known, price and
// amount.
void PrintBill(const BillLines& lines, JsonText* json);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_BILL_TABLE_H_
