#include "storage/model_content.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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

/// A small model's content, and whether it is refused with changes.
class ChangedContent {
 public:
  explicit ChangedContent(CompressionScheme scheme) : stored_(small_model(scheme, 60, 8)) {}

  std::vector<Array> content() const { return model_content(stored_.vocabulary, stored_.model); }

  /// With other values in an array.
  template <class T>
  std::vector<Array> changed(const std::string& name, const std::function<void(std::vector<T>&)>& change) const {
    std::vector<Array> arrays = content();
    auto& array = const_cast<Array&>(find_array(arrays, name));
    const auto before = array.as<T>();
    std::vector<T> values(before.begin(), before.end());
    change(values);
    Array other = own_array(name, std::move(values), array.purpose);
    other.shape = array.shape;
    array = std::move(other);
    return arrays;
  }

  bool is_refused(std::vector<Array> arrays) const {
    try {
      rebuild_model({"", stored_.settings, head_, std::move(arrays)});
    } catch (const StorageError&) {
      return true;
    }
    return false;
  }

 protected:
  const StoredModel stored_;
  const ModelHead head_{std::string(stored_.model.embeddings->scheme()), 8, 7};
};

class ModelContent : public ChangedContent, public testing::TestWithParam<CompressionScheme> {
 protected:
  ModelContent() : ChangedContent(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Schemes, ModelContent, testing::ValuesIn(kSchemes), scheme_suffix);

TEST_P(ModelContent, IsAcceptedAsItIs) { EXPECT_FALSE(is_refused(content())); }

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
    if (array.type != ElementType::f32) continue;
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(), 3e38F}) {
      for (const std::uint64_t place : {std::uint64_t{0}, array.elements() / 2, array.elements() - 1}) {
        SCOPED_TRACE(fmt::format("{} with {} at {}", array.name, bad, place));
        EXPECT_TRUE(is_refused(changed<float>(array.name, [&](auto& values) { values[place] = bad; })));
      }
    }
  }
}

TEST_P(ModelContent, AUnitThatIsCodedAsOneOfAnotherAttributeIsRefused) {
  const std::vector<Array> arrays = content();
  for (const char* name : {"embeddings/table", "embeddings/cluster", "embeddings/vector_of"}) {
    const auto found = std::ranges::find(arrays, name, &Array::name);
    if (found == arrays.end()) continue;
    const auto expect_refused = [&](auto number) {
      EXPECT_TRUE(is_refused(changed<decltype(number)>(name, [](auto& of_units) { of_units[1] = of_units[0]; })));
    };
    if (found->type == ElementType::u8) expect_refused(std::uint8_t{});
    if (found->type == ElementType::u16) expect_refused(std::uint16_t{});
    if (found->type == ElementType::u32) expect_refused(std::uint32_t{});
  }
}

TEST(ModelContents, OfHashedUnitsWithAnotherVectorThanThatOfTheirNumberAreRefused) {
  const ChangedContent content(CompressionScheme::hashed);
  EXPECT_TRUE(content.is_refused(
      content.changed<std::uint32_t>("embeddings/vector_of", [](auto& vectors) { vectors[4] = vectors[2]; })));
}

TEST(ModelContents, OfAnAttributeWithoutAClusterAreRefused) {
  const ChangedContent content(CompressionScheme::clusters);
  EXPECT_TRUE(content.is_refused(content.changed<std::uint16_t>(
      "embeddings/clusters/attribute", [](auto& attributes) { std::ranges::fill(attributes, 0); })));
}

TEST(ModelContents, OfBasesThatHaveMetLessThanNoErrorAreRefused) {
  const ChangedContent content(CompressionScheme::clusters);
  EXPECT_TRUE(content.is_refused(
      content.changed<float>("embeddings/basis_accumulator", [](auto& accumulators) { accumulators[0] = -1; })));
}

TEST(ModelContents, OfAPlanThatCannotHaveBeenMadeAreRefused) {
  const ChangedContent content(CompressionScheme::spectral);
  const auto refuses = [&]<class T>(const char* name, std::size_t place, T value) {
    return content.is_refused(content.changed<T>(name, [&](auto& values) { values[place] = value; }));
  };
  EXPECT_FALSE(refuses("embeddings/fitted_on", 0, std::uint64_t{7}));
  EXPECT_TRUE(refuses("embeddings/fitted_on", 0, std::uint64_t{8})) << "after more windows than were learnt";
  EXPECT_TRUE(refuses("embeddings/fitted_on", 0, ~std::uint64_t{0}));
  EXPECT_TRUE(refuses("embeddings/fitted_on", 1, std::uint64_t{1} << 63)) << "to more units than there can be";
  for (const float loss : {-0.1F, 1.5F}) EXPECT_TRUE(refuses("embeddings/expected_loss", 0, loss));
  EXPECT_TRUE(refuses("embeddings/plan_fit", 0, -0.1F));
  for (const float count : {0.5F, -1.0F, 9.0F}) {
    EXPECT_TRUE(refuses("embeddings/plan_fit", 1, count));
    EXPECT_TRUE(refuses("embeddings/plan_fit", 2, count));
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
