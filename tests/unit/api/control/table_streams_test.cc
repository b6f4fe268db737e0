// The change log hears of tables: a stream is there as soon as its table, and closed with it.
#include "api/control/delete_table.h"
#include "engine/stream/stream_log.h"
#include "tests/unit/api/update_requests.h"

namespace dynolith {
namespace {

class TableStreamsTest : public UpdateRequests {
 protected:
  TableStreamsTest() : log_(StreamLog::Load(store_.get(), &clock_).value()) {
    context_.streams = log_.get();
  }

  static StreamSpecification On() {
    return {.stream_enabled = true, .stream_view_type = StreamViewType::kNewImage};
  }
  UpdateTableRequest Switch(bool on) {
    UpdateTableRequest request = Named();
    request.stream_specification = on ? On() : StreamSpecification{};
    return request;
  }
  // "label open" or "label closed" for each stream, in the order of the labels.
  std::vector<std::string> Streams() {
    std::vector<std::string> streams;
    for (const StreamName& name : log_->Names("music", std::nullopt, 10)) {
      const auto stream = log_->Find(name);
      EXPECT_TRUE(stream.ok() && *stream) << stream.status();
      streams.push_back(name.label + ((*stream)->closed ? " closed" : " open"));
    }
    return streams;
  }

  std::unique_ptr<StreamLog> log_;
};

TEST_F(TableStreamsTest, ComesAndGoesWithTheTable) {
  CreateTableRequest request = OnDemand();
  request.stream_specification = On();
  Create(request);
  EXPECT_EQ(Streams(), (std::vector<std::string>{"2026-10-09T00:21:34.000 open"}));
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(DeleteTable(context_, {.table_name = "music"}).ok());
  EXPECT_EQ(Streams(), (std::vector<std::string>{"2026-10-09T00:21:34.000 closed"}));
}

TEST_F(TableStreamsTest, FollowsUpdates) {
  Create(OnDemand());
  EXPECT_TRUE(Streams().empty());
  Update(Switch(true));
  clock_.Advance(absl::Seconds(1));
  Update(Switch(false));
  EXPECT_EQ(Streams(), (std::vector<std::string>{"2026-10-09T00:21:34.000 closed"}));
  Update(Switch(true));
  EXPECT_EQ(Streams(), (std::vector<std::string>{"2026-10-09T00:21:34.000 closed",
                                                 "2026-10-09T00:21:35.000 open"}));
}

TEST_F(TableStreamsTest, ClosesAsSoonAsTheTableIsDeleting) {
  context_.delays.remove = absl::Seconds(5);
  CreateTableRequest request = OnDemand();
  request.stream_specification = On();
  Create(request);
  ASSERT_TRUE(DeleteTable(context_, {.table_name = "music"}).ok());
  EXPECT_EQ(Describe().meta.status, TableStatus::kDeleting);
  EXPECT_EQ(Streams(), (std::vector<std::string>{"2026-10-09T00:21:34.000 closed"}));
}

}  // namespace
}  // namespace dynolith
