#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "support/zeroed_memory.h"

namespace meteor {

/// A matrix of floats whose rows start at multiples of 64 bytes. A row is `width` floats; what lies between it and the
/// next row (`stride` floats apart) is zero.
class AlignedRows {
 public:
  AlignedRows() = default;
  AlignedRows(std::size_t rows, std::size_t width) : rows_(rows), width_(width), stride_((width + 15) / 16 * 16) {
    if (bytes() > 0) data_ = Block(static_cast<float*>(allocate_zeroed(bytes())), Release(bytes()));
  }

  /// Keeps the first `width` floats of every row and gives the rest of the memory back.
  void narrow(std::size_t width) {
    const std::size_t stride = (width + 15) / 16 * 16;
    for (std::size_t i = 0; i < rows_; ++i) {
      float* const row = data_.get() + i * stride;
      std::memmove(row, data_.get() + i * stride_, width * sizeof(float));
      std::memset(row + width, 0, (stride - width) * sizeof(float));
    }
    const std::size_t before = bytes();
    width_ = width;
    stride_ = stride;
    if (bytes() == before) return;
    void* const memory = data_.release();
    data_ =
        bytes() > 0 ? Block(static_cast<float*>(shrink_zeroed(memory, before, bytes())), Release(bytes())) : Block();
    if (bytes() == 0) release_zeroed(memory, before);
  }

  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  std::size_t stride() const { return stride_; }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::span<float> row(std::size_t i) { return {data_.get() + i * stride_, width_}; }
  std::span<const float> row(std::size_t i) const { return {data_.get() + i * stride_, width_}; }

 private:
  struct Release {
    Release() : bytes(0) {}
    explicit Release(std::size_t count) : bytes(count) {}
    std::size_t bytes;
    void operator()(float* memory) const { release_zeroed(memory, bytes); }
  };
  using Block = std::unique_ptr<float[], Release>;
  std::size_t bytes() const { return rows_ * stride_ * sizeof(float); }

  std::size_t rows_ = 0;
  std::size_t width_ = 0;
  std::size_t stride_ = 0;
  Block data_;
};

}  // namespace meteor
