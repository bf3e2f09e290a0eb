// A multi-layer perceptron as a class of its own. It learns to classify which third of its input has the largest sum.
// The optional argument is a device; the default is the best available one.
#include <facula/facula.hpp>
#include <iostream>

struct mlp : fa::network {
    fa::module fc1 = add("fc1", fa::nn::linear(12, 32));
    fa::module fc2 = add("fc2", fa::nn::linear(32, 3));

    mlp() : network("mlp")
    {
    }
    fa::tensor forward(const fa::tensor &x) override
    {
        return fc2(fa::relu(fc1(x)));
    }
};

int main(int count, char **argument)
{
    try {
        const fa::device device = count > 1 ? fa::device(argument[1]) : fa::device::best();
        fa::manual_seed(1);
        fa::tensor input = fa::rand({256, 12}).to(device);
        fa::tensor target = fa::argmax(fa::sum(fa::view(input, {256, 3, 4}), {.dim = 2}), {.dim = 1});

        mlp net;
        net.to(device);
        fa::optimizer opt = fa::optim::sgd(net, {.lr = 0.5});
        fa::tensor first, last;
        for (int step = 0; step < 200; step++) {
            opt.zero_grad();
            last = fa::cross_entropy(net(input), target);
            last.backward();
            opt.step();
            if (!first.defined())
                first = last;
        }
        std::cout << net.numel() << " parameters: loss " << first.item() << ", then " << last.item() << "\n";
        return !(last.item() < 0.5 * first.item());
    } catch (const fa::error &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
}
