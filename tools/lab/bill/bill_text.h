// Prints a bill as text for people, and as JSON for programs.
#ifndef DYNOLITH_TOOLS_LAB_BILL_BILL_TEXT_H_
#define DYNOLITH_TOOLS_LAB_BILL_BILL_TEXT_H_

#include <cstddef>
#include <string>

#include "tools/lab/bill/bill.h"

namespace dynolith::lab {

// Lines have at most `width` characters where possible.
std::string BillText(const Bill& bill, const PriceList& prices, size_t width);
// An object with the members of Bill.
std::string BillJson(const Bill& bill, const PriceList& prices);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_BILL_BILL_TEXT_H_
