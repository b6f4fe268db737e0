// The dull model of a database: tables are maps from key to item, and an index is whatever a walk
// over all items finds. Each operation is a plain struct that the model runs and that tests/random/
// runs on the engine; both must come to the same Outcome.
#ifndef DYNOLITH_TESTS_MODEL_MODEL_H_
#define DYNOLITH_TESTS_MODEL_MODEL_H_

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
  std::vector<Value> hash;                               // of a query, one per hash attribute
  std::vector<std::pair<std::string, Condition>> range;  // of a query, by range attribute
  bool forward = true;
  int total_segments = 1;  // of a scan
  std::optional<Condition> filter;
  std::vector<Path> projection;  // empty: what the table or index gives
  bool all_attributes = false;   // of a local index
  bool count_only = false;
  int limit = 1000;
};

struct CreateIndexOp {
  std::string table;
  Index index;
};
struct DeleteIndexOp {
  std::string table;
  std::string index;
};

using Operation = std::variant<PutOp, DeleteOp, UpdateOp, GetOp, BatchWriteOp, BatchGetOp, ReadOp,
                               CreateIndexOp, DeleteIndexOp>;

struct Outcome {
  std::string error;               // the exception's name, or empty
  std::optional<Item> attributes;  // returned by a write or GetItem, or attached to the error
  // Of reads, in order. Items of one group are equal in the order that is defined.
  std::vector<std::vector<Item>> groups;
  int count = 0;
  int scanned = 0;
  int pages = 0;  // 0 where the model cannot know
};

class Model {
 public:
  explicit Model(std::vector<Table> tables);

  Outcome Run(const Operation& operation);
  const Table& table(const std::string& name) const { return tables_.at(name).schema; }
  // Every item of a table, in no meaningful order.
  std::vector<Item> Items(const std::string& table) const;

 private:
  struct State {
    Table schema;
    std::map<std::string, Item> items;  // by the text of the key
  };

  Outcome Put(const PutOp& op);
  Outcome Delete(const DeleteOp& op);
  Outcome Update(const UpdateOp& op);
  Outcome Get(const GetOp& op) const;
  Outcome BatchWrite(const BatchWriteOp& op);
  Outcome BatchGet(const BatchGetOp& op) const;
  Outcome Read(const ReadOp& op) const;

  std::map<std::string, State> tables_;
};

// The key attributes of an item.
Item KeyOf(const Table& table, const Item& item);
const Index* FindIndex(const Table& table, const std::string& name);
// What an index holds of an item; nullopt if the item is not in it.
std::optional<Item> EntryOf(const Table& table, const Index& index, const Item& item);

}  // namespace dynolith::model

#endif  // DYNOLITH_TESTS_MODEL_MODEL_H_
