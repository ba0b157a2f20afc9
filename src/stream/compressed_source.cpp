// zlib and zstd are called directly: Boost's filters throw away what they decoded just before the damage, and take a
// truncated zstd file for a complete one.
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <vector>

#include "stream/byte_source.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr std::size_t compressed_block = std::size_t{1} << 16;

/// The state that both formats share: a block of compressed bytes, and whether the data may end here.
class CompressedSource : public ByteSource {
 public:
  explicit CompressedSource(std::unique_ptr<ByteSource> compressed)
      : ByteSource(compressed->name()), compressed_(std::move(compressed)), block_(compressed_block) {}

  std::size_t read(std::span<char> space) final {
    while (!ended_) {
      if (input_.empty() && !output_pending_) {
        input_ = std::span(block_).first(compressed_->read(block_));
        if (input_.empty()) {
          ended_ = true;
          if (compressed_->stopped())
            end_with_stop();
          else if (!between_parts_)
            end_with_damage("compressed data ends early");
          return 0;
        }
      }
      if (const std::size_t count = decode(space); count > 0) return count;
    }
    return 0;
  }

 protected:
  /// Decodes some of input_ into `space`, shortens input_ by what it used and sets the flags below.
  virtual std::size_t decode(std::span<char> space) = 0;

  void end_damaged(std::string_view detail) {
    ended_ = true;
    end_with_damage(fmt::format("compressed data is damaged ({})", detail));
  }

  std::span<char> input_;
  bool between_parts_ = false;   ///< a member or frame was completed, and no other has begun
  bool output_pending_ = false;  ///< `space` was filled: the decoder may hold more

 private:
  std::unique_ptr<ByteSource> compressed_;
  std::vector<char> block_;
  bool ended_ = false;
};

class GzipSource final : public CompressedSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> compressed) : CompressedSource(std::move(compressed)) {
    constexpr int gzip_with_largest_window = 15 + 16;
    if (inflateInit2(&stream_, gzip_with_largest_window) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 private:
  std::size_t decode(std::span<char> space) override {
    if (between_parts_) {
      skip_padding();
      if (input_.empty()) return 0;
      inflateReset(&stream_);
    }
    const std::size_t room = std::min(space.size(), std::size_t{1} << 30);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(input_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(space.data());
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    input_ = input_.last(stream_.avail_in);
    between_parts_ = result == Z_STREAM_END;
    output_pending_ = !between_parts_ && stream_.avail_out == 0;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      end_damaged(stream_.msg != nullptr ? stream_.msg : "not gzip");
    return room - stream_.avail_out;
  }

  /// Archivers on tape fill the last block with zeros.
  void skip_padding() {
    const auto other = std::find_if(input_.begin(), input_.end(), [](char byte) { return byte != 0; });
    input_ = input_.subspan(static_cast<std::size_t>(other - input_.begin()));
  }

  z_stream stream_{};
};

class ZstdSource final : public CompressedSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> compressed)
      : CompressedSource(std::move(compressed)), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  std::size_t decode(std::span<char> space) override {
    ZSTD_inBuffer in{input_.data(), input_.size(), 0};
    ZSTD_outBuffer out{space.data(), space.size(), 0};
    const std::size_t result = ZSTD_decompressStream(stream_.get(), &out, &in);
    input_ = input_.subspan(in.pos);
    between_parts_ = result == 0;
    output_pending_ = result != 0 && out.pos == out.size;
    if (ZSTD_isError(result)) end_damaged(ZSTD_getErrorName(result));
    return out.pos;
  }

  std::unique_ptr<ZSTD_DStream, Free> stream_;
};

}  // namespace

std::unique_ptr<ByteSource> decompress_gzip(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<GzipSource>(std::move(compressed));
}

std::unique_ptr<ByteSource> decompress_zstd(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<ZstdSource>(std::move(compressed));
}

}  // namespace meteor
