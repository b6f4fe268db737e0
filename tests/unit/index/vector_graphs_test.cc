// Graphs over vector indexes: what a search through one finds beside a look at every entry, while
// entries come, change and go, with conditions and HASH values, and where a graph gives up. Vectors
// are in clusters, as those that models make are.
#include "index/graph/vector_graphs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "index/graph/range_graph.h"
#include "index/read.h"
#include "tests/unit/index/indexed_table.h"

namespace dynolith {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kGraphDimensions = 12;
constexpr size_t kWanted = 10;
constexpr int kItems = 1'500;

bool EverythingMatches(ItemView) { return true; }

class VectorGraphsTest : public testing::IndexedTable {
 protected:
  static IndexSchema MakeIndex(DistanceFunction distance, bool has_hash) {
    IndexSchema index;
    index.name = "vix";
    index.kind = IndexKind::kVector;
    if (has_hash) index.key.hash = {{"g", Type::kString}};
    index.projection = ProjectionType::kKeysOnly;
    index.vector = VectorSchema{.attribute = "v",
                                .dimensions = kGraphDimensions,
                                .distance = distance,
                                .inline_filters = {{"n", Type::kNumber}}};
    return index;
  }

  const IndexSchema& index() { return meta()->schema.indexes[0]; }

  std::vector<float> RandomVector() {
    std::vector<float> vector(kGraphDimensions);
    const auto cluster = static_cast<float>(random_() % 50);
    for (size_t i = 0; i < vector.size(); ++i) {
      vector[i] = std::sin(cluster * static_cast<float>(i + 1)) + 0.2f * normal_(random_);
    }
    return vector;
  }

  Item MakeVectorItem(int number, const std::vector<float>& vector) {
    Item item = MakeItem("p" + std::to_string(number), number);
    item.Set("g", Value::S(number % 3 == 0 ? "third" : "others"));
    item.Set("n", Value::N(number % 100));
    std::string packed(vector.size() * sizeof(float), '\0');
    std::memcpy(packed.data(), vector.data(), packed.size());
    ItemBuilder builder;
    UnpackVector(packed, &builder);
    item.Set("v", builder.FinishValue());
    return item;
  }

  void Fill(DistanceFunction distance, bool has_hash = false) {
    CreateTable({MakeIndex(distance, has_hash)});
    for (int i = 0; i < kItems; ++i) Put(MakeVectorItem(i, RandomVector()));
  }

  std::unique_ptr<VectorGraphs> MakeGraphs(size_t entries_min = 100, size_t bytes_max = 1 << 30) {
    return std::make_unique<VectorGraphs>(
        store_.get(), [this](StorageId) { return is_alive_.load(); },
        BackgroundThreads::Shared(BackgroundThreads::Kind::kInMemory),
        VectorGraphOptions{.bytes_max = bytes_max, .entries_min = entries_min});
  }

  // As a write of the engine does it.
  void PutAndTell(VectorGraphs* graphs, const Item& item) { WriteAndTell(graphs, item, &item); }
  void WriteAndTell(VectorGraphs* graphs, const Item& key, const Item* after) {
    Write(key, after);
    // Both the row that goes and the one that comes.
    WriteBatch batch;
    for (const char* g : {"third", "others"}) {
      Item named = key;
      named.Set("g", Value::S(g));
      std::string row_key;
      AppendIndexRowKey(index().layout(), index().key, meta()->schema.key, named.view(), &row_key);
      batch.Delete(Family::kGlobalIndexes, row_key);
    }
    graphs->Follow(batch);
  }

  KeyRange WholeRange() { return RangeOfId(index().id); }

  static std::vector<std::pair<std::string, double>> FoundKeys(const NearestEntries& found) {
    std::vector<std::pair<std::string, double>> keys;
    for (const Neighbour& neighbour : found.neighbours) {
      keys.emplace_back(std::string(neighbour.entry.view().Find("pk")->string()), neighbour.score);
    }
    return keys;
  }

  // The share of what a look at everything finds that is found, too. Scores must be those of the
  // entries, nearest first.
  double Recall(VectorGraphs* graphs, const KeyRange& range, const std::vector<float>& vector,
                absl::FunctionRef<bool(ItemView)> matches = EverythingMatches) {
    const VectorScorer scorer(index().vector->distance, vector);
    const auto exact = FindNearest(*store_, index(), range, scorer, kWanted, matches);
    const auto found = graphs->FindNearest(index(), range, scorer, vector, kWanted, matches);
    EXPECT_TRUE(exact.ok() && found.ok()) << exact.status() << found.status();
    EXPECT_EQ(found->neighbours.size(), exact->neighbours.size());
    const auto all = FindNearest(*store_, index(), range, scorer, kItems * 2, matches);
    const auto known = FoundKeys(*all);
    const std::set<std::pair<std::string, double>> right(known.begin(), known.end());
    const auto wanted = FoundKeys(*exact);
    size_t hits = 0;
    for (const auto& key : FoundKeys(*found)) {
      EXPECT_TRUE(right.contains(key)) << key.first << " at " << key.second;
      hits += std::count(wanted.begin(), wanted.end(), key);
    }
    for (size_t i = 1; i < found->neighbours.size(); ++i) {
      EXPECT_FALSE(scorer.IsNearer(found->neighbours[i].score, found->neighbours[i - 1].score));
    }
    return wanted.empty() ? 1 : static_cast<double>(hits) / static_cast<double>(wanted.size());
  }

  double MeanRecall(VectorGraphs* graphs) {
    constexpr int kSearches = 20;
    double sum = 0;
    for (int i = 0; i < kSearches; ++i) sum += Recall(graphs, WholeRange(), RandomVector());
    return sum / kSearches;
  }

  std::atomic<bool> is_alive_{true};
  std::mt19937 random_{5};
  std::normal_distribution<float> normal_;
};

class EveryDistance : public VectorGraphsTest,
                      public ::testing::WithParamInterface<DistanceFunction> {};

INSTANTIATE_TEST_SUITE_P(VectorGraphs, EveryDistance,
                         ::testing::Values(DistanceFunction::kCosine, DistanceFunction::kEuclidean,
                                           DistanceFunction::kDotProduct));

TEST_P(EveryDistance, MostOfTheNearestAreFound) {
  Fill(GetParam());
  const auto graphs = MakeGraphs();
  // The first search asks for the graph.
  EXPECT_EQ(Recall(graphs.get(), WholeRange(), RandomVector()), 1);
  EXPECT_EQ(graphs->searches(), 0);
  graphs->WaitUntilIdle();
  EXPECT_GE(MeanRecall(graphs.get()), 0.95);
  EXPECT_EQ(graphs->searches(), 20);
  EXPECT_TRUE(graphs->TakeFailure().ok());
}

TEST_F(VectorGraphsTest, FewerVectorsAreComparedThanThereAre) {
  Fill(DistanceFunction::kCosine);
  const auto graphs = MakeGraphs();
  Recall(graphs.get(), WholeRange(), RandomVector());
  graphs->WaitUntilIdle();
  const std::vector<float> vector = RandomVector();
  const VectorScorer scorer(DistanceFunction::kCosine, vector);
  const auto found =
      graphs->FindNearest(index(), WholeRange(), scorer, vector, kWanted, EverythingMatches);
  ASSERT_TRUE(found.ok());
  EXPECT_LT(found->compared, 50u);
}

// Whatever the thread has done by then: what was written is seen by the next search.
TEST_F(VectorGraphsTest, WritesAreSeenAtOnce) {
  Fill(DistanceFunction::kEuclidean);
  const auto graphs = MakeGraphs();
  Recall(graphs.get(), WholeRange(), RandomVector());
  for (int round = 0; round < 300; ++round) {
    // The graph is being built in the first rounds.
    if (round == 100) graphs->WaitUntilIdle();
    const int number = static_cast<int>(random_() % kItems);
    const std::vector<float> vector = RandomVector();
    const VectorScorer scorer(DistanceFunction::kEuclidean, vector);
    const auto nearest = [&] {
      const auto found =
          graphs->FindNearest(index(), WholeRange(), scorer, vector, 1, EverythingMatches);
      return found.ok() && !found->neighbours.empty() ? FoundKeys(*found)[0]
                                                      : std::pair<std::string, double>();
    };
    const std::string name = "p" + std::to_string(number);
    PutAndTell(graphs.get(), MakeVectorItem(number, vector));
    ASSERT_EQ(nearest(), std::pair(name, 0.0)) << "round " << round;
    if (round % 2 == 0) continue;
    WriteAndTell(graphs.get(), MakeVectorItem(number, vector), nullptr);
    ASSERT_NE(nearest().first, name) << "round " << round;
  }
  graphs->WaitUntilIdle();
  EXPECT_GE(MeanRecall(graphs.get()), 0.95);
  EXPECT_GT(graphs->searches(), 200);
}

// Vectors that change leave nodes behind, until the graph is built anew.
TEST_F(VectorGraphsTest, ManyChangesBuildTheGraphAnew) {
  Fill(DistanceFunction::kCosine);
  const auto graphs = MakeGraphs();
  Recall(graphs.get(), WholeRange(), RandomVector());
  graphs->WaitUntilIdle();
  for (int i = 0; i < 2 * kItems; ++i) {
    PutAndTell(graphs.get(), MakeVectorItem(i % kItems, RandomVector()));
    if (i % 500 == 0) {
      EXPECT_GE(Recall(graphs.get(), WholeRange(), RandomVector()), 0.5);
    }
  }
  graphs->WaitUntilIdle();
  EXPECT_GE(MeanRecall(graphs.get()), 0.95);
}

TEST_F(VectorGraphsTest, ConditionsAreKept) {
  Fill(DistanceFunction::kCosine);
  const auto graphs = MakeGraphs();
  Recall(graphs.get(), WholeRange(), RandomVector());
  graphs->WaitUntilIdle();
  const Value one = Value::N(1);
  const auto is_one = [&](ItemView entry) { return entry.Find("n") == one.view(); };
  const auto is_none = [](ItemView) { return false; };
  for (int i = 0; i < 10; ++i) {
    // One of a hundred.
    EXPECT_GE(Recall(graphs.get(), WholeRange(), RandomVector(), is_one), 0.9);
    EXPECT_EQ(Recall(graphs.get(), WholeRange(), RandomVector(), is_none), 1);
  }
}

TEST_F(VectorGraphsTest, EachHashValueHasItsOwn) {
  Fill(DistanceFunction::kCosine, true);
  const auto graphs = MakeGraphs(600);
  const RowSource source(meta()->schema, &index());
  const Value third = Value::S("third");
  const Value others = Value::S("others");
  const KeyRange small = source.RangeFor({.hash_equals = {third.view()}});
  const KeyRange large = source.RangeFor({.hash_equals = {others.view()}});
  for (int i = 0; i < 3; ++i) {
    Recall(graphs.get(), small, RandomVector());
    Recall(graphs.get(), large, RandomVector());
    graphs->WaitUntilIdle();
  }
  // A third of the items is too few.
  EXPECT_EQ(graphs->searches(), 2);
  const std::vector<float> vector = RandomVector();
  // From one to the other.
  Item item = MakeVectorItem(1, vector);
  const VectorScorer scorer(DistanceFunction::kCosine, vector);
  const auto nearest = [&](const KeyRange& range) {
    return FoundKeys(*graphs->FindNearest(index(), range, scorer, vector, 1, EverythingMatches))[0]
        .first;
  };
  PutAndTell(graphs.get(), item);
  EXPECT_EQ(nearest(large), "p1");
  item.Set("g", third);
  PutAndTell(graphs.get(), item);
  EXPECT_NE(nearest(large), "p1");
  EXPECT_EQ(nearest(small), "p1");
}

TEST_F(VectorGraphsTest, AGraphThatDoesNotFitIsNotBuilt) {
  Fill(DistanceFunction::kCosine);
  const auto graphs = MakeGraphs(100, 100'000);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Recall(graphs.get(), WholeRange(), RandomVector()), 1);
    graphs->WaitUntilIdle();
  }
  EXPECT_EQ(graphs->searches(), 0);
  EXPECT_THAT(
      graphs->TakeFailure().message(),
      HasSubstr("The graph over vector index vix does not fit into what is left of 100000"));
  EXPECT_TRUE(graphs->TakeFailure().ok());
}

TEST_F(VectorGraphsTest, ADamagedEntryIsAnError) {
  Fill(DistanceFunction::kCosine);
  WriteBatch batch;
  const Item damaged = {{"pk", Value::S("x")}, {"v", Value::B("123")}};
  batch.Put(Family::kGlobalIndexes, WholeRange().begin + "\1", damaged.bytes());
  ASSERT_TRUE(store_->Commit(batch).ok());
  const auto graphs = MakeGraphs();
  const std::vector<float> vector = RandomVector();
  const VectorScorer scorer(DistanceFunction::kCosine, vector);
  for (int i = 0; i < 2; ++i) {
    const auto found =
        graphs->FindNearest(index(), WholeRange(), scorer, vector, 1, EverythingMatches);
    EXPECT_EQ(found.status().code(), absl::StatusCode::kDataLoss);
    graphs->WaitUntilIdle();
  }
}

TEST_F(VectorGraphsTest, GraphsGoWithTheirIndexes) {
  Fill(DistanceFunction::kCosine);
  // Room for one.
  const size_t bytes = VectorGraph::EstimateBytes(kItems, 4, kGraphDimensions);
  const auto graphs = MakeGraphs(100, bytes * 3 / 2);
  Recall(graphs.get(), WholeRange(), RandomVector());
  graphs->WaitUntilIdle();
  EXPECT_GT(graphs->bytes(), 0u);
  is_alive_ = false;
  // It looks once a second.
  for (int i = 0; i < 600 && graphs->bytes() > 0; ++i) absl::SleepFor(absl::Milliseconds(100));
  EXPECT_EQ(graphs->bytes(), 0u);
}

// Without its thread, so that nothing is followed meanwhile.
TEST_F(VectorGraphsTest, ARangeGraphThatIsBehindIsNotAsked) {
  Fill(DistanceFunction::kCosine);
  RangeGraph graph(store_.get(), index(), WholeRange(), 3);
  const auto is_ready = [&] { return graph.Propose(RandomVector(), 10)->has_value(); };
  EXPECT_FALSE(is_ready());
  while (graph.NeedsWork()) ASSERT_TRUE(graph.Work(1 << 30).ok());
  EXPECT_TRUE(is_ready());
  EXPECT_EQ(graph.keys(), static_cast<size_t>(kItems));
  for (int i = 0; i < 4; ++i) graph.Note(WholeRange().begin + std::to_string(i));
  EXPECT_FALSE(is_ready());
  ASSERT_TRUE(graph.Work(1 << 30).ok());
  EXPECT_TRUE(is_ready());
  EXPECT_FALSE(graph.NeedsWork());
  for (int i = 0; i < 300; ++i) graph.Note(WholeRange().begin + std::to_string(i));
  EXPECT_FALSE(is_ready());
  EXPECT_TRUE(graph.NeedsWork());
  graph.Note(WholeRange().begin + "one more");
  EXPECT_FALSE(is_ready());
  EXPECT_THAT(graph.Work(1 << 30).message(), HasSubstr("could not follow its writes"));
}

TEST_F(VectorGraphsTest, ARangeGraphThatGrowsTooLargeGivesUp) {
  Fill(DistanceFunction::kCosine);
  RangeGraph graph(store_.get(), index(), WholeRange(), 3);
  absl::Status status;
  while (status.ok() && graph.NeedsWork()) status = graph.Work(400'000);
  EXPECT_THAT(status.message(), HasSubstr("does not fit"));
}

// Every search sees what its own thread has written, and nothing that is not there.
TEST_F(VectorGraphsTest, WritersAndSearchersTogether) {
  Fill(DistanceFunction::kEuclidean);
  const auto graphs = MakeGraphs();
  Recall(graphs.get(), WholeRange(), RandomVector());
  constexpr int kThreads = 3;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    std::vector<std::pair<Item, std::vector<float>>> writes;
    for (int i = 0; i < 200; ++i) {
      const std::vector<float> vector = RandomVector();
      writes.emplace_back(MakeVectorItem(thread + kThreads * (i % 50), vector), vector);
    }
    threads.emplace_back([this, &graphs, writes = std::move(writes)] {
      for (const auto& [item, vector] : writes) {
        PutAndTell(graphs.get(), item);
        const VectorScorer scorer(DistanceFunction::kEuclidean, vector);
        const auto found =
            graphs->FindNearest(index(), WholeRange(), scorer, vector, 3, EverythingMatches);
        ASSERT_TRUE(found.ok()) << found.status();
        ASSERT_EQ(FoundKeys(*found)[0],
                  std::pair(std::string(item.view().Find("pk")->string()), 0.0));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  graphs->WaitUntilIdle();
  EXPECT_GE(MeanRecall(graphs.get()), 0.95);
}

}  // namespace
}  // namespace dynolith
