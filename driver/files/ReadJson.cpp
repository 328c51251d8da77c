// Builds a value from the events of the JSON parser. The library's own value would search all members before it adds
// one, and copy them as it grows.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/ReadJson.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace planc::driver {
namespace {

using Json = nlohmann::ordered_json;

/// An object or array that has not ended yet.
struct Open {
  std::vector<std::pair<std::string, Json>> members;
  std::unordered_map<std::string, size_t> places; ///< index of each member by name
  size_t next = 0;                                ///< index of the member whose name was read
  Json::array_t elements;

  Json object() {
    const auto begin = std::make_move_iterator(members.begin()), end = std::make_move_iterator(members.end());
    return Json::object_t(begin, end);
  }
};

/// Receives the parser's events. Each function returns whether to go on.
class Builder {
public:
  Json take() { return std::move(root_); }

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(Json::number_integer_t value) { return put(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(Json::binary_t&) { return false; } // JSON text has no binary values
  bool start_object(size_t) { return begin(); }
  bool start_array(size_t) { return begin(); }
  bool end_object() { return end(open_.back().object()); }
  bool end_array() { return end(std::move(open_.back().elements)); }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) { return false; }

  bool key(std::string& name) {
    Open& object = open_.back();
    object.next = object.places.try_emplace(name, object.members.size()).first->second;
    if (object.next == object.members.size()) object.members.emplace_back(std::move(name), nullptr);
    return true;
  }

private:
  bool put(Json value) {
    if (open_.empty())
      root_ = std::move(value);
    else if (Open& in = open_.back(); in.members.empty()) // it is an array; an object would have a name by now
      in.elements.push_back(std::move(value));
    else
      in.members[in.next].second = std::move(value);
    return true;
  }
  bool begin() {
    open_.emplace_back();
    return true;
  }
  bool end(Json value) {
    open_.pop_back();
    return put(std::move(value));
  }

  Json root_;
  std::vector<Open> open_;
};

} // namespace

std::optional<Json> readJson(std::string_view text) {
  Builder builder;
  if (!Json::sax_parse(text, &builder)) return std::nullopt;
  return builder.take();
}

} // namespace planc::driver
