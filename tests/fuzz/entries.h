#pragma once

#include <string_view>

namespace meteor::fuzz {

/// What the fuzzers run on every input, and the tests on the saved corpus. They abort where a promise is broken.

/// The first byte chooses the settings; the rest is a CSV or JSON lines input.
void read_records(std::string_view input);
/// A text to cut into words.
void cut_words(std::string_view input);
/// The first byte chooses gzip or zstd; the rest is what claims to be compressed.
void decompress(std::string_view input);

/// The first byte chooses JSON or TOML; the rest are settings. What is accepted is written and read again.
void read_settings(std::string_view input);
/// Changes to a message between ranks, which is then decoded; replicas are rebuilt, follow and are used.
void read_messages(std::string_view input);
/// Changes to blocks that rank 0 shares out, which are then worked on.
void work_on_blocks(std::string_view input);
/// Changes to what workers make of blocks, which rank 0 then fits models to. Each takes as long as many of the others.
void fit_to_answers(std::string_view input);
/// Changes to the content of a model of every scheme, as if behind a fitting seal; what is accepted is used.
void rebuild_content(std::string_view input);

}  // namespace meteor::fuzz
