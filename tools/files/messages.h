// The texts about files of tables and items that are loaded or written.
#ifndef DYNOLITH_TOOLS_FILES_MESSAGES_H_
#define DYNOLITH_TOOLS_FILES_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== Files of tables and items that are loaded or written.

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

// --- their contents

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

// --- results

inline std::string DesignCounted(uint64_t count, std::string_view one) {
  return Concat(count, " ", one, count == 1 ? "" : "s");
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
inline std::string DesignErrorsLeftOut(uint64_t errors) {
  return Concat("and ", errors, " more errors\n");
}

// ===== Templates: CloudFormation, SAM, the Serverless Framework.

// --- sections

inline std::string TemplateNestedTooDeep() {
  return "more than 8 templates in each other, or more than 1,000 in all";
}

// --- parameters

inline std::string TemplateNotAsked(std::string_view name) {
  return Concat("none of these files asks for ", name);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_FILES_MESSAGES_H_
