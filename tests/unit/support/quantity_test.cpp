// Units: reading, arithmetic, names and printing.
// SPDX-License-Identifier: Apache-2.0
#include "support/Quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace planc;

namespace {

double read(std::string_view text, Unit unit) {
  std::string bad;
  std::optional<Quantity> q = parseQuantity(text, bad);
  EXPECT_TRUE(q) << text << ": unknown unit " << bad;
  if (!q) return 0;
  EXPECT_EQ(q->unit.name(), unit.name()) << text;
  return q->value;
}

TEST(Quantity, ReadsTheUnitsOfTheLanguagePage) {
  EXPECT_DOUBLE_EQ(read("450GB/s", units::bandwidth), 450e9);
  EXPECT_DOUBLE_EQ(read("30s", units::time), 30);
  EXPECT_DOUBLE_EQ(read("80GiB", units::bytes), 80.0 * (1u << 30));
  EXPECT_DOUBLE_EQ(read("989.4TFLOP/s", units::rate), 989.4e12);
  EXPECT_DOUBLE_EQ(read("40%", units::none), 0.4);
  EXPECT_DOUBLE_EQ(read("2us", units::time), 2e-6);
  EXPECT_DOUBLE_EQ(read("3.43USD/h", units::price), 3.43 / 3600);
  EXPECT_DOUBLE_EQ(read("700W", units::power), 700);
  EXPECT_DOUBLE_EQ(read("1e6tokens/s", units::tokens / units::time), 1e6);
  EXPECT_DOUBLE_EQ(read("1e6samples/s", units::samples / units::time), 1e6);
  EXPECT_DOUBLE_EQ(read("2kWh", units::energy), 7.2e6);
  EXPECT_DOUBLE_EQ(read("200Gbps", units::bandwidth), 25e9);
  EXPECT_DOUBLE_EQ(read("3kg", units::mass), 3000);
  EXPECT_DOUBLE_EQ(read("2t", units::mass), 2e6);
  EXPECT_DOUBLE_EQ(read("380g/kWh", units::intensity), 380 / 3.6e6);
  EXPECT_DOUBLE_EQ(read("3GPUh", units::deviceTime), 3 * 3600);
  EXPECT_DOUBLE_EQ(read("1.5d", units::time), 1.5 * 86400);
  EXPECT_DOUBLE_EQ(read("131_072B", units::bytes), 131072);
  EXPECT_DOUBLE_EQ(read("1_0.5_0e-3s", units::time), 10.5e-3);
  EXPECT_DOUBLE_EQ(read("8", units::none), 8);
}

TEST(Quantity, ReportsTheUnknownPart) {
  std::string bad;
  EXPECT_FALSE(parseQuantity("6MB/seq", bad));
  EXPECT_EQ(bad, "seq");
  EXPECT_FALSE(parseQuantity("6gb/s", bad));
  EXPECT_EQ(bad, "gb");
  EXPECT_FALSE(parseQuantity("6TFLOPS", bad));
  EXPECT_EQ(bad, "TFLOPS");
}

TEST(Quantity, EveryRowReadsBack) {
  for (const std::string& name : unitNames()) {
    std::string bad;
    EXPECT_TRUE(parseQuantity("1" + name, bad)) << name;
    EXPECT_TRUE(parseQuantity("1" + name + "/s", bad)) << name;
  }
}

TEST(Quantity, NamesUnitsAsPeopleDo) {
  EXPECT_EQ(units::none.name(), "number");
  EXPECT_EQ(units::rate.name(), "flops/time");
  EXPECT_EQ(units::power.name(), "power");
  EXPECT_EQ(units::deviceTime.name(), "device-time");
  EXPECT_EQ(units::price.name(), "money/time");
  EXPECT_EQ((units::bytes * units::bytes / units::time).name(), "bytes^2/time");
  EXPECT_EQ((units::none / units::time).name(), "1/time");
}

TEST(Quantity, ExponentsSaturate) {
  Unit u = units::time;
  for (int i = 0; i < 10; ++i) u = u * u;
  EXPECT_FALSE(u.plain());
  EXPECT_FALSE((u * u).plain());
}

TEST(Quantity, PrintsFourDigitsWithAPrefix) {
  EXPECT_EQ(formatQuantity(13.7249, units::time), "13.72 s");
  EXPECT_EQ(formatQuantity(1.3e-3, units::time), "1.3 ms");
  EXPECT_EQ(formatQuantity(64.1e9, units::bytes), "64.1 GB");
  EXPECT_EQ(formatQuantity(249.54e12, units::rate), "249.5 TFLOP/s");
  EXPECT_EQ(formatQuantity(0.42, units::none), "0.42");
  EXPECT_EQ(formatQuantity(450e9, units::bandwidth), "450 GB/s");
  EXPECT_EQ(formatQuantity(7, units::time), "7 s");
  EXPECT_EQ(formatQuantity(700, units::power), "700 W");
  EXPECT_EQ(formatQuantity(3.431 / 3600, units::price), "3.431 USD/h");
  EXPECT_EQ(formatQuantity(7.2e6, units::energy), "2 kWh");
  EXPECT_EQ(formatQuantity(8.93e9, units::mass), "8930 t");
  EXPECT_EQ(formatQuantity(380 / 3.6e6, units::intensity), "380 g/kWh");
  EXPECT_EQ(formatQuantity(12345.6, units::tokens / units::time), "12346 tokens/s");
  EXPECT_EQ(formatQuantity(1.2345e6, units::tokens / units::time), "1.234e6 tokens/s");
  EXPECT_EQ(formatQuantity(7200, units::deviceTime), "2 device-h");
  EXPECT_EQ(formatQuantity(3e-3, units::time / units::tokens), "3 ms/token");
  EXPECT_EQ(formatQuantity(2, units::flops / units::bytes), "2 FLOP/B");
  EXPECT_EQ(formatQuantity(2, units::bytes * units::time), "2 s*B");
  EXPECT_EQ(formatQuantity(2, units::none / units::time), "2 1/s");
}

TEST(Quantity, PrintsLongDurationsInMinutesHoursAndDays) {
  EXPECT_EQ(formatQuantity(119, units::time), "119 s");
  EXPECT_EQ(formatQuantity(121, units::time), "2.017 min");
  EXPECT_EQ(formatQuantity(3 * 3600, units::time), "3 h");
  EXPECT_EQ(formatQuantity(72 * 3600, units::time), "3 d");
}

TEST(Quantity, RoundsBeforeChoosingThePrefix) {
  EXPECT_EQ(formatQuantity(999.99e-6, units::time), "1 ms");
  EXPECT_EQ(formatQuantity(999.99e6, units::bytes), "1 GB");
  EXPECT_EQ(formatQuantity(1e-3, units::time), "1 ms");
  EXPECT_EQ(formatQuantity(1e-6, units::time), "1 us");
  EXPECT_EQ(formatQuantity(119.999, units::time), "2 min");
}

TEST(Quantity, PrintsEdges) {
  EXPECT_EQ(formatQuantity(0, units::time), "0 s");
  EXPECT_EQ(formatQuantity(0, units::bytes), "0 B");
  EXPECT_EQ(formatQuantity(-0.0, units::none), "0");
  EXPECT_EQ(formatQuantity(-1.5e-3, units::time), "-1.5 ms");
  EXPECT_EQ(formatQuantity(131072, units::none), "131072");
  EXPECT_EQ(formatQuantity(3e-5, units::none), "3e-5");
  EXPECT_EQ(formatQuantity(1234567.5, units::none), "1.235e6");
  EXPECT_EQ(formatQuantity(std::numeric_limits<double>::infinity(), units::time), "inf d");
  EXPECT_EQ(formatQuantity(std::numeric_limits<double>::quiet_NaN(), units::none), "nan");
  EXPECT_EQ(formatQuantity(5e-324, units::none), "4.941e-324");
}

} // namespace
