#include "tools/lab/bill/bill_text.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "engine/base/strings.h"
#include "tools/lab/bill/messages.h"
#include "tools/lab/report/bill_table.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/text/figures_text.h"
#include "tools/lab/text/json_text.h"

namespace dynolith::lab {
namespace {

constexpr int64_t kFinePeriod = 60;
// The part that auto scaling may serve too late without a sentence about it.
constexpr double kLatePart = 0.0001;

std::string MinuteText(int64_t second) {
  return absl::FormatTime("%Y-%m-%d %H:%MZ", absl::FromUnixSeconds(second), absl::UTCTimeZone());
}

std::string PeriodText(const Bill& bill) { return TimeText(bill.period * kSecond); }

std::string Money(const std::optional<double>& amount) {
  return amount ? MoneyText(*amount) : std::string();
}

bool IsLate(const ResourceBill& one) {
  return std::max(one.use.read.not_served, one.use.write.not_served) > kLatePart;
}

// A billing mode that serves the load, and its monthly cost.
std::pair<std::string, double> Cheapest(const Bill& bill) {
  std::pair<std::string, double> cheapest = {"on demand", bill.on_demand};
  const auto consider = [&cheapest](std::string way, double month) {
    if (month < cheapest.second) cheapest = {std::move(way), month};
  };
  if (!bill.has_to_scale) consider("provisioned for the busiest period", bill.provisioned);
  if (std::any_of(bill.resources.begin(), bill.resources.end(), IsLate)) return cheapest;
  consider("provisioned, with auto scaling", bill.scaled);
  for (const Commitment& commitment : bill.commitments) {
    consider(Concat("reserved for ", commitment.term, ", with auto scaling above"),
             commitment.month);
  }
  return cheapest;
}

std::string Table(const Bill& bill, size_t width) {
  TextColumns columns({{"table or index"},
                       {"read units/s"},
                       {"at the peak"},
                       {"write units/s"},
                       {"at the peak"},
                       {"on demand"},
                       {"provisioned"},
                       {"auto scaling"},
                       {"as it was provisioned"}});
  for (const ResourceBill& one : bill.resources) {
    columns.Add({one.name, FigureText(one.use.read.mean), FigureText(one.use.read.peak),
                 FigureText(one.use.write.mean), FigureText(one.use.write.peak),
                 MoneyText(one.on_demand), one.has_to_scale ? "" : MoneyText(one.provisioned),
                 MoneyText(one.scaled), Money(one.present)});
  }
  columns.Add({"in all", "", "", "", "", MoneyText(bill.on_demand),
               bill.has_to_scale ? "" : MoneyText(bill.provisioned), MoneyText(bill.scaled),
               Money(bill.present)});
  return columns.Text(2, width);
}

// What each class of a table would cost, storage included.
std::string Classes(const Bill& bill, size_t width) {
  if (bill.classes.empty()) return "";
  TextColumns columns(
      {{"table"}, {"class", true}, {"on demand"}, {"auto scaling"}, {"of this storage"}});
  for (const ClassBill& one : bill.classes) {
    columns.Add({one.table, messages::LabBillClass(one.infrequent_access, one.is_present),
                 MoneyText(one.on_demand + one.storage), MoneyText(one.scaled + one.storage),
                 MoneyText(one.storage)});
  }
  return Concat("\n", columns.Text(2, width));
}

std::vector<std::string> Remarks(const Bill& bill, const PriceList& prices) {
  std::vector<std::string> remarks;
  for (const Commitment& commitment : bill.commitments) {
    const bool has_some = commitment.units.read + commitment.units.write > 0;
    remarks.push_back(
        has_some ? messages::LabBillReserved(commitment.term, commitment.units.write,
                                             commitment.units.read, MoneyText(commitment.upfront),
                                             MoneyText(commitment.month), prices.currency)
                 : messages::LabBillNothingReserved(commitment.term));
  }
  if (bill.infrequent_from_gb > 0) {
    remarks.push_back(messages::LabBillInfrequent(
        CountText(static_cast<uint64_t>(std::ceil(bill.infrequent_from_gb)))));
  }
  for (const ResourceBill& one : bill.resources) {
    const double late = std::max(one.use.read.not_served, one.use.write.not_served);
    if (IsLate(one)) remarks.push_back(messages::LabBillNotServed(one.name, PartText(late)));
    const double throttled = one.use.read.throttled + one.use.write.throttled;
    if (throttled > 0) {
      remarks.push_back(
          messages::LabBillThrottled(one.name, CountText(static_cast<uint64_t>(throttled))));
    }
  }
  for (const BillLine& line : bill.beside) {
    if (line.price) continue;
    remarks.push_back(messages::LabBillNoPrice(messages::LabNoPrice(line.position, line.region)));
  }
  if (bill.period > kFinePeriod) remarks.push_back(messages::LabBillCoarse(PeriodText(bill)));
  return remarks;
}

void AddIfKnown(std::string_view name, const std::optional<double>& value, JsonText* json) {
  if (value) json->Member(name, *value);
}

void AddUse(std::string_view name, const KindUse& use, JsonText* json) {
  json->Name(name);
  json->Begin('{');
  json->Member("mean", use.mean);
  json->Member("peak", use.peak);
  json->Member("throttled", use.throttled);
  json->Member("provisioned", use.provisioned);
  json->Member("scaled", use.scaled);
  json->Member("notServed", use.not_served);
  json->End('}');
}

void AddResource(const ResourceBill& one, JsonText* json) {
  json->Begin('{');
  json->Member("name", one.name);
  AddUse("read", one.use.read, json);
  AddUse("write", one.use.write, json);
  json->Member("onDemand", one.on_demand);
  if (!one.has_to_scale) json->Member("provisioned", one.provisioned);
  json->Member("autoScaling", one.scaled);
  AddIfKnown("asProvisioned", one.present, json);
  json->End('}');
}

void AddClass(const ClassBill& one, JsonText* json) {
  json->Begin('{');
  json->Member("table", one.table);
  json->Member("class", messages::LabBillClass(one.infrequent_access, false));
  json->Member("present", one.is_present);
  json->Member("onDemand", one.on_demand);
  json->Member("autoScaling", one.scaled);
  json->Member("storage", one.storage);
  json->End('}');
}

void AddCommitment(const Commitment& commitment, JsonText* json) {
  json->Begin('{');
  json->Member("term", commitment.term);
  json->Member("readUnits", commitment.units.read);
  json->Member("writeUnits", commitment.units.write);
  json->Member("upfront", commitment.upfront);
  json->Member("month", commitment.month);
  json->End('}');
}

}  // namespace

std::string BillText(const Bill& bill, const PriceList& prices, size_t width) {
  std::string text = WordLines(messages::LabBillHead(MinuteText(bill.begin), MinuteText(bill.end),
                                                     PeriodText(bill), prices.region, prices.date),
                               0, width);
  text += Concat("\n", Table(bill, width), "\n");
  const auto [way, month] = Cheapest(bill);
  const std::string table = BillTable(bill.beside, prices, 2, width);
  text += WordLines(
      messages::LabBillCheapest(way, MoneyText(month), prices.currency,
                                table.empty() ? "" : MoneyText(SumKnownLines(bill.beside))),
      2, width);
  for (const std::string& remark : Remarks(bill, prices)) text += WordLines(remark, 2, width);
  if (!table.empty()) text += Concat("\n", table);
  return text + Classes(bill, width);
}

std::string BillJson(const Bill& bill, const PriceList& prices) {
  JsonText json;
  json.Begin('{');
  json.Member("begin", MinuteText(bill.begin));
  json.Member("end", MinuteText(bill.end));
  json.Member("periodSeconds", bill.period);
  json.Member("currency", prices.currency);
  json.Member("onDemand", bill.on_demand);
  if (!bill.has_to_scale) json.Member("provisioned", bill.provisioned);
  json.Member("autoScaling", bill.scaled);
  AddIfKnown("asProvisioned", bill.present, &json);
  json.Member("infrequentAccessFromGigabytes", bill.infrequent_from_gb);
  json.Name("resources");
  json.Begin('[');
  for (const ResourceBill& one : bill.resources) AddResource(one, &json);
  json.End(']');
  json.Name("classes");
  json.Begin('[');
  for (const ClassBill& one : bill.classes) AddClass(one, &json);
  json.End(']');
  json.Name("beside");
  PrintBill(bill.beside, &json);
  json.Name("commitments");
  json.Begin('[');
  for (const Commitment& commitment : bill.commitments) AddCommitment(commitment, &json);
  json.End(']');
  json.End('}');
  return json.Take() + "\n";
}

}  // namespace dynolith::lab
