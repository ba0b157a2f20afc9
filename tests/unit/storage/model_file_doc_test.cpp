#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "fixtures/schemes.h"
#include "fixtures/small_models.h"
#include "fixtures/temporary_folder.h"
#include "storage/model_file.h"

namespace meteor {
namespace {

const std::string python = "/usr/bin/python3";  // the one that sees Debian's h5py

/// The program in docs/model-file.md, as a reader would copy it.
std::string documented_program() {
  std::ifstream in(METEOR_DOCS "/model-file.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::string fence = "```python\n";
  const std::size_t begin = page.find(fence) + fence.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

std::string output_of(const std::string& command) {
  std::string output;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  char buffer[4096];
  while (const std::size_t bytes = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, bytes);
  ::pclose(pipe);
  return output;
}

/// Runs the program on some units of the model.
void expect_that_the_program_decodes(const StoredModel& stored) {
  if (std::system((python + " -c 'import h5py' 2> /dev/null").c_str()) != 0) GTEST_SKIP() << "python3-h5py is missing";
  const TemporaryFolder folder;
  const auto program = folder.write("embedding.py", documented_program());
  const auto file = folder.path() / "model.h5";
  save_model(file, stored);
  for (const UnitId unit : {UnitId{1}, UnitId{101}, UnitId{199}}) {
    AlignedRows decoded(1, stored.model.dimension);
    stored.model.embeddings->decode({&unit, 1}, decoded);
    std::istringstream printed(output_of(python + " -B " + program.string() + " " + file.string() + " items '" +
                                         std::string(stored.vocabulary.name(unit)) + "'"));
    const std::vector<float> values{std::istream_iterator<float>(printed), {}};
    ASSERT_EQ(values.size(), stored.model.dimension);
    for (std::size_t j = 0; j < values.size(); ++j) EXPECT_NEAR(values[j], decoded.row(0)[j], 1e-5);
  }
}

class ModelFileDocumentation : public testing::TestWithParam<CompressionScheme> {};

INSTANTIATE_TEST_SUITE_P(Schemes, ModelFileDocumentation, testing::ValuesIn(kSchemes), scheme_suffix);

TEST_P(ModelFileDocumentation, ItsProgramDecodesWhatWeDecode) {
  expect_that_the_program_decodes(small_model(GetParam()));
}

TEST(ModelFileDocumentations, ProgramDecodesBytes) { expect_that_the_program_decodes(small_model_in_bytes()); }

}  // namespace
}  // namespace meteor
