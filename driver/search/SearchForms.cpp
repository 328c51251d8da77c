// Reports options of `planc search` that would have no effect, by the table of options.
// SPDX-License-Identifier: Apache-2.0
#include "driver/search/SearchForms.h"

#include "driver/words/Commands.h"

#include <algorithm>
#include <fmt/format.h>

namespace planc::driver {

namespace {

struct SearchForm {
  unsigned bit;
  std::string_view word;  ///< the option or first word that selects it
  std::string_view shown; ///< its name in messages
  std::string_view help;  ///< advice if an option does not fit; empty: lists the forms that the option fits
};

/// Forms of which one applies: the first that the words select.
constexpr SearchForm kSearchForms[] = {
    {kOfReport, "report", "`planc search report`", ""},
    {kOfMerge, "merge", "`planc search merge`", ""},
    {kOfJob, "--emit-sbatch", "`--emit-sbatch`", ""},
    {kOfExtreme, "--largest", "`--largest`", "it tries values of one path of one plan; change other facts by `--set`"},
    {kOfExtreme, "--fewest", "`--fewest`", "it tries values of one path of one plan; change other facts by `--set`"},
    {kOfCount, "--count", "`--count`", ""},
    {kOfList, "--list", "`--list`", ""},
    {kOfTable, "", "a search", ""},
};
/// Forms that can be combined with one of those.
constexpr SearchForm kRowsForm = {kOfRows, "--rows", "`--rows`", "`--rows` prints all rows of the store as CSV"};
constexpr SearchForm kPlanForm = {kOfPlan, "--apply", "`--apply` without `-o`",
                                  "with `-o FILE` the plan is written to the file, and the answer is printed, too"};

bool isWord(const SearchForm& form) {
  return !form.word.empty() && form.word[0] != '-';
}

bool asksFor(const SearchForm& form, const Arguments& arguments) {
  if (form.word.empty()) return true;
  return isWord(form) ? arguments.positional[0] == form.word : arguments.given(form.word);
}

/// Returns the forms that the words select.
std::vector<const SearchForm*> formsOf(const Arguments& arguments) {
  const auto meant = std::find_if(std::begin(kSearchForms), std::end(kSearchForms),
                                  [&](const SearchForm& form) { return asksFor(form, arguments); });
  std::vector<const SearchForm*> forms = {&*meant};
  if (arguments.given(kRowsForm.word)) forms.push_back(&kRowsForm);
  if (arguments.given(kPlanForm.word) && !arguments.given("-o")) forms.push_back(&kPlanForm);
  return forms;
}

bool isForm(std::string_view option) {
  return std::any_of(std::begin(kSearchForms), std::end(kSearchForms),
                     [&](const SearchForm& form) { return form.word == option; });
}

/// Returns ``it goes with a search, `planc search report` ``.
std::string goesWith(const Option& option) {
  std::string text;
  for (const SearchForm& form : kSearchForms)
    if (option.use & form.bit) text += (text.empty() ? "use it with " : ", ") + std::string(form.shown);
  return text;
}

int misfit(Console& console, const Option& option, const SearchForm& form) {
  if (isWord(form))
    return console.usageError(fmt::format("`{}` has no effect on {}", option.name, form.shown), goesWith(option));
  if (isForm(option.name) && isForm(form.word) && !form.word.empty())
    return console.usageError(fmt::format("{} and `{}` exclude each other", form.shown, option.name),
                              "give only one of them");
  if (!form.help.empty())
    return console.usageError(fmt::format("`{}` has no effect with {}", option.name, form.shown), form.help);
  const std::string with = form.word.empty() ? "on a search" : fmt::format("with {}", form.shown);
  return console.usageError(fmt::format("`{}` has no effect {}", option.name, with),
                            goesWith(option) + (form.word.empty() ? "" : ": remove one of the two"));
}

/// Checks that the option which this one requires is given.
int checkNeeded(Console& console, const Option& option, const Arguments& arguments) {
  if (option.needs.empty() || arguments.given(option.needs)) return kClean;
  const auto isNeeded = [&](const Option& one) { return one.name == option.needs; };
  const auto needed = std::find_if(kSearchCommand.options.begin(), kSearchCommand.options.end(), isNeeded);
  return console.usageError(fmt::format("`{}` needs a `{}`", option.name, option.needs),
                            fmt::format("write `{} {}`", needed->name, needed->value));
}

} // namespace

int checkForm(Console& console, const Arguments& arguments) {
  for (const SearchForm* form : formsOf(arguments))
    for (const Option& option : kSearchCommand.options)
      if (arguments.given(option.name) && option.name != form->word && !(option.use & form->bit))
        return misfit(console, option, *form);
  for (const Option& option : kSearchCommand.options)
    if (arguments.given(option.name))
      if (const int code = checkNeeded(console, option, arguments)) return code;
  const std::string format = *arguments.value("--format");
  if (arguments.given("--illegal") && format != "text" && format != "json")
    return console.usageError(fmt::format("`--illegal` has no form `{}`", format), "remove it, or use `--format json`");
  return kClean;
}

} // namespace planc::driver
