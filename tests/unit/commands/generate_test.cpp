#include "commands/command_line.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/error.h"

namespace meteor {
namespace {

class GenerateCommand : public ::testing::Test {
 protected:
  GenerateCommand() {
    std::filesystem::create_directories(folder_);
    add_generate_command(app_, ranks_);
  }
  ~GenerateCommand() override { std::filesystem::remove_all(folder_); }

  static int lines(const std::filesystem::path& path) {
    std::ifstream in(path);
    int count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return count;
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / ("generate" + std::to_string(::getpid()));
  OneRank ranks_;
  CLI::App app_;
};

TEST_F(GenerateCommand, WritesTheStreamAndItsCategories) {
  const auto stream = folder_ / "stream.csv", categories = folder_ / "categories.csv";
  app_.parse("generate --kind geo --records 50 --days 3 --change 0.5 --seed 9 --output " + stream.string() +
             " --categories " + categories.string());
  EXPECT_EQ(lines(stream), 51);
  EXPECT_GT(lines(categories), 100);
}

TEST_F(GenerateCommand, RefusesAnUnknownKind) {
  EXPECT_THROW(app_.parse("generate --kind music --records 5 --output -"), CLI::ParseError);
}

TEST_F(GenerateCommand, RefusesANegativeNumberOfRecords) {
  EXPECT_THROW(app_.parse("generate --kind geo --records -5 --output -"), CLI::ParseError);
}

TEST_F(GenerateCommand, LeavesNoFileWhenASettingIsWrong) {
  const auto stream = folder_ / "stream.csv";
  EXPECT_THROW(app_.parse("generate --kind shopping --records 0 --output " + stream.string()), UsageError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace meteor
