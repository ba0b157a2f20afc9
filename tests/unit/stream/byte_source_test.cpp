#include "stream/byte_source.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <fstream>
#include <thread>

#include "fixtures/memory_source.h"
#include "fixtures/temporary_folder.h"
#include "support/error.h"
#include "support/random.h"

namespace meteor {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::MemorySource;
using ::testing::StartsWith;

namespace io = boost::iostreams;

std::string read_to_end(ByteSource& source, std::size_t step = 4096) {
  std::string all;
  std::string block(step, '\0');
  while (const std::size_t count = source.read(block)) all.append(block, 0, count);
  EXPECT_EQ(source.read(block), 0u) << "the end stays the end";
  return all;
}

template <class Compressor>
std::string compressed(const std::string& text) {
  std::string out;
  io::filtering_ostream stream;
  stream.push(Compressor());
  stream.push(io::back_inserter(out));
  stream << text;
  stream.reset();
  return out;
}
std::string gzip(const std::string& text) { return compressed<io::gzip_compressor>(text); }
std::string zstd(const std::string& text) { return compressed<io::zstd_compressor>(text); }

std::string varied_text(std::size_t lines) {
  std::string text;
  Random random{7};
  for (std::size_t i = 0; i < lines; ++i) text += std::to_string(random.next()) + "," + std::to_string(i) + "\n";
  return text;
}

TEST(ByteSource, APipeThatNobodyWritesIsNotWaitedForAfterAStop) {
  const TemporaryFolder directory;
  const std::string pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  int looks_left = 5;
  const auto source =
      open_source(pipe, {.stop = [&] { return looks_left-- == 0; }, .poll_interval = std::chrono::milliseconds(1)});
  EXPECT_EQ(read_to_end(*source), "");
  EXPECT_TRUE(source->stopped());
}

TEST(ByteSource, APipeIsReadFromItsFirstWriterOn) {
  const TemporaryFolder directory;
  const std::string pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto source = open_source(pipe, {.stop = {}, .poll_interval = std::chrono::milliseconds(1)});
  std::thread writer([&] { std::ofstream(pipe) << "1,2\n"; });
  EXPECT_EQ(read_to_end(*source), "1,2\n");
  writer.join();
}

TEST(ByteSource, OnlyFilesCanBeReadAgain) {
  const TemporaryFolder directory;
  const std::string pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(is_rereadable(directory.write("s.csv", "").string()));
  EXPECT_TRUE(is_rereadable(directory.file("missing.csv"))) << "whoever opens it says so";
  for (const std::string& other : {std::string("-"), pipe, std::string("/dev/null")})
    EXPECT_FALSE(is_rereadable(other)) << other;
}

TEST(ByteSource, APlainFileIsReadToItsEnd) {
  const TemporaryFolder directory;
  const std::string text = varied_text(10'000);
  const auto source = open_source(directory.write("plain.csv", text));
  EXPECT_EQ(read_to_end(*source), text);
  EXPECT_TRUE(source->damage().empty());
  EXPECT_FALSE(source->stopped());
}

TEST(ByteSource, AMissingFileIsNamed) {
  try {
    open_source("/nonexistent/stream.csv");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), StartsWith("/nonexistent/stream.csv: cannot be opened: No such file"));
  }
}

TEST(ByteSource, ADirectoryIsAnInputErrorAndNotAnEmptyFile) {
  const auto source = open_source("/tmp");
  std::string block(16, '\0');
  EXPECT_THROW(source->read(block), InputError);
}

TEST(ByteSource, CompressedFilesAreKnownByTheirNames) {
  const TemporaryFolder directory;
  const std::string text = varied_text(50'000);
  EXPECT_EQ(read_to_end(*open_source(directory.write("a.csv.gz", gzip(text)))), text);
  EXPECT_EQ(read_to_end(*open_source(directory.write("a.csv.zst", zstd(text)))), text);
}

TEST(ByteSource, SeveralMembersOrFramesAreOneText) {
  const std::string text = varied_text(3000);
  const auto joined_gzip = decompress_gzip(std::make_unique<MemorySource>(gzip(text) + gzip("") + gzip("end\n"), 7));
  EXPECT_EQ(read_to_end(*joined_gzip, 100), text + "end\n");
  EXPECT_TRUE(joined_gzip->damage().empty());
  const auto joined_zstd = decompress_zstd(std::make_unique<MemorySource>(zstd(text) + zstd("end\n"), 7));
  EXPECT_EQ(read_to_end(*joined_zstd, 100), text + "end\n");
  EXPECT_TRUE(joined_zstd->damage().empty());
}

TEST(ByteSource, ZerosAfterGzipDataArePadding) {
  const auto source = decompress_gzip(std::make_unique<MemorySource>(gzip("a\n") + std::string(512, '\0')));
  EXPECT_EQ(read_to_end(*source), "a\n");
  EXPECT_TRUE(source->damage().empty());
}

TEST(ByteSource, CompressedDataCutAtAnyByteGivesWhatWasIntactAndSaysSo) {
  const std::string text = varied_text(60);
  const std::string whole_gzip = gzip(text);
  for (std::size_t size = 0; size < whole_gzip.size(); ++size) {
    const auto source = decompress_gzip(std::make_unique<MemorySource>(whole_gzip.substr(0, size)));
    EXPECT_TRUE(text.starts_with(read_to_end(*source)));
    EXPECT_EQ(source->damage(), "compressed data ends early") << size;
  }
  const std::string whole_zstd = zstd(text);
  for (std::size_t size = 0; size < whole_zstd.size(); ++size) {
    const auto source = decompress_zstd(std::make_unique<MemorySource>(whole_zstd.substr(0, size)));
    EXPECT_TRUE(text.starts_with(read_to_end(*source)));
    EXPECT_EQ(source->damage(), "compressed data ends early") << size;
  }
}

TEST(ByteSource, AllThatWasDecodedBeforeTheDamageIsDelivered) {
  const std::string text = varied_text(60);
  const std::string without_checksum = gzip(text).substr(0, gzip(text).size() - 8);
  const auto source = decompress_gzip(std::make_unique<MemorySource>(without_checksum));
  EXPECT_EQ(read_to_end(*source, 1 << 20), text);
}

TEST(ByteSource, DamageInTheMiddleIsReported) {
  const std::string text = varied_text(2000);
  std::string damaged = gzip(text);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  const auto source = decompress_gzip(std::make_unique<MemorySource>(damaged));
  read_to_end(*source);
  EXPECT_THAT(std::string(source->damage()), AnyOf(HasSubstr("damaged"), HasSubstr("ends early")));
}

TEST(ByteSource, DamageAfterAnIntactPartIsReportedAfterItsText) {
  const std::string text = varied_text(2000);
  const auto gzip_source = decompress_gzip(std::make_unique<MemorySource>(gzip(text) + "no member"));
  EXPECT_EQ(read_to_end(*gzip_source), text);
  EXPECT_THAT(std::string(gzip_source->damage()), HasSubstr("damaged"));
  const auto zstd_source = decompress_zstd(std::make_unique<MemorySource>(zstd(text) + "no frame"));
  EXPECT_EQ(read_to_end(*zstd_source), text);
  EXPECT_THAT(std::string(zstd_source->damage()), HasSubstr("damaged"));
}

TEST(ByteSource, PlainTextUnderACompressedNameIsDamage) {
  const auto source = decompress_gzip(std::make_unique<MemorySource>("timestamp,user\n1,2\n"));
  EXPECT_EQ(read_to_end(*source), "");
  EXPECT_THAT(std::string(source->damage()), HasSubstr("damaged"));
}

TEST(ByteSource, AFollowedFileIsReadAsItGrowsUntilTheStop) {
  using namespace std::chrono_literals;
  const TemporaryFolder directory;
  const std::string path = directory.write("growing.csv", "first\n");
  std::atomic<bool> stop = false;
  std::string expected = "first\n";
  for (int i = 0; i < 20; ++i) expected += "line " + std::to_string(i) + "\n";
  const auto source = open_source(path, {.follow = true, .stop = [&] { return stop.load(); }, .poll_interval = 2ms});
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) {
      std::ofstream(path, std::ios::app) << "line " + std::to_string(i) + "\n";
      std::this_thread::sleep_for(1ms);
    }
  });
  std::string all;
  std::string block(64, '\0');
  while (all.size() < expected.size()) all.append(block, 0, source->read(block));
  writer.join();
  EXPECT_EQ(all, expected);
  stop = true;
  EXPECT_EQ(source->read(block), 0u);
  EXPECT_TRUE(source->stopped());
}

/// Puts a pipe in the place of standard input while it lives.
class PipedInput {
 public:
  PipedInput() : saved_(::dup(STDIN_FILENO)) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    writer_ = ends[1];
  }
  ~PipedInput() {
    close();
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  void write(std::string_view text) {
    EXPECT_EQ(::write(writer_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close() {
    if (writer_ >= 0) ::close(writer_);
    writer_ = -1;
  }

 private:
  int saved_;
  int writer_;
};

TEST(ByteSource, ADashIsStandardInput) {
  PipedInput input;
  input.write("a\nb\n");
  input.close();
  const auto source = open_source("-", {.follow = true, .stop = {}});
  EXPECT_EQ(read_to_end(*source), "a\nb\n");
  EXPECT_EQ(source->name(), "standard input");
}

TEST(ByteSource, ASilentPipeCanBeStopped) {
  using namespace std::chrono_literals;
  PipedInput input;
  int asked = 0;
  const auto source = open_source("-", {.follow = false, .stop = [&] { return ++asked > 3; }, .poll_interval = 1ms});
  EXPECT_EQ(read_to_end(*source), "");
  EXPECT_TRUE(source->stopped());
}

TEST(ByteSource, ACompressedFileCannotBeFollowed) {
  EXPECT_THROW(open_source("a.gz", {.follow = true, .stop = {}}), UsageError);
}

TEST(ByteSource, AFileThatShrinksWhileItIsReadIsAnInputError) {
  const TemporaryFolder directory;
  const std::string path = directory.write("emptied.csv", "0123456789");
  const auto source = open_source(path);
  std::string block(4, '\0');
  EXPECT_EQ(source->read(block), 4u);
  std::filesystem::resize_file(path, 0);
  EXPECT_THROW(source->read(block), InputError);
}

}  // namespace
}  // namespace meteor
