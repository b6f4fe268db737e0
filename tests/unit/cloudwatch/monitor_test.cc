// What a program meets in production must be met in a test: calls become the service's metrics with
// its dimensions, appear after their minute and the delay, and alarms change their state as the
// service's do, each on a clock that only the test moves.
#include "tools/server/cloudwatch/monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "engine/partition/tokens.h"
#include "tools/server/cloudwatch/alarm_calls.h"
#include "tools/server/cloudwatch/metric_calls.h"
#include "tools/server/cloudwatch/text_forms.h"

namespace dynolith::cloudwatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const absl::Time kBegin = absl::FromUnixSeconds(1'700'000'040);  // a minute begins

// A database's collector and monitor, and calls as the engine tells them.
class MonitorTest : public ::testing::Test {
 protected:
  void Access(AccessKind kind, double units, std::optional<ThroughputLimit> limit = std::nullopt,
              const IndexSchema* index = nullptr) {
    ThroughputUse use;
    use.kind = kind;
    use.tokens = static_cast<Tokens>(units * static_cast<double>(kTokensPerUnit));
    const ObservedAccess access = {.use = &use, .table = &table_, .index = index, .limit = limit};
    monitor_.collector().NoteAccesses({&access, 1});
  }
  void End(int status = 200, std::optional<ErrorKind> error = std::nullopt,
           const std::string& tables = "") {
    monitor_.collector().EndCall(
        {.http_status = status, .error = error, .at = now_, .tables = tables});
  }
  void Put(double units) {
    monitor_.collector().BeginCall("PutItem");
    Access(AccessKind::kWrite, units);
    End();
  }
  void Advance(absl::Duration by) {
    now_ += by;
    monitor_.CatchUp(now_, tables_);
  }

  // Sums of the minutes that have appeared, as "minute:sum".
  std::vector<std::string> Sums(const Series& series, absl::Duration period = absl::Minutes(1)) {
    std::vector<std::string> sums;
    for (const auto& [at, sum] :
         monitor_.Read(series, kBegin, kBegin + absl::Hours(48), period, now_)) {
      sums.push_back(std::to_string(absl::ToInt64Minutes(at - kBegin)) + ":" +
                     std::to_string(static_cast<int>(sum.sum())));
    }
    return sums;
  }
  std::vector<std::string> Listed() {
    std::vector<std::string> names;
    for (const Series& series : monitor_.List(kBegin - absl::Hours(1), now_)) {
      std::string name(InfoOf(series.metric).name);
      for (const auto& [_, value] : DimensionsOf(series)) name += " " + value;
      names.push_back(std::move(name));
    }
    return names;
  }

  // The answer of a call, as JSON; an error's begins with its code.
  static std::string Shown(const CallResult& result) {
    if (const auto* const error = std::get_if<CallError>(&result)) {
      return std::string(error->code) + ": " + error->message;
    }
    return PrintJsonForm(std::get<Value>(result));
  }
  std::string Call(CallResult (*call)(const Value&, absl::Time, Monitor*), const char* json) {
    return Shown(call(*ParseJsonForm(json), now_, &monitor_));
  }
  std::string PutAlarm(const std::string& more) {
    const std::string json =
        R"({"AlarmName": "a", "Namespace": "AWS/DynamoDB", "MetricName": "ConsumedWriteCapacityUnits",
            "Dimensions": [{"Name": "TableName", "Value": "T"}], )" +
        more + "}";
    return Shown(PutMetricAlarm(*ParseJsonForm(json), now_, "arn:", &monitor_));
  }
  static std::string Usual(const std::string& more = "") {
    return R"("Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1, "Threshold": 5,
              "ComparisonOperator": "GreaterThanThreshold")" +
           more;
  }
  std::vector<Alarm> Alarms() {
    std::vector<Alarm> alarms;
    monitor_.VisitAlarms([&](const Alarm& alarm) { alarms.push_back(alarm); });
    return alarms;
  }
  std::string State() { return std::string(NameOf(Alarms().at(0).state)); }
  std::string Reason() { return Alarms().at(0).reason; }

  TableSchema table_ = {.name = "T"};
  IndexSchema index_ = {.name = "ix"};
  absl::Time now_ = kBegin;
  std::vector<UseReport> tables_;
  std::vector<std::string> notes_;
  std::unique_ptr<Monitor> made_ = std::make_unique<Monitor>(MonitorOptions{
      .collector = {}, .delay = absl::Minutes(1), .note = [this](const std::string& text) {
        notes_.push_back(text);
      }});
  Monitor& monitor_ = *made_;
};

constexpr Metric kWrite = Metric::kConsumedWriteCapacityUnits;

// --- What is counted

TEST_F(MonitorTest, ACallIsCountedOnceForEachTableAndIndex) {
  monitor_.collector().BeginCall("BatchWriteItem");
  Access(AccessKind::kWrite, 1);
  Access(AccessKind::kWrite, 2);
  Access(AccessKind::kWrite, 3, std::nullopt, &index_);
  End();
  Advance(absl::Minutes(2));
  EXPECT_THAT(Listed(),
              ElementsAre("ConsumedWriteCapacityUnits T", "ConsumedWriteCapacityUnits T ix",
                          "SuccessfulRequestLatency T BatchWriteItem"));
  const Periods read = monitor_.Read({.metric = kWrite, .table = "T"}, kBegin,
                                     kBegin + absl::Minutes(1), absl::Minutes(1), now_);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].second.sum(), 3);
  EXPECT_EQ(read[0].second.count(), 1u) << "samples are calls";
}

TEST_F(MonitorTest, WhatFailsIsCountedAsTheServiceDoes) {
  Collector& collector = monitor_.collector();
  collector.BeginCall("UpdateItem");
  Access(AccessKind::kWrite, 1);
  collector.NoteRowFailure(table_, ErrorKind::kConditionalCheckFailed);
  End(400, ErrorKind::kConditionalCheckFailed, "T");
  collector.BeginCall("GetItem");
  Access(AccessKind::kRead, 0, ThroughputLimit::kKeyRange);
  End(400, ErrorKind::kProvisionedThroughputExceeded, "T");
  collector.BeginCall("Query");
  End(500, ErrorKind::kInternalServerError, "arn:aws:dynamodb:us-east-1:0:table/U/index/ix,T");
  collector.BeginCall("TransactWriteItems");
  collector.NoteRowFailure(table_, ErrorKind::kTransactionConflict);
  End(400, ErrorKind::kTransactionCanceled, "T");
  collector.NoteUserError(now_);
  collector.NoteExpired(table_, 3, now_);
  // Neither repeated calls nor those about tables are in the dimension Operation.
  collector.BeginCall("PutItem");
  Access(AccessKind::kWrite, 100);
  collector.EndCall({.given_up = true});
  collector.BeginCall("DescribeTable");
  End();
  Advance(absl::Minutes(2));
  EXPECT_THAT(
      Listed(),
      ElementsAre("ConditionalCheckFailedRequests T", "ConsumedWriteCapacityUnits T",
                  "ReadThrottleEvents T", "ReadKeyRangeThroughputThrottleEvents T",
                  "SystemErrors T Query", "SystemErrors U Query", "ThrottledRequests T GetItem",
                  "TimeToLiveDeletedItemCount T", "TransactionConflict T", "UserErrors"));
  EXPECT_THAT(Sums({.metric = Metric::kTimeToLiveDeletedItemCount, .table = "T"}),
              ElementsAre("0:3"));
}

TEST_F(MonitorTest, ACallThatHasThrownIsOfNoMinute) {
  Collector& collector = monitor_.collector();
  collector.BeginCall("PutItem");
  Access(AccessKind::kWrite, 1);
  collector.EndCall({.tables = "T"});
  EXPECT_THAT(collector.Collect().List(0, MinuteOf(now_) + 1), IsEmpty());
}

// An observer without memory for what it keeps.
class FullObserver : public AccessObserver {
 public:
  void NoteAccesses(absl::Span<const ObservedAccess> /*accesses*/) override {}
  void EndCall(const ObservedEnd& /*end*/) override {
    was_told_ = true;
    throw std::bad_alloc();
  }
  bool was_told() const { return was_told_; }

 private:
  bool was_told_ = false;
};

TEST(ObservedCall, AnObserverThatThrowsEndsNoProcess) {
  FullObserver observer;
  { const ObservedCall call(&observer, "PutItem"); }
  EXPECT_TRUE(observer.was_told());
}

TEST_F(MonitorTest, ABatchThatIsThrottledInPartIsNoThrottledRequest) {
  monitor_.collector().BeginCall("BatchGetItem");
  Access(AccessKind::kRead, 1);
  Access(AccessKind::kRead, 0, ThroughputLimit::kProvisionedThroughput);
  End();
  Advance(absl::Minutes(2));
  EXPECT_THAT(Listed(), ElementsAre("ConsumedReadCapacityUnits T", "ReadThrottleEvents T",
                                    "ReadProvisionedThroughputThrottleEvents T",
                                    "SuccessfulRequestLatency T BatchGetItem"));
}

TEST_F(MonitorTest, ReadsOfAStreamHaveItsLabel) {
  monitor_.collector().BeginCall("GetRecords");
  monitor_.collector().NoteStreamRead(
      {.table = "T", .stream_arn = "arn:x:table/T/stream/2026-01-01", .records = 7, .bytes = 70});
  End();
  Advance(absl::Minutes(2));
  EXPECT_THAT(Listed(), ElementsAre("ReturnedBytes T GetRecords 2026-01-01",
                                    "ReturnedRecordsCount T GetRecords 2026-01-01",
                                    "SuccessfulRequestLatency T GetRecords 2026-01-01"));
}

TEST_F(MonitorTest, ThreadsAreAddedTogether) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 500; ++i) {
        Put(1);
        if (i % 50 == 0) monitor_.CatchUp(now_, tables_);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Advance(absl::Minutes(2));
  EXPECT_THAT(Sums({.metric = kWrite, .table = "T"}), ElementsAre("0:2000"));
}

// --- When it appears

TEST_F(MonitorTest, AMinuteAppearsAfterItsEndAndTheDelay) {
  Put(4);
  Advance(absl::Seconds(119));
  EXPECT_THAT(Sums({.metric = kWrite, .table = "T"}), IsEmpty());
  EXPECT_THAT(Listed(), IsEmpty());
  Advance(absl::Seconds(1));
  EXPECT_THAT(Sums({.metric = kWrite, .table = "T"}), ElementsAre("0:4"));
}

TEST_F(MonitorTest, PeriodsHaveTheMinutesThatHaveAppeared) {
  for (int i = 0; i < 12; ++i) {
    Put(1 + i);
    Advance(absl::Minutes(1));
  }
  // Minutes 0 to 10.
  EXPECT_THAT(Sums({.metric = kWrite, .table = "T"}, absl::Minutes(5)),
              ElementsAre("0:15", "5:40", "10:11"));
}

TEST_F(MonitorTest, ProvisionedCapacityEveryFiveMinutes) {
  tables_ = {{.table_name = "T", .provisioned_read_units = 5, .provisioned_write_units = 0}};
  Advance(absl::Minutes(12));
  tables_[0].provisioned_read_units = 50;
  Advance(absl::Minutes(10));
  const Series series = {.metric = Metric::kProvisionedReadCapacityUnits, .table = "T"};
  // The first slot of which it was told, and none before it; kBegin is 4 minutes into one.
  EXPECT_THAT(Sums(series), ElementsAre("11:5", "16:50"));
  EXPECT_THAT(Listed(), ElementsAre("ProvisionedReadCapacityUnits T"));
  // Years that pass at once are remembered as far as minutes are.
  Advance(absl::Hours(24 * 3'650));
  EXPECT_LT(monitor_.Read(series, kBegin, now_, absl::Minutes(1), now_).size(), 5'000u);
}

TEST_F(MonitorTest, AReturnToAnEarlierState) {
  Put(4);
  Advance(absl::Minutes(10));
  Put(9);
  PutAlarm(Usual());
  now_ = kBegin + absl::Minutes(5);
  monitor_.GoBack(now_);
  Put(2);
  Advance(absl::Minutes(3));
  EXPECT_THAT(Sums({.metric = kWrite, .table = "T"}), ElementsAre("0:4", "5:2"));
  Put(20);
  Advance(absl::Minutes(2));
  EXPECT_EQ(State(), "ALARM") << "it is evaluated on the clock that was set back";
}

// --- Alarms

TEST_F(MonitorTest, AnAlarmGoesOnAndOff) {
  EXPECT_EQ(PutAlarm(Usual()), "null");
  EXPECT_EQ(State(), "INSUFFICIENT_DATA");
  EXPECT_EQ(Reason(), "Unchecked: Initial alarm creation");
  Put(6);
  Advance(absl::Minutes(2));
  EXPECT_EQ(State(), "ALARM");
  EXPECT_EQ(Reason(),
            "Threshold Crossed: 1 out of the last 1 datapoints [6.0 (14/11/23 22:14:00)] was "
            "greater than the threshold (5.0) (minimum 1 datapoint for INSUFFICIENT_DATA -> ALARM "
            "transition).");
  Put(5);
  Advance(absl::Minutes(2));
  EXPECT_EQ(State(), "OK");
  EXPECT_THAT(Reason(), HasSubstr("was not greater than the threshold (5.0)"));
  EXPECT_THAT(notes_, ElementsAre(StartsWith("alarm a: INSUFFICIENT_DATA -> ALARM: Threshold"),
                                  StartsWith("alarm a: ALARM -> OK: Threshold Crossed")));
  // Of the table's metrics what is missing changes nothing.
  Advance(absl::Hours(30));
  EXPECT_EQ(State(), "OK");
}

TEST_F(MonitorTest, EveryMinuteThatPassesIsEvaluated) {
  PutAlarm(Usual());
  Put(6);
  now_ += absl::Minutes(1);
  Put(1);
  Advance(absl::Hours(3));
  EXPECT_THAT(notes_, ElementsAre(StartsWith("alarm a: INSUFFICIENT_DATA -> ALARM"),
                                  StartsWith("alarm a: ALARM -> OK")));
}

// Why: an alarm on a day's sum reads 1,440 minutes each time. With so many of them a jump is
// evaluated at its end only.
TEST_F(MonitorTest, HowMuchIsReadIsBounded) {
  AlarmDefinition day;
  day.statistic = "Sum";
  day.period_seconds = 86'400;
  for (int i = 0; i < 1'400; ++i) {
    day.name = "day" + std::to_string(i);
    ASSERT_TRUE(monitor_.PutAlarm(day, now_));
  }
  PutAlarm(Usual());
  Put(6);
  Advance(absl::Hours(3));
  EXPECT_THAT(notes_, IsEmpty());
  for (int i = 0; i < 1'400; ++i) monitor_.DeleteAlarms({"day" + std::to_string(i)});
  Put(6);
  Advance(absl::Hours(3));
  EXPECT_THAT(notes_, ElementsAre(StartsWith("alarm a: INSUFFICIENT_DATA -> ALARM")));
}

TEST_F(MonitorTest, APeriodIsEvaluatedOnceUnlessSomethingIsSet) {
  const auto put = [this](int threshold) {
    return PutAlarm(R"("Statistic": "Sum", "Period": 3600, "EvaluationPeriods": 1,
                       "ComparisonOperator": "GreaterThanThreshold",
                       "TreatMissingData": "missing", "Threshold": )" +
                    std::to_string(threshold));
  };
  now_ = kBegin + absl::Minutes(10);
  Put(6);
  put(5);
  // kBegin is 14 minutes after an hour began: that hour appears, and the next one has not ended.
  Advance(absl::Minutes(70));
  ASSERT_EQ(State(), "ALARM");
  monitor_.SetAlarmState("a", AlarmState::kOk, "a test", "", now_);
  Advance(absl::Minutes(1));
  EXPECT_EQ(State(), "ALARM");
  put(7);
  Advance(absl::Minutes(1));
  EXPECT_EQ(State(), "OK");
  // What it has read is not read again.
  monitor_.collector().DropFrom(0);
  Advance(absl::Minutes(1));
  EXPECT_EQ(State(), "OK");
  monitor_.GoBack(now_);
  Advance(absl::Minutes(1));
  EXPECT_EQ(State(), "INSUFFICIENT_DATA");
}

TEST_F(MonitorTest, MOutOfN) {
  PutAlarm(R"("Statistic": "Sum", "Period": 60, "EvaluationPeriods": 3, "DatapointsToAlarm": 2,
              "Threshold": 5, "ComparisonOperator": "GreaterThanOrEqualToThreshold")");
  const std::vector<std::pair<int, std::string>> minutes = {
      {1, "OK"}, {5, "OK"}, {1, "OK"}, {9, "ALARM"}, {1, "OK"}, {8, "ALARM"}, {8, "ALARM"}};
  for (const auto& [units, state] : minutes) {
    Put(units);
    Advance(absl::Minutes(1));
    monitor_.CatchUp(now_ + absl::Minutes(1), tables_);
    EXPECT_EQ(State(), state) << units;
  }
}

TEST_F(MonitorTest, MissingData) {
  const std::pair<const char*, const char*> kinds[] = {{"missing", "INSUFFICIENT_DATA"},
                                                       {"ignore", "ALARM"},
                                                       {"breaching", "ALARM"},
                                                       {"notBreaching", "OK"}};
  for (const auto& [kind, state] : kinds) {
    PutAlarm(Usual(std::string(R"(, "TreatMissingData": ")") + kind + "\""));
    Put(6);
    Advance(absl::Minutes(2));
    EXPECT_EQ(State(), "ALARM") << kind;
    Advance(absl::Minutes(30));
    EXPECT_EQ(State(), state) << kind;
    monitor_.DeleteAlarms({"a"});
  }
}

TEST_F(MonitorTest, AStateThatWasSetLastsUntilItChanges) {
  PutAlarm(Usual());
  ASSERT_TRUE(monitor_.SetAlarmState("a", AlarmState::kAlarm, "a test", "{}", now_));
  EXPECT_EQ(State(), "ALARM");
  EXPECT_EQ(Reason(), "a test");
  Put(1);
  Advance(absl::Minutes(2));
  EXPECT_EQ(State(), "OK");
  EXPECT_FALSE(monitor_.SetAlarmState("b", AlarmState::kOk, "", "", now_));
}

TEST_F(MonitorTest, AlarmsAreBounded) {
  AlarmDefinition definition;
  definition.statistic = "Sum";
  for (size_t i = 0; i < Monitor::kAlarmsMax; ++i) {
    definition.name = std::to_string(i);
    ASSERT_TRUE(monitor_.PutAlarm(definition, now_));
  }
  EXPECT_TRUE(monitor_.PutAlarm(definition, now_)) << "that one is there";
  EXPECT_THAT(PutAlarm(Usual()), StartsWith("LimitExceeded: "));
}

TEST_F(MonitorTest, TheMemoryOfAllAlarmsIsBounded) {
  const auto memory = std::make_shared<MemoryShare>();
  memory->alarm_bytes_max = 100'000;
  MonitorOptions options;
  options.collector.store.memory = memory;
  Monitor one(options);
  auto other = std::make_unique<Monitor>(options);
  AlarmDefinition definition;
  definition.name = "a";
  definition.statistic = "Sum";
  definition.description = std::string(60'000, 'x');
  ASSERT_TRUE(one.PutAlarm(definition, now_));
  EXPECT_FALSE(other->PutAlarm(definition, now_));
  EXPECT_TRUE(one.PutAlarm(definition, now_)) << "that one is there";
  definition.description = std::string(90'000, 'x');
  EXPECT_TRUE(one.PutAlarm(definition, now_));
  definition.description = std::string(110'000, 'x');
  EXPECT_FALSE(one.PutAlarm(definition, now_));
  one.VisitAlarms(
      [](const Alarm& alarm) { EXPECT_EQ(alarm.definition.description->size(), 90'000u); });
  one.DeleteAlarms({"a", "a"});
  EXPECT_EQ(memory->alarm_bytes, 0u);
  definition.description = std::string(60'000, 'x');
  EXPECT_TRUE(other->PutAlarm(definition, now_));
  other.reset();
  EXPECT_EQ(memory->alarm_bytes, 0u);
}

TEST_F(MonitorTest, ReasonsAreBounded) {
  PutAlarm(R"("Statistic": "Sum", "Period": 60, "EvaluationPeriods": 100, "Threshold": 5,
              "ComparisonOperator": "GreaterThanThreshold")");
  for (int i = 0; i < 100; ++i) {
    Put(6);
    Advance(absl::Minutes(1));
  }
  Advance(absl::Minutes(1));
  EXPECT_EQ(State(), "ALARM");
  EXPECT_EQ(Reason().size(), kReasonBytesMax);
}

TEST_F(MonitorTest, WrongAlarms) {
  const std::pair<std::string, const char*> wrong[] = {
      {Usual(R"(, "Metrics": [])"), "ValidationError: Alarms on expressions"},
      {R"("Statistic": "Sum")", "MissingParameter: The parameter Period is required."},
      {Usual(R"(, "ExtendedStatistic": "p99")"), "ValidationError: Exactly one of Statistic"},
      {Usual(R"(, "DatapointsToAlarm": 2)"), "ValidationError: DatapointsToAlarm must not"},
      {Usual(R"(, "TreatMissingData": "no")"), "ValidationError: The value no for parameter"},
      {Usual(R"(, "OKActions": [""])"), "ValidationError: The parameter OKActions must have from"},
      {Usual(R"(, "OKActions": "x")"), "ValidationError: The parameter OKActions must be of"},
      {R"("Statistic": "Sum", "Period": 61, "EvaluationPeriods": 1, "Threshold": 5,
          "ComparisonOperator": "LessThanThreshold")",
       "ValidationError: The parameter Period must be 10"},
      {R"("Statistic": "Sum", "Period": 3600, "EvaluationPeriods": 25, "Threshold": 5,
          "ComparisonOperator": "LessThanThreshold")",
       "ValidationError: Metrics cannot be checked across"},
      {R"("Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1, "Threshold": "x",
          "ComparisonOperator": "LessThanThreshold")",
       "ValidationError: The parameter Threshold must be of another type."},
      {R"("Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1, "Threshold": 1,
          "ComparisonOperator": "Equal")",
       "ValidationError: The value Equal for parameter ComparisonOperator"},
      {R"("Statistic": "p99", "Period": 60, "EvaluationPeriods": 1, "Threshold": 1,
          "ComparisonOperator": "LessThanThreshold")",
       "ValidationError: The value p99 is no statistic"},
  };
  for (const auto& [members, message] : wrong) {
    EXPECT_THAT(PutAlarm(members), StartsWith(message)) << members;
  }
  EXPECT_THAT(Alarms(), IsEmpty());
}

// --- The calls

TEST_F(MonitorTest, GetMetricStatistics) {
  Put(4);
  Put(2);
  Advance(absl::Minutes(2));
  EXPECT_EQ(Call(GetMetricStatistics, R"({"Namespace": "AWS/DynamoDB",
      "MetricName": "ConsumedWriteCapacityUnits",
      "Dimensions": [{"Name": "TableName", "Value": "T"}], "Period": 60,
      "StartTime": 1700000065, "EndTime": "2023-11-14T23:00:00Z",
      "Statistics": ["Sum", "SampleCount"], "ExtendedStatistics": ["p100"]})"),
            R"({"Label":"ConsumedWriteCapacityUnits","Datapoints":[{"Timestamp":1700000040.0,)"
            R"("Sum":6.0,"SampleCount":2.0,"Unit":"Count","ExtendedStatistics":{"p100":4.0}}]})");
  const std::pair<const char*, const char*> wrong[] = {
      {R"({})", "MissingParameter: The parameter Namespace is required."},
      {R"({"Namespace": "AWS/DynamoDB", "MetricName": "X", "Period": 60, "StartTime": 60,
          "EndTime": 60, "Statistics": ["Sum"]})",
       "InvalidParameterCombination: The parameter StartTime must be less"},
      {R"({"Namespace": "AWS/DynamoDB", "MetricName": "X", "Period": 60, "StartTime": 0,
          "EndTime": 60})",
       "InvalidParameterCombination: At least one of"},
      {R"({"Namespace": "AWS/DynamoDB", "MetricName": "X", "Period": 60, "StartTime": 0,
          "EndTime": 86460, "Statistics": ["Sum"]})",
       "InvalidParameterCombination: You have requested up to 1441 datapoints"},
      {R"({"Namespace": "AWS/DynamoDB", "MetricName": "X", "Period": 90, "StartTime": 0,
          "EndTime": 60, "Statistics": ["Sum"]})",
       "InvalidParameterValue: The parameter Period"},
      {R"({"Namespace": "AWS/DynamoDB", "MetricName": "X", "Period": 60, "StartTime": 0,
          "EndTime": 60, "Statistics": ["Median"]})",
       "InvalidParameterValue: The value Median is no statistic"}};
  for (const auto& [input, message] : wrong) {
    EXPECT_THAT(Call(GetMetricStatistics, input), StartsWith(message)) << input;
  }
}

TEST_F(MonitorTest, GetMetricDataInPages) {
  for (int i = 0; i < 5; ++i) {
    Put(1 + i);
    Advance(absl::Minutes(1));
  }
  Advance(absl::Minutes(1));
  const auto ask = [this](const std::string& more) {
    const std::string input = R"({"StartTime": 1700000040, "EndTime": 1700003600,
      "ScanBy": "TimestampAscending", "MetricDataQueries": [{"Id": "w", "MetricStat": {
      "Metric": {"Namespace": "AWS/DynamoDB", "MetricName": "ConsumedWriteCapacityUnits",
                 "Dimensions": [{"Name": "TableName", "Value": "T"}]},
      "Period": 60, "Stat": "Sum"}}])" +
                              more + "}";
    return Call(GetMetricData, input.c_str());
  };
  EXPECT_THAT(ask(""), HasSubstr(R"("Values":[1.0,2.0,3.0,4.0,5.0],"StatusCode":"Complete")"));
  EXPECT_THAT(ask(""), testing::Not(HasSubstr("NextToken")));
  EXPECT_THAT(ask(R"(, "MaxDatapoints": 2)"),
              testing::AllOf(HasSubstr(R"("Values":[1.0,2.0],"StatusCode":"PartialData")"),
                             HasSubstr(R"("NextToken":"2")")));
  EXPECT_THAT(ask(R"(, "MaxDatapoints": 2, "NextToken": "4")"),
              testing::AllOf(HasSubstr(R"("Values":[5.0],"StatusCode":"Complete")"),
                             testing::Not(HasSubstr("NextToken"))));
  EXPECT_EQ(ask(R"(, "NextToken": "x")"), "InvalidNextToken: Invalid nextToken");
  EXPECT_THAT(Call(GetMetricData, R"({"StartTime": 0, "EndTime": 60, "MetricDataQueries": [
      {"Id": "e", "Expression": "w + w"}]})"),
              StartsWith("ValidationError: Expressions are not evaluated here"));
}

TEST_F(MonitorTest, ListMetricsByName) {
  Put(1);
  Advance(absl::Minutes(2));
  EXPECT_EQ(Call(ListMetrics, R"({"MetricName": "ConsumedWriteCapacityUnits",
                                  "Dimensions": [{"Name": "TableName"}]})"),
            R"({"Metrics":[{"Namespace":"AWS/DynamoDB","MetricName":"ConsumedWriteCapacityUnits",)"
            R"("Dimensions":[{"Name":"TableName","Value":"T"}]}]})");
  EXPECT_EQ(Call(ListMetrics, R"({"Namespace": "AWS/EC2"})"), R"({"Metrics":[]})");
  EXPECT_EQ(Call(ListMetrics, R"({"Dimensions": [{"Name": "TableName", "Value": "U"}]})"),
            R"({"Metrics":[]})");
  Advance(absl::Hours(4));
  EXPECT_EQ(Call(ListMetrics, R"({"RecentlyActive": "PT3H"})"), R"({"Metrics":[]})");
  EXPECT_THAT(Call(ListMetrics, "{}"), HasSubstr("SuccessfulRequestLatency"));
  Advance(absl::Hours(24 * 15));
  EXPECT_EQ(Call(ListMetrics, "{}"), R"({"Metrics":[]})");
}

TEST(FindSeries, NamesAndDimensions) {
  for (size_t i = 0; i < kMetrics; ++i) {
    const Series series = {.metric = static_cast<Metric>(i), .table = "T", .operation = "Query"};
    Dimensions dimensions = DimensionsOf(series);
    std::swap(dimensions[0], dimensions[1]);
    EXPECT_EQ(FindSeries(InfoOf(series.metric).name, dimensions), series);
  }
  EXPECT_FALSE(FindSeries("Nothing", {}));
  EXPECT_FALSE(FindSeries("UserErrors", {{"Table", "T"}}));
  EXPECT_FALSE(FindSeries("UserErrors", {{"TableName", "T"}, {"TableName", "T"}}));
}

}  // namespace
}  // namespace dynolith::cloudwatch
