#include "storage/file_seal.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

class FileSeal : public testing::Test {
 protected:
  std::string sealed(const std::string& content) const {
    const auto path = folder_.write("sealed", std::string(kSealBytes, '\0') + content);
    seal_file(path);
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool intact(const std::string& file) const {
    try {
      check_seal(folder_.write("copy", file));
      return true;
    } catch (const StorageError&) {
      return false;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(FileSeal, FitsWhatWasSealedAndKeepsTheContent) {
  for (const std::string& content : {std::string(), std::string("some\ncontent"), std::string(3 << 20, 'x')}) {
    const std::string file = sealed(content);
    EXPECT_EQ(file.substr(kSealBytes), content);
    EXPECT_TRUE(intact(file));
  }
}

TEST_F(FileSeal, DoesNotFitAnyOtherBytes) {
  const std::string file = sealed("some content");
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    EXPECT_FALSE(intact(damaged)) << at;
    EXPECT_FALSE(intact(file.substr(0, at))) << at;
  }
  EXPECT_FALSE(intact(file + '\0'));
}

TEST_F(FileSeal, OfAFileThatIsNotThereIsAnError) {
  EXPECT_THROW(seal_file(folder_.path() / "none"), StorageError);
  EXPECT_THROW(check_seal(folder_.path() / "none"), StorageError);
}

}  // namespace
}  // namespace meteor
