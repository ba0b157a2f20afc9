#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/array.h"
#include "support/aligned_rows.h"
#include "support/ids.h"

namespace meteor {

/// How the units of one attribute and one class of frequency are coded: which components, with how many bits each.
struct CodeTable {
  std::vector<std::uint16_t> components;  ///< that get bits, ascending
  std::vector<std::uint8_t> bits;         ///< of each, 1 to 12
  bool leading() const { return components.empty() || components.back() + 1U == components.size(); }
  std::size_t bytes = 0;  ///< of a code
  /// For the quantiser, a row of each kind, a number a component: its step at scale 1, the inverse of that, its highest
  /// level, and the inverse of its deviation.
  enum NumberRow : std::size_t { step, inverse_step, highest, inverse_deviation, number_rows };
  AlignedRows numbers;
  /// For packing: of each pair of components the bits of its first, and of each two pairs the bits of the first and of
  /// both; as many as the padded rows have.
  std::vector<std::uint64_t> first_bits;
  struct TwoPairs {
    std::uint8_t first_bits;
    std::uint8_t bits;
  };
  std::vector<TwoPairs> pairs;
};

/// What all codes of the spectral scheme refer to. Embeddings are coded coordinate by coordinate, since their axes are
/// the principal ones: a component is an axis, and the first few hold most of the energy. The plan has the components'
/// deviations in each attribute and their bits by attribute and class; axes after the last component are lost. It is
/// kept in the form in which it is stored, and what is computed from that; the two cannot differ.
class SpectralPlan {
 public:
  /// What is stored of it.
  struct Stored {
    std::uint32_t dimension = 0;
    std::uint32_t attributes = 0;
    std::uint64_t windows = 0;              ///< that had been learnt when it was made
    std::uint64_t units = 0;                ///< that there were then
    float expected_loss = 0;                ///< share of the units' weighted energy
    std::vector<std::uint16_t> deviations;  ///< a row an attribute, a bfloat16 a component
    std::vector<std::uint8_t> bits;         ///< a row a table, two components in a byte
  };

  SpectralPlan() = default;
  /// Throws StorageError when the parts do not fit together.
  explicit SpectralPlan(Stored stored);

  std::size_t dimension() const { return stored_.dimension; }
  std::size_t components() const { return stored_.attributes > 0 ? stored_.deviations.size() / stored_.attributes : 0; }
  std::size_t attributes() const { return stored_.attributes; }
  std::size_t classes() const { return classes_for(stored_.attributes); }
  std::uint64_t windows() const { return stored_.windows; }
  std::uint64_t fitted_units() const { return stored_.units; }
  const Stored& stored() const { return stored_; }

  std::span<const CodeTable> tables() const { return tables_; }
  const CodeTable& table(std::uint8_t number) const { return tables_[number]; }

  /// The table of a unit that was seen in so many records when so many windows had been learnt.
  std::uint8_t table_of(AttributeId attribute, std::uint64_t count, std::uint64_t windows) const;

  /// How many classes of frequency an attribute has: a byte must tell attribute and class.
  static std::size_t classes_for(std::size_t attributes);
  /// Bytes of a plan with so many components.
  static std::uint64_t bytes_for(std::size_t components, std::size_t attributes);
  std::uint64_t bytes() const { return bytes_for(components(), attributes()); }

  float expected_loss() const { return stored_.expected_loss; }
  /// Bits of a code in each class of an attribute.
  std::vector<std::size_t> bits_by_class(AttributeId attribute) const;

  /// What is stored, under names with this prefix; owned.
  std::vector<Array> arrays(const std::string& prefix) const;
  static Stored stored_from(const std::string& prefix, std::span<const Array> arrays, std::size_t dimension);

 private:
  Stored stored_;
  std::vector<CodeTable> tables_;
};

/// The class of a unit seen so often: the whole part of the binary logarithm, up to the last class.
std::size_t class_of(std::uint64_t count, std::size_t classes);

}  // namespace meteor
