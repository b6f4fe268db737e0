// How near vectors are, for every length around the lanes in which they are added up, beside sums
// that are added one by one.
#include "index/vector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace dynolith {
namespace {

Value MakeList(const std::vector<float>& numbers) {
  std::string packed(numbers.size() * sizeof(float), '\0');
  std::copy(numbers.begin(), numbers.end(), reinterpret_cast<float*>(packed.data()));
  ItemBuilder builder;
  UnpackVector(packed, &builder);
  return builder.FinishValue();
}

std::string Packed(const std::vector<float>& numbers) {
  const Value list = MakeList(numbers);
  return PackVector(list.view().list());
}

double Score(DistanceFunction distance, const std::vector<float>& left,
             const std::vector<float>& right) {
  return VectorScorer(distance, left).Score(Packed(right));
}

TEST(VectorTest, PackingAndUnpackingGiveTheFloatsBack) {
  const std::vector<float> numbers = {0, 1, -2.5f, 0.1f, 3.4028235e38f, 1e-45f};
  const std::string packed = Packed(numbers);
  ASSERT_EQ(packed.size(), PackedVectorBytes(6));
  for (size_t i = 0; i < numbers.size(); ++i) {
    float number = 0;
    std::memcpy(&number, packed.data() + i * sizeof number, sizeof number);
    EXPECT_EQ(number, numbers[i]);
  }
}

TEST(VectorTest, IsVectorWantsSoManyNumbersThatFit) {
  const Value two = MakeList({1, 2});
  EXPECT_TRUE(IsVector(two.view(), 2));
  EXPECT_FALSE(IsVector(two.view(), 1));
  EXPECT_FALSE(IsVector(two.view(), 3));
  const Value one = Value::N(1);
  EXPECT_FALSE(IsVector(one.view(), 1));
  const Value text = Value::L({Value::N(1), Value::S("2")});
  EXPECT_FALSE(IsVector(text.view(), 2));
  const Value large = Value::L({Value::N(1), *Value::ParseN("1E39")});
  EXPECT_FALSE(IsVector(large.view(), 2));
}

TEST(VectorTest, ScoresAreTheDefinitions) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> number(-1, 1);
  for (size_t dimensions = 1; dimensions <= 40; ++dimensions) {
    std::vector<float> left(dimensions);
    std::vector<float> right(dimensions);
    double product = 0;
    double left_square = 0;
    double right_square = 0;
    double distance = 0;
    for (size_t i = 0; i < dimensions; ++i) {
      const double a = left[i] = number(random);
      const double b = right[i] = number(random);
      product += a * b;
      left_square += a * a;
      right_square += b * b;
      distance += (a - b) * (a - b);
    }
    const double cosine = product / (std::sqrt(left_square) * std::sqrt(right_square));
    EXPECT_NEAR(Score(DistanceFunction::kDotProduct, left, right), product, 1e-12);
    EXPECT_NEAR(Score(DistanceFunction::kEuclidean, left, right), std::sqrt(distance), 1e-12);
    EXPECT_NEAR(Score(DistanceFunction::kCosine, left, right), 1 - cosine, 1e-12);
  }
}

// The service's own example: under COSINE a longer vector of the same direction is as near, under
// EUCLIDEAN it is not.
TEST(VectorTest, CosineIgnoresLengths) {
  EXPECT_EQ(Score(DistanceFunction::kCosine, {1, 0, 0, 0}, {10, 0, 0, 0}), 0);
  EXPECT_EQ(Score(DistanceFunction::kEuclidean, {1, 0, 0, 0}, {10, 0, 0, 0}), 9);
  EXPECT_EQ(Score(DistanceFunction::kCosine, {1, 2, 3}, {-2, -4, -6}), 2);
  EXPECT_EQ(Score(DistanceFunction::kCosine, {0, 0}, {1, 0}), 1);
  EXPECT_EQ(Score(DistanceFunction::kCosine, {1, 0}, {0, 0}), 1);
}

TEST(VectorTest, LargeFloatsStayFinite) {
  const std::vector<float> large(4096, 3.4028235e38f);
  EXPECT_EQ(Score(DistanceFunction::kCosine, large, large), 0);
  EXPECT_EQ(Score(DistanceFunction::kEuclidean, large, large), 0);
  EXPECT_TRUE(std::isfinite(Score(DistanceFunction::kDotProduct, large, large)));
}

}  // namespace
}  // namespace dynolith
