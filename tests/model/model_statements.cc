// Statements and transactions of the model: the plain operations, with what is different of them.
#include "tests/model/key_rules.h"
#include "tests/model/model.h"

namespace dynolith::model {
namespace {

// The code of a cancellation's reason.
std::string ErrorCode(const std::string& error) {
  if (error.empty()) return "None";
  if (error == kConditionFailed) return "ConditionalCheckFailed";
  if (error == kValidation) return "ValidationError";
  return "DuplicateItem";
}

Outcome Cancelled(const std::vector<Outcome>& actions) {
  Outcome outcome = Error("TransactionCanceledException");
  for (const Outcome& action : actions) {
    Outcome& reason = outcome.parts.emplace_back();
    reason.error = ErrorCode(action.error);
    if (!action.error.empty()) reason.attributes = action.attributes;
  }
  return outcome;
}

// A list of what is there, where a single operation has one item or none.
Outcome AsGroups(Outcome outcome) {
  if (outcome.attributes) outcome.groups = {{*outcome.attributes}};
  outcome.attributes.reset();
  return outcome;
}

}  // namespace

// INSERT, UPDATE and EXISTS know whether the item is there.
Outcome Model::Act(const Sentence& action, bool as_statement) {
  const auto is_there = [&](const std::string& table, const Item& key) {
    return Find(table)->items.contains(Text(key));
  };
  if (const std::string fault = StaticViolation(action); !fault.empty())
    return Error(fault.c_str());
  if (const auto* put = std::get_if<PutOp>(&action)) {
    const bool refused =
        as_statement && is_there(put->table, ItemKey(Find(put->table)->schema, put->item));
    return refused ? Error("DuplicateItemException") : Put(*put);
  }
  if (const auto* update = std::get_if<UpdateOp>(&action)) {
    const bool refused = as_statement && !is_there(update->table, update->key);
    return refused ? Error(kConditionFailed) : Update(*update);
  }
  if (const auto* check = std::get_if<CheckOp>(&action)) {
    const bool refused = as_statement && !is_there(check->table, check->key);
    return refused ? Error(kConditionFailed) : Check(*check);
  }
  if (const auto* get = std::get_if<GetOp>(&action)) return Get(*get);
  const DeleteOp& op = std::get<DeleteOp>(action);
  // DELETE of an item that is not there succeeds, whatever its condition.
  if (as_statement && !is_there(op.table, op.key)) return {};
  return Delete(op);
}

Outcome Model::Select(const ReadOp& op) const {
  const Table* schema = FindTable(op.table);
  const Index* index = schema && !op.index.empty() ? FindIndex(*schema, op.index) : nullptr;
  if (index && (index->hash.size() > 1 || index->range.size() > 1)) return Error(kValidation);
  Outcome outcome = Read(op);
  outcome.count = 0;
  outcome.scanned = 0;
  outcome.pages = 0;
  return outcome;
}

Outcome Model::Say(const Sentence& sentence) {
  if (const auto* read = std::get_if<ReadOp>(&sentence)) return Select(*read);
  Outcome outcome = Act(sentence, true);
  return outcome.error.empty() ? AsGroups(outcome) : outcome;
}

Outcome Model::SayAll(const BatchStatementOp& op) {
  Outcome outcome;
  for (const Sentence& sentence : op.sentences) outcome.parts.push_back(Act(sentence, true));
  return outcome;
}

Outcome Model::Transact(const TransactOp& op) {
  for (const Sentence& action : op.actions) {
    if (StaticViolation(action) == kResourceNotFound) return Error(kResourceNotFound);
  }
  std::vector<Outcome> outcomes(op.actions.size());
  for (size_t i = 0; i < op.actions.size(); ++i) {
    // Action by action; an empty key of an index is no reason for a cancellation.
    if (!op.as_statements && HasEmptyIndexKey(op.actions[i])) return Error(kValidation);
    if (StaticViolation(op.actions[i]).empty()) continue;
    outcomes[i] = Error(kValidation);
    return Cancelled(outcomes);
  }
  Model changed = *this;
  bool failed = false;
  Outcome read;
  for (size_t i = 0; i < op.actions.size(); ++i) {
    outcomes[i] = changed.Act(op.actions[i], op.as_statements);
    failed |= !outcomes[i].error.empty();
    if (!std::holds_alternative<GetOp>(op.actions[i])) continue;
    read.groups.emplace_back();
    const std::optional<Item>& item = outcomes[i].attributes;
    // TransactGetItems leaves out an item of which nothing was asked for.
    if (item && (op.as_statements || !item->empty())) read.groups.back().push_back(*item);
  }
  if (failed) return Cancelled(outcomes);
  *this = std::move(changed);
  return read;
}

}  // namespace dynolith::model
