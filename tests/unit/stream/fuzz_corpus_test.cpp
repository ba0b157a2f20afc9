#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/entries.h"

namespace meteor {
namespace {

void replay(const std::string& target, void (*entry)(std::string_view)) {
  std::size_t inputs = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(METEOR_FUZZ_CORPUS) / target)) {
    SCOPED_TRACE(file.path().string());
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(stream), {}};
    for (std::size_t size = 0; size <= input.size(); ++size) entry(std::string_view(input).substr(0, size));
    ++inputs;
  }
  EXPECT_GT(inputs, 0u);
}

TEST(FuzzCorpus, RecordsAreReadAsPromisedFromEveryInputAndItsPrefixes) { replay("read_records", fuzz::read_records); }
TEST(FuzzCorpus, WordsAreCutAsPromisedFromEveryInputAndItsPrefixes) { replay("cut_words", fuzz::cut_words); }
TEST(FuzzCorpus, SettingsAreReadOrRefusedForEveryInputAndItsPrefixes) { replay("read_settings", fuzz::read_settings); }
TEST(FuzzCorpus, MessagesAreDecodedOrRefusedForEveryInputAndItsPrefixes) {
  replay("read_messages", fuzz::read_messages);
}
TEST(FuzzCorpus, BlocksAreWorkedOnOrRefusedForEveryInputAndItsPrefixes) {
  replay("work_on_blocks", fuzz::work_on_blocks);
  replay("fit_to_answers", fuzz::fit_to_answers);
}
TEST(FuzzCorpus, ModelsAreRebuiltOrRefusedForEveryInputAndItsPrefixes) {
  replay("rebuild_content", fuzz::rebuild_content);
}
TEST(FuzzCorpus, DecompressionEndsForEveryInputAndItsPrefixes) { replay("decompress", fuzz::decompress); }

}  // namespace
}  // namespace meteor
