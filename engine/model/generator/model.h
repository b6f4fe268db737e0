// model.txt as written: shapes with their traits and their C++ representations. The grammar is in
// ../README.md.
#ifndef DYNOLITH_ENGINE_MODEL_GENERATOR_MODEL_H_
#define DYNOLITH_ENGINE_MODEL_GENERATOR_MODEL_H_

#include <cstddef>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynolith::generator {

// Whether and how a member is in the C++ structure.
enum class Presence {
  kOptional,   // std::optional
  kPlain,      // always there
  kOmitEmpty,  // always there; written only if it is not empty
  kDefault,    // always there; written only if it is not the default
  kGiven,      // a bool: whether it was there
  kLeftOut,    // not in the structure
};

struct Member {
  std::string name;
  std::string shape;
  bool required = false;
  bool named = false;
  bool short_form = false;
  bool short_minimum = false;
  bool json_dump = false;
  bool later = false;
  bool alone_for = false;
  std::string alone_enum;

  std::string cpp_name;
  Presence presence = Presence::kOptional;
  std::string initial;      // what C++ begins with, empty: the type's own
  std::string custom_type;  // of a member that is read and written by hand
  bool text = false;        // an enumeration that is kept as its word
  bool arn_checked = false;
  bool spelled = false;
  bool first = false;  // placed in C++ before the preceding members
};

struct EnumValue {
  std::string word;
  std::string enumerator;  // "kAllOld"; empty: there is none
  std::string number;      // empty: none is promised
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
  std::vector<EnumValue> values;  // of an enumeration
  std::vector<Member> members;
  std::vector<std::string> order;

  std::string cpp_name;
  std::string initial;  // members of this shape always have a value: this word, or true or false
  bool known = false;   // an enumeration that is declared by hand
  bool unwrap = false;  // a structure of one member, which stands for it in C++
  bool violations = false;  // see RequestViolations
  bool one_word = false;    // of several wrong words the first is reported
  // A violation with a newer form is reported alone, unless a member is missing.
  bool newer_first = false;
  bool bare_words = false;  // the newer form of a wrong word is reported without envelope
};

struct Operation {
  std::string name, service, input, output;
  std::string cost;        // "point", "page", "batch" or "long"
  bool reads = false;      // never writes
  bool older = false;      // values are read as in the operations that came later (ValueLayer)
  bool statement = false;  // and as parameters of statements
  bool deep = false;       // expression values may be nested deeper than items
  bool apart = false;      // checks its members itself: its front end is another
  bool fails = false;      // there is never an output
  bool absent = false;     // answered without a C++ operation
  bool hand = false;       // declared and called by hand: its items may go to a sink
};

class Model {
 public:
  // Ends the program with a message if the text is wrong.
  explicit Model(std::istream& in);

  size_t FindShape(const std::string& name) const;
  const Shape& Find(const std::string& name) const { return shapes[FindShape(name)]; }
  // Whether a map, or a list, has attribute values as elements.
  bool HoldsAttributeValues(const Shape& shape) const { return shape.element == "AttributeValue"; }
  // The C++ type of a value of the shape: "std::string", "Item", "std::vector<Tag>".
  std::string CppTypeName(const Shape& shape) const;
  // The same for a member, with std::optional where it has one.
  std::string CppTypeName(const Member& member) const;

  std::vector<Shape> shapes;
  std::vector<Operation> operations;
  std::vector<bool> constrained;  // parallel to `shapes`

 private:
  void AddShape(std::istream& words);
  void AddMember(std::istream& words);
  void FindDefaults();
  void FindConstrained();
  bool IsConstrainedInside(const Shape& shape) const;

  std::map<std::string, size_t> index_;
};

[[noreturn]] void Fail(const std::string& what);

}  // namespace dynolith::generator

#endif  // DYNOLITH_ENGINE_MODEL_GENERATOR_MODEL_H_
