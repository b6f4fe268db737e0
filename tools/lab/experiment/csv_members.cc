#include "tools/lab/experiment/csv_members.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "engine/text/nearest_word.h"
#include "tools/lab/experiment/insight_report.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/text/csv_text.h"
#include "tools/lab/text/json_reader.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

constexpr size_t kErrorsMost = 10;
constexpr double kSecondsMost = 1e12;

std::optional<double> ParseNumber(std::string_view text) {
  double number = 0;
  if (!absl::SimpleAtod(ToAbsl(text), &number) || !std::isfinite(number)) return std::nullopt;
  return number;
}

// Parses seconds, or a date and time, in UTC unless it has another zone.
std::optional<Micros> ParseMoment(std::string_view text) {
  if (const std::optional<double> seconds = ParseNumber(text)) {
    if (std::abs(*seconds) > kSecondsMost) return std::nullopt;
    return std::llround(*seconds * static_cast<double>(kSecond));
  }
  constexpr std::string_view kForms[] = {"%Y-%m-%d%ET%H:%M:%E*S%Ez", "%Y-%m-%d%ET%H:%M:%E*S",
                                         "%Y-%m-%d %H:%M:%E*S%Ez",   "%Y-%m-%d %H:%M:%E*S",
                                         "%Y-%m-%d%ET%H:%M%Ez",      "%Y-%m-%d%ET%H:%M",
                                         "%Y-%m-%d %H:%M",           "%Y-%m-%d"};
  for (const std::string_view form : kForms) {
    absl::Time time;
    if (absl::ParseTime(ToAbsl(form), ToAbsl(text), &time, nullptr))
      return absl::ToUnixMicros(time);
  }
  return std::nullopt;
}

// The rows of the file that a member names, and the errors in them.
class NamedCsv {
 public:
  // Adds an error if it cannot be read, or is empty.
  NamedCsv(TomlTable* member, NamedTexts* texts) : member_(member) {
    const toml::node* const node = member->Need("file", "the table in CSV");
    member->Text("file", &file_);
    if (node == nullptr || file_.empty()) return;
    const absl::StatusOr<std::string>& text = texts->Find(file_);
    if (!text.ok()) {
      member->Error(*node, ToStd(text.status().message()));
      return;
    }
    rows_.emplace(*text);
    if (rows_->columns().empty()) member->Error(*node, messages::LabCsvEmpty(file_));
  }

  // The column that the member `name` names, or `usual`; nullopt with an error if there is none.
  std::optional<size_t> Column(std::string_view name, std::string_view usual = "") {
    std::string column(usual);
    const toml::node* const node =
        usual.empty() ? member_->Need(name, messages::LabCsvColumn()) : member_->Find(name);
    member_->Text(name, &column);
    if (!rows_ || rows_->columns().empty() || column.empty()) return std::nullopt;
    const std::optional<size_t> found = rows_->Find(column);
    if (found) return found;
    const std::string text =
        messages::LabCsvLacks(member_->MemberPath(name), file_, column,
                              NearestWord(column, rows_->columns()), rows_->columns());
    node == nullptr ? member_->Error(text) : member_->Error(*node, text);
    return std::nullopt;
  }

  CsvRows& rows() { return *rows_; }
  const std::string& file() const { return file_; }
  // Adds an error about the present row; only the first ones of a file.
  void Error(size_t column, std::string_view expected) {
    if (++errors_ > kErrorsMost) return;
    member_->Error(messages::LabCsvCell(file_, rows_->line(), rows_->columns()[column],
                                        rows_->cell(column), expected));
  }
  bool has_errors() const { return errors_ > 0; }
  void ErrorOfFile(std::string_view text) { member_->Error(*member_->Find("file"), text); }

 private:
  TomlTable* const member_;
  std::string file_;
  std::optional<CsvRows> rows_;
  size_t errors_ = 0;
};

// Of the steps before the beginning of the experiment only the last one matters.
void BeginAt(Micros begin, std::vector<Load::Step>* steps) {
  for (Load::Step& step : *steps) step.at -= begin;
  const auto later = std::find_if(steps->begin(), steps->end(),
                                  [](const Load::Step& step) { return step.at > 0; });
  if (later == steps->begin()) return;
  steps->erase(steps->begin(), later - 1);
  steps->front().at = 0;
}

// The text of the file that the member names, if it is JSON; else nullptr.
const std::string* FindJson(TomlTable* member, NamedTexts* texts) {
  const toml::node* const node = member->Find("file");
  const std::string file = node == nullptr ? "" : node->value_or(std::string());
  if (file.empty()) return nullptr;
  const absl::StatusOr<std::string>& text = texts->Find(file);
  if (!text.ok()) return nullptr;
  const size_t begin = text->find_first_not_of(" \t\r\n");
  return begin != std::string::npos && (*text)[begin] == '{' ? &*text : nullptr;
}

// What a metric counted, by the beginnings of its periods.
using MetricCounts = std::map<Micros, double>;

// Reads the metric with this label from an answer of get-metric-data or get-metric-statistics, of
// the latter its sums. `labels`: those that the answer has.
class MetricReader {
 public:
  MetricReader(std::string_view label, JsonErrors* errors) : label_(label), errors_(errors) {}

  void Read(const JsonObject& answer) {
    for (const JsonObject& result : answer.Objects("MetricDataResults")) ReadResult(result);
    if (!answer.Has("Datapoints") || !IsWanted(answer)) return;
    for (const JsonObject& point : answer.Objects("Datapoints")) {
      const std::optional<double> sum = point.Number("Sum", 0);
      const JsonTree* const time = point.tree().Find("Timestamp");
      if (!sum || time == nullptr) {
        point.Error(messages::LabJsonLacks(point.MemberPath(sum ? "Timestamp" : "Sum")));
      } else {
        Add(*time, point.MemberPath("Timestamp"), *sum);
      }
    }
  }
  const MetricCounts& counts() const { return counts_; }
  const std::vector<std::string>& labels() const { return labels_; }

 private:
  bool IsWanted(const JsonObject& owner) {
    const std::string label = owner.NeededText("Label");
    // The pages of a long answer repeat it.
    const bool is_new = std::find(labels_.begin(), labels_.end(), label) == labels_.end();
    if (is_new && !label.empty()) labels_.push_back(label);
    return label == label_;
  }

  void ReadResult(const JsonObject& result) {
    if (!IsWanted(result)) return;
    const std::vector<double> values = result.Numbers("Values");
    const JsonTree* const times = result.tree().Find("Timestamps");
    const std::string path = result.MemberPath("Timestamps");
    if (times == nullptr || times->elements.size() != values.size()) {
      return result.Error(messages::LabMetricUnequal(path));
    }
    for (size_t i = 0; i < values.size(); ++i) Add(times->elements[i], path, values[i]);
  }

  void Add(const JsonTree& time, std::string_view path, double count) {
    const std::optional<Micros> at = ParseMoment(time.text);
    if (!at) return errors_->Add(time, Concat(path, " ", messages::LabCsvMoment()));
    if (count < 0) return errors_->Add(time, messages::LabMetricNegative());
    counts_[*at] = count;
  }

  const std::string_view label_;
  JsonErrors* const errors_;
  MetricCounts counts_;
  std::vector<std::string> labels_;
};

// The least distance of two periods. Requires: there are two.
Micros PeriodOf(const MetricCounts& counts) {
  Micros least = std::numeric_limits<Micros>::max();
  for (auto at = counts.begin(), next = std::next(at); next != counts.end(); at = next++) {
    least = std::min(least, next->first - at->first);
  }
  return least;
}

// CloudWatch leaves out periods in which nothing was counted.
std::vector<Load::Step> ToSteps(const MetricCounts& counts, Micros per) {
  std::vector<Load::Step> steps;
  const double seconds = static_cast<double>(per) / static_cast<double>(kSecond);
  Micros end = counts.begin()->first;
  for (const auto& [at, count] : counts) {
    if (end < at) steps.push_back({end, 0});
    steps.push_back({at, count / seconds});
    end = at + per;
  }
  steps.push_back({end, 0});
  return steps;
}

std::optional<Micros> ReadBegin(TomlTable* rate) {
  std::string text;
  rate->Text("begin", &text);
  const std::optional<Micros> begin = text.empty() ? std::nullopt : ParseMoment(text);
  if (!text.empty() && !begin) {
    rate->Error(*rate->Find("begin"), messages::LabNotAMoment(rate->MemberPath("begin")));
  }
  return begin;
}

void SetSteps(std::vector<Load::Step> steps, std::optional<Micros> begin, const std::string& file,
              Load* load) {
  BeginAt(begin.value_or(steps.front().at), &steps);
  load->shape = Load::Shape::kSteps;
  load->steps = std::move(steps);
  load->file = file;
}

// Reads { file, column, per, begin }, where the file has metrics and `column` is a label.
void ReadMetricFile(TomlTable rate, std::string_view text, Load* load) {
  std::string file;
  rate.Text("file", &file);
  std::string label;
  const toml::node* const column = rate.Need("column", messages::LabMetricLabel());
  rate.Text("column", &label);
  Micros per = 0;
  rate.Time("per", &per, 1);
  const std::optional<Micros> begin = ReadBegin(&rate);
  rate.RefuseUnknown();
  if (column == nullptr || label.empty()) return;
  JsonErrors errors(file);
  const std::optional<JsonTree> tree = ParseJsonObject(text, &errors);
  MetricReader reader(label, &errors);
  if (tree) reader.Read(JsonObject(*tree, "", &errors));
  const MetricCounts& counts = reader.counts();
  const std::vector<std::string>& labels = reader.labels();
  if (!errors.status().ok()) {
    rate.Error(*rate.Find("file"), ToStd(errors.status().message()));
  } else if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
    rate.Error(*column, messages::LabMetricLacks(rate.MemberPath("column"), file, label,
                                                 NearestWord(label, labels), labels));
  } else if (counts.size() < 2) {
    rate.Error(*rate.Find("file"), messages::LabCsvTooShort(file));
  } else {
    std::vector<Load::Step> steps = ToSteps(counts, per > 0 ? per : PeriodOf(counts));
    const auto most = std::max_element(
        steps.begin(), steps.end(),
        [](const Load::Step& left, const Load::Step& right) { return left.rate < right.rate; });
    if (most->rate > kLabRateMax) {
      return rate.Error(*column, messages::LabMetricRate(file, kLabRateMax));
    }
    SetSteps(std::move(steps), begin, file, load);
  }
}

}  // namespace

const absl::StatusOr<std::string>& NamedTexts::Find(const std::string& path) {
  const auto found = texts_.find(path);
  if (found != texts_.end()) return found->second;
  return texts_.emplace(path, read_(path)).first->second;
}

void ReadRateFile(TomlTable rate, NamedTexts* texts, Load* load) {
  if (const std::string* const metrics = FindJson(&rate, texts)) {
    return ReadMetricFile(std::move(rate), *metrics, load);
  }
  NamedCsv csv(&rate, texts);
  const std::optional<size_t> column = csv.Column("column");
  const std::optional<size_t> time = csv.Column("time", "time");
  Micros per = kSecond;
  rate.Time("per", &per, 1);
  const std::optional<Micros> begin = ReadBegin(&rate);
  rate.RefuseUnknown();
  if (!column || !time) return;
  std::vector<Load::Step> steps;
  const double seconds = static_cast<double>(per) / static_cast<double>(kSecond);
  while (csv.rows().Next()) {
    const std::optional<Micros> at = ParseMoment(csv.rows().cell(*time));
    const std::optional<double> count = ParseNumber(csv.rows().cell(*column));
    if (!at) {
      csv.Error(*time, messages::LabCsvMoment());
    } else if (!steps.empty() && *at <= steps.back().at) {
      csv.Error(*time, messages::LabCsvLater());
    } else if (!count || *count < 0 || *count / seconds > kLabRateMax) {
      csv.Error(*column, messages::LabCsvRate(kLabRateMax * seconds));
    } else {
      steps.push_back({*at, *count / seconds});
    }
  }
  if (csv.has_errors()) return;
  if (steps.size() < 2) return csv.ErrorOfFile(messages::LabCsvTooShort(csv.file()));
  const Micros last = steps.back().at - steps[steps.size() - 2].at;
  steps.push_back({steps.back().at + last, 0});
  SetSteps(std::move(steps), begin, csv.file(), load);
}

void ReadWeightFile(TomlTable weights, NamedTexts* texts, KeySource* source) {
  if (const std::string* const report = FindJson(&weights, texts)) {
    std::string file;
    weights.Text("file", &file);
    weights.RefuseUnknown();
    const absl::Status status = ReadInsightReport(file, *report, source);
    if (status.ok()) return;
    return weights.Error(*weights.Find("file"), ToStd(status.message()));
  }
  NamedCsv csv(&weights, texts);
  const std::optional<size_t> key = csv.Column("key");
  const std::optional<size_t> weight = csv.Column("weight");
  weights.RefuseUnknown();
  if (!key || !weight) return;
  absl::flat_hash_map<std::string, int64_t> lines;
  while (csv.rows().Next()) {
    const std::string value(csv.rows().cell(*key));
    const std::optional<double> number = ParseNumber(csv.rows().cell(*weight));
    const auto [before, is_new] = lines.try_emplace(value, csv.rows().line());
    if (value.empty()) {
      csv.Error(*key, messages::LabCsvKey());
    } else if (!is_new) {
      csv.Error(*key, messages::LabCsvKeyTwice(before->second));
    } else if (!number || *number <= 0) {
      csv.Error(*weight, messages::LabCsvWeight());
    } else {
      source->values.push_back(value);
      source->weights.push_back(*number);
    }
  }
  if (lines.empty()) csv.ErrorOfFile(messages::LabCsvEmpty(csv.file()));
}

}  // namespace dynolith::lab
