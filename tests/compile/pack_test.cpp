// The pack of compiled kernels: from a cache into a file and back. tests/scripts/pack_test.sh has lessons told from one.
#include "base/file.h"
#include "compile/cache.h"
#include "compile/kept_name.h"
#include "compile/pack.h"
#include "compile/wire.h"
#include "scratch.h"

#include <gtest/gtest.h>

namespace {
namespace cache = compile::cache;
namespace wire = compile::wire;

const std::string ptx_key(32, '0'), code_key(32, '1');

class Pack : public testing::Test {
protected:
    static std::filesystem::path file(const scratch::Folder& folder) { return folder.path() / "kernels.pack"; }
    static compile::NvrtcFacts nvrtc() { return {"/opt/libnvrtc.so", "13.0", "104", {90, 100}, {"/opt/include"}}; }
    static base::Result<size_t> write() {
        return compile::write_pack(file(folder()), nvrtc(), {"/opt/ptxas", "13.0.88"});
    }
    static const scratch::Folder& folder() {
        static const scratch::Folder one;
        return one;
    }
    void SetUp() override {
        ::setenv("GEMMSCOPE_CACHE", folder().path().c_str(), 1);
        std::filesystem::remove_all(folder().path() / "compile");
        ptx.text = ".version 9.0", ptx.entry = "k";
        code.cubin.assign(5, std::byte{7}), code.entry = "k", code.arch = "sm_90";
    }
    void store() const {
        cache::store(ptx_key, wire::to_fields(ptx));
        cache::store(code_key, wire::to_fields(code));
    }
    compile::Ptx ptx;
    compile::MachineCode code;
};

TEST_F(Pack, HoldsWhatTheCacheHeld) {
    store();
    const auto kernels = write();
    ASSERT_TRUE(kernels) << kernels.error().sentence();
    EXPECT_EQ(*kernels, 1u) << "PTX and its machine code are one";
    const auto pack = compile::Pack::open(file(folder()));
    ASSERT_TRUE(pack) << pack.error().sentence();
    EXPECT_EQ(pack->kernels(), 1u);
    EXPECT_EQ(pack->nvrtc().version, "13.0");
    EXPECT_EQ(pack->nvrtc().build, "104");
    EXPECT_EQ(pack->nvrtc().include_folders, nvrtc().include_folders) << "keys count them";
    EXPECT_EQ(pack->nvrtc().path, "") << "of a machine that built it";
    EXPECT_EQ(pack->ptxas().version, "13.0.88");
    EXPECT_EQ(pack->find(ptx_key), wire::to_fields(ptx));
    EXPECT_EQ(pack->find(code_key), wire::to_fields(code));
    EXPECT_EQ(pack->find(std::string(32, '2')), std::nullopt);
}

TEST_F(Pack, IsNotBelievedWhereItIsDamaged) {
    store();
    ASSERT_TRUE(write());
    const std::string whole = *base::read_file(file(folder()));
    const auto both_are_whole = [&] {
        const auto pack = compile::Pack::open(file(folder()));
        if (!pack) {
            EXPECT_NE(pack.error().sentence().find("is damaged"), std::string::npos);
            return false;
        }
        const auto first = pack->find(ptx_key), second = pack->find(code_key);
        EXPECT_TRUE(!first || first == wire::to_fields(ptx));
        EXPECT_TRUE(!second || second == wire::to_fields(code));
        return first && second;
    };
    ASSERT_TRUE(both_are_whole());
    for (size_t i = 0; i < whole.size(); ++i) {
        std::string flipped = whole;
        flipped[i] = static_cast<char>(flipped[i] ^ 1);
        ASSERT_TRUE(base::write_file(file(folder()), flipped).ok());
        EXPECT_FALSE(both_are_whole()) << "bit flipped in byte " << i;
        ASSERT_TRUE(base::write_file(file(folder()), whole.substr(0, i)).ok());
        EXPECT_FALSE(both_are_whole()) << "cut after " << i;
    }
}

TEST_F(Pack, OfNothingIsRefused) {
    const auto refused = write();
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().sentence().find("holds no compiled kernel"), std::string::npos);
}

TEST(KeptName, IsTheSameWhereverTheProgramLies) {
    const std::string source = SOURCE_DIR;
    EXPECT_EQ(compile::kept_name(source + "/kernels/tile.cu"), "kernels/tile.cu");
    EXPECT_EQ(compile::kept_name(source + "/assets/peaks.cu"), "assets/peaks.cu");
    EXPECT_EQ(compile::kept_name(source + "/kernels_of_mine/tile.cu"), source + "/kernels_of_mine/tile.cu");
    EXPECT_EQ(compile::kept_name("kernels/tile.cu"), "kernels/tile.cu");
}

TEST(KeptName, ReplacesTheFileInPtxAndNothingElse) {
    const std::string text =
        "\t.loc\t1 3 0\n// /home/me/a.cu\n\t.file\t1 \"/home/me/a.cu\"\n\t.file\t2 \"/home/me/b.cu\"\n";
    const std::string kept = compile::with_file(text, "/home/me/a.cu", "kernels/a.cu");
    EXPECT_EQ(kept, "\t.loc\t1 3 0\n// /home/me/a.cu\n\t.file\t1 \"kernels/a.cu\"\n\t.file\t2 \"/home/me/b.cu\"\n");
    EXPECT_EQ(compile::with_file(kept, "kernels/a.cu", "/home/me/a.cu"), text);
    for (const char* cut : {"", "\n\t.file\t", "\n\t.file\t1 \"", "\n\t.file\t1 \"/home/me/a.cu"})
        EXPECT_EQ(compile::with_file(cut, "/home/me/a.cu", "x"), cut);
}

} // namespace
