// Lists the exports of modules.
// SPDX-License-Identifier: Apache-2.0
#include "frontend/catalogue/Catalogue.h"

#include "frontend/catalogue/CatalogueFacts.h"
#include "frontend/modules/ModuleSource.h"
#include "support/files/Embedded.h"
#include "support/files/FileTree.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <mutex>

namespace planc::frontend {

namespace {

/// `std.models.gpt` for `std/models/gpt.plan`.
std::string moduleOf(std::string_view path) {
  std::string name(path.substr(0, path.size() - kPlanSuffix.size()));
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

/// The comment at the top of a file.
std::string openingComment(std::string_view text) {
  std::string out;
  while (text.starts_with("//")) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of("/ "), line.size()));
    out.append(out.empty() ? "" : "\n").append(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Describes the exported declarations of a set of modules.
class Describer {
public:
  Describer(CatalogueNames& names, Detail detail) : names_(names), detail_(detail) {}

  Export describe(const Declared& of) {
    const syntax::Decl& decl = of.decl();
    CatalogueModule& module = *of.module;
    Export out;
    out.kind = wordOf(of.outline().kind);
    out.module = module.name();
    out.name = of.outline().name.text.str();
    out.path = module.path();
    out.line = module.lineOf(of.outline().name.range.begin);
    out.doc = module.docOf(of.index);
    out.sentence = firstSentence(out.doc);
    if (decl.deprecated) out.deprecated = decl.deprecated->text;
    if (const auto* written = syntax::paramsOf(decl)) out.parameters = parameters(module, *written);
    if (detail_ == Detail::Names) return out;
    out.text = module.text(decl.range);
    out.body = CatalogueNames::body(of);
    std::visit([&](const auto& item) { say(item, of, out); }, decl.item);
    out.parts = partsOf(names_, of);
    out.facts = factsOf(names_, of);
    return out;
  }

private:
  static CatalogueNames::Hidden namesOf(const std::vector<syntax::Parameter>& list) {
    CatalogueNames::Hidden out;
    for (const syntax::Parameter& p : list) out.insert(p.name.text);
    return out;
  }
  std::vector<ExportParameter> parameters(CatalogueModule& module, const std::vector<syntax::Parameter>& list) {
    std::vector<ExportParameter> out;
    const CatalogueNames::Hidden hidden = namesOf(list);
    for (const syntax::Parameter& p : list)
      out.push_back({p.name.text.str(), p.type ? names_.written(module, *p.type, hidden) : WrittenText(),
                     names_.written(module, p.defaultValue, hidden), names_.written(module, p.where, hidden)});
    return out;
  }
  static std::string head(const Export& of, bool withParameters) {
    std::string out = fmt::format("{} {}", of.kind, of.name);
    if (!withParameters) return out;
    out += "(";
    for (const ExportParameter& p : of.parameters) out += (&p == &of.parameters.front() ? "" : ", ") + p.str();
    return out + ")";
  }

  void say(const syntax::LetDecl& let, const Declared& of, Export& out) {
    const auto hidden = let.params ? namesOf(*let.params) : CatalogueNames::Hidden();
    out.value = names_.written(*of.module, let.value, hidden);
    if (let.type) out.result = names_.written(*of.module, *let.type, hidden);
    out.signature = head(out, let.params.has_value()) + (let.type ? ": " + out.result.text : "");
    if (!let.params) out.signature += " = " + out.value.text;
  }
  void say(const syntax::EnumDecl& words, const Declared&, Export& out) {
    for (const syntax::Name& member : words.members) out.members.push_back(member.text.str());
    out.signature = fmt::format("{} {{ {} }}", head(out, false), fmt::join(out.members, ", "));
  }
  void say(const syntax::OpDecl& op, const Declared& of, Export& out) {
    out.result = names_.written(*of.module, op.result, namesOf(op.params));
    out.signature = fmt::format("{} -> {}", head(out, true), out.result.text);
  }
  void say(const syntax::BlockDecl& block, const Declared& of, Export& out) {
    if (block.result) out.result = names_.written(*of.module, *block.result, namesOf(block.params));
    out.signature = head(out, true) + (block.result ? " -> " + out.result.text : "");
  }
  void say(const syntax::ModelDecl& model, const Declared& of, Export& out) {
    out.signature = head(out, model.params.has_value());
    if (!model.value) return;
    out.value = names_.written(*of.module, model.value);
    out.signature += " = " + out.value.text;
    if (!model.params) stand(of, out);
  }
  /// `model x = y(layers = 32)` has y's parameters, with 32 as the default of `layers`.
  void stand(const Declared& of, Export& out) {
    const syntax::Expr* value = std::get<syntax::ModelDecl>(of.decl().item).value;
    const auto base = names_.named(*of.module, *value);
    const auto* model = base ? std::get_if<syntax::ModelDecl>(&base->decl().item) : nullptr;
    if (!model || depth_ >= kMostDepth) return;
    ++depth_;
    Export ofBase;
    if (model->params)
      ofBase.parameters = parameters(*base->module, *model->params);
    else if (model->value)
      stand(*base, ofBase);
    --depth_;
    out.parameters = std::move(ofBase.parameters);
    out.inherited = true;
    size_t next = 0;
    for (const syntax::Arg& arg : value->args) {
      auto at = out.parameters.begin() + static_cast<std::ptrdiff_t>(std::min(next, out.parameters.size()));
      if (arg.name)
        at = std::find_if(out.parameters.begin(), out.parameters.end(),
                          [&](const ExportParameter& p) { return p.name == arg.name->text.view(); });
      else
        ++next;
      if (at != out.parameters.end()) at->value = names_.written(*of.module, arg.value);
    }
  }
  void say(const syntax::RecordDecl& record, const Declared&, Export& out) {
    if (record.extends) out.extends = record.extends->str();
    out.signature = head(out, record.params.has_value()) + extending(out);
  }
  void say(const syntax::ClusterDecl& cluster, const Declared& of, Export& out) {
    if (cluster.extends) out.extends = oneLine(of.module->text(cluster.extends->range));
    out.signature = head(out, cluster.params.has_value()) + extending(out);
  }
  void say(const syntax::PlanDecl& plan, const Declared& of, Export& out) {
    if (plan.extends) out.extends = oneLine(of.module->text(plan.extends->range));
    out.signature = head(out, plan.params.has_value()) + extending(out);
  }
  template <class Other> void say(const Other&, const Declared&, Export& out) { out.signature = head(out, false); }
  static std::string extending(const Export& of) { return of.extends.empty() ? "" : " extends " + of.extends; }

  static constexpr int kMostDepth = 32; ///< of models that refer to each other; checking reports cycles
  CatalogueNames& names_;
  Detail detail_;
  int depth_ = 0;
};

} // namespace

std::string firstSentence(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\n', ' ');
  for (size_t stop = out.find(". "); stop != std::string::npos; stop = out.find(". ", stop + 1))
    if (const auto next = static_cast<unsigned char>(out[stop + 2]); !std::islower(next) && !std::isdigit(next))
      return out.substr(0, stop + 1);
  return out;
}

std::string ExportParameter::str() const {
  std::string out = name;
  if (!type.text.empty()) out += ": " + type.text;
  if (!value.text.empty()) out += " = " + value.text;
  if (!where.text.empty()) out += " where " + where.text;
  return out;
}

std::string Export::place() const {
  return fmt::format("{}:{}", path, line);
}

std::string Export::call() const {
  if (parameters.empty() || inherited) return name;
  std::string out;
  bool others = false;
  for (const ExportParameter& p : parameters)
    if (p.required())
      out += (out.empty() ? "" : ", ") + p.name;
    else
      others = true;
  if (others) out += out.empty() ? "…" : ", …";
  return fmt::format("{}({})", name, out);
}

struct Catalogue::Impl {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  std::deque<CatalogueModule> modules;
};

Catalogue::Catalogue() : impl_(std::make_unique<Impl>()) {}
Catalogue::~Catalogue() = default;
Catalogue::Catalogue(Catalogue&&) noexcept = default;

void Catalogue::addLibrary() {
  for (const EmbeddedFile& file : embeddedStdlib()) {
    const FileId id = impl_->sources.addStatic(std::string(file.path), file.text);
    impl_->modules.emplace_back(
        CatalogueModule::Place{moduleOf(file.path), std::string(file.path), embeddedLibrary().trees(file.path)}, id,
        file.text);
  }
}

void Catalogue::add(std::string name, std::string path, std::string text, bool exported) {
  const FileId id = impl_->sources.add(path, std::move(text));
  impl_->modules.emplace_back(CatalogueModule::Place{std::move(name), std::move(path), {}, exported}, id,
                              impl_->sources.text(id));
}

std::vector<ModuleHead> Catalogue::modules() const {
  std::vector<ModuleHead> out;
  for (const CatalogueModule& module : impl_->modules)
    if (module.exported())
      out.push_back({module.name(), module.path(), firstSentence(openingComment(module.text())), module.text(),
                     module.library()});
  return out;
}

std::vector<Export> Catalogue::exports(std::string_view kind, Detail detail) {
  for (CatalogueModule& module : impl_->modules) module.read(impl_->sources, impl_->diagnostics);
  CatalogueNames names(impl_->modules, detail == Detail::Whole);
  Describer describer(names, detail);
  std::vector<Export> out;
  for (CatalogueModule& module : impl_->modules)
    for (size_t i = 0; module.exported() && i < module.outlines().size(); ++i) {
      const syntax::Outline& outline = module.outlines()[i];
      if (!outline.import && outline.exported && (kind.empty() || wordOf(outline.kind) == kind))
        out.push_back(describer.describe({&module, i}));
    }
  return out;
}

const SourceManager& Catalogue::sources() const {
  return impl_->sources;
}

const DiagnosticEngine& Catalogue::diagnostics() const {
  return impl_->diagnostics;
}

std::vector<LibraryDeclaration> libraryDeclarations(std::string_view kind) {
  static std::mutex lock;
  static std::map<std::string, std::vector<LibraryDeclaration>, std::less<>> known; // the library never changes
  const std::lock_guard hold(lock);
  if (const auto found = known.find(kind); found != known.end()) return found->second;
  Catalogue library;
  library.addLibrary();
  std::vector<LibraryDeclaration> out;
  for (Export& one : library.exports(kind, Detail::Names)) {
    std::vector<std::string> required;
    for (const ExportParameter& p : one.parameters)
      if (p.required()) required.push_back(p.name);
    out.push_back({one.kind, std::move(one.module), std::move(one.name), std::move(required), std::move(one.sentence)});
  }
  return known.emplace(kind, std::move(out)).first->second;
}

} // namespace planc::frontend
