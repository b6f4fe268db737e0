// The dull model of a database: tables are maps from key to item, an index is whatever a walk over
// all items finds, a backup is a copy of the map, and a transaction runs on a copy of everything.
#ifndef DYNOLITH_TESTS_MODEL_MODEL_H_
#define DYNOLITH_TESTS_MODEL_MODEL_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/model/operation.h"

namespace dynolith::model {

class Model {
 public:
  // With these tables, empty.
  explicit Model(const std::vector<Table>& tables = {});

  Outcome Run(const Operation& operation);

  // nullptr if there is no such table.
  const Table* FindTable(const std::string& name) const;
  std::vector<std::string> TableNames() const;
  // Of the backups that have not been deleted, and where their tables' names come from.
  std::map<std::string, std::string> BackupTables() const;

 private:
  struct State {
    Table schema;
    std::map<std::string, Item> items;  // by the text of the key
  };

  State* Find(const std::string& table);
  const State* Find(const std::string& table) const;

  Outcome Put(const PutOp& op);
  Outcome Delete(const DeleteOp& op);
  Outcome Update(const UpdateOp& op);
  Outcome Check(const CheckOp& op) const;
  Outcome Get(const GetOp& op) const;
  Outcome BatchWrite(const BatchWriteOp& op);
  Outcome BatchGet(const BatchGetOp& op) const;
  Outcome Read(const ReadOp& op) const;
  std::vector<Item> Evaluated(const State& state, const Index* index, const ReadOp& op) const;
  Outcome Search(const SearchOp& op) const;

  Outcome Say(const Sentence& sentence);
  Outcome Select(const ReadOp& op) const;
  Outcome SayAll(const BatchStatementOp& op);
  Outcome Act(const Sentence& action, bool as_statement);
  Outcome Transact(const TransactOp& op);
  // What is wrong with an action whatever the items are; empty if nothing is.
  std::string StaticViolation(const Sentence& action) const;
  // Whether a Put, or a SET of a value, gives an index key nothing. Requires: its table is there.
  bool HasEmptyIndexKey(const Sentence& action) const;

  Outcome CreateTable(const CreateTableOp& op);
  Outcome DeleteTable(const DeleteTableOp& op);
  Outcome CreateIndex(const CreateIndexOp& op);
  Outcome DeleteIndex(const DeleteIndexOp& op);
  Outcome ShardIndex(const ShardIndexOp& op) const;
  Outcome CreateBackup(const CreateBackupOp& op);
  Outcome Restore(const RestoreOp& op);
  Outcome DeleteBackup(const DeleteBackupOp& op);
  Outcome Verify() const;

  std::map<std::string, State> tables_;
  std::map<std::string, std::optional<State>> backups_;  // by label; nothing: deleted
};

// How a score of SearchVectors stands in an Outcome: {"item": …, "score": …} with as many digits as
// doubles agree on, however they were added up.
std::string ScoreText(double score);

}  // namespace dynolith::model

#endif  // DYNOLITH_TESTS_MODEL_MODEL_H_
