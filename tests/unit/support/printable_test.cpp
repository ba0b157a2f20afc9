#include "support/printable.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

TEST(Printable, TextStaysAsItIs) {
  for (const char* text : {"", "milk", "crème brûlée", "日本", "a\\b \"c\""}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(printable("a\r\n\tb\x7f"), "a\\x0d\\x0a\\x09b\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "an escape of one character";
}

TEST(Printable, ControlCharactersInStringsOfJsonAndTomlAreEscaped) {
  EXPECT_EQ(printable_strings("{\n  \"caf\xc3\xa9\": \"\x7f\xc2\x9b"
                              "31m\xc2\xa0\"\n}"),
            "{\n  \"caf\xc3\xa9\": \"\\u007f\\u009b31m\xc2\xa0\"\n}");
  EXPECT_EQ(printable_strings("\xc2"), "\xc2") << "cut short: not ours to judge";
}

TEST(Printable, SoAreBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("caf\xe9, caf\xc3\xa9\xc3"), "caf\\xe9, caf\xc3\xa9\\xc3");
}

}  // namespace
}  // namespace meteor
