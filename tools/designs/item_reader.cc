#include "tools/designs/item_reader.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/json/item_line.h"
#include "api/transfer/files/csv_record.h"
#include "api/transfer/files/record_splitter.h"
#include "engine/base/errors.h"
#include "engine/base/messages/designs.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/designs/json_parts.h"
#include "tools/designs/plain_lines.h"
#include "tools/designs/text_file.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

bool IsWriteRequest(const JsonTree& tree) {
  return tree.kind == Kind::kMap &&
         (tree.Find("PutRequest") != nullptr || tree.Find("DeleteRequest") != nullptr);
}
// {"music": [{"PutRequest": …}, …], …}
bool IsRequestItems(const JsonTree& tree) {
  return tree.kind == Kind::kMap && !tree.members.empty() &&
         std::all_of(tree.members.begin(), tree.members.end(), [](const auto& member) {
           const JsonTree& list = member.value;
           return list.kind == Kind::kList && !list.elements.empty() &&
                  std::all_of(list.elements.begin(), list.elements.end(), IsWriteRequest);
         });
}

std::vector<ItemList> ReadRequestItems(const std::string& file, const JsonTree& tree,
                                       Findings* findings) {
  std::vector<ItemList> lists;
  for (const auto& [table, requests] : tree.members) {
    ItemList list{PlaceOf(file, requests), table, {}};
    for (const JsonTree& request : requests.elements) {
      const JsonTree* const put = request.Find("PutRequest");
      const JsonTree* const item = put == nullptr ? nullptr : put->Find("Item");
      if (item == nullptr) {
        findings->Warn(PlaceOf(file, request), messages::DesignOnlyPuts());
        continue;
      }
      list.items.push_back({*item, {file, item->line, item->column}});
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

std::vector<ItemList> ReadElements(const std::string& file, const JsonTree& elements,
                                   Findings* findings) {
  ItemList list{PlaceOf(file, elements), "", {}};
  for (const JsonTree& element : elements.elements) {
    const JsonTree& item = UnwrappedItem(element);
    if (item.kind == Kind::kMap) {
      list.items.push_back({item, {file, item.line, item.column}});
    } else {
      findings->Fail({file, item.line, item.column}, messages::DesignNotAnItem());
    }
  }
  return {std::move(list)};
}

// {"Items": […], "Count": 3, "ScannedCount": 3, "ConsumedCapacity": null}
std::vector<ItemList> ReadPage(const std::string& file, const JsonTree& page, Findings* findings) {
  for (const auto& [name, value] : page.members) {
    const bool is_more =
        (name == "LastEvaluatedKey" || name == "NextToken") && value.text != "null";
    if (is_more) findings->Warn(PlaceOf(file, value), messages::DesignPageIsNotLast(name));
  }
  return ReadElements(file, *page.Find("Items"), findings);
}

// From records to items.
class Records {
 public:
  Records(const ItemFile& file, const AttributeTypes& types, const ItemFileHandler& handler)
      : file_(file), types_(types), handler_(handler) {}

  absl::Status Take(std::string_view text, size_t line) {
    const bool has_names = file_.is_csv && is_first_;
    if (std::exchange(is_first_, false)) text = WithoutByteOrderMark(text);
    if (handler_.take_plain && !file_.is_csv) return lines_.Add(text, line, take_line_);
    if (!has_names && !handler_.begin()) return absl::OkStatus();
    return TakeText(text, line);
  }
  // Behind the last one.
  absl::Status Finish() { return lines_.Finish(take_line_); }

 private:
  absl::Status TakeLine(const PlainLines::Line& line) {
    if (!handler_.begin()) return absl::OkStatus();
    if (line.item) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool is_taken, (*handler_.take_plain)(line.item->view()));
      if (is_taken) return absl::OkStatus();
    }
    return TakeText(line.text, line.number);
  }

  absl::Status TakeText(std::string_view text, size_t line) {
    if (!IsUtf8(text)) {
      handler_.fail({file_.file, line, 0}, messages::DesignNotUtf8());
      return absl::OkStatus();
    }
    return file_.is_csv ? TakeCsv(text, line) : TakeJson(text, line);
  }

  absl::Status TakeJson(std::string_view text, size_t line) {
    JsonPlace stopped;
    const std::optional<JsonTree> tree = ParseJson(text, kJsonDepthMax, &stopped);
    if (!tree) {
      handler_.fail({file_.file, line, stopped.column}, messages::DesignNotJson());
      return absl::OkStatus();
    }
    const JsonTree& item = UnwrappedItem(*tree);
    if (item.kind != Kind::kMap) {
      handler_.fail({file_.file, line, item.column}, messages::DesignNotAnItem());
      return absl::OkStatus();
    }
    return handler_.take(TypedItem(item, types_), {file_.file, line, item.column});
  }

  absl::Status TakeCsv(std::string_view text, size_t line) {
    const absl::StatusOr<std::vector<std::string>> fields = ParseCsvRecord(text, ',');
    if (!fields.ok()) return Refuse(line, fields.status());
    if (names_.empty()) {
      names_ = *fields;
      if (const absl::Status status = CheckCsvHeaders(names_); !status.ok()) {
        return absl::InvalidArgumentError(ToAbsl(MessageOf(status)));
      }
      return absl::OkStatus();
    }
    if (fields->size() != names_.size()) {
      handler_.fail({file_.file, line, 0},
                    messages::DesignFieldsDiffer(fields->size(), names_.size()));
      return absl::OkStatus();
    }
    JsonTree item = MapTree();
    for (size_t i = 0; i < names_.size(); ++i) {
      const auto type = types_.find(names_[i]);
      // A key of an index may be absent, and must not be empty.
      if (type != types_.end() && (*fields)[i].empty()) continue;
      item.members.push_back(
          {names_[i], TypedValue(TextTree((*fields)[i]),
                                 type == types_.end() ? std::string_view("S") : type->second)});
    }
    return handler_.take(std::move(item), {file_.file, line, 0});
  }

  absl::Status Refuse(size_t line, const absl::Status& status) {
    handler_.fail({file_.file, line, 0}, std::string(MessageOf(status)));
    return absl::OkStatus();
  }

  const ItemFile& file_;
  const AttributeTypes& types_;
  const ItemFileHandler& handler_;
  std::vector<std::string> names_;
  bool is_first_ = true;
  PlainLines lines_;
  const std::function<absl::Status(const PlainLines::Line&)> take_line_ =
      [this](const PlainLines::Line& line) { return TakeLine(line); };
};

}  // namespace

const JsonTree& UnwrappedItem(const JsonTree& tree) {
  const JsonTree* const item = tree.Find("Item");
  const bool is_wrapped = item != nullptr && IsTypedItem(*item) && !IsTypedValue(*item) &&
                          (tree.members.size() == 1 || tree.Find("ConsumedCapacity") != nullptr);
  return is_wrapped ? *item : tree;
}

std::optional<std::vector<ItemList>> ReadItemDocument(const std::string& file, const JsonTree& tree,
                                                      Findings* findings) {
  if (tree.kind == Kind::kList) return ReadElements(file, tree, findings);
  if (tree.kind != Kind::kMap) return std::nullopt;
  const JsonTree* const items = tree.Find("Items");
  if (items != nullptr && items->kind == Kind::kList) return ReadPage(file, tree, findings);
  const JsonTree* const requests = tree.Find("RequestItems");
  if (requests != nullptr && IsRequestItems(*requests)) {
    return ReadRequestItems(file, *requests, findings);
  }
  if (IsRequestItems(tree)) return ReadRequestItems(file, tree, findings);
  JsonTree only = ListTree();
  only.line = tree.line;
  only.column = tree.column;
  only.elements.push_back(tree);
  return ReadElements(file, only, findings);
}

absl::Status ReadItemFile(const ItemFile& file, const AttributeTypes& types,
                          const ItemFileHandler& handler) {
  const std::unique_ptr<RecordSplitter> splitter =
      RecordSplitter::Make(file.is_csv ? InputFormat::kCsv : InputFormat::kDynamoDbJson, ',');
  Records records(file, types, handler);
  absl::Status taken;
  const auto take = [&](std::string_view text) {
    taken = records.Take(text, static_cast<size_t>(splitter->line()));
    return taken;
  };
  uint64_t bytes_read = 0;
  uint64_t counted = 0;
  const auto feed = [&](std::string_view bytes) {
    handler.count(bytes_read - counted);
    counted = bytes_read;
    return splitter->Feed(bytes, take);
  };
  absl::Status read = ReadPieces(file.file, feed, &bytes_read);
  if (read.ok()) read = splitter->Finish(take);
  // Of a file that cannot be read further what has been read is taken.
  if (taken.ok()) taken = records.Finish();
  if (!taken.ok()) return taken;
  if (read.ok()) return read;
  return absl::InvalidArgumentError(ToAbsl(MessageOf(read)));
}

}  // namespace dynolith::designs
