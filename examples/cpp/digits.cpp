// A convolutional network for the handwritten digits that are built into the library: a loader in a range-based for, a
// schedule, evaluation, and a file. With the argument `bf16` it trains in mixed precision.
#include <cstring>
#include <facula/facula.hpp>
#include <iostream>

static fa::module network()
{
    using namespace fa::nn;
    return sequential({unflatten(1, {1, 8, 8}), conv2d(1, 16, 3, {.padding = 1}), relu(), max_pool2d(2),
                       conv2d(16, 32, 3, {.padding = 1}), relu(), max_pool2d(2), flatten(), linear(32 * 2 * 2, 10)});
}

static double accuracy(const fa::module &net, const fa::dataset &test)
{
    const fa::no_grad off;
    double right = 0, all = 0;
    net.eval();
    for (const fa::batch &b : fa::data::loader(test, {.batch_size = 128})) {
        right += fa::sum(fa::argmax(net(b.input), {.dim = 1}) == b.target).item();
        all += static_cast<double>(b.size);
    }
    net.train();
    return right / all;
}

int main(int count, char **argument)
{
    try {
        const bool bf16 = count > 1 && !std::strcmp(argument[1], "bf16");
        fa::manual_seed(1);
        fa::module net = network();
        fa::optimizer opt = fa::optim::adamw(net, {.lr = 0.01});
        fa::loader loader = fa::data::loader(fa::data::digits(), {.batch_size = 64, .shuffle = true, .seed = 1});
        fa::schedule schedule = fa::lr::cosine(opt, 3);
        for (int epoch = 0; epoch < 3; epoch++, schedule.step()) {
            double sum = 0;
            for (const fa::batch &b : loader) {
                opt.zero_grad();
                fa::tensor loss;
                {
                    const fa::autocast in(bf16 ? FA_BF16 : FA_SAME);
                    loss = fa::cross_entropy(net(b.input), b.target);
                }
                loss.backward();
                opt.step();
                sum += loss.item();
            }
            std::cout << "epoch " << epoch + 1 << ": loss " << sum / static_cast<double>(loader.length()) << "\n";
        }
        const double right = accuracy(net, fa::data::digits({.train = false}));
        std::cout << 100 * right << " % of the test set are right\n";

        fa::save(net, "digits-cpp.safetensors");
        fa::module copy = network();
        fa::load(copy, "digits-cpp.safetensors");
        return !(right > 0.9 && accuracy(copy, fa::data::digits({.train = false})) == right);
    } catch (const fa::error &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
}
