// Digests, computed by LLVM.
// SPDX-License-Identifier: Apache-2.0
#include "support/files/Digest.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA256.h>

namespace planc {

std::string digestOf(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const uint8_t byte :
       llvm::SHA256::hash(llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t*>(text.data()), text.size()))) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string shortDigestOf(std::string_view text) {
  constexpr size_t kShort = 8; // as in git: among a few thousand texts a collision has a chance of one in a thousand
  return digestOf(text).substr(0, kShort);
}

} // namespace planc
