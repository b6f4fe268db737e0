#include "tools/program/top/top_sample.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/client/admin_call.h"
#include "tools/client/messages.h"

namespace dynolith {
namespace {

// The depth limit of the admin endpoint's answers; items' keys are their deepest part.
constexpr int kAnswerDepthMax = 64;
// The limit of tables and indexes whose hot keys are asked for, with one call each.
constexpr size_t kWatchedMax = 50;

// One line of Prometheus's text format: name{label="value",…} number.
struct MetricLine {
  std::string_view name;
  std::map<std::string_view, std::string> labels;
  double value = 0;

  std::string Label(std::string_view label) const {
    const auto it = labels.find(label);
    return it == labels.end() ? std::string() : it->second;
  }
};

double ParseNumber(std::string_view text) {
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  double number = 0;
  return absl::SimpleAtod(ToAbsl(text), &number) ? number : 0;
}

// Reads `name="value"` from the front, with its escapes. Returns false if there is none.
bool ReadLabel(std::string_view* text, MetricLine* line) {
  const size_t equals = text->find("=\"");
  if (equals == std::string_view::npos) return false;
  std::string& value = line->labels[text->substr(0, equals)];
  text->remove_prefix(equals + 2);
  while (!text->empty() && text->front() != '"') {
    const bool is_escaped = text->front() == '\\' && text->size() > 1;
    if (is_escaped) text->remove_prefix(1);
    value.push_back(is_escaped && text->front() == 'n' ? '\n' : text->front());
    text->remove_prefix(1);
  }
  if (text->empty()) return false;
  text->remove_prefix(1);
  return true;
}

// Returns false for a comment and for a malformed line.
bool ReadLine(std::string_view text, MetricLine* line) {
  if (text.empty() || text.front() == '#') return false;
  const size_t end = text.find_first_of("{ ");
  if (end == std::string_view::npos) return false;
  line->name = text.substr(0, end);
  text.remove_prefix(end);
  while (text.front() == '{' || text.front() == ',') {
    text.remove_prefix(1);
    if (!ReadLabel(&text, line) || text.empty()) return false;
  }
  if (text.front() == '}') text.remove_prefix(1);
  if (text.empty()) return false;
  line->value = ParseNumber(text.substr(1));
  return true;
}

void AddMetric(const MetricLine& line, TopSample* sample) {
  if (line.name == "dynolith_requests_total") {
    sample->operations[line.Label("operation")].outcomes[line.Label("outcome")] = line.value;
  } else if (line.name == "dynolith_request_duration_seconds_bucket") {
    TopSample::Operation& operation = sample->operations[line.Label("operation")];
    operation.latencies[ParseNumber(line.Label("le"))] = line.value;
  } else if (line.name == "dynolith_consumed_capacity_units_total") {
    TopSample::Use& use = sample->uses[{line.Label("table"), line.Label("index")}];
    (line.Label("kind") == "read" ? use.reads : use.writes) = line.value;
  } else if (line.name == "dynolith_throttled_accesses_total") {
    TopSample::Use& use = sample->uses[{line.Label("table"), line.Label("index")}];
    use.throttled[Concat(line.Label("kind"), " ", line.Label("reason"))] = line.value;
  } else if (line.name == "dynolith_open_connections") {
    sample->connections = line.value;
  }
}

std::string TextAt(const JsonTree& map, std::string_view name) {
  const JsonTree* const value = map.Find(name);
  return value != nullptr ? value->text : std::string();
}

double NumberAt(const JsonTree& map, std::string_view name) {
  return ParseNumber(TextAt(map, name));
}

const std::vector<JsonTree>& ElementsAt(const JsonTree& map, std::string_view name) {
  static const std::vector<JsonTree> kNone;
  const JsonTree* const value = map.Find(name);
  return value != nullptr ? value->elements : kNone;
}

void ReadHeat(const JsonTree& lists, std::string_view name, std::string_view amount,
              const TopSample::TableAndIndex& of, TopSample::HotKeys* keys) {
  for (const JsonTree& hot : ElementsAt(lists, name)) {
    const JsonTree* const key = hot.Find("key");
    if (key == nullptr) continue;
    (*keys)[{of, PrintJson(*key)}] = {NumberAt(hot, amount), NumberAt(hot, "error")};
  }
}

}  // namespace

void ReadMetrics(std::string_view text, TopSample* sample) {
  while (!text.empty()) {
    const std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), row.size() + 1));
    MetricLine line;
    if (ReadLine(row, &line)) AddMetric(line, sample);
  }
}

void ReadCapacity(std::string_view json, TopSample* sample) {
  const std::optional<JsonTree> root = ParseJson(json, kAnswerDepthMax);
  if (!root) return;
  for (const JsonTree& table : ElementsAt(*root, "tables")) {
    for (const JsonTree& throughput : ElementsAt(table, "throughputs")) {
      const TopSample::TableAndIndex of = {TextAt(table, "table"), TextAt(throughput, "index")};
      for (const JsonTree& shown : ElementsAt(throughput, "partitions")) {
        const JsonTree* const reads = shown.Find("reads");
        const JsonTree* const writes = shown.Find("writes");
        if (reads == nullptr || writes == nullptr) continue;
        const auto id = static_cast<int64_t>(NumberAt(shown, "id"));
        sample->partitions[{of, id}] = {.reads = NumberAt(*reads, "consumed"),
                                        .writes = NumberAt(*writes, "consumed"),
                                        .read_level = NumberAt(*reads, "level"),
                                        .write_level = NumberAt(*writes, "level"),
                                        .split_at = NumberAt(shown, "split_at")};
      }
    }
  }
}

void ReadIndexes(std::string_view json, TopSample* sample) {
  const std::optional<JsonTree> root = ParseJson(json, kAnswerDepthMax);
  if (!root) return;
  for (const JsonTree& table : ElementsAt(*root, "tables")) {
    const std::string name = TextAt(table, "table");
    for (const JsonTree& index : ElementsAt(table, "indexes")) {
      sample->indexes[{name, TextAt(index, "index")}] = {.shards = NumberAt(index, "shards"),
                                                         .moving_to = NumberAt(index, "moving_to"),
                                                         .filling = TextAt(index, "filling"),
                                                         .filled = NumberAt(index, "filled")};
    }
    for (const JsonTree& tag : ElementsAt(table, "waiting_tags")) {
      sample->waiting_tags.emplace_back(name, tag.text);
    }
  }
}

void ReadHotKeys(std::string_view json, TopSample* sample) {
  const std::optional<JsonTree> root = ParseJson(json, kAnswerDepthMax);
  if (!root || TextAt(*root, "watched") != "true") return;
  sample->watches_keys = true;
  const JsonTree* const all = root->Find("all");
  if (all == nullptr) return;
  const TopSample::TableAndIndex of = {TextAt(*root, "table"), TextAt(*root, "index")};
  ReadHeat(*all, "accessed_partition_keys", "units", of, &sample->accessed);
  ReadHeat(*all, "accessed_items", "units", of, &sample->accessed_items);
  ReadHeat(*all, "throttled_partition_keys", "count", of, &sample->throttled);
  ReadHeat(*all, "throttled_items", "count", of, &sample->throttled_items);
}

void ReadRegions(std::string_view json, TopSample* sample) {
  const std::optional<JsonTree> root = ParseJson(json, kAnswerDepthMax);
  if (!root || ElementsAt(*root, "links").empty()) return;
  for (const JsonTree& region : ElementsAt(*root, "regions")) {
    sample->regions[TextAt(region, "name")] = {.tables = NumberAt(region, "tables"),
                                               .conflicts = NumberAt(region, "conflicts")};
  }
  for (const JsonTree& link : ElementsAt(*root, "links")) {
    sample->links[{TextAt(link, "from"), TextAt(link, "to")}] = {
        .pending = NumberAt(link, "pending"),
        .behind = NumberAt(link, "behind_milliseconds") / 1e3,
        .arrived = NumberAt(link, "arrived"),
        .lost = NumberAt(link, "lost"),
        .is_cut = TextAt(link, "cut") == "true",
        .is_paused = TextAt(link, "paused") == "true"};
  }
}

absl::StatusOr<TopSample> TakeTopSample(const client::AdminServer& server) {
  TopSample sample;
  const auto ask = [&](const std::string& path) {
    return client::CallAdmin(server, client::AdminMethod::kGet, Concat("/_dynolith/", path));
  };
  DYNOLITH_ASSIGN_OR_RETURN(const std::string metrics, ask("metrics"));
  // A server without the admin endpoint answers every GET with its health.
  if (metrics.find("dynolith_") == std::string::npos) {
    return absl::FailedPreconditionError(messages::ServerHasNoAdmin(server.url));
  }
  sample.taken = absl::Now();
  ReadMetrics(metrics, &sample);
  DYNOLITH_ASSIGN_OR_RETURN(const std::string capacity, ask("capacity"));
  ReadCapacity(capacity, &sample);
  // An older server has no such path.
  const absl::StatusOr<std::string> indexes = ask("indexes");
  if (indexes.ok()) ReadIndexes(*indexes, &sample);
  const absl::StatusOr<std::string> regions = ask("regions");
  if (regions.ok()) ReadRegions(*regions, &sample);
  size_t asked = 0;
  for (const auto& [of, use] : sample.uses) {
    if (++asked > kWatchedMax) break;
    const std::string index = of.second.empty() ? "" : Concat("&index=", of.second);
    const absl::StatusOr<std::string> hot = ask(Concat("hot-keys?table=", of.first, index));
    // The table may have been deleted meanwhile.
    if (hot.ok()) ReadHotKeys(*hot, &sample);
  }
  return sample;
}

}  // namespace dynolith
