// What random programs are made of: operations as plain structs, which the model runs and which
// tests/random/ runs on the engine; both must come to the same Outcome.
#ifndef DYNOLITH_TESTS_MODEL_OPERATION_H_
#define DYNOLITH_TESTS_MODEL_OPERATION_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/model/expression.h"
#include "tests/model/value.h"

namespace dynolith::model {

struct KeyAttribute {
  std::string name;
  std::string type;  // "S", "N" or "B"
};

struct Index {
  std::string name;
  bool local = false;
  std::vector<KeyAttribute> hash;
  std::vector<KeyAttribute> range;
  enum class Projection { kAll, kKeysOnly, kInclude } projection = Projection::kAll;
  std::vector<std::string> included;
  // Of a vector index, whose `hash` is the HASH element of its search schema, or nothing.
  struct Vector {
    std::string attribute;
    size_t dimensions = 0;
    enum class Distance { kCosine, kEuclidean, kDotProduct } distance = Distance::kCosine;
    std::vector<KeyAttribute> filters;
  };
  std::optional<Vector> vector;
};

struct Table {
  std::string name;
  KeyAttribute hash;
  std::optional<KeyAttribute> range;
  std::vector<Index> indexes;
};

enum class Returned { kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew };

struct PutOp {
  std::string table;
  Item item;
  std::optional<Condition> condition;
  bool return_old = false;
  bool old_on_failure = false;
};
struct DeleteOp {
  std::string table;
  Item key;
  std::optional<Condition> condition;
  bool return_old = false;
  bool old_on_failure = false;
};
struct UpdateOp {
  std::string table;
  Item key;
  Update update;
  std::optional<Condition> condition;
  Returned returned = Returned::kNone;
  bool old_on_failure = false;
};
struct GetOp {
  std::string table;
  Item key;
  std::vector<Path> projection;  // empty: everything
};
struct BatchWriteOp {
  struct Write {
    std::string table;
    std::optional<Item> put;
    Item delete_key;
  };
  std::vector<Write> writes;  // distinct keys
};
struct BatchGetOp {
  std::map<std::string, std::vector<Item>> keys;  // by table, distinct
};

// Of Query and Scan. Pages of `limit` evaluated items until there is no more.
struct ReadOp {
  std::string table;
  std::string index;  // empty: the table
  bool is_query = false;
  std::vector<std::pair<std::string, Value>> hash;       // of a query, by hash attribute
  std::vector<std::pair<std::string, Condition>> range;  // of a query, by range attribute
  bool forward = true;
  int total_segments = 1;  // of a scan
  std::optional<Condition> filter;
  std::vector<Path> projection;  // empty: what the table or index gives
  bool all_attributes = false;   // of a local index
  bool count_only = false;
  int limit = 1000;
};

// A statement of PartiQL, or an action of a transaction. As a statement PutOp is INSERT, CheckOp is
// EXISTS, and GetOp and ReadOp are SELECT.
struct CheckOp {
  std::string table;
  Item key;
  Condition condition;
  bool old_on_failure = false;
};
using Sentence = std::variant<PutOp, DeleteOp, UpdateOp, CheckOp, GetOp, ReadOp>;

struct StatementOp {
  Sentence sentence;
};
// All writes, or all GetOps; distinct keys.
struct BatchStatementOp {
  std::vector<Sentence> sentences;
};
// All or nothing: of writes and checks TransactWriteItems, of GetOps TransactGetItems, and
// ExecuteTransaction of either; distinct keys.
struct TransactOp {
  std::vector<Sentence> actions;
  bool as_statements = false;
};

struct SearchOp {
  std::string table;
  std::string index;
  std::vector<int> vector;
  std::optional<std::pair<std::string, Value>> hash;
  std::vector<Condition> filters;  // all must hold
  int top_k = 1;
};

struct CreateTableOp {
  Table table;
};
struct DeleteTableOp {
  std::string table;
};
struct CreateIndexOp {
  std::string table;
  Index index;
  // Whether nothing else happens until it is filled. Otherwise it is filled beside what follows, up
  // to the first operation that needs it whole.
  bool awaited = true;
};
struct DeleteIndexOp {
  std::string table;
  std::string index;
};

// Says of an index, which may still be to come, that it is to have so many shards. What it answers
// stays the same but for the order of a scan.
struct ShardIndexOp {
  std::string table;
  std::string index;
  int shards = 1;
  // As of CreateIndexOp.
  bool awaited = true;
};

// `label` stands for the backup's ARN. Of a label that no backup has had nothing happens.
struct CreateBackupOp {
  std::string table;
  std::string label;
};
struct RestoreOp {
  std::string label;
  std::string table;
};
struct DeleteBackupOp {
  std::string label;
};

// Closes the store and opens it again.
struct ReopenOp {};
// All items of all tables, one group for each table; and every check of a store.
struct VerifyOp {};

using Operation = std::variant<PutOp, DeleteOp, UpdateOp, GetOp, BatchWriteOp, BatchGetOp, ReadOp,
                               StatementOp, BatchStatementOp, TransactOp, SearchOp, CreateTableOp,
                               DeleteTableOp, CreateIndexOp, DeleteIndexOp, ShardIndexOp,
                               CreateBackupOp, RestoreOp, DeleteBackupOp, ReopenOp, VerifyOp>;

struct Outcome {
  // In place of `scanned` where an answer does not say it.
  static constexpr int kNotTold = -1;

  std::string error;               // the exception's name, or empty
  std::optional<Item> attributes;  // returned by a write or GetItem, or attached to the error
  // Of reads, in order. Items of one group are equal in the order that is defined.
  std::vector<std::vector<Item>> groups;
  // Of the last group only as many items are found as `count` leaves room for, and any will do.
  bool last_group_open = false;
  int count = 0;
  int scanned = 0;
  int pages = 0;  // 0 where the model cannot know
  // What was consumed, as the answers say, by table, index and kind; the model does not know it.
  std::map<std::string, double> units;
  // Of each statement of a batch; of each action of a cancelled transaction, whose `error` then is
  // the reason's code.
  std::vector<Outcome> parts;
};

}  // namespace dynolith::model

#endif  // DYNOLITH_TESTS_MODEL_OPERATION_H_
