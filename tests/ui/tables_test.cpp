// Every view's text twin, as `gemmscope render VIEW --table` prints it: of kernels of every kind, with the figures of its picture.
#include "stage.h"

#include "base/file.h"
#include "session/view_fields.h"
#include "ui/draw/text_table.h"
#include "ui/window/window.h"

#include <algorithm>

#include <unistd.h>

namespace ui {
namespace {

std::vector<Table> tables_of(const std::string& what, const session::View& view,
                             const std::filesystem::path& kernels = kernel_folder()) {
    session::Options options;
    options.kernel_folders = {kernels};
    options.assets = std::filesystem::path(SOURCE_DIR) / "assets";
    options.worker = "false"; // ends at once: no GPU here
    RenderOptions wish;
    wish.what = what;
    wish.assets = options.assets;
    auto found = tables(std::move(options), view, wish);
    EXPECT_TRUE(found.ok()) << what << ": " << (found ? "" : found.error().said().english());
    return found ? *std::move(found) : std::vector<Table>();
}

Table table_of(const std::string& what, const session::View& view) {
    const auto found = tables_of(what, view);
    EXPECT_EQ(found.size(), 1u) << what;
    return found.empty() ? Table() : found.front();
}

const std::string& cell(const Table& table, size_t row, const std::string& head) {
    static const std::string none;
    const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                 [&](const TableColumn& column) { return column.head == head; });
    EXPECT_NE(at, table.columns.end()) << "no column " << head;
    const auto column = static_cast<size_t>(at - table.columns.begin());
    return row < table.rows.size() && column < table.rows[row].size() ? table.rows[row][column] : none;
}

bool says(const Table& table, const std::string& words) {
    return std::any_of(table.notes.begin(), table.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

// What a view cannot show of a kernel it says in a sentence, as its picture does.
struct Kind {
    const char* kernel;
    catalog::Problem size;
    std::vector<std::string> without{}; // views that have nothing to show
};
const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all{
        {"naive", {64, 64, 32}, {"banks", "shared"}},
        {"double_buffer", {256, 256, 64}},
        {"bulk_copy", {256, 256, 64}},
        {"tensor_bf16", {256, 256, 128}, {"banks"}},
        {"dgemm_tensor", {128, 128, 64}},
        {"binary_tiled", {64, 64, 64}},
        {"out_of_core", {256, 256, 64}},
        {"add_one", {64, 64, 1}, {"banks", "shared", "compare"}}, // there is no rung below it
    };
    return all;
}

TEST(Tables, EveryViewHasOneOfEveryKindOfKernel) {
    for (const Kind& kind : kinds()) {
        session::View view = view_of(kind.kernel, kind.size);
        view.speed_problem = {1024, 1024, 1024};
        const std::vector<Table> all = tables_of("window", view);
        ASSERT_EQ(all.size(), panels().size());
        for (size_t i = 0; i < all.size(); ++i) {
            const Table& table = all[i];
            const std::string id = panels()[i].id;
            SCOPED_TRACE(std::string(kind.kernel) + ", " + id);
            EXPECT_FALSE(table.title.empty());
            ASSERT_FALSE(table.notes.empty()) << "of which kernel";
            for (const TableColumn& column : table.columns) EXPECT_FALSE(column.head.empty());
            for (const auto& row : table.rows) {
                EXPECT_LE(row.size(), table.columns.size());
                EXPECT_FALSE(row.front().empty()) << "each row says what it is about";
            }
            const bool nothing = std::find(kind.without.begin(), kind.without.end(), id) != kind.without.end();
            EXPECT_EQ(table.rows.empty(), nothing) << aligned_text(table);
            if (nothing) {
                EXPECT_GT(table.notes.size(), 1u) << "why there are no rows";
            }
        }
    }
}

TEST(Tables, HaveTheirWordsInBothLanguages) {
    session::View view = view_of("shared_tile", {64, 64, 32});
    view.language = session::Language::zh;
    for (const Table& table : tables_of("window", view)) {
        EXPECT_TRUE(std::any_of(table.title.begin(), table.title.end(), [](char c) { return c & 0x80; }))
            << table.title;
        for (const TableColumn& column : table.columns)
            EXPECT_EQ(column.head.find("column_"), std::string::npos) << column.head << ": a key without its words";
    }
}

TEST(Tables, OfBanksSayTheWavefrontOfEachLane) {
    const Table table = table_of("banks", view_of("shared_tile", {64, 64, 32}));
    EXPECT_TRUE(says(table, "8-way bank conflict: 32 wavefronts, ideal 4")) << aligned_text(table);
    ASSERT_EQ(table.rows.size(), 32u);
    for (size_t row = 0; row < 32; ++row) {
        EXPECT_EQ(cell(table, row, "lane"), std::to_string(row));
        EXPECT_EQ(cell(table, row, "wavefront"), std::to_string(row + 1));
        EXPECT_EQ(cell(table, row, "banks"), "0..3");
    }
}

TEST(Tables, OfSectorsSayWhatShareOfTheBytesIsUsed) {
    const Table table = table_of("sectors", view_of("naive_uncoalesced", {256, 256, 32}));
    EXPECT_TRUE(says(table, "32 sectors, ideal 4")) << aligned_text(table);
    EXPECT_TRUE(says(table, "128 of 1024 bytes")) << aligned_text(table);
    EXPECT_EQ(table.rows.size(), 32u);
}

// Through registers, by cp.async, by TMA; in machine code and in PTX.
TEST(Tables, OfSharedMemorySayWhichElementAWordIs) {
    for (const char* kernel : {"shared_tile", "async_copy", "bulk_copy", "persistent", "tensor_bf16", "champion"})
        for (const session::Engine engine : {session::Engine::machine, session::Engine::ptx}) {
            SCOPED_TRACE(std::string(kernel) + (engine == session::Engine::ptx ? ", PTX" : ", machine code"));
            session::View view = view_of(kernel, {256, 256, 128});
            view.subject.engine = engine;
            const Table table = table_of("shared", view);
            size_t of_a = 0, of_b = 0;
            for (size_t row = 0; row < table.rows.size(); ++row) {
                const std::string& element = cell(table, row, "element");
                of_a += element.starts_with("A["), of_b += element.starts_with("B[");
            }
            EXPECT_GT(8 * of_a, table.rows.size());
            EXPECT_GT(8 * of_b, table.rows.size());
        }
}

TEST(Tables, OfTheTimelineHaveEveryWarpAndAddUp) {
    session::View view = view_of("double_buffer");
    view.time_axis = session::TimeAxis::order;
    const Table table = table_of("timeline", view);
    std::set<std::string> warps;
    for (size_t row = 0; row < table.rows.size(); ++row) {
        warps.insert(cell(table, row, "warp"));
        uint64_t sum = 0;
        for (size_t column = 4; column < table.rows[row].size(); ++column) sum += std::stoull(table.rows[row][column]);
        EXPECT_EQ(sum, std::stoull(cell(table, row, "last step")) - std::stoull(cell(table, row, "first step")) + 1);
    }
    EXPECT_EQ(warps.size(), 8u);
}

TEST(Tables, OfTheTimelineInCyclesSayWhereEachOfThemWent) {
    session::View view = view_of("double_buffer");
    const Table table = table_of("timeline", view);
    EXPECT_TRUE(says(table, "predicted, not validated: Block:")) << aligned_text(table);
    size_t first_reason = 0;
    while (table.columns[first_reason].head != "issued") ++first_reason;
    std::set<std::string> warps;
    const auto number = [&](size_t row, const char* column) { return std::stoull(cell(table, row, column)); };
    for (size_t row = 0; row < table.rows.size(); ++row) {
        warps.insert(cell(table, row, "warp"));
        EXPECT_EQ(number(row, "sub-core"), number(row, "warp") % 4);
        EXPECT_EQ(number(row, "issued"), number(row, "last step") - number(row, "first step") + 1);
        uint64_t sum = 0;
        for (size_t column = first_reason; column < table.rows[row].size(); ++column)
            sum += std::stoull(table.rows[row][column]);
        EXPECT_EQ(sum, number(row, "last cycle") - number(row, "first cycle") + 1);
    }
    EXPECT_EQ(warps.size(), 8u);

    view.what_if.reuse_cache = false;
    EXPECT_TRUE(says(table_of("timeline", view), "No GPU has this switch")) << "and nobody takes it for one";
    view.subject.engine = session::Engine::ptx;
    const Table order = table_of("timeline", view);
    EXPECT_TRUE(says(order, "No cycles: only machine code has times")) << aligned_text(order);
    EXPECT_EQ(order.columns[4].head, "global load") << "the order of execution in its place";
}

TEST(Tables, OfTheSourceAddUpToWhatTheInstructionsLose) {
    session::View view = view_of("double_buffer");
    const Table source = table_of("source", view);
    view.code_tab = session::CodeTab::machine;
    const Table sass = table_of("source", view);
    EXPECT_TRUE(says(source, "Predicted cycles"));
    EXPECT_TRUE(says(sass, "Predicted cycles"));
    const auto lost_of = [](const Table& table, const std::string& line) {
        uint64_t sum = 0;
        for (size_t row = 0; row < table.rows.size(); ++row) {
            std::string lost = cell(table, row, "lost, pred.");
            std::erase(lost, ',');
            if (cell(table, row, "line") == line && !lost.empty()) sum += std::stoull(lost);
        }
        return sum;
    };
    size_t lines = 0;
    for (size_t row = 0; row < source.rows.size(); ++row) {
        const std::string line = cell(source, row, "line");
        if (lost_of(source, line) == 0) continue;
        EXPECT_EQ(lost_of(source, line), lost_of(sass, line)) << line;
        EXPECT_NE(cell(source, row, "to"), "");
        ++lines;
    }
    EXPECT_GT(lines, 10u);
}

TEST(Tables, OfSharedMemoryNameArrayElementAndWhoReads) {
    const Table table = table_of("shared", view_of("shared_tile", {64, 64, 32}));
    ASSERT_EQ(table.rows.size(), 2048u);
    EXPECT_EQ(cell(table, 0, "array"), "As[0]");
    EXPECT_EQ(cell(table, 1024, "array"), "Bs[0]");
    EXPECT_EQ(cell(table, 33, "banks"), "1");
    EXPECT_EQ(cell(table, 32, "element"), "A[1][0]");
    EXPECT_EQ(cell(table, 32, "at this step"), "read by lane 1");
}

TEST(Tables, OfPlotsHaveARowForEachBarPointAndCell) {
    session::View view = view_of("double_buffer");
    const Table ladder = table_of("ladder_plot", view);
    EXPECT_EQ(ladder.rows.back().front(), "cuBLAS FP32");
    EXPECT_EQ(cell(ladder, ladder.rows.size() - 1, "of cuBLAS"), "100.0");
    const Table roofline = table_of("roofline", view);
    EXPECT_EQ(roofline.rows.size(), ladder.rows.size() - 1) << "cuBLAS has no place there";
    EXPECT_TRUE(says(roofline, "Roof: L2, measured: 9218 GB/s")) << aligned_text(roofline);
    for (size_t row = 0; row < roofline.rows.size(); ++row)
        EXPECT_GT(std::stod(cell(roofline, row, "arithmetic intensity")), 0) << row;
    view.parameter = "BM", view.second_parameter = "BN";
    const Table map = table_of("parameter", view);
    EXPECT_EQ(map.rows.size(), 25u) << aligned_text(map);
    view.second_parameter = "-";
    EXPECT_EQ(table_of("parameter", view).rows.size(), 5u);
}

TEST(Tables, OfNumbersAndTheSourceHoldTheFindings) {
    session::View view = view_of("shared_tile", {64, 64, 32});
    view.subject.breaks = {"no_first_barrier"};
    const Table numbers = table_of("numbers", view), source = table_of("source", view);
    const auto race = [](const std::vector<std::string>& row) {
        return std::any_of(row.begin(), row.end(), [](const std::string& words) {
            return words.find("race") != std::string::npos || words.find("barrier") != std::string::npos;
        });
    };
    EXPECT_TRUE(std::any_of(numbers.rows.begin(), numbers.rows.end(), race)) << aligned_text(numbers);
    EXPECT_TRUE(std::any_of(source.rows.begin(), source.rows.end(), race)) << aligned_text(source);
}

TEST(Tables, OfNumbersSayWhereTheCodeComputesOnOtherUnitsThanTheFileSays) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("units_" + std::to_string(::getpid()));
    std::string text = *base::read_file(kernel_folder() / "binary_tiled.cu");
    const std::string operands = "operands = \"b1\"\n";
    ASSERT_NE(text.find(operands), std::string::npos);
    text.insert(text.find(operands), "tensor_cores = true\n");
    ASSERT_TRUE(base::write_file(folder / "binary_tiled.cu", text));
    ASSERT_TRUE(base::write_file(folder / "families.toml", *base::read_file(kernel_folder() / "families.toml")));
    const session::View view = view_of("binary_tiled", {64, 64, 64});
    const auto wrong = tables_of("numbers", view, folder), right = tables_of("numbers", view);
    std::filesystem::remove_all(folder);
    ASSERT_EQ(wrong.size(), 1u);
    EXPECT_TRUE(says(wrong.front(), "but none multiplies")) << aligned_text(wrong.front());
    EXPECT_FALSE(says(right.front(), "but none multiplies"));
}

TEST(Tables, OfAComparisonHaveBothSidesAndTheLinesThatDiffer) {
    session::View view = view_of("shared_tile_padded", {64, 64, 32});
    view.baseline = view.subject;
    view.baseline->kernel = "shared_tile";
    const Table table = table_of("compare", view);
    const auto row_of = [&](const std::string& what) {
        return std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[0] == what; });
    };
    ASSERT_NE(row_of("Costliest shared load"), table.rows.end()) << aligned_text(table);
    EXPECT_NE((*row_of("Costliest shared load"))[1], (*row_of("Costliest shared load"))[2]);
    EXPECT_NE(row_of("source line"), table.rows.end());
}

// In the window the twin is drawn from the same value that the command prints.
TEST(Tables, InTheWindowAreTheOnesThatAreCopied) {
    const session::View view = view_of("shared_tile", {64, 64, 32});
    Stage stage(view);
    stage.show(draw_banks);
    stage.edit([](session::View& next) { next.table = true; });
    static std::string copied;
    ImGui::GetIO().SetClipboardTextFn = [](void*, const char* text) { copied = text; };
    stage.click_mark("table.copy");
    EXPECT_EQ(copied, tab_separated(table_of("banks", view)));
}

// A recording has up to a million blocks. To make a row of each for every frame took a picture of 262,144 twice as long.
TEST(Tables, OfMillionsOfRowsMakeThoseThatAreShown) {
    Stage stage(view_of("shared_tile", {64, 64, 32}));
    int made = 0;
    LongTable table;
    table.head.columns = {{"block"}};
    table.count = 1 << 20;
    table.row = [&](size_t i) { return ++made, std::vector{std::to_string(i)}; };
    table.widest = {table.count - 1};
    stage.show([&](Context& context) { draw_table(context, table); });
    stage.frames(2);
    made = 0;
    stage.frame();
    EXPECT_GT(made, 10);
    EXPECT_LT(made, 200);
}

TEST(Tables, OfWhatIsNoViewAreRefused) {
    session::Options options;
    options.kernel_folders = {kernel_folder()};
    RenderOptions wish;
    wish.assets = std::filesystem::path(SOURCE_DIR) / "assets";
    for (const char* what : {"lessons", "start", "lesson", "nothing"}) {
        wish.what = what;
        EXPECT_FALSE(tables(options, {}, wish).ok()) << what;
    }
}

} // namespace
} // namespace ui
