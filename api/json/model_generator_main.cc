// Turns model.txt into C++ tables at build time:
//   model_generator <model.txt> <shapes.inc> <members.inc>
// shapes.inc holds the arrays that shapes.cc includes, members.inc the names of the members of the
// input structures as numbers, for the readers. The grammar of model.txt is in README.md.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Member {
  std::string name;
  std::string shape;
  bool required = false;
  bool named = false;
  bool short_form = false;
  bool short_minimum = false;
  bool json_dump = false;
  std::string alone_enum;
};

struct Shape {
  std::string kind;
  std::string name;
  std::string element;  // of a list or map
  std::string key;      // of a map
  std::string min = "kNoBound";
  std::string max = "kNoBound";
  std::string pattern;
  bool arn = false;
  bool characters = false;
  std::vector<std::string> values;  // of an enumeration
  std::vector<Member> members;
  std::vector<std::string> order;
};

struct Operation {
  std::string name, service, input, output;
};

[[noreturn]] void Fail(const std::string& what) {
  std::cerr << "model.txt: " << what << "\n";
  std::exit(1);
}

class Model {
 public:
  explicit Model(std::istream& in) {
    std::string line;
    while (std::getline(in, line)) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      line[0] == ' ' ? AddMember(words) : AddShape(words);
    }
    for (size_t i = 0; i < shapes.size(); ++i) index[shapes[i].name] = i;
    FindConstrained();
  }

  size_t IndexOf(const std::string& name) const {
    const auto found = index.find(name);
    if (found == index.end()) Fail("no such shape: " + name);
    return found->second;
  }
  const Shape& Find(const std::string& name) const { return shapes[IndexOf(name)]; }

  std::vector<Shape> shapes;
  std::vector<Operation> operations;
  std::map<std::string, size_t> index;
  std::vector<bool> constrained;

 private:
  void AddShape(std::istream& words) {
    Shape shape;
    words >> shape.kind;
    if (shape.kind == "operation") {
      Operation& operation = operations.emplace_back();
      words >> operation.name >> operation.service >> operation.input >> operation.output;
      return;
    }
    words >> shape.name;
    if (shape.kind == "map") words >> shape.key;
    if (shape.kind == "map" || shape.kind == "list") words >> shape.element;
    for (std::string word; words >> word;) AddTrait(word, &shape);
    shapes.push_back(shape);
  }

  static void AddTrait(const std::string& word, Shape* shape) {
    if (shape->kind == "enum") {
      shape->values.push_back(word);
    } else if (word.rfind("min=", 0) == 0) {
      shape->min = word.substr(4);
    } else if (word.rfind("max=", 0) == 0) {
      shape->max = word.substr(4);
    } else if (word.rfind("pattern=", 0) == 0) {
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

  void AddMember(std::istream& words) {
    if (shapes.empty() || shapes.back().kind != "structure") Fail("a member outside a structure");
    Member member;
    words >> member.name;
    if (member.name == "order") {
      for (std::string word; words >> word;) shapes.back().order.push_back(word);
      return;
    }
    if (member.name.back() == '*') {
      member.required = true;
      member.name.pop_back();
    }
    words >> member.shape;
    for (std::string word; words >> word;) {
      if (word == "named") {
        member.named = true;
      } else if (word == "short") {
        member.short_form = member.short_minimum = true;
      } else if (word == "short-min") {
        member.short_minimum = true;
      } else if (word == "json") {
        member.json_dump = true;
      } else if (word.rfind("alone=", 0) == 0) {
        member.alone_enum = word.substr(6);
      } else {
        Fail("unknown flag " + word + " of " + member.name);
      }
    }
    shapes.back().members.push_back(member);
  }

  // A shape is constrained if a value of it, or anything inside, can break a constraint. What an
  // attribute value holds is not checked by constraints.
  void FindConstrained() {
    constrained.resize(shapes.size());
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Shape& shape = shapes[i];
      constrained[i] = shape.min != "kNoBound" || shape.max != "kNoBound" ||
                       !shape.pattern.empty() || shape.kind == "enum";
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < shapes.size(); ++i) {
        if (constrained[i] || shapes[i].name == "AttributeValue") continue;
        if (IsConstrainedInside(shapes[i])) constrained[i] = changed = true;
      }
    }
  }

  bool IsConstrainedInside(const Shape& shape) const {
    if (!shape.element.empty() && shape.element != "AttributeValue") return true;
    if (!shape.key.empty() && constrained[IndexOf(shape.key)]) return true;
    for (const Member& member : shape.members) {
      if (member.required || constrained[IndexOf(member.shape)]) return true;
    }
    return false;
  }
};

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

struct CharacterClass {
  uint64_t low = 0;     // characters 0 to 63
  uint64_t high = 0;    // 64 to 127
  bool beyond = false;  // all others
};

// What api/json/shapes.h says of a pattern, from the few forms of regular expressions that the
// service's model has.
struct Pattern {
  CharacterClass all, ends;
  std::string min = "1", max = "kNoBound", multiple = "1";
};

// Takes a regular expression apart from the left.
class PatternReader {
 public:
  explicit PatternReader(const std::string& text) : text_(text) {}

  Pattern Read() {
    Pattern pattern;
    Accept("^");
    const bool is_group = Accept("(");
    pattern.all = pattern.ends = TakeClass();
    TakeCount(&pattern);
    if (is_group) {
      if (!Accept(")+")) Fail("pattern " + text_);
      pattern.multiple = pattern.max;
      pattern.max = "kNoBound";
    } else if (at_ < text_.size() && text_[at_] == '[') {
      TakeMiddleAndEnd(&pattern);
    }
    Accept("$");
    if (at_ != text_.size()) Fail("pattern " + text_);
    return pattern;
  }

 private:
  bool Accept(std::string_view expected) {
    if (text_.compare(at_, expected.size(), expected) != 0) return false;
    at_ += expected.size();
    return true;
  }

  // "[ends]+[all]*[ends]+": whatever is between the first and the last character.
  void TakeMiddleAndEnd(Pattern* pattern) {
    const CharacterClass& all = pattern->all = TakeClass();
    const bool has_middle = Accept("*");
    const CharacterClass end = TakeClass();
    const CharacterClass& begin = pattern->ends;
    const bool same_ends = end.low == begin.low && end.high == begin.high && !end.beyond;
    const bool ends_are_inside = (end.low & ~all.low) == 0 && (end.high & ~all.high) == 0;
    if (!has_middle || !Accept("+") || !same_ends || !ends_are_inside) Fail("pattern " + text_);
    pattern->min = "2";
  }

  void TakeCount(Pattern* pattern) {
    if (Accept("*")) {
      pattern->min = "0";
    } else if (Accept("{")) {
      const size_t end = text_.find('}', at_);
      if (end == std::string::npos) Fail("pattern " + text_);
      pattern->min = pattern->max = text_.substr(at_, end - at_);
      at_ = end + 1;
    } else if (!Accept("+")) {
      pattern->max = "1";
    }
  }

  CharacterClass TakeClass() {
    CharacterClass taken;
    if (Accept("\\p{Print}")) {
      Add(' ', '~', &taken);
      return taken;
    }
    if (!Accept("[")) Fail("pattern " + text_);
    const bool negated = Accept("^");
    while (!Accept("]")) {
      if (at_ >= text_.size()) Fail("pattern " + text_);
      if (Accept("\\w")) {
        for (const auto& [first, last] :
             {std::pair('a', 'z'), {'A', 'Z'}, {'0', '9'}, {'_', '_'}}) {
          Add(static_cast<unsigned>(first), static_cast<unsigned>(last), &taken);
        }
        continue;
      }
      const unsigned first = TakeCharacter();
      const bool is_range = at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']';
      if (is_range) ++at_;
      Add(first, is_range ? TakeCharacter() : first, &taken);
    }
    return negated ? CharacterClass{~taken.low, ~taken.high, !taken.beyond} : taken;
  }

  // Beyond ASCII, one character allows all.
  static void Add(unsigned first, unsigned last, CharacterClass* into) {
    for (unsigned c = first; c <= std::min(last, 127U); ++c) {
      (c < 64 ? into->low : into->high) |= 1ULL << (c % 64);
    }
    into->beyond |= last > 127;
  }

  unsigned TakeCharacter() {
    constexpr std::string_view kNames = "nrt";
    constexpr std::string_view kNamed = "\n\r\t";
    if (text_[at_] != '\\') return static_cast<unsigned char>(text_[at_++]);
    const char kind = text_[at_ + 1];
    at_ += 2;
    if (kind == 'x' || kind == 'u') {
      const size_t digits = kind == 'x' ? 2 : 4;
      at_ += digits;
      return static_cast<unsigned>(std::stoul(text_.substr(at_ - digits, digits), nullptr, 16));
    }
    const size_t name = kNames.find(kind);
    return static_cast<unsigned char>(name == std::string_view::npos ? kind : kNamed[name]);
  }

  const std::string& text_;
  size_t at_ = 0;
};

std::string Printed(const CharacterClass& characters) {
  return "{" + std::to_string(characters.low) + "ULL, " + std::to_string(characters.high) +
         "ULL, " + (characters.beyond ? "true" : "false") + "}";
}

std::string Quoted(const std::string& text) { return "R\"(" + text + ")\""; }

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
    return shape == "-" ? "kNoShape" : std::to_string(model_.IndexOf(shape));
  }

  void WriteShape(const Shape& shape) {
    const bool is_enum = shape.kind == "enum";
    const size_t first = is_enum ? values_count_ : members_count_;
    const size_t count = is_enum ? shape.values.size() : shape.members.size();
    std::string pattern = "kNoPattern";
    if (!shape.pattern.empty()) {
      const Pattern parsed = PatternReader(shape.pattern).Read();
      patterns_ << "    {" << Quoted(shape.pattern) << ", " << Printed(parsed.all) << ", "
                << Printed(parsed.ends) << ", " << parsed.min << ", " << parsed.max << ", "
                << parsed.multiple << "},\n";
      pattern = std::to_string(patterns_count_++);
    }
    shapes_ << "    {\"" << shape.name << "\", ShapeKind::" << KindConstant(shape.kind) << ", "
            << (shape.arn ? "true" : "false") << ", " << (shape.characters ? "true" : "false")
            << ", " << (model_.constrained[model_.IndexOf(shape.name)] ? "true" : "false") << ", "
            << shape.min << ", " << shape.max << ", " << pattern << ", "
            << Number(shape.element.empty() ? "-" : shape.element) << ", "
            << Number(shape.key.empty() ? "-" : shape.key) << ", " << first << ", " << count << ", "
            << orders_count_ << "},\n";
    for (const std::string& value : shape.values) values_ << "    \"" << value << "\",\n";
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
    members_ << "    {\"" << member.name << "\", " << model_.IndexOf(member.shape) << ", "
             << flag(member.required) << flag(member.named) << flag(member.short_minimum)
             << flag(member.short_form) << flag(member.json_dump) << "\"" << alone << "\"},\n";
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

void WriteMembers(const Model& model, std::ostream& out) {
  std::set<std::string> inputs;
  for (const Operation& operation : model.operations) {
    CollectInputs(model, operation.input, &inputs);
  }
  out << "// Generated from model.txt.\n";
  for (const Shape& shape : model.shapes) {
    if (shape.kind != "structure" || !inputs.count(shape.name)) continue;
    out << "namespace " << shape.name
        << " {\ninline constexpr int kShape = " << model.IndexOf(shape.name)
        << ";\nenum Member : int {\n";
    for (const Member& member : shape.members) out << "  k" << member.name << ",\n";
    out << "};\n}  // namespace " << shape.name << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) Fail("usage: model_generator <model.txt> <shapes.inc> <members.inc>");
  std::ifstream in(argv[1]);
  if (!in) Fail("cannot be read");
  const Model model(in);
  std::ofstream shapes(argv[2]);
  ShapesWriter(model, shapes).Write();
  std::ofstream members(argv[3]);
  WriteMembers(model, members);
  shapes.flush();
  members.flush();
  return shapes && members ? 0 : 1;
}
