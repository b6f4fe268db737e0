// Templates are YAML that people write: short tags, anchors and places have to come out as JSON
// would have said them, and nothing that is written may stop the program.
#include "tools/files/design/yaml_tree.h"

#include <gtest/gtest.h>

#include <string>

namespace dynolith::designs {
namespace {

std::string Json(const std::string& yaml) {
  YamlError fault;
  const auto tree = ParseYaml(yaml, &fault);
  return tree ? PrintJson(*tree) : "no YAML: " + fault.reason;
}

TEST(ParseYaml, ScalarsAndCollections) {
  EXPECT_EQ(Json("a: 1\nb: [x, 'y', \"2\", true, ~, 1e3]\nc: {d: 012, e: yes}\nf:\n"),
            R"({"a":1,"b":["x","y","2",true,null,1e3],"c":{"d":"012","e":"yes"},"f":null})");
}

TEST(ParseYaml, ShortTags) {
  EXPECT_EQ(Json("[!Ref A, !GetAtt A.B.C, !Sub 'x-${A}', !If [C, 1, !Ref B], !Condition D]"),
            R"([{"Ref":"A"},{"Fn::GetAtt":["A","B.C"]},{"Fn::Sub":"x-${A}"},)"
            R"({"Fn::If":["C",1,{"Ref":"B"}]},{"Condition":"D"}])");
}

TEST(ParseYaml, AnchorsAndMergedMembers) {
  EXPECT_EQ(Json("a: &x {k: 1, l: 2}\nb: *x\nc:\n  l: 3\n  <<: *x\n"),
            R"({"a":{"k":1,"l":2},"b":{"k":1,"l":2},"c":{"l":3,"k":1}})");
}

// Neither may be lost in silence.
TEST(ParseYaml, NamesThatStandTwiceAndSecondDocuments) {
  EXPECT_EQ(Json("a: 1\nb: {c: 1, c: 2}\n"), "no YAML: c stands twice in this map");
  EXPECT_EQ(Json("a: &x {k: 1}\nb: {<<: *x, k: 2}\nc: {k: 3, <<: *x}\n"),
            R"({"a":{"k":1},"b":{"k":2},"c":{"k":3}})");
  EXPECT_EQ(Json("---\na: 1\n...\n---\n"), R"({"a":1})");
  EXPECT_EQ(Json("a: 1\n---\nb: 2\n"), "no YAML: a second document is not read");
}

TEST(ParseYaml, NamesAndValuesHavePlaces) {
  YamlError fault;
  const auto tree = ParseYaml("a:\n  b: [1,\n   2]\n", &fault);
  ASSERT_TRUE(tree);
  const JsonTree* const b = tree->Find("a")->Find("b");
  EXPECT_EQ(b->name_line, 2u);
  EXPECT_EQ(b->name_column, 3u);
  EXPECT_EQ(b->elements[1].line, 3u);
  EXPECT_EQ(b->elements[1].column, 4u);
}

TEST(ParseYaml, EveryPrefixOfATemplateEnds) {
  const std::string yaml =
      "a: &x {k: !Sub \"t\", l: [1, 'y']}\nb:\n  - *x\n  - ? z\n    : |\n      w\n";
  for (size_t size = 0; size <= yaml.size(); ++size) Json(yaml.substr(0, size));
  EXPECT_EQ(Json(std::string(100'000, '[')).substr(0, 8), "no YAML:");
}

}  // namespace
}  // namespace dynolith::designs
