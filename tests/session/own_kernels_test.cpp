// The folder of one's own kernels: copies, starters, drafts, versions; and what is wrong with a text while it is typed.
#include "fixture.h"
#include "session/own_kernels.h"

#include "base/file.h"
#include "base/text.h"
#include "session/source_check.h"

namespace {

namespace fs = std::filesystem;

using session::OwnKernels;

fs::path samples() { return fs::path(SOURCE_DIR) / "kernels"; }

std::string sample_text(const std::string& kernel) { return *base::read_file(samples() / (kernel + ".cu")); }

catalog::Kernel sample_of(const std::string& kernel) {
    return *catalog::parse(sample_text(kernel), samples() / (kernel + ".cu"));
}

std::string with(std::string text, const std::string& before, const std::string& after) {
    const size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return text.replace(at, before.size(), after);
}

struct Own {
    fixture::Folder place;
    OwnKernels kernels{place.path / "kernels", samples()};
};

TEST(OwnKernels, EveryShippedKernelCanBeCopied) {
    const catalog::Catalog all = catalog::load({samples()});
    for (const auto& sample : all.kernels) {
        const std::string text = session::as_own(*sample);
        const auto own = catalog::parse(text, "my_" + sample->id + ".cu");
        ASSERT_TRUE(own) << own.error().sentence();
        EXPECT_EQ(own->id, "my_" + sample->id);
        EXPECT_EQ(own->function, sample->function);
        EXPECT_EQ(own->family, "own");
        EXPECT_NE(own->title.en, sample->title.en);
        EXPECT_EQ(base::lines(text).size(), base::lines(sample->source).size()) << "the cursor stays where it is";
        EXPECT_EQ(own->breaks.size(), sample->breaks.size());
    }
}

TEST(OwnKernels, ADescriptionWithoutFamilyAndRungGetsThem) {
    const std::string text =
        "/* gemmscope\n[launch]\nblock = [\"32\"]\ngrid = [\"1\"]\n*/\n__global__ void f(int M, int N, int K, "
        "float alpha, const float* A, const float* B, float beta, float* C) {}\n";
    const auto sample = catalog::parse(text, "f.cu");
    ASSERT_TRUE(sample) << sample.error().sentence();
    const auto own = catalog::parse(session::as_own(*sample), "my_f.cu");
    ASSERT_TRUE(own) << own.error().sentence();
    EXPECT_EQ(own->function, "f");
}

TEST(OwnKernels, CopiesHaveNamesOfTheirOwn) {
    const Own own;
    const auto first = own.kernels.copy(sample_of("tile")), second = own.kernels.copy(sample_of("tile"));
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->filename(), "my_tile.cu");
    EXPECT_EQ(second->filename(), "my_tile_2.cu");
    EXPECT_TRUE(own.kernels.is_sample(samples() / "tile.cu")) << "although this folder may be written";
    EXPECT_FALSE(own.kernels.is_sample(*first));
    EXPECT_TRUE(own.kernels.sample(*first) == *base::read_file(*first));
    EXPECT_TRUE(fs::exists(own.kernels.folder() / "my_tile" / "sample.cu"));
}

TEST(OwnKernels, AStarterGoesOnWhereItIs) {
    const Own own;
    const std::string starter = session::as_own(sample_of("tile"));
    const auto file = own.kernels.start("coalesce", starter);
    ASSERT_TRUE(file) << file.error().sentence();
    ASSERT_TRUE(own.kernels.compile(*file, starter + "// mine\n", starter).ok());
    EXPECT_EQ(*own.kernels.start("coalesce", starter), *file);
    EXPECT_EQ(*base::read_file(*file), starter + "// mine\n");
    EXPECT_EQ(own.kernels.sample(*file), starter);
    for (const std::string wrong : {"", "../up", ".hidden", "a/b"})
        EXPECT_FALSE(own.kernels.start(wrong, starter)) << wrong;
    EXPECT_FALSE(own.kernels.start("large", std::string(2 << 20, ' ')));
}

// As a power cut may leave it: the disk is not waited for.
TEST(OwnKernels, AnEmptyFileIsNoKernelAndNoSample) {
    const Own own;
    const fs::path file = *own.kernels.start("mine", "0"), sample = own.kernels.history(file) / "sample.cu";
    for (const fs::path& each : {file, sample}) fs::resize_file(each, 0);
    EXPECT_FALSE(own.kernels.sample(file));
    EXPECT_EQ(*own.kernels.start("mine", "1"), file);
    EXPECT_EQ(*base::read_file(file), "1");
    EXPECT_EQ(own.kernels.sample(file), "1");
    fs::resize_file(sample, 0);
    ASSERT_TRUE(own.kernels.compile(file, "2", "1").ok());
    EXPECT_EQ(own.kernels.sample(file), "1");
}

TEST(OwnKernels, VersionsAreKeptTheLatestFirstWithinBounds) {
    const Own own;
    const fs::path file = *own.kernels.start("mine", "0");
    EXPECT_TRUE(own.kernels.versions(file).empty());
    ASSERT_TRUE(own.kernels.compile(file, "1", "0").ok());
    ASSERT_TRUE(own.kernels.compile(file, "1", "1").ok());
    EXPECT_EQ(own.kernels.versions(file).size(), 1u) << "the same text is no further version";
    for (int i = 2; i < 150; ++i) ASSERT_TRUE(own.kernels.compile(file, std::to_string(i), "").ok());
    const auto versions = own.kernels.versions(file);
    ASSERT_EQ(versions.size(), OwnKernels::most_versions);
    EXPECT_EQ(*own.kernels.text_of(versions.front()), "149");
    EXPECT_EQ(*own.kernels.text_of(versions.back()), "50");
    EXPECT_EQ(versions.front().time.size(), std::string("2026-11-24 03:15:20").size());
    for (int i = 0; i < 6; ++i)
        ASSERT_TRUE(own.kernels.keep_version(file, std::string(1 << 20, static_cast<char>('a' + i))).ok());
    EXPECT_LE(own.kernels.versions(file).size(), 4u) << "bytes are bounded, too";
    EXPECT_EQ(own.kernels.sample(file), "0");
}

TEST(OwnKernels, ADraftIsFoundAndAFileWrittenAfterIt) {
    const Own own;
    const fs::path file = *own.kernels.start("mine", "0");
    EXPECT_FALSE(own.kernels.draft(file));
    ASSERT_TRUE(base::write_file(own.kernels.draft_file(file), "typed").ok());
    fs::last_write_time(file, fs::last_write_time(own.kernels.draft_file(file)) - std::chrono::hours(1));
    ASSERT_TRUE(own.kernels.draft(file));
    EXPECT_EQ(own.kernels.draft(file)->text, "typed");
    EXPECT_FALSE(own.kernels.draft(file)->newer_file);
    fs::last_write_time(file, fs::last_write_time(own.kernels.draft_file(file)) + std::chrono::hours(1));
    EXPECT_TRUE(own.kernels.draft(file)->newer_file);
    ASSERT_TRUE(base::write_file(own.kernels.draft_file(file), std::string(2 << 20, ' ')).ok());
    EXPECT_FALSE(own.kernels.draft(file)) << "no text that the window could have typed";
}

TEST(OwnKernels, AFileElsewhereHasItsHistoryInTheFolder) {
    const Own own;
    const fs::path file = own.place.path / "elsewhere.cu", other = own.place.path / "other" / "elsewhere.cu";
    ASSERT_TRUE(base::write_file(file, "0").ok());
    ASSERT_TRUE(own.kernels.compile(file, "1", "0").ok());
    EXPECT_EQ(*base::read_file(file), "1") << "in its place";
    EXPECT_EQ(own.kernels.sample(file), "0") << "as it was before";
    EXPECT_EQ(own.kernels.versions(file).size(), 1u);
    EXPECT_TRUE(own.kernels.history(file).string().starts_with(own.kernels.folder().string()));
    EXPECT_NE(own.kernels.history(file), own.kernels.history(other));
}

TEST(SourceCheck, FaultsStandAtTheirLines) {
    const session::Subject like = fixture::small("tile").subject;
    const auto faults = [&](const std::string& text) { return session::faults_of(text, "tile.cu", like); };
    const std::string right = sample_text("tile");
    const auto line_of = [&](const std::string& words) {
        return std::count(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(right.find(words)), '\n') + 1;
    };
    EXPECT_TRUE(faults(right).empty());
    auto found = faults(with(right, "float sum = 0;", "float sum = zero;"));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].error);
    EXPECT_EQ(found[0].line, line_of("float sum = 0;"));
    EXPECT_NE(found[0].text.english().find("zero"), std::string::npos);
    found = faults(with(right, "rung = 3", "rung = three"));
    ASSERT_EQ(found.size(), 1u) << "what the description says wrong";
    EXPECT_EQ(found[0].line, line_of("rung = 3"));
    found = faults("int x;");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].text.english().find("describe itself"), std::string::npos);
    EXPECT_TRUE(faults(with(right, "values = [8, 16, 32]", "values = [8, 16]\n# ") + "").size() >= 1)
        << "initial is not among them";
}

TEST(SourceCheck, OnlyTheLastTextIsChecked) {
    session::SourceCheck check({});
    const session::Subject like = fixture::small("tile").subject;
    const std::string right = sample_text("tile");
    check.want(1, with(right, "float sum = 0;", "float sum = zero;"), "tile.cu", like);
    check.want(2, right, "tile.cu", like);
    check.wait();
    check.collect();
    ASSERT_TRUE(check.last());
    EXPECT_EQ(check.last()->revision, 2u);
    EXPECT_TRUE(check.last()->faults.empty());
    check.forget();
    EXPECT_FALSE(check.last());
}

// As the window does it: a copy is made and followed, then written again.
TEST(OwnKernels, TheSessionFollowsWhatWasWritten) {
    const Own own;
    auto options = fixture::options();
    options.own_kernels = own.kernels.folder();
    options.interactive = true;
    session::Session session(options);
    session::View view = fixture::small("tile");
    view.subject.parameters = {{"TILE", 16}};
    session.apply(view, {});
    session.wait();
    const auto write_and_follow = [&](const fs::path& file, const std::string& text) {
        ASSERT_TRUE(own.kernels.compile(file, text, text).ok());
        session::Commands commands;
        commands.follow = file;
        session.apply(session.view(), commands);
        session.wait();
    };
    const fs::path file = *own.kernels.copy(sample_of("tile"));
    const std::string text = *base::read_file(file);
    write_and_follow(file, text);
    EXPECT_EQ(session.view().subject.kernel, "my_tile");
    EXPECT_EQ(session.view().subject.parameters, (catalog::Values{{"TILE", 16}})) << "the sliders stay";
    ASSERT_TRUE(session.products().grid.value);
    EXPECT_TRUE(session.products().grid.value->verification->passed);
    EXPECT_NE(session.catalog().find("tile"), nullptr) << "and so does the sample";
    // Before the watch looks: what was written is read at once. The moment is that of the same line.
    const auto line = [&] {
        const auto& block = session.products().block.value;
        const auto& event = block->trace.events[session.view().selection.event];
        return block->trace.listing->instructions[event.pc].source_line;
    };
    const int before = line();
    write_and_follow(file, with(text, "float sum = 0;", "float sum = 0;\n\n\n    sum += 1;"));
    EXPECT_FALSE(session.products().grid.value->verification->passed);
    EXPECT_EQ(line(), before + 3);
    // A description that cannot be read: the kernel stays, and it is said why.
    (void)session.take_notices();
    write_and_follow(file, "int x;");
    EXPECT_FALSE(session.take_notices().empty());
    EXPECT_EQ(session.view().subject.kernel, "my_tile");
    EXPECT_NE(session.kernel(), nullptr);
}

} // namespace
