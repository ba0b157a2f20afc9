#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "support/zeroed_memory.h"

namespace meteor {

/// A matrix of floats whose rows start at multiples of 64 bytes. A row is `width` floats; what lies between it and the
/// next row (`stride` floats apart) is zero.
class AlignedRows {
 public:
  AlignedRows() = default;
  AlignedRows(std::size_t rows, std::size_t width) : rows_(rows), width_(width), stride_(stride_of(width)) {
    if (bytes() > 0) data_ = Block(static_cast<float*>(allocate_zeroed(bytes())), Release(bytes()));
  }
  /// Rows that lie in somebody's memory, laid out like this, which is kept and which nobody else uses any more.
  AlignedRows(std::size_t rows, std::size_t width, float* memory, std::shared_ptr<const void> keeper)
      : rows_(rows), width_(width), stride_(stride_of(width)), data_(memory, Release(std::move(keeper))) {}

  /// Keeps the first `width` floats of every row and gives the rest of the memory back.
  void narrow(std::size_t width) {
    const std::size_t stride = stride_of(width);
    for (std::size_t i = 0; i < rows_; ++i) {
      float* const row = data_.get() + i * stride;
      std::memmove(row, data_.get() + i * stride_, width * sizeof(float));
      std::memset(row + width, 0, (stride - width) * sizeof(float));
    }
    const std::size_t before = bytes();
    width_ = width;
    stride_ = stride;
    if (bytes() == before || data_.get_deleter().keeper) return;
    void* const memory = data_.release();
    data_ =
        bytes() > 0 ? Block(static_cast<float*>(shrink_zeroed(memory, before, bytes())), Release(bytes())) : Block();
    if (bytes() == 0) release_zeroed(memory, before);
  }

  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  std::size_t stride() const { return stride_; }
  static std::size_t stride_of(std::size_t width) { return (width + 15) / 16 * 16; }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::span<float> row(std::size_t i) { return {data_.get() + i * stride_, width_}; }
  std::span<const float> row(std::size_t i) const { return {data_.get() + i * stride_, width_}; }

 private:
  struct Release {
    Release() : bytes(0) {}
    explicit Release(std::size_t count) : bytes(count) {}
    explicit Release(std::shared_ptr<const void> other) : bytes(0), keeper(std::move(other)) {}
    std::size_t bytes;
    std::shared_ptr<const void> keeper;  // if it is not ours
    void operator()(float* memory) const {
      if (!keeper) release_zeroed(memory, bytes);
    }
  };
  using Block = std::unique_ptr<float[], Release>;
  std::size_t bytes() const { return rows_ * stride_ * sizeof(float); }

  std::size_t rows_ = 0;
  std::size_t width_ = 0;
  std::size_t stride_ = 0;
  Block data_;
};

}  // namespace meteor
