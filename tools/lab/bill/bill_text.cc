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
#include "tools/lab/experiment/toml_text.h"
#include "tools/lab/report/figures_text.h"

namespace dynolith::lab {
namespace {

constexpr int64_t kFinePeriod = 60;
// What auto scaling may be late for before it is worth a sentence.
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

// A way to pay that serves the load, and what a month costs that way.
std::pair<std::string, double> Cheapest(const Bill& bill) {
  std::pair<std::string, double> cheapest = {"on demand", bill.on_demand};
  const auto consider = [&cheapest](std::string way, double month) {
    if (month < cheapest.second) cheapest = {std::move(way), month};
  };
  consider("provisioned for the busiest period", bill.provisioned);
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
                 MoneyText(one.on_demand), MoneyText(one.provisioned), MoneyText(one.scaled),
                 Money(one.present)});
  }
  columns.Add({"in all", "", "", "", "", MoneyText(bill.on_demand), MoneyText(bill.provisioned),
               MoneyText(bill.scaled), Money(bill.present)});
  return columns.Text(2, width);
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
  if (bill.period > kFinePeriod) remarks.push_back(messages::LabBillCoarse(PeriodText(bill)));
  return remarks;
}

// Members of JSON objects, in order.
class Members {
 public:
  void Add(std::string_view name, std::string_view value) {
    text_ += Concat(text_.empty() ? "" : ", ", TomlText(name), ": ", value);
  }
  void Add(std::string_view name, double value) { Add(name, std::string_view(ExactText(value))); }
  void Add(std::string_view name, const std::optional<double>& value) {
    if (value) Add(name, *value);
  }
  std::string Object() const { return Concat("{", text_, "}"); }

 private:
  std::string text_;
};

std::string ListJson(const std::vector<std::string>& objects) {
  std::string list;
  for (const std::string& object : objects) list += Concat(list.empty() ? "\n  " : ",\n  ", object);
  return Concat("[", list, "]");
}

std::string UseJson(const KindUse& use) {
  Members members;
  members.Add("mean", use.mean);
  members.Add("peak", use.peak);
  members.Add("throttled", use.throttled);
  members.Add("provisioned", use.provisioned);
  members.Add("scaled", use.scaled);
  members.Add("notServed", use.not_served);
  return members.Object();
}

}  // namespace

std::string BillText(const Bill& bill, const PriceList& prices, size_t width) {
  std::string text = WordLines(messages::LabBillHead(MinuteText(bill.begin), MinuteText(bill.end),
                                                     PeriodText(bill), prices.region, prices.date),
                               0, width);
  text += Concat("\n", Table(bill, width), "\n");
  const auto [way, month] = Cheapest(bill);
  text += WordLines(messages::LabBillCheapest(way, MoneyText(month), prices.currency), 2, width);
  for (const std::string& remark : Remarks(bill, prices)) text += WordLines(remark, 2, width);
  return text;
}

std::string BillJson(const Bill& bill, const PriceList& prices) {
  Members members;
  members.Add("begin", std::string_view(TomlText(MinuteText(bill.begin))));
  members.Add("end", std::string_view(TomlText(MinuteText(bill.end))));
  members.Add("periodSeconds", static_cast<double>(bill.period));
  members.Add("currency", std::string_view(TomlText(prices.currency)));
  members.Add("onDemand", bill.on_demand);
  members.Add("provisioned", bill.provisioned);
  members.Add("autoScaling", bill.scaled);
  members.Add("asProvisioned", bill.present);
  members.Add("infrequentAccessFromGigabytes", bill.infrequent_from_gb);
  std::vector<std::string> resources;
  for (const ResourceBill& one : bill.resources) {
    Members own;
    own.Add("name", std::string_view(TomlText(one.name)));
    own.Add("read", std::string_view(UseJson(one.use.read)));
    own.Add("write", std::string_view(UseJson(one.use.write)));
    own.Add("onDemand", one.on_demand);
    own.Add("provisioned", one.provisioned);
    own.Add("autoScaling", one.scaled);
    own.Add("asProvisioned", one.present);
    resources.push_back(own.Object());
  }
  members.Add("resources", std::string_view(ListJson(resources)));
  std::vector<std::string> commitments;
  for (const Commitment& commitment : bill.commitments) {
    Members own;
    own.Add("term", std::string_view(TomlText(commitment.term)));
    own.Add("readUnits", static_cast<double>(commitment.units.read));
    own.Add("writeUnits", static_cast<double>(commitment.units.write));
    own.Add("upfront", commitment.upfront);
    own.Add("month", commitment.month);
    commitments.push_back(own.Object());
  }
  members.Add("commitments", std::string_view(ListJson(commitments)));
  return members.Object() + "\n";
}

}  // namespace dynolith::lab
