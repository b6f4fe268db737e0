// `dynolith dissect`: bytes with their meaning, from anywhere or from a database.
#include "engine/value/dissect.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/families.h"
#include "engine/key/key_codec.h"
#include "engine/store/local_store.h"
#include "index/sharded.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/messages.h"
#include "tools/program/print.h"

namespace dynolith {
namespace {

enum class DissectKind : uint8_t { kItem, kKey, kValue };

struct DissectBytesOptions {
  DissectKind kind = DissectKind::kItem;
  std::string hex;   // the bytes in hexadecimal; empty: read from `file`
  std::string file;  // a file of raw bytes; empty: standard input
};

struct DissectTableOptions {
  std::string encryption_key;  // of the folder
  std::string folder;
  std::string table;
  std::string index;  // empty: the table itself
  // Values of the key attributes as text, numbers as digits; a prefix of the sort key's attributes.
  // Empty: every row.
  std::vector<std::string> partition_key;
  std::vector<std::string> sort_key;
  uint64_t rows_max = 10;
};

std::string ReadAll(std::istream& in) {
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

absl::StatusOr<std::string> ParseHexArgument(const DissectBytesOptions& options) {
  if (!options.hex.empty()) {
    const bool is_hex =
        options.hex.size() % 2 == 0 &&
        options.hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (!is_hex) return absl::InvalidArgumentError(messages::NotHex(options.hex));
    return absl::HexStringToBytes(options.hex);
  }
  if (options.file.empty()) return ReadAll(std::cin);
  FileText read = ReadFileText(options.file);
  if (read.error != 0) {
    return absl::NotFoundError(messages::CannotRead(options.file, ErrnoReason(read.error)));
  }
  return std::move(read.text);
}

// The rows to print, and how to decode them.
struct Rows {
  Family family = Family::kTables;
  StorageId id = 0;
  const KeySchema* key = nullptr;
  const KeySchema* base_key = nullptr;  // for rows of an index
  int shards = 1;
};

absl::StatusOr<Rows> FindRows(const TableMeta& meta, const DissectTableOptions& options) {
  if (options.index.empty())
    return Rows{Family::kTables, meta.schema.id, &meta.schema.key, nullptr};
  const IndexSchema* const index = meta.schema.FindIndex(options.index);
  if (index == nullptr) {
    return absl::NotFoundError(messages::NoSuchIndexInTable(options.table, options.index));
  }
  return Rows{IndexFamily(index->kind), index->id, &index->key, &meta.schema.key, index->shards};
}

absl::StatusOr<Value> ParseKeyText(Type type, const std::string& text) {
  if (type == Type::kNumber) return Value::ParseN(text);
  return type == Type::kBinary ? Value::B(text) : Value::S(text);
}

absl::StatusOr<std::vector<Value>> ParseKeyTexts(const std::vector<KeyAttribute>& attributes,
                                                 const std::vector<std::string>& texts) {
  std::vector<Value> values;
  for (size_t i = 0; i < texts.size(); ++i) {
    DYNOLITH_ASSIGN_OR_RETURN(Value value, ParseKeyText(attributes[i].type, texts[i]));
    values.push_back(std::move(value));
  }
  return values;
}

// One range for each shard of an index.
absl::StatusOr<std::vector<KeyRange>> RangesOfOptions(const Rows& rows,
                                                      const DissectTableOptions& options) {
  if (options.partition_key.empty()) return std::vector<KeyRange>{RangeOfId(rows.id)};
  const size_t wanted = rows.key->hash.size();
  if (options.partition_key.size() != wanted) {
    return absl::InvalidArgumentError(
        messages::KeyTextsWanted(wanted, options.partition_key.size()));
  }
  if (options.sort_key.size() > rows.key->range.size()) {
    return absl::InvalidArgumentError(messages::SortKeyTextUnwanted());
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Value> hash,
                            ParseKeyTexts(rows.key->hash, options.partition_key));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<Value> range,
                            ParseKeyTexts(rows.key->range, options.sort_key));
  KeyCondition condition;
  for (const Value& value : hash) condition.hash_equals.push_back(value.view());
  for (const Value& value : range) condition.range_equals.push_back(value.view());
  return ScatterRange(EncodeKeyRange(rows.id, *rows.key, rows.base_key, condition), rows.shards);
}

void PrintRow(const Rows& rows, std::string_view row_key, std::string_view value) {
  const absl::StatusOr<Item> key =
      rows.base_key == nullptr ? DecodeRowKey(*rows.key, row_key)
                               : DecodeIndexRowKey(*rows.key, *rows.base_key, rows.shards, row_key);
  const std::string key_text =
      key.ok() ? DebugString(key->view()) : std::string(MessageOf(key.status()));
  Print(messages::RowHeading(key_text, row_key.size(), value.size()));
  Print(DissectRowKey(rows.key, rows.base_key, row_key));
  Print(DissectItem(value));
}

// Prints to standard output. Damaged bytes are no error: the output shows where decoding stopped.
absl::Status DissectBytes(const DissectBytesOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string bytes, ParseHexArgument(options));
  switch (options.kind) {
    case DissectKind::kItem:
      Print(DissectItem(bytes));
      break;
    case DissectKind::kKey:
      Print(DissectRowKey(nullptr, nullptr, bytes));
      break;
    case DissectKind::kValue:
      Print(DissectValue(bytes));
      break;
  }
  return absl::OkStatus();
}

// Prints rows in the order of their keys. Changes nothing in the folder. Errors: no such folder,
// table or index; values that cannot be keys.
absl::Status DissectTable(const DissectTableOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(
      const std::unique_ptr<LocalStore> store,
      LocalStore::Open(
          {.path = options.folder, .encryption_key = options.encryption_key, .read_only = true}));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, Catalog::Load(store.get()));
  const std::shared_ptr<Table> table = catalog->Find(options.table);
  if (table == nullptr) return absl::NotFoundError(messages::NoSuchTable(options.table));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_ASSIGN_OR_RETURN(const Rows rows, FindRows(*meta, options));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<KeyRange> ranges, RangesOfOptions(rows, options));
  uint64_t count = 0;
  for (const KeyRange& range : ranges) {
    Cursor cursor = store->Scan(rows.family, range.begin, range.end, Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid() && count < options.rows_max; cursor.Next()) {
      PrintRow(rows, cursor.key(), cursor.value());
      ++count;
    }
    DYNOLITH_RETURN_IF_ERROR(cursor.status());
  }
  Print(messages::RowCount(count));
  return absl::OkStatus();
}

void AddDissectBytes(CLI::App* dissect, const char* name, DissectKind kind, const char* description,
                     int* exit_code) {
  CLI::App* const command = dissect->add_subcommand(name, description);
  // Shared with the callback, which outlives this function.
  auto options = std::make_shared<DissectBytesOptions>();
  options->kind = kind;
  CLI::Option* const hex =
      command->add_option("--hex", options->hex, "The bytes as hexadecimal digits");
  command->add_option("FILE", options->file, "File of raw bytes; standard input if there is none")
      ->excludes(hex);
  command->callback([options, exit_code] { *exit_code = Finish(DissectBytes(*options)); });
}

}  // namespace

void AddDissect(CLI::App* app, int* exit_code) {
  CLI::App* const dissect = app->add_subcommand("dissect", "Print bytes with their meaning");
  dissect->require_subcommand(1);
  AddDissectBytes(dissect, "item", DissectKind::kItem, "An encoded item", exit_code);
  AddDissectBytes(dissect, "key", DissectKind::kKey, "A row key", exit_code);
  AddDissectBytes(dissect, "value", DissectKind::kValue, "An encoded attribute value", exit_code);

  static DissectTableOptions options;
  CLI::App* const table = dissect->add_subcommand("table", "Rows of a table in a data folder");
  table->add_option("DIR", options.folder, "Data folder, not in use by a server")->required();
  table->add_option("--table", options.table, "Name of the table")->required();
  table->add_option("--index", options.index, "Rows of this index instead");
  CLI::Option* const partition = table->add_option("--partition-key", options.partition_key,
                                                   "Only rows with this partition key, as text");
  table->add_option("--sort-key", options.sort_key, "And this sort key")->needs(partition);
  table->add_option("--rows", options.rows_max, "Stop after so many rows")->capture_default_str();
  AddKeyFlag(table, &options.encryption_key);
  table->callback([exit_code] { *exit_code = Finish(DissectTable(options)); });
  dissect->footer(
      "Examples:\n"
      "  dynolith dissect value --hex 0568656c6c6f\n"
      "  dynolith dissect table /var/lib/music --table songs --partition-key 'Acme Band'");
}

}  // namespace dynolith
