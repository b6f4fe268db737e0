#include "tools/files/sorted_table.h"

#include <string>
#include <utility>

#include "api/json/item_line.h"
#include "api/json/table_text.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

bool HasStream(const JsonTree& create) {
  const JsonTree* const stream = create.Find("StreamSpecification");
  return stream != nullptr && MemberText(stream->Find("StreamEnabled")) != "false";
}

bool IsRefusal(const absl::Status& put) {
  return !put.ok() && KindOf(put) == ErrorKind::kValidation;
}

client::ServiceAnswer ToServiceAnswer(const absl::Status& refusal) {
  return {.error = std::string(InfoOf(KindOf(refusal)).exception_name),
          .message = std::string(MessageOf(refusal)),
          .output = {}};
}

}  // namespace

std::unique_ptr<SortedTable> SortedTable::Begin(client::ServiceTarget* target,
                                                client::ServiceConnection* connection,
                                                const JsonTree& create) {
  if (target->database() == nullptr || HasStream(create)) return nullptr;
  const absl::StatusOr<CreateTableRequest> request = ReadCreateTable(PrintJson(create));
  if (!request.ok()) return nullptr;
  absl::StatusOr<std::unique_ptr<TableLoad>> load = target->database()->LoadTable(*request);
  if (!load.ok()) return nullptr;
  return std::unique_ptr<SortedTable>(
      new SortedTable(*std::move(load), connection, TextTree(request->table_name)));
}

absl::StatusOr<bool> SortedTable::PutPlain(ItemView item) {
  const absl::Status put = load_->Put(item);
  if (put.ok()) return true;
  // The caller then puts the item as a tree, which converts a text to the number that a key needs.
  if (IsRefusal(put)) return false;
  return put;
}

absl::StatusOr<client::ServiceAnswer> SortedTable::Put(const JsonTree& item) {
  const std::string json = PrintJson(item);
  const absl::StatusOr<Item> read = ReadItemLine(Concat("{\"Item\":", json, "}"));
  if (!read.ok()) {
    // The service checks the item before it looks for the table, which does not exist yet, so this
    // call returns what is wrong with the item in the service's words.
    client::ServiceAnswer answer = connection_->Call(
        "PutItem", Concat("{\"TableName\":", PrintJson(name_), ",\"Item\":", json, "}"));
    const bool is_of_item = !answer.error.empty() &&
                            answer.error != InfoOf(ErrorKind::kResourceNotFound).exception_name;
    return is_of_item ? std::move(answer) : ToServiceAnswer(read.status());
  }
  const absl::Status put = load_->Put(read->view());
  if (IsRefusal(put)) return ToServiceAnswer(put);
  if (!put.ok()) return put;
  return client::ServiceAnswer();
}

}  // namespace dynolith::designs
