// The words of every static error of conditions, and their order: a client sees both
// (api/facts/expressions.md §1-§4).
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

struct ErrorCase {
  std::string text;
  std::string problem;  // empty: the expression is good
};

void ExpectOutcomes(const std::vector<ErrorCase>& cases) {
  const SampleRequest request;
  for (const auto& [text, problem] : cases) {
    const std::string expected =
        problem.empty() ? std::string(kOk) : Concat("Invalid ConditionExpression: ", problem);
    EXPECT_EQ(Outcome(request.ParseCondition(text)), expected) << text;
  }
}

TEST(ConditionSyntax, ErrorsShowTheTokenAndItsNeighbours) {
  ExpectOutcomes({
      {"INVALID SYNTAX", R"~(Syntax error; token: "SYNTAX", near: "INVALID SYNTAX")~"},
      {"!!!", R"~(Syntax error; token: "!", near: "!!")~"},
      {"attribute_not_exists(", R"~(Syntax error; token: "<EOF>", near: "(")~"},
      {"a =", R"~(Syntax error; token: "<EOF>", near: "=")~"},
      {"a = _b", R"~(Syntax error; token: "_", near: "= _b")~"},
      {"a  =   1", R"~(Syntax error; token: "1", near: "=   1")~"},
      {"   ", R"~(Syntax error; token: "<EOF>", near: "   ")~"},
      {"a", R"~(Syntax error; token: "<EOF>", near: "a")~"},
      {"(a)", R"~(Syntax error; token: "<EOF>", near: ")")~"},
      {"a = :s)", R"~(Syntax error; token: ")", near: ":s)")~"},
      {"(a = :s", R"~(Syntax error; token: "<EOF>", near: ":s")~"},
      {"a = :s AND", R"~(Syntax error; token: "<EOF>", near: "AND")~"},
      {"AND a = :s", R"~(Syntax error; token: "AND", near: "AND a")~"},
      {"NOT NOT", R"~(Syntax error; token: "<EOF>", near: "NOT")~"},
      {"a = b = c", R"~(Syntax error; token: "=", near: "b = c")~"},
      {"a[:s] = :s", R"~(Syntax error; token: ":s", near: "[:s]")~"},
      {"a[#a] = :s", R"~(Syntax error; token: "#a", near: "[#a]")~"},
      {"a[-1] = :s", R"~(Syntax error; token: "-", near: "[-1")~"},
      {"a. = :s", R"~(Syntax error; token: "=", near: ". = :s")~"},
      {"a-b = :s", R"~(Syntax error; token: "-", near: "a-b")~"},
      {"1a = :s", R"~(Syntax error; token: "1", near: "1a")~"},
      {"# = :s", R"~(Syntax error; token: "#", near: "# =")~"},
      {"a = :", R"~(Syntax error; token: ":", near: "= :")~"},
      {"é = :s", R"~(Syntax error; token: "é", near: "é =")~"},
      {"a BETWEEN :s", R"~(Syntax error; token: "<EOF>", near: ":s")~"},
      {"a BETWEEN :s OR :t", R"~(Syntax error; token: "OR", near: ":s OR :t")~"},
      {"a IN :s", R"~(Syntax error; token: ":s", near: "IN :s")~"},
      {"a IN ()", R"~(Syntax error; token: ")", near: "()")~"},
      {"contains(a,)", R"~(Syntax error; token: ")", near: ",)")~"},
      {"contains(a b)", R"~(Syntax error; token: "b", near: "a b)")~"},
      {"a + b = :s", R"~(Syntax error; token: "+", near: "a + b")~"},
      {"a = :s,", R"~(Syntax error; token: ",", near: ":s,")~"},
  });
}

TEST(ConditionSyntax, Accepts) {
  ExpectOutcomes({
      {"a=:s", ""},
      {"\ta\r\n=\n:s ", ""},
      {":s = a", ""},
      {"(a) = (:s)", ""},
      {"(size(a)) > (:n)", ""},
      {"a[ 0 ].b [1] = :s", ""},
      {"#1 = :s and #dots = :s Or not #a = :s", ""},
      {"a in (:s, b, :n)", ""},
      {"a between :n and :m and b = :s", ""},
      {"((a<>b) and c<>d)", ""},
      {"(NOT (a = :s))", ""},
      {"((b.c).d) = (a)[0].e", ""},
      {"(:s).d = a", R"~(Syntax error; token: ".", near: ").d")~"},
      {"NOT (NOT a = :s)", ""},
      {"attribute_exists(a) AND (attribute_exists(b))", ""},
      {"contains(:ss, a)", ""},
      {"contains(a, size(b))", ""},
      {"begins_with(:s, a)", ""},
      {"size(:s) = :n", ""},
      {"attribute_type(a, :type_s)", ""},
      {"a = :map AND b <> :l", ""},
      {"a IN (:map, :bool)", ""},
  });
}

TEST(ConditionLimits, SizeAndEmptinessComeBeforeTheSyntax) {
  ExpectOutcomes({
      {"", "The expression can not be empty;"},
      {std::string(4097, '!'),
       "Expression size has exceeded the maximum allowed size; expression size: 4097"},
      {"a = :s" + std::string(4090, ' '), ""},
  });
}

TEST(ConditionLimits, ThreeHundredOperators) {
  // 150 comparisons and 149 connectives are 299 operators.
  const std::string operators_299 = "a=:s" + Repeat(" OR a=:s", 149);
  ExpectOutcomes({
      {"NOT " + operators_299, ""},
      {operators_299 + " OR a=:s",
       "The expression contains too many operators; operator count: 301"},
  });
}

TEST(ConditionLimits, InTakesOneHundredOperands) {
  ExpectOutcomes({
      {"a IN (:s" + Repeat(",:s", 99) + ")", ""},
      {"a IN (:s" + Repeat(",:s", 100) + ")",
       "The IN operator is provided with too many operands; number of operands: 101"},
  });
}

TEST(ConditionLimits, ThirtyTwoPathElements) {
  ExpectOutcomes({
      {"a" + Repeat(".a", 31) + " = :s", ""},
      {"a" + Repeat(".a", 32) + " = :s",
       "The document path has too many nesting levels; nesting levels: 33"},
  });
}

TEST(ConditionLimits, DeepNestingIsAnErrorAndNoCrash) {
  const SampleRequest request;
  const std::string parentheses = Repeat("(", 2045) + "a=:s" + Repeat(")", 2045);
  EXPECT_EQ(Outcome(request.ParseCondition(parentheses)),
            "Invalid ConditionExpression: The expression has redundant parentheses;");
  EXPECT_EQ(Outcome(request.ParseCondition(Repeat("(", 4096))),
            R"(Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "(")");
  EXPECT_EQ(Outcome(request.ParseCondition(Repeat("f(", 2048))),
            R"(Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "(")");
  EXPECT_EQ(Outcome(request.ParseCondition(Repeat("f(", 1364) + "a" + Repeat(")", 1364))),
            "Invalid ConditionExpression: Invalid function name; function: f");
  const std::string right_nested = Repeat("a=:s OR (", 149) + "a=:s" + Repeat(")", 149);
  const auto condition = request.ParseCondition(right_nested);
  ASSERT_TRUE(condition.ok()) << condition.status();
  const Item item = {{"a", Value::S("s")}};
  EXPECT_TRUE(condition->Matches(item.view()));
}

TEST(ConditionStatic, Parentheses) {
  const std::string problem = "The expression has redundant parentheses;";
  ExpectOutcomes({
      {"((a = :s))", problem},
      {"((a)) = :s", problem},
      {"((b.c)).d = :s", problem},
      {"contains(((b.c)).d, :s)", problem},
      {"a = ((:s))", problem},
      {"((attribute_exists(a)))", problem},
      {"b = :s AND ((a = :s AND c = :s))", problem},
      {"((foo(a)))", problem},
  });
}

TEST(ConditionStatic, Functions) {
  const std::string misuse =
      "The function is not allowed to be used this way in an expression; function: ";
  ExpectOutcomes({
      {"foo(a)", "Invalid function name; function: foo"},
      {"Size(a) > :n", "Invalid function name; function: Size"},
      {"attribute_exists(foo(a))", "Invalid function name; function: foo"},
      {"size(a)", misuse + "size"},
      {"attribute_exists(a) < :n", misuse + "attribute_exists"},
      {"begins_with(attribute_exists(a), :s)", misuse + "attribute_exists"},
      {"if_not_exists(a, :s) = :s", misuse + "if_not_exists"},
      {"list_append(a, :s)", misuse + "list_append"},
      {"attribute_exists()",
       "Incorrect number of operands for operator or function; operator or function: "
       "attribute_exists, number of operands: 0"},
      {"begins_with(a)",
       "Incorrect number of operands for operator or function; operator or function: "
       "begins_with, "
       "number of operands: 1"},
      {"contains(a, :s, :t)",
       "Incorrect number of operands for operator or function; operator or function: "
       "contains, "
       "number of operands: 3"},
      {"size(a, b) = :n",
       "Incorrect number of operands for operator or function; operator or function: "
       "size, number "
       "of operands: 2"},
  });
}

TEST(ConditionStatic, Names) {
  ExpectOutcomes({
      {"size = :n", "Attribute name is a reserved keyword; reserved keyword: size"},
      {"a.Status[0] = :n", "Attribute name is a reserved keyword; reserved keyword: Status"},
      {"a.and = :n", "Attribute name is a reserved keyword; reserved keyword: and"},
      {"#size = :n", ""},
      {"#x = :s",
       "An expression attribute name used in the document path is not defined; attribute "
       "name: #x"},
      {"a.#x = :y",
       "An expression attribute name used in the document path is not defined; attribute "
       "name: #x"},
      {"a = :S",
       "An expression attribute value used in expression is not defined; attribute "
       "value: :S"},
      {"a = a",
       "The first operand must be distinct from the remaining operands for this operator "
       "or function; operator: =, first operand: [a]"},
      {"#a[1].b <> #other_a[1].b",
       "The first operand must be distinct from the remaining operands for this operator "
       "or "
       "function; operator: <>, first operand: [a, [1], b]"},
      {"contains(a, #a)",
       "The first operand must be distinct from the remaining operands for this operator "
       "or "
       "function; operator: contains, first operand: [a]"},
  });
}

TEST(ConditionStatic, OperandTypes) {
  const std::string wrong =
      "Incorrect operand type for operator or function; operator or function: ";
  ExpectOutcomes({
      {"begins_with(a, :n)", wrong + "begins_with, operand type: N"},
      {"begins_with(:l, a)", wrong + "begins_with, operand type: L"},
      {"begins_with(a, size(b))", wrong + "begins_with, operand type: N"},
      {"attribute_type(a, b)",
       wrong + "attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"},
      {"attribute_type(a, :n)", wrong + "attribute_type, operand type: N"},
      {"attribute_type(a, :type_x)",
       "Invalid attribute type name found; type: X, valid types: "
       "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
      {"attribute_exists(:s)",
       "Operator or function requires a document path; operator or function: "
       "attribute_exists"},
      {"attribute_not_exists(:s)",
       "Operator or function requires a document path; operator or function: "
       "attribute_not_exists"},
      {"size(:n) = :n", wrong + "size, operand type: N"},
      {"size(:bool) = :n", wrong + "size, operand type: BOOL"},
      {"size(:null) = :n", wrong + "size, operand type: NULL"},
      {"size(size(a)) = :n", wrong + "size, operand type: N"},
      {"a < :l", wrong + "<, operand type: L"},
      {"a <= :map", wrong + "<=, operand type: M"},
      {"a > :bool", wrong + ">, operand type: BOOL"},
      {":null >= a", wrong + ">=, operand type: NULL"},
      {"a < :ss", wrong + "<, operand type: SS"},
      {"a BETWEEN :ns AND :s", wrong + "BETWEEN, operand type: NS"},
      {"a BETWEEN :s AND :bs", wrong + "BETWEEN, operand type: BS"},
      {"a BETWEEN :s AND :n",
       "The BETWEEN operator requires same data type for lower and upper bounds; lower "
       "bound "
       "operand: AttributeValue: {S:s}, upper bound operand: AttributeValue: {N:1}"},
      {"a BETWEEN :t AND :s",
       "The BETWEEN operator requires upper bound to be greater than or equal to lower "
       "bound; "
       "lower bound operand: AttributeValue: {S:t}, upper bound operand: AttributeValue: "
       "{S:s}"},
      {"a BETWEEN :m AND :n",
       "The BETWEEN operator requires upper bound to be greater than or equal to lower "
       "bound; "
       "lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: "
       "{N:1}"},
      {"a BETWEEN :b AND :s",
       "The BETWEEN operator requires same data type for lower and upper bounds; lower "
       "bound "
       "operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=3 cap=3]}, upper "
       "bound "
       "operand: AttributeValue: {S:s}"},
      {"a BETWEEN :n AND :n", ""},
      {"a BETWEEN b AND :n", ""},
  });
}

// Each text has all later problems too; one is repaired at a time.
TEST(ConditionStatic, OrderOfTheChecks) {
  ExpectOutcomes({
      {"((foo(size))) AND size(a) OR #x = :x AND begins_with(a) !",
       R"~(Syntax error; token: "!", near: ") !")~"},
      {"((foo(size))) OR size(a) OR #x = :x", "The expression has redundant parentheses;"},
      {"size(a) OR foo(size) OR #x = :x", "Invalid function name; function: foo"},
      {"#x = :x OR a = size OR size(a)",
       "The function is not allowed to be used this way in an expression; function: "
       "size"},
      {"#x = :x OR a = size", "Attribute name is a reserved keyword; reserved keyword: size"},
      {"begins_with(:x, #x)",
       "An expression attribute name used in the document path is not defined; attribute "
       "name: #x"},
      {"begins_with(:x)",
       "An expression attribute value used in expression is not defined; attribute "
       "value: :x"},
      {"begins_with(:n) OR #x = :x",
       "Incorrect number of operands for operator or function; operator or function: "
       "begins_with, "
       "number of operands: 1"},
  });
}

TEST(ConditionStatic, TheKindIsNamed) {
  const SampleRequest request;
  EXPECT_EQ(Outcome(request.ParseCondition("", ExpressionKind::kFilter)),
            "Invalid FilterExpression: The expression can not be empty;");
  EXPECT_EQ(Outcome(request.ParseKeyCondition("")),
            "Invalid KeyConditionExpression: The expression can not be empty;");
  EXPECT_EQ(Outcome(request.ParseUpdate("")),
            "Invalid UpdateExpression: The expression can not be empty;");
  EXPECT_EQ(Outcome(request.ParseProjection("")),
            "Invalid ProjectionExpression: The expression can not be empty;");
}

}  // namespace
}  // namespace dynolith
