// Updates: static errors in order, the checks against the table, and what an update makes of an
// item (api/facts/expressions.md §7).
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/limits.h"
#include "engine/value/dissect.h"
#include "gtest/gtest.h"
#include "tests/unit/expr/sample_request.h"

namespace dynolith {
namespace {

std::string Shown(const Item& item) { return DebugString(item.view()); }

struct UpdateCase {
  std::string text;
  std::string problem;  // empty: the expression is good
};

void ExpectUpdates(const std::vector<UpdateCase>& cases) {
  const SampleRequest request;
  for (const auto& [text, problem] : cases) {
    const std::string expected =
        problem.empty() ? std::string(kOk) : Concat("Invalid UpdateExpression: ", problem);
    EXPECT_EQ(Outcome(request.ParseUpdate(text)), expected) << text;
  }
}

TEST(UpdateSyntax, Errors) {
  ExpectUpdates({
      {"INVALID SYNTAX", R"~(Syntax error; token: "INVALID", near: "INVALID SYNTAX")~"},
      {"SET _123 = :s", R"~(Syntax error; token: "_", near: "SET _123")~"},
      {"SET", R"~(Syntax error; token: "<EOF>", near: "SET")~"},
      {"SET a", R"~(Syntax error; token: "<EOF>", near: "a")~"},
      {"SET a :s", R"~(Syntax error; token: ":s", near: "a :s")~"},
      {"SET a = b + c + d", R"~(Syntax error; token: "+", near: "c + d")~"},
      {"SET a = (b + c) - d", R"~(Syntax error; token: "-", near: ") - d")~"},
      {"SET a = list_append(b + c, d)", R"~(Syntax error; token: "+", near: "b + c")~"},
      {"SET a = :s, REMOVE b", R"~(Syntax error; token: "REMOVE", near: ", REMOVE b")~"},
      {"SET a = (:s", R"~(Syntax error; token: "<EOF>", near: ":s")~"},
      {"SET a = :s)", R"~(Syntax error; token: ")", near: ":s)")~"},
      {"REMOVE", R"~(Syntax error; token: "<EOF>", near: "REMOVE")~"},
      {"REMOVE :s", R"~(Syntax error; token: ":s", near: "REMOVE :s")~"},
      {"REMOVE f(a)", R"~(Syntax error; token: "(", near: "f(a")~"},
      {"ADD a b", R"~(Syntax error; token: "b", near: "a b")~"},
      {"ADD a = :n", R"~(Syntax error; token: "=", near: "a = :n")~"},
      {"DELETE a", R"~(Syntax error; token: "<EOF>", near: "a")~"},
      {"SET a[b] = :s", R"~(Syntax error; token: "b", near: "[b]")~"},
      {":s = a", R"~(Syntax error; token: ":s", near: ":s =")~"},
  });
}

TEST(UpdateSyntax, Accepts) {
  ExpectUpdates({
      {"set a=:s remove b,c Add d :n,e :ss delete f :ss", ""},
      {"REMOVE a SET b = :s", ""},
      {"SET a = (b + :n)", ""},
      {"SET a = (b) - (:n)", ""},
      {"SET a = if_not_exists(b, if_not_exists(c, :n)) + if_not_exists(d, :n)", ""},
      {"SET a = list_append(if_not_exists(a, :l), (:l))", ""},
      {"SET a[0].b = (:s), c = a[1]", ""},
      {"SET #size = :s, #dots.#a = #b", ""},
  });
}

TEST(UpdateStatic, Errors) {
  const std::string wrong =
      "Incorrect operand type for operator or function; operator or function: ";
  const std::string add = "Incorrect operand type for operator or function; operator: ADD, ";
  const std::string erase = "Incorrect operand type for operator or function; operator: DELETE, ";
  const std::string misuse =
      "The function is not allowed to be used this way in an expression; function: ";
  ExpectUpdates({
      {"SET a = ((:s))", "The expression has redundant parentheses;"},
      {"SET a = ((b + :n))", "The expression has redundant parentheses;"},
      {"SET a = size, b = foo(c) SET d = :x",
       "Attribute name is a reserved keyword; reserved "
       "keyword: size"},
      {"SET b = foo(c) SET d = :x", "Invalid function name; function: foo"},
      {"SET d = :x SET #x = :s",
       "The \"SET\" section can only be used once in an update expression;"},
      {"ADD x :one SET a = :a ADD y :one",
       "The \"ADD\" section can only be used once in an update expression;"},
      {"REMOVE a REMOVE b",
       "The \"REMOVE\" section can only be used once in an update expression;"},
      {"SET d = :x, #x = :s",
       "An expression attribute name used in the document path is not defined; attribute name: #x"},
      {"SET d = :x, d = :s",
       "An expression attribute value used in expression is not defined; attribute value: :x"},
      {"SET d = :s, e[0] = :s, e.f = :s REMOVE d.x ADD n :s",
       "Two document paths overlap with each other; must remove or rewrite one of these paths; "
       "path one: [d], path two: [d, x]"},
      {"SET e[0] = :s, e.f = :s ADD n :s",
       "Two document paths conflict with each other; must remove or rewrite one of these paths; "
       "path one: [e, [0]], path two: [e, f]"},
      {"SET f = f + :s ADD n :s", add + "operand type: STRING"},
      {"ADD n :b", add + "operand type: BINARY"},
      {"ADD n :null", add + "operand type: NULL"},
      {"ADD n :bool", add + "operand type: BOOLEAN"},
      {"ADD n :l", add + "operand type: LIST"},
      {"ADD n :map", add + "operand type: MAP"},
      {"DELETE n :n", erase + "operand type: NUMBER"},
      {"ADD n :n, s :ss, t :ns, b :bs", ""},
      {"SET a = if_not_exists(b)",
       "Incorrect number of operands for operator or function; operator or function: "
       "if_not_exists, number of operands: 1"},
      {"SET a = list_append(b, c, d)",
       "Incorrect number of operands for operator or function; operator or function: list_append, "
       "number of operands: 3"},
      {"SET a = if_not_exists(:s, b)",
       "Operator or function requires a document path; operator or function: if_not_exists"},
      {"SET a = list_append(b, :s)", wrong + "list_append, operand type: S"},
      {"SET a = list_append(:map, b)", wrong + "list_append, operand type: M"},
      {"SET a = b + :s", wrong + "+, operand type: S"},
      {"SET a = :l - b", wrong + "-, operand type: L"},
      {"SET a = list_append(b, c) + :n", wrong + "+, operand type: L"},
      {"SET a = list_append(list_append(a, :l), :l)", misuse + "list_append"},
      {"SET a = if_not_exists(a, list_append(b, :l))", misuse + "list_append"},
      {"SET a = size(b)", misuse + "size"},
      {"SET a = attribute_exists(b)", misuse + "attribute_exists"},
  });
}

TEST(UpdateLimits, DeepNestingIsAnErrorAndNoCrash) {
  std::string nested_defaults = "SET a = ";
  for (int i = 0; i < 200; ++i) nested_defaults += "if_not_exists(b,";
  nested_defaults += ":n" + Repeat(")", 200);
  ExpectUpdates({
      {"SET a = " + Repeat("(", 2000) + ":s" + Repeat(")", 2000),
       "The expression has redundant parentheses;"},
      {"SET a = " + Repeat("(", 4088), R"~(Syntax error; token: "<EOF>", near: "(")~"},
      {"SET a = " + Repeat("f(", 2000), R"~(Syntax error; token: "<EOF>", near: "(")~"},
      {nested_defaults, ""},
  });
  const SampleRequest request;
  const auto item = request.ParseUpdate(nested_defaults)->Apply(ItemView(), true);
  ASSERT_TRUE(item.ok());
  EXPECT_EQ(*item, Item({{"a", Value::N(1)}}));
}

Item UpdatedItem() {
  return Item({{"a", Value::S("x")},
               {"l1", Value::L({Value::S("0"), Value::S("1"), Value::S("2"), Value::S("3")})},
               {"m1", Value::M({{"child", Value::M({{"x", Value::N(1)}, {"y", Value::N(2)}})},
                                {"tags", Value::SS({"p", "z"})}})},
               {"n1", Value::N(10)},
               {"ns1", Value::NS({Number::FromInt64(2), Number::FromInt64(3)})},
               {"pk", Value::S("key")},
               {"ss1", Value::SS({"p", "z"})}});
}

// What `text` makes of the sample item, or the error.
std::string Updated(std::string_view text) {
  const SampleRequest request;
  const auto update = request.ParseUpdate(text);
  if (!update.ok()) return Outcome(update);
  const Item before = UpdatedItem();
  const auto after = update->Apply(before.view(), true);
  if (!after.ok()) return Outcome(after);
  EXPECT_TRUE(ItemView::Parse(after->bytes()).ok());
  return Shown(*after);
}

// The sample item with one attribute set or removed.
std::string With(std::string_view name, const std::optional<Value>& value) {
  Item item = UpdatedItem();
  if (value) {
    item.Set(name, *value);
  } else {
    item.Remove(name);
  }
  return Shown(item);
}

constexpr std::string_view kInvalidPath =
    "The document path provided in the update expression is invalid for update";
constexpr std::string_view kWrongType =
    "An operand in the update expression has an incorrect data type";
constexpr std::string_view kNoAttribute =
    "The provided expression refers to an attribute that does not exist in the item";

TEST(UpdateSet, Values) {
  EXPECT_EQ(Updated("SET b = :s"), With("b", Value::S("s")));
  EXPECT_EQ(Updated("SET zz = :s"), With("zz", Value::S("s")));
  EXPECT_EQ(Updated("SET a = :map"), With("a", Value::M({{"k", Value::N(1)}})));
  EXPECT_EQ(Updated("SET a = n1"), With("a", Value::N(10)));
  EXPECT_EQ(Updated("SET a = m1.child.y"), With("a", Value::N(2)));
  EXPECT_EQ(Updated("SET a = nope"), kNoAttribute);
  EXPECT_EQ(Updated("SET a = l1[9]"), kNoAttribute);
  EXPECT_EQ(Updated("SET a = nope + :n"), kNoAttribute);
  EXPECT_EQ(Updated("SET n1 = n1 + :n"), With("n1", Value::N(11)));
  EXPECT_EQ(Updated("SET n1 = :n - n1"), With("n1", Value::N(-9)));
  EXPECT_EQ(Updated("SET n1 = (n1 + m1.child.y)"), With("n1", Value::N(12)));
  EXPECT_EQ(Updated("SET n1 = a + :n"), kWrongType);
  EXPECT_EQ(Updated("SET a = if_not_exists(a, :s)"), With("a", Value::S("x")));
  EXPECT_EQ(Updated("SET b = if_not_exists(b, :s)"), With("b", Value::S("s")));
  EXPECT_EQ(Updated("SET c = if_not_exists(c, :n) + :n"), With("c", Value::N(2)));
  EXPECT_EQ(Updated("SET b = if_not_exists(b, if_not_exists(c, n1))"), With("b", Value::N(10)));
  EXPECT_EQ(Updated("SET b = if_not_exists(b, c)"), kNoAttribute);
}

TEST(UpdateSet, NumbersDoNotOverflowSilently) {
  const Item item = {{"n", *Value::ParseN("1e50")}};
  const SampleRequest request;
  EXPECT_EQ(Outcome(request.ParseUpdate("SET n = n + :n")->Apply(item.view(), true)),
            "Number overflow. Attempting to store a number with magnitude larger than supported "
            "range");
  EXPECT_EQ(Outcome(request.ParseUpdate("ADD n :n")->Apply(item.view(), true)),
            "Number overflow. Attempting to store a number with magnitude larger than supported "
            "range");
}

TEST(UpdateSet, Lists) {
  const auto list = [](std::vector<std::string_view> texts) {
    std::vector<Value> elements;
    for (std::string_view text : texts) elements.push_back(Value::S(text));
    return Value::L(elements);
  };
  EXPECT_EQ(Updated("SET l1 = list_append(l1, :l)"), With("l1", list({"0", "1", "2", "3", "new"})));
  EXPECT_EQ(Updated("SET l1 = list_append(:l, l1)"), With("l1", list({"new", "0", "1", "2", "3"})));
  EXPECT_EQ(Updated("SET b = list_append(if_not_exists(b, :l), :l)"),
            With("b", list({"new", "new"})));
  EXPECT_EQ(Updated("SET l1 = list_append(a, :l)"), kWrongType);
  EXPECT_EQ(Updated("SET l1[1] = :s"), With("l1", list({"0", "s", "2", "3"})));
  EXPECT_EQ(Updated("SET l1[9] = :s"), With("l1", list({"0", "1", "2", "3", "s"})));
  EXPECT_EQ(Updated("SET l1[20] = :t, l1[9] = :s"),
            With("l1", list({"0", "1", "2", "3", "s", "t"})));
  EXPECT_EQ(Updated("REMOVE l1[0], l1[2]"), With("l1", list({"1", "3"})));
  EXPECT_EQ(Updated("SET l1[1] = :s, l1[7] = :t REMOVE l1[0], l1[3], l1[9]"),
            With("l1", list({"s", "2", "t"})));
}

TEST(UpdateSet, NestedPathsNeedTheirParent) {
  EXPECT_EQ(Updated("SET m1.child.x = :s, m1.#a = :t"),
            With("m1", Value::M({{"a", Value::S("t")},
                                 {"child", Value::M({{"x", Value::S("s")}, {"y", Value::N(2)}})},
                                 {"tags", Value::SS({"p", "z"})}})));
  EXPECT_EQ(Updated("SET nope.x = :s"), kInvalidPath);
  EXPECT_EQ(Updated("SET m1.nope.x = :s"), kInvalidPath);
  EXPECT_EQ(Updated("SET a.x = :s"), kInvalidPath);
  EXPECT_EQ(Updated("SET l1.x = :s"), kInvalidPath);
  EXPECT_EQ(Updated("SET m1[0] = :s"), kInvalidPath);
  EXPECT_EQ(Updated("SET ss1[0] = :s"), kInvalidPath);
  EXPECT_EQ(Updated("ADD nope.x :n"), kInvalidPath);
}

TEST(UpdateSet, RightSidesSeeTheOldItem) {
  const SampleRequest request;
  const Item before = {{"x", Value::N(1)}, {"y", Value::N(2)}};
  EXPECT_EQ(*request.ParseUpdate("SET x = y, y = x")->Apply(before.view(), true),
            Item({{"x", Value::N(2)}, {"y", Value::N(1)}}));
  EXPECT_EQ(*request.ParseUpdate("SET z = x REMOVE x ADD y :n")->Apply(before.view(), true),
            Item({{"y", Value::N(3)}, {"z", Value::N(1)}}));
  EXPECT_EQ(Outcome(request.ParseUpdate("SET z = :n, w = z")->Apply(before.view(), true)),
            kNoAttribute);
}

TEST(UpdateSet, DepthIsLimited) {
  Value deep = Value::N(1);
  for (int i = 0; i < kNestingDepthMax; ++i) deep = Value::L({deep});
  const Item item = {{"deep", deep}, {"m", Value::M({})}};
  const SampleRequest request;
  EXPECT_EQ(Outcome(request.ParseUpdate("SET x = deep")->Apply(item.view(), true)), kOk);
  EXPECT_EQ(Outcome(request.ParseUpdate("SET m.x = deep[0]")->Apply(item.view(), true)), kOk);
  EXPECT_EQ(Outcome(request.ParseUpdate("SET m.x = deep")->Apply(item.view(), true)),
            "Nesting Levels have exceeded supported limits");
}

TEST(UpdateRemove, MissingLeavesAreIgnoredMissingParentsAreNot) {
  EXPECT_EQ(Updated("REMOVE a"), With("a", std::nullopt));
  EXPECT_EQ(Updated("REMOVE nope"), With("nope", std::nullopt));
  EXPECT_EQ(Updated("REMOVE m1.nope, l1[17]"), With("nope", std::nullopt));
  EXPECT_EQ(Updated("REMOVE m1.child"), With("m1", Value::M({{"tags", Value::SS({"p", "z"})}})));
  EXPECT_EQ(Updated("REMOVE nope.x"), kInvalidPath);
  EXPECT_EQ(Updated("REMOVE a[0]"), kInvalidPath);
}

TEST(UpdateAdd, NumbersAndSets) {
  EXPECT_EQ(Updated("ADD n1 :n5"), With("n1", Value::N(15)));
  EXPECT_EQ(Updated("ADD c :n5"), With("c", Value::N(5)));
  EXPECT_EQ(Updated("ADD ss1 :ss"), With("ss1", Value::SS({"p", "q", "z"})));
  EXPECT_EQ(
      Updated("ADD ns1 :ns"),
      With("ns1", Value::NS({Number::FromInt64(1), Number::FromInt64(2), Number::FromInt64(3)})));
  EXPECT_EQ(Updated("ADD c :bs"), With("c", Value::BS({"p"})));
  EXPECT_EQ(Updated("ADD a :n"), kWrongType);
  EXPECT_EQ(Updated("ADD n1 :ss"), kWrongType);
  EXPECT_EQ(Updated("ADD ss1 :ns"), kWrongType);
  EXPECT_EQ(Updated("ADD m1.child.x :n"),
            With("m1", Value::M({{"child", Value::M({{"x", Value::N(2)}, {"y", Value::N(2)}})},
                                 {"tags", Value::SS({"p", "z"})}})));
}

TEST(UpdateDelete, Sets) {
  EXPECT_EQ(Updated("DELETE ss1 :ss"), With("ss1", Value::SS({"z"})));
  EXPECT_EQ(Updated("DELETE nope :ss"), With("nope", std::nullopt));
  EXPECT_EQ(Updated("DELETE ss1 :ns"), kWrongType);
  EXPECT_EQ(Updated("DELETE n1 :ns"), kWrongType);
  EXPECT_EQ(Updated("DELETE nope.x :ss"), kInvalidPath);
  EXPECT_EQ(Updated("DELETE m1.tags :ss"),
            With("m1", Value::M({{"child", Value::M({{"x", Value::N(1)}, {"y", Value::N(2)}})},
                                 {"tags", Value::SS({"z"})}})));
  const SampleRequest request;
  const Item item = {{"e", Value::SS({"q", "p"})}};
  EXPECT_EQ(*request.ParseUpdate("DELETE e :ss")->Apply(item.view(), true), Item());
  const Item in_list = {{"e", Value::L({Value::SS({"q", "p"}), Value::N(1)})}};
  EXPECT_EQ(*request.ParseUpdate("DELETE e[0] :ss")->Apply(in_list.view(), true),
            Item({{"e", Value::L({Value::N(1)})}}));
}

TEST(UpdateOfNothing, WhatCreatesAnItem) {
  const SampleRequest request;
  EXPECT_TRUE(request.ParseUpdate("SET a = :s REMOVE b")->creates_item());
  EXPECT_TRUE(request.ParseUpdate("ADD a :n")->creates_item());
  EXPECT_FALSE(request.ParseUpdate("REMOVE a DELETE b :ss")->creates_item());
  EXPECT_TRUE(Update::FromActions({}).creates_item());
}

TEST(UpdateOfNothing, StartsFromTheKey) {
  const SampleRequest request;
  const Item key = {{"pk", Value::S("key")}};
  const auto outcome = [&](std::string_view text) {
    const auto item = request.ParseUpdate(text)->Apply(key.view(), false);
    return item.ok() ? Shown(*item) : Outcome(item);
  };
  EXPECT_EQ(outcome("SET a = :s ADD n :n REMOVE x, y.z, l[0] DELETE s :ss, t.u :ss"),
            Shown({{"a", Value::S("s")}, {"n", Value::N(1)}, {"pk", Value::S("key")}}));
  EXPECT_EQ(outcome("SET a.b = :s"), kInvalidPath);
  EXPECT_EQ(outcome("SET a = b"), kNoAttribute);
  EXPECT_EQ(outcome("SET a = pk"), "{a: S \"key\", pk: S \"key\"}");
  EXPECT_EQ(Shown(*Update::FromActions({}).Apply(key.view(), false)), Shown(key));
}

TEST(UpdateTouched, SelectsTheTouchedPaths) {
  const SampleRequest request;
  const auto update =
      request.ParseUpdate("SET m1.child.x = :s, l1[9] = a, zz = n1 REMOVE l1[1] ADD n1 :n");
  ASSERT_TRUE(update.ok());
  const Item before = UpdatedItem();
  EXPECT_EQ(Shown(update->Touched(before.view())),
            Shown({{"l1", Value::L({Value::S("1")})},
                   {"m1", Value::M({{"child", Value::M({{"x", Value::N(1)}})}})},
                   {"n1", Value::N(10)}}));
  // l1[1] is the element that has moved there; l1[9] is looked up literally.
  const Item after = *update->Apply(before.view(), true);
  EXPECT_EQ(Shown(update->Touched(after.view())),
            Shown({{"l1", Value::L({Value::S("2")})},
                   {"m1", Value::M({{"child", Value::M({{"x", Value::S("s")}})}})},
                   {"n1", Value::N(11)},
                   {"zz", Value::N(10)}}));
}

TEST(UpdatePaths, AreGivenInTextOrder) {
  const SampleRequest request;
  const auto update = request.ParseUpdate("SET b = if_not_exists(c, a[1]) + d.e REMOVE x");
  std::string paths;
  update->ForEachPath([&](const Path& path) { paths += path.ToString(); });
  EXPECT_EQ(paths, "[b][c][a, [1]][d, e][x]");
}

TEST(UpdateCheckAgainst, KeysAndIndexKeys) {
  TableSchema schema;
  schema.key = {{{"pk", Type::kString}}, {{"sk", Type::kNumber}}};
  IndexSchema local;
  local.name = "local";
  local.kind = IndexKind::kLocal;
  local.key = {{{"pk", Type::kString}}, {{"g1", Type::kBinary}}};
  IndexSchema global;
  global.name = "global";
  global.key = {{{"g1", Type::kString}}, {{"g2", Type::kNumber}}};
  schema.indexes = {local, global};
  const SampleRequest request;
  const auto outcome = [&](std::string_view text) {
    return Outcome(request.ParseUpdate(text)->CheckAgainst(schema));
  };
  const std::string key_error =
      "One or more parameter values were invalid: Cannot update attribute ";
  EXPECT_EQ(outcome("SET g1.x = :n, pk = :s"), key_error + "pk. This attribute is part of the key");
  EXPECT_EQ(outcome("SET g1 = :n REMOVE sk[0]"),
            key_error + "sk. This attribute is part of the key");
  EXPECT_EQ(outcome("ADD sk :n"), key_error + "sk. This attribute is part of the key");
  const std::string mismatch =
      "One or more parameter values were invalid: Type mismatch for Index Key ";
  EXPECT_EQ(outcome("SET g2.x = :n, g1 = :n"),
            mismatch + "g1 Expected: S Actual: N IndexName: global");
  EXPECT_EQ(outcome("SET g1 = :s"), mismatch + "g1 Expected: B Actual: S IndexName: local");
  EXPECT_EQ(outcome("SET g2 = :null"), mismatch + "g2 Expected: N Actual: NULL IndexName: global");
  EXPECT_EQ(outcome("ADD g2 :ns"), mismatch + "g2 Expected: N Actual: NS IndexName: global");
  EXPECT_EQ(outcome("SET g2 = other_attribute, g3 = :n"), kOk);
  EXPECT_EQ(outcome("ADD g2 :n REMOVE g1"), kOk);
  const std::string scalars =
      "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
      "allowed: ";
  EXPECT_EQ(outcome("SET g1.x = :s"), scalars + "IndexKey: g1");
  EXPECT_EQ(outcome("SET x = pk.y"), scalars + "Key: pk");
}

}  // namespace
}  // namespace dynolith
