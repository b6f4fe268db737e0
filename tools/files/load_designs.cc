#include "tools/files/load_designs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/files/design/files_to_load.h"
#include "tools/files/excerpt/table_keys.h"
#include "tools/files/item_writer.h"
#include "tools/files/items/attribute_values.h"
#include "tools/files/items/item_reader.h"
#include "tools/files/load_journal.h"
#include "tools/files/messages.h"
#include "tools/files/sorted_table.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

namespace fs = std::filesystem;

using excerpt::TableKeys;
using excerpt::ToTableKeys;

constexpr uint64_t kItemsBetweenLooks = 256;
constexpr std::chrono::milliseconds kBetweenNotes(200);

// The items of one list or of one file.
struct ItemPart {
  std::string table;  // empty: not known yet
  FileLocation place;
  const std::vector<SampleItem>* list = nullptr;
  const ItemFile* file = nullptr;

  bool HasItems() const { return file != nullptr || !list->empty(); }
  // Whether the part has only puts without conditions; a file is judged by its first record.
  bool IsPlain() const {
    if (file != nullptr) return file->is_plain;
    return std::all_of(list->begin(), list->end(),
                       [](const SampleItem& sample) { return sample.write.is_plain(); });
  }
};

// Receives the items of a part. A failed status ends the reading.
struct ItemTaker {
  // As in ItemFileHandler.
  absl::FunctionRef<bool()> begin;
  absl::FunctionRef<absl::Status(const JsonTree& item, const ItemWrite& write,
                                 const FileLocation& place)>
      put;
  std::optional<absl::FunctionRef<absl::StatusOr<bool>(ItemView item)>> put_plain = std::nullopt;
};

// What a resumed load must have in common with the one that it continues: the target, the options
// that decide the items, and each file's name, length and time of change.
JsonTree CommonParameters(const LoadOptions& options, const std::vector<std::string>& files) {
  JsonTree load = MapTree();
  SetMember(&load, "to", TextTree(options.to));
  SetMember(&load, "table", TextTree(options.table));
  SetMember(&load, "region", TextTree(options.read.region));
  JsonTree parameters = MapTree();
  for (const auto& [name, value] : options.read.parameters) {
    SetMember(&parameters, name, TextTree(value));
  }
  SetMember(&load, "parameters", std::move(parameters));
  JsonTree left_out = ListTree();
  for (const std::string& name : options.read.left_out) left_out.elements.push_back(TextTree(name));
  SetMember(&load, "left_out", std::move(left_out));
  JsonTree list = ListTree();
  for (const std::string& name : files) {
    std::error_code error;
    JsonTree file = MapTree();
    SetMember(&file, "name", TextTree(name));
    SetMember(&file, "bytes", WordTree(std::to_string(fs::file_size(name, error))));
    const auto modified = fs::last_write_time(name, error).time_since_epoch().count();
    SetMember(&file, "modified", WordTree(std::to_string(modified)));
    list.elements.push_back(std::move(file));
  }
  SetMember(&load, "files", std::move(list));
  if (options.excerpt != nullptr) SetMember(&load, "excerpt", TextTree(options.excerpt->digest()));
  return load;
}

class Loading {
 public:
  Loading(const LoadOptions& options, client::ServiceTarget* target, const LoadListener& listener)
      : options_(options),
        target_(target),
        listener_(listener),
        replicas_({.region = options.read.region,
                   .in_region = options.in_region,
                   .find = [this](const Finding& finding) { Find(finding); },
                   .begun = listener.replica_begun}) {}

  absl::StatusOr<LoadSummary> Run() {
    if (ReadFiles() && OrderTables() && CheckRules() && target_ != nullptr && OpenJournal()) {
      DYNOLITH_RETURN_IF_ERROR(target_->Open());
      connection_ = target_->Connect();
      DYNOLITH_RETURN_IF_ERROR(LookAtRegions());
      if (summary_.errors == 0 && LookAtTables()) {
        FindParts();
        if (MakeTables()) WriteItems();
      }
    }
    if (is_whole_) SayDoubts();
    if (!is_whole_) IsOver();
    summary_.is_kept = !options_.journal.empty() && !is_whole_;
    return summary_;
  }

 private:
  void Find(const Finding& finding) {
    absl::MutexLock lock(&mutex_);
    if (finding.is_error) ++summary_.errors;
    listener_.find(finding);
  }
  void Fail(const FileLocation& place, std::string text) { Find({place, std::move(text), true}); }

  bool ReadFiles() {
    Findings findings;
    FilesToLoad found = FindFiles(options_.files, listener_.is_over, &findings);
    summary_.is_over = found.is_over;
    names_ = std::move(found.files);
    exported_from_ = std::move(found.exported_from);
    for (const std::string& file : names_) {
      ReadDesignFile(file, options_.read, &files_, &findings);
    }
    for (const auto& [name, value] : options_.read.parameters) {
      if (options_.read.asked->count(name) > 0) continue;
      findings.Warn({"--parameter"}, messages::TemplateNotAsked(name));
    }
    for (const Finding& finding : findings.list()) Find(finding);
    return summary_.errors == 0 && !summary_.is_over;
  }

  bool OpenJournal() {
    return options_.journal.empty() ||
           Noted(journal_.Open(options_.journal, CommonParameters(options_, names_)));
  }
  // Reports the error of a journal operation, if it failed. Returns whether it succeeded.
  bool Noted(const absl::Status& status) {
    if (!status.ok()) Fail({options_.journal}, std::string(MessageOf(status)));
    return status.ok();
  }

  // Adds the calls of files that describe no table to their table's design. A table that two files
  // make is an error.
  bool OrderTables() {
    std::vector<TableDesign> made;
    for (TableDesign& design : files_.tables) {
      if (design.create.members.empty()) continue;
      const auto other = std::find_if(made.begin(), made.end(), [&](const TableDesign& table) {
        return table.name == design.name;
      });
      if (other == made.end()) {
        made.push_back(std::move(design));
      } else {
        Fail(design.place, messages::DesignTableTwice(design.name, other->place.file));
      }
    }
    for (TableDesign& design : files_.tables) {
      if (!design.create.members.empty() || design.calls.empty()) continue;
      const auto table = std::find_if(made.begin(), made.end(), [&](const TableDesign& other) {
        return other.name == design.name;
      });
      std::vector<TableCall>* const calls = table == made.end() ? &calls_ : &table->calls;
      calls->insert(calls->end(), design.calls.begin(), design.calls.end());
    }
    files_.tables = std::move(made);
    return summary_.errors == 0;
  }

  // Checks the rules against the keys of the tables that the files make.
  bool CheckRules() {
    if (options_.excerpt == nullptr) return true;
    for (const TableDesign& design : files_.tables) {
      const absl::Status checked = options_.excerpt->CheckTable(ToTableKeys(design.create));
      if (!checked.ok()) Fail(design.place, std::string(MessageOf(checked)));
    }
    return summary_.errors == 0;
  }
  void SayDoubts() {
    if (options_.excerpt == nullptr) return;
    for (auto& [file, line, text, is_error] : options_.excerpt->Doubts(!has_unseen_)) {
      Find({{file, line}, text, is_error});
    }
  }

  // Returns the item to load: `item` itself, or `changed`, which receives the result of the rules.
  // nullptr: the item is not loaded; if it is wrong, the error is reported.
  const JsonTree* Excerpted(const TableKeys& keys, const JsonTree& item, const ItemWrite& write,
                            const FileLocation& place, JsonTree* changed) {
    excerpt::Excerpt* const excerpt = options_.excerpt;
    if (excerpt == nullptr) return &item;
    *changed = item;
    const absl::StatusOr<bool> taken = excerpt->Take(keys, changed, write.is_deletion);
    if (!taken.ok()) {
      Fail(place, std::string(MessageOf(taken.status())));
    } else if (*taken && excerpt->has_rules() && !write.conditions.members.empty()) {
      Fail(place, messages::DesignConditionsAndRules());
    } else if (*taken) {
      return changed;
    } else if (!is_repeated_) {
      ++summary_.not_taken;
    }
    return nullptr;
  }

  client::ServiceAnswer Describe(const std::string& table) {
    JsonTree input = MapTree();
    SetMember(&input, "TableName", TextTree(table));
    return client::CallPatiently(connection_.get(), "DescribeTable", PrintJson(input));
  }
  // nullopt: the service failed with another error, which is reported.
  std::optional<bool> IsThere(const std::string& table, const FileLocation& place) {
    const client::ServiceAnswer answer = Describe(table);
    if (answer.error.empty()) return true;
    if (answer.error == kNoTable) return false;
    FailWith(place, answer);
    return std::nullopt;
  }
  void FailWith(const FileLocation& place, const client::ServiceAnswer& answer) {
    // Somebody has ended the load, and not the service this call.
    if (client::IsPatienceOver() && IsOver()) return;
    Fail(place, messages::DesignRefused(answer.error, answer.message));
  }

  // Where there are regions, the tables are made in the one whose replica the files describe.
  absl::Status LookAtRegions() {
    const bool has_replicas =
        std::any_of(files_.tables.begin(), files_.tables.end(),
                    [](const TableDesign& design) { return !design.replicas.empty(); });
    if (!has_replicas) return absl::OkStatus();
    if (replicas_.HasRegions(connection_.get())) {
      DYNOLITH_ASSIGN_OR_RETURN(own_target_, options_.in_region(options_.read.region));
      DYNOLITH_RETURN_IF_ERROR(own_target_->Open());
      connection_ = own_target_->Connect();
      target_ = own_target_.get();
    }
    replicas_.Reduce(&files_.tables);
    return absl::OkStatus();
  }

  bool LookAtTables() {
    for (const TableDesign& design : files_.tables) {
      const std::optional<bool> is_there = IsThere(design.name, design.place);
      if (!is_there) return false;
      if (!*is_there) {
        if (!journal_.HasMade(design.name)) continue;
        Fail(design.place, messages::DesignJournalTableGone(design.name));
        return false;
      }
      there_.insert(design.name);
      if (journal_.HasMade(design.name)) continue;
      if (options_.if_exists == IfExists::kFail) {
        Fail(design.place, messages::DesignTableExists(design.name));
      }
    }
    return summary_.errors == 0;
  }

  bool MakeTables() {
    for (const TableDesign& design : files_.tables) {
      if (journal_.HasMade(design.name)) continue;
      if (IsOver()) return false;
      const bool is_there = there_.count(design.name) > 0;
      if (is_there && options_.if_exists == IfExists::kKeep) {
        kept_.insert(design.name);
        ++summary_.kept;
        SayMissingReplicas(design);
        continue;
      }
      const bool is_made = (!is_there || Remove(design)) && Make(design);
      const bool is_whole = filled_.count(design.name) > 0;
      if (!is_made || !Noted(journal_.AddMade(design.name, is_whole))) return false;
      ++summary_.made;
    }
    if (journal_.is_at_items()) return true;
    return std::all_of(calls_.begin(), calls_.end(),
                       [&](const TableCall& call) { return Do(call); }) &&
           Noted(journal_.SetPosition({}));
  }

  void SayMissingReplicas(const TableDesign& design) {
    if (design.replicas.empty()) return;
    const client::ServiceAnswer answer = Describe(design.name);
    const JsonTree* const table = answer.output.Find("Table");
    if (table != nullptr) replicas_.SayMissing(design, *table);
  }

  bool Do(const TableCall& call) {
    const client::ServiceAnswer answer =
        client::CallPatiently(connection_.get(), call.operation, PrintJson(call.input));
    if (!answer.error.empty()) FailWith(call.place, answer);
    return answer.error.empty();
  }

  bool Remove(const TableDesign& design) {
    if (!replicas_.Remove(connection_.get(), design)) return false;
    JsonTree input = MapTree();
    SetMember(&input, "TableName", TextTree(design.name));
    if (!Do({"DeleteTable", std::move(input), design.place})) return false;
    for (int attempt = 1; attempt <= kLooksMax; ++attempt) {
      const std::optional<bool> is_there = IsThere(design.name, design.place);
      if (!is_there.value_or(false)) return is_there.has_value();
      client::WaitBeforeLook(attempt);
      if (IsOver()) return false;
    }
    Fail(design.place, messages::DesignWaitTooLong(design.name));
    return false;
  }

  bool Make(const TableDesign& design) {
    bool has_items = false;
    bool is_plain = true;
    for (const ItemPart& part : parts_) {
      if (part.table != design.name) continue;
      has_items |= part.HasItems();
      is_plain &= part.IsPlain();
    }
    const std::unique_ptr<SortedTable> sorted =
        has_items && is_plain && design.replicas.empty()
            ? SortedTable::Begin(target_, connection_.get(), design.create)
            : nullptr;
    const bool is_made = sorted != nullptr ? Fill(design, sorted.get())
                                           : Do({"CreateTable", design.create, design.place});
    if (!is_made) return false;
    if (listener_.made) listener_.made(design.name);
    // AwaitActive calls DescribeTable, which counts the items; only further calls need it.
    if (sorted != nullptr && design.calls.empty()) return true;
    if (!AwaitActive(design)) return false;
    return std::all_of(design.calls.begin(), design.calls.end(),
                       [&](const TableCall& call) { return Do(WithItsArn(design, call)); }) &&
           replicas_.Make(connection_.get(), design);
  }
  TableCall WithItsArn(const TableDesign& design, const TableCall& call) {
    if (call.arn_of == ArnOf::kNone) return call;
    const client::ServiceAnswer answer = Describe(design.name);
    const JsonTree* const table = answer.output.Find("Table");
    return table == nullptr ? call : WithArn(call, *table);
  }
  bool AwaitActive(const TableDesign& design) {
    for (int attempt = 1; attempt <= kLooksMax; ++attempt) {
      const client::ServiceAnswer answer = Describe(design.name);
      if (!answer.error.empty()) {
        FailWith(design.place, answer);
        return false;
      }
      const JsonTree* const table = answer.output.Find("Table");
      if (table != nullptr && MemberText(table->Find("TableStatus")) == "ACTIVE") return true;
      client::WaitBeforeLook(attempt);
      if (IsOver()) return false;
    }
    Fail(design.place, messages::DesignWaitTooLong(design.name));
    return false;
  }

  // nullptr: the table cannot be described, or the rules do not fit it; the error is reported.
  const TableKeys* Keys(const std::string& table, const FileLocation& place) {
    const auto known = keys_.find(table);
    if (known != keys_.end()) return &known->second;
    const client::ServiceAnswer answer = Describe(table);
    const JsonTree* const description = answer.output.Find("Table");
    if (description == nullptr) {
      FailWith(place, answer);
      return nullptr;
    }
    TableKeys keys = ToTableKeys(*description);
    const absl::Status checked =
        options_.excerpt == nullptr ? absl::OkStatus() : options_.excerpt->CheckTable(keys);
    if (checked.ok()) return &keys_.emplace(table, std::move(keys)).first->second;
    Fail(place, std::string(MessageOf(checked)));
    return nullptr;
  }

  bool IsDesigned(const std::string& table) const {
    return std::any_of(files_.tables.begin(), files_.tables.end(),
                       [&](const TableDesign& design) { return design.name == table; });
  }
  // Collects all items in the order in which they are written.
  void FindParts() {
    for (const TableDesign& design : files_.tables) {
      parts_.push_back({design.name, design.place, &design.items, nullptr});
    }
    for (const ItemList& list : files_.item_lists) {
      const std::string table = list.table.empty() ? MadeTableFor(list.place) : list.table;
      parts_.push_back({table, list.place, &list.items, nullptr});
    }
    for (const ItemFile& file : files_.item_files) {
      const FileLocation place = {file.file};
      const std::string table = file.table.empty() ? MadeTableFor(place) : file.table;
      parts_.push_back({table, place, nullptr, &file});
      progress_.bytes_all += FileBytes(file);
    }
  }
  static uint64_t FileBytes(const ItemFile& file) {
    std::error_code error;
    const uintmax_t bytes = fs::file_size(file.file, error);
    return error ? 0 : bytes;
  }
  // The table from which the file was exported, if that is known, else the one in the file's name.
  std::string NamedTableFor(const std::string& file) const {
    const auto exported = exported_from_.find(file);
    const bool is_known = exported != exported_from_.end() && !exported->second.empty();
    return is_known ? exported->second : FileStem(file);
  }
  // The table of items whose file does not name one: --table, else the table of NamedTableFor if a
  // file makes it, else the only one that the files make. Empty: none of these.
  std::string MadeTableFor(const FileLocation& place) const {
    if (!options_.table.empty()) return options_.table;
    std::string own = NamedTableFor(place.file);
    if (IsDesigned(own)) return own;
    return files_.tables.size() == 1 ? files_.tables.front().name : "";
  }
  // The existing table that NamedTableFor gives. Empty: there is none; the error is reported.
  std::string TableThereFor(const FileLocation& place) {
    std::string own = NamedTableFor(place.file);
    const client::ServiceAnswer answer = Describe(own);
    if (answer.error.empty()) return own;
    if (answer.error == kNoTable || answer.error == "ValidationException") {
      Fail(place, messages::DesignTableWanted(own));
    } else {
      FailWith(place, answer);
    }
    return "";
  }

  // Makes the table with all of its items. Returns whether the table exists then. The error of an
  // item is reported, and does not fail the table.
  bool Fill(const TableDesign& design, SortedTable* table) {
    const TableKeys keys = ToTableKeys(design.create);
    absl::Status status;  // an error that ends the table, not one of an item or a file
    const auto put_plain = [&](ItemView item) -> absl::StatusOr<bool> {
      if (IsOver()) return status = absl::CancelledError();
      Show(summary_.items + table->items(), /*is_last=*/false);
      absl::StatusOr<bool> taken = table->PutPlain(item);
      status = taken.status();
      return taken;
    };
    const auto put = [&](const JsonTree& item, const ItemWrite& write, const FileLocation& place) {
      if (IsOver()) return status = absl::CancelledError();
      if (!write.is_plain()) {
        Fail(place, messages::DesignNotAlone());
        return absl::OkStatus();
      }
      JsonTree changed;
      const JsonTree* const taken = Excerpted(keys, item, write, place, &changed);
      if (taken == nullptr) return absl::OkStatus();
      const absl::StatusOr<client::ServiceAnswer> answer = table->Put(*taken);
      if (!answer.ok()) return status = answer.status();
      if (!answer->error.empty()) {
        Fail(place, messages::DesignItemRefused(answer->error, answer->message));
      }
      Show(summary_.items + table->items(), /*is_last=*/false);
      return absl::OkStatus();
    };
    const auto all = [] { return true; };
    ItemTaker taker = {all, put};
    // Filters and rules take trees.
    if (options_.excerpt == nullptr) taker.put_plain.emplace(put_plain);
    for (const ItemPart& part : parts_) {
      if (part.table != design.name) continue;
      const absl::Status read = ReadPart(part, keys.types, taker);
      if (!status.ok()) break;
      if (!read.ok()) Fail(part.place, std::string(MessageOf(read)));
    }
    if (status.ok()) status = Finish(table);
    if (status.ok()) {
      summary_.items += table->items();
      filled_.insert(design.name);
    } else if (!absl::IsCancelled(status)) {
      FailWith(design.place, {.error = std::string(InfoOf(KindOf(status)).exception_name),
                              .message = std::string(MessageOf(status)),
                              .output = {}});
    }
    return status.ok();
  }
  absl::Status Finish(SortedTable* table) {
    progress_.items = summary_.items + table->items();
    progress_.is_sorting = true;
    const auto may_go_on = [this] {
      if (listener_.progress) listener_.progress(progress_);
      return IsOver() ? absl::CancelledError() : absl::OkStatus();
    };
    absl::Status finished = table->Finish(may_go_on);
    progress_.is_sorting = false;
    return finished;
  }

  absl::Status ReadPart(const ItemPart& part, const AttributeTypes& types, const ItemTaker& taker) {
    if (part.list != nullptr) {
      for (const SampleItem& sample : *part.list) {
        if (!taker.begin()) continue;
        DYNOLITH_RETURN_IF_ERROR(
            taker.put(TypedItem(sample.item, types), sample.write, sample.place));
      }
      return absl::OkStatus();
    }
    const auto fail = [&](const FileLocation& place, std::string text) {
      Fail(place, std::move(text));
    };
    const auto count = [&](size_t bytes) { progress_.bytes += bytes; };
    return ReadItemFile(*part.file, types, {taker.begin, taker.put, fail, count, taker.put_plain});
  }

  void WriteItems() {
    const auto writer = ItemWriter::Start(
        target_,
        [this](const FileLocation& place, std::string text) { Fail(place, std::move(text)); });
    if (!writer.ok()) return Fail({options_.to}, std::string(MessageOf(writer.status())));
    for (const ItemPart& part : parts_) {
      WritePart(part, writer->get());
      EndPart();
    }
    (*writer)->Finish();
    const uint64_t items = summary_.items + (*writer)->written();
    is_whole_ = !summary_.is_over && !(*writer)->is_lost();
    Show(items, /*is_last=*/true);
    summary_.items = items;
    if (is_whole_) {
      journal_.Remove();
    } else {
      SaveJournal(**writer);
    }
  }
  bool SaveJournal(const ItemWriter& writer) {
    // Records before the journal's position are only skipped, so the position must not go back.
    return Noted(journal_.SetPosition(std::max(journal_.position(), writer.DoneBefore(next_))));
  }

  // Whether the record is to be written: no earlier run has written it. After an interruption next_
  // stays at the record where a resumed load continues.
  bool Begin(uint64_t record) {
    if (summary_.is_over) return true;
    next_.record = record;
    return !(next_ < journal_.position());
  }
  // After an interruption next_ stays in this part, where a resumed load continues.
  void EndPart() {
    if (!summary_.is_over) next_ = {next_.part + 1, 0};
  }

  void WritePart(const ItemPart& part, ItemWriter* writer) {
    if (!part.HasItems() || filled_.count(part.table) > 0) return;
    if (journal_.IsWhole(part.table)) {
      // An earlier run made the table with these items.
      has_unseen_ = true;
      if (part.file != nullptr) {
        progress_.bytes += FileBytes(*part.file);
        progress_.bytes_skipped += FileBytes(*part.file);
      }
      return;
    }
    const std::string table = part.table.empty() ? TableThereFor(part.place) : part.table;
    if (table.empty()) return;
    const bool is_kept = kept_.count(table) > 0;
    const TableKeys* const keys = Keys(table, part.place);
    if (keys == nullptr) return;
    uint64_t records = 0;
    const uint64_t bytes_before = progress_.bytes;
    const uint64_t skipped_before = progress_.bytes_skipped;
    const bool has_rules = options_.excerpt != nullptr && options_.excerpt->has_rules();
    const auto begin = [&] {
      is_repeated_ = !Begin(records++);
      if (is_repeated_) {
        progress_.bytes_skipped = skipped_before + (progress_.bytes - bytes_before);
      }
      return !is_repeated_ || has_rules;
    };
    const auto put = [&](const JsonTree& item, const ItemWrite& write, const FileLocation& place) {
      if (IsOver()) return absl::CancelledError();
      if (is_kept) {
        ++summary_.left_out;
        return absl::OkStatus();
      }
      JsonTree changed;
      const JsonTree* const taken = Excerpted(*keys, item, write, place, &changed);
      if (taken == nullptr || is_repeated_) return absl::OkStatus();
      writer->Put(table, keys->names, *taken, write, place, next_);
      ++next_.record;
      if (Show(summary_.items + writer->written(), /*is_last=*/false)) Note(*writer);
      return writer->is_lost() ? absl::CancelledError() : absl::OkStatus();
    };
    const absl::Status read = ReadPart(part, keys->types, {begin, put});
    if (!read.ok() && !absl::IsCancelled(read)) Fail(part.place, std::string(MessageOf(read)));
  }

  bool IsOver() {
    summary_.is_over = summary_.is_over || (listener_.is_over && listener_.is_over());
    return summary_.is_over;
  }

  // Reports the progress, on every kItemsBetweenLooks-th call and on the last one. Returns whether
  // it did.
  bool Show(uint64_t items, bool is_last) {
    if (!is_last && ++shown_ % kItemsBetweenLooks != 0) return false;
    progress_.items = items;
    if (listener_.progress) listener_.progress(progress_);
    return true;
  }

  void Note(const ItemWriter& writer) {
    const auto now = std::chrono::steady_clock::now();
    if (options_.journal.empty() || is_unwritable_ || now - noted_ < kBetweenNotes) return;
    noted_ = now;
    // The error is reported once, and the load continues without a journal.
    is_unwritable_ = !SaveJournal(writer);
  }

  const LoadOptions& options_;
  std::unique_ptr<client::ServiceTarget> own_target_;  // nullptr: target_ is the given one
  client::ServiceTarget* target_;
  const LoadListener& listener_;
  TableReplicas replicas_;
  std::unique_ptr<client::ServiceConnection> connection_;  // to target_, once it is open
  DesignFiles files_;
  std::vector<TableCall> calls_;  // for tables that no file makes
  std::set<std::string> there_;
  std::set<std::string> kept_;
  std::set<std::string> filled_;  // made with their items
  std::vector<ItemPart> parts_;
  std::map<std::string, TableKeys> keys_;
  std::vector<std::string> names_;  // of all files
  std::map<std::string, std::string> exported_from_;
  LoadJournal journal_;
  LoadPosition next_;         // of the record that is read next
  bool is_repeated_ = false;  // an earlier run wrote the record; it is read again for the rules
  bool has_unseen_ = false;   // an earlier run wrote parts that this one does not read
  bool is_whole_ = false;
  bool is_unwritable_ = false;  // the journal cannot be written
  std::chrono::steady_clock::time_point noted_;
  LoadProgress progress_;
  uint64_t shown_ = 0;
  absl::Mutex mutex_;
  LoadSummary summary_;
};

}  // namespace

absl::StatusOr<LoadSummary> LoadDesigns(const LoadOptions& options, client::ServiceTarget* target,
                                        const LoadListener& listener) {
  return Loading(options, target, listener).Run();
}

}  // namespace dynolith::designs
