#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace meteor {

/// A matrix of floats whose rows start at multiples of 64 bytes. A row is `width` floats; what lies between it and the
/// next row (`stride` floats apart) is zero.
class AlignedRows {
 public:
  AlignedRows() = default;
  AlignedRows(std::size_t rows, std::size_t width) : rows_(rows), width_(width), stride_((width + 15) / 16 * 16) {
    if (rows_ * stride_ == 0) return;
    data_.reset(static_cast<float*>(std::aligned_alloc(kAlignment, bytes())));
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 0, bytes());
  }

  /// Keeps the first `width` floats of every row and gives the rest of the memory back.
  void narrow(std::size_t width) {
    const std::size_t stride = (width + 15) / 16 * 16;
    for (std::size_t i = 0; i < rows_; ++i) {
      float* const row = data_.get() + i * stride;
      std::memmove(row, data_.get() + i * stride_, width * sizeof(float));
      std::memset(row + width, 0, (stride - width) * sizeof(float));
    }
    width_ = width;
    stride_ = stride;
    if (rows_ * stride_ == 0) return;
    // Shrinking does not move a block in practice; should it, and lose its alignment, the rows move once more.
    if (void* const shrunk = std::realloc(data_.get(), bytes())) {
      data_.release();
      data_.reset(static_cast<float*>(shrunk));
    }
    if (reinterpret_cast<std::uintptr_t>(data_.get()) % kAlignment != 0) {
      AlignedRows moved(rows_, width_);
      std::memcpy(moved.data(), data(), bytes());
      *this = std::move(moved);
    }
  }

  std::size_t rows() const { return rows_; }
  std::size_t width() const { return width_; }
  std::size_t stride() const { return stride_; }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::span<float> row(std::size_t i) { return {data_.get() + i * stride_, width_}; }
  std::span<const float> row(std::size_t i) const { return {data_.get() + i * stride_, width_}; }

 private:
  static constexpr std::size_t kAlignment = 64;
  struct Release {
    void operator()(float* p) const { std::free(p); }
  };
  std::size_t bytes() const { return rows_ * stride_ * sizeof(float); }

  std::size_t rows_ = 0;
  std::size_t width_ = 0;
  std::size_t stride_ = 0;
  std::unique_ptr<float[], Release> data_;
};

}  // namespace meteor
