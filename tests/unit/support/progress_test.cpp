#include "support/progress.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

ProgressState half_way() {
  return {.phase = "streaming", .windows = 20, .windows_total = 40, .records = 3000, .loss = 0.5};
}

TEST(ProgressLine, TellsSpeedLossAndTimeLeft) {
  EXPECT_EQ(progress_line(half_way(), 30, 200),
            "streaming: 20/40 windows, 3000 records, 100 records/s, loss 0.5000, 0:00:30 left");
}

TEST(ProgressLine, LeavesOutWhatIsUnknown) {
  ProgressState state = half_way();
  state.windows_total.reset();
  state.loss.reset();
  EXPECT_EQ(progress_line(state, 0, 200), "streaming: 20 windows, 3000 records");
}

TEST(ProgressLine, WindowsOfAnEarlierRunDoNotCountAsSpeed) {
  ProgressState state = half_way();
  state.windows_before = 19;
  EXPECT_TRUE(progress_line(state, 30, 200).ends_with("0:10:00 left"));
  state.windows_before = 20;
  EXPECT_TRUE(progress_line(state, 30, 200).ends_with("loss 0.5000"));
}

TEST(ProgressLine, IsCutToTheWidth) { EXPECT_EQ(progress_line(half_way(), 30, 12), "streaming: 2"); }

TEST(ReportSchedule, FirstLineComesEarlierThanTheOthersFollow) {
  ReportSchedule schedule(10, 30);
  EXPECT_FALSE(schedule.due(9.9));
  EXPECT_TRUE(schedule.due(10));
  EXPECT_FALSE(schedule.due(39));
  EXPECT_TRUE(schedule.due(100));
  EXPECT_FALSE(schedule.due(101));
}

TEST(Progress, WritesNoControlCharacterWhereStderrIsAFile) {
  testing::internal::CaptureStderr();
  Progress progress;
  progress.update(half_way());
  progress.finish();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace meteor
