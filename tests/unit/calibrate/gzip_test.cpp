// Gzip: a file made by `gzip -9n`, byte by byte, and what is not whole.
// SPDX-License-Identifier: Apache-2.0
#include "calibrate/read/Gzip.h"

#include <gmock/gmock.h>

using namespace planc::calibrate;
using testing::HasSubstr;

namespace {

/// printf 'hello hello hello\n' | gzip -9n
constexpr std::string_view kHello("\037\213\010\000\000\000\000\000\002\003\313\110\315\311\311\127\310\100\220\134\000"
                                  "\073\174\212\337\022\000\000\000",
                                  29);

TEST(Gzip, GivesTheTextInside) {
  std::string error;
  ASSERT_TRUE(isGzip(kHello));
  EXPECT_FALSE(isGzip("{\"traceEvents\": []}"));
  const auto text = gunzip(kHello, 100, error);
  if (!text) GTEST_SKIP() << error; // built without zlib
  EXPECT_EQ(*text, "hello hello hello\n");
  EXPECT_EQ(gunzip(std::string(kHello) + std::string(kHello), 100, error), "hello hello hello\nhello hello hello\n");
}

TEST(Gzip, SaysWhatIsWrong) {
  std::string error;
  if (!gunzip(kHello, 100, error)) GTEST_SKIP() << error;
  EXPECT_FALSE(gunzip(kHello, 5, error));
  EXPECT_THAT(error, HasSubstr("more text"));
  for (size_t keep = 3; keep < kHello.size(); ++keep) EXPECT_FALSE(gunzip(kHello.substr(0, keep), 100, error)) << keep;
  EXPECT_THAT(error, HasSubstr("not a complete gzip"));
}

} // namespace
