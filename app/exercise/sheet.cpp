#include "exercise/sheet.h"

#include "base/file.h"
#include "base/number.h"
#include "catalog/characters.h"
#include "catalog/expression.h"
#include "catalog/toml_reader.h"
#include "lesson/figures.h"
#include "lesson/formula.h"

#include <fmt/format.h>

#include <algorithm>

namespace exercise {
namespace {

namespace fs = std::filesystem;

constexpr size_t largest_sheet = 256 << 10; // bytes
constexpr size_t most_items = 64, most_variables = 16, most_values = 256;
constexpr int largest_value = 1 << 20;

bool is_variable(std::string_view name) {
    return !name.empty() && name.size() <= 20 && !(name[0] >= '0' && name[0] <= '9') &&
           std::all_of(name.begin(), name.end(), catalog::is_word);
}

bool is_item_id(std::string_view id) { // it is a file's name, a column's and a key's
    return !id.empty() && id.size() <= 40 && std::all_of(id.begin(), id.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

class SheetReader : catalog::TomlReader {
public:
    SheetReader(const fs::path& file, const Exercises& known) : TomlReader(file.string()), known_(known) {
        sheet_.path = file;
        sheet_.id = file.stem().string();
    }

    base::Result<Sheet> read(const std::string& toml) {
        if (toml.size() > largest_sheet)
            return base::Error{base::Failure::usage, base::say("the file has {} bytes", toml.size()), path(),
                               base::say("a sheet may have {}", largest_sheet)};
        const toml::table root = parse(toml);
        if (!error()) read_root(root);
        if (error()) return *error();
        return std::move(sheet_);
    }

private:
    void read_root(const toml::table& root) {
        known_keys(root, {"title", "text", "item"});
        if (const auto* title = need(root, "title", "title = { en = \"...\", zh = \"...\" }"))
            sheet_.title = both_languages(*title, "title");
        if (const auto* text = root.get("text")) sheet_.text = both_languages(*text, "text");
        const auto items = tables(root, "item");
        if (items.empty()) fail(root.source(), base::say("the sheet has no item"), base::say("add [[item]]"));
        if (!bounded(root, "item", items.size(), most_items)) return;
        for (const toml::table* item : items) read_item(*item);
    }

    void read_item(const toml::table& table) {
        known_keys(table, {"id", "points", "draw", "ask", "answer", "within", "kernel", "parameters", "size", "moment",
                           "warp", "lane", "access", "exercise", "race"});
        Item item;
        item.line = line_of(table);
        if (const auto* id = need(table, "id", "id = \"sectors\"")) item.id = text_of(*id, "id");
        if (!is_item_id(item.id))
            fail(table.source(), base::say("\"{}\" is not an id", item.id),
                 base::say("use lower-case letters, digits and _, at most {}", 40));
        for (const Item& other : sheet_.items)
            if (other.id == item.id)
                fail(table.source(), base::say("there are two items \"{}\"", item.id), base::say("rename one"));
        if (const auto* points = table.get("points")) item.points = number_of(*points, "points", 0, 1000);
        if (const auto* ask = need(table, "ask", "ask = { en = \"...\", zh = \"...\" }"))
            item.ask = both_languages(*ask, "ask");
        read_draw(table, item);
        check_places(table, item);
        if (table.contains("exercise") + table.contains("answer") + table.contains("race") != 1)
            return fail(table.source(), base::say("an item has an answer, an exercise or a race"),
                        base::say("write answer = \"...\", exercise = \"...\" or race = [\"...\"]"));
        if (const auto* exercise = table.get("exercise")) read_exercise(*exercise, item);
        else if (const auto* race = table.get("race")) read_races(table, *race, item);
        else read_answer(table, item);
        sheet_.items.push_back(std::move(item));
    }

    int number_of(const toml::node& node, const char* key, int least, int most) {
        const int value = whole_number(node, key);
        if (!error() && (value < least || value > most))
            fail(node.source(), base::say("{} = {}", key, value), base::say("write {} to {}", least, most));
        return value;
    }

    void read_draw(const toml::table& table, Item& item) {
        const toml::node* node = table.get("draw");
        if (!node) return;
        const toml::table* draw = node->as_table();
        if (!draw)
            return fail(node->source(), base::say("\"draw\" should be a table"),
                        base::say("write draw = {{ BX = [8, 16], m = \"33..300\" }}"));
        if (!bounded(table, "draw", draw->size(), most_variables)) return;
        for (auto&& [key, value] : *draw) {
            const std::string name(key.str());
            if (!is_variable(name))
                fail(key.source(), base::say("\"{}\" is not a name here", name),
                     base::say("use letters, digits and _"));
            item.draw.emplace_back(name, values_of(value, name));
        }
    }

    Drawn values_of(const toml::node& node, const std::string& name) {
        const auto wrong = [&] {
            fail(node.source(), base::say("{} is drawn from nothing", name),
                 base::say("write a list of whole numbers, [8, 16, 32], or a range, \"33..300\""));
            return Drawn{std::vector<int>{1}};
        };
        if (const toml::array* array = node.as_array()) {
            std::vector<int> values;
            if (array->empty() || array->size() > most_values) return wrong();
            for (const toml::node& value : *array)
                values.push_back(number_of(value, name.c_str(), -largest_value, largest_value));
            return values;
        }
        const auto text = node.value_exact<std::string>();
        const size_t dots = text ? text->find("..") : std::string::npos;
        if (dots == std::string::npos) return wrong();
        const auto least = base::parse_integer(text->substr(0, dots), name, 0, largest_value);
        const auto most = base::parse_integer(text->substr(dots + 2), name, 0, largest_value);
        if (!least || !most || *least > *most) return wrong();
        return SizePattern::Range{static_cast<int>(*least), static_cast<int>(*most)};
    }

    // {BX} in the question names a variable.
    void check_places(const toml::table& table, const Item& item) {
        for (const std::string* text : {&item.ask.en, &item.ask.zh})
            for (size_t at = text->find('{'); at != text->npos; at = text->find('{', at + 1)) {
                const std::string name = text->substr(at + 1, text->find('}', at) - at - 1);
                if (!has_variable(item, name))
                    fail(table.get("ask")->source(), base::say("there is no variable \"{}\"", name),
                         base::say("name it in draw"));
            }
    }
    static bool has_variable(const Item& item, const std::string& name) {
        return std::any_of(item.draw.begin(), item.draw.end(), [&](const auto& one) { return one.first == name; });
    }

    void read_exercise(const toml::node& node, Item& item) {
        const std::string name = text_of(node, "exercise");
        if (error()) return;
        if ((item.exercise = known_.find(name))) return;
        auto read = exercise::read(sheet_.path.parent_path() / name);
        if (!read)
            return fail(node.source(), base::say("the exercise \"{}\": {}", name, read.error().said()),
                        base::say("give an id that \"gemmscope grade\" lists, or a folder relative to the sheet"));
        item.exercise = std::make_shared<const Exercise>(std::move(*read));
    }

    void read_races(const toml::table& table, const toml::node& node, Item& item) {
        item.races = texts(table, "race", most_values);
        if (item.races.empty())
            fail(node.source(), base::say("the list of races is empty"),
                 base::say("name kernels of \"gemmscope list\" with a planted mistake, race = [\"mirror\"]"));
    }

    void read_answer(const toml::table& table, Item& item) {
        item.answer = text_of(*table.get("answer"), "answer");
        optional_text(table, "kernel", item.kernel);
        optional_text(table, "moment", item.moment);
        if (const auto* within = table.get("within")) {
            item.within = within->value<double>().value_or(-1);
            if (!(item.within >= 0 && item.within <= 1))
                fail(within->source(), base::say("\"within\" should be a share"), base::say("write 0 to 1"));
        }
        if (const auto* parameters = table.get("parameters")) read_parameters(*parameters, item);
        if (const auto* size = table.get("size")) read_size(*size, item);
        if (const auto* warp = table.get("warp")) item.warp = expression_of(*warp, "warp", item);
        if (const auto* lane = table.get("lane")) item.lane = expression_of(*lane, "lane", item);
        if (const auto* access = table.get("access")) read_access(*access, item);
        check_answer(table, item);
    }

    std::vector<std::string> names(const Item& item, std::initializer_list<const char*> more = {}) {
        std::vector<std::string> all(more.begin(), more.end());
        for (const auto& [name, drawn] : item.draw) all.push_back(name);
        return all;
    }

    // A whole number, or a text with an expression.
    std::string expression_of(const toml::node& node, const char* key, const Item& item,
                              std::initializer_list<const char*> more = {}) {
        if (const auto number = node.value_exact<int64_t>()) return std::to_string(*number);
        std::string text = text_of(node, key);
        if (error()) return text;
        if (const auto parsed = catalog::Expression::parse(text, names(item, more)); !parsed)
            fail(node.source(), parsed.error().what, parsed.error().todo);
        return text;
    }

    void read_parameters(const toml::node& node, Item& item) {
        const toml::table* table = node.as_table();
        if (!table)
            return fail(node.source(), base::say("\"parameters\" should be a table"),
                        base::say("write parameters = {{ BX = \"BX\", BY = 16 }}"));
        for (auto&& [key, value] : *table)
            item.parameters[std::string(key.str())] = expression_of(value, std::string(key.str()).c_str(), item);
    }

    void read_size(const toml::node& node, Item& item) {
        const toml::array* array = node.as_array();
        if (!array || array->size() != 3)
            return fail(node.source(), base::say("\"size\" should be M, N and K"),
                        base::say("write size = [256, 256, \"k\"]"));
        for (size_t i = 0; i < 3; ++i) item.size[i] = expression_of(*array->get(i), "size", item);
    }

    void read_access(const toml::node& node, Item& item) {
        const toml::table* table = node.as_table();
        if (!table)
            return fail(node.source(), base::say("\"access\" should be a table"),
                        base::say("write access = {{ bytes = 4, offset = \"lane * s * 4\" }}"));
        known_keys(*table, {"op", "bytes", "offset"});
        WarpAccess access;
        if (const auto* op = table->get("op")) {
            const std::string name = text_of(*op, "op");
            if (name != "load" && name != "store")
                fail(op->source(), base::say("unknown op \"{}\"", name), base::say("write \"load\" or \"store\""));
            access.load = name != "store";
        }
        if (const auto* bytes = table->get("bytes")) {
            access.bytes = whole_number(*bytes, "bytes");
            if (access.bytes != 4 && access.bytes != 8 && access.bytes != 16)
                fail(bytes->source(), base::say("bytes = {}", access.bytes), base::say("write 4, 8 or 16"));
        }
        if (const auto* offset = need(*table, "offset", "offset = \"lane * 4\""))
            access.offset = expression_of(*offset, "offset", item, {"lane"});
        item.access = std::move(access);
    }

    void check_answer(const toml::table& table, const Item& item) {
        const toml::node& node = *table.get("answer");
        if (lesson::is_measured(item.answer))
            return fail(node.source(), base::say("a speed is not graded: it depends on the machine"),
                        base::say("bound a count"));
        if (item.access && !item.kernel.empty())
            return fail(node.source(), base::say("an item has a kernel or an access"), base::say("leave one out"));
        std::vector<std::string> known = names(item);
        if (item.access) known.insert(known.end(), {"access.wavefronts", "access.ideal", "access.excessive"});
        else if (!item.kernel.empty())
            for (const std::string& name : lesson::Figures::names()) known.push_back(name);
        for (const std::string& name : lesson::names_in(item.answer)) {
            const bool of_lane = !item.kernel.empty() && name.starts_with("selected.");
            if (!of_lane && std::find(known.begin(), known.end(), name) == known.end())
                fail(node.source(), base::say("there is no figure \"{}\"", name),
                     item.kernel.empty() ? base::say("name a kernel, or an access and its access.wavefronts")
                                         : base::say("see the list of figures in docs/lessons.md"));
        }
    }

    const Exercises& known_;
    Sheet sheet_;
};

} // namespace

int Sheet::points() const {
    int sum = 0;
    for (const Item& item : items) sum += item.points;
    return sum;
}

base::Result<Sheet> parse_sheet(const std::string& toml, const fs::path& file, const Exercises& known) {
    return SheetReader(file, known).read(toml);
}

base::Result<Sheet> read_sheet(const fs::path& file, const Exercises& known) {
    auto toml = base::read_file(file);
    if (!toml) return toml.error();
    return parse_sheet(*toml, file, known);
}

} // namespace exercise
