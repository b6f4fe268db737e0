#include "tests/random/simpler.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace dynolith::random {
namespace {

using model::Condition;
using model::Sentence;

// Collects versions of one operation.
template <typename Op>
class Versions {
 public:
  explicit Versions(const Op& op) : op_(op) {}

  // The operation as `change` leaves it.
  template <typename Change>
  void Add(Change change) {
    Op simpler = op_;
    change(&simpler);
    all.push_back(std::move(simpler));
  }

  // Without each element of a container in turn; at least `min` stay.
  template <typename Member>
  void WithoutEach(Member member, size_t min = 0) {
    Op copy = op_;
    const size_t size = member(&copy).size();
    for (size_t i = 0; size > min && i < size; ++i) {
      Add([&](Op* op) {
        auto& container = member(op);
        container.erase(std::next(container.begin(), static_cast<ptrdiff_t>(i)));
      });
    }
  }

  std::vector<Op> all;

 private:
  const Op& op_;
};

std::vector<Condition> Simpler(const Condition& condition) {
  std::vector<Condition> simpler = condition.parts;
  for (size_t i = 0; i < condition.parts.size(); ++i) {
    for (const Condition& part : Simpler(condition.parts[i])) {
      simpler.push_back(condition);
      simpler.back().parts[i] = part;
    }
  }
  return simpler;
}

// Of an optional condition: none, or a part of it.
template <typename Op, typename Member>
void AddConditions(const Op& op, Member member, Versions<Op>* versions) {
  if (!(op.*member)) return;
  versions->Add([&](Op* changed) { (changed->*member).reset(); });
  for (const Condition& part : Simpler(*(op.*member))) {
    versions->Add([&](Op* changed) { changed->*member = part; });
  }
}

template <typename Op, typename Member, typename Value>
void AddPlain(const Op& op, Member member, Value plain, Versions<Op>* versions) {
  if (op.*member == plain) return;
  versions->Add([&](Op* changed) { changed->*member = plain; });
}

// Without each attribute that is no key of a table.
void AddItems(const model::PutOp& op, Versions<model::PutOp>* versions) {
  for (const auto& [name, value] : op.item) {
    if (name == "pk" || name == "sk") continue;
    versions->Add([&name = name](model::PutOp* changed) { changed->item.erase(name); });
  }
}

std::vector<model::PutOp> SimplerOnes(const model::PutOp& op) {
  Versions<model::PutOp> versions(op);
  AddConditions(op, &model::PutOp::condition, &versions);
  AddPlain(op, &model::PutOp::return_old, false, &versions);
  AddPlain(op, &model::PutOp::old_on_failure, false, &versions);
  AddItems(op, &versions);
  return versions.all;
}

std::vector<model::DeleteOp> SimplerOnes(const model::DeleteOp& op) {
  Versions<model::DeleteOp> versions(op);
  AddConditions(op, &model::DeleteOp::condition, &versions);
  AddPlain(op, &model::DeleteOp::return_old, false, &versions);
  AddPlain(op, &model::DeleteOp::old_on_failure, false, &versions);
  return versions.all;
}

std::vector<model::UpdateOp> SimplerOnes(const model::UpdateOp& op) {
  Versions<model::UpdateOp> versions(op);
  AddConditions(op, &model::UpdateOp::condition, &versions);
  AddPlain(op, &model::UpdateOp::returned, model::Returned::kNone, &versions);
  AddPlain(op, &model::UpdateOp::old_on_failure, false, &versions);
  versions.WithoutEach([](model::UpdateOp * changed) -> auto& { return changed->update.set; });
  versions.WithoutEach([](model::UpdateOp * changed) -> auto& { return changed->update.remove; });
  versions.WithoutEach([](model::UpdateOp * changed) -> auto& { return changed->update.add; });
  versions.WithoutEach([](model::UpdateOp * changed) -> auto& { return changed->update.del; });
  return versions.all;
}

std::vector<model::CheckOp> SimplerOnes(const model::CheckOp& op) {
  Versions<model::CheckOp> versions(op);
  AddPlain(op, &model::CheckOp::old_on_failure, false, &versions);
  for (const Condition& part : Simpler(op.condition)) {
    versions.Add([&](model::CheckOp* changed) { changed->condition = part; });
  }
  return versions.all;
}

std::vector<model::GetOp> SimplerOnes(const model::GetOp& op) {
  Versions<model::GetOp> versions(op);
  versions.WithoutEach([](model::GetOp * changed) -> auto& { return changed->projection; });
  return versions.all;
}

std::vector<model::ReadOp> SimplerOnes(const model::ReadOp& op) {
  Versions<model::ReadOp> versions(op);
  AddConditions(op, &model::ReadOp::filter, &versions);
  AddPlain(op, &model::ReadOp::limit, 1000, &versions);
  AddPlain(op, &model::ReadOp::forward, true, &versions);
  AddPlain(op, &model::ReadOp::total_segments, 1, &versions);
  AddPlain(op, &model::ReadOp::count_only, false, &versions);
  AddPlain(op, &model::ReadOp::all_attributes, false, &versions);
  versions.WithoutEach([](model::ReadOp * changed) -> auto& { return changed->projection; });
  if (!op.range.empty()) versions.Add([](model::ReadOp* changed) { changed->range.pop_back(); });
  return versions.all;
}

// Whether it can be said as a statement or an action: an UPDATE changes something, and what is
// ordered backwards is ordered by something.
bool CanBeSaid(const Sentence& sentence) {
  if (const auto* update = std::get_if<model::UpdateOp>(&sentence)) {
    return !update->update.Touched().empty();
  }
  const auto* read = std::get_if<model::ReadOp>(&sentence);
  return !read || read->forward || !read->range.empty();
}

std::vector<Sentence> SimplerSentences(const Sentence& sentence) {
  std::vector<Sentence> simpler;
  const auto add = [&](const auto& op) {
    for (const auto& version : SimplerOnes(op)) {
      if (CanBeSaid(version)) simpler.push_back(version);
    }
  };
  std::visit(add, sentence);
  return simpler;
}

// Without each sentence in turn, then with each in a simpler version.
template <typename Op, typename Member>
std::vector<Op> SimplerLists(const Op& op, Member member) {
  Versions<Op> versions(op);
  versions.WithoutEach(
      [&](Op * changed) -> auto& { return changed->*member; }, 1);
  for (size_t i = 0; i < (op.*member).size(); ++i) {
    for (const Sentence& sentence : SimplerSentences((op.*member)[i])) {
      versions.Add([&](Op* changed) { (changed->*member)[i] = sentence; });
    }
  }
  return versions.all;
}

std::vector<model::StatementOp> SimplerOnes(const model::StatementOp& op) {
  std::vector<model::StatementOp> simpler;
  for (const Sentence& sentence : SimplerSentences(op.sentence)) simpler.push_back({sentence});
  return simpler;
}

std::vector<model::BatchStatementOp> SimplerOnes(const model::BatchStatementOp& op) {
  return SimplerLists(op, &model::BatchStatementOp::sentences);
}

std::vector<model::TransactOp> SimplerOnes(const model::TransactOp& op) {
  return SimplerLists(op, &model::TransactOp::actions);
}

std::vector<model::BatchWriteOp> SimplerOnes(const model::BatchWriteOp& op) {
  Versions<model::BatchWriteOp> versions(op);
  versions.WithoutEach(
      [](model::BatchWriteOp * changed) -> auto& { return changed->writes; }, 1);
  for (size_t i = 0; i < op.writes.size(); ++i) {
    if (!op.writes[i].put) continue;
    for (const model::PutOp& put : SimplerOnes(model::PutOp{.item = *op.writes[i].put})) {
      versions.Add([&](model::BatchWriteOp* changed) { changed->writes[i].put = put.item; });
    }
  }
  return versions.all;
}

std::vector<model::BatchGetOp> SimplerOnes(const model::BatchGetOp& op) {
  Versions<model::BatchGetOp> versions(op);
  versions.WithoutEach(
      [](model::BatchGetOp * changed) -> auto& { return changed->keys; }, 1);
  for (const auto& [table, keys] : op.keys) {
    versions.WithoutEach(
        [&name = table](model::BatchGetOp * changed) -> auto& { return changed->keys[name]; }, 1);
  }
  return versions.all;
}

std::vector<model::SearchOp> SimplerOnes(const model::SearchOp& op) {
  Versions<model::SearchOp> versions(op);
  versions.WithoutEach([](model::SearchOp * changed) -> auto& { return changed->filters; });
  return versions.all;
}

std::vector<model::CreateTableOp> SimplerOnes(const model::CreateTableOp& op) {
  Versions<model::CreateTableOp> versions(op);
  versions.WithoutEach(
      [](model::CreateTableOp * changed) -> auto& { return changed->table.indexes; });
  return versions.all;
}

std::vector<model::CreateIndexOp> SimplerOnes(const model::CreateIndexOp& op) {
  Versions<model::CreateIndexOp> versions(op);
  AddPlain(op, &model::CreateIndexOp::awaited, true, &versions);
  if (!op.index.range.empty()) {
    versions.Add([](model::CreateIndexOp* changed) { changed->index.range.clear(); });
  }
  return versions.all;
}

std::vector<model::ShardIndexOp> SimplerOnes(const model::ShardIndexOp& op) {
  Versions<model::ShardIndexOp> versions(op);
  AddPlain(op, &model::ShardIndexOp::awaited, true, &versions);
  AddPlain(op, &model::ShardIndexOp::shards, 2, &versions);
  return versions.all;
}

// Everything else has no parts.
template <typename Op>
std::vector<Op> SimplerOnes(const Op&) {
  return {};
}

}  // namespace

std::vector<model::Operation> Simpler(const model::Operation& operation) {
  std::vector<model::Operation> simpler;
  const auto add = [&](const auto& op) {
    for (const auto& version : SimplerOnes(op)) simpler.emplace_back(version);
  };
  std::visit(add, operation);
  return simpler;
}

}  // namespace dynolith::random
