// Content codings: what the header allows, what comes back, and that a small body cannot become a
// huge one.
#include "api/coding/compression.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <string_view>

namespace dynolith::http {
namespace {

std::string Compressed(Coding coding, std::string_view bytes) {
  std::string compressed;
  Compress(coding, bytes, &compressed);
  return compressed;
}

TEST(Compression, ChoosesByQuality) {
  EXPECT_EQ(ChooseCoding(""), Coding::kIdentity);
  EXPECT_EQ(ChooseCoding("identity"), Coding::kIdentity);
  EXPECT_EQ(ChooseCoding("gzip"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding("GZip "), Coding::kGzip);
  EXPECT_EQ(ChooseCoding("deflate"), Coding::kDeflate);
  EXPECT_EQ(ChooseCoding("deflate, gzip"), Coding::kDeflate);
  EXPECT_EQ(ChooseCoding("br, identity, deflate, gzip"), Coding::kDeflate);
  EXPECT_EQ(ChooseCoding("gzip;q=0.5, deflate;q=0.8"), Coding::kDeflate);
  EXPECT_EQ(ChooseCoding("gzip; q=0, deflate"), Coding::kDeflate);
  EXPECT_EQ(ChooseCoding("gzip;q=0"), Coding::kIdentity);
  EXPECT_EQ(ChooseCoding("gzip;q=0.2, identity;q=0.9"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding("x-gzip"), Coding::kIdentity);
  EXPECT_EQ(ChooseCoding("br"), Coding::kIdentity);
  EXPECT_EQ(ChooseCoding("br, *;q=0.1"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding("*, gzip;q=0"), Coding::kDeflate);
  EXPECT_EQ(ChooseCoding("*;q=0.5,identity"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding("*, deflate"), Coding::kDeflate);
  EXPECT_EQ(ChooseCoding("*, deflate;q=0.9"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding("gzip;q=0.2, deflate;q=0.3, *"), Coding::kDeflate);
  EXPECT_EQ(ChooseCoding("*;q=0"), Coding::kIdentity);
}

TEST(Compression, ReadsQualitiesAsTheServiceDoes) {
  // Found anywhere, the first that is a number counts, and no more than 1.
  EXPECT_EQ(ChooseCoding("gzip;nq=0;q=1"), Coding::kIdentity);
  EXPECT_EQ(ChooseCoding("gzip;level=9;q= 0 "), Coding::kIdentity);
  EXPECT_EQ(ChooseCoding("gzip;q=x;q=0"), Coding::kIdentity);
  EXPECT_EQ(ChooseCoding("gzip;q=x"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding("gzip;q=nan"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding("gzip;q=0.1x, deflate;q=0.9"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding("gzip;q=-1"), Coding::kIdentity);
  EXPECT_EQ(ChooseCoding("deflate;q=1, gzip;q=7"), Coding::kDeflate);
  // A coding that comes again counts only where it was refused.
  EXPECT_EQ(ChooseCoding("gzip;q=0.1, deflate;q=0.5, gzip"), Coding::kDeflate);
  EXPECT_EQ(ChooseCoding("gzip;q=0, deflate;q=0.5, gzip"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding(",,;;q=,=,gzip;q=x"), Coding::kGzip);
  EXPECT_EQ(ChooseCoding(",;,=;q=0"), Coding::kIdentity);
}

TEST(Compression, Names) {
  EXPECT_EQ(ParseCoding("GZIP"), Coding::kGzip);
  EXPECT_EQ(ParseCoding("deflate"), Coding::kDeflate);
  EXPECT_EQ(ParseCoding("identity"), Coding::kIdentity);
  EXPECT_EQ(ParseCoding("br"), std::nullopt);
  EXPECT_EQ(ParseCoding("gzip, gzip"), std::nullopt);
}

TEST(Compression, RoundTrip) {
  std::mt19937 random(1);
  for (const size_t size : {size_t{1}, size_t{100}, size_t{10'000}, size_t{1'000'000}}) {
    std::string bytes(size, ' ');
    for (char& c : bytes) c = static_cast<char>('a' + random() % 8);
    for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
      std::string back;
      ASSERT_TRUE(Decompress(coding, Compressed(coding, bytes), size, &back)) << size;
      EXPECT_EQ(back, bytes);
      EXPECT_FALSE(Decompress(coding, Compressed(coding, bytes), size - 1, &back)) << size;
    }
  }
}

TEST(Compression, GzipOfSeveralMembers) {
  const std::string two = Compressed(Coding::kGzip, "hello ") + Compressed(Coding::kGzip, "world");
  std::string back;
  ASSERT_TRUE(Decompress(Coding::kGzip, two, 100, &back));
  EXPECT_EQ(back, "hello world");
  EXPECT_FALSE(Decompress(Coding::kGzip, two, 10, &back));
  EXPECT_FALSE(Decompress(Coding::kGzip, two + "junk", 100, &back));
}

TEST(Compression, DeflateWithoutZlibFrame) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  std::string raw(100, '\0');
  raw.resize(libdeflate_deflate_compress(compressor.get(), "hello", 5, raw.data(), raw.size()));
  std::string back;
  ASSERT_TRUE(Decompress(Coding::kDeflate, raw, 100, &back));
  EXPECT_EQ(back, "hello");
}

TEST(Compression, DamageIsNoticed) {
  const std::string good = Compressed(Coding::kGzip, "hello world, hello world, hello world");
  std::string back;
  for (size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(Decompress(Coding::kGzip, good.substr(0, i), 1000, &back)) << i;
  }
  // Behind the head (10 bytes) every flipped bit breaks the stream, its checksum or its size.
  for (size_t i = 10; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 4);
    EXPECT_FALSE(Decompress(Coding::kGzip, bad, 1000, &back)) << i;
  }
}

TEST(Compression, BombsStopAtTheLimit) {
  const std::string bomb = Compressed(Coding::kGzip, std::string(64 << 20, '\0'));
  EXPECT_LT(bomb.size(), 512u << 10);
  std::string back;
  EXPECT_FALSE(Decompress(Coding::kGzip, bomb, 1 << 20, &back));
  EXPECT_LE(back.capacity(), 2u << 20);
}

// Each member costs what it holds, not what there would be room for: as many bytes in one member
// take a comparable time.
TEST(Compression, ManySmallMembers) {
  const std::string member = Compressed(Coding::kGzip, "x");
  std::string many;
  while (many.size() < 4u << 20) many += member;
  std::string back;
  const auto seconds = [&back](std::string_view bytes) {
    const std::clock_t start = std::clock();
    EXPECT_TRUE(Decompress(Coding::kGzip, bytes, 16 << 20, &back));
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  std::mt19937 random(1);
  std::string letters(10 << 20, ' ');
  for (char& c : letters) c = static_cast<char>('a' + random() % 8);
  const std::string one = Compressed(Coding::kGzip, letters);
  ASSERT_GT(one.size(), many.size() / 2);
  EXPECT_LT(seconds(many), 50 * seconds(one));
  seconds(many);
  EXPECT_EQ(back, std::string(many.size() / member.size(), 'x'));
}

}  // namespace
}  // namespace dynolith::http
