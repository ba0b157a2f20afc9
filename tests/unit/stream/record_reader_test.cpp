#include "stream/record_reader.h"

#include <gmock/gmock.h>

#include <atomic>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cstdlib>
#include <thread>

#include "fixtures/records.h"
#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using namespace meteor::testing;

class RecordReading : public ::testing::Test {
 protected:
  ReadResult read(std::unique_ptr<ByteSource> source) {
    return read_all(std::move(source), stream_, attributes_, directory_.file("rejects.tsv"));
  }
  ReadResult read(const std::string& text) { return read(std::make_unique<MemorySource>(text, 13)); }

  TemporaryFolder directory_;
  StreamSettings stream_;
  std::vector<AttributeSettings> attributes_{attribute("user"), attribute("items", " ")};
};

TEST_F(RecordReading, ARecordHasTimeNumberLineAndUnits) {
  const auto result = read("timestamp,user,items\n10,u1,a b  c\n\n20, u2 ,\n");
  ASSERT_EQ(result.records.size(), 2u);
  EXPECT_EQ(result.records[0].time, 10);
  EXPECT_EQ(result.records[0].number, 1u);
  EXPECT_EQ(result.records[0].line, 2u);
  EXPECT_THAT(result.records[0].units, ElementsAre("user:u1", "items:a", "items:b", "items:c"));
  EXPECT_EQ(result.records[1].number, 2u);
  EXPECT_EQ(result.records[1].line, 4u);
  EXPECT_THAT(result.records[1].units, ElementsAre("user:u2"));
}

TEST_F(RecordReading, JsonLinesGiveTheSameRecords) {
  stream_.format = StreamFormat::jsonl;
  const auto result =
      read("{\"timestamp\":10,\"user\":7,\"items\":[\"a\",\"b c\"]}\n{\"timestamp\":\"1970-01-01T00:00:20Z\"}\n");
  ASSERT_EQ(result.records.size(), 2u);
  EXPECT_THAT(result.records[0].units, ElementsAre("user:7", "items:a", "items:b", "items:c"));
  EXPECT_EQ(result.records[1].time, 20);
  EXPECT_THAT(result.records[1].units, IsEmpty());
}

TEST_F(RecordReading, ASeparatorMayHaveSeveralCharacters) {
  attributes_ = {attribute("items", "||")};
  EXPECT_THAT(read("timestamp,items\n1,a|b|| c ||||d||\n").records.at(0).units,
              ElementsAre("items:a|b", "items:c", "items:d"));
}

TEST_F(RecordReading, OneColumnMayServeSeveralAttributes) {
  attributes_ = {word_attribute("text"), attribute("text"), time_attribute(TimeKind::hour_of_week)};
  EXPECT_THAT(read("timestamp,text\n0,Coffee Bar\n").records.at(0).units,
              ElementsAre("text:coffee", "text:bar", "text:Coffee Bar", "hour:thu00"));
}

TEST_F(RecordReading, BadTimesAreRejectedWithTheirReason) {
  const auto result = read("timestamp,user,items\n,u,a\nnoon,u,a\nnan,u,a\n1e40,u,a\n5,u,a\n");
  EXPECT_EQ(result.records.size(), 1u);
  EXPECT_THAT(result.rejected, ElementsAre(Pair(2, "no time in \"timestamp\""),
                                           Pair(3, "the time \"noon\" is neither Unix seconds nor ISO 8601"),
                                           Pair(4, HasSubstr("\"nan\"")), Pair(5, HasSubstr("\"1e40\""))));
}

TEST_F(RecordReading, BadPlacesAreRejectedAndMissingOnesAreNoUnit) {
  attributes_ = {grid_attribute("lat", "lon")};
  const auto result = read(
      "timestamp,lat,lon\n1,40.719810,-74.002581\n1,,\n1,90.01,0\n1,0,-180.5\n1,nan,0\n1,1,x\n1,5,\n1,inf,0\n1,90,"
      "180\n");
  ASSERT_EQ(result.records.size(), 3u);
  EXPECT_THAT(result.records[0].units, ElementsAre("place:g48505_29810"));
  EXPECT_THAT(result.records[1].units, IsEmpty());
  EXPECT_THAT(result.rejected,
              ElementsAre(Pair(4, "lat \"90.01\" is outside ±90"), Pair(5, "lon \"-180.5\" is outside ±180"),
                          Pair(6, "lat \"nan\" is not a number"), Pair(7, "lon \"x\" is not a number"),
                          Pair(8, "lon \"\" is not a number"), Pair(9, "lat \"inf\" is outside ±90")));
}

TEST_F(RecordReading, InvalidUtf8AndNulAreRejectedInNeededFieldsOnly) {
  using namespace std::string_literals;
  const auto result =
      read("timestamp,user,items,other\n1,\xFF,a,\n1,u,a \xC0\x80 b,\n1,u,\xED\xA0\x80,\n1,u,a\0b,\n1,u,a,\xFF\n"s);
  EXPECT_EQ(result.records.size(), 1u);
  EXPECT_THAT(result.rejected,
              ElementsAre(Pair(2, "invalid UTF-8 in \"user\""), Pair(3, "invalid UTF-8 in \"items\""),
                          Pair(4, "invalid UTF-8 in \"items\""), Pair(5, "a NUL character in \"items\"")));
}

TEST_F(RecordReading, AJsonNulIsRejectedToo) {
  stream_.format = StreamFormat::jsonl;
  EXPECT_THAT(read("{\"timestamp\":1,\"user\":\"a\\u0000b\"}\n").rejected,
              ElementsAre(Pair(1, "a NUL character in \"user\"")));
  EXPECT_THAT(read("{\"timestamp\":[1,2]}\n").rejected,
              ElementsAre(Pair(1, "2 values in \"timestamp\" instead of one")));
}

TEST_F(RecordReading, AnOverlongLineIsRejectedAndReadingGoesOn) {
  stream_.max_line_bytes = 100;
  const auto result = read("timestamp,user,items\n1,u," + std::string(100'000, 'x') + "\n2,u,a\n");
  EXPECT_EQ(result.records.size(), 1u);
  EXPECT_EQ(result.records[0].line, 3u);
  EXPECT_THAT(result.rejected, ElementsAre(Pair(2, "the line is longer than 100 bytes")));
}

TEST_F(RecordReading, ATruncatedGzipFileGivesItsWholeRecordsAndOneReject) {
  const std::string text = "timestamp,user,items\n1,u1,a b\n2,u2,c d\n3,u3,e f\n";
  std::string gzip;
  boost::iostreams::filtering_ostream out;
  out.push(boost::iostreams::gzip_compressor());
  out.push(boost::iostreams::back_inserter(gzip));
  out << text;
  out.reset();
  for (std::size_t size = 0; size < gzip.size(); ++size) {
    const auto source = [&] { return decompress_gzip(std::make_unique<MemorySource>(gzip.substr(0, size))); };
    std::string prefix(1000, '\0');
    const auto probe = source();
    prefix.resize(probe->read(prefix));
    const auto whole_lines = std::count(prefix.begin(), prefix.end(), '\n');
    if (whole_lines == 0) {
      EXPECT_THROW(read(source()), InputError) << size;
      continue;
    }
    const auto result = read(source());
    EXPECT_EQ(result.records.size(), static_cast<std::size_t>(whole_lines - 1)) << size;
    EXPECT_THAT(result.rejected,
                ElementsAre(Pair(static_cast<std::uint64_t>(whole_lines + 1), "compressed data ends early")));
  }
}

TEST_F(RecordReading, AFollowedFileGivesRecordsAsTheyAreCompleted) {
  using namespace std::chrono_literals;
  const std::string path = directory_.write("growing.csv", "timestamp,us");
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (const char* piece : {"er,items\n1,u,\"a", " b\n", "c\"", "\n2,u,d\n3,u", ",e\n4,u,unfin"}) {
      std::this_thread::sleep_for(3ms);
      std::ofstream(path, std::ios::app) << piece;
    }
  });
  Rejects rejects("growing.csv", 0);
  RecordReader reader(open_source(path, {.follow = true, .stop = [&] { return stop.load(); }, .poll_interval = 1ms}),
                      stream_, attributes_, rejects);
  TextRecord record;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(reader.next(record));
    EXPECT_EQ(record.time, static_cast<std::int64_t>(i));
  }
  writer.join();
  stop = true;
  EXPECT_FALSE(reader.next(record)) << "an unfinished record is left for the next run";
  EXPECT_EQ(reader.records(), 3u);
}

TEST_F(RecordReading, AStoppedInputIsNotJudgedByTheRejectsSoFar) {
  bool stop = false;
  const std::string path = directory_.write("in.csv", "timestamp,user,items\n1,u,a\nx,u,a\n");
  Rejects rejects(path, 0.01);
  RecordReader reader(open_source(path, {.follow = true, .stop = [&] { return stop; }}), stream_, attributes_, rejects);
  TextRecord record;
  ASSERT_TRUE(reader.next(record));
  stop = true;
  EXPECT_FALSE(reader.next(record));
  EXPECT_TRUE(reader.stopped());
  EXPECT_EQ(reader.rejected(), 1u);
}

TEST_F(RecordReading, TooManyRejectsEndWithASentence) {
  Rejects rejects("memory", 0.01);
  RecordReader reader(std::make_unique<MemorySource>("timestamp,user,items\n1,u,a\nx,u,a\n"), stream_, attributes_,
                      rejects);
  try {
    read_all(reader, attributes_);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("memory: 1 of 2 records were rejected"));
    EXPECT_THAT(error.what(), HasSubstr("line 3: the time \"x\""));
  }
}

TEST_F(RecordReading, AWrongFormatFailsFast) {
  stream_.format = StreamFormat::jsonl;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "1,u,a\n";
  Rejects rejects("memory", 0.5);
  RecordReader reader(std::make_unique<MemorySource>(text), stream_, attributes_, rejects);
  TextRecord record;
  EXPECT_THROW(reader.next(record), InputError);
  EXPECT_EQ(rejects.count(), 1000u);
}

TEST_F(RecordReading, AHeaderAloneIsAStreamWithoutRecords) {
  EXPECT_THAT(read("timestamp,user,items\n").records, IsEmpty());
  EXPECT_THROW(read(""), InputError);
}

TEST_F(RecordReading, RawCheckInsGiveTheCellsAndWordsOfTheDiscretisedOnes) {
  const char* data = std::getenv("METEOR_DATA_DIR");
  if (data == nullptr) GTEST_SKIP() << "METEOR_DATA_DIR is not set";
  const std::string folder = data;
  attributes_ = {attribute("user"), attribute("location"), attribute("words", " ")};
  const auto expected = read(open_source(folder + "/foursquare_nyc.csv"));
  attributes_ = {attribute("user"), grid_attribute("lat", "lon"), word_attribute("text")};
  attributes_[1].name = std::string("location");
  attributes_[2].name = std::string("words");
  const auto raw = read(open_source(folder + "/foursquare_nyc.latlon.csv"));
  EXPECT_EQ(raw.rejects, 0u);
  ASSERT_EQ(raw.records.size(), expected.records.size());
  std::size_t cells = 0, equal = 0;
  for (std::size_t i = 0; i < raw.records.size(); ++i) {
    std::vector<std::string> units;
    for (const std::string& unit : raw.records[i].units)
      if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(unit);
    const auto& wanted = expected.records[i].units;
    cells += units.at(1) == wanted.at(1) ? 1 : 0;
    equal += units == wanted ? 1 : 0;
  }
  EXPECT_EQ(cells, raw.records.size());
  EXPECT_GT(static_cast<double>(equal), 0.99 * static_cast<double>(raw.records.size()));
}

TEST_F(RecordReading, AStopOnTheWayToAPositionIsNoFaultOfTheInput) {
  const std::string text = "timestamp,user,items\n10,u1,a b\n20,u2,c\n30,u3,d\n";
  Rejects rejects("memory", 1);
  RecordReader whole(std::make_unique<MemorySource>(text), stream_, attributes_, rejects);
  TextRecord record;
  while (whole.next(record)) continue;
  for (const std::size_t bytes : {0u, 3u, 25u, 40u}) {
    RecordReader stopped(std::make_unique<StoppedSource>(text.substr(0, bytes)), stream_, attributes_, rejects);
    EXPECT_NO_THROW(stopped.go_to(whole.position())) << bytes;
    EXPECT_FALSE(stopped.next(record));
    EXPECT_TRUE(stopped.stopped());
  }
}

TEST_F(RecordReading, AStopInAHeaderOfSeveralLinesIsNoFaultOfTheInput) {
  Rejects rejects("memory", 0);
  RecordReader stopped(std::make_unique<StoppedSource>("timestamp,user,items,\"a\nlong"), stream_, attributes_,
                       rejects);
  TextRecord record;
  EXPECT_FALSE(stopped.next(record));
  EXPECT_TRUE(stopped.stopped());
}

class ExpectedText : public RecordReading {
 protected:
  /// What reading a text to its end says where `seen` had been found before.
  std::string end_of(const std::string& text, const TextExtent& seen) {
    Rejects rejects("memory", 1);
    RecordReader reader(std::make_unique<MemorySource>(text, 13), stream_, attributes_, rejects);
    reader.expect(seen);
    try {
      TextRecord record;
      while (reader.next(record)) continue;
    } catch (const InputError& error) {
      return error.what();
    }
    found_ = {reader.position().offset, reader.position().text_sha256};
    return "";
  }

  const std::string text_ = "timestamp,user,items\n10,u1,a b\n20,u2,c\n30,u3,d\n";
  TextExtent found_;
};

TEST_F(ExpectedText, MayHaveGrown) {
  ASSERT_EQ(end_of(text_, {}), "");
  const TextExtent seen = found_;
  EXPECT_EQ(seen.bytes, text_.size());
  EXPECT_EQ(end_of(text_, seen), "");
  EXPECT_EQ(end_of(text_ + "40,u4,e\n", seen), "");
  ASSERT_EQ(end_of(text_.substr(0, text_.size() - 1), {}), "") << "the last line needs no line break";
  EXPECT_EQ(end_of(text_, found_), "");
}

TEST_F(ExpectedText, MustNotHaveShrunkOrChanged) {
  ASSERT_EQ(end_of(text_, {}), "");
  const TextExtent seen = found_;
  EXPECT_THAT(end_of(text_.substr(0, 40), seen), HasSubstr("memory has become shorter while it was learnt"));
  EXPECT_THAT(end_of("timestamp,user,items\n10,u1,a b\n20,u9,c\n30,u3,d\n40,u4,e\n", seen),
              HasSubstr("memory has changed while it was learnt"));
}

class RotatedFile : public RecordReading {
 protected:
  void replace(const std::string& text) {
    std::filesystem::rename(path_, directory_.file("s.csv.1"));
    directory_.write("s.csv", text);
  }

  const std::string path_ = directory_.write("s.csv", "timestamp,user,items\n10,u1,a\n20,u2,b\n").string();
  Rejects rejects_{"s.csv", 1};
  RecordReader reader_{open_source(path_, {.follow = true, .stop = {}, .poll_interval = std::chrono::milliseconds(1)}),
                       stream_, attributes_, rejects_};
  TextRecord record_;
};

TEST_F(RotatedFile, IsOneStreamWithOneHeaderAndPositionsInItsNewestFile) {
  ASSERT_TRUE(reader_.next(record_));
  ASSERT_TRUE(reader_.next(record_));
  const std::string newer = "\xEF\xBB\xBFtimestamp,user,items\n\"30\",u3,c\n40,u4,d\n";
  replace(newer);
  ASSERT_TRUE(reader_.next(record_));
  EXPECT_EQ(record_.time, 30);
  EXPECT_EQ(record_.number, 3u);
  EXPECT_EQ(record_.line, 2u);
  ASSERT_TRUE(reader_.next(record_));
  EXPECT_EQ(record_.time, 40);
  EXPECT_EQ(rejects_.count(), 0u);
  EXPECT_EQ(reader_.position().offset, newer.find("40,"));

  Rejects rejects("s.csv", 1);
  RecordReader resumed(open_source(path_), stream_, attributes_, rejects);
  resumed.go_to(reader_.position());
  ASSERT_TRUE(resumed.next(record_));
  EXPECT_EQ(record_.time, 40);
  EXPECT_EQ(record_.line, 3u);
}

TEST_F(RotatedFile, WithAnotherHeaderIsRefused) {
  ASSERT_TRUE(reader_.next(record_));
  ASSERT_TRUE(reader_.next(record_));
  replace("timestamp,items,user\n30,c,u3\n");
  EXPECT_THROW(reader_.next(record_), InputError);
}

TEST_F(RotatedFile, DoesNotJoinAnOpenQuoteWithTheNextFile) {
  std::ofstream(path_, std::ios::app) << "25,u,\"open\n";
  ASSERT_TRUE(reader_.next(record_));
  ASSERT_TRUE(reader_.next(record_));
  replace("timestamp,user,items\n30,\"u3\",c\n");
  ASSERT_TRUE(reader_.next(record_));
  EXPECT_EQ(record_.time, 30);
  EXPECT_EQ(rejects_.count(), 1u);
}

}  // namespace
}  // namespace meteor
