#include "tests/datadriven/text_runner.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "api/database/database_impl.h"
#include "api/json/dispatch.h"
#include "index/check_all.h"
#include "index/graph/vector_graphs.h"
#include "tests/datadriven/json_text.h"
#include "tests/hostile/given_store.h"

namespace dynolith::datadriven {
namespace {

std::string OneLine(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

// The rest of a text behind its first line, as canonical JSON. What is not JSON stays as it is.
std::string CanonicalRest(std::string_view text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return "";
  const std::string_view rest = text.substr(end + 1);
  return Canonical(rest).value_or(std::string(rest));
}

// An answer as an expectation would be written.
std::string Describe(const JsonResponse& response) {
  if (response.http_status == 200) {
    if (response.body.empty()) return "200 (empty)";
    const std::string body = Canonical(response.body).value_or("not JSON: " + response.body);
    return body == "{}" ? "200" : "200\n" + body;
  }
  auto members = Members(response.body);
  std::string out = std::to_string(response.http_status);
  if (!members) return out + " not JSON: " + response.body;
  const std::string type = (*members)["__type"];
  out += " " + type.substr(type.find('#') + 1);
  for (const char* name : {"message", "Message"}) {
    if (members->contains(name)) out += ": " + OneLine((*members)[name]);
    members->erase(name);
  }
  members->erase("__type");
  if (members->empty()) return out;
  std::string rest;
  for (const auto& [name, value] : *members) {
    rest += (rest.empty() ? "{\"" : ", \"") + name + "\": " + value;
  }
  return out + "\n" + Canonical(rest + "}").value_or(rest);
}

// What the texts of a file call "${name}".
using Captures = std::map<std::string, std::string>;

// `text` with every captured "${name}" replaced by what it stands for.
std::string Filled(std::string text, const Captures& captures) {
  for (const auto& [name, value] : captures) {
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size()) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

// JSON without the blanks between its tokens: where the canonical form breaks its lines depends on
// the lengths of the values.
std::string WithoutBlanks(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    if (!in_string && (json[i] == ' ' || json[i] == '\n')) continue;
    if (json[i] == '"') in_string = !in_string;
    out += json[i];
    if (in_string && json[i] == '\\' && i + 1 < json.size()) out += json[++i];
  }
  return out;
}

// Whether `got` is `expected`, both canonical. A "${name}" that is a whole string of `expected` and
// has not been captured yet stands for any string there, and captures it.
bool MatchesCapturing(std::string expected, const std::string& got, Captures* captures) {
  constexpr std::string_view kOpen = "\"${";
  for (size_t at = 0; (at = expected.find(kOpen)) != std::string::npos;) {
    const size_t close = expected.find('"', at + 1);
    const size_t got_close = got.find('"', at + 1);
    if (close == std::string::npos || got_close == std::string::npos) return false;
    if (got.compare(0, at + 1, expected, 0, at + 1) != 0) return false;
    (*captures)[expected.substr(at + 1, close - at - 1)] = got.substr(at + 1, got_close - at - 1);
    expected = Filled(std::move(expected), *captures);
  }
  return expected == got;
}

bool IsAnswer(const std::string& expected, const std::string& got, Captures* captures) {
  if (expected == "200 (any)") return got.starts_with("200");
  const std::string expanded = Filled(Expand(expected), *captures);
  if (expanded.substr(0, expanded.find('\n')) != got.substr(0, got.find('\n'))) return false;
  return MatchesCapturing(WithoutBlanks(CanonicalRest(expanded)), WithoutBlanks(CanonicalRest(got)),
                          captures);
}

constexpr std::string_view kTableDelay = "!table-delay ";

// Of the whole file, wherever it says so.
absl::Duration TableDelay(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (block.kind != Block::Kind::kCommand || !block.text.starts_with(kTableDelay)) continue;
    return absl::Seconds(std::atof(block.text.c_str() + kTableDelay.size()));
  }
  return absl::ZeroDuration();
}

std::vector<std::string> Words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

constexpr std::string_view kRegions = "!regions ";

// Of the whole file; empty: there is only one.
std::vector<std::string> RegionNames(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (block.kind != Block::Kind::kCommand || !block.text.starts_with(kRegions)) continue;
    return Words(block.text.substr(kRegions.size()));
  }
  return {};
}

// Nobody else's.
std::string NewFolder() {
  static std::atomic<int> count = 0;
  const std::string name =
      "dynolith_text_" + std::to_string(getpid()) + "_" + std::to_string(++count);
  return (std::filesystem::temp_directory_path() / name).string();
}

}  // namespace

std::string SetCapacity(Database* database, const std::string& command) {
  std::istringstream words(command.substr(command.find(' ')));
  std::string table;
  std::string mode;
  CapacityOptions options;
  if (!(words >> table >> mode >> options.scale)) return "a table, a mode and a scale are wanted";
  for (const auto& [name, named] : kCapacityModeNames) {
    if (name != mode) continue;
    options.mode = named;
    const absl::Status status = database->SetCapacity(table, options);
    return status.ok() ? std::string() : status.ToString();
  }
  return "unknown mode " + mode;
}

TextRunner::TextRunner(VectorSearch vector_search, TwinCounts* twin)
    : twin_(twin), clock_(absl::FromUnixSeconds(1'700'000'000)) {
  options_.vector_search = vector_search;
  options_.vector_graph_entries = 1;
}

TextRunner::TextRunner(std::string store_url, bool takes_turns)
    : twin_(nullptr),
      store_url_(std::move(store_url)),
      takes_turns_(takes_turns),
      clock_(absl::FromUnixSeconds(1'700'000'000)) {
  hostile::EmptyGivenStore(store_url_);
}

TextRunner::~TextRunner() {
  others_.clear();
  other_.reset();
  database_.reset();
  if (!options_.path.empty()) std::filesystem::remove_all(options_.path);
}

absl::Status TextRunner::Open(const std::vector<Block>& blocks) {
  const absl::Duration delay = TableDelay(blocks);
  options_.in_memory = !store_url_.empty() ||
                       std::none_of(blocks.begin(), blocks.end(),
                                    [](const Block& block) { return block.text == "!reopen"; });
  if (!options_.in_memory) options_.path = NewFolder();
  options_.clock = &clock_;
  options_.ttl_sweep_period = absl::ZeroDuration();
  options_.table_delays = {.create = delay, .update = delay, .remove = delay, .index = delay};
  const std::vector<std::string> regions = RegionNames(blocks);
  return regions.empty() ? OpenDatabase() : OpenRegions(regions);
}

absl::StatusOr<std::unique_ptr<Database>> TextRunner::MakeDatabase() const {
  if (store_url_.empty()) return Database::Open(options_);
  return DatabaseImpl::Make(options_, hostile::OpenGivenStore(store_url_));
}

absl::Status TextRunner::OpenDatabase() {
  other_.reset();
  database_.reset();
  auto database = MakeDatabase();
  if (!database.ok()) return database.status();
  database_ = *std::move(database);
  return absl::OkStatus();
}

absl::Status TextRunner::OpenRegions(const std::vector<std::string>& names) {
  regions_ = Regions::Make();
  options_.regions = regions_.get();
  for (const std::string& name : names) {
    options_.region = name;
    auto database = Database::Open(options_);
    if (!database.ok()) return database.status();
    others_[name] = *std::move(database);
  }
  region_ = names.front();
  database_ = std::move(others_[region_]);
  return absl::OkStatus();
}

std::string TextRunner::RunOfRegions(const std::string& command) {
  const std::vector<std::string> words = Words(command);
  const std::string value = words.size() > 1 ? words[1] : "";
  absl::Status status;
  if (words[0] == "!in") {
    others_[region_] = std::move(database_);
    region_ = value;
    database_ = std::move(others_[region_]);
  } else if (words[0] == "!cut") {
    regions_->SetCut(value, true);
  } else if (words[0] == "!release") {
    regions_->Release();
  } else if (words[0] == "!lag") {
    const absl::Duration lag = absl::Seconds(std::atof(value.c_str()));
    status = regions_->SetLag("", "", {.least = lag, .most = lag});
  } else if (words[0] == "!overlap") {
    status = regions_->SetOverlap(absl::Seconds(std::atof(value.c_str())));
  } else if (words[0] == "!settle") {
    status = regions_->Settle();
  } else {
    return "unknown command " + command;
  }
  return status.ok() ? "" : status.ToString();
}

absl::Status TextRunner::TakeTurns() {
  if (!takes_turns_) return absl::OkStatus();
  std::swap(database_, other_);
  if (database_ != nullptr) return absl::OkStatus();
  auto database = MakeDatabase();
  if (!database.ok()) return database.status();
  database_ = *std::move(database);
  return absl::OkStatus();
}

std::string TextRunner::RunOnEach(bool any,
                                  absl::FunctionRef<absl::Status(Database*)> command) const {
  absl::Status failure;
  for (Database* const database : {database_.get(), other_.get()}) {
    if (database == nullptr) continue;
    const absl::Status status = command(database);
    if (any && status.ok()) return "";
    failure.Update(status);
  }
  return failure.ok() ? "" : failure.ToString();
}

std::string TextRunner::Run(const Block& command) {
  if (command.text.starts_with(kTableDelay) || command.text.starts_with(kRegions)) return "";
  if (command.text == "!wait") {
    return RunOnEach(false, [](Database* database) { return database->WaitForBackfills(); });
  }
  // Of several databases, one may.
  if (command.text == "!sweep") {
    return RunOnEach(true,
                     [](Database* database) { return database->SweepExpiredItems().status(); });
  }
  if (command.text == "!reopen") {
    const absl::Status opened = OpenDatabase();
    return opened.ok() ? "" : opened.ToString();
  }
  if (command.text == "!check") return Check();
  if (command.text.starts_with("!capacity ")) {
    return SetCapacity(database_.get(), command.text);
  }
  if (!command.text.starts_with("!advance ")) {
    return regions_ != nullptr ? RunOfRegions(command.text) : "unknown command " + command.text;
  }
  clock_.Advance(absl::Seconds(std::atof(command.text.c_str() + 9)));
  return "";
}

std::string TextRunner::Check() {
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  std::string disagreements;
  const auto checked = CheckAll(impl->store(), *impl->catalog(),
                                [&](const std::string& line) { disagreements += line + "\n"; });
  return checked.ok() ? disagreements : checked.status().ToString();
}

int64_t TextRunner::graph_searches() const {
  const VectorGraphs* const graphs = dynamic_cast<DatabaseImpl*>(database_.get())->vector_graphs();
  return graphs == nullptr ? 0 : graphs->searches();
}

void TextRunner::AwaitGraph(const Block& call) const {
  Dispatcher(database_.get(), {}).Handle(call.operation, Filled(Expand(call.body), captures_));
  dynamic_cast<DatabaseImpl*>(database_.get())->vector_graphs()->WaitUntilIdle();
}

std::string TextRunner::Answer(const Block& call) {
  const absl::Status opened = TakeTurns();
  if (!opened.ok()) return opened.ToString();
  const bool searches = call.operation == "SearchVectors";
  if (searches && options_.vector_search == VectorSearch::kApproximate) AwaitGraph(call);
  const std::string body = Filled(Expand(call.body), captures_);
  if (twin_ != nullptr) {
    return Describe(AnswerOfTwin(database_.get(), call.operation, body, twin_));
  }
  return Describe(Dispatcher(database_.get(), {}).Handle(call.operation, body));
}

bool TextRunner::Matches(const std::string& expected, const std::string& answer) {
  return IsAnswer(expected, answer, &captures_);
}

void TextRunner::Capture(const std::string& name, const std::string& value) {
  captures_["${" + name + "}"] = value;
}

}  // namespace dynolith::datadriven
