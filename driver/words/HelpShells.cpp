// Builds completions for bash, zsh and fish from the command tables. Values and arguments with choices are completed
// from them, others as file names.
// SPDX-License-Identifier: Apache-2.0
#include "driver/words/Help.h"

#include <fmt/format.h>

namespace planc::driver {
namespace {

/// Quotes a word in single quotes, which all three shells understand.
std::string shellQuoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

template <class Words> std::string joined(const Words& words) {
  std::string out;
  for (const auto& word : words) out += fmt::format("{}{}", out.empty() ? "" : " ", word);
  return out;
}

std::vector<std::string_view> namesOf(const std::vector<Option>& options, bool withValue) {
  std::vector<std::string_view> names;
  for (const Option& option : options) {
    if (!withValue && option.name == "--help") names.push_back("-h");
    if (!withValue || !option.isSwitch()) names.push_back(option.name);
  }
  return names;
}

/// Calls `take(option, choices)` for each option with choices.
template <class Take> void eachChoice(const std::vector<Option>& options, Take take) {
  for (const Option& option : options)
    if (!option.choices.empty()) take(option.name, joined(option.choices));
}

constexpr std::string_view kBashHead = R"(# Completion of planc for bash.
_planc() {
  local cur=${COMP_WORDS[COMP_CWORD]} command= option= word words= options valued i place=0
  COMPREPLY=()
  _planc_options
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then # bash splits --format=json and --set PATH=VALUE there
      option=${option:-=}
    elif [[ $option ]]; then
      option=
    elif [[ $word == -* ]]; then
      [[ " $valued " == *" $word "* ]] && option=$word
    elif [[ ! $command ]]; then
      command=$word
      _planc_options
    else
      ((place++))
    fi
  done
  [[ $cur == '=' ]] && cur= && option=${option:-=}
  if [[ $option ]]; then
    _planc_choices "$command" "$option"
  elif [[ $cur == -* ]]; then
    words=$options
  else
    _planc_choices "$command" "$place"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
)";

} // namespace

std::string bashCompletion() {
  std::string options, choices = fmt::format("    ' 0') words='{}' ;;\n", joined(commandNames()));
  for (const Command* command : commands()) {
    options += fmt::format("    {}) options='{}' valued='{}' ;;\n", command->name,
                           joined(namesOf(command->options, false)), joined(namesOf(command->options, true)));
    eachChoice(command->options, [&](std::string_view name, const std::string& words) {
      choices += fmt::format("    '{} {}') words='{}' ;;\n", command->name, name, words);
    });
    size_t place = 0;
    for (const Positional& p : command->arguments) {
      if (p.choices) choices += fmt::format("    '{} {}') words='{}' ;;\n", command->name, place, joined(p.choices()));
      place += p.most;
    }
  }
  eachChoice(commonOptions(), [&](std::string_view name, const std::string& words) {
    choices += fmt::format("    *' {}') words='{}' ;;\n", name, words);
  });
  return fmt::format(
      "{}_planc_options() {{ # of $command\n  case $command in\n{}    *) options=--version valued= ;;\n  esac\n"
      "  options+=' {}'\n  valued+=' {}'\n}}\n"
      "_planc_choices() {{ # of an option, or of the argument at a place\n  case \"$1 $2\" in\n{}  esac\n}}\n"
      "complete -o bashdefault -o default -F _planc planc\n",
      kBashHead, options, joined(namesOf(commonOptions(), false)), joined(namesOf(commonOptions(), true)), choices);
}

namespace {

/// Escapes text for a specification of `_arguments`.
std::string zshText(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// Returns how `_arguments` completes a value: by words, or as a file.
std::string zshAction(const std::string& choices) {
  return choices.empty() ? "_files" : "(" + choices + ")";
}

std::string zshOptions(const std::vector<Option>& options, std::string_view indent) {
  std::string out;
  for (const Option& option : options) {
    std::string spec = option.repeats == kOnce ? "" : "*";
    if (option.name == "--help") {
      out += fmt::format(" \\\n{}'(- *)-h[{}]'", indent, zshText(option.help));
      spec = "(- *)";
    }
    spec += option.name;
    if (!option.isSwitch() && option.name.substr(0, 2) == "--") spec += "=";
    spec += "[" + zshText(option.help) + "]";
    if (!option.isSwitch())
      spec += fmt::format(":{}:{}", option.value.empty() ? "value" : zshText(option.value),
                          zshAction(joined(option.choices)));
    out += fmt::format(" \\\n{}{}", indent, shellQuoted(spec));
  }
  return out;
}

} // namespace

std::string zshCompletion() {
  std::string names, cases;
  for (const Command* command : commands()) {
    names += fmt::format("    {}\n", shellQuoted(fmt::format("{}:{}", command->name, command->summary)));
    cases += fmt::format("      {})\n        _arguments{}", command->name, zshOptions(command->options, "          "));
    for (const Positional& p : command->arguments) {
      const std::string action = zshAction(p.choices ? joined(p.choices()) : "");
      cases += fmt::format(" \\\n          {}",
                           shellQuoted(fmt::format("{}:{}:{}", p.most > 1 ? "*" : ":", zshText(p.name), action)));
    }
    cases += " $common ;;\n";
  }
  return fmt::format(
      "#compdef planc\n# Completion of planc for zsh.\n_planc() {{\n  local curcontext=$curcontext state line\n"
      "  typeset -A opt_args\n  local -a common planc_commands\n  common=({}\n  )\n  planc_commands=(\n{}  )\n"
      "  _arguments -C $common '--version[print the version]' '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n  command) _describe command planc_commands ;;\n  argument)\n    case $words[1] in\n{}"
      "    esac ;;\n  esac\n}}\n_planc \"$@\"\n",
      zshOptions(commonOptions(), "    "), names, cases);
}

namespace {

std::string fishOptions(const std::vector<Option>& options, const std::string& condition) {
  std::string out;
  for (const Option& option : options) {
    const bool isLong = option.name.substr(0, 2) == "--";
    out += fmt::format("complete -c planc{} -{} {}", condition, isLong ? "l" : "s", option.name.substr(isLong ? 2 : 1));
    if (option.name == "--help") out += " -s h";
    if (!option.choices.empty()) out += " -x -a " + shellQuoted(joined(option.choices));
    if (!option.value.empty()) out += " -r";
    out += " -d " + shellQuoted(option.help) + "\n";
  }
  return out;
}

constexpr std::string_view kFishTail = R"(    end
end
function __planc_words # the command of the line and its arguments, without options and their values
    set -l command
    set -l skip 0
    set -l valued (__planc_valued)
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $skip = 1
            set skip 0
        else if contains -- $word $valued
            set skip 1
        else if not string match -q -- '-*' $word
            echo $word
            test -n "$command"; or set valued (__planc_valued $word)
            set command $word
        end
    end
end
function __planc_is # COMMAND [PLACE]: is it of the line, and is the next argument at this place?
    set -l words (__planc_words)
    test "$words[1]" = "$argv[1]"; or return 1
    test (count $argv) -eq 1; or test (count $words) -eq (math $argv[2] + 1)
end
)";

} // namespace

std::string fishCompletion() {
  std::string out = fmt::format("# Completion of planc for fish.\nfunction __planc_valued # options with a value\n    "
                                "printf '%s\\n' {}\n    switch \"$argv[1]\"\n",
                                joined(namesOf(commonOptions(), true)));
  for (const Command* command : commands())
    if (const auto names = namesOf(command->options, true); !names.empty())
      out += fmt::format("        case {}\n            printf '%s\\n' {}\n", command->name, joined(names));
  out += kFishTail;
  out +=
      fishOptions(commonOptions(), "") + "complete -c planc -n '__planc_is \"\"' -l version -d 'print the version'\n";
  for (const Command* command : commands()) {
    out += fmt::format("complete -c planc -f -n '__planc_is \"\"' -a {} -d {}\n", command->name,
                       shellQuoted(command->summary));
    out += fishOptions(command->options, fmt::format(" -n '__planc_is {}'", command->name));
    size_t place = 0;
    for (const Positional& p : command->arguments) {
      if (p.choices)
        out += fmt::format("complete -c planc -f -n '__planc_is {} {}' -a {} -d {}\n", command->name, place,
                           shellQuoted(joined(p.choices())), shellQuoted(p.name));
      place += p.most;
    }
  }
  return out;
}

} // namespace planc::driver
