#include "tools/lab/advise/advice_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "tools/lab/advise/design_change.h"
#include "tools/lab/advise/messages.h"
#include "tools/lab/advise/placements.h"
#include "tools/lab/experiment/open_members.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

constexpr size_t kColumns = 100;

std::vector<std::string> OpenPaths(const Advice& advice) {
  std::vector<std::string> paths;
  for (const OpenMember& member : advice.request.open) {
    paths.push_back(OpenMemberPath(advice.base, member));
  }
  return paths;
}

std::string AdvisedDesignName(const AdvisedDesign& design) {
  const std::string& name = design.run.experiment.design;
  return name.empty() ? messages::AdviceAsItIs() : name;
}

// The reason why a design is not the recommended one.
std::string WhyNot(const Advice& advice, const AdvisedDesign& design) {
  if (!design.serves) return design.why;
  const double cheapest = advice.designs.front().cost;
  const double more = cheapest > 0 ? (design.cost / cheapest - 1) * 100 : 0;
  constexpr double kSame = 0.05;  // percent
  if (std::abs(more) < kSame) return messages::AdviceAsDear();
  return more > 0 ? messages::AdviceDearer(FigureText(more))
                  : messages::AdviceDearerAtFirst(FigureText(-more));
}

std::string PlacementsText(const Advice& advice, const AdvisedDesign& design) {
  const int64_t placements = advice.request.placements;
  if (placements <= 1) return "";
  return design.serves || design.tried == placements
             ? messages::AdvicePlacements(design.served, design.tried)
             : messages::AdviceFailsIn(design.tried - design.served, placements);
}

std::string Table(const Advice& advice, const PriceList& prices, size_t width) {
  TextColumns columns({{"serves"},
                       {"placements"},
                       {Concat(prices.currency, "/month")},
                       {"once"},
                       {"not served"},
                       {"design", true}});
  for (const AdvisedDesign& design : advice.designs) {
    columns.Add({design.serves ? "yes" : "no", PlacementsText(advice, design),
                 design.serves ? MoneyText(design.cost) : "",
                 design.serves && design.once > 0 ? MoneyText(design.once) : "",
                 design.denied > 0 ? PartText(design.denied) : "–", AdvisedDesignName(design)});
  }
  return columns.Text(2, width);
}

std::string Lines(std::string_view text, size_t indent) {
  return WordLines(text, indent, kColumns);
}

// Designs that share a reason, and the reason.
std::string Reasons(const std::vector<std::pair<std::string, std::string>>& reasons) {
  std::string text;
  for (size_t i = 0; i < reasons.size(); ++i) {
    const auto says_the_same = [&](const auto& other) { return other.second == reasons[i].second; };
    const auto here = reasons.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(reasons.begin(), here, says_the_same)) continue;
    for (const auto& [name, why] : reasons) {
      if (why == reasons[i].second) text += Lines(name, 4);
    }
    text += Lines(reasons[i].second, 6);
  }
  return text;
}

std::string Helps(const AdvisedDesign& design) {
  if (design.helps.empty()) return "";
  std::string text = messages::AdviceWhatHelps();
  for (const std::string& help : design.helps) text += Lines(help, 4);
  return text;
}

// The price of warm throughput, and the time after which it has saved that price.
std::string WarmPrice(const Advice& advice, const AdvisedDesign& design, const PriceList& prices) {
  const AdvisedDesign* const other = advice.CheapestUnwarmed();
  std::string against;
  std::string days;
  if (other != nullptr) {
    against = AdvisedDesignName(*other);
    const double spared_a_day = (other->cost - design.cost) / prices.hours_month * 24;
    const double needs = design.once / spared_a_day;
    if (spared_a_day > 0) days = messages::AdviceDays(needs < 1 ? "" : FigureText(needs));
  }
  return messages::AdviceWarmPrice(MoneyText(design.once), prices.currency, against, days);
}

// The sum for all tables; 0 if one of them has no maximum.
double SumMostCosts(const AdvisedDesign& design, const PriceList& prices) {
  double sum = 0;
  for (const TableDesign& table : design.run.experiment.tables) {
    const double most = MostCost(table, prices);
    if (most == 0) return 0;
    sum += most;
  }
  return sum;
}

// What is paid at the start, if the recommended design has reserved capacity; else what would cost
// less with some, if it is not open.
std::string ReservedRemark(const Advice& advice, const PriceList& prices) {
  const AdvisedDesign& best = advice.designs.front();
  if (best.run.experiment.reserved) {
    const std::optional<ReservedUse> use =
        UseReserved(best.run, *best.run.experiment.reserved, prices);
    return use ? messages::AdviceUpfront(MoneyText(use->upfront), prices.currency, use->term) : "";
  }
  const OpenMember reserved = {.kind = OpenMember::Kind::kReserved};
  const std::string path = OpenMemberPath(advice.base, reserved);
  const std::vector<std::string> open = OpenPaths(advice);
  if (std::find(open.begin(), open.end(), path) != open.end()) return "";
  double least = best.cost + best.once;
  std::string remark;
  for (const AdvisedDesign& design : advice.designs) {
    const auto cheapest = design.serves ? FindReserved(design.run, prices) : std::nullopt;
    if (!cheapest) continue;
    const double cost = BilledCost(design.run, cheapest, prices) + design.once;
    if (cost >= least) continue;
    least = cost;
    remark = messages::AdviceOpenReserved(ReservedText(*cheapest), AdvisedDesignName(design),
                                          MoneyText(cost), prices.currency, path);
  }
  return remark;
}

// Whether a month is this run again and again.
bool RepeatsItself(const Experiment& experiment) {
  const auto does = [](const DayKind& kind) { return kind.factor == 1 && kind.design.empty(); };
  return does(experiment.weekdays) && does(experiment.weekends);
}

std::string Recommendation(const Advice& advice, const PriceList& prices) {
  if (advice.designs.empty()) return "";
  const AdvisedDesign& best = advice.designs.front();
  if (!best.serves) return messages::AdviceNothingServes() + Helps(best);
  std::string text = messages::AdviceRecommendation(AdvisedDesignName(best));
  text += messages::AdvicePrice(
      MoneyText(best.cost), prices.currency,
      RepeatsItself(advice.base) ? TimeText(advice.base.duration) : std::string());
  if (advice.request.placements > 1) {
    const LikelyPart likely = FindLikelyPart(best.served, best.tried);
    text += messages::AdviceServesIn(
        PartText(static_cast<double>(best.served) / static_cast<double>(best.tried)), best.served,
        best.tried, PartText(likely.least), PartText(likely.most));
  }
  if (best.once > 0) text += Lines(WarmPrice(advice, best, prices), 8);
  const std::string reserved = ReservedRemark(advice, prices);
  if (!reserved.empty()) text += Lines(reserved, 8);
  const double most = SumMostCosts(best, prices);
  if (most > 0) text += Lines(messages::AdviceMostCost(MoneyText(most), prices.currency), 8);
  return best.less.empty() ? text : text + messages::AdviceLessFails() + Reasons(best.less);
}

std::string Others(const Advice& advice) {
  if (advice.designs.empty()) return "";
  const bool serves = advice.designs.front().serves;
  std::vector<std::pair<std::string, std::string>> reasons;
  for (size_t i = serves ? 1 : 0; i < advice.designs.size(); ++i) {
    reasons.emplace_back(AdvisedDesignName(advice.designs[i]), WhyNot(advice, advice.designs[i]));
  }
  if (reasons.empty()) return "";
  return (serves ? messages::AdviceWhyNotOthers() : "\n") + Reasons(reasons);
}

// The designs that serve, as text for the experiment's file.
std::string ToPaste(const Advice& advice) {
  std::string text;
  for (const AdvisedDesign& design : advice.designs) {
    if (!design.serves || design.run.experiment.design.empty()) continue;
    text += DesignText(advice.base, design.run.experiment) + "\n";
  }
  if (text.empty()) return "";
  text.pop_back();
  return messages::AdviceToPaste(advice.base.design) + text;
}

// Prints members of a JSON object, or elements of a list.
class JsonParts {
 public:
  void Add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += ',';
    if (!name.empty()) text_ += Quoted(name) + ":";
    text_ += value;
  }
  void AddText(std::string_view name, std::string_view value) { Add(name, Quoted(value)); }
  std::string Object() const { return Concat("{", text_, "}"); }
  std::string List() const { return Concat("[", text_, "]"); }
  static std::string TextList(const std::vector<std::string>& texts) {
    JsonParts list;
    for (const std::string& text : texts) list.AddText("", text);
    return list.List();
  }

 private:
  static std::string Quoted(std::string_view text) {
    std::string quoted;
    AppendJsonString(text, &quoted);
    return quoted;
  }

  std::string text_;
};

std::string DesignJson(const Advice& advice, const AdvisedDesign& design) {
  JsonParts parts;
  parts.AddText("name", design.run.experiment.design);
  parts.Add("serves", design.serves ? "true" : "false");
  parts.Add("month", ExactText(design.cost));
  parts.Add("once", ExactText(design.once));
  parts.Add("not_served", ExactText(design.denied));
  parts.Add("placements", Concat("{\"served\":", design.served, ",\"tried\":", design.tried, "}"));
  if (const std::optional<ReservedCapacity>& reserved = design.run.experiment.reserved) {
    parts.AddText("reserved", ReservedText(*reserved));
  }
  parts.AddText("why", design.why);
  parts.Add("helps", JsonParts::TextList(design.helps));
  JsonParts less;
  for (const auto& [name, why] : design.less) {
    JsonParts one;
    one.AddText("name", name);
    one.AddText("why", why);
    less.Add("", one.Object());
  }
  parts.Add("less", less.List());
  parts.AddText("toml", DesignText(advice.base, design.run.experiment));
  return parts.Object();
}

}  // namespace

std::string AdviceText(const Advice& advice, const PriceList& prices, bool is_derived,
                       size_t width) {
  std::string open;
  for (const std::string& path : OpenPaths(advice)) open += Concat(open.empty() ? "" : ", ", path);
  const AdviceRequest& request = advice.request;
  const std::string reserve = request.utilization < 1 ? PartText(1 - request.utilization) : "";
  std::string text =
      Concat(advice.base.title, "\n",
             Lines(messages::AdviceHead(PartText(request.throttled), PartText(request.serves),
                                        request.placements, reserve, request.burst),
                   2),
             Lines(messages::AdviceOpen(open, is_derived), 2));
  for (const std::string& note : advice.notes) text += Lines(note, 2);
  if (!advice.designs.empty()) text += "\n" + Table(advice, prices, width) + "\n";
  text += Recommendation(advice, prices);
  text += Others(advice);
  text += ToPaste(advice);
  text += messages::AdviceFooter(advice.simulations, TimeText(advice.base.duration),
                                 advice.base.seed, prices.region, prices.date);
  if (!advice.is_complete) text += messages::AdviceStopped();
  return text;
}

std::string AdviceJson(const Advice& advice, const PriceList& prices) {
  JsonParts designs;
  for (const AdvisedDesign& design : advice.designs) designs.Add("", DesignJson(advice, design));
  JsonParts list;
  list.AddText("region", prices.region);
  list.AddText("date", prices.date);
  list.AddText("currency", prices.currency);
  JsonParts parts;
  parts.AddText("title", advice.base.title);
  parts.Add("throttled_at_most", ExactText(advice.request.throttled));
  parts.Add("utilization", ExactText(advice.request.utilization));
  parts.Add("burst", advice.request.burst ? "true" : "false");
  parts.Add("placements", Concat(advice.request.placements));
  parts.Add("serves", ExactText(advice.request.serves));
  parts.Add("open", JsonParts::TextList(OpenPaths(advice)));
  parts.Add("complete", advice.is_complete ? "true" : "false");
  parts.Add("simulations", Concat(advice.simulations));
  parts.Add("notes", JsonParts::TextList(advice.notes));
  parts.Add("prices", list.Object());
  parts.Add("designs", designs.List());
  return parts.Object() + "\n";
}

std::vector<RunResult> AdviceRuns(const Advice& advice) {
  std::vector<RunResult> runs;
  for (const AdvisedDesign& design : advice.designs) {
    runs.push_back(design.run);
    runs.back().experiment.description = design.serves && &design == &advice.designs.front()
                                             ? messages::AdviceCheapest()
                                             : WhyNot(advice, design);
  }
  return runs;
}

}  // namespace dynolith::lab
