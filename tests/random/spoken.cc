#include "tests/random/spoken.h"

#include <algorithm>
#include <random>
#include <utility>

#include "tests/model/key_rules.h"
#include "tests/random/generator.h"

namespace dynolith::random {

using model::Condition;
using model::Operand;
using model::Operation;
using model::Outcome;
using model::Sentence;
using Kind = model::Condition::Kind;

namespace {

// --- What the service's conditions say of an item's existence ---

Condition About(Kind kind, const std::string& name) {
  return {.kind = kind, .operands = {{.kind = Operand::Kind::kPath, .path = {name}}}};
}

bool IsAbout(const Condition& condition, Kind kind, const std::string& name) {
  return condition.kind == kind && condition.operands[0].path == model::Path{name};
}

// --- Sentence -> operation ---

// What the statement means, in an operation's words.
Sentence InOtherWords(Sentence sentence, const std::string& hash) {
  if (auto* put = std::get_if<model::PutOp>(&sentence)) {
    put->condition = About(Kind::kNotExists, hash);
    put->return_old = false;
    put->old_on_failure = false;
  } else if (auto* del = std::get_if<model::DeleteOp>(&sentence)) {
    if (!del->condition) return sentence;
    del->condition = {.kind = Kind::kOr,
                      .operands = {},
                      .parts = {About(Kind::kNotExists, hash), *del->condition}};
  } else if (auto* update = std::get_if<model::UpdateOp>(&sentence)) {
    const Condition exists = About(Kind::kExists, hash);
    update->condition =
        update->condition
            ? Condition{.kind = Kind::kAnd, .operands = {}, .parts = {exists, *update->condition}}
            : exists;
  } else if (auto* check = std::get_if<model::CheckOp>(&sentence)) {
    check->condition = {.kind = Kind::kAnd,
                        .operands = {},
                        .parts = {About(Kind::kExists, hash), check->condition}};
  }
  return sentence;
}

const std::string& FindTableName(const Sentence& sentence) {
  return std::visit([](const auto& op) -> const std::string& { return op.table; }, sentence);
}

Operation AsOperation(const Sentence& sentence) {
  // Checks stand in transactions only.
  if (const auto* check = std::get_if<model::CheckOp>(&sentence)) {
    return model::GetOp{.table = check->table, .key = check->key, .projection = {}};
  }
  Operation operation;
  std::visit(
      [&](const auto& op) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(op)>, model::CheckOp>) operation = op;
      },
      sentence);
  return operation;
}

// Draws what becomes of the steps of a random program.
class Speaker {
 public:
  explicit Speaker(uint64_t seed) : random_(seed) {}

  Operation Speakable(const model::Model& model, Operation operation) {
    Enlarge(&operation);
    // A table that is not there has this key in the generator.
    const auto hash = [&](const std::string& table) {
      const model::Table* found = model.FindTable(table);
      return found ? found->hash.name : "pk";
    };
    if (auto* put = std::get_if<model::PutOp>(&operation)) {
      if (Chance(40)) return AsOperation(InOtherWords(*put, hash(put->table)));
    } else if (auto* del = std::get_if<model::DeleteOp>(&operation)) {
      if (Chance(80)) return AsOperation(InOtherWords(*del, hash(del->table)));
    } else if (auto* update = std::get_if<model::UpdateOp>(&operation)) {
      if (Chance(60)) return AsOperation(InOtherWords(Plain(*update), hash(update->table)));
    } else if (auto* write = std::get_if<model::BatchWriteOp>(&operation)) {
      if (Chance(30)) DeleteInstead(model, write);
    } else if (auto* statement = std::get_if<model::StatementOp>(&operation)) {
      return AsOperation(
          InOtherWords(statement->sentence, hash(FindTableName(statement->sentence))));
    } else if (auto* batch = std::get_if<model::BatchStatementOp>(&operation)) {
      return AsBatch(model, *batch);
    } else if (auto* transaction = std::get_if<model::TransactOp>(&operation)) {
      if (!transaction->as_statements && Chance(50)) return operation;
      for (Sentence& action : transaction->actions) {
        if (auto* update = std::get_if<model::UpdateOp>(&action)) *update = Plain(*update);
        action = InOtherWords(action, hash(FindTableName(action)));
      }
      transaction->as_statements = false;
    } else if (auto* index = std::get_if<model::CreateIndexOp>(&operation)) {
      index->awaited = true;
    } else if (auto* shards = std::get_if<model::ShardIndexOp>(&operation)) {
      shards->awaited = true;
    }
    return operation;
  }

 private:
  // Now and then an item takes several units.
  void Enlarge(Operation* operation) {
    constexpr size_t kBytes[] = {1100, 4000, 4200, 9000};
    model::Item* item = nullptr;
    if (auto* put = std::get_if<model::PutOp>(operation)) item = &put->item;
    auto* const batch = std::get_if<model::BatchWriteOp>(operation);
    if (batch != nullptr && batch->writes[0].put) item = &*batch->writes[0].put;
    if (item == nullptr || !Chance(15)) return;
    // No path leads there, so it becomes no key.
    (*item)["large"] = model::S(std::string(kBytes[random_() % 4], 'x'));
  }

  bool Chance(int percent) { return random_() % 100 < static_cast<uint64_t>(percent); }

  // Without what no statement has, if something is left.
  static model::UpdateOp Plain(model::UpdateOp op) {
    if (op.update.set.empty() && op.update.remove.empty()) return op;
    op.update.add.clear();
    op.update.del.clear();
    return op;
  }

  static void DeleteInstead(const model::Model& model, model::BatchWriteOp* op) {
    for (auto& write : op->writes) {
      if (!write.put || !model.FindTable(write.table)) continue;
      write.delete_key = model::ItemKey(*model.FindTable(write.table), *write.put);
      write.put.reset();
    }
  }

  // Reads, or deletions of the same items.
  static Operation AsBatch(const model::Model& model, const model::BatchStatementOp& op) {
    model::BatchGetOp gets;
    model::BatchWriteOp deletions;
    for (const Sentence& sentence : op.sentences) {
      const std::string& table = FindTableName(sentence);
      if (const auto* get = std::get_if<model::GetOp>(&sentence)) {
        gets.keys[table].push_back(get->key);
      } else if (const auto* put = std::get_if<model::PutOp>(&sentence)) {
        const model::Table* found = model.FindTable(table);
        const model::Item key = found ? model::ItemKey(*found, put->item) : put->item;
        deletions.writes.push_back({.table = table, .put = std::nullopt, .delete_key = key});
      } else {
        const auto* update = std::get_if<model::UpdateOp>(&sentence);
        const model::Item& key = update ? update->key : std::get<model::DeleteOp>(sentence).key;
        deletions.writes.push_back({.table = table, .put = std::nullopt, .delete_key = key});
      }
    }
    return gets.keys.empty() ? Operation(deletions) : Operation(gets);
  }

  std::mt19937_64 random_;
};

// --- Operation -> statement ---

bool IsTopLevel(const std::vector<model::Path>& projection) {
  return std::all_of(projection.begin(), projection.end(),
                     [](const model::Path& path) { return path.size() == 1; });
}

bool HasContainer(const model::Value& value) {
  return value.As<model::List>() != nullptr || value.As<model::Map>() != nullptr;
}

// Beside a list or a map as parameter pages do not go on.
bool HasContainer(const Condition& condition) {
  return std::any_of(condition.operands.begin(), condition.operands.end(),
                     [](const Operand& operand) {
                       return operand.kind == Operand::Kind::kLiteral &&
                              HasContainer(operand.literal);
                     }) ||
         std::any_of(condition.parts.begin(), condition.parts.end(),
                     [](const Condition& part) { return HasContainer(part); });
}

bool HasEmptyValue(const model::Item& item) {
  return std::any_of(item.begin(), item.end(),
                     [](const auto& member) { return model::IsEmpty(member.second); });
}

// The sentence that InOtherWords makes this of; nullopt if there is none.
std::optional<Sentence> AsSentence(Sentence action, const std::string& hash) {
  if (auto* put = std::get_if<model::PutOp>(&action)) {
    if (!put->condition || !IsAbout(*put->condition, Kind::kNotExists, hash)) return std::nullopt;
    if (put->return_old || put->old_on_failure) return std::nullopt;
    put->condition.reset();
  } else if (auto* del = std::get_if<model::DeleteOp>(&action)) {
    if (!del->condition) return action;
    if (del->condition->kind != Kind::kOr) return std::nullopt;
    if (!IsAbout(del->condition->parts[0], Kind::kNotExists, hash)) return std::nullopt;
    del->condition = Condition(del->condition->parts[1]);
  } else if (auto* update = std::get_if<model::UpdateOp>(&action)) {
    const model::Update& clauses = update->update;
    if (!clauses.add.empty() || !clauses.del.empty() || !update->condition) return std::nullopt;
    if (clauses.set.empty() && clauses.remove.empty()) return std::nullopt;
    const Condition condition = *update->condition;
    const bool is_pair = condition.kind == Kind::kAnd;
    if (!IsAbout(is_pair ? condition.parts[0] : condition, Kind::kExists, hash)) {
      return std::nullopt;
    }
    update->condition = is_pair ? std::optional(condition.parts[1]) : std::nullopt;
  } else if (auto* check = std::get_if<model::CheckOp>(&action)) {
    const Condition condition = check->condition;
    if (condition.kind != Kind::kAnd) return std::nullopt;
    if (!IsAbout(condition.parts[0], Kind::kExists, hash)) return std::nullopt;
    check->condition = condition.parts[1];
  } else if (const auto* get = std::get_if<model::GetOp>(&action)) {
    if (!IsTopLevel(get->projection)) return std::nullopt;
  }
  return action;
}

std::optional<Operation> AsSelect(const model::ReadOp& op, const KeyNames& names) {
  if (op.count_only || op.all_attributes || op.total_segments > 1) return std::nullopt;
  if (!IsTopLevel(op.projection) || names.wide_indexes.contains(op.index)) return std::nullopt;
  // ORDER BY names the sort key.
  if (!op.forward && op.range.empty()) return std::nullopt;
  if (op.filter && HasContainer(*op.filter)) return std::nullopt;
  // Statements also fetch, and pay for, what the filter leaves out (api/facts/operations.md §4.2).
  if (op.filter && !op.projection.empty() && names.local_indexes.contains(op.index)) {
    return std::nullopt;
  }
  // Query knows that one item is all, a statement's page with Limit 1 does not
  // (api/read/README.md).
  if (op.is_query && op.index.empty() && !names.has_range && op.limit == 1) return std::nullopt;
  return model::StatementOp{op};
}

// nullopt if a table of the batch is not there, which a statement alone would suffer from.
std::optional<Operation> AsSelects(const model::BatchGetOp& op, const FindKeyNames& find) {
  model::BatchStatementOp batch;
  for (const auto& [table, keys] : op.keys) {
    if (!find(table)) return std::nullopt;
    for (const model::Item& key : keys) {
      batch.sentences.emplace_back(model::GetOp{.table = table, .key = key, .projection = {}});
    }
  }
  return batch;
}

std::optional<Operation> AsDeletions(const model::BatchWriteOp& op, const FindKeyNames& find) {
  model::BatchStatementOp batch;
  for (const auto& write : op.writes) {
    if (write.put || !find(write.table)) return std::nullopt;
    batch.sentences.emplace_back(
        model::DeleteOp{.table = write.table, .key = write.delete_key, .condition = std::nullopt});
  }
  return batch;
}

// An empty key of an index cancels a transaction of statements only.
bool HasEmptyValue(const Sentence& action) {
  if (const auto* put = std::get_if<model::PutOp>(&action)) return HasEmptyValue(put->item);
  const auto* update = std::get_if<model::UpdateOp>(&action);
  return update != nullptr &&
         std::any_of(update->update.set.begin(), update->update.set.end(), [](const auto& clause) {
           const auto& operands = clause.second.operands;
           return std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
             return operand.kind != Operand::Kind::kLiteral || model::IsEmpty(operand.literal);
           });
         });
}

std::optional<Operation> AsTransaction(model::TransactOp op, const FindKeyNames& find) {
  if (op.as_statements) return std::nullopt;
  for (Sentence& action : op.actions) {
    const std::optional<KeyNames> names = find(FindTableName(action));
    if (!names || HasEmptyValue(action)) return std::nullopt;
    const std::optional<Sentence> sentence = AsSentence(action, names->hash);
    if (!sentence) return std::nullopt;
    action = *sentence;
  }
  op.as_statements = true;
  return op;
}

std::optional<Operation> AsStatement(const Sentence& action, const FindKeyNames& find) {
  const std::optional<KeyNames> names = find(FindTableName(action));
  const auto sentence = AsSentence(action, names ? names->hash : "");
  if (!sentence) return std::nullopt;
  return model::StatementOp{*sentence};
}

// --- Their answers ---

void RenameErrors(Outcome* outcome) {
  if (outcome->error == "DuplicateItemException") outcome->error = model::kConditionFailed;
  if (outcome->error == "DuplicateItem") outcome->error = "ConditionalCheckFailed";
  for (Outcome& part : outcome->parts) RenameErrors(&part);
}

void TakeOnlyItem(Outcome* outcome) {
  if (!outcome->groups.empty()) outcome->attributes = outcome->groups[0][0];
  outcome->groups.clear();
  outcome->pages = 0;
}

Outcome OfBatch(const model::BatchGetOp& op, const Outcome& spoken) {
  Outcome outcome;
  size_t at = 0;
  for (const auto& [table, keys] : op.keys) {
    auto& group = outcome.groups.emplace_back();
    for (size_t i = 0; i < keys.size(); ++i, ++at) {
      const Outcome& part = spoken.parts[at];
      if (!part.error.empty()) outcome.error = part.error;
      if (part.attributes) group.push_back(*part.attributes);
    }
  }
  return outcome;
}

}  // namespace

std::vector<Operation> MakeSpeakableProgram(uint64_t seed, int steps) {
  Generator generator(seed);
  Speaker speaker(seed + 1);
  model::Model model;
  std::vector<Operation> program;
  for (int step = 0; step < steps; ++step) {
    program.push_back(speaker.Speakable(model, generator.Next(model)));
    model.Run(program.back());
  }
  program.emplace_back(model::VerifyOp());
  return program;
}

std::optional<Operation> AsStatements(const Operation& operation, const FindKeyNames& find) {
  if (const auto* op = std::get_if<model::PutOp>(&operation)) return AsStatement(*op, find);
  if (const auto* op = std::get_if<model::DeleteOp>(&operation)) return AsStatement(*op, find);
  if (const auto* op = std::get_if<model::UpdateOp>(&operation)) return AsStatement(*op, find);
  if (const auto* op = std::get_if<model::GetOp>(&operation)) return AsStatement(*op, find);
  if (const auto* op = std::get_if<model::BatchGetOp>(&operation)) return AsSelects(*op, find);
  if (const auto* op = std::get_if<model::BatchWriteOp>(&operation)) return AsDeletions(*op, find);
  if (const auto* op = std::get_if<model::TransactOp>(&operation)) return AsTransaction(*op, find);
  const auto* const read = std::get_if<model::ReadOp>(&operation);
  const std::optional<KeyNames> names = read ? find(read->table) : std::nullopt;
  return names ? AsSelect(*read, *names) : std::nullopt;
}

Outcome OfCalls(const Operation& operation, Outcome spoken) {
  RenameErrors(&spoken);
  if (std::holds_alternative<model::ReadOp>(operation)) {
    if (!spoken.error.empty()) return spoken;
    spoken.count = static_cast<int>(spoken.groups.size());
    spoken.scanned = Outcome::kNotTold;
    return spoken;
  }
  if (const auto* gets = std::get_if<model::BatchGetOp>(&operation)) return OfBatch(*gets, spoken);
  if (std::holds_alternative<model::BatchWriteOp>(operation)) {
    Outcome outcome;
    for (const Outcome& part : spoken.parts) outcome.error += part.error;
    return outcome;
  }
  if (std::holds_alternative<model::TransactOp>(operation)) {
    // TransactGetItems leaves out an item of which nothing was asked for.
    for (auto& group : spoken.groups) {
      std::erase_if(group, [](const model::Item& item) { return item.empty(); });
    }
    return spoken;
  }
  TakeOnlyItem(&spoken);
  return spoken;
}

}  // namespace dynolith::random
