#include "index/vector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/value/float_number.h"

namespace dynolith {
namespace {

static_assert(std::endian::native == std::endian::little, "packed vectors are little-endian");

// Side by side, so that the compiler can use vector instructions without changing the order of any
// one sum.
constexpr size_t kLanes = 8;
using Sums = std::array<double, kLanes>;

double Total(const Sums& sums) {
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

// Adds up `term(a, b)` over two vectors.
template <typename Term>
double SumOver(const float* left, const char* packed, size_t dimensions, Term term) {
  Sums sums = {};
  size_t i = 0;
  for (; i + kLanes <= dimensions; i += kLanes) {
    std::array<float, kLanes> right;
    std::memcpy(right.data(), packed + i * sizeof(float), sizeof right);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += term(static_cast<double>(left[i + lane]), static_cast<double>(right[lane]));
    }
  }
  for (; i < dimensions; ++i) {
    float right = 0;
    std::memcpy(&right, packed + i * sizeof(float), sizeof right);
    sums[i % kLanes] += term(static_cast<double>(left[i]), static_cast<double>(right));
  }
  return Total(sums);
}

double Product(double left, double right) { return left * right; }
double RightSquare(double, double right) { return right * right; }
double SquaredDifference(double left, double right) { return (left - right) * (left - right); }

}  // namespace

bool IsVector(ValueView value, int64_t dimensions) {
  if (value.type() != Type::kList) return false;
  const ListView list = value.list();
  if (list.size() != static_cast<size_t>(dimensions)) return false;
  for (size_t i = 0; i < list.size(); ++i) {
    const ValueView element = list[i];
    if (element.type() != Type::kNumber || !FitsFloat(element.number_bytes())) return false;
  }
  return true;
}

std::string PackVector(ListView numbers) {
  std::string packed(PackedVectorBytes(static_cast<int64_t>(numbers.size())), '\0');
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float number = NearestFloat(numbers[i].number_bytes());
    std::memcpy(packed.data() + i * sizeof number, &number, sizeof number);
  }
  return packed;
}

void UnpackVector(std::string_view packed, ItemBuilder* builder) {
  builder->BeginList();
  for (size_t i = 0; i < packed.size(); i += sizeof(float)) {
    float number = 0;
    std::memcpy(&number, packed.data() + i, sizeof number);
    const NumberBytes encoded = EncodeFloat(number);
    builder->NumberEncoded(encoded.view());
  }
  builder->EndList();
}

VectorScorer::VectorScorer(DistanceFunction distance, std::vector<float> query)
    : distance_(distance), query_(std::move(query)) {
  for (const float number : query_) query_square_ += Product(number, number);
}

double VectorScorer::Score(std::string_view packed) const {
  const size_t dimensions = query_.size();
  const char* const other = packed.data();
  switch (distance_) {
    case DistanceFunction::kDotProduct:
      return SumOver(query_.data(), other, dimensions, Product);
    case DistanceFunction::kEuclidean:
      return std::sqrt(SumOver(query_.data(), other, dimensions, SquaredDifference));
    case DistanceFunction::kCosine:
      break;
  }
  const double square = SumOver(query_.data(), other, dimensions, RightSquare);
  if (query_square_ == 0 || square == 0) return 1;
  const double product = SumOver(query_.data(), other, dimensions, Product);
  // One root of the product and not a product of roots: parallel vectors of whole numbers then give
  // exactly 0.
  const double cosine = product / std::sqrt(query_square_ * square);
  return 1 - std::clamp(cosine, -1.0, 1.0);
}

}  // namespace dynolith
