#pragma once

#include <memory>
#include <string>

#include "stream/byte_source.h"

namespace meteor {

/// Follows the file of a name, as `tail -F` does: at its end, waits until it grows or another file takes its place.
///
/// Another file, or other content in the same one, is a new part of the input: it is read from its begin when the old
/// one has been read to its end. It is told from a copy of what was read by its first bytes and, once it is as long, by
/// the hash of what was read: a copy goes on where reading was, so that nothing is read twice. A file that begins like
/// the old one for long and then differs is an InputError, because nobody can say what of it is new. What happens is
/// told in the log.
///
/// `descriptor` is the open file, which becomes the source's own.
std::unique_ptr<ByteSource> follow_file(const std::string& path, int descriptor, const SourceOptions& options);

}  // namespace meteor
