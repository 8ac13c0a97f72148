// SPDX-License-Identifier: MIT
// One small function per rule. A template is judged in its instantiations,
// where types are known; the same finding in several of them is one finding.
#include "simulator/dialect/syntax_tree_rules.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace flash_attn_mps::simulator {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

bool is_function(const SyntaxNode& node) {
  return node.kind == "FunctionDecl" || node.kind == "CXXMethodDecl" ||
         node.kind == "CXXConstructorDecl" ||
         node.kind == "CXXConversionDecl" || node.kind == "CXXDestructorDecl";
}

bool is_type(const SyntaxNode& node) {
  return node.kind == "CXXRecordDecl" || node.kind.starts_with("ClassTemplate");
}

bool is_address_space_word(const Token& token) {
  return token.is("device") || token.is("constant") ||
         token.is("threadgroup") || token.is("thread") || token.is("this") ||
         token.is("auto");
}

// The qualifiers of the variable itself: behind the last `*` or `&`.
std::string_view outer_type(std::string_view type) {
  const std::size_t star = type.find_last_of("*&");
  return star == type.npos ? type : type.substr(star + 1);
}

// Address of each caller -> addresses of what it names.
using Calls = std::map<std::string_view, std::vector<std::string_view>>;

class TreeRules {
 public:
  TreeRules(const SyntaxTree& tree,
            const TokenizedText& source,
            const std::set<std::string>& own_files,
            BfloatConversions conversions)
      : tree_(tree),
        source_(source),
        own_files_(own_files),
        conversions_(conversions) {}

  void check_nodes() {
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const SyntaxNode& node = tree_.nodes[i];
      if (own_files_.count(tree_.file_of(node)) == 0 ||
          has_flag(node, "implicit") || is_generated(node)) {
        continue;
      }
      check_address_space(node);
      check_global(i);
      check_bfloat(i);
      check_condition(i);
    }
  }

  void check_recursion() {
    const Calls calls = call_graph();
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const SyntaxNode& node = tree_.nodes[i];
      if (is_function(node) && own_files_.count(tree_.file_of(node)) != 0 &&
          has_body(i) && reaches_itself(calls, first_address(node))) {
        report(node,
               "recursion",
               "`" + std::string(declared_name(node)) +
                   "` calls itself, directly or through others; use a loop");
      }
    }
  }

  Findings take_findings() { return std::move(findings_); }

 private:
  void report(const SyntaxNode& node,
              std::string_view rule,
              std::string sentence) {
    findings_.push_back({tree_.file_of(node),
                         node.line,
                         std::string(rule),
                         std::move(sentence)});
  }

  // The front end gives structs copies, and functions overloads that take
  // temporaries; their author wrote no such declaration in the line.
  bool is_generated(const SyntaxNode& node) const {
    const SyntaxNode& around = tree_.nodes[node.parent];
    if (node.kind == "ParmVarDecl" && is_function(around) &&
        is_generated(around)) {
      return true;
    }
    const std::string_view name = declared_name(node);
    return has_flag(node, "default") ||
           ((is_function(node) || is_variable(node)) && !name.empty() &&
            !is_written(node, name));
  }

  bool is_written(const SyntaxNode& node, std::string_view name) const {
    // An operator's name is several tokens, that of a constructor of a template
    // carries the template's parameters.
    const bool is_operator = name.starts_with("operator");
    const std::string_view word =
        is_operator ? "operator" : name.substr(0, name.find('<'));
    for (std::size_t i = 0; i + 1 < source_.tokens.size(); ++i) {
      const Token& token = source_.tokens[i];
      const bool is_declared =
          is_operator || !is_function(node) || source_.tokens[i + 1].is("(");
      if (token.line == node.line && token.is(word) && is_declared &&
          source_.file_of(token) == tree_.file_of(node)) {
        return true;
      }
    }
    return false;
  }

  static bool is_variable(const SyntaxNode& node) {
    return node.kind == "VarDecl" || node.kind == "ParmVarDecl" ||
           node.kind == "FieldDecl";
  }

  static bool is_explicit_cast(const SyntaxNode& node) {
    return node.kind == "CStyleCastExpr" ||
           node.kind == "CXXReinterpretCastExpr" ||
           // To an rvalue: the front end's moves, see add_constant_copies.
           (node.kind == "CXXStaticCastExpr" && !has_flag(node, "xvalue")) ||
           node.kind == "CXXFunctionalCastExpr";
  }

  void check_address_space(const SyntaxNode& node) {
    std::string_view type = written_type(node);
    if (is_function(node)) {
      type = type.substr(0, std::min(type.find('('), type.size()));
    } else if (!is_variable(node) && !is_explicit_cast(node)) {
      return;
    }
    // A pointer to a function, `T (*)(...)`, is another rule's business.
    if (!contains(type, "__generic") || contains(type, "lambda at") ||
        contains(type, ")(") || names_an_address_space(node)) {
      return;
    }
    const bool is_reference = contains(type, "&");
    const std::string what = is_variable(node) || is_function(node)
                                 ? "`" + std::string(declared_name(node)) + "`"
                                 : "the type of this cast";
    report(node,
           "address-space",
           what + (is_function(node) ? " returns " : " is ") +
               (is_reference ? "a reference" : "a pointer") +
               " without an address space; write device, constant, "
               "threadgroup or thread");
  }

  // Whether the author wrote an address space (or let one be deduced) in the
  // declaration or the cast that stands at this place.
  bool names_an_address_space(const SyntaxNode& node) const {
    const std::string_view name = declared_name(node);
    for (std::size_t i = 0; i < source_.tokens.size(); ++i) {
      const Token& token = source_.tokens[i];
      if (token.line != node.line ||
          source_.file_of(token) != tree_.file_of(node)) {
        continue;
      }
      const bool is_place = name.empty() || token.is(name);
      if (is_place && has_space_before(i, /*whole_line=*/name.empty())) {
        return true;
      }
    }
    return false;
  }

  bool has_space_before(std::size_t index, bool whole_line) const {
    if (is_address_space_word(source_.tokens[index])) {
      return true;
    }
    for (std::size_t i = index; i-- > 0;) {
      const Token& token = source_.tokens[i];
      const bool is_end = token.is(";") || token.is("{") || token.is("}") ||
                          token.is(",") || token.is("(");
      if (whole_line ? token.line != source_.tokens[index].line : is_end) {
        return false;
      }
      if (is_address_space_word(token)) {
        return true;
      }
    }
    return false;
  }

  bool has_body(std::size_t function) const {
    for (std::size_t i = function + 1; i < tree_.nodes[function].end; ++i) {
      if (tree_.nodes[i].parent == function &&
          tree_.nodes[i].kind == "CompoundStmt") {
        return true;
      }
    }
    return false;
  }

  bool is_inside_function(std::size_t index) const {
    for (std::size_t i = tree_.nodes[index].parent; i != 0;
         i = tree_.nodes[i].parent) {
      if (is_function(tree_.nodes[i]) || tree_.nodes[i].kind == "LambdaExpr") {
        return true;
      }
    }
    return false;
  }

  void check_global(std::size_t index) {
    const SyntaxNode& node = tree_.nodes[index];
    if (node.kind != "VarDecl" || is_inside_function(index)) {
      return;
    }
    const std::string_view type = outer_type(written_type(node));
    if (contains(type, "__constant") || !contains(type, "__")) {
      return;
    }
    report(node,
           "global-variable",
           "`" + std::string(declared_name(node)) + "` is a " +
               (is_type(tree_.nodes[node.parent]) ? "static member"
                                                  : "global variable") +
               " outside the constant address space; write `constant`");
  }

  // `<UserDefinedConversion>` of a call of bfloat's conversion to float.
  bool is_from_bfloat(std::size_t index) const {
    return index + 3 < tree_.nodes.size() &&
           has_flag(tree_.nodes[index], "<UserDefinedConversion>") &&
           contains(tree_.nodes[index + 2].detail, ".operator ") &&
           contains(written_type(tree_.nodes[index + 3]), "bfloat");
  }

  // Metal turns a bfloat into a float unasked, not into a half. What it refuses
  // to turn into a bfloat, the simulator's class refuses as well.
  void check_bfloat(std::size_t index) {
    const SyntaxNode& node = tree_.nodes[index];
    if (node.kind != "ImplicitCastExpr" ||
        has_flag(node, "part_of_explicit_cast")) {
      return;
    }
    const bool is_strict = conversions_ == BfloatConversions::kAllExplicit;
    const SyntaxNode& around = tree_.nodes[node.parent];
    const bool is_to_half = around.kind == "ImplicitCastExpr" &&
                            !has_flag(around, "part_of_explicit_cast") &&
                            contains(canonical_type(around), "half");
    if (is_from_bfloat(index) && (is_strict || is_to_half)) {
      report(node,
             "bfloat-conversion",
             "implicit conversion from bfloat; write the type's name, as in "
             "float(x)");
    } else if (is_strict && has_flag(node, "<ConstructorConversion>") &&
               contains(written_type(node), "bfloat")) {
      report(node,
             "bfloat-conversion",
             "implicit conversion to bfloat; write bfloat(x)");
    }
  }

  void check_condition(std::size_t index) {
    const SyntaxNode& node = tree_.nodes[index];
    if (node.kind != "ConditionalOperator" || index + 1 >= tree_.nodes.size()) {
      return;
    }
    if (contains(canonical_type(tree_.nodes[index + 1]), "ext_vector_type")) {
      report(node,
             "vector-condition",
             "the condition of `?:` is a vector; use select(b, a, condition)");
    }
  }

  // Of all declarations of one function the first stands for it.
  std::string_view first_address(const SyntaxNode& function) const {
    const auto found = first_declarations_.find(function.address);
    return found == first_declarations_.end() ? function.address
                                              : found->second;
  }

  void find_first_declarations() {
    for (const SyntaxNode& node : tree_.nodes) {
      const std::string_view previous = is_function(node)
                                            ? address_behind(node, "prev ")
                                            : std::string_view{};
      if (!previous.empty()) {
        const auto found = first_declarations_.find(previous);
        first_declarations_[node.address] =
            found == first_declarations_.end() ? previous : found->second;
      }
    }
  }

  Calls call_graph() {
    find_first_declarations();
    Calls calls;
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const std::string_view callee = callee_of(tree_.nodes[i]);
      const SyntaxNode* caller = callee.empty() ? nullptr : function_around(i);
      if (caller != nullptr) {
        const auto found = first_declarations_.find(callee);
        calls[first_address(*caller)].push_back(
            found == first_declarations_.end() ? callee : found->second);
      }
    }
    return calls;
  }

  static std::string_view callee_of(const SyntaxNode& node) {
    if (node.kind == "DeclRefExpr") {
      const std::string_view function = address_behind(node, " Function ");
      return function.empty() ? address_behind(node, " CXXMethod ") : function;
    }
    if (node.kind == "MemberExpr" &&
        contains(node.detail, "<bound member function type>")) {
      const std::size_t last = node.detail.rfind("0x");
      return last == node.detail.npos
                 ? std::string_view{}
                 : node.detail.substr(last, node.detail.find(' ', last) - last);
    }
    return {};
  }

  const SyntaxNode* function_around(std::size_t index) const {
    for (std::size_t i = tree_.nodes[index].parent; i != 0;
         i = tree_.nodes[i].parent) {
      if (is_function(tree_.nodes[i])) {
        return &tree_.nodes[i];
      }
    }
    return nullptr;
  }

  static bool reaches_itself(const Calls& calls, std::string_view start) {
    std::set<std::string_view> reached;
    std::vector<std::string_view> open = {start};
    while (!open.empty() && reached.count(start) == 0) {
      const auto callees = calls.find(open.back());
      open.pop_back();
      if (callees == calls.end()) {
        continue;
      }
      for (std::string_view callee : callees->second) {
        const bool is_new = reached.insert(callee).second;
        open.insert(open.end(), is_new ? 1 : 0, callee);
      }
    }
    return reached.count(start) != 0;
  }

  const SyntaxTree& tree_;
  const TokenizedText& source_;
  const std::set<std::string>& own_files_;
  BfloatConversions conversions_;
  std::map<std::string_view, std::string_view> first_declarations_;
  Findings findings_;
};

}  // namespace

Findings check_syntax_tree(const SyntaxTree& tree,
                           const TokenizedText& source,
                           const std::set<std::string>& own_files,
                           BfloatConversions conversions) {
  TreeRules rules(tree, source, own_files, conversions);
  rules.check_nodes();
  rules.check_recursion();
  return rules.take_findings();
}

std::set<std::string> declared_names(const SyntaxTree& tree,
                                     const std::set<std::string>& own_files) {
  std::set<std::string> names;
  for (const SyntaxNode& node : tree.nodes) {
    const std::string_view name = declared_name(node);
    if (!name.empty() && own_files.count(tree.file_of(node)) != 0) {
      names.emplace(name);
    }
  }
  return names;
}

}  // namespace flash_attn_mps::simulator
