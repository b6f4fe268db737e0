#include "tests/random/text_test.h"

#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "api/json/json_writer.h"
#include "tests/datadriven/block_file.h"
#include "tests/datadriven/json_text.h"
#include "tests/datadriven/text_runner.h"
#include "tests/random/comparison.h"
#include "tests/random/request_parts.h"

namespace dynolith::random {

using datadriven::Block;
using model::Outcome;

namespace {

std::string ToJson(const model::Item& item) {
  std::string text;
  const Item stored = ToEngine(item);
  JsonWriter(&text).Item(stored.view());
  return text;
}

std::string ToJson(const std::vector<std::vector<model::Item>>& groups) {
  std::string text;
  for (const auto& group : groups) {
    for (const model::Item& item : group) text += (text.empty() ? "" : ", ") + ToJson(item);
  }
  return "[" + text + "]";
}

std::string Ok(const std::string& json) {
  return "200\n" + datadriven::Canonical(json).value_or(json);
}

std::string OneItem(const char* member, const Outcome& outcome) {
  if (!outcome.attributes) return "200";
  return Ok(std::string("{\"") + member + "\": " + ToJson(*outcome.attributes) + "}");
}

std::string Page(const model::ReadOp& op, const Outcome& outcome) {
  std::string json = "{\"Count\": " + std::to_string(outcome.count) +
                     ", \"ScannedCount\": " + std::to_string(outcome.scanned);
  if (!op.count_only) json += ", \"Items\": " + ToJson(outcome.groups);
  return Ok(json + "}");
}

// [{"Item": …}, {}] of the responses of a transaction or a batch.
std::string Responses(const std::vector<std::optional<model::Item>>& items) {
  std::string text;
  for (const auto& item : items) {
    text += text.empty() ? "" : ", ";
    text += item ? "{\"Item\": " + ToJson(*item) + "}" : "{}";
  }
  return Ok("{\"Responses\": [" + text + "]}");
}

std::string TransactionAnswer(const Outcome& outcome) {
  std::vector<std::optional<model::Item>> items;
  for (const auto& group : outcome.groups) {
    items.push_back(group.empty() ? std::nullopt : std::optional(group[0]));
  }
  return items.empty() ? "200" : Responses(items);
}

std::string SearchAnswer(const Outcome& outcome) {
  std::string text;
  int found = 0;
  for (const auto& group : outcome.groups) {
    for (const model::Item& result : group) {
      if (found++ == outcome.count) break;
      text += (text.empty() ? "" : ", ") + std::string("{\"Item\": ") +
              ToJson(*result.at("item").As<model::Map>()) +
              ", \"Score\": " + result.at("score").As<model::String>()->text + "}";
    }
  }
  return Ok("{\"SearchResults\": [" + text + "]}");
}

// What the model expects of one call; nullopt if it cannot be said.
std::optional<std::string> ExpectedText(const model::Operation& operation, const Outcome& outcome) {
  if (!outcome.error.empty()) {
    if (outcome.error.find("Exception") == std::string::npos) return std::nullopt;
    return "400 " + outcome.error +
           (outcome.attributes ? "\n{\"Item\": " + ToJson(*outcome.attributes) + "}" : "");
  }
  if (const auto* read = std::get_if<model::ReadOp>(&operation)) return Page(*read, outcome);
  if (std::holds_alternative<model::GetOp>(operation)) return OneItem("Item", outcome);
  if (std::holds_alternative<model::PutOp>(operation) ||
      std::holds_alternative<model::UpdateOp>(operation) ||
      std::holds_alternative<model::DeleteOp>(operation)) {
    return OneItem("Attributes", outcome);
  }
  if (std::holds_alternative<model::StatementOp>(operation)) {
    return Ok("{\"Items\": " + ToJson(outcome.groups) + "}");
  }
  if (std::holds_alternative<model::TransactOp>(operation)) return TransactionAnswer(outcome);
  if (std::holds_alternative<model::SearchOp>(operation)) return SearchAnswer(outcome);
  return std::nullopt;
}

bool ChangesTables(const std::string& operation) {
  static const std::set<std::string> operations = {"CreateTable",
                                                   "UpdateTable",
                                                   "DeleteTable",
                                                   "RestoreTableFromBackup",
                                                   "UpdateTimeToLive",
                                                   "DeleteBackup",
                                                   "UpdateContinuousBackups"};
  return operations.contains(operation);
}

void AddComment(const std::string& text, std::vector<Block>* blocks) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    blocks->push_back({.kind = Block::Kind::kVerbatim, .text = line.empty() ? "#" : "# " + line});
  }
}

void AddCall(const RecordedCall& call, std::vector<Block>* blocks) {
  Block block;
  if (call.operation[0] == '!') {
    block.kind = Block::Kind::kCommand;
    block.text = call.operation;
  } else {
    block.kind = Block::Kind::kCall;
    block.operation = call.operation;
    block.body = datadriven::Canonical(call.body).value_or(call.body);
  }
  blocks->push_back(block);
  blocks->push_back({.kind = Block::Kind::kVerbatim});
}

using Captures = std::map<std::string, std::string>;  // what a name stands for

// From now on the ARN in the answer of CreateBackup goes by the name of the backup.
void CaptureBackup(const std::string& answer, datadriven::TextRunner* runner, Captures* captures) {
  const auto member = [&](const std::string& name) {
    const std::string before = "\"" + name + "\": \"";
    const size_t begin = answer.find(before) + before.size();
    return answer.substr(begin, answer.find('"', begin) - begin);
  };
  if (!answer.starts_with("200")) return;
  const std::string label = member("BackupName");
  (*captures)[label] = member("BackupArn");
  runner->Capture(label, member("BackupArn"));
}

// Every other run of the text gives other ARNs, in messages, too.
std::string WithNames(std::string answer, const Captures& captures) {
  for (const auto& [label, value] : captures) {
    const std::string name = "${" + label + "}";
    for (size_t at = answer.find(value); at != std::string::npos;
         at = answer.find(value, at + name.size())) {
      answer.replace(at, value.size(), name);
    }
  }
  return answer;
}

// Gives each call the answer that it gets.
void FillExpectations(std::vector<Block>* blocks) {
  datadriven::TextRunner runner;
  Captures captures;
  Require(runner.Open(*blocks), "open for a text");
  for (Block& block : *blocks) {
    if (block.kind == Block::Kind::kCommand) runner.Run(block);
    if (block.kind != Block::Kind::kCall) continue;
    const std::string answer = runner.Answer(block);
    if (block.operation == "CreateBackup") CaptureBackup(answer, &runner, &captures);
    block.expected = WithNames(answer, captures);
    if (ChangesTables(block.operation) && block.expected.starts_with("200")) {
      block.expected = "200 (any)";
    }
  }
}

}  // namespace

std::string TextTest(const Program& program, const Failure& failure, const std::string& scratch) {
  std::vector<RecordedCall> calls;
  EngineRunner runner(failure.configuration, scratch, &calls);
  for (size_t step = 0; step < failure.step; ++step) runner.Run(program[step]);
  const size_t before = calls.size();
  runner.Run(program[failure.step]);

  std::vector<Block> blocks;
  for (size_t i = 0; i < before; ++i) AddCall(calls[i], &blocks);
  AddComment("The model says: " + Describe(failure.expected), &blocks);
  AddComment(failure.configuration.name + " says: " + Describe(failure.got), &blocks);
  if (failure.elsewhere) {
    AddComment("Another configuration says: " + Describe(*failure.elsewhere), &blocks);
  }
  const size_t last = blocks.size();
  for (size_t i = before; i < calls.size(); ++i) AddCall(calls[i], &blocks);
  FillExpectations(&blocks);
  // The model knows no capacity.
  const bool is_sayable = failure.configuration.told == ReturnConsumedCapacity::kNone;
  const auto expected = ExpectedText(program[failure.step], failure.expected);
  if (is_sayable && expected && calls.size() == before + 1) blocks[last].expected = *expected;
  return PrintBlocks(blocks);
}

}  // namespace dynolith::random
