#include "index/vector.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/value/float_number.h"

namespace dynolith {
namespace {

static_assert(std::endian::native == std::endian::little, "packed vectors are little-endian");

// Independent sums: vector instructions then do not change the order of any sum, so every processor
// computes the same scores.
constexpr size_t kLanes = 8;
using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
using Doubles = double __attribute__((vector_size(kLanes * sizeof(double))));

double Total(const Doubles& sums) {
  double total = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) total += sums[lane];
  return total;
}

// The sums over two vectors, by lanes: left * right and right * right, or (left - right)² in their
// place.
struct Sums {
  Doubles products = {};
  Doubles right_squares = {};
  Doubles squared_differences = {};
};

template <DistanceFunction distance>
[[gnu::always_inline]] inline void Add(const Doubles& left, const Doubles& right, Sums* sums) {
  if constexpr (distance == DistanceFunction::kEuclidean) {
    const Doubles difference = left - right;
    sums->squared_differences += difference * difference;
  } else {
    sums->products += left * right;
    if constexpr (distance == DistanceFunction::kCosine) sums->right_squares += right * right;
  }
}

template <DistanceFunction distance>
[[gnu::always_inline]] inline void AddUp(const double* left, const char* packed, size_t dimensions,
                                         Sums* sums) {
  size_t i = 0;
  for (; i + kLanes <= dimensions; i += kLanes) {
    Doubles numbers;
    Floats others;
    std::memcpy(&numbers, left + i, sizeof numbers);
    std::memcpy(&others, packed + i * sizeof(float), sizeof others);
    Add<distance>(numbers, __builtin_convertvector(others, Doubles), sums);
  }
  if (i == dimensions) return;
  // Zeros behind the end add nothing.
  Doubles numbers = {};
  Floats others = {};
  std::memcpy(&numbers, left + i, (dimensions - i) * sizeof(double));
  std::memcpy(&others, packed + i * sizeof(float), (dimensions - i) * sizeof(float));
  Add<distance>(numbers, __builtin_convertvector(others, Doubles), sums);
}

[[gnu::always_inline]] inline void AddUp(DistanceFunction distance, const double* left,
                                         const char* packed, size_t dimensions, Sums* sums) {
  switch (distance) {
    case DistanceFunction::kCosine:
      return AddUp<DistanceFunction::kCosine>(left, packed, dimensions, sums);
    case DistanceFunction::kDotProduct:
      return AddUp<DistanceFunction::kDotProduct>(left, packed, dimensions, sums);
    case DistanceFunction::kEuclidean:
      return AddUp<DistanceFunction::kEuclidean>(left, packed, dimensions, sums);
  }
}

void AddUpAnywhere(DistanceFunction distance, const double* left, const char* packed,
                   size_t dimensions, Sums* sums) {
  AddUp(distance, left, packed, dimensions, sums);
}

#if defined(__x86_64__)
// Without FMA, which rounds less often and so would give other scores.
[[gnu::target("avx2,no-fma")]] void AddUpWithAvx2(DistanceFunction distance, const double* left,
                                                  const char* packed, size_t dimensions,
                                                  Sums* sums) {
  AddUp(distance, left, packed, dimensions, sums);
}
const auto kAddUp = __builtin_cpu_supports("avx2") ? &AddUpWithAvx2 : &AddUpAnywhere;
#else
const auto kAddUp = &AddUpAnywhere;
#endif

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

VectorScorer::VectorScorer(DistanceFunction distance, const std::vector<float>& query)
    : distance_(distance), query_(query.begin(), query.end()) {
  for (const double number : query_) query_square_ += number * number;
}

double VectorScorer::Score(std::string_view packed) const {
  Sums sums;
  kAddUp(distance_, query_.data(), packed.data(), query_.size(), &sums);
  switch (distance_) {
    case DistanceFunction::kDotProduct:
      return Total(sums.products);
    case DistanceFunction::kEuclidean:
      return std::sqrt(Total(sums.squared_differences));
    case DistanceFunction::kCosine:
      break;
  }
  const double square = Total(sums.right_squares);
  if (query_square_ == 0 || square == 0) return 1;
  // The root of the product, not the product of roots, gives exactly 0 for parallel vectors of
  // whole numbers.
  const double cosine = Total(sums.products) / std::sqrt(query_square_ * square);
  return 1 - std::clamp(cosine, -1.0, 1.0);
}

}  // namespace dynolith
