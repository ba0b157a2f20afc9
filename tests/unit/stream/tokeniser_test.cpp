#include "stream/tokeniser.h"

#include <gmock/gmock.h>

#include "stream/stop_words.h"

namespace meteor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words(std::string_view text) {
  std::string storage;
  storage.reserve(2 * text.size());
  std::vector<std::string_view> found;
  append_words(text, storage, found);
  return {found.begin(), found.end()};
}

TEST(Tokeniser, WordsAreLowerCasedAndKeepTheirOrder) {
  EXPECT_THAT(words("Pearl Art & Craft Supply, Arts/Crafts-Store!"),
              ElementsAre("pearl", "art", "craft", "supply", "arts", "crafts", "store"));
}

TEST(Tokeniser, ApostrophesInsideAWordVanish) {
  EXPECT_THAT(words("Wicked Willy's Dunkin' O’Reilly 'quoted'"),
              ElementsAre("wicked", "willys", "dunkin", "oreilly", "quoted"));
}

TEST(Tokeniser, StopWordsAreDroppedWithOrWithoutApostrophe) {
  EXPECT_THAT(words("I don't like THE bridge, it’s not what you'd cross"), ElementsAre("bridge", "cross"));
  EXPECT_TRUE(is_stop_word("a"));
  EXPECT_TRUE(is_stop_word("youve"));
  EXPECT_FALSE(is_stop_word("shell"));
}

TEST(Tokeniser, DigitsNeedALetter) { EXPECT_THAT(words("6b58 5th 500 12:30 b82"), ElementsAre("6b58", "5th", "b82")); }

TEST(Tokeniser, SingleCharactersAreDropped) { EXPECT_THAT(words("B/D/N é x ok ab"), ElementsAre("ab")); }

TEST(Tokeniser, UrlsAndMentionsAreDroppedAndHashtagsKept) {
  EXPECT_THAT(words("see https://t.co/AbC?x=1 HTTP://x.org www.example.org/a,b @bob_the_builder: #coffee"),
              ElementsAre("see", "coffee"));
  EXPECT_THAT(words("drinks @ cafe"), ElementsAre("drinks", "cafe"));
  EXPECT_THAT(words("mail bob@example.org"), ElementsAre("mail", "bob", "example", "org"));
  EXPECT_THAT(words("wwwhere https house"), ElementsAre("wwwhere", "https", "house"));
}

TEST(Tokeniser, LettersOfAllScriptsMakeWords) {
  EXPECT_THAT(words("CAFÉ Straße ÉCOLE"), ElementsAre("café", "straße", "école"));
  EXPECT_THAT(words("Лучший КОФЕ"), ElementsAre("лучший", "кофе"));
  EXPECT_THAT(words("東京タワー、カフェ"), ElementsAre("東京タワー", "カフェ"));
  EXPECT_THAT(words("हिन्दी"), ElementsAre("हिन्दी"));
}

TEST(Tokeniser, EmojiAndSymbolsAreDropped) {
  EXPECT_THAT(words("coffee☕time 😀😀 👍🏽 ©2020 1️⃣ €"), ElementsAre("coffee", "time"));
}

TEST(Tokeniser, LowerCaseMayBeLongerThanUpperCase) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "Ⱥ";
  EXPECT_EQ(words(text).at(0).size(), 90u);
}

TEST(Tokeniser, OverlongWordsAreDropped) {
  EXPECT_THAT(words(std::string(65, 'x') + " " + std::string(64, 'y')), ElementsAre(std::string(64, 'y')));
}

TEST(Tokeniser, NothingGivesNothing) {
  EXPECT_THAT(words(""), IsEmpty());
  EXPECT_THAT(words("  ,.'’@#"), IsEmpty());
}

}  // namespace
}  // namespace meteor
