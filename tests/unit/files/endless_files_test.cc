// Files in which a little text asks for very much: they are refused in little time and memory, with
// an error that names the cause.
#include <gmock/gmock.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/unit/store/scratch_folder.h"
#include "tools/files/design/design_file.h"
#include "tools/files/design/messages.h"
#include "tools/files/templates/messages.h"

namespace dynolith::designs {
namespace {

using ::testing::HasSubstr;

std::string Times(size_t times, std::string_view text) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}
std::string Nested(size_t times, std::string_view begin, std::string_view inner,
                   std::string_view end) {
  return Times(times, begin) + std::string(inner) + Times(times, end);
}

// A table of that name.
std::string Serverless(const std::string& custom, const std::string& name) {
  return "service: shop\nprovider: {name: aws}\ncustom:\n  t: songs\n  truth: 'true'\n" + custom +
         R"(resources:
  Resources:
    T:
      Type: AWS::DynamoDB::Table
      Properties:
        BillingMode: PAY_PER_REQUEST
        AttributeDefinitions: [{AttributeName: a, AttributeType: S}]
        KeySchema: [{AttributeName: a, KeyType: HASH}]
        TableName: ")" +
         name + "\"\n";
}

class EndlessFilesTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // The first table's name, or what is said, a line for each error.
  std::string Load(const std::string& name) {
    DesignFiles files;
    Findings findings;
    ReadDesignFile(folder_ / name, {}, &files, &findings);
    std::string errors;
    for (const Finding& finding : findings.list()) {
      if (finding.is_error) errors += finding.text + "\n";
    }
    if (!errors.empty() || files.tables.empty()) return errors;
    return files.tables[0].name;
  }
  std::string LoadNamed(const std::string& name, const std::string& custom = "") {
    Write("serverless.yml", Serverless(custom, name));
    return Load("serverless.yml");
  }

  const dynolith::testing::ScratchFolder folder_;
};

TEST_F(EndlessFilesTest, VariablesInVariables) {
  const std::string too_deep = messages::TemplateVariablesTooDeep() + "\n";
  EXPECT_EQ(LoadNamed(Nested(60, "${opt:none, ", "${self:custom.t}", "}")), "songs");
  for (const size_t times : {500U, 20'000U}) {
    EXPECT_EQ(LoadNamed(Nested(times, "${self:", "a", "}")), too_deep);
    EXPECT_EQ(LoadNamed(Nested(times, "${opt:none, ", "${self:custom.t}", "}")), too_deep);
    EXPECT_EQ(LoadNamed("${" + Nested(times, "strToBool(", "true", ")") + "}"), too_deep);
  }
  // Ways to them double at each.
  EXPECT_EQ(LoadNamed(Nested(40, "${self:custom.", "none", "}")),
            messages::TemplateVariablesTooMany() + "\n");
}

// What a variable gives may be one's source.
TEST_F(EndlessFilesTest, WordsInWords) {
  const auto name_of = [this](std::string_view inner) {
    const std::string words = Nested(60'000, "strToBool(", inner, ")").substr(1);
    return LoadNamed("songs-${opt:none, s${self:custom.words}}", "  words: " + words + "\n");
  };
  EXPECT_EQ(name_of("true"), "songs-true");
  EXPECT_EQ(name_of("x"), messages::TemplateVariablesTooDeep() + "\n");
}

// Each needs a look at what follows it, which must not be the whole text.
TEST_F(EndlessFilesTest, VariablesThatDoNotEnd) {
  const std::string open = Times(300'000, "${self:");
  EXPECT_EQ(LoadNamed(open), open);
  EXPECT_EQ(LoadNamed(Times(60'000, "${self:custom.t}")), Times(60'000, "songs"));
}

TEST_F(EndlessFilesTest, VariablesThatDouble) {
  std::string custom = "  a0: " + Times(60'000, "x") + "\n";
  for (int i = 0; i < 20; ++i) {
    const std::string before = "${self:custom.a" + std::to_string(i) + "}";
    custom += "  a" + std::to_string(i + 1) + ": \"" + before + before + "\"\n";
  }
  EXPECT_EQ(LoadNamed("${self:custom.a20}", custom), messages::TemplateVariablesTooMany() + "\n");
}

TEST_F(EndlessFilesTest, VariablesThatNest) {
  // In a circle, and without one.
  EXPECT_EQ(
      LoadNamed("${self:custom.x}", "  x: " + Nested(90, "[", "\"${self:custom.x}\"", "]") + "\n"),
      messages::TemplateVariablesTooMany() + "\n");
  std::string custom = "  x0: a\n";
  for (int i = 0; i < 150; ++i) {
    const std::string before = "\"${self:custom.x" + std::to_string(i) + "}\"";
    custom += "  x" + std::to_string(i + 1) + ": " + Nested(90, "[", before, "]") + "\n";
  }
  EXPECT_EQ(LoadNamed("${self:custom.x150}", custom), messages::TemplateVariablesTooMany() + "\n");
}

TEST_F(EndlessFilesTest, EnvironmentFiles) {
  const auto refused = [](std::string_view name) { return messages::DotenvCircle(name) + "\n"; };
  const std::string asked = "useDotenv: true\n";
  const auto load = [&](const std::string& file) {
    Write(".env", file);
    Write("serverless.yml", asked + Serverless("", "${env:NAME_OF_TABLE}"));
    return Load("serverless.yml");
  };
  const std::string fits(100'000, 'x');
  EXPECT_EQ(load("LONG=" + fits + "\nNAME_OF_TABLE=songs\n"), "songs");
  EXPECT_EQ(load("LONG=" + std::string(140'000, 'x') + "\nNAME_OF_TABLE=songs\n"), refused("LONG"));
  // What is too long costs little, so that what follows it has its value or its error.
  EXPECT_EQ(load("LONG=" + std::string(140'000, 'x') + "\nCIRCLE=x$CIRCLE\nNAME_OF_TABLE=a\n"),
            refused("LONG") + refused("CIRCLE"));
  // Together they take too much, though none of them by itself.
  std::string many = "A=a\n";
  for (int i = 0; i < 20; ++i) {
    many += "V" + std::to_string(i) + "=" + fits + Times(100, "$A") + "\n";
  }
  EXPECT_EQ(load(many), refused("V6"));
}

TEST_F(EndlessFilesTest, ConditionsThatAskForEachOther) {
  std::string text = "Conditions:\n";
  for (int i = 0; i < 20'000; ++i) {
    text += "  C" + std::to_string(i) + ": !Not [!Condition C" + std::to_string(i + 1) + "]\n";
  }
  Write("t.yml", text + "  C20000: !Equals [a, a]\nResources:\n" +
                     "  T: {Type: AWS::DynamoDB::Table, Condition: C0}\n");
  EXPECT_EQ(Load("t.yml"), messages::TemplateConditionsTooDeep("C500") + "\n");
}

TEST_F(EndlessFilesTest, LoopsOfLongTexts) {
  const std::string names = "[" + Times(199, "a, ") + "a]";
  Write("t.yml",
        "Transform: AWS::LanguageExtensions\nResources:\n  Fn::ForEach::One:\n    - A\n    - " +
            names + "\n    - Fn::ForEach::Two:\n      - B\n      - " + names +
            "\n      - \"R${A}${B}\": {Type: AWS::SNS::Topic, Properties: {Name: " +
            Times(60'000, "x") + "}}\n");
  EXPECT_THAT(Load("t.yml"), HasSubstr(messages::TemplateTooLarge("Fn::ForEach::Two")));
  // One element may be enough.
  Write("t.yml",
        "Transform: AWS::LanguageExtensions\nResources:\n  Fn::ForEach::One:\n    - A\n    - [" +
            Times(60'000, "y") + "]\n    - T: {Type: AWS::SNS::Topic, Properties: {Name: \"" +
            Times(15'000, "${A}") + "\"}}\n");
  EXPECT_EQ(Load("t.yml"), messages::TemplateTooLarge("Fn::ForEach::One") + "\n");
}

TEST_F(EndlessFilesTest, TemplatesThatNameEachOther) {
  const auto naming = [](size_t times, const std::string& file) {
    std::string text = "Resources:\n";
    for (size_t i = 0; i < times; ++i) {
      text += "  S" + std::to_string(i) +
              ": {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: " + file + "}}\n";
    }
    return text;
  };
  const std::string too_deep = messages::TemplateNestedTooDeep() + "\n";
  Write("self.yml", naming(12, "./self.yml"));
  EXPECT_EQ(Load("self.yml"), too_deep);
  Write("other.yml", naming(2, "another.yml"));
  Write("another.yml", naming(2, "other.yml"));
  EXPECT_EQ(Load("other.yml"), too_deep);
}

TEST_F(EndlessFilesTest, AliasesOfLongTexts) {
  std::string text = "a: &a " + Times(60'000, "x") + "\nb: [";
  for (int i = 0; i < 10'000; ++i) text += "*a, ";
  Write("t.yml", text + "]\n");
  EXPECT_EQ(Load("t.yml"), messages::DesignNotYaml(messages::DesignYamlTooLarge()) + "\n");
  // Each a little deeper than the one before.
  text = "a0: &a0 1\n";
  for (int i = 0; i < 150; ++i) {
    text += "a" + std::to_string(i + 1) + ": &a" + std::to_string(i + 1) + " " +
            Nested(90, "[", "*a" + std::to_string(i) + " ", "]") + "\n";
  }
  Write("t.yml", text);
  EXPECT_EQ(Load("t.yml"), messages::DesignNotYaml(messages::DesignYamlTooLarge()) + "\n");
}

}  // namespace
}  // namespace dynolith::designs
