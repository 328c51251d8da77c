// Compiles fmt into the program. The loader took a third of the time of a short command to look up its functions and
// those of the C++ library. These are the instances of fmt 9, of which Debian has no archive; with another version the
// program loads the shared library.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#if !defined(FMT_HEADER_ONLY) && FMT_VERSION >= 90000 && FMT_VERSION < 100000
#include <fmt/format-inl.h>

namespace fmt::detail {

template FMT_API dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template FMT_API dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template FMT_API locale_ref::locale_ref(const std::locale&);
template FMT_API std::locale locale_ref::get<std::locale>() const;
template FMT_API thousands_sep_result<char> thousands_sep_impl(locale_ref);
template FMT_API char decimal_point_impl(locale_ref);
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);

} // namespace fmt::detail
#endif
