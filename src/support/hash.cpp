#include "support/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <istream>
#include <stdexcept>
#include <vector>

namespace meteor {
namespace {

void check(int outcome) {
  if (outcome != 1) throw std::runtime_error("OpenSSL cannot compute SHA-256 here");
}

struct DigestContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, DigestContextDeleter>;

DigestContext new_context() {
  DigestContext context(EVP_MD_CTX_new());
  if (!context) throw std::bad_alloc();
  return context;
}

}  // namespace

struct Sha256::State {
  DigestContext context = new_context();
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  check(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr));
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(const void* data, std::size_t bytes) {
  check(EVP_DigestUpdate(state_->context.get(), data, bytes));
}

void Sha256::update(std::istream& rest) {
  std::vector<char> block(std::size_t{1} << 20);
  while (rest) {
    rest.read(block.data(), static_cast<std::streamsize>(block.size()));
    update(block.data(), static_cast<std::size_t>(rest.gcount()));
  }
}

std::string Sha256::hex() const {
  const DigestContext copy = new_context();
  check(EVP_MD_CTX_copy_ex(copy.get(), state_->context.get()));
  std::array<unsigned char, 32> digest{};
  check(EVP_DigestFinal_ex(copy.get(), digest.data(), nullptr));
  std::string text;
  for (unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace meteor
