#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "stream/rows.h"
#include "stream/text_record.h"

namespace meteor {

/// Makes records of rows, as the attributes' settings say.
class RecordBuilder {
 public:
  RecordBuilder(const StreamSettings& stream, std::span<const AttributeSettings> attributes);

  /// The columns that a row must have, each once, in the order in which build() expects them.
  std::span<const std::string> columns() const { return columns_; }

  /// Sets time and units of the record. False when the row is unusable: fault() says why.
  bool build(const Row& row, TextRecord& record);
  const std::string& fault() const { return fault_; }

 private:
  /// An attribute, with the columns of a row that it is made of.
  struct Part {
    AttributeId attribute;
    AttributeSettings settings;
    std::size_t column;
    std::size_t latitude;
    std::size_t longitude;
  };

  std::size_t column_index(const std::string& name);
  bool check_texts(const Row& row);
  bool set_time(const Row& row, TextRecord& record);
  void add_texts(const Part& part, const Row& row, TextRecord& record);
  bool add_cell(const Part& part, const Row& row, TextRecord& record);
  /// The only value of a column, trimmed; empty when there is none. Nothing, and a fault, when there are several.
  std::optional<std::string_view> single(const Row& row, std::size_t column);
  std::optional<double> degrees(std::string_view text, const std::string& column, double limit);
  bool reject(std::string fault);

  std::vector<std::string> columns_;
  std::size_t time_column_;
  std::vector<Part> parts_;
  std::string storage_;  ///< names that are not in the row itself
  std::vector<std::string_view> words_;
  std::string fault_;
};

}  // namespace meteor
