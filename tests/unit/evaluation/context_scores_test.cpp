#include "evaluation/context_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fixtures/planted_model.h"
#include "kernels/row_products.h"

namespace meteor {
namespace {

using Row = std::vector<double>;

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
double cosine(const Row& a, const Row& b) { return dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)); }

struct ContextUnit {
  std::uint32_t attribute;
  std::uint32_t seen;
  Row row;
};

/// Both formulas as they are written down.
FitScores reference(const std::vector<ContextUnit>& context, const Row& candidate) {
  constexpr double kSharpness = 14;
  const auto near = [&](const Row& row) { return cosine(candidate, row); };
  std::map<std::uint32_t, std::vector<ContextUnit>> by_attribute;
  double lifts = 0;
  for (const ContextUnit& unit : context) {
    by_attribute[unit.attribute].push_back(unit);
    lifts += std::exp(kSharpness * near(unit.row));
  }
  FitScores scores;
  for (const auto& [attribute, units] : by_attribute) {
    Row sum(units[0].row.size());
    double pooled = 0, weights = 0;
    for (const ContextUnit& unit : units) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += unit.row[i];
      pooled += std::exp(kSharpness * near(unit.row)) / std::sqrt(unit.seen);
      weights += 1 / std::sqrt(unit.seen);
    }
    scores.mean += cosine(candidate, sum) / static_cast<double>(by_attribute.size());
    scores.pooled += kSharpness * near(sum) + std::log(pooled / weights);
  }
  scores.pooled += std::log(lifts / static_cast<double>(context.size()));
  scores.pooled /= kSharpness * static_cast<double>(2 * by_attribute.size() + 1);
  return scores;
}

/// Seven units of three attributes and some candidates, in floats and in doubles.
class ContextScoresTest : public ::testing::Test {
 protected:
  ContextScoresTest() {
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      units_.push_back(
          {static_cast<std::uint32_t>(index(attributes_[i])), seen_[i], {rows_.row(i).begin(), rows_.row(i).end()}});
    }
  }

  FitScores score(std::size_t candidate, std::size_t left_out = ContextScores::kNobody) const {
    std::vector<float> products(candidates_.rows() * rows_.rows());
    row_products(candidates_, rows_, products.data());
    ContextScores scores(rows_, attributes_, seen_, 4);
    return scores.score(std::span(products).subspan(candidate * rows_.rows(), rows_.rows()),
                        row_lengths(candidates_)[candidate], 0, left_out);
  }
  Row candidate(std::size_t i) const { return {candidates_.row(i).begin(), candidates_.row(i).end()}; }

  Random random_{5};
  const AlignedRows rows_ = testing::random_rows(7, 20, random_);
  const AlignedRows candidates_ = testing::random_rows(6, 20, random_);
  const std::vector<AttributeId> attributes_{AttributeId{0}, AttributeId{1}, AttributeId{1}, AttributeId{3},
                                             AttributeId{1}, AttributeId{3}, AttributeId{1}};
  const std::vector<std::uint32_t> seen_{3, 1, 900, 17, 4, 1, 60};
  std::vector<ContextUnit> units_;
};

TEST_F(ContextScoresTest, AgreeWithTheFormulas) {
  for (std::size_t c = 0; c < candidates_.rows(); ++c) {
    const FitScores expected = reference(units_, candidate(c));
    EXPECT_NEAR(score(c).pooled, expected.pooled, 1e-5);
    EXPECT_NEAR(score(c).mean, expected.mean, 1e-5);
  }
}

TEST_F(ContextScoresTest, WithoutOneUnitAreThoseOfTheOthers) {
  for (std::size_t out = 0; out < rows_.rows(); ++out) {
    std::vector<ContextUnit> others = units_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(out));
    const FitScores expected = reference(others, candidate(2));
    EXPECT_NEAR(score(2, out).pooled, expected.pooled, 1e-5);
    EXPECT_NEAR(score(2, out).mean, expected.mean, 1e-5);
  }
}

TEST_F(ContextScoresTest, ABonusCountsAsACosineThatIsHigherWithAllUnits) {
  ContextScores scores(rows_, attributes_, seen_, 4);
  const std::vector<float> nothing(rows_.rows());
  EXPECT_NEAR(scores.score(nothing, 1).pooled, 0, 1e-12) << "at right angles to everything";
  EXPECT_NEAR(scores.score(nothing, 1, 0.25).pooled, 0.25, 1e-12);
  EXPECT_EQ(scores.score(nothing, 1, 0.25).mean, 0);
}

TEST_F(ContextScoresTest, UnitsOfWhichNothingIsKnownSayNothing) {
  AlignedRows more(rows_.rows() + 1, rows_.width());
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    std::copy(rows_.row(i).begin(), rows_.row(i).end(), more.row(i).begin());
  }
  std::vector<AttributeId> attributes = attributes_;
  attributes.push_back(AttributeId{2});
  std::vector<std::uint32_t> seen = seen_;
  seen.push_back(0);
  ContextScores scores(more, attributes, seen, 4);
  std::vector<float> products(candidates_.rows() * more.rows());
  row_products(candidates_, more, products.data());
  const FitScores found = scores.score(std::span(products).first(more.rows()), row_lengths(candidates_)[0]);
  EXPECT_NEAR(found.pooled, score(0).pooled, 1e-9);
  EXPECT_NEAR(found.mean, score(0).mean, 1e-9);
}

TEST(ContextScores, OfAnEmptyContextAreZero) {
  const AlignedRows row(1, 8);  // one unit, of which nothing is known
  const std::vector<AttributeId> attribute{AttributeId{0}};
  const std::vector<std::uint32_t> seen{0};
  ContextScores scores(row, attribute, seen, 1);
  const std::vector<float> products{0};
  EXPECT_EQ(scores.score(products, 1).pooled, 0);
  EXPECT_EQ(scores.score(products, 1).mean, 0);
  EXPECT_EQ(scores.score(products, 1, 0.5, 0).pooled, 0) << "no bonus where nothing is said";
}

}  // namespace
}  // namespace meteor
