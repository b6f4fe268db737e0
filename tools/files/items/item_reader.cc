#include "tools/files/items/item_reader.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/json/item_line.h"
#include "api/transfer/files/csv_record.h"
#include "api/transfer/files/ion_text.h"
#include "api/transfer/files/record_splitter.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/value/item_json.h"
#include "tools/files/items/item_record.h"
#include "tools/files/items/messages.h"
#include "tools/files/items/pipeline_line.h"
#include "tools/files/items/plain_lines.h"
#include "tools/files/items/text_file.h"
#include "tools/files/table/json_parts.h"

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
    ItemList list{LocationInFile(file, requests), table, {}};
    for (const JsonTree& request : requests.elements) {
      ItemRecord record = ToItemRecord(request);
      if (record.item == &request) {
        findings->Warn(LocationInFile(file, request), messages::DesignOnlyWrites());
        continue;
      }
      const FileLocation place = {file, record.item->line, record.item->column};
      list.items.push_back({*record.item, place, std::move(record.write)});
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

// {"music": [{…}, …], …}
bool AreItemsOfTables(const JsonTree& tree) {
  return tree.kind == Kind::kMap && !tree.members.empty() &&
         std::all_of(tree.members.begin(), tree.members.end(), [](const auto& member) {
           const JsonTree& list = member.value;
           return list.kind == Kind::kList &&
                  std::all_of(list.elements.begin(), list.elements.end(), IsTypedItem);
         });
}

// Whether the value of a paging member says that more follows.
bool HasMore(const JsonTree& value) {
  return value.kind == Kind::kMap ? !value.members.empty() : value.text != "null";
}

std::vector<ItemList> ReadElements(const std::string& file, const JsonTree& elements,
                                   Findings* findings) {
  std::vector<ItemList> lists = {{LocationInFile(file, elements), "", {}}};
  for (const JsonTree& element : elements.elements) {
    ItemRecord record = ToItemRecord(element);
    const FileLocation place = {file, record.item->line, record.item->column};
    if (record.item->kind != Kind::kMap) {
      findings->Fail(place, messages::DesignNotAnItem());
      continue;
    }
    if (lists.back().table != record.table) {
      lists.push_back({LocationInFile(file, element), std::string(record.table), {}});
    }
    lists.back().items.push_back({*record.item, place, std::move(record.write)});
  }
  return lists;
}

// {"Responses": {"music": [{…}, …]}, "UnprocessedKeys": {}}
std::vector<ItemList> ReadResponses(const std::string& file, const JsonTree& answer,
                                    Findings* findings) {
  const JsonTree* const left = answer.Find("UnprocessedKeys");
  if (left != nullptr && HasMore(*left)) {
    findings->Warn(LocationInFile(file, *left), messages::DesignPageIsNotLast("UnprocessedKeys"));
  }
  std::vector<ItemList> lists;
  for (const auto& [table, items] : answer.Find("Responses")->members) {
    ItemList& list = lists.emplace_back(ItemList{LocationInFile(file, items), table, {}});
    for (const JsonTree& item : items.elements) {
      list.items.push_back({item, {file, item.line, item.column}});
    }
  }
  return lists;
}

// {"Items": […], "Count": 3, "ScannedCount": 3, "ConsumedCapacity": null}
std::vector<ItemList> ReadPage(const std::string& file, const JsonTree& page, Findings* findings) {
  for (const auto& [name, value] : page.members) {
    const bool is_more = (name == "LastEvaluatedKey" || name == "NextToken") && HasMore(value);
    if (is_more) findings->Warn(LocationInFile(file, value), messages::DesignPageIsNotLast(name));
  }
  return ReadElements(file, *page.Find("Items"), findings);
}

// Converts records to items.
class Records {
 public:
  Records(const ItemFile& file, const AttributeTypes& types, const ItemFileHandler& handler)
      : file_(file), types_(types), handler_(handler) {}

  absl::Status Take(std::string_view text, size_t line) {
    const bool has_names = file_.form == ItemForm::kCsv && is_first_;
    if (std::exchange(is_first_, false)) text = WithoutByteOrderMark(text);
    if (handler_.take_plain && file_.form == ItemForm::kJsonLines)
      return lines_.Add(text, line, take_line_);
    if (!has_names && !handler_.begin()) return absl::OkStatus();
    return TakeText(text, line);
  }
  // To be called after the last record.
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
      if (LacksHeader()) return absl::InvalidArgumentError(messages::DesignNotUtf8());
      handler_.fail({file_.file, line, 0}, messages::DesignNotUtf8());
      return absl::OkStatus();
    }
    if (file_.form == ItemForm::kCsv) return TakeCsv(text, line);
    if (file_.form == ItemForm::kPipeline) return TakePipeline(text, line);
    return file_.form == ItemForm::kIon ? TakeIon(text, line) : TakeJson(text, line);
  }

  absl::Status TakeJson(std::string_view text, size_t line) {
    JsonLocation stopped;
    const std::optional<JsonTree> tree = ParseJson(text, kJsonDepthMax, &stopped);
    if (!tree) {
      handler_.fail({file_.file, line, stopped.column}, messages::DesignNotJson());
      return absl::OkStatus();
    }
    if (const JsonTree::Member* const twice = NameTwice(*tree)) {
      handler_.fail({file_.file, line, twice->value.name_column},
                    messages::DesignNameTwice(twice->name));
      return absl::OkStatus();
    }
    const ItemRecord record = ToItemRecord(*tree);
    const FileLocation place = {file_.file, line, record.item->column};
    if (record.item->kind != Kind::kMap) {
      handler_.fail(place, messages::DesignNotAnItem());
      return absl::OkStatus();
    }
    if (!record.table.empty() && record.table != file_.table) {
      handler_.fail(place, messages::DesignOtherTable(record.table));
      return absl::OkStatus();
    }
    return handler_.take(TypedItem(*record.item, types_), record.write, place);
  }

  absl::Status TakeIon(std::string_view text, size_t line) {
    const absl::StatusOr<IonRecord> record = ReadIonRecord(text);
    if (!record.ok()) return Refuse(line, record.status());
    if (handler_.take_plain && !record->is_change) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool is_taken, (*handler_.take_plain)(record->item.view()));
      if (is_taken) return absl::OkStatus();
    }
    std::string json;
    AppendJsonItem(record->item.view(), &json);
    std::optional<JsonTree> item = ParseJson(json, kJsonDepthMax);
    if (!item) {
      handler_.fail({file_.file, line, 0}, messages::DesignNotAnItem());
      return absl::OkStatus();
    }
    return handler_.take(*std::move(item), {.is_deletion = record->is_deletion},
                         {file_.file, line, 0});
  }

  absl::Status TakePipeline(std::string_view text, size_t line) {
    PipelineError line_error;
    const std::optional<JsonTree> item = ReadPipelineLine(text, &line_error);
    if (!item) {
      handler_.fail({file_.file, line, line_error.column}, std::move(line_error.text));
      return absl::OkStatus();
    }
    return handler_.take(TypedItem(*item, types_), {}, {file_.file, line, 0});
  }

  // Whether the next record names the attributes of all others. If it cannot be read, neither can
  // they.
  bool LacksHeader() const { return file_.form == ItemForm::kCsv && names_.empty(); }

  absl::Status TakeCsv(std::string_view text, size_t line) {
    const absl::StatusOr<std::vector<std::string>> fields = ParseCsvRecord(text, ',');
    if (!fields.ok() && LacksHeader()) {
      return absl::InvalidArgumentError(ToAbsl(MessageOf(fields.status())));
    }
    if (!fields.ok()) return Refuse(line, fields.status());
    if (LacksHeader()) {
      names_ = *fields;
      // The first "line" is then the whole file.
      if (text.find('\r') != std::string_view::npos) {
        return absl::InvalidArgumentError(messages::DesignCarriageReturns());
      }
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
      // An empty field means that the key is absent, since a key must not be empty.
      if (type != types_.end() && (*fields)[i].empty()) continue;
      item.members.push_back(
          {names_[i], TypedValue(TextTree((*fields)[i]),
                                 type == types_.end() ? std::string_view("S") : type->second)});
    }
    return handler_.take(std::move(item), {}, {file_.file, line, 0});
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

std::unique_ptr<RecordSplitter> SplitterFor(const ItemFile& file) {
  const InputFormat format = file.form == ItemForm::kCsv   ? InputFormat::kCsv
                             : file.form == ItemForm::kIon ? InputFormat::kIon
                                                           : InputFormat::kDynamoDbJson;
  return RecordSplitter::Make(format, ',');
}

}  // namespace

std::optional<std::vector<ItemList>> ReadItemDocument(const std::string& file, const JsonTree& tree,
                                                      Findings* findings) {
  if (tree.kind == Kind::kList) return ReadElements(file, tree, findings);
  if (tree.kind != Kind::kMap) return std::nullopt;
  const JsonTree* const items = tree.Find("Items");
  if (items != nullptr && items->kind == Kind::kList) return ReadPage(file, tree, findings);
  for (const char* name : {"RequestItems", "UnprocessedItems"}) {
    const JsonTree* const requests = tree.Find(name);
    if (requests == nullptr || !IsRequestItems(*requests)) continue;
    return ReadRequestItems(file, *requests, findings);
  }
  const JsonTree* const responses = tree.Find("Responses");
  if (responses != nullptr && AreItemsOfTables(*responses)) {
    return ReadResponses(file, tree, findings);
  }
  if (IsRequestItems(tree)) return ReadRequestItems(file, tree, findings);
  JsonTree only = ListTree();
  only.line = tree.line;
  only.column = tree.column;
  only.elements.push_back(tree);
  return ReadElements(file, only, findings);
}

absl::Status LookAtFirstRecord(ItemFile* file) {
  const std::unique_ptr<RecordSplitter> splitter = SplitterFor(*file);
  const auto take = [&](std::string_view text) {
    text = WithoutByteOrderMark(text);
    if (file->form == ItemForm::kIon) {
      const absl::StatusOr<IonRecord> record = ReadIonRecord(text);
      file->is_plain = !record.ok() || !record->is_change;
    } else if (const std::optional<JsonTree> tree = ParseJson(text, kJsonDepthMax)) {
      const ItemRecord record = ToItemRecord(*tree);
      file->is_plain = record.write.is_plain() && !record.is_change;
      file->table = record.table;
    }
    return absl::CancelledError();
  };
  absl::Status read =
      ReadPieces(file->file, [&](std::string_view bytes) { return splitter->Feed(bytes, take); });
  if (read.ok()) read = splitter->Finish(take);
  return absl::IsInvalidArgument(read) ? read : absl::OkStatus();
}

absl::Status ReadItemFile(const ItemFile& file, const AttributeTypes& types,
                          const ItemFileHandler& handler) {
  const std::unique_ptr<RecordSplitter> splitter = SplitterFor(file);
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
  // After a read error the records before it are still taken.
  if (taken.ok()) taken = records.Finish();
  if (!taken.ok()) return taken;
  if (read.ok()) return read;
  return absl::InvalidArgumentError(ToAbsl(MessageOf(read)));
}

}  // namespace dynolith::designs
