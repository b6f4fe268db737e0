// Shapes as tables: what each may hold.
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "engine/model/generator/pattern.h"
#include "engine/model/generator/writers.h"

namespace dynolith::generator {
namespace {

const char* KindConstant(const std::string& kind) {
  static const std::map<std::string, const char*> kKinds = {
      {"string", "kString"},       {"enum", "kEnum"},
      {"integer", "kInteger"},     {"long", "kLong"},
      {"double", "kDouble"},       {"boolean", "kBoolean"},
      {"timestamp", "kTimestamp"}, {"blob", "kBlob"},
      {"list", "kList"},           {"map", "kMap"},
      {"structure", "kStructure"}};
  const auto found = kKinds.find(kind);
  if (found == kKinds.end()) Fail("unknown kind " + kind);
  return found->second;
}

class ShapesWriter {
 public:
  ShapesWriter(const Model& model, std::ostream& out) : model_(model), out_(out) {}

  void Write() {
    out_ << "// Generated from model.txt.\n";
    for (const Shape& shape : model_.shapes) WriteShape(shape);
    Array("ShapeMember", "kMembers", members_.str());
    Array("uint8_t", "kOrders", orders_.str());
    Array("std::string_view", "kEnumValues", values_.str());
    Array("Pattern", "kPatterns", patterns_.str());
    Array("Shape", "kShapes", shapes_.str());
    for (const Operation& operation : model_.operations) {
      operations_ << "    {\"" << operation.name
                  << "\", Service::" << (operation.service == "streams" ? "kStreams" : "kDynamo")
                  << ", " << Number(operation.input) << ", " << Number(operation.output) << "},\n";
    }
    Array("OperationShape", "kOperations", operations_.str());
  }

 private:
  void Array(const char* type, const char* name, const std::string& rows) {
    out_ << "constexpr " << type << " " << name << "[] = {\n" << rows << "};\n";
  }

  std::string Number(const std::string& shape) const {
    return shape == "-" ? "kNoShape" : std::to_string(model_.FindShape(shape));
  }

  void WriteShape(const Shape& shape) {
    const bool is_enum = shape.kind == "enum";
    const size_t first = is_enum ? values_count_ : members_count_;
    const size_t count = is_enum ? shape.values.size() : shape.members.size();
    std::string pattern = "kNoPattern";
    if (!shape.pattern.empty()) {
      patterns_ << "    " << PatternInitializer(shape.pattern) << ",\n";
      pattern = std::to_string(patterns_count_++);
    }
    shapes_ << "    {\"" << shape.name << "\", ShapeKind::" << KindConstant(shape.kind) << ", "
            << (shape.arn ? "true" : "false") << ", " << (shape.characters ? "true" : "false")
            << ", " << (model_.constrained[model_.FindShape(shape.name)] ? "true" : "false") << ", "
            << (shape.one_word ? "true" : "false") << ", " << (shape.newer_first ? "true" : "false")
            << ", " << (shape.bare_words ? "true" : "false") << ", " << shape.min << ", "
            << shape.max << ", " << pattern << ", "
            << Number(shape.element.empty() ? "-" : shape.element) << ", "
            << Number(shape.key.empty() ? "-" : shape.key) << ", " << first << ", " << count << ", "
            << orders_count_ << "},\n";
    for (const EnumValue& value : shape.values) values_ << "    \"" << value.word << "\",\n";
    values_count_ += shape.values.size();
    for (const Member& member : shape.members) WriteMember(member);
    WriteOrder(shape);
  }

  void WriteMember(const Member& member) {
    std::string alone = member.alone_enum;
    for (size_t at = 0; (at = alone.find(',', at)) != std::string::npos; at += 2) {
      alone.replace(at, 1, ", ");
    }
    const auto flag = [](bool value) { return value ? "true, " : "false, "; };
    members_ << "    {\"" << member.name << "\", " << model_.FindShape(member.shape) << ", "
             << flag(member.required) << flag(member.named) << flag(member.short_minimum)
             << flag(member.short_form) << flag(member.json_dump) << flag(member.later)
             << flag(member.alone_for) << "\"" << alone << "\"},\n";
    ++members_count_;
  }

  // The members in the order in which their constraints are reported: those of `order`, then the
  // others as declared.
  void WriteOrder(const Shape& shape) {
    std::vector<size_t> sequence;
    std::set<size_t> taken;
    for (const std::string& name : shape.order) {
      size_t i = 0;
      while (i < shape.members.size() && shape.members[i].name != name) ++i;
      if (i == shape.members.size()) Fail("order of " + shape.name + " names " + name);
      if (taken.insert(i).second) sequence.push_back(i);
    }
    for (size_t i = 0; i < shape.members.size(); ++i) {
      if (!taken.count(i)) sequence.push_back(i);
    }
    if (sequence.empty()) return;
    orders_ << "    ";
    for (const size_t i : sequence) orders_ << i << ", ";
    orders_ << "\n";
    orders_count_ += sequence.size();
  }

  const Model& model_;
  std::ostream& out_;
  std::ostringstream shapes_, members_, orders_, values_, patterns_, operations_;
  size_t members_count_ = 0, orders_count_ = 0, values_count_ = 0, patterns_count_ = 0;
};

void CollectInputs(const Model& model, const std::string& name, std::set<std::string>* names) {
  if (name == "-" || !names->insert(name).second) return;
  const Shape& shape = model.Find(name);
  for (const Member& member : shape.members) CollectInputs(model, member.shape, names);
  if (!shape.element.empty()) CollectInputs(model, shape.element, names);
}

}  // namespace

void WriteShapes(const Model& model, std::ostream& out) { ShapesWriter(model, out).Write(); }

void WriteMembers(const Model& model, std::ostream& out) {
  std::set<std::string> inputs;
  for (const Operation& operation : model.operations) {
    CollectInputs(model, operation.input, &inputs);
  }
  out << "// Generated from model.txt.\n";
  for (const Shape& shape : model.shapes) {
    if (shape.kind != "structure" || !inputs.count(shape.name)) continue;
    out << "namespace " << shape.name
        << " {\ninline constexpr int kShape = " << model.FindShape(shape.name)
        << ";\nenum Member : int {\n";
    for (const Member& member : shape.members) out << "  k" << member.name << ",\n";
    out << "};\n}  // namespace " << shape.name << "\n";
  }
}

}  // namespace dynolith::generator
