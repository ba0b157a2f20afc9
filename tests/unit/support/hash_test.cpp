#include "support/hash.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string_view>

namespace meteor {
namespace {

std::string digest_of(std::string_view text) {
  Sha256 hash;
  hash.update(text.data(), text.size());
  return hash.hex();
}

TEST(Sha256, AgreesWithThePublishedAnswers) {
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, DoesNotDependOnHowTheDataIsCut) {
  Sha256 hash;
  hash.update("a", 1);
  EXPECT_EQ(hash.hex(), digest_of("a"));
  hash.update("bc", 2);
  EXPECT_EQ(hash.hex(), digest_of("abc"));
}

TEST(Sha256, TakesWhatIsLeftOfAFile) {
  const std::string text(3'000'000, 'x');
  std::istringstream file("head" + text);
  file.seekg(4);
  Sha256 hash;
  hash.update(file);
  EXPECT_TRUE(file.eof());
  EXPECT_EQ(hash.hex(), digest_of(text));
}

}  // namespace
}  // namespace meteor
