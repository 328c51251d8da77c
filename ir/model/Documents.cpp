// Computes the lengths of packed documents.
// SPDX-License-Identifier: Apache-2.0
#include "ir/model/Documents.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace planc::ir {

double Documents::listed() const {
  double sum = 0;
  for (const int64_t length : lengths) sum += static_cast<double>(length);
  return sum;
}

double Documents::padding(double sequence) const {
  return lengths.empty() ? 0 : sequence - listed();
}

double Documents::longest() const {
  return lengths.empty() ? 0 : static_cast<double>(*std::max_element(lengths.begin(), lengths.end()));
}

bool Documents::fit(double sequence) const {
  constexpr double kRounding = 1e-9;
  if (!lengths.empty()) return listed() <= sequence;
  return mean <= sequence && keysOfToken(*this, sequence) <= sequence * (1 + kRounding);
}

std::string Documents::str() const {
  if (lengths.empty())
    return fmt::format("documents of {:.6g} tokens{}", mean, spread > 0 ? fmt::format(" ± {:.6g}", spread) : "");
  const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
  return fmt::format("{} {} of {}{} tokens", lengths.size(), lengths.size() == 1 ? "document" : "documents", *least,
                     *least < *most ? fmt::format(" to {}", *most) : "");
}

namespace {

std::vector<DocumentLength> countedLengths(const std::vector<int64_t>& lengths, double sequence) {
  std::map<int64_t, double> tokens;
  for (const int64_t length : lengths) tokens[length] += static_cast<double>(length);
  std::vector<DocumentLength> counted;
  for (const auto& [length, sum] : tokens) counted.push_back({static_cast<double>(length), sum / sequence});
  return counted;
}

} // namespace

std::vector<DocumentLength> documentLengths(const Documents& documents, double sequence) {
  if (!documents.lengths.empty()) return countedLengths(documents.lengths, sequence);
  const double mean = documents.mean / sequence, deviation = documents.spread / sequence;
  if (deviation == 0 || mean >= 1) return {{documents.mean, 1}};
  const double room = mean * (1 - mean) / (deviation * deviation) - 1; // sum of the distribution's two parameters
  if (room <= 1e-9) return {{sequence, 1}}; // largest possible spread: all tokens lie in full-length documents
  const double a = mean * room, b = (1 - mean) * room;
  const double half = (b - a) * std::sqrt(room + 1) / ((room + 2) * std::sqrt(a * b)); // half of the skewness
  std::vector<DocumentLength> two;
  for (const double sign : {-1.0, 1.0}) {
    const double root = std::sqrt(1 + half * half), at = mean + deviation * (half + sign * root);
    const double part = (1 - sign * half / root) / 2; // fraction of the documents
    two.push_back({at * sequence, part * at / mean});
  }
  return two;
}

double keysOfToken(const Documents& documents, double sequence) {
  if (documents.lengths.empty()) return documents.mean + documents.spread * documents.spread / documents.mean;
  double keys = 0;
  for (const DocumentLength& d : countedLengths(documents.lengths, sequence)) keys += d.share * d.tokens;
  return keys;
}

} // namespace planc::ir
