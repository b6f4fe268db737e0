// What tools do: values in both forms, bounds and cursors, snapshots before destruction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/unit/mcp/mcp_fixture.h"
#include "tools/mcp/plain_value.h"
#include "tools/mcp/safety_snapshot.h"
#include "tools/mcp/schema_check.h"

namespace dynolith::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

JsonTree Json(std::string_view text) { return ParseJson(text, 64).value(); }

// Both ways, so that nothing an item holds is lost.
TEST(PlainValue, RoundTrip) {
  const std::pair<std::string_view, std::string_view> pairs[] = {
      {R"({"S":"a"})", R"("a")"},
      {R"({"N":"12"})", "12"},
      {R"({"N":"-0.000000000000000000000000000000000000000001"})",
       "-0.000000000000000000000000000000000000000001"},
      {R"({"N":"123456789012345"})", "123456789012345"},
      {R"({"N":"123456789012345000000"})", "123456789012345000000"},
      {R"({"N":"1234567890123456"})", R"({"$number":"1234567890123456"})"},
      {R"({"N":"12345678901234567890123456789012345678"})",
       R"({"$number":"12345678901234567890123456789012345678"})"},
      {R"({"BOOL":true})", "true"},
      {R"({"NULL":true})", "null"},
      {R"({"B":"AAEC"})", R"({"$binary":"AAEC"})"},
      {R"({"SS":["a","b"]})", R"({"$string_set":["a","b"]})"},
      {R"({"NS":["1","2.5"]})", R"({"$number_set":["1","2.5"]})"},
      {R"({"BS":["AA=="]})", R"({"$binary_set":["AA=="]})"},
      {R"({"L":[{"S":"a"},{"N":"1"},{"L":[]}]})", R"(["a",1,[]])"},
      {R"({"M":{"a":{"S":"b"},"$c":{"N":"1"}}})", R"({"a":"b","$c":1})"},
      {R"({"M":{}})", "{}"},
      // A map that looks like a form of its own.
      {R"({"M":{"$binary":{"S":"x"}}})", R"({"$map":{"$binary":"x"}})"},
      {R"({"M":{"$map":{"M":{}}}})", R"({"$map":{"$map":{}}})"},
  };
  for (const auto& [typed, plain] : pairs) {
    EXPECT_EQ(PrintJson(PlainValue(Json(typed))), plain);
    const auto back = TypedValue(Json(plain), "v");
    ASSERT_TRUE(back.ok()) << plain;
    EXPECT_EQ(PrintJson(*back), typed);
  }
}

TEST(PlainValue, WhatIsNoForm) {
  for (const char* const wrong :
       {R"({"$binary":1})", R"({"$string_set":"a"})", R"({"$string_set":[1]})", R"({"$set":[]})",
        R"({"$map":[]})", R"([{"$number":5}])"}) {
    EXPECT_FALSE(TypedValue(Json(wrong), "v").ok()) << wrong;
  }
}

TEST(SchemaCheck, NamesWhatIsWrong) {
  const JsonTree schema = Json(R"({"type":"object","required":["table"],"properties":{
      "table":{"type":"string","minLength":3,"maxLength":5},"limit":{"type":"integer","minimum":1,"maximum":9},
      "kind":{"type":"string","enum":["a","b"]},"keys":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object"}},
      "names":{"type":"object","additionalProperties":{"type":"string"}},"on":{"type":"boolean"},"part":{"type":"number"}},
      "additionalProperties":false})");
  const auto wrong = [&](std::string_view value) {
    const absl::Status status = CheckAgainst(schema, Json(value));
    return std::string(status.message());
  };
  EXPECT_EQ(
      wrong(
          R"({"table":"music","limit":9,"kind":"b","keys":[{}],"names":{"#a":"b"},"on":true,"part":0.5})"),
      "");
  EXPECT_EQ(wrong("[]"), "the arguments have to be an object");
  EXPECT_EQ(wrong("{}"), "table is missing");
  EXPECT_EQ(wrong(R"({"table":"mu"})"), "table has at least 3 letters");
  EXPECT_EQ(wrong(R"({"table":"éééééé"})"), "table has at most 5 letters");
  EXPECT_EQ(wrong(R"({"table":"ééééé"})"), "");
  EXPECT_EQ(wrong(R"({"table":"music","limit":0})"), "limit is at least 1");
  EXPECT_EQ(wrong(R"({"table":"music","limit":1.5})"), "limit has to be of type integer");
  EXPECT_EQ(wrong(R"({"table":"music","limit":"1"})"), "limit has to be of type integer");
  EXPECT_EQ(wrong(R"({"table":"music","kind":"c"})"), "kind has to be one of: a, b");
  EXPECT_EQ(wrong(R"({"table":"music","keys":[]})"), "keys has at least 1 elements");
  EXPECT_EQ(wrong(R"({"table":"music","keys":[{},1]})"), "keys[1] has to be of type object");
  EXPECT_EQ(wrong(R"({"table":"music","names":{"#a":1}})"), "names.#a has to be of type string");
  EXPECT_EQ(wrong(R"({"table":"music","on":null})"), "on has to be of type boolean");
  EXPECT_EQ(wrong(R"({"table":"music","limt":1})"),
            "there is no argument limt; did you mean limit?");
  EXPECT_EQ(wrong(R"({"table":"music","table":"music"})"), "table stands there twice");
}

class ToolsTest : public McpTest {
 protected:
  ToolsTest() {
    Begin();
    MakeMusic();
  }
  // `count` songs of one artist, with `bytes` letters each.
  void PutSongs(int count, size_t bytes) {
    std::string items;
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(1000 + i);
      items += Concat(items.empty() ? "" : ",", R"({"artist":"Ray","song":")", number, R"(","n":)",
                      i, R"(,"text":")", std::string(bytes, 'x'), "\"}");
    }
    ASSERT_THAT(Call("put_items", Concat(R"({"table":"music","items":[)", items, "]}")),
                HasSubstr(Concat("\"put\":", count)));
  }
  // All songs' numbers, page after page, and how many pages there were.
  std::pair<std::string, int> ReadAll(const std::string& tool, const std::string& arguments) {
    std::string songs;
    std::string cursor;
    for (int pages = 1;; ++pages) {
      const JsonTree result =
          Json(Call(tool, Concat("{", arguments, cursor.empty() ? "" : ",\"cursor\":\"", cursor,
                                 cursor.empty() ? "}" : "\"}")));
      for (const JsonTree& item : result.Find("items")->elements)
        songs += TextAt(item, "song") + " ";
      EXPECT_EQ(IsTrueAt(result, "truncated"), result.Find("next_cursor") != nullptr);
      cursor = TextAt(result, "next_cursor");
      if (cursor.empty() || pages > 100) return {songs, pages};
    }
  }
};

TEST_F(ToolsTest, EveryItemComesOnceWhateverTheBound) {
  PutSongs(7, 300);
  const std::string all = "1000 1001 1002 1003 1004 1005 1006 ";
  const std::string query =
      R"("table":"music","key_condition":"artist = :a","values":{":a":"Ray"})";
  EXPECT_EQ(ReadAll("query", query).first, all);
  EXPECT_EQ(ReadAll("query", query + R"(,"limit":3)"), std::make_pair(all, 3));
  // Three items of some 340 bytes have room in 1,100.
  EXPECT_EQ(ReadAll("query", query + R"(,"max_bytes":1100)"), std::make_pair(all, 3));
  EXPECT_EQ(ReadAll("scan", R"("table":"music","max_bytes":1100)").first, all);
  EXPECT_EQ(
      ReadAll(
          "partiql_select",
          R"("statement":"SELECT * FROM music WHERE artist = ?","parameters":["Ray"],"max_bytes":1100)")
          .first,
      all);
  // A filter drops every second one, and limit counts what remains.
  const std::string filtered =
      R"x("table":"music","key_condition":"artist = :a","filter":"n IN (:b, :c, :d)",)x"
      R"x("values":{":a":"Ray",":b":1,":c":3,":d":5},"limit":2)x";
  EXPECT_EQ(ReadAll("query", filtered).first, "1001 1003 1005 ");
  EXPECT_EQ(ReadAll("query", query + R"(,"backward":true,"limit":4)").first,
            "1006 1005 1004 1003 1002 1001 1000 ");
}

TEST_F(ToolsTest, AnItemLargerThanTheBoundIsLeftOutAndSaidSo) {
  PutSongs(1, 3000);
  Call("put_items", R"({"table":"music","items":[{"artist":"Ray","song":"2"}]})");
  const std::string answer = Call("scan", R"({"table":"music","max_bytes":1024})");
  EXPECT_THAT(answer, HasSubstr(R"("items":[{"artist":"Ray","song":"2"}])"));
  EXPECT_THAT(answer, HasSubstr("an item is left out: it has 30"));
  EXPECT_THAT(Call("get_item",
                   R"({"table":"music","key":{"artist":"Ray","song":"1000"},"max_bytes":1024})"),
              HasSubstr(R"("found":true,"read_units":0.5,"notes":["an item is left out)"));
}

TEST_F(ToolsTest, ACursorIsOfOneCall) {
  PutSongs(2, 10);
  const std::string cursor =
      TextAt(Json(Call("scan", R"({"table":"music","limit":1})")), "next_cursor");
  EXPECT_THAT(
      Call("scan", Concat(R"({"table":"music","filter":"n = :n","values":{":n":1},"cursor":")",
                          cursor, "\"}")),
      StartsWith("this cursor is of another call"));
  EXPECT_THAT(Call("scan", R"({"table":"music","cursor":"bm9uc2Vuc2U"})"),
              StartsWith("this cursor is of another call"));
}

TEST_F(ToolsTest, PutsKeepWhatIsThere) {
  const std::string put = R"({"table":"music","items":[{"artist":"Ray","song":"a","n":1}]})";
  Call("put_items", put);
  EXPECT_THAT(
      Call("put_items", put),
      StartsWith(R"({"put":0,"already_there":[{"artist":"Ray","song":"a"}],"write_units":0})"));
  EXPECT_THAT(
      Call("put_items",
           R"({"table":"music","overwrite":true,"items":[{"artist":"Ray","song":"a","n":2}]})"),
      HasSubstr(R"("snapshot":"mcp-auto-)"));
  // The rest is not tried behind the first that is refused.
  EXPECT_THAT(
      Call(
          "put_items",
          R"({"table":"music","items":[{"artist":"Ray","song":"b"},{"song":"c"},{"artist":"Ray","song":"d"}]})"),
      StartsWith(R"({"put":1,"already_there":[],"write_units":1,"error":"ValidationException: )"));
  EXPECT_THAT(Call("put_items", R"({"table":"music","items":[{"song":"c"}]})"),
              StartsWith("ValidationException: "));
}

TEST_F(ToolsTest, UpdatesWantAnItem) {
  const std::string update =
      R"("table":"music","key":{"artist":"Ray","song":"a"},"update":"ADD n :one","values":{":one":1})";
  EXPECT_THAT(Call("update_item", Concat("{", update, "}")), HasSubstr("create: true"));
  EXPECT_THAT(
      Call("update_item", Concat("{", update, R"(,"create":true})")),
      StartsWith(R"({"item":{"artist":"Ray","n":1,"song":"a"},"write_units":1,"snapshot":")"));
  EXPECT_THAT(Call("update_item", Concat("{", update, R"(,"condition":"n = :one"})")),
              HasSubstr(R"("n":2)"));
  EXPECT_THAT(Call("update_item", Concat("{", update, R"(,"condition":"n = :one"})")),
              StartsWith("ConditionalCheckFailedException"));
}

TEST_F(ToolsTest, ASnapshotComesBeforeADeletionAndBringsItBack) {
  PutSongs(3, 10);
  const JsonTree deleted = Json(Call(
      "delete_items",
      R"({"table":"music","keys":[{"artist":"Ray","song":"1000"},{"artist":"Ray","song":"x"}]})"));
  EXPECT_EQ(TextAt(deleted, "deleted"), "1");
  EXPECT_EQ(TextAt(deleted, "absent"), "1");
  const std::string before = TextAt(deleted, "snapshot");
  EXPECT_THAT(before, StartsWith(std::string(kSafetyPrefix)));
  EXPECT_THAT(Call("delete_table", R"({"table":"music"})"), HasSubstr("snapshot"));
  EXPECT_THAT(Call("scan", R"({"table":"music"})"), StartsWith("ResourceNotFoundException"));
  EXPECT_THAT(Call("restore_snapshot", Concat(R"({"snapshot_name":")", before, "\"}")),
              StartsWith(Concat(R"({"restored":")", before, R"(","snapshot":"mcp-auto-)")));
  EXPECT_THAT(Call("scan", R"({"table":"music"})"), HasSubstr(R"("count":3)"));
  EXPECT_THAT(Call("restore_snapshot", R"({"snapshot_name":"no"})"),
              StartsWith("there is no snapshot no"));
  EXPECT_THAT(Call("restore_snapshot", R"({"snapshot_name":"../a"})"), HasSubstr("is no name"));
}

TEST_F(ToolsTest, AutomaticSnapshotsAreBounded) {
  parts_.rules.snapshots_kept = 2;
  Call("take_snapshot", R"({"snapshot_name":"mine"})");
  std::string last;
  for (int i = 0; i < 4; ++i) {
    last =
        TextAt(Json(Call("partiql_write",
                         R"({"statement":"DELETE FROM music WHERE artist = 'a' AND song = 'b'"})")),
               "snapshot");
  }
  const JsonTree listed = Json(Call("list_snapshots", "{}"));
  const auto& names = listed.Find("snapshots")->elements;
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0].text == last || names[1].text == last, true);
  EXPECT_EQ(names[2].text, "mine");
  EXPECT_THAT(Call("take_snapshot", R"({"snapshot_name":"mine"})"), HasSubstr("already"));
  EXPECT_THAT(Call("take_snapshot", R"({"snapshot_name":"mcp-auto-1"})"), HasSubstr("automatic"));
  EXPECT_THAT(Call("remove_snapshot", R"({"snapshot_name":"mine"})"), Not(HasSubstr("mine")));
}

TEST_F(ToolsTest, ExplainsReads) {
  Call("update_table", R"({"definition":{"TableName":"music",
      "AttributeDefinitions":[{"AttributeName":"genre","AttributeType":"S"}],
      "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"by-genre","KeySchema":[{"AttributeName":"genre","KeyType":"HASH"}],
      "Projection":{"ProjectionType":"KEYS_ONLY"}}}]}})");
  PutSongs(20, 10);
  const std::string scan =
      Call("explain",
           R"({"table":"music","filter":"genre = :g AND n > :n","values":{":g":"jazz",":n":3}})");
  EXPECT_THAT(
      scan,
      StartsWith(R"({"operation":"Scan","table":"music","access":"reads all of the table music",)"
                 R"("key_attributes":[],"filtered_attributes":["genre","n"])"));
  EXPECT_THAT(scan,
              HasSubstr(R"("measured":{"read_units":2,"items":0,"scanned":20,"complete":true})"));
  EXPECT_THAT(scan, HasSubstr("the filter drops most: 20 of 20"));
  EXPECT_THAT(
      scan,
      HasSubstr(
          "query the index by-genre of the table music instead: its partition key genre is given"));
  const std::string query =
      Call("explain", R"({"table":"music","key_condition":"artist = :a AND song < :s",
      "values":{":a":"Ray",":s":"1005"},"projection":"n"})");
  EXPECT_THAT(query, StartsWith(R"({"operation":"Query","table":"music")"));
  EXPECT_THAT(query, HasSubstr(R"("key_attributes":["artist","song"],"filtered_attributes":[])"));
  EXPECT_THAT(query, HasSubstr(R"("items":5,"scanned":5,"complete":true)"));
  const std::string statement = Call(
      "explain",
      R"({"statement":"SELECT * FROM music WHERE artist = ? AND n = 3","parameters":["Ray"],"measure":false})");
  EXPECT_THAT(statement, HasSubstr(R"("operation":"Query")"));
  EXPECT_THAT(statement, HasSubstr(R"("key_attributes":["artist"],"filtered_attributes":["n"])"));
  EXPECT_THAT(statement, Not(HasSubstr("measured\":")));
  const std::string whole = Call("explain", R"({"statement":"SELECT * FROM music WHERE n = 3"})");
  EXPECT_THAT(whole, HasSubstr(R"("operation":"Scan")"));
  // How many were read for it is not in an answer to a statement.
  EXPECT_THAT(whole, HasSubstr("measured\":"));
  EXPECT_THAT(whole, Not(HasSubstr("scanned")));
  EXPECT_THAT(
      Call("explain", R"({"statement":"DELETE FROM music WHERE artist = 'a' AND song = 'b'"})"),
      HasSubstr("explain explains SELECT"));
  EXPECT_THAT(Call("explain", R"({"table":"music","index":"no-such"})"),
              HasSubstr("has no index no-such"));
}

TEST_F(ToolsTest, LoadsTexts) {
  EXPECT_THAT(
      Call(
          "load_design",
          R"({"file_name":"music.items.csv","table":"music","text":"artist,song\nRay,a\nAmy,b\n"})"),
      StartsWith(
          R"({"tables_made":[],"tables_kept":0,"items_written":2,"items_left_out":0,"errors":0,"findings":[])"));
  EXPECT_THAT(Call("load_design", R"({"file_name":"a.json","text":"{"})"),
              HasSubstr(R"("errors":1,"findings":["line)"));
  EXPECT_THAT(Call("load_design", R"({"file_name":"../a.json","text":"{}"})"),
              HasSubstr("is no name of a file"));
  EXPECT_THAT(Call("load_design", R"({"file_name":"a.txt","text":"{}"})"),
              HasSubstr("is no name of a file"));
}

TEST_F(ToolsTest, TheLabReadsNoFiles) {
  EXPECT_THAT(Call("lab_simulate",
                   R"({"experiment":"[experiment]\nname = \"a\"\nmodel = \"/etc/passwd\"\n"})"),
              Not(HasSubstr("root:")));
  EXPECT_THAT(Call("lab_simulate", R"({"experiment":"celebrty"})"),
              HasSubstr("did you mean celebrity?"));
  EXPECT_THAT(Call("lab_simulate", "{}"), HasSubstr("either experiment or data_model"));
}

}  // namespace
}  // namespace dynolith::mcp
