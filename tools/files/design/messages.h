// The texts about files of tables and items: what they are, and what they say of tables.
#ifndef DYNOLITH_TOOLS_FILES_DESIGN_MESSAGES_H_
#define DYNOLITH_TOOLS_FILES_DESIGN_MESSAGES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- files

inline std::string DesignFolderEmpty() {
  return "no file in this folder ends with .json, .jsonl, .ndjson, .yml, .yaml or .csv";
}
inline std::string DesignUnfinished() {
  return "this was left behind by a dump that did not reach its end; dump again, into another "
         "folder";
}
inline std::string DesignEmptyFile() { return "there is nothing in it"; }
inline std::string DesignNotYaml(std::string_view reason) { return Concat("no YAML: ", reason); }
inline std::string DesignYamlSecond() { return "a second document is not read"; }
inline std::string DesignYamlTooLarge() { return "this grows beyond all measure, or is nested so"; }
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

// --- templates

inline std::string DesignNotATemplate() {
  return "no CloudFormation template: Resources that all have a Type are wanted";
}

// --- items

inline std::string PipelineManifest() {
  return "this is a manifest of Data Pipeline, and passed over: the files that it names are loaded "
         "by their own names";
}

// --- sections

inline std::string TemplateNestedTooDeep() {
  return "more than 8 templates in each other, or more than 1,000 in all";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_MESSAGES_H_
