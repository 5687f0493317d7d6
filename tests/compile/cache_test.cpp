#include "base/file.h"
#include "compile/cache.h"
#include "scratch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace {
namespace fs = std::filesystem;
namespace cache = compile::cache;

const std::string key(32, '5');

class Cache : public testing::Test {
protected:
    scratch::Folder folder;
    fs::path file = folder.path() / "compile" / key;
};

TEST_F(Cache, GivesBackWhatWasStored) {
    EXPECT_EQ(cache::find(key), std::nullopt);
    for (const std::vector<std::string>& fields :
         {std::vector<std::string>{}, {""}, {"a", "", std::string("\0b", 2)}}) {
        cache::store(key, fields);
        EXPECT_EQ(cache::find(key), fields);
    }
}

TEST_F(Cache, ADamagedEntryIsAsIfAbsent) {
    cache::store(key, {"some code", "name"});
    const std::string whole = *base::read_file(file);
    for (size_t i = 0; i < whole.size(); ++i) {
        std::string flipped = whole;
        flipped[i] = static_cast<char>(flipped[i] ^ 1);
        ASSERT_TRUE(base::write_file(file, flipped).ok());
        EXPECT_EQ(cache::find(key), std::nullopt) << "bit flipped in byte " << i;
        ASSERT_TRUE(base::write_file(file, whole.substr(0, i)).ok());
        EXPECT_EQ(cache::find(key), std::nullopt) << "cut after " << i;
    }
    ASSERT_TRUE(base::write_file(file, whole + "x").ok());
    EXPECT_EQ(cache::find(key), std::nullopt);
}

TEST_F(Cache, AnEntryOfAnotherKeyIsAsIfAbsent) {
    const std::string other(32, '1');
    cache::store(key, {"some code"});
    fs::copy_file(file, file.parent_path() / other);
    EXPECT_EQ(cache::find(other), std::nullopt);
    EXPECT_TRUE(cache::find(key));
}

TEST_F(Cache, OthersDoNotGetAtIt) {
    const auto mode = [&] { return fs::status(file.parent_path()).permissions(); };
    cache::store(key, {"some code"});
    EXPECT_EQ(mode(), fs::perms::owner_all);
    fs::permissions(file.parent_path(), fs::perms::all); // as an older version made it with umask 0
    EXPECT_TRUE(cache::find(key));
    EXPECT_EQ(mode(), fs::perms::owner_all);
    fs::rename(file.parent_path(), folder.path() / "elsewhere");
    fs::create_directory_symlink("elsewhere", file.parent_path());
    EXPECT_EQ(cache::find(key), std::nullopt) << "somebody may have led it there";
}

TEST_F(Cache, WhatAnotherUserOwnsIsNotTaken) {
    cache::store(key, {"some code"});
    constexpr uid_t nobody = 65534;
    if (::chown(file.c_str(), nobody, nobody) != 0) GTEST_SKIP() << "only root gives files away";
    EXPECT_EQ(cache::find(key), std::nullopt);
}

TEST_F(Cache, AFolderThatCannotBeWrittenIsHarmless) {
    ASSERT_TRUE(base::write_file(folder.path() / "compile", "a file where the folder should be").ok());
    cache::store(key, {"x"});
    EXPECT_EQ(cache::find(key), std::nullopt);
    cache::trim(0);
}

TEST_F(Cache, TwoProcessesNeverReadHalfAnEntry) {
    const std::vector<std::string> one = {std::string(300000, 'a')}, other = {std::string(200000, 'b'), "c"};
    cache::store(key, one);
    pid_t child = ::fork();
    if (child == 0) {
        for (int i = 0; i < 200; ++i) cache::store(key, other);
        ::_exit(0);
    }
    int status = -1;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        auto found = cache::find(key);
        EXPECT_TRUE(found == one || found == other);
        cache::store(key, one);
    }
    EXPECT_EQ(status, 0);
}

TEST_F(Cache, TrimmingKeepsTheNewest) {
    for (char i = '0'; i < '8'; ++i) {
        cache::store(std::string(32, i), {std::string(1000, i)});
        fs::last_write_time(folder.path() / "compile" / std::string(32, i),
                            fs::file_time_type::clock::now() - std::chrono::hours('9' - i));
    }
    cache::trim(100000);
    EXPECT_TRUE(cache::find(key));
    cache::trim(6000);
    EXPECT_FALSE(cache::find(key));
    EXPECT_TRUE(cache::find(std::string(32, '7')));
}

// $GEMMSCOPE_CACHE may name a folder that has others' files, too.
TEST_F(Cache, TrimmingLeavesWhatIsNoEntry) {
    const fs::path entries = file.parent_path();
    cache::store(key, {std::string(1000, 'x')});
    const std::string thesis = "thesis.tex", number(16, '1');
    for (const std::string& name : {thesis, number})
        ASSERT_TRUE(base::write_file(entries / name, std::string(1000, 'x')).ok());
    cache::trim(10);
    EXPECT_FALSE(fs::exists(file));
    EXPECT_TRUE(fs::exists(entries / thesis));
    EXPECT_TRUE(fs::exists(entries / number));
}

// Commands that run again and again never open a window.
TEST_F(Cache, StoringTrimsNowAndThen) {
    const auto large = [&](char digit) {
        const std::string name(32, digit);
        cache::store(name, {});
        fs::resize_file(file.parent_path() / name, uintmax_t{1} << 30);
        return file.parent_path() / name;
    };
    const fs::path first = large('a'), second = large('b');
    for (int i = 0; i < 256; ++i) cache::store(fmt::format("{:02x}{}", i, std::string(30, 'c')), {});
    EXPECT_FALSE(fs::exists(first) && fs::exists(second));
}

} // namespace
