#include "tools/mcp/lab_tools.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/processors.h"
#include "engine/text/nearest_word.h"
#include "tools/lab/advise/advice.h"
#include "tools/lab/advise/advice_text.h"
#include "tools/lab/bill/bill.h"
#include "tools/lab/bill/bill_text.h"
#include "tools/lab/bill/metrics.h"
#include "tools/lab/data_model/data_model.h"
#include "tools/lab/data_model/experiment_text.h"
#include "tools/lab/experiment/experiment_doubts.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/experiment/open_members.h"
#include "tools/lab/experiment/paid_features.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/report/expectations.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/report/result_json.h"
#include "tools/lab/report/summary.h"
#include "tools/lab/shipped/shipped.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"

namespace dynolith::mcp {
namespace {

constexpr std::string_view kTextName = "experiment.toml";
constexpr size_t kSummaryColumns = 100;
constexpr int kResultDepthMax = 32;
constexpr size_t kDesignsMax = 50;

// No text of a client names files of this machine.
absl::StatusOr<std::string> ReadNoFile(const std::string& path) {
  return absl::PermissionDeniedError(messages::McpNoFiles(path));
}

std::string ShortenedText(std::string text) {
  if (text.size() <= kSummaryBytesMax) return text;
  // Not within a character.
  size_t end = kSummaryBytesMax;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  text.resize(end);
  return text += messages::McpShortened();
}

// When a computation has to end: in time, or with the request.
class Deadline {
 public:
  explicit Deadline(const ToolCall& call)
      : call_(call),
        end_(std::chrono::steady_clock::now() +
             std::chrono::seconds(WholeAt(call.arguments, "seconds", kLabSecondsUsual))) {}
  bool IsOver() const { return call_.is_cancelled() || std::chrono::steady_clock::now() >= end_; }

 private:
  const ToolCall& call_;
  const std::chrono::steady_clock::time_point end_;
};

struct LabText {
  std::string name;
  std::string text;
};

absl::StatusOr<LabText> FindLabText(const JsonTree& arguments) {
  const std::string given = TextAt(arguments, "experiment");
  const std::string model_text = TextAt(arguments, "data_model");
  if (given.empty() == model_text.empty()) {
    return absl::InvalidArgumentError(messages::McpExperimentOrModel());
  }
  if (!model_text.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const lab::DataModel model,
                              lab::ParseDataModel("dynamodb_data_model.json", model_text));
    return LabText{std::string(kTextName),
                   lab::ExperimentText("dynamodb_data_model.json", model, std::nullopt)};
  }
  if (given.find_first_of("\n[=") != std::string::npos) {
    return LabText{std::string(kTextName), given};
  }
  if (const lab::ShippedFile* const found = lab::FindShippedExperiment(given)) {
    return LabText{Concat(found->name, ".toml"), std::string(found->text)};
  }
  std::vector<std::string> names;
  for (const lab::ShippedFile& file : lab::ShippedExperiments()) {
    names.emplace_back(file.name);
    names.emplace_back(file.name.substr(file.name.find('-') + 1));
  }
  return absl::NotFoundError(messages::McpNoSuchExperiment(given, NearestWord(given, names)));
}

// What a run needs: the chosen designs with their region, and prices.
struct LabLoad {
  LabText source;
  std::vector<lab::Experiment> all;
  std::vector<lab::Experiment> designs;
  lab::PriceList prices;
};

absl::StatusOr<lab::PriceList> FindPricesFor(const std::string& region) {
  return lab::ParsePriceList("prices.toml", lab::ShippedPrices(), region);
}

absl::Status ChooseOne(const std::string& design, std::vector<lab::Experiment>* experiments) {
  if (design.empty()) return absl::OkStatus();
  std::string names;
  for (const lab::Experiment& each : *experiments) {
    names += Concat(names.empty() ? "" : ", ", each.design);
  }
  std::erase_if(*experiments, [&](const lab::Experiment& each) { return each.design != design; });
  if (!experiments->empty()) return absl::OkStatus();
  return absl::NotFoundError(messages::McpNoSuchDesign(design, names));
}

absl::StatusOr<LabLoad> ReadLabLoad(const JsonTree& arguments) {
  LabLoad load;
  DYNOLITH_ASSIGN_OR_RETURN(load.source, FindLabText(arguments));
  DYNOLITH_ASSIGN_OR_RETURN(load.all,
                            lab::ParseExperiment(load.source.name, load.source.text, ReadNoFile));
  load.designs = load.all;
  DYNOLITH_RETURN_IF_ERROR(ChooseOne(TextAt(arguments, "design"), &load.designs));
  const std::string region = TextAt(arguments, "region");
  for (lab::Experiment& each : load.designs) {
    if (!region.empty()) each.region = region;
    if (arguments.Find("seed") != nullptr) {
      each.seed = static_cast<uint64_t>(WholeAt(arguments, "seed", 0));
    }
  }
  DYNOLITH_RETURN_IF_ERROR(lab::CheckMonths(load.designs));
  DYNOLITH_ASSIGN_OR_RETURN(load.prices, FindPricesFor(region));
  for (const lab::Experiment& each : load.designs) {
    DYNOLITH_RETURN_IF_ERROR(lab::CheckPaid(load.prices, each));
    DYNOLITH_RETURN_IF_ERROR(lab::CheckExpectable(load.source.name, each));
  }
  return load;
}

struct LabRuns {
  std::vector<lab::RunResult> runs;  // of the designs that were begun; one at least
  bool is_complete = true;
};

// One design after the other.
LabRuns RunDesigns(const ToolCall& call, const LabLoad& load) {
  const Deadline deadline(call);
  LabRuns result;
  for (size_t i = 0; i < load.designs.size(); ++i) {
    if (i > 0 && deadline.IsOver()) {
      result.is_complete = false;
      break;
    }
    const auto total = static_cast<double>(load.designs.size());
    result.runs.push_back(lab::Simulate(load.designs[i], [&](const lab::RunProgress& progress) {
      const double part = progress.duration > 0 ? static_cast<double>(progress.simulated) /
                                                      static_cast<double>(progress.duration)
                                                : 0;
      call.report(static_cast<double>(i) + part, total, load.designs[i].design);
      return !deadline.IsOver();
    }));
    result.is_complete &= result.runs.back().is_complete;
  }
  lab::ComposeMonths(&result.runs);
  return result;
}

// The designs of a result without their series.
JsonTree DesignsOf(const std::string& json, std::initializer_list<std::string_view> members) {
  JsonTree designs = ListTree();
  std::optional<JsonTree> tree = ParseJson(json, kResultDepthMax);
  JsonTree* const list = tree ? tree->Find("designs") : nullptr;
  if (list == nullptr) return designs;
  for (JsonTree& each : list->elements) {
    if (designs.elements.size() == kDesignsMax) break;
    JsonTree design = MapTree();
    for (const std::string_view name : members) {
      JsonTree* const value = each.Find(name);
      if (value != nullptr) SetMember(&design, name, std::move(*value));
    }
    designs.elements.push_back(std::move(design));
  }
  return designs;
}

JsonTree LabResult(bool is_complete, const std::string& summary) {
  JsonTree result = MapTree();
  SetMember(&result, "complete", BoolTree(is_complete));
  SetMember(&result, "summary", TextTree(summary));
  return result;
}

JsonTree DoubtsOf(const std::vector<lab::Experiment>& designs, bool is_complete) {
  std::vector<std::string> doubts;
  for (const lab::Experiment& each : designs) lab::AddDoubts(each, &doubts);
  if (!is_complete) doubts.push_back(messages::McpEndedEarly());
  JsonTree notes = ListTree();
  for (const std::string& each : doubts) notes.elements.push_back(TextTree(each));
  return notes;
}

absl::StatusOr<ToolResult> BillOfMetrics(const JsonTree& arguments) {
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices,
                            FindPricesFor(TextAt(arguments, "region")));
  lab::Metrics metrics;
  DYNOLITH_RETURN_IF_ERROR(lab::AddMetrics("metrics", TextAt(arguments, "metrics"),
                                           TextAt(arguments, "metrics_table"), &metrics));
  std::vector<lab::TableDesign> tables;
  if (arguments.Find("paid_tables") != nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(
        tables, lab::ParsePaidTables("paid_tables", TextAt(arguments, "paid_tables")));
    DYNOLITH_RETURN_IF_ERROR(lab::CheckPaid(prices, {}, tables));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const lab::Bill bill, lab::MakeBill(metrics, prices, tables));
  const std::string summary = ShortenedText(lab::BillText(bill, prices, kSummaryColumns));
  JsonTree result = LabResult(true, summary);
  SetMember(&result, "bill",
            ParseJson(lab::BillJson(bill, prices), kResultDepthMax).value_or(MapTree()));
  return ToolResult{std::move(result), summary};
}

}  // namespace

absl::StatusOr<ToolResult> LabExperiments(const ToolCall& call) {
  JsonTree result = MapTree();
  const std::string name = TextAt(call.arguments, "name");
  if (name == "example") {
    SetMember(&result, "text", TextTree(lab::ExampleExperiment()));
    return ToolResult{std::move(result), ""};
  }
  if (!name.empty()) {
    JsonTree named = MapTree();
    SetMember(&named, "experiment", TextTree(name));
    DYNOLITH_ASSIGN_OR_RETURN(const LabText found, FindLabText(named));
    SetMember(&result, "text", TextTree(found.text));
    return ToolResult{std::move(result), ""};
  }
  JsonTree list = ListTree();
  for (const lab::ShippedFile& file : lab::ShippedExperiments()) {
    DYNOLITH_ASSIGN_OR_RETURN(
        const std::vector<lab::Experiment> designs,
        lab::ParseExperiment(Concat(file.name, ".toml"), file.text, ReadNoFile));
    JsonTree line = MapTree();
    SetMember(&line, "name", TextTree(file.name));
    SetMember(&line, "shows", TextTree(designs.front().title));
    list.elements.push_back(std::move(line));
  }
  SetMember(&result, "experiments", std::move(list));
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> LabSimulate(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const LabLoad load, ReadLabLoad(call.arguments));
  const LabRuns done = RunDesigns(call, load);
  if (call.is_cancelled()) return absl::CancelledError(messages::McpCancelled());
  const std::string summary =
      ShortenedText(lab::SummaryText(done.runs, load.prices, kSummaryColumns));
  JsonTree result = LabResult(done.is_complete, summary);
  SetMember(&result, "designs",
            DesignsOf(lab::ResultJson(done.runs, load.prices),
                      {"name", "description", "region", "verdict", "totals", "expectations",
                       "warnings", "complete", "simulated_seconds", "bill"}));
  SetMember(&result, "notes", DoubtsOf(load.designs, done.is_complete));
  return ToolResult{std::move(result), summary};
}

absl::StatusOr<ToolResult> LabAdvise(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const LabLoad load, ReadLabLoad(call.arguments));
  lab::Experiment base = load.designs.front();
  if (TextAt(call.arguments, "design").empty()) {
    // Some files are valid only with a design.
    const absl::StatusOr<lab::Experiment> bare =
        lab::ParseWithoutDesigns(load.source.name, load.source.text, ReadNoFile);
    if (bare.ok()) {
      const std::string region = base.region;
      base = *bare;
      base.region = region;
    }
  }
  DYNOLITH_RETURN_IF_ERROR(lab::CheckComparable(load.prices, base.tables));
  lab::AdviceRequest request = base.advice ? *base.advice : lab::DefaultAdvice(base, load.all);
  request.throttled = RealAt(call.arguments, "throttled", request.throttled);
  const Deadline deadline(call);
  const lab::Advice advice =
      lab::FindAdvice(base, request, load.prices, static_cast<size_t>(UsableProcessors()),
                      [&](const lab::AdviceProgress& progress) {
                        call.report(static_cast<double>(progress.kinds_done),
                                    static_cast<double>(progress.kinds), "");
                        return !deadline.IsOver();
                      });
  if (call.is_cancelled()) return absl::CancelledError(messages::McpCancelled());
  const std::string summary =
      ShortenedText(lab::AdviceText(advice, load.prices, !base.advice, kSummaryColumns));
  JsonTree result = LabResult(advice.is_complete, summary);
  SetMember(&result, "designs",
            DesignsOf(lab::AdviceJson(advice, load.prices),
                      {"name", "serves", "month", "once", "not_served", "placements", "why",
                       "helps", "less", "toml"}));
  JsonTree notes = DoubtsOf({base}, advice.is_complete);
  for (const std::string& note : advice.notes) notes.elements.push_back(TextTree(note));
  SetMember(&result, "notes", std::move(notes));
  return ToolResult{std::move(result), summary};
}

absl::StatusOr<ToolResult> LabBill(const ToolCall& call) {
  if (call.arguments.Find("metrics") != nullptr) {
    if (call.arguments.Find("experiment") != nullptr ||
        call.arguments.Find("data_model") != nullptr) {
      return absl::InvalidArgumentError(messages::McpMetricsOrLoad());
    }
    return BillOfMetrics(call.arguments);
  }
  DYNOLITH_ASSIGN_OR_RETURN(const LabLoad load, ReadLabLoad(call.arguments));
  const LabRuns done = RunDesigns(call, load);
  if (call.is_cancelled()) return absl::CancelledError(messages::McpCancelled());
  std::string summary = messages::McpBillHead(load.prices.currency);
  for (const lab::RunResult& run : done.runs) {
    const double cost = lab::BilledCost(run, load.prices);
    const std::string name = run.experiment.design.empty() ? "" : run.experiment.design;
    summary += messages::McpBillLine(name, std::llround(cost * 100));
  }
  JsonTree result = LabResult(done.is_complete, summary);
  SetMember(&result, "designs",
            DesignsOf(lab::ResultJson(done.runs, load.prices),
                      {"name", "region", "totals", "bill", "complete"}));
  return ToolResult{std::move(result), summary};
}

}  // namespace dynolith::mcp
