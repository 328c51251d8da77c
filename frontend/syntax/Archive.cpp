// Serialized syntax trees: a writer and a reader, both driven by the lists of fields.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax/Archive.h"

#include "frontend/syntax/Fields.h"

#include <cassert>
#include <type_traits>
#include <utility>

namespace planc::syntax {
namespace {

// Numbers use seven bits per byte, lowest bits first. Offsets in the text are relative to the beginning of the previous
// range. A struct with several fields begins with a mask of the fields that differ from their defaults; other fields
// are left out.

template <class T> struct IsVector : std::false_type {};
template <class T> struct IsVector<std::vector<T>> : std::true_type {};
template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};
template <class T> struct IsVariant : std::false_type {};
template <class... T> struct IsVariant<std::variant<T...>> : std::true_type {};

/// Names are the most frequent node and always have both fields, so they have no mask.
template <class T> inline constexpr bool kMasked = std::tuple_size_v<decltype(fields(std::declval<T&>()))> >= 3;

constexpr uint64_t zigzag(int64_t number) {
  return (static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63);
}
constexpr int64_t unzigzag(uint64_t number) {
  return static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1);
}

// ---- writing

class Writer {
public:
  explicit Writer(std::string_view text) : text_(text) {}

  std::string take() { return std::move(out_); }

  void number(uint64_t n) {
    for (; n >= 0x80; n >>= 7) out_ += static_cast<char>(n | 0x80);
    out_ += static_cast<char>(n);
  }

  void put(SourceRange range) {
    number(range.valid() ? 1 + zigzag(int64_t{range.begin} - int64_t{last_}) : 0);
    if (!range.valid()) return;
    number(range.end - range.begin);
    last_ = range.begin;
  }
  void put(const Name& name) {
    put(name.range);
    const bool written = name.range.valid() && textOf(name.range) == name.text.view();
    number(written ? 0 : 1 + name.text.view().size());
    if (!written) out_ += name.text.view();
  }
  /// A string that occurs in the file at or after the beginning of the previous range is written as an offset.
  void put(std::string_view string) {
    number(string.size());
    if (string.empty()) return;
    const size_t at = text_.find(string, last_);
    number(at == std::string_view::npos ? 0 : 1 + at - last_);
    if (at == std::string_view::npos) out_ += string;
  }
  void put(const std::string& string) { put(std::string_view(string)); }
  template <class T> void put(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      number(static_cast<uint64_t>(value));
    } else if constexpr (std::is_pointer_v<T>) {
      number(value != nullptr);
      if (value) put(*value);
    } else if constexpr (IsOptional<T>::value) {
      number(value.has_value());
      if (value) put(*value);
    } else if constexpr (IsVector<T>::value) {
      number(value.size());
      for (const auto& item : value) put(item);
    } else if constexpr (IsVariant<T>::value) {
      number(value.index());
      std::visit([&](const auto& item) { put(item); }, value);
    } else {
      putFields(value);
    }
  }

private:
  template <class T> void putFields(const T& node) {
    const T fresh{};
    auto of = fields(node);
    auto before = fields(fresh);
    constexpr auto kAll = std::make_index_sequence<std::tuple_size_v<decltype(of)>>();
    uint64_t mask = ~uint64_t(0);
    if constexpr (kMasked<T>) number(mask = changed(of, before, kAll));
    putMasked(of, mask, kAll);
  }
  template <class Tuple, size_t... I>
  uint64_t changed(const Tuple& of, const Tuple& before, std::index_sequence<I...>) {
    return ((uint64_t(!isFresh(std::get<I>(of), std::get<I>(before))) << I) | ...);
  }
  template <class Tuple, size_t... I> void putMasked(const Tuple& of, uint64_t mask, std::index_sequence<I...>) {
    (((mask >> I & 1) ? put(std::get<I>(of)) : void()), ...);
  }

  template <class T> static bool isFresh(const T& value, const T& fresh) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool> || std::is_same_v<T, SourceRange>)
      return value == fresh;
    else if constexpr (std::is_pointer_v<T>)
      return !value;
    else if constexpr (IsOptional<T>::value)
      return !value.has_value();
    else if constexpr (std::is_same_v<T, Name>)
      return value.text.empty() && !value.range.valid();
    else if constexpr (requires { value.empty(); })
      return value.empty();
    else
      return false;
  }

  std::string_view textOf(SourceRange range) const { return text_.substr(range.begin, range.end - range.begin); }

  std::string_view text_;
  std::string out_;
  uint32_t last_ = 0; // begin of the previous range
};

// ---- reading

class Reader {
public:
  /// `file`: receives nodes that other nodes point to; null if there are none to read.
  Reader(std::string_view bytes, std::string_view text, FileId id, File* file)
      : at_(bytes.data()), text_(text), id_(id), file_(file) {}

  uint64_t number() {
    uint64_t n = static_cast<unsigned char>(*at_++);
    if (n < 0x80) return n;
    n &= 0x7F;
    for (unsigned shift = 7;; shift += 7) {
      const uint64_t byte = static_cast<unsigned char>(*at_++);
      n |= (byte & 0x7F) << shift;
      if (byte < 0x80) return n;
    }
  }
  std::string_view bytes(size_t size) { return {std::exchange(at_, at_ + size), size}; }

  void get(SourceRange& range) {
    const uint64_t from = number();
    if (from == 0) return;
    last_ = static_cast<uint32_t>(int64_t{last_} + unzigzag(from - 1));
    range = {id_, last_, last_ + static_cast<uint32_t>(number())};
  }
  void get(Name& name) {
    get(name.range);
    const uint64_t size = number();
    name.text = Symbol(size > 0 ? bytes(size - 1) : text_.substr(name.range.begin, name.range.end - name.range.begin));
  }
  void get(std::string_view& string) {
    const uint64_t size = number();
    if (size == 0) return;
    const uint64_t from = number();
    string = from > 0 ? text_.substr(last_ + from - 1, size) : bytes(size);
  }
  void get(std::string& string) {
    std::string_view view;
    get(view);
    string = view;
  }
  void get(const Expr*& node) {
    getPointer(node, [&]() -> Expr& { return file_->exprs.emplace_back(); });
  }
  void get(const Body*& node) {
    getPointer(node, [&]() -> Body& { return file_->bodies.emplace_back(); });
  }
  void get(const PlaceBlock*& node) {
    getPointer(node, [&]() -> PlaceBlock& { return file_->places.emplace_back(); });
  }
  template <class T> void get(T& value) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      value = static_cast<T>(number());
    } else if constexpr (IsOptional<T>::value) {
      if (number() > 0) get(value.emplace());
    } else if constexpr (IsVector<T>::value) {
      value.resize(number());
      for (auto& item : value) get(item);
    } else if constexpr (IsVariant<T>::value) {
      getVariant(value, number(), std::make_index_sequence<std::variant_size_v<T>>());
    } else {
      auto of = fields(value);
      const uint64_t mask = kMasked<T> ? number() : ~uint64_t(0);
      getMasked(of, mask, std::make_index_sequence<std::tuple_size_v<decltype(of)>>());
    }
  }

private:
  template <class T, class Make> void getPointer(const T*& node, Make make) {
    if (number() == 0) return;
    T& made = make();
    node = &made;
    get(made);
  }
  template <class Tuple, size_t... I> void getMasked(Tuple& of, uint64_t mask, std::index_sequence<I...>) {
    (((mask >> I & 1) ? get(std::get<I>(of)) : void()), ...);
  }
  template <class Variant, size_t... I> void getVariant(Variant& value, size_t index, std::index_sequence<I...>) {
    ((index == I ? get(value.template emplace<I>()) : void()), ...);
  }

  const char* at_;
  std::string_view text_;
  FileId id_;
  File* file_;
  uint32_t last_ = 0;
};

/// Reads the head of a file: the number of declarations, then for each its outline and its size in bytes. The
/// declarations follow.
template <class Use> void readHead(Reader& in, Use use) {
  for (uint64_t left = in.number(); left > 0; --left) {
    Outline outline;
    in.get(outline.import);
    in.get(outline.exported);
    in.get(outline.deprecated);
    in.get(outline.kind);
    in.get(outline.name);
    use(outline, in.number());
  }
}

} // namespace

std::string archived(const File& file, std::string_view text) {
  assert(!file.broken && file.lostNames.empty());
  Writer head(text);
  std::string decls;
  head.number(file.decls.size());
  for (const Decl& decl : file.decls) {
    Writer one(text);
    one.put(decl);
    const std::string bytes = one.take();
    const Outline outline = outlineOf(decl);
    head.put(outline.import);
    head.put(outline.exported);
    head.put(outline.deprecated);
    head.put(outline.kind);
    head.put(outline.name);
    head.number(bytes.size());
    decls += bytes;
  }
  return head.take() + decls;
}

Archive::Archive(std::string_view bytes, std::string_view text, FileId id) : text_(text) {
  file_.id = id;
  Reader in(bytes, text, id, nullptr);
  std::vector<size_t> sizes;
  readHead(in, [&](const Outline& outline, size_t size) {
    outlines_.push_back(outline);
    sizes.push_back(size);
  });
  for (size_t size : sizes) bytes_.push_back(in.bytes(size));
  read_.resize(sizes.size());
}

const Decl& Archive::decl(size_t index) {
  if (read_[index]) return *read_[index];
  Decl& made = file_.decls.emplace_back();
  read_[index] = &made;
  Reader(bytes_[index], text_, file_.id, &file_).get(made);
  return made;
}

std::vector<Outline> archivedOutlines(std::string_view bytes, std::string_view text, FileId id) {
  std::vector<Outline> out;
  Reader in(bytes, text, id, nullptr);
  readHead(in, [&](const Outline& outline, size_t) { out.push_back(outline); });
  return out;
}

} // namespace planc::syntax
