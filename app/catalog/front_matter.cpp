// The TOML in a kernel file's first comment, checked while it is read.
#include "catalog/front_matter.h"

#include "catalog/catalog.h"
#include "catalog/characters.h"
#include "catalog/rules.h"
#include "catalog/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

namespace catalog {
namespace {

constexpr std::string_view marker = "gemmscope";

struct FrontMatter {
    std::string toml;  // after as many empty lines as precede it in the file, so that its line numbers are the file's
    size_t end = 0;    // of the comment, in the file's text; npos: it has none
    uint32_t line = 1; // that it begins on
};

uint32_t line_at(std::string_view text, size_t at) {
    return 1 + static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n'));
}

std::optional<FrontMatter> find_front_matter(std::string_view text) {
    size_t start = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
    auto skip_space = [&] {
        while (start < text.size() && is_space(text[start])) ++start;
    };
    skip_space();
    if (!text.substr(start).starts_with("/*")) return {};
    start += 2;
    skip_space();
    if (!text.substr(start).starts_with(marker)) return {};
    start += marker.size();
    if (start == text.size() || !is_space(text[start])) return {};
    const uint32_t line = line_at(text, start);
    const size_t end = text.find("*/", start);
    if (end == text.npos) return FrontMatter{{}, end, line};
    return FrontMatter{std::string(line - 1, '\n') + std::string(text.substr(start, end - start)), end + 2, line};
}

bool is_identifier(std::string_view name) {
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
           std::all_of(name.begin(), name.end(), is_word);
}

bool is_architecture(std::string_view name) { // "sm_90", "sm_90a"
    if (!name.starts_with("sm_")) return false;
    name.remove_prefix(3);
    if (name.ends_with('a')) name.remove_suffix(1);
    return name.size() >= 2 && name.size() <= 3 &&
           std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool contains_word(std::string_view text, std::string_view word) {
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        size_t end = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
}

// Reads one kernel.
class Reader : TomlReader {
public:
    Reader(const std::string& text, const std::filesystem::path& path, std::span<const Family> families)
        : TomlReader(path.string()), families_(families) {
        kernel_.path = path.string();
        kernel_.source = text;
        kernel_.id = kernel_.function = path.stem().string();
    }

    base::Result<Kernel> read();

private:
    void read_root(const toml::table&);
    void read_head(const toml::table&);
    void read_truth(const toml::table&, std::string_view key, bool& into);
    void read_family(const toml::node&);
    void read_operation(const toml::node&);
    void read_operands(const toml::node&);
    void read_tensor_cores(const toml::table&);
    void read_row_alignment(const toml::node&);
    void read_managed(const toml::node&);
    void read_parameter(const toml::table&);
    void read_words(const toml::node&, Parameter&);
    void read_rule(const toml::table&);
    void read_look(const toml::node&);
    void read_break(const toml::table&);
    std::vector<std::string> kinds_of_finding(const toml::node&);
    std::string edit_text(const toml::table&, std::string_view key);
    void place_breaks(const FrontMatter&);
    void read_launch(const toml::table&);
    void read_tensor_map(const toml::table&);
    void read_stream(const toml::table&);
    void read_shape(const toml::table&, std::string_view key, std::string& x, std::string& y);
    std::string expression_of(const toml::node&, std::string_view key, bool with_problem);
    std::string launch_expression(const toml::node&, std::string_view key);
    void check_expression(const toml::node&, const std::string& text, bool with_problem);
    void check_source(const FrontMatter&);
    void check_initial_values();

    std::span<const Family> families_;
    Kernel kernel_;
    // Where what is checked at the end stands in the file; 0: nowhere.
    uint32_t function_line_ = 0, rounding_line_ = 0, managed_line_ = 0, launch_line_ = 0, stream_line_ = 0;
    std::vector<uint32_t> rule_lines_, break_lines_;
};

void Reader::read_head(const toml::table& root) {
    known_keys(root,
               {"family",     "rung",   "provenance", "function", "operation", "operands",    "row_alignment", "arch",
                "title",      "idea",   "story",      "tuned",    "rounding",  "parameter",   "rule",          "launch",
                "tensor_map", "stream", "managed",    "look",     "break",     "tensor_cores"});
    kernel_.family = "own"; // of a file that does not say
    if (const toml::node* family = root.get("family")) read_family(*family);
    kernel_.title = {kernel_.id, kernel_.id};
    optional_text(root, "provenance", kernel_.provenance);
    optional_text(root, "function", kernel_.function);
    if (const toml::node* function = root.get("function")) function_line_ = function->source().begin.line;
    if (const toml::node* operation = root.get("operation")) read_operation(*operation);
    if (const toml::node* operands = root.get("operands")) read_operands(*operands);
    read_tensor_cores(root);
    if (const toml::node* bytes = root.get("row_alignment")) read_row_alignment(*bytes);
    optional_text(root, "arch", kernel_.arch);
    if (const toml::node* arch = root.get("arch"); arch && !is_architecture(kernel_.arch))
        fail(arch->source(), base::say("\"{}\" is not an architecture", kernel_.arch),
             base::say("say \"sm_90\" for that and later ones, \"sm_90a\" for that one alone"));
    read_truth(root, "tuned", kernel_.starts_tuned);
    if (const toml::node* rung = root.get("rung")) kernel_.rung = whole_number(*rung, "rung");
    if (const toml::node* title = root.get("title")) kernel_.title = both_languages(*title, "title");
    if (const toml::node* idea = root.get("idea")) kernel_.idea = both_languages(*idea, "idea");
    if (const toml::node* story = root.get("story")) kernel_.story = both_languages(*story, "story");
    if (const toml::node* look = root.get("look")) read_look(*look);
}

void Reader::read_truth(const toml::table& table, std::string_view key, bool& into) {
    const toml::node* node = table.get(key);
    if (node && !node->is_boolean())
        fail(node->source(), base::say("\"{}\" should be true or false", key),
             base::say("write it without quotation marks"));
    else if (node) into = *node->value<bool>();
}

void Reader::read_family(const toml::node& node) {
    kernel_.family = text_of(node, "family");
    const auto is_it = [&](const Family& family) { return family.id == kernel_.family; };
    if (families_.empty() || std::any_of(families_.begin(), families_.end(), is_it)) return;
    std::vector<std::string> ids;
    for (const Family& family : families_) ids.push_back(family.id);
    fail(node.source(), base::say("there is no family \"{}\"", kernel_.family),
         base::say("choose one of {}, or describe it in a families.toml beside the file", base::names(ids)));
}

void Reader::read_operation(const toml::node& node) {
    const std::string name = text_of(node, "operation");
    if (auto operation = operation_named(name)) kernel_.operation = *operation;
    else
        fail(node.source(), base::say("operation cannot be \"{}\"", name),
             base::say("choose product, add_one, pack_rows or pack_columns"));
}

void Reader::read_operands(const toml::node& node) {
    if (kernel_.operation != Operation::product)
        return fail(node.source(), base::say("only a product has operands of a type of its own"),
                    base::say("leave the line out"));
    const std::string name = text_of(node, "operands");
    if (auto type = operand_type_named(name)) kernel_.operands = *type;
    else
        fail(node.source(), base::say("operands cannot be \"{}\"", name),
             base::say("choose f32, tf32, bf16, f64 or b1"));
}

void Reader::read_tensor_cores(const toml::table& root) {
    const toml::node* node = root.get("tensor_cores");
    if (node && !multiplied_either_way(kernel_.operands))
        return fail(node->source(), base::say("TF32 and bf16 are multiplied by tensor cores alone"),
                    base::say("leave the line out"));
    read_truth(root, "tensor_cores", kernel_.tensor_cores);
}

void Reader::read_row_alignment(const toml::node& node) {
    const int bytes = whole_number(node, "row_alignment");
    if (bytes == 0) return;
    if (kernel_.operation != Operation::product)
        return fail(node.source(), base::say("only a product has aligned rows"), base::say("leave the line out"));
    if (kernel_.operands == OperandType::b1)
        return fail(node.source(), base::say("matrices of bits have no aligned rows"), base::say("leave the line out"));
    const int least = static_cast<int>(base::bytes_of(result_of(kernel_.operands)));
    if (bytes < least || bytes > most_row_alignment || (bytes & (bytes - 1)) != 0)
        return fail(node.source(), base::say("rows cannot be aligned to {} bytes", bytes),
                    base::say("choose a power of two, {} to {}", least, most_row_alignment));
    kernel_.row_alignment = static_cast<uint32_t>(bytes);
}

void Reader::read_managed(const toml::node& node) {
    if (kernel_.operation != Operation::product || kernel_.stream)
        return fail(node.source(), base::say("only a product that is not streamed has managed matrices"),
                    base::say("leave the line out"));
    kernel_.managed = expression_of(node, "managed", false);
    managed_line_ = node.source().begin.line;
}

void Reader::read_parameter(const toml::table& table) {
    constexpr size_t most_parameters = 64; // searches descend as deep as there are parameters
    if (kernel_.parameters.size() == most_parameters)
        return fail(table.source(), base::say("there are more than {} parameters", most_parameters),
                    base::say("leave some out"));
    known_keys(table, {"name", "values", "initial", "label", "meaning", "words", "variant", "host"});
    const toml::node* name = need(table, "name", "name = \"TILE\"");
    const toml::node* values = need(table, "values", "values = [8, 16, 32]");
    if (!name || !values) return;
    Parameter parameter;
    parameter.name = text_of(*name, "name");
    bool is_taken = parameter.name == "M" || parameter.name == "N" || parameter.name == "K" ||
                    find_parameter(kernel_, parameter.name);
    if (!is_identifier(parameter.name))
        fail(name->source(), base::say("\"{}\" is not a name", parameter.name),
             base::say("write it as in C++: letters, digits and _, no digit first"));
    if (is_taken)
        fail(name->source(), base::say("the name {} is already taken", parameter.name),
             base::say("choose another; M, N and K are the sizes of the matrices"));
    if (!values->is_array() || values->as_array()->empty()) {
        fail(values->source(), base::say("\"values\" should be a list of whole numbers"),
             base::say("write values = [8, 16, 32]"));
        return;
    }
    for (const toml::node& value : *values->as_array()) parameter.values.push_back(whole_number(value, "values"));
    bool ascending = std::adjacent_find(parameter.values.begin(), parameter.values.end(), std::greater_equal<>()) ==
                     parameter.values.end();
    if (!ascending)
        fail(values->source(), base::say("the values of {} should ascend", parameter.name),
             base::say("write the smallest first, each once"));
    const toml::node* initial = table.get("initial");
    parameter.initial = initial ? whole_number(*initial, "initial") : parameter.values.front();
    if (std::find(parameter.values.begin(), parameter.values.end(), parameter.initial) == parameter.values.end())
        fail(initial->source(),
             base::say("the initial value of {}, {}, is not among its values", parameter.name, parameter.initial),
             base::say("choose one of {}", base::names(parameter.values)));
    if (const toml::node* label = table.get("label")) parameter.label = both_languages(*label, "label");
    if (const toml::node* meaning = table.get("meaning")) parameter.meaning = both_languages(*meaning, "meaning");
    if (const toml::node* words = table.get("words")) read_words(*words, parameter);
    read_truth(table, "host", parameter.host);
    read_truth(table, "variant", parameter.variant);
    parameter.variant |= parameter.host;
    kernel_.parameters.push_back(std::move(parameter));
}

void Reader::read_words(const toml::node& node, Parameter& parameter) {
    const toml::array* words = node.as_array();
    if (!words || words->size() != parameter.values.size())
        return fail(node.source(),
                    base::say("\"words\" should be a list with a text for each value of {}", parameter.name),
                    base::say("write words = [{{ en = \"off\", zh = \"关\" }}, {{ en = \"on\", zh = \"开\" }}]"));
    for (const toml::node& word : *words) parameter.words.push_back(both_languages(word, "words"));
}

void Reader::read_look(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table)
        return fail(node.source(), base::say("\"look\" should be a view and a sentence"),
                    base::say("write look = {{ view = \"banks\", en = \"...\", zh = \"...\" }}"));
    known_keys(*table, {"view", "en", "zh"});
    const toml::node *view = need(*table, "view", "view = \"banks\""), *en = need(*table, "en", "en = \"...\"");
    if (!view || !en) return;
    kernel_.look.view = text_of(*view, "view");
    if (!is_identifier(kernel_.look.view))
        fail(view->source(), base::say("\"{}\" is not the name of a view", kernel_.look.view),
             base::say("gemmscope render --help lists them"));
    kernel_.look.say.en = kernel_.look.say.zh = text_of(*en, "en");
    optional_text(*table, "zh", kernel_.look.say.zh);
}

// Without the line end that a text in three quotation marks may end with: lines are compared and counted.
std::string Reader::edit_text(const toml::table& table, std::string_view key) {
    const toml::node* node = need(table, key, fmt::format("{} = \"...\"", key));
    std::string text = node ? text_of(*node, key) : std::string();
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

// "shared_race", or several.
std::vector<std::string> Reader::kinds_of_finding(const toml::node& node) {
    std::vector<std::string> kinds;
    const toml::array* list = node.as_array();
    if (!list) kinds.push_back(text_of(node, "finding"));
    else
        for (const toml::node& one : *list) kinds.push_back(text_of(one, "finding"));
    for (const std::string& kind : kinds)
        if (!is_identifier(kind))
            fail(node.source(), base::say("\"{}\" is not a kind of finding", kind),
                 base::say("write what gemmscope check reports, such as shared_race, or wrong_result"));
    if (kinds.empty())
        fail(node.source(), base::say("no kind of finding is named"),
             base::say("write what gemmscope check reports, such as shared_race"));
    return kinds;
}

void Reader::read_break(const toml::table& table) {
    constexpr size_t most = 32;
    known_keys(table, {"name", "label", "look", "find", "replace", "finding", "when"});
    const toml::node* name = need(table, "name", "name = \"no_second_barrier\"");
    const toml::node* label = need(table, "label", "label = { en = \"...\", zh = \"...\" }");
    const toml::node* finding = need(table, "finding", "finding = \"shared_race\"");
    if (!name || !label || !finding) return;
    Break one;
    one.name = text_of(*name, "name");
    one.label = both_languages(*label, "label");
    if (const toml::node* look = table.get("look")) one.look = both_languages(*look, "look");
    one.findings = kinds_of_finding(*finding);
    if (const toml::node* when = table.get("when")) {
        one.when = text_of(*when, "when");
        check_expression(*when, one.when, true);
    }
    one.find = edit_text(table, "find");
    one.replace = edit_text(table, "replace");
    const auto is_same = [&](const Break& other) { return other.name == one.name; };
    if (!is_identifier(one.name))
        fail(name->source(), base::say("\"{}\" is not a name", one.name),
             base::say("write it as in C++: letters, digits and _, no digit first"));
    if (std::any_of(kernel_.breaks.begin(), kernel_.breaks.end(), is_same))
        fail(name->source(), base::say("there is already a planted mistake {}", one.name),
             base::say("choose another name"));
    if (kernel_.breaks.size() == most)
        fail(table.source(), base::say("more than {} planted mistakes", most), base::say("leave some out"));
    kernel_.breaks.push_back(std::move(one));
    break_lines_.push_back(table.source().begin.line);
}

// In the code, once its comment is known to have an end.
void Reader::place_breaks(const FrontMatter& front) {
    for (size_t i = 0; i < kernel_.breaks.size(); ++i) {
        Break& one = kernel_.breaks[i];
        const auto wrong = [&](base::Sentence what, base::Sentence todo) {
            fail_at(break_lines_[i], base::say("the planted mistake {} {}", one.name, what), std::move(todo));
        };
        if (one.find.empty() || one.find == one.replace) {
            wrong(base::say("changes nothing"), base::say("give \"find\" and \"replace\" texts that differ"));
            continue;
        }
        // A reader who edits the code may well take the text away: the kernel is right without its mistakes.
        one.at = kernel_.source.find(one.find, front.end);
        if (one.at != std::string::npos && kernel_.source.find(one.find, one.at + 1) != std::string::npos)
            one.at = std::string::npos;
        if (std::count(one.find.begin(), one.find.end(), '\n') !=
            std::count(one.replace.begin(), one.replace.end(), '\n'))
            wrong(base::say("changes the number of lines"),
                  base::say("keep it, or findings would name other lines than the file's"));
    }
}

void Reader::read_rule(const toml::table& table) {
    known_keys(table, {"expression", "reason"});
    const toml::node* expression = need(table, "expression", "expression = \"BM % TM == 0\"");
    const toml::node* reason = need(table, "reason", "reason = \"The sentence that is shown where it does not hold.\"");
    if (!expression || !reason) return;
    Rule rule{text_of(*expression, "expression"), both_languages(*reason, "reason")};
    check_expression(*expression, rule.expression, false);
    kernel_.rules.push_back(std::move(rule));
    rule_lines_.push_back(expression->source().begin.line);
}

void Reader::read_launch(const toml::table& table) {
    launch_line_ = table.source().begin.line;
    known_keys(table, {"block", "grid", "dynamic_shared"});
    read_shape(table, "block", kernel_.block_x, kernel_.block_y);
    read_shape(table, "grid", kernel_.grid_x, kernel_.grid_y);
    const toml::node* bytes = table.get("dynamic_shared");
    kernel_.dynamic_shared = bytes ? launch_expression(*bytes, "dynamic_shared") : "0";
}

void Reader::read_shape(const toml::table& table, std::string_view key, std::string& x, std::string& y) {
    x = y = "1";
    const toml::node* node = need(table, key, fmt::format("{} = [\"x\", \"y\"]", key));
    if (!node) return;
    const toml::array* sizes = node->as_array();
    if (!sizes || sizes->empty() || sizes->size() > 2) {
        fail(node->source(), base::say("\"{}\" should be a list of one or two expressions", key),
             base::say("write {} = [\"x\", \"y\"]", key));
        return;
    }
    x = launch_expression(*sizes->get(0), key);
    if (sizes->size() == 2) y = launch_expression(*sizes->get(1), key);
}

void Reader::read_tensor_map(const toml::table& table) {
    known_keys(table, {"of", "box", "swizzle", "element"});
    const toml::node *of = need(table, "of", "of = \"A\""), *box = need(table, "box", "box = [\"BM\", \"BK\"]");
    const toml::node* swizzle = table.get("swizzle");
    if (!of || !box) return;
    if (kernel_.operation != Operation::product)
        return fail(of->source(), base::say("only a product has tensor maps"), base::say("leave the table out"));
    if (kernel_.operands == OperandType::b1)
        return fail(of->source(), base::say("a kernel of bits has no tensor maps"),
                    base::say("copy its tiles with cp.async, or choose other operands"));
    TensorMap map;
    map.line = static_cast<int>(table.source().begin.line);
    const std::string name = text_of(*of, "of");
    if (name != "A" && name != "B" && name != "C")
        return fail(of->source(), base::say("there is no matrix \"{}\"", name), base::say("choose A, B or C"));
    map.of = name[0];
    const toml::array* sizes = box->as_array();
    if (!sizes || sizes->size() != 2)
        return fail(box->source(), base::say("\"box\" should be a list of two expressions"),
                    base::say("write box = [\"rows\", \"columns\"]"));
    map.rows = launch_expression(*sizes->get(0), "box");
    map.columns = launch_expression(*sizes->get(1), "box");
    map.swizzle = swizzle ? launch_expression(*swizzle, "swizzle") : "0";
    if (const toml::node* element = table.get("element")) {
        map.to_tf32 = text_of(*element, "element") == "tf32";
        if (!map.to_tf32 || kernel_.operands != OperandType::tf32 || map.of == 'C')
            return fail(element->source(), base::say("only boxes of A and B of a kernel of TF32 can be rounded to it"),
                        base::say("write element = \"tf32\" there, or leave it out"));
    }
    kernel_.tensor_maps.push_back(std::move(map));
}

void Reader::read_stream(const toml::table& table) {
    known_keys(table, {"tile", "depth", "buffers", "cap_mb", "copy_gb_s", "gflops"});
    if (kernel_.operands == OperandType::b1 || !kernel_.tensor_maps.empty())
        return fail(table.source(), base::say("a kernel of bits or with tensor maps cannot be streamed"),
                    base::say("take floats or doubles through plain pointers"));
    if (kernel_.row_alignment > 0)
        return fail(table.source(), base::say("a kernel of aligned rows cannot be streamed"),
                    base::say("leave row_alignment out: pieces have no padding"));
    stream_line_ = table.source().begin.line;
    Stream stream;
    const std::pair<const char*, std::string*> expressions[] = {
        {"depth", &stream.depth}, {"buffers", &stream.buffers}, {"cap_mb", &stream.cap_mb}};
    for (auto [key, into] : expressions)
        if (const toml::node* node = need(table, key, fmt::format("{} = \"...\"", key)))
            *into = launch_expression(*node, key);
    read_shape(table, "tile", stream.rows, stream.columns);
    for (auto [key, into] : {std::pair{"copy_gb_s", &stream.copy_gb_s}, {"gflops", &stream.gflops}}) {
        const toml::node* node = need(table, key, fmt::format("{} = 50", key));
        if (node) *into = whole_number(*node, key);
        if (node && *into < 1) fail(node->source(), base::say("\"{}\" should be at least 1", key));
    }
    kernel_.stream = std::move(stream);
}

// `with_problem`: M, N and K are known, too.
std::string Reader::expression_of(const toml::node& node, std::string_view key, bool with_problem) {
    std::string text = node.is_integer() ? std::to_string(*node.value<int64_t>()) : text_of(node, key);
    check_expression(node, text, with_problem);
    return text;
}

std::string Reader::launch_expression(const toml::node& node, std::string_view key) {
    return expression_of(node, key, true);
}

void Reader::check_expression(const toml::node& node, const std::string& text, bool with_problem) {
    std::vector<std::string> names = parameter_names(kernel_);
    if (with_problem) names.insert(names.end(), {"M", "N", "K"});
    if (error()) return;
    if (auto expression = Expression::parse(text, names); !expression)
        fail(node.source(), expression.error().what, base::say("known names: {}", base::names(names)));
}

void Reader::check_source(const FrontMatter& front) {
    const std::string_view source = kernel_.source;
    const uint32_t line = function_line_ > 0 ? function_line_ : line_at(source, front.end);
    if (!is_identifier(kernel_.function))
        fail_at(line, base::say("\"{}\" is not a function's name", kernel_.function),
                function_line_ > 0 ? base::say("write the name as it stands in the source")
                                   : base::say("rename the file, or say function = \"...\""));
    if (!contains_word(source.substr(front.end), kernel_.function))
        fail_at(line, base::say("the source has no function {}", kernel_.function),
                function_line_ > 0 ? base::say("write the name as it stands in the source")
                                   : base::say("rename the file, or say function = \"...\""));
}

void Reader::check_initial_values() {
    if (error()) return;
    kernel_.compiled_rules = std::make_shared<const Rules>(kernel_);
    const Values values = initial_values(kernel_);
    if (const auto broken = kernel_.compiled_rules->first_broken(row_of(kernel_, values)))
        fail_at(rule_lines_[*broken],
                base::say("the initial values break the rule \"{}\"", kernel_.rules[*broken].expression),
                base::say("change an \"initial\", or the rule"));
    if (auto times = rounding(kernel_, values); !times) fail_at(rounding_line_, times.error().what, times.error().todo);
    if (auto where = placement(kernel_, values); !where) fail_at(managed_line_, where.error().what, where.error().todo);
    if (kernel_.stream)
        if (auto shape = stream_shape(kernel_, values, {}); !shape)
            fail_at(stream_line_, shape.error().what, shape.error().todo);
    if (auto shape = launch_shape(kernel_, values, {}); !shape) {
        const base::Error& wrong = shape.error();
        if (wrong.where.empty()) fail_at(launch_line_, wrong.what, wrong.todo);
        else fail(wrong); // it knows the line
    }
}

void Reader::read_root(const toml::table& root) {
    read_head(root);
    for (const toml::table* parameter : tables(root, "parameter")) read_parameter(*parameter);
    for (const toml::table* rule : tables(root, "rule")) read_rule(*rule);
    for (const toml::table* map : tables(root, "tensor_map")) read_tensor_map(*map);
    for (const toml::table* mistake : tables(root, "break")) read_break(*mistake);
    if (const toml::node* stream = root.get("stream")) {
        if (stream->is_table()) read_stream(*stream->as_table());
        else
            fail(stream->source(), base::say("\"stream\" should be a table"),
                 base::say("write its keys below a line [stream]"));
    }
    if (const toml::node* rounding = root.get("rounding")) {
        kernel_.rounding = expression_of(*rounding, "rounding", false);
        rounding_line_ = rounding->source().begin.line;
    }
    if (const toml::node* managed = root.get("managed")) read_managed(*managed);
    const toml::node* launch = need(root, "launch", "[launch] with block = [\"x\", \"y\"] and grid = [\"x\", \"y\"]");
    if (launch && launch->is_table()) read_launch(*launch->as_table());
    else if (launch)
        fail(launch->source(), base::say("\"launch\" should be a table"),
             base::say("write block and grid below a line [launch]"));
}

base::Result<Kernel> Reader::read() {
    auto front = find_front_matter(kernel_.source);
    if (!front) {
        return base::Error{
            base::Failure::usage, base::say("the file does not describe itself"), path() + ":1",
            base::say("begin it with a comment /* gemmscope ... */ that holds its parameters and launch shape")};
    }
    if (front->end == std::string::npos) {
        fail_at(front->line, base::say("the comment that describes the kernel has no end"),
                base::say("close it with */ before the code"));
        return *error();
    }
    const toml::table root = parse(front->toml);
    if (!error()) read_root(root);
    check_source(*front);
    if (!error()) place_breaks(*front);
    check_initial_values();
    if (error()) return *error();
    return std::move(kernel_);
}

} // namespace

base::Result<Kernel> parse(const std::string& text, const std::filesystem::path& path,
                           std::span<const Family> families) {
    return Reader(text, path, families).read();
}

bool describes_itself(std::string_view text) { return find_front_matter(text).has_value(); }

} // namespace catalog
