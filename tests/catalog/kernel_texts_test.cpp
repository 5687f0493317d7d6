// What the program's kernels say, in both languages: short sentences, one word for one thing.
#include "catalog/catalog.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace {

constexpr int most_words = 25;

// The longest sentence: one ends with a word that ends with a full stop, a question mark or an exclamation mark.
std::string longest_sentence(const std::string& text, int& most) {
    std::istringstream words(text);
    std::string longest, sentence;
    int count = 0;
    most = 0;
    for (std::string word; words >> word;) {
        sentence += word + " ";
        ++count;
        if (count > most) most = count, longest = sentence;
        if (std::string(".!?").find(word.back()) != std::string::npos) sentence.clear(), count = 0;
    }
    return longest;
}

std::vector<catalog::Text> texts_of(const catalog::Kernel& kernel) {
    std::vector<catalog::Text> texts{kernel.title, kernel.idea, kernel.story, kernel.look.say};
    for (const catalog::Parameter& parameter : kernel.parameters) {
        texts.push_back(parameter.label);
        texts.push_back(parameter.meaning);
    }
    for (const catalog::Rule& rule : kernel.rules) texts.push_back(rule.reason);
    for (const catalog::Break& one : kernel.breaks) {
        texts.push_back(one.label);
        texts.push_back(one.look);
    }
    return texts;
}

TEST(KernelTexts, AreOfShortSentences) {
    for (const auto& kernel : catalog::load({SOURCE_DIR "/kernels", SOURCE_DIR "/kernels/races"}).kernels)
        for (const catalog::Text& text : texts_of(*kernel)) {
            int words = 0;
            const std::string sentence = longest_sentence(text.en, words);
            EXPECT_LE(words, most_words) << kernel->id << ": " << sentence;
        }
}

TEST(KernelTexts, HaveOneWordForOneThing) {
    for (const auto& kernel : catalog::load({SOURCE_DIR "/kernels", SOURCE_DIR "/kernels/races"}).kernels)
        for (const catalog::Text& text : texts_of(*kernel)) {
            for (const char* other : {"核函数", "线程束", "波前", "多处理器", "复制", "局部内存", "线程小块"})
                EXPECT_EQ(text.zh.find(other), std::string::npos) << kernel->id << ": " << text.zh;
            if (kernel->id != "out_of_core") { // there it is the unit between host and device
                EXPECT_EQ(text.en.find("copy engine"), std::string::npos) << kernel->id << ": " << text.en;
            }
            EXPECT_EQ(text.en.find("multiprocessor"), std::string::npos) << kernel->id << ": " << text.en;
        }
}

} // namespace
