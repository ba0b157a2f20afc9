#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace meteor {

/// English words that say nothing about a topic, as the tokeniser writes them: lower case, without apostrophes.
inline constexpr std::array<std::string_view, 204> stop_words{
    "a",       "about",    "above",      "after",  "again",  "against",    "all",     "also",    "am",      "an",
    "and",     "any",      "are",        "arent",  "as",     "at",         "be",      "because", "been",    "before",
    "being",   "below",    "between",    "both",   "but",    "by",         "can",     "cannot",  "cant",    "could",
    "couldnt", "did",      "didnt",      "do",     "does",   "doesnt",     "doing",   "done",    "dont",    "down",
    "during",  "each",     "either",     "else",   "ever",   "every",      "few",     "for",     "from",    "further",
    "get",     "gets",     "got",        "had",    "hadnt",  "has",        "hasnt",   "have",    "havent",  "having",
    "he",      "hed",      "her",        "here",   "heres",  "hers",       "herself", "hes",     "him",     "himself",
    "his",     "how",      "however",    "i",      "if",     "im",         "in",      "into",    "is",      "isnt",
    "it",      "itll",     "its",        "itself", "ive",    "just",       "let",     "lets",    "like",    "many",
    "maybe",   "me",       "might",      "more",   "most",   "much",       "must",    "mustnt",  "my",      "myself",
    "neither", "no",       "nor",        "not",    "now",    "of",         "off",     "oh",      "ok",      "okay",
    "on",      "once",     "only",       "or",     "other",  "others",     "ought",   "our",     "ours",    "ourselves",
    "out",     "over",     "own",        "per",    "quite",  "rather",     "really",  "same",    "shall",   "she",
    "shes",    "should",   "shouldnt",   "since",  "so",     "some",       "still",   "such",    "than",    "that",
    "thats",   "the",      "their",      "theirs", "them",   "themselves", "then",    "there",   "theres",  "these",
    "they",    "theyd",    "theyll",     "theyre", "theyve", "this",       "those",   "though",  "through", "thru",
    "to",      "too",      "under",      "until",  "up",     "upon",       "very",    "via",     "was",     "wasnt",
    "we",      "well",     "were",       "werent", "weve",   "what",       "whats",   "when",    "where",   "which",
    "while",   "who",      "whom",       "whos",   "whose",  "why",        "will",    "with",    "within",  "without",
    "wont",    "would",    "wouldnt",    "yes",    "yet",    "you",        "youd",    "youll",   "your",    "youre",
    "yours",   "yourself", "yourselves", "youve",
};
static_assert(std::is_sorted(stop_words.begin(), stop_words.end()));

inline bool is_stop_word(std::string_view word) {
  return std::binary_search(stop_words.begin(), stop_words.end(), word);
}

}  // namespace meteor
