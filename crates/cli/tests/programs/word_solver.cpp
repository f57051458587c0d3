// A solver with a function for each of three kinds of scripts. It answers `unknown` to everything.
#include <fstream>
#include <iostream>
#include <string>

#include "../include/weight.h"

__attribute__((noinline)) int count_words(const std::string &line, const char *word) {
    int found = 0;
    for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
        found++;
    }
    return found;
}

__attribute__((noinline)) int on_products(const std::string &line) { return weight(count_words(line, "(*")); }

__attribute__((noinline)) int on_sums(const std::string &line) { return count_words(line, "(+") + 1; }

__attribute__((noinline)) int on_strings(const std::string &line) {
    return count_words(line, "str.") - 5;
}

int main(int count, char **words) {
    std::ifstream script(words[count - 1]);
    std::string line;
    volatile int total = 0;
    while (std::getline(script, line)) {
        if (line.find("(*") != std::string::npos) {
            total = total + on_products(line);
        }
        if (line.find("(+") != std::string::npos) {
            total = total + on_sums(line);
        }
        if (line.find("str.") != std::string::npos) {
            total = total + on_strings(line);
        }
        if (line.find("(check-sat") != std::string::npos) {
            std::cout << "unknown" << std::endl;
        }
    }
}
