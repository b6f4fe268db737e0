// Runs seeded random programs on the dull model and on the engine in several configurations. Every
// answer must be the model's, and the same in every configuration; now and then, and in the end, so
// must all items be, base rows must agree with indexes, streams, expiry rows and the history, and
// the past must be what it was. A program that fails is made small, and printed as a text test.
//
//   random_test [--faces | --approximate | --hostile | --store=URL]
//               [--seed=N] [--programs=N] [--steps=N]
//
// With --faces the configurations are the three ways in (methods of C++, the wire's texts,
// statements of PartiQL), which must also tell, and count, the same consumed capacity. With
// --approximate some search vectors through graphs, and what these miss is counted. With --hostile
// the second one is two databases that take turns over one hostile store (tests/hostile), and with
// --store over one on PostgreSQL, which is emptied. Without --seed it draws one; it always prints
// it.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/random/generator.h"
#include "tests/random/run.h"
#include "tests/random/searches.h"
#include "tests/random/shrink.h"
#include "tests/random/spoken.h"
#include "tests/random/text_test.h"

namespace dynolith::random {
namespace {

// Runs of parts of a program that failed.
constexpr int kShrinkingRunsMax = 1500;
// Of searches with graphs: the share of what is nearest that is found, and of those in which a
// graph was asked.
constexpr double kRecallMin = 0.97;
constexpr double kGraphsMin = 0.5;

struct Options {
  uint64_t seed = std::random_device()();
  int programs = 3;
  int steps = 1500;
  bool faces = false;
  bool approximate = false;
  bool hostile = false;
  std::string store_url;
};

Options ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const char* value = argv[i] + std::min(argument.find('=') + 1, argument.size());
    if (argument.starts_with("--seed=")) options.seed = std::strtoull(value, nullptr, 10);
    if (argument.starts_with("--programs=")) options.programs = std::atoi(value);
    if (argument.starts_with("--steps=")) options.steps = std::atoi(value);
    options.faces |= argument == "--faces";
    options.approximate |= argument == "--approximate";
    options.hostile |= argument == "--hostile";
    if (argument.starts_with("--store=")) options.store_url = value;
  }
  return options;
}

// How often each kind of step was run, and how often the answer was an error.
class Statistics {
 public:
  void Count(const model::Operation& operation, const model::Outcome& outcome) {
    Entry& entry = entries_[operation.index()];
    ++entry.steps;
    entry.errors += outcome.error.empty() ? 0 : 1;
  }

  void Print() const {
    // As they stand in model::Operation.
    static const char* const names[] = {"put",           "delete",        "update",
                                        "get",           "batch write",   "batch get",
                                        "read",          "statement",     "batch of statements",
                                        "transaction",   "search",        "create table",
                                        "delete table",  "create index",  "delete index",
                                        "shard index",   "create backup", "restore",
                                        "delete backup", "reopen",        "verify"};
    static_assert(std::size(names) == std::variant_size_v<model::Operation>);
    for (size_t i = 0; i < std::size(names); ++i) {
      std::cout << (i == 0 ? "" : ", ") << names[i] << " " << entries_[i].steps;
      if (entries_[i].errors > 0) std::cout << " (" << entries_[i].errors << " refused)";
    }
    std::cout << std::endl;
  }

 private:
  struct Entry {
    int64_t steps = 0;
    int64_t errors = 0;
  };
  std::array<Entry, std::variant_size_v<model::Operation>> entries_;
};

std::vector<Configuration> Configurations() {
  return {{.name = "memory", .in_memory = true},
          {.name = "disk", .item_cache_bytes = 0},
          // The cache has places for 64 small items.
          {.name = "tiny_memtable",
           .write_buffer_bytes = 16 << 10,
           .item_cache_bytes = 16 << 10,
           .followed = true},
          {.name = "reopen", .memory_budget_bytes = 16 << 20, .reopens = true, .followed = true}};
}

// The same database from C++, over the wire, and as far as statements say it in PartiQL.
std::vector<Configuration> Faces(uint64_t seed) {
  const ReturnConsumedCapacity told =
      seed % 2 == 0 ? ReturnConsumedCapacity::kIndexes : ReturnConsumedCapacity::kTotal;
  return {
      {.name = "methods", .in_memory = true, .told = told},
      {.name = "wire", .in_memory = true, .over_wire = true, .told = told},
      {.name = "statements", .in_memory = true, .over_wire = true, .speaks = true, .told = told}};
}

std::vector<Configuration> Hostile() {
  return {{.name = "memory", .in_memory = true},
          {.name = "hostile", .in_memory = true, .hostile = true}};
}

std::vector<Configuration> OnPostgres(const std::string& url) {
  return {{.name = "memory", .in_memory = true},
          {.name = "postgres", .in_memory = true, .hostile = true, .store_url = url}};
}

// One that knows all, one that has followed all writes, and one that has fallen behind here and
// there, for which every search looks for what graphs there are anew.
std::vector<Configuration> Searches() {
  return {{.name = "exact", .in_memory = true},
          {.name = "settled", .in_memory = true, .graph_entries = 16, .awaits_graphs = true},
          {.name = "behind",
           .write_buffer_bytes = 16 << 10,
           .reopens = true,
           .followed = true,
           .graph_entries = 16}};
}

// What the searches of one configuration with graphs have found.
struct Searched {
  int64_t searches = 0;
  int64_t through_graphs = 0;
  Recall recall;
};
using SearchedByName = std::map<std::string, Searched>;

// Whether it was enough, and through graphs.
bool Print(const SearchedByName& all) {
  bool enough = true;
  for (const auto& [name, searched] : all) {
    const auto share = [](int64_t part, int64_t whole) {
      return static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole, 1));
    };
    const double recall = share(searched.recall.found, searched.recall.wanted);
    const double graphs = share(searched.through_graphs, searched.searches);
    std::cout << name << ": " << searched.searches << " searches, " << searched.through_graphs
              << " of them through graphs, recall " << recall << std::endl;
    enough &= recall >= kRecallMin && graphs >= kGraphsMin;
  }
  if (!enough) std::cout << "that is too little" << std::endl;
  return enough;
}

// Prints the smallest program that fails like this one.
void Report(const Program& program, const Failure& failure, RunOptions options) {
  std::cout << "step " << failure.step + 1 << " fails in " << failure.configuration.name
            << "; leaving out what it does not need" << std::endl;
  options.on_expected = nullptr;
  options.on_search = nullptr;
  const Program small = Shrink(program, FailsLike(program, failure, options), kShrinkingRunsMax);
  const auto shown = RunProgram(small, options);
  std::cout << small.size() << " of " << program.size() << " steps are left:\n\n"
            << (shown ? TextTest(small, *shown, options.scratch) : "it does not always fail\n");
}

Program MakeProgramFor(const Options& given, uint64_t seed) {
  if (given.faces) return MakeSpeakableProgram(seed, given.steps);
  if (given.approximate) return MakeSearchingProgram(seed, given.steps);
  return MakeProgram(seed, given.steps);
}

bool RunSeed(uint64_t seed, const Options& given, RunOptions options, SearchedByName* searched) {
  options.configurations = given.faces                ? Faces(seed)
                           : given.approximate        ? Searches()
                           : given.hostile            ? Hostile()
                           : !given.store_url.empty() ? OnPostgres(given.store_url)
                                                      : Configurations();
  bool followed = true;
  int spoken = 0;
  options.finished = [&](const EngineRunner& runner) {
    followed &= (runner.followers_checked() > 0) == runner.configuration().followed;
    spoken += runner.spoken();
    if (runner.configuration().graph_entries == 0) return;
    (*searched)[runner.configuration().name].through_graphs += runner.graph_searches();
  };
  options.on_search = [&](const EngineRunner& runner, const Recall& recall) {
    Searched& of = (*searched)[runner.configuration().name];
    ++of.searches;
    of.recall.wanted += recall.wanted;
    of.recall.found += recall.found;
  };
  const Program program = MakeProgramFor(given, seed);
  const auto failure = RunProgram(program, options);
  if (failure) {
    std::cout << "the program with seed " << seed << " fails\n";
    Report(program, *failure, options);
  }
  if (!followed) std::cout << "the checks saw too little of what follows writes, or too much\n";
  // In a program of some length about half of the steps are.
  const bool silent = given.faces && !failure && spoken < given.steps / 4;
  if (silent) std::cout << "only " << spoken << " steps were said as statements\n";
  return !failure && followed && !silent;
}

int Main(int argc, char** argv) {
  const Options options = ReadOptions(argc, argv);
  std::cout << "random_test" << (options.faces ? " --faces" : "")
            << (options.approximate ? " --approximate" : "")
            << (options.hostile ? " --hostile" : "")
            << (options.store_url.empty() ? "" : " --store=" + options.store_url)
            << " --seed=" << options.seed << " --programs=" << options.programs
            << " --steps=" << options.steps << std::endl;
  const std::string scratch =
      (std::filesystem::temp_directory_path() / ("dynolith_random_" + std::to_string(options.seed)))
          .string();
  std::filesystem::create_directories(scratch);
  Statistics statistics;
  const auto count = [&](const model::Operation& operation, const model::Outcome* outcome) {
    statistics.Count(operation, *outcome);
  };
  SearchedByName searched;
  bool agreed = true;
  for (int i = 0; i < options.programs && agreed; ++i) {
    agreed = RunSeed(options.seed + static_cast<uint64_t>(i), options,
                     {.scratch = scratch, .configurations = {}, .on_expected = count}, &searched);
  }
  std::filesystem::remove_all(scratch);
  statistics.Print();
  agreed &= Print(searched);
  std::cout << (agreed ? "every answer agreed" : "DISAGREEMENT") << std::endl;
  return agreed ? 0 : 1;
}

}  // namespace
}  // namespace dynolith::random

int main(int argc, char** argv) { return dynolith::random::Main(argc, argv); }
