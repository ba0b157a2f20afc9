#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace meteor {

/// A matrix of floats whose rows start at multiples of 64 bytes. A row is `width` floats; what lies between it and the
/// next row
/// (`stride` floats apart) is zero.
class AlignedRows {
 public:
  AlignedRows() = default;
  AlignedRows(std::size_t rows, std::size_t width) : rows_(rows), width_(width), stride_((width + 15) / 16 * 16) {
    if (rows_ * stride_ == 0) return;
    data_.reset(static_cast<float*>(::operator new[](rows_* stride_ * sizeof(float), std::align_val_t{64})));
    std::memset(data_.get(), 0, rows_ * stride_ * sizeof(float));
  }

  /// Keeps the first `width` floats of every row, in the memory that it has.
  void narrow(std::size_t width) {
    const std::size_t stride = (width + 15) / 16 * 16;
    for (std::size_t i = 0; i < rows_; ++i) {
      float* const row = data_.get() + i * stride;
      std::memmove(row, data_.get() + i * stride_, width * sizeof(float));
      std::memset(row + width, 0, (stride - width) * sizeof(float));
    }
    width_ = width;
    stride_ = stride;
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
    void operator()(float* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::size_t rows_ = 0;
  std::size_t width_ = 0;
  std::size_t stride_ = 0;
  std::unique_ptr<float[], Release> data_;
};

}  // namespace meteor
