#include "engine/store/sorted/sorted_files.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/process/thread_start.h"
#include "engine/store/sorted/key_head.h"
#include "engine/store/sorted/merged_rows.h"
#include "rocksdb/env.h"

namespace dynolith {
namespace {

// So many runs that have gone through as many merges become one.
constexpr size_t kRunsPerMerge = 32;
// What is too little to be divided once more.
constexpr uint64_t kPartBytesMin = 16 << 20;
// Of memory for one part: what a table file keeps until it ends, and for each run a block.
constexpr size_t kTableBytes = 3 << 20;
constexpr size_t kRunBytes = 64 << 10;

}  // namespace

SortedFiles::SortedFiles(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, std::string prefix,
                         const SortingResources& means)
    : means_(means),
      maker_(db, family, std::move(prefix)),
      held_(means.gathered_bytes),
      in_writing_(means.gathered_bytes) {}

SortedFiles::~SortedFiles() {
  is_stopped_ = true;
  if (writing_.valid()) writing_.wait();
  Delete(tables_);
  for (const std::vector<TableFile>& tables : others_tables_) Delete(tables);
  Delete(runs_);
}

template <typename Files>
void SortedFiles::Delete(const Files& files) const {
  // What was taken is not there any more.
  for (const auto& file : files) {
    maker_.options().env->DeleteFile(file.path).PermitUncheckedError();
  }
}

bool SortedFiles::IsFinished() const {
  return !writing_.valid() ||
         writing_.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
}

rocksdb::Status SortedFiles::Await() {
  return writing_.valid() ? writing_.get() : rocksdb::Status::OK();
}

rocksdb::Status SortedFiles::Spill() {
  if (rocksdb::Status status = Await(); !status.ok()) return status;
  std::swap(held_, in_writing_);
  held_.Clear();
  writing_ = RunBeside([this] { return WriteSpilled(); });
  return rocksdb::Status::OK();
}

rocksdb::Status SortedFiles::BeginFinish() {
  if (rocksdb::Status status = Await(); !status.ok()) return status;
  in_writing_ = std::exchange(held_, GatheredRows(0));
  writing_ = RunBeside([this] { return WriteLast(); });
  return rocksdb::Status::OK();
}

rocksdb::Status SortedFiles::WriteIfInOrder() {
  if (rocksdb::Status status = Await(); !status.ok()) return status;
  if (held_.empty() || !held_.is_in_order() || !AreBehindTables(held_)) {
    return rocksdb::Status::OK();
  }
  if (rocksdb::Status status = Spill(); !status.ok()) return status;
  return Await();
}

rocksdb::Status SortedFiles::Join(SortedFiles* other) {
  // What came in order is not merged if it does not have to be.
  for (SortedFiles* const files : {this, other}) {
    if (rocksdb::Status status = files->WriteIfInOrder(); !status.ok()) return status;
  }
  std::vector<TableFile> tables = std::exchange(other->tables_, {});
  if (!tables.empty() && held_.empty() && runs_.empty() &&
      (tables_.empty() || tables_.back().largest < tables.front().smallest)) {
    std::move(tables.begin(), tables.end(), std::back_inserter(tables_));
  } else if (!tables.empty()) {
    others_tables_.push_back(std::move(tables));
  }
  std::move(other->others_tables_.begin(), other->others_tables_.end(),
            std::back_inserter(others_tables_));
  other->others_tables_.clear();
  std::move(other->runs_.begin(), other->runs_.end(), std::back_inserter(runs_));
  other->runs_.clear();
  std::move(other->others_rows_.begin(), other->others_rows_.end(),
            std::back_inserter(others_rows_));
  others_rows_.push_back(std::exchange(other->held_, GatheredRows(0)));
  return rocksdb::Status::OK();
}

bool SortedFiles::AreBehindTables(const GatheredRows& rows) const {
  return runs_.empty() && others_tables_.empty() &&
         (tables_.empty() || rows.empty() || tables_.back().largest < rows.key(0));
}

rocksdb::Status SortedFiles::WriteSpilled() {
  // Rows that came in order are not read again, unless others come that do not.
  if (in_writing_.is_in_order() && AreBehindTables(in_writing_)) {
    Inputs inputs;
    inputs.rows = {&in_writing_};
    return WriteTables(inputs);
  }
  in_writing_.Sort();
  rocksdb::Status status = WriteRun();
  return status.ok() ? MergeSmallRuns() : status;
}

rocksdb::Status SortedFiles::WriteLast() {
  others_rows_.push_back(std::exchange(in_writing_, GatheredRows(0)));
  Inputs inputs;
  bool are_behind = true;
  for (GatheredRows& rows : others_rows_) {
    if (rows.empty()) continue;
    rows.Sort();
    inputs.rows.push_back(&rows);
    are_behind = are_behind && AreBehindTables(rows);
  }
  // Else there is nothing to be merged but what is in memory.
  if (!are_behind || !AreBehindTables(in_writing_)) {
    inputs.tables = std::exchange(others_tables_, {});
    if (!tables_.empty()) inputs.tables.insert(inputs.tables.begin(), std::exchange(tables_, {}));
    inputs.runs = std::exchange(runs_, {});
  }
  if (inputs.rows.empty() && inputs.tables.empty() && inputs.runs.empty()) {
    return rocksdb::Status::OK();
  }
  rocksdb::Status status = WriteTables(inputs);
  others_rows_.clear();
  for (const std::vector<TableFile>& tables : inputs.tables) Delete(tables);
  Delete(inputs.runs);
  return status;
}

template <typename Sink>
rocksdb::Status SortedFiles::Copy(RowSource* source, const Part& part, Sink sink) const {
  rocksdb::Status status = source->SeekTo(part.first);
  while (status.ok() && source->Valid()) {
    if (is_stopped_) return rocksdb::Status::Aborted();
    if (!part.second.empty() && source->key() >= part.second) break;
    status = sink(source->key(), source->value());
    if (status.ok()) status = source->Next();
  }
  return status;
}

rocksdb::Status SortedFiles::WriteRun() {
  SortedRun& run = runs_.emplace_back();
  run.path = maker_.NextPath();
  RunWriter writer(&run);
  GatheredSource rows(in_writing_);
  rocksdb::Status status = writer.Open(maker_.options().env);
  if (status.ok()) {
    status = Copy(&rows, {}, [&](auto key, auto value) { return writer.Put(key, value); });
  }
  return status.ok() ? writer.Finish() : status;
}

rocksdb::Status SortedFiles::MergeSmallRuns() {
  for (;;) {
    size_t begin = runs_.size();
    while (begin > 0 && runs_[begin - 1].merges == runs_.back().merges) --begin;
    if (runs_.size() - begin < kRunsPerMerge) return rocksdb::Status::OK();
    if (rocksdb::Status status = MergeRuns(begin); !status.ok()) return status;
  }
}

rocksdb::Status SortedFiles::MergeRuns(size_t begin) {
  Inputs inputs;
  const auto first = runs_.begin() + static_cast<ptrdiff_t>(begin);
  inputs.runs.assign(std::move_iterator(first), std::move_iterator(runs_.end()));
  runs_.erase(first, runs_.end());
  SortedRun& run = runs_.emplace_back();
  run.path = maker_.NextPath();
  run.merges = inputs.runs.back().merges + 1;
  RunWriter writer(&run);
  rocksdb::Status status = writer.Open(maker_.options().env);
  if (status.ok()) {
    const std::unique_ptr<RowSource> rows = inputs.Open(maker_.options());
    status = Copy(rows.get(), {}, [&](auto key, auto value) { return writer.Put(key, value); });
  }
  if (status.ok()) status = writer.Finish();
  Delete(inputs.runs);
  return status;
}

rocksdb::Status SortedFiles::WriteTables(const Inputs& inputs) {
  const std::vector<Part> parts = Divide(inputs);
  std::vector<std::vector<TableFile>> made(parts.size());
  std::vector<rocksdb::Status> statuses(parts.size());
  const auto write = [&](size_t i) {
    statuses[i] = WritePart(inputs, parts[i], &made[i]);
    // What the others do is of no use any more.
    if (!statuses[i].ok()) is_stopped_ = true;
  };
  {
    std::vector<std::future<void>> others;
    for (size_t i = 1; i < parts.size(); ++i) {
      others.push_back(RunBeside([&write, i] { write(i); }));
    }
    write(0);
    // Rethrows their exceptions, as without memory: else rows would be missing.
    for (std::future<void>& other : others) other.get();
  }
  for (std::vector<TableFile>& files : made) {
    std::move(files.begin(), files.end(), std::back_inserter(tables_));
  }
  rocksdb::Status failed;
  for (const rocksdb::Status& status : statuses) {
    if (failed.ok() || (failed.IsAborted() && !status.ok())) failed = status;
  }
  return failed;
}

rocksdb::Status SortedFiles::WritePart(const Inputs& inputs, const Part& part,
                                       std::vector<TableFile>* made) {
  const std::unique_ptr<RowSource> rows = inputs.Open(maker_.options());
  TableWriter writer(&maker_, made);
  rocksdb::Status status =
      Copy(rows.get(), part, [&](auto key, auto value) { return writer.Put(key, value); });
  return status.ok() ? writer.Finish() : status;
}

std::vector<SortedFiles::Part> SortedFiles::Divide(const Inputs& inputs) const {
  size_t parts = static_cast<size_t>(means_.threads);
  if (!means_.uses_all_threads) {
    parts = std::min<size_t>(parts, inputs.Bytes() / kPartBytesMin);
    const size_t part_bytes = kTableBytes + inputs.runs.size() * kRunBytes;
    parts = std::max<size_t>(1, std::min(parts, means_.merging_bytes / part_bytes));
  }
  std::vector<Part> divided(1);
  if (parts == 1) return divided;
  for (const std::string& bound : inputs.Divide(parts)) {
    divided.back().second = bound;
    divided.emplace_back().first = bound;
  }
  return divided;
}

uint64_t SortedFiles::Inputs::Bytes() const {
  uint64_t bytes = 0;
  for (const std::vector<TableFile>& files : tables) {
    for (const TableFile& file : files) bytes += file.bytes;
  }
  for (const SortedRun& run : runs) bytes += run.bytes;
  for (const GatheredRows* held : rows) bytes += held->held_bytes();
  return bytes;
}

std::vector<std::string> SortedFiles::Inputs::Divide(size_t parts) const {
  std::vector<const KeySamples*> samples;
  for (const std::vector<TableFile>& files : tables) {
    for (const TableFile& file : files) samples.push_back(&file.samples);
  }
  for (const SortedRun& run : runs) samples.push_back(&run.samples);
  std::vector<KeySamples> of_rows;
  for (const GatheredRows* held : rows) of_rows.push_back(held->Samples());
  for (const KeySamples& of : of_rows) samples.push_back(&of);
  return DivideKeys(samples, parts);
}

std::unique_ptr<RowSource> SortedFiles::Inputs::Open(const rocksdb::Options& options) const {
  std::vector<std::unique_ptr<RowSource>> sources;
  std::vector<std::string_view> keys;
  for (const std::vector<TableFile>& files : tables) {
    sources.push_back(std::make_unique<TableSource>(options, files));
    keys.insert(keys.end(), {files.front().smallest, files.back().largest});
  }
  for (const SortedRun& run : runs) {
    sources.push_back(std::make_unique<RunSource>(options.env, run));
    keys.insert(keys.end(), {run.smallest, run.largest});
  }
  for (const GatheredRows* held : rows) {
    sources.push_back(std::make_unique<GatheredSource>(*held));
    keys.insert(keys.end(), {held->key(0), held->key(held->size() - 1)});
  }
  if (sources.size() == 1) return std::move(sources.front());
  size_t common_bytes = keys.front().size();
  for (const std::string_view key : keys) {
    common_bytes = std::min(common_bytes, CommonPrefixBytes(keys.front(), key));
  }
  return std::make_unique<MergedRows>(std::move(sources), common_bytes);
}

std::vector<std::string> SortedFiles::files() const {
  std::vector<std::string> paths;
  for (const TableFile& file : tables_) paths.push_back(file.path);
  return paths;
}

absl::Status SortedFiles::VisitHeld(
    absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> visit) const {
  for (size_t i = 0; i < held_.size(); ++i) {
    absl::Status status = visit(held_.key(i), held_.value(i));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

rocksdb::Status SortedFiles::Visit(
    absl::FunctionRef<rocksdb::Status(std::string_view key, std::string_view value)> visit) const {
  TableSource rows(maker_.options(), tables_);
  return Copy(&rows, {}, visit);
}

uint64_t SortedFiles::rows() const {
  uint64_t rows = 0;
  for (const TableFile& file : tables_) rows += file.rows;
  return rows;
}

rocksdb::Status IngestSorted(
    rocksdb::DB* db,
    const std::vector<std::pair<rocksdb::ColumnFamilyHandle*, std::vector<std::string>>>& files) {
  std::vector<rocksdb::IngestExternalFileArg> arguments;
  for (const auto& [family, names] : files) {
    if (names.empty()) continue;
    rocksdb::IngestExternalFileArg& argument = arguments.emplace_back();
    argument.column_family = family;
    argument.external_files = names;
    argument.options.move_files = true;
    // A number that no log has would look like a hole between two logs.
    argument.options.allow_global_seqno = false;
    argument.options.snapshot_consistency = false;
    argument.options.allow_blocking_flush = false;
    argument.options.write_global_seqno = false;
  }
  return arguments.empty() ? rocksdb::Status::OK() : db->IngestExternalFiles(arguments);
}

}  // namespace dynolith
