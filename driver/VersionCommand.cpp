// `planc version`: prints the version and commit of this program, the editions that it reads, its library, and how it
// was built.
// SPDX-License-Identifier: Apache-2.0
#include "driver/files/JsonDocument.h"
#include "driver/words/Commands.h"
#include "driver/words/Help.h"
#include "support/Editions.h"

#include <llvm/Config/llvm-config.h>
#include <nlohmann/json.hpp>

namespace planc::driver {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the commit that the build was configured from; null if the source was no repository.
Json commit() {
  constexpr std::string_view kCommit = PLANC_COMMIT;
  return kCommit.empty() ? Json(nullptr) : Json(kCommit);
}

int runVersion(Console& console, const Arguments& arguments) {
  if (arguments.value("--format") != "json") {
    console.out(versionText());
    return kClean;
  }
  printJson(console, kVersionFormat,
            {{"commit", commit()},
             {"edition", kNewestEdition},
             {"editions", kEditions},
             {"library_sha256", libraryDigest()},
             {"llvm", LLVM_VERSION_STRING},
             {"sanitized", PLANC_SANITIZED != 0},
             {"formats",
              {{"plans", kPlansFormat},
               {"calibration", kCalibrationFormat},
               {"compare", kCompareFormat},
               {"sensitivity", kSensitivityFormat},
               {"search", kSearchFormat},
               {"sweep", kSweepFormat},
               {"config", kConfigFormat},
               {"diff", kDiffFormat},
               {"lib", kLibFormat},
               {"show", kShowFormat},
               {"test", kTestFormat}}}});
  return kClean;
}

} // namespace

const Command kVersionCommand = {
    "version",
    "print the version",
    {},
    {{"--format",
      "",
      {"text", "json"},
      "json: also the commit, editions of the language, digest of the library, and versions of JSON results"}},
    "planc version",
    runVersion,
};

} // namespace planc::driver
