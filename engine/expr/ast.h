// The result of parsing: flat arrays, no tree of heap nodes. Shared by expressions, the legacy
// parameters and PartiQL. Everything here borrows names and values from the request.
//
// A condition is code for a machine with one truth register:
//   condition = test | condition AND condition | condition OR condition | condition NOT
//   test      sets the register from its operands [begin, end)
//   AND       skips to step `end` if the register is false; the right side's steps follow
//   OR        skips to step `end` if the register is true
//   NOT       inverts the register
// so that evaluation is one loop: no recursion, no allocation.
#ifndef DYNOLITH_ENGINE_EXPR_AST_H_
#define DYNOLITH_ENGINE_EXPR_AST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "engine/value/value.h"

namespace dynolith {

// One step into a map (a name) or into a list (an index).
class PathElement {
 public:
  static PathElement Name(std::string_view name) { return PathElement(name, -1); }
  static PathElement Index(uint32_t index) { return PathElement({}, index); }

  bool is_index() const { return index_ >= 0; }
  // Requires: !is_index().
  std::string_view name() const { return name_; }
  // Requires: is_index().
  uint32_t index() const { return static_cast<uint32_t>(index_); }

  friend bool operator==(const PathElement&, const PathElement&) = default;
  // Names before indexes; names bytewise, indexes by number.
  friend bool operator<(const PathElement& left, const PathElement& right) {
    if (left.index_ != right.index_) return left.index_ < right.index_;
    return left.name_ < right.name_;
  }

 private:
  PathElement(std::string_view name, int64_t index) : name_(name), index_(index) {}
  std::string_view name_;
  int64_t index_;
};

// A document path with its placeholders resolved: a top-level attribute name, then steps.
class Path {
 public:
  // An empty path; Append a name first.
  Path() = default;
  explicit Path(std::string_view attribute) { Append(PathElement::Name(attribute)); }

  void Append(PathElement element) { elements_.push_back(element); }
  // Requires: element i is a name.
  void Rename(size_t i, std::string_view name) { elements_[i] = PathElement::Name(name); }

  // The attribute at the top level. Requires: not empty.
  std::string_view attribute() const { return elements_[0].name(); }
  bool is_top_level() const { return elements_.size() == 1; }
  size_t size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  const PathElement& operator[](size_t i) const { return elements_[i]; }

  // As error messages print it: "[a, [1], b]".
  std::string ToString() const;

  friend bool operator==(const Path&, const Path&) = default;
  friend bool operator<(const Path& left, const Path& right) {
    return left.elements_ < right.elements_;
  }

 private:
  absl::InlinedVector<PathElement, 1> elements_;
};

enum class OperandKind : uint8_t {
  kPath,         // the value at paths[index]; missing if there is none
  kValue,        // values[index]
  kSizeOfPath,   // the size of the value at paths[index]; missing if it has none
  kSizeOfValue,  // the size of values[index]
};

struct Operand {
  OperandKind kind = OperandKind::kPath;
  uint32_t index = 0;
};

enum class StepKind : uint8_t {
  // Structure.
  kAnd,
  kOr,
  kNot,
  // Tests, with their number of operands.
  kEqual,               // 2
  kNotEqual,            // 2
  kLess,                // 2
  kLessEqual,           // 2
  kGreater,             // 2
  kGreaterEqual,        // 2
  kBetween,             // 3: value, lower bound, upper bound
  kIn,                  // 1 and the list
  kAttributeExists,     // 1
  kAttributeNotExists,  // 1
  kAttributeType,       // 1, and `type`
  kBeginsWith,          // 2
  kContains,            // 2
};

inline bool IsTest(StepKind kind) { return kind > StepKind::kNot; }

// As messages name it: "<=", "BETWEEN", "begins_with".
std::string_view OperationName(StepKind kind);

struct Step {
  StepKind kind = StepKind::kAnd;
  Type type = Type::kNull;  // of kAttributeType
  // For a test its operands; for AND and OR the steps of both sides and of itself; for NOT the
  // steps before it: [begin, end).
  uint32_t begin = 0;
  uint32_t end = 0;
};

// One condition. An empty one is true.
//
// To build `a = :v AND NOT attribute_exists(b)`:
//   ast.AddTest(StepKind::kEqual, {ast.PathOperand(Path("a")), ast.ValueOperand(v)});
//   const uint32_t conjunction = ast.BeginBinary(StepKind::kAnd, 0);
//   ast.AddTest(StepKind::kAttributeExists, {ast.PathOperand(Path("b"))});
//   ast.AddNot(conjunction + 1);
//   ast.EndBinary(conjunction);
struct Ast {
  std::vector<Step> steps;
  std::vector<Operand> operands;
  std::vector<Path> paths;  // in text order
  std::vector<ValueView> values;

  Operand PathOperand(Path path);
  Operand ValueOperand(ValueView value);
  Operand SizeOfPathOperand(Path path);
  Operand SizeOfValueOperand(ValueView value);

  void AddTest(StepKind kind, absl::Span<const Operand> test_operands, Type type = Type::kNull);
  // AND or OR, whose left side is the steps from `left` to here. Returns its step, for EndBinary
  // after the right side's steps.
  uint32_t BeginBinary(StepKind kind, uint32_t left);
  void EndBinary(uint32_t step);
  // NOT of the steps from `begin` to here.
  void AddNot(uint32_t begin);
};

// A condition with the values and names of its placeholders in one request.
struct BoundAst {
  static BoundAst Of(Ast ast);

  const std::vector<Step>& steps() const { return ast->steps; }
  const std::vector<Operand>& operands() const { return ast->operands; }
  const std::vector<Path>& paths() const { return own_paths.empty() ? ast->paths : own_paths; }

  std::shared_ptr<const Ast> ast;  // the part that requests can share: all but the values
  std::vector<Path> own_paths;     // if any of the paths depends on the request
  std::vector<ValueView> values;
};

enum class ActionKind : uint8_t { kSet, kRemove, kAdd, kDelete };

enum class UpdateValueKind : uint8_t {
  kPath,         // paths[left]
  kValue,        // values[left]
  kPlus,         // nodes left and right
  kMinus,        // nodes left and right
  kIfNotExists,  // paths[left] if it exists, else node right
  kListAppend,   // nodes left and right
};

// One node of a SET clause's right-hand side.
struct UpdateValue {
  UpdateValueKind kind = UpdateValueKind::kPath;
  uint32_t left = 0;
  uint32_t right = 0;
};

struct UpdateAction {
  ActionKind kind = ActionKind::kSet;
  uint32_t path = 0;   // in `paths`
  uint32_t value = 0;  // for kSet the root in `nodes`; for kAdd and kDelete in `values`
};

// The actions of one update. No two paths overlap or conflict.
struct UpdateActions {
  std::vector<UpdateAction> actions;  // in text order
  std::vector<UpdateValue> nodes;
  std::vector<Path> paths;  // of targets and right-hand sides, in text order
  std::vector<ValueView> values;
  // AttributeUpdates: ADD appends to a list, and run-time errors have other texts.
  bool legacy = false;
};

// The part of an update's charge, and of the resulting item's size, that depends on no value.
struct UpdateCharge {
  static UpdateCharge Of(const UpdateActions& update);

  size_t text_bytes = 0;     // all but the values
  size_t operand_paths = 0;  // on right-hand sides
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_AST_H_
