#include "engine/model/generator/model.h"

#include <cctype>
#include <cstdlib>
#include <iostream>
#include <sstream>

namespace dynolith::generator {
namespace {

bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool IsLower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }
char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// "SSESpecification" -> "sse_specification", "S3BucketOwner" -> "s3_bucket_owner".
std::string SnakeCase(const std::string& name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool begins_word =
        i > 0 && IsUpper(name[i]) &&
        (!IsUpper(name[i - 1]) || (i + 1 < name.size() && IsLower(name[i + 1])));
    if (begins_word) text += '_';
    text += Lower(name[i]);
  }
  return text;
}

// "PAY_PER_REQUEST" -> "kPayPerRequest".
std::string Enumerator(const std::string& word) {
  std::string text = "k";
  bool begins = true;
  for (const char c : word) {
    if (c == '_') {
      begins = true;
      continue;
    }
    text += begins ? c : Lower(c);
    begins = false;
  }
  return text;
}

// What a structure is called in C++ unless it says so: requests are requests.
std::string StructureName(const std::string& name) {
  constexpr std::string_view kInput = "Input";
  if (name.size() > kInput.size() &&
      name.compare(name.size() - kInput.size(), kInput.size(), kInput) == 0) {
    return name.substr(0, name.size() - kInput.size()) + "Request";
  }
  return name;
}

// "WORD", "WORD=1" or "WORD=1:kName".
EnumValue ReadEnumValue(const std::string& text) {
  EnumValue value;
  const size_t equals = text.find('=');
  value.word = text.substr(0, equals);
  if (equals == std::string::npos) return value;
  const size_t colon = text.find(':', equals);
  value.number = text.substr(equals + 1, colon == std::string::npos ? colon : colon - equals - 1);
  value.enumerator = colon == std::string::npos ? Enumerator(value.word) : text.substr(colon + 1);
  return value;
}

bool Begins(const std::string& text, std::string_view prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

void AddTrait(const std::string& word, Shape* shape) {
  if (Begins(word, "as=")) {
    shape->cpp_name = word.substr(3);
  } else if (Begins(word, "default=")) {
    shape->initial = word.substr(8);
  } else if (word == "known") {
    shape->known = true;
  } else if (word == "unwrap") {
    shape->unwrap = true;
  } else if (word == "violations") {
    shape->violations = true;
  } else if (word == "one-word") {
    shape->one_word = true;
  } else if (word == "newer-first") {
    shape->newer_first = true;
  } else if (word == "bare-words") {
    shape->bare_words = true;
  } else if (shape->kind == "enum") {
    shape->values.push_back(ReadEnumValue(word));
  } else if (Begins(word, "min=")) {
    shape->min = word.substr(4);
  } else if (Begins(word, "max=")) {
    shape->max = word.substr(4);
  } else if (Begins(word, "pattern=")) {
    shape->pattern = word.substr(8);
    // Words end at blanks.
    if (const size_t blank = shape->pattern.find("%20"); blank != std::string::npos) {
      shape->pattern.replace(blank, 3, " ");
    }
  } else if (word == "arn") {
    shape->arn = true;
  } else if (word == "characters") {
    shape->characters = true;
  } else {
    Fail("unknown trait " + word + " of " + shape->name);
  }
}

// Flags of a member that are about its C++ side; false if the word is none.
bool AddRepresentation(const std::string& word, Member* member) {
  if (Begins(word, "as=")) {
    member->cpp_name = word.substr(3);
  } else if (Begins(word, "type=")) {
    member->custom_type = word.substr(5);
    if (member->presence == Presence::kOptional) member->presence = Presence::kPlain;
  } else if (Begins(word, "given=")) {
    member->presence = Presence::kGiven;
    member->cpp_name = word.substr(6);
  } else if (Begins(word, "initial=")) {
    member->initial = word.substr(8);
  } else if (Begins(word, "=")) {
    member->presence = Presence::kDefault;
    member->initial = word.substr(1);
  } else if (word == "none") {
    member->presence = Presence::kLeftOut;
  } else if (word == "text") {
    member->text = true;
  } else if (word == "arn-checked") {
    member->arn_checked = true;
  } else if (word == "first") {
    member->first = true;
  } else if (word == "spelled") {
    member->spelled = true;
  } else {
    return false;
  }
  return true;
}

void AddFlag(const std::string& word, Member* member) {
  if (AddRepresentation(word, member)) return;
  if (word == "named") {
    member->named = true;
  } else if (word == "short") {
    member->short_form = member->short_minimum = true;
  } else if (word == "short-min") {
    member->short_minimum = true;
  } else if (word == "json") {
    member->json_dump = true;
  } else if (word == "later") {
    member->later = true;
  } else if (Begins(word, "alone-for=")) {
    member->alone_enum = word.substr(10);
    member->alone_for = true;
  } else if (Begins(word, "alone=")) {
    member->alone_enum = word.substr(6);
  } else {
    Fail("unknown flag " + word + " of " + member->name);
  }
}

void CheckCost(const Operation& operation) {
  for (const std::string_view known : {"point", "page", "batch", "long"}) {
    if (operation.cost == known) return;
  }
  Fail("what does " + operation.name + " cost?");
}

void AddOperationFlag(const std::string& word, Operation* operation) {
  if (word == "reads") {
    operation->reads = true;
  } else if (word == "older") {
    operation->older = true;
  } else if (word == "statement") {
    operation->older = operation->statement = true;
  } else if (word == "deep") {
    operation->deep = true;
  } else if (word == "apart") {
    operation->apart = true;
  } else if (word == "fails") {
    operation->fails = true;
  } else if (word == "hand") {
    operation->hand = true;
  } else if (word == "absent") {
    operation->absent = true;
  } else {
    Fail("unknown flag " + word + " of " + operation->name);
  }
}

// The marks behind a member's name: "*" required, "?" optional in C++ all the same, "!" always
// there in C++, "~" always there and written only if not empty.
void TakeMarks(Member* member) {
  bool optional = false;
  while (std::string_view("*?!~").find(member->name.back()) != std::string_view::npos) {
    const char mark = member->name.back();
    member->name.pop_back();
    if (mark == '*') member->required = true;
    if (mark == '?') optional = true;
    if (mark == '!') member->presence = Presence::kPlain;
    if (mark == '~') member->presence = Presence::kOmitEmpty;
  }
  if (member->required && !optional && member->presence == Presence::kOptional) {
    member->presence = Presence::kPlain;
  }
}

}  // namespace

void Fail(const std::string& what) {
  std::cerr << "model.txt: " << what << "\n";
  std::exit(1);
}

Model::Model(std::istream& in) {
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    line[0] == ' ' ? AddMember(words) : AddShape(words);
  }
  for (size_t i = 0; i < shapes.size(); ++i) index_[shapes[i].name] = i;
  FindDefaults();
  FindConstrained();
}

size_t Model::FindShape(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) Fail("no such shape: " + name);
  return found->second;
}

void Model::AddShape(std::istream& words) {
  Shape shape;
  words >> shape.kind;
  if (shape.kind == "operation") {
    Operation& operation = operations.emplace_back();
    words >> operation.name >> operation.service >> operation.input >> operation.output >>
        operation.cost;
    CheckCost(operation);
    for (std::string word; words >> word;) AddOperationFlag(word, &operation);
    return;
  }
  words >> shape.name;
  if (shape.kind == "map") words >> shape.key;
  if (shape.kind == "map" || shape.kind == "list") words >> shape.element;
  for (std::string word; words >> word;) AddTrait(word, &shape);
  if (shape.cpp_name.empty()) shape.cpp_name = StructureName(shape.name);
  bool numbered = false;
  for (const EnumValue& value : shape.values) numbered = numbered || !value.number.empty();
  for (EnumValue& value : shape.values) {
    if (!numbered) value.enumerator = Enumerator(value.word);
  }
  shapes.push_back(shape);
}

void Model::AddMember(std::istream& words) {
  if (shapes.empty() || shapes.back().kind != "structure") Fail("a member outside a structure");
  Member member;
  words >> member.name;
  if (member.name == "order") {
    for (std::string word; words >> word;) shapes.back().order.push_back(word);
    return;
  }
  TakeMarks(&member);
  words >> member.shape;
  for (std::string word; words >> word;) AddFlag(word, &member);
  if (member.cpp_name.empty()) member.cpp_name = SnakeCase(member.name);
  shapes.back().members.push_back(member);
}

// Members of a shape with a default always have a value.
void Model::FindDefaults() {
  for (Shape& shape : shapes) {
    for (Member& member : shape.members) {
      const Shape& type = Find(member.shape);
      if (type.initial.empty() || member.presence != Presence::kOptional) continue;
      member.presence = Presence::kDefault;
      member.initial =
          type.kind == "enum" ? type.cpp_name + "::" + Enumerator(type.initial) : type.initial;
    }
  }
}

// A shape is constrained if a value of it, or anything inside, can break a constraint. What an
// attribute value holds is not checked by constraints.
void Model::FindConstrained() {
  constrained.resize(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    constrained[i] = shape.min != "kNoBound" || shape.max != "kNoBound" || !shape.pattern.empty() ||
                     shape.kind == "enum";
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (constrained[i] || shapes[i].name == "AttributeValue") continue;
      if (IsConstrainedInside(shapes[i])) constrained[i] = changed = true;
    }
  }
}

bool Model::IsConstrainedInside(const Shape& shape) const {
  if (!shape.element.empty() && shape.element != "AttributeValue") return true;
  if (!shape.key.empty() && constrained[FindShape(shape.key)]) return true;
  for (const Member& member : shape.members) {
    if (member.required || constrained[FindShape(member.shape)]) return true;
  }
  return false;
}

std::string Model::CppTypeName(const Shape& shape) const {
  static const std::map<std::string, std::string> kScalars = {
      {"string", "std::string"}, {"integer", "int64_t"},      {"long", "int64_t"},
      {"double", "double"},      {"timestamp", "absl::Time"}, {"boolean", "bool"},
      {"blob", "std::string"}};
  if (const auto scalar = kScalars.find(shape.kind); scalar != kScalars.end())
    return scalar->second;
  if (shape.name == "AttributeValue") return "Value";
  if (shape.kind == "enum") return shape.cpp_name;
  if (shape.kind == "structure")
    return shape.unwrap ? CppTypeName(shape.members.at(0)) : shape.cpp_name;
  if (shape.kind == "list") return "std::vector<" + CppTypeName(Find(shape.element)) + ">";
  if (HoldsAttributeValues(shape)) return "Item";
  return "std::vector<std::pair<std::string, " + CppTypeName(Find(shape.element)) + ">>";
}

std::string Model::CppTypeName(const Member& member) const {
  if (member.presence == Presence::kGiven) return "bool";
  const Shape& shape = Find(member.shape);
  std::string type = member.text ? "std::string" : CppTypeName(shape);
  if (!member.custom_type.empty()) type = member.custom_type;
  const bool is_optional = Begins(type, "std::optional<");
  return member.presence == Presence::kOptional && !is_optional ? "std::optional<" + type + ">"
                                                                : type;
}

}  // namespace dynolith::generator
