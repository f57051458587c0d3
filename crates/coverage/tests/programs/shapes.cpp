// A program for the tests of coverage: templates, lambdas, inlining, exceptions, threads, forks, signals and dlopen.
// The argument chooses how much of it runs.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace shapes {

template <typename T> __attribute__((noinline)) T twice(T value) { return value + value; }

static inline int small(int value) { return value * 3 + 1; }

struct Shape {
    virtual ~Shape() {}
    virtual int area() const = 0;
};

struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
};

struct Circle : Shape {
    int radius;
    explicit Circle(int radius) : radius(radius) {}
    int area() const override { return 3 * radius * radius; }
};

__attribute__((noinline)) int checked(int value) {
    if (value > 100) {
        throw std::runtime_error("too large");
    }
    return value;
}

__attribute__((noinline)) int tolerant(int value) {
    try {
        return checked(value);
    } catch (const std::runtime_error &) {
        return -1;
    }
}

__attribute__((noinline)) int never_called(int value) { return value - 42; }

} // namespace shapes

static volatile int handled = 0;

static void on_signal(int) { handled = handled + 1; }

__attribute__((noinline)) static int in_thread(int value) { return shapes::small(value) + 5; }

__attribute__((noinline)) static int in_child(int value) { return shapes::small(value) + 7; }

__attribute__((noinline)) static int by_switch(int value) {
    switch (value) {
    case 0: return 10;
    case 1: return shapes::small(value);
    case 2: return 30;
    case 3: return shapes::small(value) + 4;
    case 4: return 50;
    default: return 60;
    }
}

int main(int count, char **words) {
    std::string mode = count > 1 ? words[1] : "plain";
    shapes::Square square(4);
    printf("area %d\n", square.area());
    printf("twice %d\n", shapes::twice(21));
    auto add = [&](int value) { return value + square.side; };
    printf("lambda %d\n", add(6));
    printf("switch %d\n", by_switch(count));
    if (mode == "plain") {
        return 0;
    }
    printf("tolerant %d %d\n", shapes::tolerant(7), shapes::tolerant(700));
    int result = 0;
    std::thread worker([&] { result = in_thread(3); });
    worker.join();
    printf("thread %d\n", result);
    std::signal(SIGUSR1, on_signal);
    std::signal(SIGTRAP, on_signal);
    std::raise(SIGUSR1);
    std::raise(SIGTRAP);
    printf("signals %d\n", handled);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        exit(in_child(2));
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    if (count > 2) {
        void *plugin = dlopen(words[2], RTLD_NOW);
        auto call = reinterpret_cast<int (*)(int)>(plugin ? dlsym(plugin, "plugin_call") : nullptr);
        printf("plugin %d\n", call ? call(5) : -1);
    }
    std::vector<std::string> list{"b", "a"};
    printf("list %zu\n", list.size());
    return 3;
}
