// Runs each piece of C++ in the tables of docs/from-pytorch.md, which run.sh puts into rows.cpp.inc, with variables
// that the document names.
#include <cstdio>
#include <facula/facula.hpp>
#include <sstream>

static float six[6] = {1, 2, 3, 4, 5, 6};

struct variables {
    const std::string path = "net-cpp.safetensors";
    float *p = six;
    std::ostringstream out;
    fa::tensor x = fa::rand({4, 6}), y = fa::rand({4, 6}), w = fa::rand({6, 3}, {.requires_grad = true});
    fa::tensor b = fa::rand({3}), v = fa::rand({6}), mask = x > 0.5, rows = {2, 0}, target = {0, 2, 1, 2};
    fa::tensor logits = fa::matmul(x, w), loss = fa::cross_entropy(logits, target);
    fa::module net = fa::nn::sequential({fa::nn::linear(6, 3)});
    fa::module lstm = fa::nn::lstm(6, 8);
    fa::tensor h_0 = fa::rand({1, 8}), c_0 = fa::rand({1, 8});
    fa::optimizer opt = fa::optim::adam(net, {.lr = 0.01});
    fa::dataset d = fa::data::tensors({x, target});

    variables()
    {
        fa::sum(net(x)).backward();
    }
};

#define ROW(line, ...)                                                                                                 \
    struct row_##line : variables {                                                                                    \
        void run()                                                                                                     \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    };
#include "rows.cpp.inc"
#undef ROW

template <class Row> static int failed(int line, const char *code)
{
    try {
        Row().run();
        std::printf("[       OK ] %s\n", code);
        return 0;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "docs/from-pytorch.md:%d: %s: %s\n", line, code, e.what());
        return 1;
    }
}

int main()
{
    int all = 0;
    fa::save(variables().net, variables().path);
#define ROW(line, ...) all += failed<row_##line>(line, #__VA_ARGS__);
#include "rows.cpp.inc"
    return all > 0;
}
