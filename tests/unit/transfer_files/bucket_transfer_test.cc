// From files to items and back: what an export writes an import reads, and whatever a source holds
// is either an item or counted.
#include "api/transfer/files/bucket_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "api/transfer/files/data_file.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Keeps what it is given.
class Collector final : public ImportReceiver {
 public:
  absl::Status Take(absl::StatusOr<Item> record) override {
    if (record.ok()) {
      items.push_back(*std::move(record));
    } else {
      violations.emplace_back(record.status().message());
    }
    if (at_first) std::exchange(at_first, nullptr)();
    return ++taken == stop_after ? absl::CancelledError() : absl::OkStatus();
  }
  void CountBytes(int64_t more) override { bytes += more; }

  std::vector<Item> items;
  std::vector<std::string> violations;
  int64_t bytes = 0;
  int taken = 0;
  int stop_after = -1;
  std::function<void()> at_first;
};

class BucketTransferTest : public ::testing::Test {
 protected:
  BucketTransferTest()
      : folder_(fs::path(::testing::TempDir()) /
                ("transfer_" +
                 std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))),
        transfer_(folder_.string()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bucket");
    import_.s3_bucket_source.s3_bucket = "bucket";
    import_.table_creation_parameters.attribute_definitions = {{"pk", Type::kString}};
  }
  ~BucketTransferTest() override { fs::remove_all(folder_); }

  void WriteObject(const std::string& name, std::string_view bytes) const {
    fs::create_directories((folder_ / "bucket" / name).parent_path());
    std::ofstream(folder_ / "bucket" / name, std::ios::binary) << bytes;
  }
  std::string ReadObjectText(const std::string& name) const {
    std::ifstream file(folder_ / "bucket" / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  Collector Import() {
    Collector collector;
    const absl::Status status = transfer_.Import(import_, &collector);
    EXPECT_TRUE(status.ok()) << status;
    return collector;
  }

  const fs::path folder_;
  BucketTransfer transfer_;
  ImportTableDescription import_;
};

std::string Gzip(std::string_view text) {
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

Item Pk(std::string_view pk) { return Item({{"pk", Value::S(pk)}}); }
std::string Line(std::string_view pk) {
  return "{\"Item\":{\"pk\":{\"S\":\"" + std::string(pk) + "\"}}}\n";
}

TEST_F(BucketTransferTest, JsonLinesOfAllObjectsUnderThePrefix) {
  WriteObject("in/2/b", Line("b") + "\r\n" + Line("c"));
  WriteObject("in/1", "\xEF\xBB\xBF" + Line("a"));
  WriteObject("inside", Line("d"));
  WriteObject("out", Line("e"));
  import_.s3_bucket_source.s3_key_prefix = "in";
  Collector got = Import();
  EXPECT_THAT(got.items, ElementsAre(Pk("a"), Pk("b"), Pk("c"), Pk("d")));
  EXPECT_THAT(got.violations, IsEmpty());
  EXPECT_EQ(got.bytes, static_cast<int64_t>(4 * Line("a").size() + 3 + 2));
  import_.s3_bucket_source.s3_key_prefix = "nothing";
  got = Import();
  EXPECT_EQ(got.taken, 0);
}

// Also nothing of what follows it in the same piece of bytes.
TEST_F(BucketTransferTest, ALineThatIsNoItemEndsItsObject) {
  for (const std::string wrong :
       {"{", "[]", R"({"item":{}})", R"({"Item":null})", R"({"Item":[]})",
        R"({"Item":{"pk":{"S":1}}})", R"({"Item":{"pk":{"N":"x"}}})", R"({"Item":{"pk":{}}})",
        R"({"Item":{"pk":{"SS":[]}}})", "\"\xff\""}) {
    WriteObject("1", Line("a") + wrong + "\n" + Line("b") + wrong + "\n" + Line("c"));
    WriteObject("2", Line("d"));
    WriteObject("3", wrong);
    const Collector got = Import();
    EXPECT_THAT(got.items, ElementsAre(Pk("a"), Pk("d"))) << wrong;
    EXPECT_THAT(got.violations, SizeIs(2)) << wrong;
  }
}

TEST_F(BucketTransferTest, Csv) {
  import_.input_format = InputFormat::kCsv;
  import_.table_creation_parameters.attribute_definitions = {{"pk", Type::kNumber}};
  WriteObject("a", "pk,text\n1,\"x, \"\"y\"\"\"\n5,\n");
  WriteObject("b", "text,pk\nz,6\n");
  const auto row = [](int64_t pk, std::string_view text) {
    return Item({{"pk", Value::N(pk)}, {"text", Value::S(text)}});
  };
  Collector got = Import();
  EXPECT_THAT(got.items, ElementsAre(row(1, "x, \"y\""), row(5, ""), row(6, "z")));
  for (const char* wrong : {"no number,x", "2", "3,\xff", "4,a\"b"}) {
    WriteObject("a", Concat("pk,text\n1,\n", wrong, "\n5,\n"));
    got = Import();
    EXPECT_THAT(got.items, ElementsAre(row(1, ""), row(6, "z"))) << wrong;
    EXPECT_THAT(got.violations, SizeIs(1)) << wrong;
  }
}

TEST_F(BucketTransferTest, CsvWithHeadersOfTheRequest) {
  import_.input_format = InputFormat::kCsv;
  import_.csv_options = CsvOptions{.delimiter = ";", .header_list = {{"pk", "a,b"}}};
  WriteObject("a", "pk;x\n1;2\n");
  const Collector got = Import();
  EXPECT_THAT(got.items, ElementsAre(Item({{"pk", Value::S("pk")}, {"a,b", Value::S("x")}}),
                                     Item({{"pk", Value::S("1")}, {"a,b", Value::S("2")}})));
}

TEST_F(BucketTransferTest, CsvHeadersThatAreNoneEndTheirObject) {
  import_.input_format = InputFormat::kCsv;
  WriteObject("a", "pk,pk\n1,2\n");
  WriteObject("b", "\"pk\n1,2\n");
  WriteObject("c", "pk\n3\n");
  const Collector got = Import();
  EXPECT_THAT(got.items, ElementsAre(Pk("3")));
  EXPECT_THAT(got.violations, SizeIs(2));
}

TEST_F(BucketTransferTest, Ion) {
  import_.input_format = InputFormat::kIon;
  WriteObject("a",
              "$ion_1_0 {Item:{pk:\"a\"}}\n$ion_1_0\n{\n  Item: { // c }\n  pk: \"}\" }\n}\n"
              "$ion_1_0 {Item:{pk:\"c\"}}\n{Item:{pk:\"");
  WriteObject("b", "{Item:{pk:\"d\"}}\n{Item:{pk:b}}\n{Item:{pk:\"e\"}}");
  const Collector got = Import();
  EXPECT_THAT(got.items, ElementsAre(Pk("a"), Pk("}"), Pk("c"), Pk("d")));
  EXPECT_THAT(got.violations, SizeIs(2));
}

TEST_F(BucketTransferTest, Compressions) {
  for (const auto& [type, compress] : {std::pair(InputCompressionType::kGzip, &Gzip),
                                       std::pair(InputCompressionType::kZstd, &Zstd)}) {
    import_.input_compression_type = type;
    std::string big;
    for (int i = 0; i < 50'000; ++i) big += Line(std::to_string(i));
    WriteObject("a", compress(big));
    // Several streams one after the other are one text.
    WriteObject("b", compress(Line("x").substr(0, 5)) + compress(Line("x").substr(5)));
    WriteObject("c", "");
    const Collector got = Import();
    EXPECT_THAT(got.items, SizeIs(50'001));
    EXPECT_THAT(got.violations, IsEmpty());
    EXPECT_EQ(got.bytes, static_cast<int64_t>(big.size() + Line("x").size()));
  }
}

TEST_F(BucketTransferTest, DamagedCompressionEndsItsObject) {
  for (const auto& [type, compress] : {std::pair(InputCompressionType::kGzip, &Gzip),
                                       std::pair(InputCompressionType::kZstd, &Zstd)}) {
    import_.input_compression_type = type;
    const std::string whole = compress(Line("a") + Line("b"));
    WriteObject("z", compress(Line("z")));
    for (size_t size = 1; size < whole.size(); ++size) {
      WriteObject("a", whole.substr(0, size));
      const Collector got = Import();
      ASSERT_FALSE(got.items.empty()) << size;
      EXPECT_EQ(got.items.back(), Pk("z")) << size;
      EXPECT_THAT(got.violations, SizeIs(1)) << size;
    }
    WriteObject("a", Line("a"));
    EXPECT_THAT(Import().violations, SizeIs(1));
  }
}

TEST_F(BucketTransferTest, TheReceiverEndsTheImport) {
  WriteObject("a", Line("a") + Line("b") + Line("c"));
  Collector collector;
  collector.stop_after = 2;
  EXPECT_TRUE(absl::IsCancelled(transfer_.Import(import_, &collector)));
  EXPECT_EQ(collector.taken, 2);
}

TEST_F(BucketTransferTest, GarbageIsCounted) {
  std::mt19937 random(20261122);
  constexpr std::string_view kBytes = "{}[]\"',:\nItempkSN1 \\\xc3\x00";
  for (const InputFormat format :
       {InputFormat::kDynamoDbJson, InputFormat::kCsv, InputFormat::kIon}) {
    import_.input_format = format;
    for (int round = 0; round < 300; ++round) {
      std::string bytes;
      for (size_t size = random() % 200; size > 0; --size)
        bytes += kBytes[random() % kBytes.size()];
      WriteObject("a", bytes);
      const Collector got = Import();
      EXPECT_EQ(got.taken, static_cast<int>(got.items.size() + got.violations.size()));
      for (const Item& item : got.items) EXPECT_TRUE(ItemView::Parse(item.bytes()).ok());
    }
  }
}

ExportDescription Export(ExportFormat format) {
  ExportDescription description;
  description.table_arn = "arn:aws:dynamodb:us-east-1:000000000000:table/ttt";
  description.s3_bucket = "bucket";
  description.s3_prefix = "exports/";
  description.s3_sse_algorithm = "AES256";
  description.export_format = format;
  description.export_type = ExportType::kFull;
  description.export_time = absl::FromUnixMillis(1'604'474'914'028);
  description.export_arn = description.table_arn + "/export/01604474914028-73d8d5bc";
  description.table_id = "id";
  description.start_time = description.end_time.emplace(*description.export_time);
  description.item_count = 2;
  description.billed_size_bytes = 7;
  return description;
}

TEST_F(BucketTransferTest, ExportsAreImported) {
  for (const auto& [format, input] :
       {std::pair(ExportFormat::kDynamoDbJson, InputFormat::kDynamoDbJson),
        std::pair(ExportFormat::kIon, InputFormat::kIon)}) {
    fs::remove_all(folder_ / "bucket" / "exports");
    const ExportDescription description = Export(format);
    auto writer = transfer_.BeginExport(description);
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const Item& item : {Pk("a"), Pk("b\n\"")}) {
      EXPECT_TRUE((*writer)->AddItem(item.view()).ok());
    }
    const auto manifest = (*writer)->Finish(description);
    ASSERT_TRUE(manifest.ok()) << manifest.status();
    EXPECT_EQ(*manifest, "exports/AWSDynamoDB/01604474914028-73d8d5bc/manifest-summary.json");

    import_.input_format = input;
    import_.input_compression_type = InputCompressionType::kGzip;
    import_.s3_bucket_source.s3_key_prefix = "exports/AWSDynamoDB/01604474914028-73d8d5bc/data/";
    const Collector got = Import();
    EXPECT_THAT(got.items, ElementsAre(Pk("a"), Pk("b\n\"")));
    EXPECT_THAT(got.violations, IsEmpty());
  }
}

// "The key prefix shared by all S3 Objects that are being imported": manifests and their checksums
// are objects, too. Each is one fault, and none an item; _started holds nothing.
TEST_F(BucketTransferTest, AnImportOfAWholeExportCountsItsManifestsAsFaults) {
  const ExportDescription description = Export(ExportFormat::kDynamoDbJson);
  auto writer = transfer_.BeginExport(description);
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (const Item& item : {Pk("a"), Pk("b")}) EXPECT_TRUE((*writer)->AddItem(item.view()).ok());
  ASSERT_TRUE((*writer)->Finish(description).ok());
  import_.input_format = InputFormat::kDynamoDbJson;
  import_.s3_bucket_source.s3_key_prefix = "exports/AWSDynamoDB/01604474914028-73d8d5bc/";
  import_.input_compression_type = InputCompressionType::kGzip;
  const Collector compressed = Import();
  EXPECT_THAT(compressed.items, ElementsAre(Pk("a"), Pk("b")));
  EXPECT_THAT(compressed.violations, SizeIs(4));
  import_.input_compression_type = InputCompressionType::kNone;
  const Collector plain = Import();
  EXPECT_THAT(plain.items, IsEmpty());
  EXPECT_THAT(plain.violations, SizeIs(5));
}

std::string Base64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

TEST_F(BucketTransferTest, ManifestsDescribeTheirFiles) {
  const ExportDescription description = Export(ExportFormat::kDynamoDbJson);
  auto writer = transfer_.BeginExport(description);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const Item item = Pk("a");
  EXPECT_TRUE((*writer)->AddItem(item.view()).ok());
  const std::string folder = "exports/AWSDynamoDB/01604474914028-73d8d5bc/";
  EXPECT_TRUE(fs::exists(folder_ / "bucket" / folder / "_started"));
  ASSERT_TRUE((*writer)->Finish(description).ok());
  const std::string summary = ReadObjectText(folder + "manifest-summary.json");
  EXPECT_EQ(
      summary,
      "{\"version\":\"2020-06-30\",\"exportArn\":\"arn:aws:dynamodb:us-east-1:000000000000:"
      "table/ttt/export/01604474914028-73d8d5bc\",\"startTime\":\"2020-11-04T07:28:34.028Z\","
      "\"endTime\":\"2020-11-04T07:28:34.028Z\",\"tableArn\":\"arn:aws:dynamodb:us-east-1:"
      "000000000000:table/ttt\",\"tableId\":\"id\",\"exportTime\":\"2020-11-04T07:28:34.028Z\","
      "\"s3Bucket\":\"bucket\",\"s3Prefix\":\"exports/\",\"s3SseAlgorithm\":\"AES256\","
      "\"s3SseKmsKeyId\":null,\"manifestFilesS3Key\":\"" +
          folder +
          "manifest-files.json\","
          "\"billedSizeBytes\":7,\"itemCount\":2,\"outputFormat\":\"DYNAMODB_JSON\","
          "\"exportType\":\"FULL_EXPORT\"}");
  EXPECT_EQ(ReadObjectText(folder + "manifest-summary.md5"), Base64(Md5(summary)));
  const std::string files = ReadObjectText(folder + "manifest-files.json");
  EXPECT_EQ(ReadObjectText(folder + "manifest-files.md5"), Base64(Md5(files)));
  fs::path data;
  for (const auto& entry : fs::directory_iterator(folder_ / "bucket" / folder / "data")) {
    data = entry.path();
  }
  const std::string name = folder + "data/" + data.filename().string();
  const std::string md5 = Md5(ReadObjectText(name));
  EXPECT_EQ(files, "{\"itemCount\":1,\"md5Checksum\":\"" + Base64(md5) + "\",\"etag\":\"" +
                       absl::BytesToHexString(Md5(md5)) + "-1\",\"dataFileS3Key\":\"" + name +
                       "\"}\n");
  EXPECT_THAT(name, HasSubstr(".json.gz"));
}

TEST_F(BucketTransferTest, IncrementalExports) {
  ExportDescription description = Export(ExportFormat::kDynamoDbJson);
  description.export_type = ExportType::kIncremental;
  description.export_time.reset();
  description.s3_prefix.reset();
  description.incremental_export_specification = IncrementalExportSpecification{
      absl::FromUnixSeconds(1000), absl::FromUnixSeconds(5000), ExportViewType::kNewAndOldImages};
  auto writer = transfer_.BeginExport(description);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const Item key = Pk("a");
  const Item before({{"pk", Value::S("a")}, {"x", Value::Null()}});
  EXPECT_TRUE((*writer)
                  ->AddChange({.written = absl::FromUnixMicros(7),
                               .key = key.view(),
                               .old_image = before.view(),
                               .new_image = std::nullopt})
                  .ok());
  ASSERT_TRUE((*writer)->Finish(description).ok());
  EXPECT_THAT(ReadObjectText("AWSDynamoDB/01604474914028-73d8d5bc/manifest-summary.json"),
              HasSubstr("\"exportFromTime\":\"1970-01-01T00:16:40.000Z\",\"exportToTime\":"
                        "\"1970-01-01T01:23:20.000Z\""));
  fs::path data;
  for (const auto& entry : fs::directory_iterator(folder_ / "bucket/AWSDynamoDB/data")) {
    data = entry.path();
  }
  EXPECT_EQ(
      ReadObjectText("AWSDynamoDB/data/" + data.filename().string()),
      Gzip("{\"Metadata\":{\"WriteTimestampMicros\":{\"N\":\"7\"}},\"Keys\":{\"pk\":{\"S\":\"a\"}},"
           "\"OldImage\":{\"pk\":{\"S\":\"a\"},\"x\":{\"NULL\":true}}}\n"));
}

// What is left of it may end like a whole one.
TEST_F(BucketTransferTest, AnObjectThatChangesWhileItIsReadIsNamed) {
  std::string line = R"({"Item":{"pk":{"S":")" + std::string(1000, 'x') + "\"}}}\n";
  std::string text;
  // More than is read at once.
  for (int i = 0; i < 2000; ++i) text += line;
  const fs::path file = folder_ / "bucket" / "in.json";
  const std::vector<std::function<void()>> changes = {
      [&] { fs::resize_file(file, 1000 * line.size()); },
      [&] { fs::resize_file(file, 1000 * line.size() + 7); },
      [&] { fs::resize_file(file, 0); },
      [&] { std::ofstream(file, std::ios::app) << line; },
      // Refused before its end.
      [&] {
        std::fstream(file, std::ios::in | std::ios::out).seekp(1000 * line.size()) << "no record";
        fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
      },
      // Written anew, as long as before.
      [&] { fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1)); },
  };
  for (const auto& change : changes) {
    WriteObject("in.json", text);
    Collector collector;
    collector.at_first = change;
    const absl::Status status = transfer_.Import(import_, &collector);
    EXPECT_EQ(TransferFailureCode(status), "S3AccessDenied");
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("in.json: it was changed while it was being read"));
  }
  WriteObject("in.json", text);
  // Another file gets the name: the one that was opened is read to its end.
  Collector collector;
  collector.at_first = [&] {
    WriteObject("new.json", line);
    fs::rename(folder_ / "bucket" / "new.json", file);
  };
  EXPECT_TRUE(transfer_.Import(import_, &collector).ok());
  EXPECT_THAT(collector.items, SizeIs(2000));
}

}  // namespace
}  // namespace dynolith
