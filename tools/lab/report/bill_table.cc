#include "tools/lab/report/bill_table.h"

#include <cmath>

#include "engine/base/strings.h"
#include "tools/lab/report/messages.h"

namespace dynolith::lab {
namespace {

// Removes the rounding errors of multiplications.
std::string UnitPriceText(double price) {
  constexpr double kDigits = 1e9;
  return ExactText(std::round(price * kDigits) / kDigits);
}

}  // namespace

std::string BillTable(const BillLines& lines, const PriceList& prices, size_t indent,
                      size_t width) {
  if (lines.empty()) return "";
  TextColumns columns({{"table or index"},
                       {"what is paid", true},
                       {"in", true},
                       {"quantity"},
                       {"price"},
                       {Concat(prices.currency, "/month")}});
  for (const BillLine& line : lines) {
    columns.Add({line.resource, line.position, line.region == prices.region ? "" : line.region,
                 Concat(FigureText(line.quantity), " ", line.unit),
                 line.price ? UnitPriceText(*line.price) : messages::LabUnknownAmount(),
                 line.price ? MoneyText(line.amount()) : ""});
  }
  columns.Add({"in all", "", "", "", "", MoneyText(SumKnownLines(lines))});
  return columns.Text(indent, width);
}

void PrintBill(const BillLines& lines, JsonText* json) {
  json->Begin('[');
  for (const BillLine& line : lines) {
    json->Begin('{');
    json->Member("resource", line.resource);
    json->Member("position", line.position);
    json->Member("region", line.region);
    json->Member("quantity", line.quantity);
    json->Member("unit", line.unit);
    if (line.price) json->Member("price", *line.price);
    if (line.price) json->Member("amount", line.amount());
    json->End('}');
  }
  json->End(']');
}

}  // namespace dynolith::lab
