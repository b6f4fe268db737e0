// The model as C++ types, and where their members stand.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/generator/writers.h"

namespace dynolith::generator {
namespace {

bool IsInStructure(const Member& member) { return member.presence != Presence::kLeftOut; }

// The shapes that C++ callers meet, those that others are made of first.
class ReachedShapes {
 public:
  explicit ReachedShapes(const Model& model) : model_(model) {
    for (const Operation& operation : model.operations) {
      if (operation.input != "-" && !operation.absent) Reach(operation.input);
      if (operation.output != "-" && !operation.absent && !operation.fails) Reach(operation.output);
    }
  }
  const std::vector<const Shape*>& order() const { return order_; }

 private:
  void Reach(const std::string& name) {
    const Shape& shape = model_.Find(name);
    if (shape.name == "AttributeValue" || !seen_.insert(name).second) return;
    if (!shape.element.empty()) Reach(shape.element);
    ReachMembers(shape);
    // What stands for several shapes is made of the members of all.
    std::vector<const Shape*> same = {&shape};
    for (const Shape& other : model_.shapes) {
      const bool is_same = other.kind == "structure" && shape.kind == "structure" &&
                           !shape.unwrap && other.cpp_name == shape.cpp_name &&
                           seen_.insert(other.name).second;
      if (!is_same) continue;
      ReachMembers(other);
      same.push_back(&other);
    }
    order_.insert(order_.end(), same.begin(), same.end());
  }

  void ReachMembers(const Shape& shape) {
    for (const Member& member : shape.members) {
      const bool is_by_hand = !member.custom_type.empty() || member.text;
      if (IsInStructure(member) && member.presence != Presence::kGiven && !is_by_hand) {
        Reach(member.shape);
      }
    }
  }

  const Model& model_;
  std::set<std::string> seen_;
  std::vector<const Shape*> order_;
};

// One C++ type and the shapes that it stands for.
struct CppType {
  std::string name;
  std::vector<const Shape*> shapes;
};

// In the order in which they can be declared.
std::vector<CppType> ListTypes(const Model& model, const std::string& kind) {
  std::vector<CppType> types;
  const ReachedShapes reached(model);
  for (const Shape* shape : reached.order()) {
    if (shape->kind != kind || shape->unwrap || shape->known) continue;
    const auto same = std::find_if(types.begin(), types.end(), [shape](const CppType& type) {
      return type.name == shape->cpp_name;
    });
    if (same == types.end()) {
      types.push_back({shape->cpp_name, {shape}});
    } else {
      same->shapes.push_back(shape);
    }
  }
  return types;
}

std::vector<EnumValue> ListEnumerators(const CppType& type) {
  std::vector<EnumValue> all;
  for (const Shape* shape : type.shapes) {
    for (const EnumValue& value : shape->values) {
      const bool is_new = std::none_of(all.begin(), all.end(), [&value](const EnumValue& other) {
        return other.enumerator == value.enumerator;
      });
      if (!value.enumerator.empty() && is_new) all.push_back(value);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const EnumValue& a, const EnumValue& b) {
    return std::stoi("0" + a.number) < std::stoi("0" + b.number);
  });
  return all;
}

// What a member that was not given holds: "" where its type says so by itself.
std::string InitialValue(const Model& model, const Member& member) {
  if (!member.initial.empty()) return member.initial;
  if (member.presence == Presence::kGiven) return "false";
  if (member.presence == Presence::kOptional || member.text || !member.custom_type.empty())
    return "";
  const Shape* shape = &model.Find(member.shape);
  while (shape->unwrap) shape = &model.Find(shape->members.at(0).shape);
  if (shape->kind == "enum") {
    for (const EnumValue& value : shape->values) {
      if (!value.enumerator.empty()) return shape->cpp_name + "::" + value.enumerator;
    }
  }
  if (shape->kind == "boolean") return "false";
  const bool is_number =
      shape->kind == "integer" || shape->kind == "long" || shape->kind == "double";
  return is_number ? "0" : "";
}

struct CppMember {
  std::string name, type, initial;
  bool first = false;
};

// The members of all shapes of the type, in the order of their first appearance.
std::vector<CppMember> ListMembers(const Model& model, const CppType& type) {
  std::vector<CppMember> all;
  for (const Shape* shape : type.shapes) {
    for (const Member& member : shape->members) {
      if (!IsInStructure(member)) continue;
      const auto same = std::find_if(all.begin(), all.end(), [&member](const CppMember& other) {
        return other.name == member.cpp_name;
      });
      const std::string cpp_type = model.CppTypeName(member);
      if (same == all.end()) {
        all.push_back({member.cpp_name, cpp_type, InitialValue(model, member), member.first});
      } else if (same->type != cpp_type) {
        Fail(type.name + "." + member.cpp_name + " is " + same->type + " and " + cpp_type);
      }
    }
  }
  std::stable_partition(all.begin(), all.end(),
                        [](const CppMember& member) { return member.first; });
  return all;
}

std::string ShapeNames(const CppType& type) {
  std::string names;
  for (const Shape* shape : type.shapes) names += (names.empty() ? "" : ", ") + shape->name;
  return names;
}

const char* PresenceConstant(Presence presence) {
  switch (presence) {
    case Presence::kOptional:
      return "kOptional";
    case Presence::kOmitEmpty:
      return "kOmitEmpty";
    case Presence::kDefault:
      return "kDefault";
    case Presence::kGiven:
      return "kGiven";
    default:
      return "kPlain";
  }
}

bool IsStartKey(const Member& member) { return member.name == "ExclusiveStartKey"; }

std::string MemberFlags(const Model& model, const Member& member) {
  std::string flags;
  if (member.text) flags += ", .text = true";
  if (member.arn_checked) flags += ", .arn_checked = true";
  if (member.spelled) flags += ", .spelled = true";
  if (!member.custom_type.empty()) flags += ", .custom = true";
  if (member.required || model.constrained[model.FindShape(member.shape)]) {
    flags += ", .bounded = CanBeUnsound(kTypeOf<" + model.CppTypeName(member) + ">)";
  }
  if (member.presence == Presence::kDefault) {
    flags += ", .initial = static_cast<uint8_t>(" + member.initial + ")";
  }
  if (IsStartKey(member)) flags += ", .role = ItemRole::kStartKey";
  if (member.shape == "ExpressionAttributeValueMap") {
    flags += ", .role = ItemRole::kExpressionValues";
  }
  return flags;
}

// The rows of one structure; how many. The start key comes first: what is wrong with it is found
// before all else.
size_t WriteFields(const Model& model, const Shape& shape, std::ostream& out) {
  size_t count = 0;
  for (const bool start_keys : {true, false}) {
    for (size_t i = 0; i < shape.members.size(); ++i) {
      const Member& member = shape.members[i];
      if (!IsInStructure(member) || IsStartKey(member) != start_keys) continue;
      ++count;
      out << "    {.offset = ";
      if (shape.unwrap) {
        out << "0";
      } else {
        out << "offsetof(" << shape.cpp_name << ", " << member.cpp_name << ")";
      }
      out << ", .member = " << i << ", .presence = Presence::" << PresenceConstant(member.presence)
          << MemberFlags(model, member) << ", .type = &kTypeOf<" << model.CppTypeName(member)
          << ">},\n";
    }
  }
  return count;
}

void WriteNumbers(const Model& model, std::ostream& out) {
  out << "// Parallel to kEnumValues of shapes.inc: the enumerators' numbers, -1 where there is "
         "none.\n"
         "constexpr int16_t kEnumNumbers[] = {\n";
  for (const Shape& shape : model.shapes) {
    for (size_t i = 0; i < shape.values.size(); ++i) {
      const EnumValue& value = shape.values[i];
      const std::string position = value.enumerator.empty() ? "-1" : std::to_string(i);
      out << "    " << (value.number.empty() ? position : value.number) << ",  // " << value.word
          << "\n";
    }
  }
  out << "};\n";
}

}  // namespace

void WriteEnumerations(const Model& model, std::ostream& out) {
  out << "// Generated from engine/model/model.txt: the service's words.\n"
         "#ifndef DYNOLITH_ENGINE_MODEL_ENUMERATIONS_H_\n"
         "#define DYNOLITH_ENGINE_MODEL_ENUMERATIONS_H_\n\n"
         "#include <cstdint>\n\nnamespace dynolith {\n\n";
  for (const CppType& type : ListTypes(model, "enum")) {
    const std::vector<EnumValue> values = ListEnumerators(type);
    if (!values.empty() && !values[0].number.empty()) {
      out << "// On disk. Append only.\n";
    }
    out << "enum class " << type.name << " : uint8_t {\n";
    for (const EnumValue& value : values) {
      out << "  " << value.enumerator;
      if (!value.number.empty()) out << " = " << value.number;
      out << ",  // " << value.word << "\n";
    }
    out << "};\n\n";
  }
  out << "}  // namespace dynolith\n\n#endif  // DYNOLITH_ENGINE_MODEL_ENUMERATIONS_H_\n";
}

void WriteStructures(const Model& model, std::ostream& out) {
  out << "// Generated from engine/model/model.txt: the service's structures.\n"
         "#ifndef DYNOLITH_ENGINE_MODEL_STRUCTURES_H_\n"
         "#define DYNOLITH_ENGINE_MODEL_STRUCTURES_H_\n\n"
         "#include <cstdint>\n#include <optional>\n#include <string>\n#include <utility>\n#include "
         "<vector>\n\n"
         "#include \"absl/status/status.h\"\n#include \"absl/time/time.h\"\n"
         "#include \"engine/model/enumerations.h\"\n#include \"engine/value/item.h\"\n\n"
         "namespace dynolith {\n\n"
         "// \"#n\" -> attribute name, in the order given.\n"
         "using AttributeNames = std::vector<std::pair<std::string, std::string>>;\n\n"
         "// Attribute name -> entry, in the order given.\ntemplate <typename Entry>\n"
         "using AttributeMap = std::vector<std::pair<std::string, Entry>>;\n\n";
  for (const CppType& type : ListTypes(model, "structure")) {
    out << "// " << ShapeNames(type) << ".\nstruct " << type.name << " {\n";
    for (const CppMember& member : ListMembers(model, type)) {
      out << "  " << member.type << " " << member.name;
      if (!member.initial.empty()) out << " = " << member.initial;
      out << ";\n";
    }
    out << "};\n\n";
  }
  out << "}  // namespace dynolith\n\n#endif  // DYNOLITH_ENGINE_MODEL_STRUCTURES_H_\n";
}

void WriteBindings(const Model& model, std::ostream& out) {
  out << "// Generated from model.txt.\n";
  WriteNumbers(model, out);
  std::map<size_t, std::pair<size_t, size_t>> rows;  // shape -> first field, count
  size_t fields = 0;
  out << "constexpr FieldBinding kFields[] = {\n";
  std::vector<const Shape*> bound;
  const ReachedShapes reached(model);
  for (const Shape* shape : reached.order()) {
    if (shape->kind != "structure") continue;
    bound.push_back(shape);
    const size_t count = WriteFields(model, *shape, out);
    rows[model.FindShape(shape->name)] = {fields, count};
    fields += count;
  }
  out << "};\nconstexpr StructureBinding kStructures[] = {\n";
  for (size_t i = 0; i < model.shapes.size(); ++i) {
    const auto row = rows.find(i);
    const bool is_bound = row != rows.end();
    out << "    {" << (is_bound ? row->second.first : 0) << ", "
        << (is_bound ? row->second.second : 0) << ", " << (is_bound ? "true" : "false") << ", "
        << (model.shapes[i].unwrap ? "true" : "false") << ", "
        << (model.shapes[i].violations ? "true" : "false") << "},\n";
  }
  out << "};\n";
}

}  // namespace dynolith::generator
