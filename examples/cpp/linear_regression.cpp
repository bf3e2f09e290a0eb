// Linear regression, once with a gradient written by hand, as in NumPy, and once with autograd and an optimizer, as in
// PyTorch. Both arrive at the same weights.
#include <facula/facula.hpp>
#include <iostream>

static fa::tensor by_hand(const fa::tensor &X, const fa::tensor &y, fa::tensor W)
{
    for (int i = 0; i < 1000; i++) {
        fa::tensor error = fa::matmul(X, W) - y;
        W -= fa::matmul(fa::t(X), error) / X.size(0) * 0.02;
    }
    return W;
}

static fa::tensor by_optimizer(const fa::tensor &X, const fa::tensor &y, fa::tensor W)
{
    W.requires_grad(true);
    fa::optimizer opt = fa::optim::sgd({W}, {.lr = 0.01});
    for (int i = 0; i < 1000; i++) {
        opt.zero_grad();
        fa::mean(fa::pow(fa::matmul(X, W) - y, 2)).backward();
        opt.step();
    }
    return W;
}

int main()
{
    try {
        fa::manual_seed(1);
        fa::tensor X = fa::rand({100, 10}), y = fa::rand({100, 1}), start = fa::rand({10, 1});
        fa::tensor W = by_hand(X, y, fa::clone(start)), V = by_optimizer(X, y, fa::clone(start));
        const double first = fa::mse_loss(fa::matmul(X, W), y).item(),
                     second = fa::mse_loss(fa::matmul(X, V), y).item();
        const double apart = fa::amax(fa::abs(W - V)).item();
        std::cout << "loss by hand " << first << ", with an optimizer " << second << "; weights at most " << apart
                  << " apart\n";
        return !(apart < 1e-4 && first < 0.15);
    } catch (const fa::error &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
}
