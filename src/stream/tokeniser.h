#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace meteor {

/// Cuts a text (valid UTF-8) into words, lower-cased, in their order and with repetitions.
///
/// A word is a run of Unicode letters and digits with the marks that follow them. It needs a letter: "6b58" and "5th"
/// are words, "500" is not, since bare numbers in texts are amounts rather than topics. Apostrophes inside a word
/// vanish ("Willy's" gives "willys"). URLs (http://, https://, www.) and @mentions are dropped, hashtags lose their
/// "#". English stop words, words of one character and those longer than 64 characters are dropped. Scripts that write
/// no blanks are not segmented: a run of theirs is one word.
///
/// The characters are appended to `storage`, which must have room for 2·text.size() more, so that the views stay valid.
void append_words(std::string_view text, std::string& storage, std::vector<std::string_view>& words);

}  // namespace meteor
