// Records must not depend on how the bytes arrive, and what hides a delimiter must hide it.
#include "api/transfer/files/record_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/limits.h"

namespace dynolith {
namespace {

using Records = std::vector<std::string>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What comes of the text when it arrives in pieces of so many bytes.
Records Split(InputFormat format, std::string_view text, size_t piece_bytes, char delimiter = ',') {
  Records records;
  const auto take = [&records](std::string_view record) {
    records.emplace_back(record);
    return absl::OkStatus();
  };
  const auto splitter = RecordSplitter::Make(format, delimiter);
  for (; !text.empty(); text.remove_prefix(std::min(piece_bytes, text.size()))) {
    EXPECT_TRUE(splitter->Feed(text.substr(0, piece_bytes), take).ok());
  }
  EXPECT_TRUE(splitter->Finish(take).ok());
  return records;
}

Records Split(InputFormat format, std::string_view text) {
  const Records records = Split(format, text, text.size() + 1);
  EXPECT_EQ(Split(format, text, 1), records) << text;
  EXPECT_EQ(Split(format, text, 3), records) << text;
  return records;
}

TEST(RecordSplitter, Lines) {
  EXPECT_THAT(Split(InputFormat::kDynamoDbJson, "{a}\n{b}\r\n\n  \n{c}"),
              ElementsAre("{a}", "{b}", "{c}"));
  EXPECT_THAT(Split(InputFormat::kDynamoDbJson, ""), IsEmpty());
  EXPECT_THAT(Split(InputFormat::kDynamoDbJson, "\n"), IsEmpty());
}

TEST(RecordSplitter, CsvQuotesHideLineBreaks) {
  EXPECT_THAT(Split(InputFormat::kCsv, "a,b\n\"x\ny\",2\r\n\"\"\"\n\"\"\",3\n"),
              ElementsAre("a,b", "\"x\ny\",2", "\"\"\"\n\"\"\",3"));
  // One that is not at the begin of a field hides nothing.
  EXPECT_THAT(Split(InputFormat::kCsv, "a\"b\nc\"\"d\n"), ElementsAre("a\"b", "c\"\"d"));
  EXPECT_THAT(Split(InputFormat::kCsv, "1,\"not closed\n2,x\n"),
              ElementsAre("1,\"not closed\n2,x"));
  EXPECT_THAT(Split(InputFormat::kCsv, "a|\"b\nc\"\n", 2, '|'), ElementsAre("a|\"b\nc\""));
  // A blank may be a value where blanks delimit.
  EXPECT_THAT(Split(InputFormat::kCsv, " \n\n", 1, ' '), ElementsAre(" "));
}

TEST(RecordSplitter, IonValuesEndWithTheirBracket) {
  EXPECT_THAT(Split(InputFormat::kIon, "$ion_1_0 {Item:{a:1}}\n$ion_1_0\n{\n Item: {}\n}\n"),
              ElementsAre("$ion_1_0 {Item:{a:1}}", "\n$ion_1_0\n{\n Item: {}\n}"));
  EXPECT_THAT(Split(InputFormat::kIon, "{a:1}{b:2}"), ElementsAre("{a:1}", "{b:2}"));
}

TEST(RecordSplitter, IonHidesBracketsInTextsCommentsAndBinaries) {
  for (const std::string_view value :
       {"{a:\"}\"}", "{a:\"\\\"}\"}", "{'}':1}", "{'\\'}':1}", "{a:'''}'''}", "{a:'''\\'''}'''}",
        "{'':'''}'''}", "{ // }\n }", "{ /* } **/ }", "{ /*/ } */ }", "{a:{{ //8= }}}",
        "{a:{{ \"}}\" }}}", "{a:{{}}}", "{a:[1,{b:2}],c:(d)}"}) {
    const std::string twice = std::string(value) + std::string(value);
    EXPECT_THAT(Split(InputFormat::kIon, twice), ElementsAre(value, value)) << value;
  }
}

TEST(RecordSplitter, CommentsBehindTheLastIonValueAreNoRecord) {
  EXPECT_THAT(Split(InputFormat::kIon, "{a:1}\n// the end\n/* {} */\n"), ElementsAre("{a:1}"));
  EXPECT_THAT(Split(InputFormat::kIon, "{a:1} {b:"), ElementsAre("{a:1}", " {b:"));
}

TEST(RecordSplitter, LinesWhereRecordsBegin) {
  const auto lines = [](InputFormat format, std::string_view text) {
    std::vector<int64_t> begins;
    const auto splitter = RecordSplitter::Make(format, ',');
    const auto take = [&](std::string_view) {
      begins.push_back(splitter->line());
      return absl::OkStatus();
    };
    EXPECT_TRUE(splitter->Feed(text, take).ok());
    EXPECT_TRUE(splitter->Finish(take).ok());
    return begins;
  };
  EXPECT_THAT(lines(InputFormat::kDynamoDbJson, "{a}\n\n  \r\n{b}\n{c}"), ElementsAre(1, 4, 5));
  EXPECT_THAT(lines(InputFormat::kCsv, "a,b\n\"x\n\ny\",2\nz,3\n"), ElementsAre(1, 2, 5));
  EXPECT_THAT(lines(InputFormat::kIon, "{a}{b}\n{\nc}\n\n {d}"), ElementsAre(1, 1, 2, 5));
}

TEST(RecordSplitter, ARecordThatIsTooLongEndsTheObject) {
  const auto splitter = RecordSplitter::Make(InputFormat::kDynamoDbJson, ',');
  const auto take = [](std::string_view) { return absl::OkStatus(); };
  EXPECT_TRUE(splitter->Feed(std::string(kImportRecordBytesMax, 'a'), take).ok());
  EXPECT_FALSE(splitter->Feed("a", take).ok());
}

TEST(RecordSplitter, WhatTheTakerSaysEndsTheSplitting) {
  const auto splitter = RecordSplitter::Make(InputFormat::kDynamoDbJson, ',');
  int taken = 0;
  const auto take = [&taken](std::string_view) {
    ++taken;
    return absl::CancelledError();
  };
  EXPECT_TRUE(absl::IsCancelled(splitter->Feed("a\nb\n", take)));
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace dynolith
