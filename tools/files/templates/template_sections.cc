#include "tools/files/templates/template_sections.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/nearest_word.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/table/messages.h"
#include "tools/files/templates/messages.h"
#include "tools/files/templates/template_values.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

constexpr std::string_view kVersion = "2010-09-09";
// Transforms that do not change tables, or that are applied here.
constexpr std::string_view kTransforms[] = {kServerlessTransform,
                                            kLanguageExtensions,
                                            "AWS::CodeDeployBlueGreen",
                                            "AWS::ServiceCatalog",
                                            "AWS::SecretsManager-2020-07-23",
                                            "AWS::SecretsManager-2024-09-16"};

struct Section {
  std::string_view name;
  bool is_map;
  // Whether macros in it are refused here. Those in resources are refused with the resource, and
  // the other sections do not affect tables.
  bool takes_macros;
};
constexpr Section kSections[] = {{"AWSTemplateFormatVersion", false, false},
                                 {"Description", false, false},
                                 {"Metadata", true, false},
                                 {"Parameters", true, true},
                                 {"Rules", true, true},
                                 {"Mappings", true, true},
                                 {"Conditions", true, true},
                                 {"Transform", false, false},
                                 {"Globals", true, true},
                                 {"Resources", true, false},
                                 {"Outputs", true, false},
                                 {"Hooks", true, false}};

std::string NearestSection(std::string_view name) {
  std::vector<std::string> names;
  for (const Section& known : kSections) names.emplace_back(known.name);
  return NearestWord(name, names);
}

class SectionCheck {
 public:
  SectionCheck(const std::string& file, const ReadOptions& options, Findings* findings)
      : file_(file), options_(options), findings_(findings) {}

  void Transforms(const JsonTree& transform) {
    const std::vector<JsonTree> one = {transform};
    for (const JsonTree& element : transform.kind == Kind::kList ? transform.elements : one) {
      const std::string_view text = TransformName(element);
      if (std::find(std::begin(kTransforms), std::end(kTransforms), text) != std::end(kTransforms))
        continue;
      if (text.empty()) {
        findings_->Fail(LocationInFile(file_, element), messages::TemplateMalformed("Transform"));
      } else {
        Refuse(options_, LocationInFile(file_, element), text,
               messages::TemplateUnknownTransform(text), findings_);
      }
    }
  }

  // Whether the section is known. Reports what is wrong with it, and removes its macros.
  bool IsSection(const std::string& name, JsonTree* section) {
    if (name == kMacro) {
      RefuseMacro(file_, options_, *section, findings_);
      return false;
    }
    const auto* const known =
        std::find_if(std::begin(kSections), std::end(kSections),
                     [&](const Section& other) { return other.name == name; });
    if (known == std::end(kSections)) {
      const std::string why = messages::TemplateUnknownSection(name, NearestSection(name));
      Refuse(options_, LocationInFile(file_, *section), name, why, findings_);
      return false;
    }
    if (name == "AWSTemplateFormatVersion" && section->text != kVersion) {
      findings_->Fail(LocationInFile(file_, *section), messages::TemplateVersion(section->text));
    }
    if (known->is_map && section->kind != Kind::kMap && section->text != "null") {
      findings_->Fail(LocationInFile(file_, *section), messages::TemplateNoMap(name));
    }
    if (known->takes_macros) TakeMacros(name == "Mappings", section);
    return true;
  }

 private:
  void TakeMacros(bool has_maps, JsonTree* section) {
    if (const JsonTree* const macro = section->Find(kMacro)) {
      RefuseMacro(file_, options_, *macro, findings_);
      RemoveMember(section, kMacro);
    }
    if (!has_maps) return;
    for (JsonTree::Member& member : section->members) TakeMacros(/*has_maps=*/false, &member.value);
  }

  const std::string& file_;
  const ReadOptions& options_;
  Findings* const findings_;
};

}  // namespace

void Refuse(const ReadOptions& options, FileLocation place, std::string_view name,
            std::string_view why, Findings* findings) {
  if (options.left_out.count(std::string(name)) > 0) {
    findings->Warn(std::move(place), messages::TemplateLeftOut(name));
  } else {
    findings->Fail(std::move(place), messages::TemplateRefused(why, name));
  }
}

void RefuseMacro(const std::string& file, const ReadOptions& options, const JsonTree& call,
                 Findings* findings) {
  const std::string_view name = MemberText(call.Find("Name"));
  if (name.empty()) {
    return findings->Fail(LocationInFile(file, call), messages::TemplateMalformed(kMacro));
  }
  Refuse(options, LocationInFile(file, call), name, messages::TemplateUnknownTransform(name),
         findings);
}

void CheckSections(const std::string& file, const ReadOptions& options, JsonTree* document,
                   Findings* findings) {
  SectionCheck check(file, options, findings);
  std::vector<JsonTree::Member> kept;
  for (JsonTree::Member& section : document->members) {
    if (check.IsSection(section.name, &section.value)) kept.push_back(std::move(section));
  }
  document->members = std::move(kept);
  if (const JsonTree* const transform = document->Find("Transform")) check.Transforms(*transform);
}

}  // namespace dynolith::designs
