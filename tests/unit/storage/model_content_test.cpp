#include "storage/model_content.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "fixtures/schemes.h"
#include "fixtures/small_models.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

/// A change that a crafted file may hold. Its hash would be right.
struct Tampering {
  const char* name;
  std::function<void(std::vector<Array>&, std::size_t)> apply;
};

Array with_bytes(const Array& array, std::vector<std::uint64_t> shape, const std::vector<std::uint8_t>& bytes) {
  const auto owner = std::make_shared<const std::vector<std::uint8_t>>(bytes);
  return {array.name, array.type, std::move(shape), owner->data(), array.purpose, owner};
}

std::vector<std::uint8_t> bytes_of(const Array& array) {
  const auto* begin = static_cast<const std::uint8_t*>(array.data);
  return {begin, begin + array.bytes()};
}

const Tampering tamperings[] = {
    {"removed", [](auto& arrays, std::size_t i) { arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(i)); }},
    {"all bits set",
     [](auto& arrays, std::size_t i) {
       arrays[i] = with_bytes(arrays[i], arrays[i].shape, std::vector<std::uint8_t>(arrays[i].bytes(), 0xff));
     }},
    {"all bits clear",
     [](auto& arrays, std::size_t i) {
       arrays[i] = with_bytes(arrays[i], arrays[i].shape, std::vector<std::uint8_t>(arrays[i].bytes()));
     }},
    {"shorter",
     [](auto& arrays, std::size_t i) {
       auto shape = arrays[i].shape;
       if (shape[0] > 0) --shape[0];
       arrays[i] = with_bytes(arrays[i], shape, bytes_of(arrays[i]));
     }},
    {"empty", [](auto& arrays, std::size_t i) { arrays[i] = with_bytes(arrays[i], {0}, {}); }},
    {"longer",
     [](auto& arrays, std::size_t i) {
       auto shape = arrays[i].shape;
       shape[0] += 3;
       auto bytes = bytes_of(arrays[i]);
       bytes.resize(bytes.size() + 3 * 65536);
       arrays[i] = with_bytes(arrays[i], shape, bytes);
     }},
    {"of another type",
     [](auto& arrays, std::size_t i) {
       auto bytes = bytes_of(arrays[i]);
       arrays[i].type = arrays[i].type == ElementType::u8 ? ElementType::u64 : ElementType::u8;
       bytes.resize(bytes.size() * 8 + 8);
       arrays[i] = with_bytes(arrays[i], arrays[i].shape, bytes);
     }},
};

class ModelContent : public testing::TestWithParam<CompressionScheme> {
 protected:
  const StoredModel stored_ = small_model(GetParam(), 60, 8);
  const ModelHead head_{std::string(stored_.model.embeddings->scheme()), 8, 7};

  std::vector<Array> content() const { return model_content(stored_.vocabulary, stored_.model); }
};

INSTANTIATE_TEST_SUITE_P(Schemes, ModelContent, testing::ValuesIn(kSchemes), scheme_suffix);

TEST_P(ModelContent, WhateverItSaysItIsRefusedOrUsable) {
  int refused = 0;
  for (std::size_t i = 0; i < content().size(); ++i) {
    for (const Tampering& tampering : tamperings) {
      SCOPED_TRACE(content()[i].name + " " + tampering.name);
      std::vector<Array> arrays = content();
      tampering.apply(arrays, i);
      try {
        const StoredModel rebuilt = rebuild_model({"", stored_.settings, head_, std::move(arrays)});
        ASSERT_EQ(rebuilt.vocabulary.size(), rebuilt.model.units());
        for (const AttributeId attribute : {AttributeId{0}, AttributeId{1}}) {
          const auto units = units_of(rebuilt.model, attribute);
          for_each_block(rebuilt.model, units, [](auto, const AlignedRows&) {});
        }
      } catch (const StorageError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 30);
}

TEST_P(ModelContent, ANumberThatIsNotFiniteOrTooLargeToMultiplyIsRefused) {
  for (const Array& array : content()) {
    if (array.type != ElementType::f32 || array.purpose == Purpose::description) continue;
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(), 3e38F}) {
      SCOPED_TRACE(fmt::format("{} with {}", array.name, bad));
      std::vector<Array> arrays = content();
      for (Array& changed : arrays) {
        if (changed.name != array.name) continue;
        std::vector<std::uint8_t> bytes = bytes_of(changed);
        std::memcpy(bytes.data() + bytes.size() - sizeof bad, &bad, sizeof bad);
        changed = with_bytes(changed, changed.shape, bytes);
      }
      EXPECT_THROW(rebuild_model({"", stored_.settings, head_, std::move(arrays)}), StorageError);
    }
  }
}

TEST(ModelContents, OfDeviationsThatDecodeToInfinityAreRefused) {
  const StoredModel stored = small_model(CompressionScheme::spectral, 60, 8);
  std::vector<Array> arrays = model_content(stored.vocabulary, stored.model);
  for (Array& array : arrays) {
    if (array.name != "embeddings/deviation") continue;
    array = with_bytes(array, array.shape, std::vector<std::uint8_t>(array.bytes(), 0x7e));  // 8e37
  }
  EXPECT_THROW(rebuild_model({"", stored.settings, {"spectral", 8, 7}, std::move(arrays)}), StorageError);
}

TEST(ModelContents, OfCodesInBytesWhoseScalesMultiplyToInfinityAreRefused) {
  const StoredModel stored = small_model_in_bytes(60, 8);
  std::vector<Array> arrays = model_content(stored.vocabulary, stored.model);
  for (Array& array : arrays) {
    if (!array.name.ends_with("scale")) continue;
    array = with_bytes(array, array.shape, std::vector<std::uint8_t>(array.bytes(), 0x60));  // 6e19
  }
  EXPECT_THROW(rebuild_model({"", stored.settings, {"clusters", 8, 7}, std::move(arrays)}), StorageError);
}

TEST_P(ModelContent, AUnitLastSeenInAWindowThatHasNotBeenIsRefused) {
  std::vector<Array> arrays = content();
  for (Array& array : arrays) {
    if (array.name == "units/last_window") {
      array = with_bytes(array, array.shape, std::vector<std::uint8_t>(array.bytes(), 0x7f));
    }
  }
  EXPECT_THROW(rebuild_model({"", stored_.settings, head_, std::move(arrays)}), StorageError);
  EXPECT_THROW(rebuild_model({"", stored_.settings, {head_.scheme, 8, ~std::uint64_t{0}}, content()}), StorageError);
}

TEST_P(ModelContent, ADimensionOrSchemeThatCannotBeIsRefused) {
  for (const ModelHead& head : {ModelHead{head_.scheme, 0, 7}, ModelHead{head_.scheme, 4, 7},
                                ModelHead{head_.scheme, std::uint64_t{1} << 40, 7}, ModelHead{"spectrum", 8, 7}}) {
    EXPECT_THROW(rebuild_model({"", stored_.settings, head, content()}), StorageError);
  }
}

TEST_P(ModelContent, LeavesOutNamesThatTheModelHasNotLearntYet) {
  StoredModel ahead = small_model(GetParam(), 60, 8);
  ahead.vocabulary.admit(AttributeId{1}, "read but not learnt");
  ahead.vocabulary.admit(AttributeId{0}, "nor this");
  EXPECT_EQ(model_sha256(ahead.vocabulary, ahead.model), model_sha256(stored_.vocabulary, stored_.model));
  const StoredModel rebuilt = rebuild_model({"", ahead.settings, head_, model_content(ahead.vocabulary, ahead.model)});
  EXPECT_EQ(rebuilt.vocabulary.size(), 60u);
  EXPECT_FALSE(rebuilt.vocabulary.find(AttributeId{1}, "read but not learnt"));
}

TEST(ModelContents, OfAModelThatHasLearntNothingHaveNoNames) {
  StoredModel empty = small_model(CompressionScheme::none, 0, 8);
  empty.vocabulary.admit(AttributeId{1}, "read but not learnt");
  const auto arrays = model_content(empty.vocabulary, empty.model);
  EXPECT_EQ(find_array(arrays, "units/name_bytes").bytes(), 0u);
  EXPECT_EQ(find_array(arrays, "units/name_end").bytes(), 0u);
}

TEST(ModelContents, OfCodesForOtherAttributesAreRefused) {
  const StoredModel stored = small_model(CompressionScheme::spectral, 60, 8);
  Settings settings = stored.settings;
  settings.attributes.push_back(settings.attributes[0]);
  settings.attributes.back().name = "third";
  const ModelHead head{"spectral", 8, 7};
  EXPECT_NO_THROW(rebuild_model({"", stored.settings, head, model_content(stored.vocabulary, stored.model)}));
  EXPECT_THROW(rebuild_model({"", settings, head, model_content(stored.vocabulary, stored.model)}), StorageError);
}

TEST_P(ModelContent, TheHashDependsOnNamesToo) {
  StoredModel other = small_model(GetParam(), 60, 8);
  EXPECT_EQ(model_sha256(other.vocabulary, other.model), model_sha256(stored_.vocabulary, stored_.model));
  Vocabulary renamed({1, 1});
  for (std::uint32_t i = 0; i < 60; ++i) {
    renamed.admit(other.model.attributes[i], i == 9 ? "item nine" : other.vocabulary.name(UnitId{i}));
  }
  EXPECT_NE(model_sha256(renamed, other.model), model_sha256(stored_.vocabulary, stored_.model));
}

}  // namespace
}  // namespace meteor
