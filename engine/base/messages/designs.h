// What is said of files of tables and items that are loaded or written.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_DESIGNS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_DESIGNS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- the line of a finding; line and column are left out where they are 0

inline std::string DesignFinding(std::string_view file, size_t line, size_t column, bool is_error,
                                 std::string_view text) {
  std::string at(file);
  if (line > 0) at += Concat(":", line);
  if (line > 0 && column > 0) at += Concat(":", column);
  return Concat(at, is_error ? ": error: " : ": warning: ", text, "\n");
}

// --- files

inline std::string DesignCannotRead(std::string_view reason) {
  return Concat("cannot be read: ", reason);
}
inline std::string DesignTooLarge(size_t bytes_max) {
  return Concat("a document of more than ", bytes_max >> 20,
                " MB is not read; items may stand one on a line, in a file of any size");
}
inline std::string DesignFolderEmpty() {
  return "no file in this folder ends with .json, .jsonl, .ndjson, .yml, .yaml or .csv";
}
inline std::string DesignEmptyFile() { return "there is nothing in it"; }
inline std::string DesignNotJson() { return "no JSON from here on"; }
inline std::string DesignNotYaml(std::string_view reason) { return Concat("no YAML: ", reason); }
inline std::string DesignNameTwice(std::string_view name) {
  return Concat(name, " stands twice in this map");
}
inline std::string DesignYamlSecond() { return "a second document is not read"; }
inline std::string DesignYamlTooLarge() { return "this grows beyond all measure, or is nested so"; }
inline std::string DesignNotUtf8() { return "no UTF-8"; }
inline std::string DesignUnknownForm() {
  return "neither tables nor items: known are inputs of create-table, CloudFormation templates, "
         "serverless.yml, NoSQL Workbench models, and items";
}

// --- exports

inline std::string ExportNotWhole(std::string_view name) {
  return Concat("this export is not whole: there is no ", name,
                "; the folder with its data can be loaded by itself");
}
inline std::string ExportNoSummary() {
  return "no summary of an export, which has an exportArn and an itemCount";
}
inline std::string ExportNoFileLine() {
  return "no line of an export, which has a dataFileS3Key, an md5Checksum and an itemCount";
}
inline std::string ExportFileMissing(std::string_view name) {
  return Concat("a file of this export is missing: ", name);
}
inline std::string ExportDamaged(std::string_view checksums) {
  return Concat("this is not what was exported: its MD5 is not the one in ", checksums);
}
inline std::string ExportItemsDiffer(uint64_t items, std::string_view files, uint64_t others) {
  return Concat("this says ", items, items == 1 ? " item, and " : " items, and ", files, " ",
                others);
}

// --- what stands in them

inline std::string DesignMemberUnknown(std::string_view name, std::string_view nearest) {
  return Concat(name, " is not known here and left out",
                nearest.empty() ? "" : Concat("; did you mean ", nearest, "?"));
}
inline std::string DesignMemberUnused(std::string_view name) {
  return Concat(name, " has no effect here and is left out");
}
inline std::string DesignModelTableLacks() {
  return "this table lacks a name, a partition key, or the name or partition key of an index";
}
inline std::string DesignTableTwice(std::string_view table, std::string_view other_file) {
  return Concat("table ", table, " is made by ", other_file, ", too");
}

// --- templates

inline std::string DesignNotATemplate() {
  return "no CloudFormation template: Resources that all have a Type are wanted";
}
inline std::string DesignOtherResources(const std::vector<std::string>& types) {
  std::string text = "only tables are loaded; left out are resources of ";
  for (size_t i = 0; i < types.size(); ++i) text += Concat(i > 0 ? ", " : "", types[i]);
  return text;
}
inline std::string DesignTableUnnamed(std::string_view resource) {
  return Concat("this table has no TableName; it is called ", resource);
}
inline std::string DesignReplicaLeftOut(std::string_view region) {
  return Concat("there is one region here; the replica of ", region,
                " is left out, --region chooses another one");
}
inline std::string DesignValueUnknown(std::string_view name) {
  return Concat(name, " has no value; --parameter '", name, "=VALUE' gives it one");
}

// --- items

inline std::string DesignNotAnItem() { return "an item is a JSON object"; }
inline std::string DesignOnlyWrites() {
  return "this is neither a PutRequest with an Item nor a DeleteRequest with a Key, and left out";
}
inline std::string DesignOtherTable(std::string_view table) {
  return Concat("this is an item of the table ", table, ", the first one of the file is not");
}
inline std::string DesignNotAlone() {
  return "the first record of the file is an item and nothing else, this one is a deletion or has "
         "a "
         "condition; put such records into a file of their own";
}
inline std::string DesignPageIsNotLast(std::string_view member) {
  return Concat("with ", member, " there are more items that are not in this file");
}
inline std::string PipelineNoAttribute() {
  return "no attribute of a line of Data Pipeline: a name, the byte 3, and a value in JSON are "
         "wanted";
}
inline std::string PipelineNoValue(std::string_view name) {
  return Concat(name, " has no value as Data Pipeline writes them: {\"s\": \"text\"}");
}
inline std::string PipelineManifest() {
  return "this is a manifest of Data Pipeline, and passed over: the files that it names are loaded "
         "by their own names";
}
inline std::string DesignFieldsDiffer(size_t fields, size_t names) {
  return Concat(fields, fields == 1 ? " field" : " fields", ", but the first line names ", names);
}
inline std::string DesignTableWanted(std::string_view stem) {
  return Concat("whose items are these? There is no table ", stem, "; --table NAME says it");
}

// --- the service

inline std::string DesignRefused(std::string_view error, std::string_view message) {
  return message.empty() ? std::string(error) : Concat(error, ": ", message);
}
inline std::string DesignItemRefused(std::string_view error, std::string_view message) {
  return Concat("this item is not written: ", DesignRefused(error, message));
}
inline std::string DesignTableExists(std::string_view table) {
  return Concat("table ", table,
                " is there already; --if-exists keep leaves it as it is, replace deletes it");
}
inline std::string DesignWaitTooLong(std::string_view table) {
  return Concat("table ", table, " did not become ready within some minutes");
}

// --- what has been done

inline std::string DesignCounted(uint64_t count, std::string_view one) {
  return Concat(count, " ", one, count == 1 ? "" : "s");
}
inline std::string DesignLoaded(std::string_view target, uint64_t made, uint64_t kept,
                                uint64_t items, uint64_t left_out, uint64_t errors) {
  std::string text =
      Concat(target, ": ", DesignCounted(made, "table"), " made, ", DesignCounted(items, "item"));
  if (kept > 0) {
    text += Concat("; ", DesignCounted(kept, "table"), " kept, ", DesignCounted(left_out, "item"),
                   " for ", kept == 1 ? "it" : "them", " left out");
  }
  if (errors > 0) text += Concat("; ", DesignCounted(errors, "error"));
  return text + "\n";
}
inline std::string DesignStopped() { return "stopped before the end; what has been written stays"; }
inline std::string DesignStoppedWithJournal() {
  return "stopped before the end; the same command goes on from there";
}
inline std::string DesignJournalForeign() {
  return "this is not what a load has left behind to go on from";
}
inline std::string DesignJournalOfOther() {
  return "this was left behind by a load of other files, of files that have changed since, or to "
         "another place; without this file it begins anew";
}
inline std::string DesignJournalUnwritten(std::string_view reason) {
  return Concat("cannot be written, so that this load cannot be gone on with: ", reason);
}
inline std::string DesignJournalTableGone(std::string_view table) {
  return Concat("the load that is to go on has made the table ", table,
                ", which is not there any more; without the file of --resume it begins anew");
}
inline std::string DumpFolderInUse(std::string_view folder) {
  return Concat("tables are dumped into a folder that is new or empty, and ", folder, " is not");
}
inline std::string DumpCannotWrite(std::string_view file) { return Concat("cannot write ", file); }
inline std::string DumpLine(std::string_view folder, uint64_t tables, uint64_t items) {
  return Concat(folder, ": ", DesignCounted(tables, "table"), ", ", DesignCounted(items, "item"),
                "\n");
}
// "12.3 MB"
inline std::string DesignBytes(uint64_t bytes) {
  const uint64_t tenths = bytes / 100'000;
  return Concat(tenths / 10, ".", tenths % 10, " MB");
}
// "1:02:03", "2:03"
inline std::string DesignTime(uint64_t seconds) {
  const auto two = [](uint64_t number) { return Concat(number < 10 ? "0" : "", number); };
  const uint64_t minutes = seconds / 60;
  if (minutes < 60) return Concat(minutes, ":", two(seconds % 60));
  return Concat(minutes / 60, ":", two(minutes % 60), ":", two(seconds % 60));
}
struct DesignSpeed {
  uint64_t items = 0;
  uint64_t bytes = 0;
  uint64_t bytes_all = 0;  // 0: not known
  uint64_t items_a_second = 0;
  uint64_t bytes_a_second = 0;
  uint64_t seconds_left = 0;
  bool is_sorting = false;
};
// 100 items, 2.5 MB of 10.0 MB; 50 items and 1.2 MB a second, 0:06 left
inline std::string DesignProgress(const DesignSpeed& speed) {
  std::string text = Concat(speed.items, " items");
  if (speed.bytes_all == 0) return Concat(text, ", ", speed.items_a_second, " a second");
  text += Concat(", ", DesignBytes(speed.bytes), " of ", DesignBytes(speed.bytes_all), "; ");
  text +=
      Concat(speed.items_a_second, " items and ", DesignBytes(speed.bytes_a_second), " a second");
  if (speed.is_sorting) return text + "; sorting them and their index entries";
  return speed.bytes_a_second == 0 ? text
                                   : Concat(text, ", ", DesignTime(speed.seconds_left), " left");
}
inline std::string DesignErrors(uint64_t errors) {
  return Concat(DesignCounted(errors, "error"), " in what was to be loaded");
}
inline std::string DesignErrorsLeftOut(uint64_t errors) {
  return Concat("and ", errors, " more errors\n");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_DESIGNS_H_
