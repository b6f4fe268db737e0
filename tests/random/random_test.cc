// Runs seeded random programs on the dull model and on the engine in several configurations. Every
// answer must be the model's, and the same in every configuration; afterwards base rows must agree
// with indexes, streams, expiry rows and the history, and the past must be what it was.
//
//   random_test [--seed=N] [--programs=N] [--steps=N]
//
// Without --seed it draws one; it always prints it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/model/model.h"
#include "tests/random/engine_runner.h"
#include "tests/random/program.h"

namespace dynolith::random {
namespace {

using model::Outcome;

std::string Describe(const Outcome& outcome) {
  std::string text = outcome.error.empty() ? "ok" : outcome.error;
  if (outcome.attributes) text += " " + model::Text(*outcome.attributes);
  text += " count " + std::to_string(outcome.count) + " scanned " +
          std::to_string(outcome.scanned) + " pages " + std::to_string(outcome.pages);
  for (const auto& group : outcome.groups) {
    text += "\n    group";
    for (const model::Item& item : group) text += "\n      " + model::Text(item);
  }
  return text;
}

std::string Describe(const model::Operation& operation) {
  model::Placeholders placeholders;
  std::string text;
  const auto condition = [&](const std::optional<model::Condition>& c) {
    if (c) text += " if " + Print(*c, &placeholders);
  };
  if (const auto* put = std::get_if<model::PutOp>(&operation)) {
    text = "put " + put->table + " " + model::Text(put->item);
    condition(put->condition);
  } else if (const auto* del = std::get_if<model::DeleteOp>(&operation)) {
    text = "delete " + del->table + " " + model::Text(del->key);
    condition(del->condition);
  } else if (const auto* update = std::get_if<model::UpdateOp>(&operation)) {
    text = "update " + update->table + " " + model::Text(update->key) + " " +
           Print(update->update, &placeholders);
    condition(update->condition);
    text += " returning " + std::to_string(static_cast<int>(update->returned));
  } else if (const auto* get = std::get_if<model::GetOp>(&operation)) {
    text = "get " + get->table + " " + model::Text(get->key) + " " +
           Print(get->projection, &placeholders);
  } else if (const auto* read = std::get_if<model::ReadOp>(&operation)) {
    text = (read->is_query ? "query " : "scan ") + read->table + " " + read->index;
    for (const model::Value& value : read->hash) text += " " + model::Text(value);
    for (const auto& [name, c] : read->range) text += " and " + Print(c, &placeholders);
    text += read->forward ? "" : " backward";
    if (read->filter) text += " filter " + Print(*read->filter, &placeholders);
    text += " projection " + Print(read->projection, &placeholders) + " limit " +
            std::to_string(read->limit) + " segments " + std::to_string(read->total_segments) +
            (read->all_attributes ? " all attributes" : "");
  } else if (const auto* create = std::get_if<model::CreateIndexOp>(&operation)) {
    text = "create index " + create->table + " " + create->index.name;
  } else if (const auto* drop = std::get_if<model::DeleteIndexOp>(&operation)) {
    text = "delete index " + drop->table + " " + drop->index;
  } else {
    text = "batch";
  }
  for (const auto& [placeholder, name] : placeholders.names())
    text += "\n  " + placeholder + " " + name;
  for (const auto& [placeholder, value] : placeholders.values()) {
    text += "\n  " + placeholder + " " + model::Text(value);
  }
  return text;
}

std::vector<std::string> SortedTexts(const std::vector<model::Item>& items) {
  std::vector<std::string> texts;
  for (const model::Item& item : items) texts.push_back(model::Text(item));
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::vector<model::Item> Flat(const std::vector<std::vector<model::Item>>& groups) {
  std::vector<model::Item> items;
  for (const auto& group : groups) items.insert(items.end(), group.begin(), group.end());
  return items;
}

// Whether the engine's complete order is one of those that the model's groups allow.
bool SameItems(const Outcome& expected, const Outcome& got) {
  const std::vector<model::Item> items = Flat(got.groups);
  size_t at = 0;
  for (const auto& group : expected.groups) {
    if (items.size() - at < group.size()) return false;
    const auto begin = items.begin() + static_cast<ptrdiff_t>(at);
    const std::vector<model::Item> part(begin, begin + static_cast<ptrdiff_t>(group.size()));
    if (SortedTexts(part) != SortedTexts(group)) return false;
    at += group.size();
  }
  return at == items.size();
}

bool Agrees(const Outcome& expected, const Outcome& got) {
  return expected.error == got.error && expected.attributes == got.attributes &&
         expected.count == got.count && expected.scanned == got.scanned &&
         (expected.pages == 0 || expected.pages == got.pages) && SameItems(expected, got);
}

struct Options {
  uint64_t seed = std::random_device()();
  int programs = 3;
  int steps = 1500;
};

Options ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const char* value = argv[i] + std::min(argument.find('=') + 1, argument.size());
    if (argument.starts_with("--seed=")) options.seed = std::strtoull(value, nullptr, 10);
    if (argument.starts_with("--programs=")) options.programs = std::atoi(value);
    if (argument.starts_with("--steps=")) options.steps = std::atoi(value);
  }
  return options;
}

std::vector<std::unique_ptr<EngineRunner>> MakeRunners(const std::string& scratch) {
  const std::vector<model::Table> tables = ProgramTables();
  std::vector<std::unique_ptr<EngineRunner>> runners;
  for (const Configuration& configuration :
       {Configuration{.name = "memory", .in_memory = true}, Configuration{.name = "disk"},
        Configuration{.name = "tiny_memtable", .write_buffer_bytes = 16 << 10, .followed = true},
        Configuration{.name = "reopen", .reopen_every = 97, .followed = true}}) {
    runners.push_back(std::make_unique<EngineRunner>(configuration, scratch, tables));
  }
  return runners;
}

// Runs one step everywhere; false after the first disagreement, which it prints.
bool RunStep(const model::Operation& operation, model::Model* model,
             const std::vector<std::unique_ptr<EngineRunner>>& runners) {
  const Outcome expected = model->Run(operation);
  std::string history;
  for (const auto& runner : runners) {
    const Outcome got = runner->Run(operation);
    const std::string line = Describe(got);
    if (history.empty()) history = line;
    if (Agrees(expected, got) && line == history) continue;
    std::cout << "  " << Describe(operation) << "\n  the model says:\n  " << Describe(expected)
              << "\n  " << runner->name() << " says:\n  " << line << "\n";
    if (line != history) {
      std::cout << "  " << runners[0]->name() << " says:\n  " << history << "\n";
    }
    return false;
  }
  return true;
}

bool RunProgram(uint64_t seed, int steps, const std::string& scratch) {
  Program program(seed);
  model::Model model(ProgramTables());
  const auto runners = MakeRunners(scratch);
  for (int step = 1; step <= steps; ++step) {
    if (RunStep(program.Next(model), &model, runners)) continue;
    std::cout << "at step " << step << " of the program with seed " << seed << "\n";
    return false;
  }
  bool agreed = true;
  for (const auto& runner : runners) {
    for (const std::string& line : runner->Check()) {
      std::cout << runner->name() << " after seed " << seed << ": " << line << "\n";
      agreed = false;
    }
  }
  return agreed;
}

int Main(int argc, char** argv) {
  const Options options = ReadOptions(argc, argv);
  std::cout << "random_test --seed=" << options.seed << " --programs=" << options.programs
            << " --steps=" << options.steps << std::endl;
  const std::string scratch =
      (std::filesystem::temp_directory_path() / ("dynolith_random_" + std::to_string(options.seed)))
          .string();
  std::filesystem::create_directories(scratch);
  bool agreed = true;
  for (int i = 0; i < options.programs && agreed; ++i) {
    agreed = RunProgram(options.seed + static_cast<uint64_t>(i), options.steps, scratch);
  }
  std::filesystem::remove_all(scratch);
  std::cout << (agreed ? "every answer agreed" : "DISAGREEMENT") << std::endl;
  return agreed ? 0 : 1;
}

}  // namespace
}  // namespace dynolith::random

int main(int argc, char** argv) { return dynolith::random::Main(argc, argv); }
