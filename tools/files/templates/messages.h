// The texts about templates: CloudFormation, SAM, the Serverless Framework.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_MESSAGES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "tools/files/table/messages.h"

namespace dynolith::messages {

// ===== Templates: CloudFormation, SAM, the Serverless Framework.

// --- parts that are left out only on request

inline std::string TemplateLeftOut(std::string_view name) {
  return Concat(name, " is left out, as --leave-out says");
}
inline std::string TemplateCannotDo(std::string_view name) {
  return Concat("what ", name, " asks for cannot be done here");
}
inline std::string TemplateUnknownTransform(std::string_view name) {
  return Concat("what the transform ", name, " makes of this template is not known here");
}
inline std::string TemplateUnknownMaker(std::string_view type) {
  return Concat("what ", type, " makes is not known here");
}
inline std::string TemplateUnknownGlobals(std::string_view section, std::string_view nearest) {
  return Concat(section, " is no section of Globals", TemplateDidYouMean(nearest));
}
inline std::string TemplateStackElsewhere(std::string_view type) {
  return Concat(type, ": a template that is no file beside this one is not read");
}

// --- sections

inline std::string TemplateNoType(std::string_view resource) {
  return Concat("resource ", resource, " has no Type");
}
inline std::string TemplateUnknownType(std::string_view type, std::string_view nearest) {
  return Concat("no type of resource that is known here: ", type, TemplateDidYouMean(nearest));
}
inline std::string TemplateNeedsTransform(std::string_view what, std::string_view transform) {
  return Concat(what, " needs Transform: ", transform);
}
inline std::string TemplateUnknownAttribute(std::string_view name, std::string_view nearest) {
  return Concat(name, " is no attribute of a resource", TemplateDidYouMean(nearest));
}
inline std::string TemplateNoSuchResource(std::string_view name) {
  return Concat("DependsOn: this template has no resource ", name);
}
inline std::string TemplateBadPolicy(std::string_view attribute, std::string_view value) {
  return Concat(attribute, " of a table is Delete, Retain or RetainExceptOnCreate, not ", value);
}
inline std::string TemplateNoCondition(std::string_view name) {
  return Concat("this template has no condition ", name);
}
inline std::string TemplateConditionCircle(std::string_view name) {
  return Concat("condition ", name, " asks for itself");
}
inline std::string TemplateConditionsTooDeep(std::string_view name) {
  return Concat("conditions ask for each other more than 500 deep, as ", name, " does");
}
inline std::string TemplateConditionMalformed(std::string_view name) {
  return Concat("condition ", name, " is not written as CloudFormation wants it");
}
inline std::string TemplateBadGlobal(std::string_view name) {
  return Concat("Globals of SimpleTable have SSESpecification only, not ", name);
}
inline std::string TemplateBadKeyType(std::string_view type) {
  return Concat("the Type of a PrimaryKey is String, Number or Binary, not ", type);
}
inline std::string TemplateNoReplica(std::string_view region, std::string_view other) {
  return Concat("this table has no replica in ", region, "; --region ", other, " loads this one");
}
inline std::string TemplateNoReplicas() { return "this table has no replica in any region"; }
inline std::string TemplateReplicaTwice(std::string_view region) {
  return Concat("there are two replicas in ", region);
}
inline std::string TemplateUnitsOnDemand() {
  return "with BillingMode PAY_PER_REQUEST there are no provisioned units";
}
inline std::string TemplateNoSuchIndex(std::string_view index) {
  return Concat("this replica speaks of index ", index, ", which the table does not have");
}
inline std::string TemplateNothingScales(std::string_view settings, std::string_view units) {
  return Concat(settings, ": the table begins with ", units,
                " units, and nothing scales them here");
}

inline std::string TemplateUnknownSection(std::string_view name, std::string_view nearest) {
  return Concat(name, " is no section of a template", TemplateDidYouMean(nearest));
}
inline std::string TemplateNoMap(std::string_view section) {
  return Concat(section, " is a map of names");
}
inline std::string TemplateVersion(std::string_view version) {
  return Concat("AWSTemplateFormatVersion is 2010-09-09, not ", version);
}

// --- rules

inline std::string TemplateRuleFails(std::string_view rule, std::string_view description) {
  return Concat("rule ", rule, " does not hold", description.empty() ? "" : ": ", description);
}
inline std::string TemplateRuleUnchecked(std::string_view rule, std::string_view name) {
  return Concat("rule ", rule, " is not checked: the value of ", name,
                " is in a parameter store; --parameter '", name, "=VALUE' gives it one");
}
inline std::string TemplateNoRule(std::string_view rule) {
  return Concat("rule ", rule, " has no Assertions that each have an Assert");
}
inline std::string TemplateNoPartOfRule(std::string_view name, std::string_view nearest) {
  return Concat(name, " is no part of a rule", TemplateDidYouMean(nearest));
}
inline std::string TemplateNoTruth() {
  return "what a rule asserts is a function that gives true or false";
}
inline std::string TemplateNoRuleFunction(std::string_view function) {
  return Concat(function, " is no function that is known in rules");
}
inline std::string TemplateNoParameter(std::string_view name) {
  return Concat("this template has no parameter ", name);
}

// --- parameters

inline std::string TemplateParameterProperty(std::string_view name, std::string_view nearest) {
  return Concat(name, " is no property of a parameter", TemplateDidYouMean(nearest));
}
inline std::string TemplateParameterType(std::string_view parameter, std::string_view type) {
  return type.empty() ? Concat("parameter ", parameter, " has no Type")
                      : Concat("no type of a parameter: ", type);
}
// The value never appears: it may be a secret.
inline std::string TemplateParameterValue(std::string_view parameter, std::string_view rule,
                                          std::string_view limit, std::string_view description) {
  std::string text = Concat("the value of ", parameter, " is not as its ", rule, " says");
  if (!limit.empty()) text += Concat(": ", limit);
  if (!description.empty()) text += Concat(" (", description, ")");
  return text;
}
inline std::string TemplatePatternUnreadable(std::string_view parameter) {
  return Concat("AllowedPattern of ", parameter, " is no regular expression, or takes too long");
}

// --- functions

inline std::string TemplateUnknownFunction(std::string_view function, std::string_view nearest) {
  return Concat("CloudFormation has no function ", function, TemplateDidYouMean(nearest));
}
inline std::string TemplateMalformed(std::string_view function) {
  return Concat(function, " is not written as CloudFormation wants it");
}
inline std::string TemplateOnlyInRules(std::string_view function) {
  return Concat(function, " stands in Rules only");
}
inline std::string TemplateNoText(std::string_view function, std::string_view name) {
  return Concat(function, " wants a text, and ", name, " is none");
}
inline std::string TemplateNoElement(std::string_view index, size_t count) {
  return Concat("Fn::Select: there is no element ", index, " of ", count);
}
inline std::string TemplateNoMapping(std::string_view path) {
  return Concat("Fn::FindInMap: there is no ", path);
}
inline std::string TemplateVariablesTooDeep() {
  return "variables stand in each other more than 100 deep";
}
inline std::string TemplateVariablesTooMany() {
  return "the variables of this file make too much of it";
}
inline std::string TemplateTooLarge(std::string_view function) {
  return Concat(function, " makes too much of this template");
}
inline std::string TemplateTwice(std::string_view name) {
  return Concat("Fn::ForEach makes ", name, ", which is there already");
}

// --- the Serverless Framework

inline std::string ServerlessUnknownExtension(std::string_view attribute) {
  return Concat("extensions of a resource do not have ", attribute);
}
inline std::string ServerlessNothingToExtend(std::string_view resource) {
  return Concat("there is no resource ", resource, " among these that could be extended");
}
inline std::string ServerlessNoTruth(std::string_view name) {
  return Concat(name, " is true or false");
}
inline std::string DotenvNoAssignment() {
  return "neither NAME=VALUE nor a comment, which begins with #";
}
inline std::string DotenvCircle(std::string_view name) {
  return Concat("the value of ", name,
                " stands in itself, is longer than 128 KiB, or takes more than 64 MB with those "
                "before it");
}
inline std::string ServerlessDotenvUnread() {
  return "is not read: the framework reads it with useDotenv: true, or from frameworkVersion 4 on";
}
inline std::string ServerlessNoPart() {
  return "resources are a template, or a list of templates, or files that hold them";
}

// ===== Files of tables and items that are loaded or written.

// --- templates

inline std::string DesignOtherResources(const std::vector<std::string>& types) {
  std::string text = "only tables are loaded; left out are resources of ";
  for (size_t i = 0; i < types.size(); ++i) text += Concat(i > 0 ? ", " : "", types[i]);
  return text;
}
inline std::string DesignTableUnnamed(std::string_view resource) {
  return Concat("this table has no TableName; it is called ", resource);
}
inline std::string DesignValueUnknown(std::string_view name) {
  return Concat(name, " has no value; --parameter '", name, "=VALUE' gives it one");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_MESSAGES_H_
