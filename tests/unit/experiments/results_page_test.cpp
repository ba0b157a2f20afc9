#include "experiments/results_page.h"

#include <gmock/gmock.h>

#include "experiments/paper_figures.h"
#include "experiments/sections.h"
#include "fixtures/experiment_results.h"
#include "support/error.h"

namespace meteor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Results results_of(std::initializer_list<nlohmann::ordered_json> runs) {
  Results results;
  for (const auto& run : runs) results.runs.push_back({run["stream"], run["variant"], run["seed"], run});
  return results;
}

TEST(Page, SaysOfEveryExperimentThatIsMissingThatItIs) {
  Results results;
  results.sizes = {{"s", {{"user", 3, 2}}}};
  const std::string page = report_page(results);
  for (const char* name : {"retrieval", "explicit", "ablation", "sensitivity", "parallel"}) {
    EXPECT_THAT(page, HasSubstr(fmt::format("Missing: no run of this experiment (meteor experiment {}).", name)));
  }
  for (const char* name : {"presence", "drift"}) {
    EXPECT_THAT(page, HasSubstr(fmt::format("Missing: no result of this experiment (meteor experiment {}).", name)));
  }
  EXPECT_THAT(page, HasSubstr("1 clusters of 2 to 3 units"));
}

TEST(Page, EmptyResultsMakeNoChart) {
  Results results;
  results.presence = {{"s", {{"user", 3, {}}}}};
  results.drift = {{"s", {}}};
  results.sizes = {{"s", {}}};
  for (const Section& section : {presence_section(results), drift_section(results), sizes_section(results)}) {
    EXPECT_THAT(section.body, AllOf(HasSubstr("are empty"), Not(HasSubstr("<svg")), Not(HasSubstr("<table"))));
  }
}

TEST(Page, NeedsNothingElse) {
  const std::string page = report_page(results_of({run_json("s", "full", 1, 0.5, 1000000)}));
  for (const char* outside : {"src=", "@import", "url(", "<link rel=\"stylesheet", "https://"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(Page, EscapesWhatFilesSay) {
  Results results = results_of({run_json("<script>s</script>", "full", 1, 0.5, 1000000),
                                run_json("<script>s</script>", "<img>", 1, 0.5, 1000000)});
  results.unreadable = {{"runs/<b>.json", "it is no complete JSON"}};
  const std::string page = report_page(results);
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script>s")), Not(HasSubstr("<img>")), Not(HasSubstr("<b>.json"))));
  EXPECT_THAT(page, HasSubstr("runs/&lt;b&gt;.json: it is no complete JSON"));
}

TEST(Page, MarksTheBestCompressedEmbeddings) {
  const Results results =
      results_of({run_json("s", "full", 1, 0.6, 1000000), run_json("s", "meteor", 1, 0.58, 100000),
                  run_json("s", "quantization:8", 1, 0.59, 250000), run_json("s", "dim_reduct:100", 1, 0.5, 330000),
                  run_json("s", "lift", 1, 0.7, 200000)});
  const std::string summary = summary_section(results).body;
  EXPECT_THAT(summary, HasSubstr(R"(class="number best begins" data-value="0.59")"));
  EXPECT_THAT(summary, HasSubstr(">◆ 0.580</td>"));
  EXPECT_THAT(summary, HasSubstr(">★ 0.590</td>"));
  EXPECT_THAT(summary, HasSubstr(">0.500</td>"));
  EXPECT_THAT(summary, HasSubstr(">0.700</td>"));
  EXPECT_THAT(summary, HasSubstr("<b>96.7 %</b> of full’s MRR"));
}

TEST(Page, SaysThatTimesOfMoreProcessesThanCoresMeanNothing) {
  auto two = run_json("s", "parallel p=2", 1, 0.5, 1);
  auto four = run_json("s", "parallel p=4", 1, 0.5, 1);
  EXPECT_THAT(parallel_section(results_of({two})).body, Not(HasSubstr("mean nothing")));
  EXPECT_THAT(parallel_section(results_of({two, four})).body,
              HasSubstr("had 2 cores: the times of p = 4 mean nothing"));
  two.erase("cores");
  EXPECT_THAT(parallel_section(results_of({two})).body, HasSubstr("do not say how many cores"));
}

TEST(Page, SetsThePapersFiguresBeside) {
  auto run = run_json("cj_slice", "dcn:10", 1, 0.5, 60000);
  run["settings"]["learning"] = {{"epochs", 5}, {"dimension", 300}};
  const std::string body = retrieval_section(results_of({run})).body;
  EXPECT_THAT(body, HasSubstr("these runs had learning.epochs = 5 and learning.dimension = 300."));
  EXPECT_THAT(body, HasSubstr(R"(data-value="0.4882" data-paper="Table 2">0.488</td>)"));
  EXPECT_THAT(body, HasSubstr("The paper’s CJ is the whole of it"));
  EXPECT_THAT(body, Not(HasSubstr("Table 3")));  // which is of locations
  EXPECT_EQ(paper_method("full")->locations[2].megabytes, 274);
  EXPECT_EQ(paper_method("meteor"), nullptr);
}

TEST(Page, ThinnedPointsAreMeansOfNeighbours) {
  const auto points = thinned({{0, 1, 0, ""}, {1, 3, 0, ""}, {2, 5, 0, ""}, {3, 7, 0, ""}, {4, 9, 0, ""}}, 3);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].x, 0.5);
  EXPECT_EQ(points[0].y, 2);
  EXPECT_EQ(points[2].y, 9);
}

TEST(Page, ThereIsNoPictureOfNothing) {
  Results results;
  results.sizes = {{"s", {}}};
  EXPECT_THROW(report_picture(results), InputError);
  EXPECT_THAT(report_picture(results_of({run_json("s", "cons", 1, 0.5, 60000)})), HasSubstr("<svg"));
}

}  // namespace
}  // namespace meteor
