#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands/command_line.h"
#include "fixtures/small_models.h"
#include "fixtures/temporary_folder.h"
#include "model/unit_blocks.h"
#include "storage/checkpoint.h"
#include "support/version.h"

namespace meteor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Outcome {
  int status;
  std::string output;
  std::string errors;
};

Outcome run(const std::vector<std::string>& arguments) {
  std::vector<const char*> words = {"meteor"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run_command_line(static_cast<int>(words.size()), words.data());
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The words of a line of a text.
std::vector<std::string> words(const std::string& text, std::size_t line) {
  std::istringstream in(text);
  std::string chosen;
  for (std::size_t i = 0; i <= line; ++i) std::getline(in, chosen);
  std::istringstream parts(chosen);
  return {std::istream_iterator<std::string>(parts), {}};
}

class ModelCommands : public testing::Test {
 protected:
  ModelCommands() { save_model(file_, stored_); }

  float value(UnitId unit, std::size_t component) const {
    AlignedRows row(1, stored_.model.dimension);
    stored_.model.embeddings->decode({&unit, 1}, row);
    return row.row(0)[component];
  }

  const TemporaryFolder folder_;
  const StoredModel stored_ = small_model(CompressionScheme::none);
  const std::string file_ = (folder_.path() / "model.h5").string();
  const std::string output_ = (folder_.path() / "out").string();
};

TEST_F(ModelCommands, NnShowsTheNearestUnitFirst) {
  const Outcome outcome = run({"nn", "--model", file_, "--unit", "items:item 1", "-k", "3"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(words(outcome.output, 0), testing::ElementsAre("rank", "unit", "cosine", "count"));
  EXPECT_THAT(words(outcome.output, 1), testing::ElementsAre("1", "item", "3", StartsWith("0.99"), "197"));
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 4);
}

TEST_F(ModelCommands, NamesCannotCommandTheTerminal) {
  StoredModel made = small_model(CompressionScheme::none);
  Vocabulary vocabulary({1, 1});
  for (const UnitId unit : first_units(made.model.units())) {
    const std::string name(made.vocabulary.name(unit));
    vocabulary.admit(made.vocabulary.attribute(unit), name == "item 3" ? "\x1b]0;mine\x07" : name);
  }
  save_model(file_, made.settings, vocabulary, made.model);
  for (const auto& command :
       {std::vector<std::string>{"nn", "--model", file_, "--unit", "items:item 1"},
        std::vector<std::string>{"predict", "--model", file_, "--target", "items", "--context", "items=item 1"}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("\\x1b]0;mine\\x07"), Not(HasSubstr("\x1b"))));
  }
}

TEST_F(ModelCommands, NnShowsUnitsOfAnotherAttribute) {
  const Outcome outcome = run({"nn", "--model", file_, "--unit", "items:item 5", "--attribute", "user"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(words(outcome.output, 1), testing::ElementsAre("1", "user", "0", StartsWith("0.99"), "200"));
}

TEST_F(ModelCommands, AnUnknownUnitOrAttributeIsWrongUsageWithASuggestion) {
  const Outcome unit = run({"nn", "--model", file_, "--unit", "items:iten 1"});
  EXPECT_EQ(unit.status, 2);
  EXPECT_EQ(unit.errors, "meteor: " + file_ + " has no unit iten 1 of attribute items (did you mean item 1?)\n");
  const Outcome attribute = run({"nn", "--model", file_, "--unit", "item:item 1"});
  EXPECT_EQ(attribute.status, 2);
  EXPECT_EQ(attribute.errors, "meteor: the model has no attribute item (did you mean items?); it has user, items\n");
  EXPECT_THAT(run({"nn", "--model", file_, "--unit", "item"}).errors, HasSubstr("as in --unit items:85123A"));
  EXPECT_EQ(run({"nn", "--model", file_, "--unit", "items:item 1", "-k", "-3"}).status, 2);
}

TEST_F(ModelCommands, PredictRanksByTheMeanOverAttributes) {
  const Outcome outcome =
      run({"predict", "--model", file_, "--target", "items", "--context", "user=user 0", "-k", "1"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(words(outcome.output, 1), testing::ElementsAre("1", "item", "5", StartsWith("0.99"), "195"));
  const Outcome both = run({"predict", "--model", file_, "--target", "items", "--context", "items=item 1", "--context",
                            "items=item 3", "--context", "user=user 2"});
  ASSERT_EQ(both.status, 0) << both.errors;
  EXPECT_THAT(both.output, AllOf(Not(HasSubstr("item 1 ")), Not(HasSubstr("item 3 "))));
}

TEST_F(ModelCommands, PredictLeavesUnknownUnitsOutAndSaysSo) {
  const Outcome some = run({"predict", "--model", file_, "--target", "items", "--context", "user=user 0", "--context",
                            "items=hat", "-k", "1"});
  ASSERT_EQ(some.status, 0);
  EXPECT_THAT(some.errors, HasSubstr("warning: --context items=hat is left out"));
  EXPECT_THAT(words(some.output, 1)[2], "5");
  const Outcome none = run({"predict", "--model", file_, "--target", "items", "--context", "items=hat"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors, HasSubstr("knows no unit of the context"));
}

TEST_F(ModelCommands, ExportsWord2vecText) {
  const Outcome outcome =
      run({"export", "--model", file_, "--attribute", "items", "--format", "word2vec", "--output", output_});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("100 of 100 names hold white space"));
  std::ifstream in(output_);
  std::size_t units = 0, dimension = 0;
  in >> units >> dimension;
  ASSERT_EQ(units, 100U);
  ASSERT_EQ(dimension, 24U);
  for (std::uint32_t i = 0; i < units; ++i) {
    std::string name;
    in >> name;
    EXPECT_EQ(name, "item_" + std::to_string(2 * i + 1));
    for (std::size_t j = 0; j < dimension; ++j) {
      float read = 0;
      in >> read;
      EXPECT_EQ(read, value(UnitId{2 * i + 1}, j));
    }
  }
  EXPECT_TRUE(in.good());
  std::string rest;
  EXPECT_FALSE(in >> rest);
}

TEST_F(ModelCommands, ExportsNumPyAndNames) {
  const Outcome outcome =
      run({"export", "--model", file_, "--attribute", "user", "--format", "npy", "--output", output_ + ".npy"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::string npy = content(output_ + ".npy");
  EXPECT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header = static_cast<unsigned char>(npy[8]) + 256 * static_cast<unsigned char>(npy[9]);
  EXPECT_EQ((10 + header) % 64, 0U);
  EXPECT_THAT(npy.substr(10, header), StartsWith("{'descr': '<f4', 'fortran_order': False, 'shape': (100, 24), }"));
  EXPECT_EQ(npy[9 + header], '\n');
  ASSERT_EQ(npy.size(), 10 + header + 100 * 24 * sizeof(float));
  float read = 0;
  std::memcpy(&read, npy.data() + 10 + header + (3 * 24 + 5) * sizeof(float), sizeof read);
  EXPECT_EQ(read, value(UnitId{6}, 5));
  EXPECT_THAT(content(output_ + ".npy.txt"), StartsWith("user 0\nuser 2\n"));
}

TEST_F(ModelCommands, ExportsAFolderForTheProjector) {
  const Outcome outcome =
      run({"export", "--model", file_, "--attribute", "items", "--format", "projector", "--output", output_});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::string vectors = content(output_ + "/vectors.tsv");
  EXPECT_EQ(std::count(vectors.begin(), vectors.end(), '\n'), 100);
  EXPECT_EQ(std::stof(words(vectors, 1)[7]), value(UnitId{3}, 7));
  EXPECT_THAT(content(output_ + "/metadata.tsv"), StartsWith("unit\tcount\nitem 1\t199\n"));
}

TEST_F(ModelCommands, InspectDescribesTheModel) {
  const Outcome outcome = run({"inspect", "--json", file_});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto object = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(object["model_bytes"], stored_.model.bytes());
  EXPECT_EQ(object["full_bytes"], 200 * 24 * 4);
  EXPECT_EQ(object["units"]["items"], 100);
  EXPECT_EQ(object["model_sha256"], model_sha256(stored_.vocabulary, stored_.model));
  EXPECT_EQ(object["datasets"].size(), 7U);
  EXPECT_THAT(run({"inspect", file_}).output,
              AllOf(HasSubstr("scheme              none"), HasSubstr("units of items      100")));
}

TEST_F(ModelCommands, InspectCountsClustersAndTheirBases) {
  const StoredModel clustered = small_model(CompressionScheme::clusters);
  save_model(file_, clustered);
  const auto object = nlohmann::json::parse(run({"inspect", "--json", file_}).output);
  EXPECT_EQ(object["clusters"], 10);
  EXPECT_GE(object["basis_vectors"], 40);
  EXPECT_EQ(object["model_bytes"], clustered.model.bytes());
  EXPECT_EQ(object["bytes_per_new_unit"], clustered.model.bytes_per_new_unit());
}

TEST_F(ModelCommands, InspectTellsACheckpointFromAModel) {
  EXPECT_THAT(run({"inspect", file_}).output, StartsWith("format              meteor model, version 3\n"));
  RunState state;
  state.windows = state.next_number = stored_.model.windows;
  state.records = 340;
  state.end = {.offset = 5678, .line = 356, .records = 345, .rejected = 9, .text_sha256 = "..."};
  write_content(file_, checkpoint_content(stored_.settings, stored_.vocabulary, stored_.model, state, nullptr));
  const auto object = nlohmann::json::parse(run({"inspect", "--json", file_}).output);
  EXPECT_EQ(object["format"], "meteor checkpoint");
  EXPECT_EQ(object["program_version"], program_version());
  EXPECT_EQ(object["run"],
            nlohmann::json::parse(R"({"windows": 7, "records": 340, "input_bytes": 5678, "input_line": 356,
      "input_records": 345, "rejected": 9, "window_waits": false})"));
  EXPECT_EQ(object["model_sha256"], model_sha256(stored_.vocabulary, stored_.model));
  EXPECT_EQ(object["datasets"].size(), 7U);
  EXPECT_THAT(run({"inspect", file_}).output,
              AllOf(StartsWith("format              meteor checkpoint, version 3\n"),
                    HasSubstr("run                 7 windows, 340 records learnt\n"),
                    HasSubstr("input               5678 bytes, to line 356, 345 records read, 9 rejected\n")));
}

TEST_F(ModelCommands, AnUnusableModelIsStatusFour) {
  for (const std::string command : {"inspect", "nn", "predict", "export"}) {
    std::vector<std::string> arguments = {command};
    if (command != "inspect") arguments.push_back("--model");
    arguments.push_back(output_);
    if (command == "nn") arguments.insert(arguments.end(), {"--unit", "items:item 1"});
    if (command == "predict") arguments.insert(arguments.end(), {"--target", "items", "--context", "user=user 0"});
    if (command == "export") {
      arguments.insert(arguments.end(), {"--attribute", "items", "--format", "npy", "--output", output_});
    }
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 4) << command;
    EXPECT_EQ(outcome.errors, "meteor: " + output_ + " does not exist\n");
  }
}

}  // namespace
}  // namespace meteor
