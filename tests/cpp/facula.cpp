// facula.hpp: ownership, operators, errors with lines, exceptions through the library, networks, loaders. Usage: facula
// [WORK], a folder for files, without it one that is removed again. Also compiled as C++17.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <facula/facula.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <thread>
#include <unistd.h>

static int failures;

#define CHECK(x)                                                                                                       \
    do {                                                                                                               \
        if (!(x)) {                                                                                                    \
            std::printf("line %d: %s\n", __LINE__, #x);                                                                \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

// The message that a call fails with; "" where it does not.
template <class F> static std::string failure(F call)
{
    try {
        call();
    } catch (const fa::error &e) {
        return e.what();
    }
    return "";
}

static bool says(const std::string &message, const std::string &what)
{
    const bool good = message.find(what) != std::string::npos;
    if (!good)
        std::printf("\"%s\" does not say \"%s\"\n", message.c_str(), what.c_str());
    return good;
}

static std::string line(int n)
{
    return "facula.cpp:" + std::to_string(n) + ": ";
}

static int64_t living()
{
    return static_cast<int64_t>((fa_memory_stats)(FA_CPU).allocated);
}

static void operators()
{
    const fa::tensor a = {1.0, 2.0, 3.0}, b = {4.0, 5.0, 6.0};
    CHECK((fa::equal(a * 2 + b, fa::tensor{6.0, 9.0, 12.0})));
    CHECK((fa::equal(1 - a / 2, fa::tensor{0.5, 0.0, -0.5})));
    CHECK((fa::equal(-a, fa::tensor{-1.0, -2.0, -3.0})));
    CHECK((fa::equal(a > 1, fa::tensor{false, true, true})));
    CHECK((fa::equal(a == 2, fa::tensor{false, true, false})));
    CHECK(fa::all((a < b) != (a >= b)).item<int>() == 1);
    CHECK(((a <= 2).to_vector<int>() == std::vector<int>{1, 1, 0}));
    fa::tensor c = fa::clone(a), same = c;
    c += 1;
    c *= a;
    c -= a;
    c /= 2.0;
    CHECK((fa::equal(same, fa::tensor{0.5, 2.0, 4.5})));
    CHECK(same.get() == c.get());
    CHECK((fa::tensor{1, 2}.dtype() == FA_I64));
    std::ostringstream out;
    out << a["1:"];
    CHECK(out.str() == "tensor([2., 3.])");
    CHECK(a[0].item() == 1 && a[-1].item<int>() == 3);
    const fa::tensor inside = (a > 1) & (a < 3), outside = (a <= 1) | (a >= 3);
    CHECK((fa::equal(inside, fa::tensor{false, true, false}) && fa::equal(~inside, outside)));
    CHECK((fa::equal((a > 1) ^ (a > 2), inside) && fa::equal(fa::tensor{6, 5} & 3, fa::tensor{2, 1})));
    CHECK(says(failure([&] { (void)~a; }), line(__LINE__) + "fa_bitwise_not("));
    CHECK(a.max().item() == 3 && a.min().item() == 1);
    CHECK(a.max(0).indices.item<int>() == 2 && a.min(0, true).values.dim() == 1);
    CHECK(says(failure([&] { (void)a.max(4); }), line(__LINE__) + "fa_max("));
    const fa::module net = fa::nn::linear(3, 2);
    fa::sum(net(a)).backward();
    {
        const fa::no_grad off;
        const fa::tensor before = net.parameters()["bias"].clone();
        for (auto &[name, t] : net.parameters())
            t -= .5 * t.grad();
        CHECK(fa::equal(net.parameters()["bias"], before - .5));
    }
    const fa::tensor constant = a.clone();
    constant += 1, constant *= 2, constant /= 4, constant -= 1;
    CHECK((fa::equal(constant, fa::tensor{0.0, 0.5, 1.0})));
}

static void values()
{
    const std::vector<float> data = {1, 2, 3, 4, 5, 6};
    const fa::tensor x = fa::tensor::from(data.data(), {2, 3});
    CHECK(x.to_vector<float>() == data && x.numel() == 6 && x.dim() == 2 && x.size(-1) == 3);
    CHECK(fa::equal(fa::tensor::from(data, {2, 3}), x) && fa::tensor::from(data, {6}).size(0) == 6);
    CHECK(says(failure([&] { (void)fa::tensor::from(data, {2, 2}); }), "6 elements for a shape of 4"));
    CHECK((fa::tensor::from(data, {-1, 2}).shape() == fa::shape{3, 2}) && fa::tensor::from(data, -1).size(0) == 6);
    CHECK((fa::tensor::from(std::vector<float>(), {-1, 2}).shape() == fa::shape{0, 2}));
    CHECK(says(failure([&] { (void)fa::tensor::from(data, {-1, 4}); }), "6 elements for a shape of 4"));
    CHECK(says(failure([&] { (void)fa::tensor::from(data, {-1, 0}); }), "6 elements for a shape of 0"));
    for (const fa::shape &wrong : {fa::shape{-1, -1, 6}, fa::shape{-1, -1}, fa::shape{3, -2}}) {
        const int at = __LINE__ + 1;
        const auto made = [&] { (void)fa::tensor::from(data, wrong); };
        CHECK(says(failure(made), line(at) + "fa::tensor::from: sizes are not negative, but one may be -1"));
    }
    CHECK((fa::zeros(3).shape() == fa::shape{3}) && x.view(-1).size(0) == 6 && fa::nn::layer_norm(3)(x).size(1) == 3);
    CHECK(fa::mse_loss(x, x + 1, FA_SUM).item() == 6 && fa::mse_loss(x, x + 1, {FA_SUM}).item() == 6);
    CHECK((x.shape() == fa::shape{2, 3}) && (x.shape() != fa::shape{3, 2}));
    CHECK(x.shape()[0] == 2 && x.shape()[-1] == 3 && x.shape()[std::size_t{1}] == 3);
    CHECK(says(failure([&] { (void)x.shape()[2]; }), line(__LINE__) + "fa::shape: a shape of 2 dimensions has no"));
    CHECK(says(failure([&] { (void)x.shape()[-3]; }), line(__LINE__) + "fa::shape: a shape of 2 dimensions has no"));
    CHECK(says(failure([&] { (void)fa::shape(std::vector<int64_t>(9, 1))[8]; }), "no dimension 8"));
    CHECK(fa::sum(x, {1}).to_vector<double>() == (std::vector<double>{6, 15}));
    CHECK((fa::sum(x, {{0, 1}, true}).shape() == fa::shape{1, 1}));
    CHECK((fa::permute(x, {1, 0}).shape() == fa::shape{3, 2}));
    CHECK((fa::sum(x, 1).to_vector<double>() == std::vector<double>{6, 15}));
    CHECK((fa::sum(x, {0, 1}).dim() == 0 && fa::sum(x, {0, true}).shape() == fa::shape{1, 3}));
    CHECK(fa::zeros({2, 3}, FA_I64).dtype() == FA_I64 && fa::full({2}, 1, FA_F64).dtype() == FA_F64
          && fa::randn({2}, FA_F16).dtype() == FA_F16 && fa::ones({2}, {}).dtype() == FA_F32);
    CHECK((fa::argmax(x, 1).size(0) == 2 && fa::flatten(x, -2).dim() == 1 && fa::cat({x, x}, 1).size(1) == 6));
    CHECK((fa::leaky_relu(-x, 0.5)[0][0].item() == -0.5 && fa::nn::dropout(1.0)(x).sum().item() == 0));
    CHECK((fa::topk(x, 1, 0).values.shape() == fa::shape{1, 3}));
    double memory[3] = {1, 2, 3};
    const fa::tensor over = fa::tensor::borrow(memory, {3});
    memory[1] = 7;
    CHECK(over["1"].item() == 7 && over.data<double>() == memory);
    over.set("0:2", 9);
    CHECK(memory[0] == 9 && memory[1] == 9 && memory[2] == 3);
    const auto largest = fa::max(x, 1);
    CHECK(largest.values.to_vector<int>() == (std::vector<int>{3, 6}) && largest.indices.size(0) == 2);
    const std::vector<fa::tensor> parts = fa::split(x, 1, {1});
    CHECK(parts.size() == 3 && parts[2][1].item() == 6);
    CHECK((fa::cat({x, x}, {1}).shape() == fa::shape{2, 6}));
    const fa::tensor into = fa::zeros({2, 3});
    fa::relu_options options;
    options.out = into;
    CHECK(fa::relu(x, options).get() == into.get() && fa::equal(into, x));
    CHECK(fa::pointwise("x * y + 1", {x, 2}).to_vector<int>() == (std::vector<int>{3, 5, 7, 9, 11, 13}));
    CHECK(fa::equal(fa::pointwise("x + y", std::vector<fa::tensor>{x, x}), fa::pointwise("x + y", {x, x})));
    CHECK(x.to(FA_F64).dtype() == FA_F64 && x.to(FA_F32).get() == x.get() && x.to("cpu").get() == x.get());
    CHECK(!fa::tensor().defined() && x.defined());
    CHECK(!fa::module().defined() && fa::nn::relu().defined() && !fa::module());
    CHECK(fa::tensor::parse("[[1, 2], [3, 4]]").size(1) == 2);
}

// What a call returned is written into; a variable refers to another tensor.
static void assignment()
{
    fa::tensor x = fa::zeros({3, 2}), y = fa::ones({3, 2});
    x[0] = 5;
    x["1, :"] = y[1] * 2;
    x.select(0, 2) = x.select(0, 0);
    CHECK((x.to_vector<int>() == std::vector<int>{5, 5, 2, 2, 5, 5}));
    x["..."] = x[1]["0"]; // broadcast, and within the same memory
    CHECK((x.to_vector<int>() == std::vector<int>{2, 2, 2, 2, 2, 2}));
    fa::tensor part = x[0];
    part = y[0]; // another tensor
    CHECK(x[0][0].item() == 2 && part[0].item() == 1);
    const fa::tensor same = (x[1] = 7);
    CHECK(same[1].item() == 7 && x[1][0].item() == 7 && x[0][0].item() == 2);
    x[1] += 1;
    CHECK(x[1][0].item() == 8);
    const auto twice = [&] { return x; };
    twice() = 3; // a function's result
    CHECK(x[2][1].item() == 3);
    std::move(x) = y; // as in libtorch
    CHECK(x.defined() && x.get() != y.get() && fa::equal(x, y));
    fa::tensor a = {1.0}, b = {2.0};
    fa_tensor *const first = a.get();
    std::swap(a, b);
    CHECK(b.get() == first && a.item() == 2);
    std::vector<fa::tensor> list = {a, b, x};
    list.erase(list.begin());
    list.insert(list.begin(), y);
    list[1] = a;
    CHECK(list[0].get() == y.get() && list[1].get() == a.get() && b.get() == first && b.item() == 1);
    std::tie(a, b) = std::make_pair(b, a);
    CHECK(a.get() == first && b.item() == 2);
    const fa::module net = fa::nn::linear(2, 1);
    {
        const fa::no_grad off;
        net.parameters()["weight"] = 0.5;
    }
    CHECK((net.parameters().at("weight").to_vector<float>() == std::vector<float>{.5, .5}));
    CHECK(says(failure([&] { net.parameters()["weight"] = 1; }), line(__LINE__) + "x[...] = y: fa_copy_("));
    const std::string none = "none of the 2 tensors is called \"no\": weight, bias";
    CHECK(says(failure([&] { (void)net.parameters().at("no"); }), line(__LINE__) + none));
    CHECK(says(failure([&] { (void)net.parameters()["no"]; }), line(__LINE__) + none));
    CHECK(says(failure([&] { fa::relu(x) = 1; }), line(__LINE__) + "the left side is a new tensor"));
    CHECK(says(failure([&] { fa::tensor() = x; }), line(__LINE__)));
    CHECK(says(failure([&] { x[0] = fa::tensor(); }), "the value is undefined or moved-from"));
    CHECK(says(failure([&] { x[0] = fa::ones({7}); }), line(__LINE__) + "x[...] = y: "));
    CHECK(says(failure([&] { x.set("1:", fa::ones({7})); }), line(__LINE__) + "x[\"1:\"] = y: "));
    CHECK(says(failure([&] { (void)x[5]; }), line(__LINE__) + "x[5] of (3, 2) f32 cpu: "));
    CHECK(says(failure([&] { x.set(7, 1); }), line(__LINE__) + "x[7] = y with x of (3, 2) f32 cpu: "));
    CHECK((!std::is_assignable<fa::module, fa::module>::value && std::is_move_assignable<fa::module>::value));
    CHECK((!std::is_assignable<const fa::tensor &, fa::tensor>::value));
    enum { rows, columns };
    fa::tensor pair = fa::zeros({2, 3});
    fa::tensor &raised = pair += 1;
    CHECK(&raised == &pair && pair.shape()[columns] == 3);
    CHECK(std::is_nothrow_move_constructible<fa::tensor>::value);
    double memory[2] = {1, 2};
    fa::tensor::borrow(memory, {2}) = 4;
    CHECK(memory[0] == 4 && memory[1] == 4);
}

static void indexing()
{
    const fa::tensor x = fa::arange(0, 6).view({3, 2}), rows = {2, 0}, mask = x > 3;
    CHECK((fa::equal(x[mask], fa::tensor{4, 5}) && fa::equal(x[x[":, 0"] > 1], x["1:"])));
    CHECK((fa::equal(x[rows], fa::tensor::parse("[[4, 5], [0, 1]]")) && x[rows].get() != x.get()));
    CHECK((fa::equal(x.index({rows, 1}), fa::tensor{5, 1}) && fa::equal(x.index({rows, "1:"}), x[rows][":, 1:"])));
    CHECK(
        (fa::equal(x.index({rows, fa::tensor{0, 1}}), fa::tensor{4, 1}) && x.index({1, std::string(":")}).dim() == 1));
    const fa::tensor w = fa::ones({3, 2}).requires_grad(true);
    w[rows].sum().backward();
    CHECK((w.grad().sum(1).to_vector<int>() == std::vector<int>{2, 0, 2}));
    fa::tensor y = fa::zeros({3, 2});
    y.index_put_({mask}, 7).index_put_({0, ":"}, fa::ones({2}));
    CHECK((y.to_vector<int>() == std::vector<int>{1, 1, 0, 0, 7, 7}));
    y.index_put_({fa::tensor{1, 1}, 0}, 2.0, true);
    y.index_put_({fa::tensor{0}}, 3);
    CHECK((y.to_vector<int>() == std::vector<int>{3, 3, 4, 0, 7, 7}));
    std::vector<fa::index_part> parts = {rows, ":1"};
    parts.emplace_back(0);
    CHECK((x.view({3, 2, 1}).index(parts).shape() == fa::shape{2, 1}));
    CHECK(says(failure([&] { (void)x[fa::tensor{3}]; }), line(__LINE__) + "index("));
    CHECK(says(failure([&] { (void)x[fa::tensor()]; }), line(__LINE__)));
    CHECK(says(failure([&] { y.index_put_({fa::tensor{3}}, 1); }), line(__LINE__) + "index_put_("));
}

// Messages of C, as C++ writes what they name.
static void messages()
{
    const fa::tensor x = fa::ones({2, 3}), w = fa::ones({2}).requires_grad(true);
    CHECK(says(failure([&] { (void)(x + x.to("late:0")); }),
               ": to() moves one, fa::use of settings with placement = FA_PLACE_AUTO copies"));
    CHECK(says(failure([&] { x.requires_grad(true).backward(); }), "or from a gradient of its shape, as y.backward("));
    CHECK(says(failure([&] { fa::relu_(w); }), ": fa::no_grad allows it"));
    CHECK(says(failure([&] { (void)x.item(); }), line(__LINE__) + "item(): reads a tensor with one element"));
    CHECK(says(failure([&] { (void)fa::optim::sgd(fa::nn::relu(), 1); }),
               "those of what was added by add(\"name\", ...)"));
    const fa::tensor loss = fa::sum(w * w);
    loss.backward();
    CHECK(says(failure([&] { loss.backward(); }),
               "detach() cuts off what an earlier step computed, backward({}, true) keeps them"));
    CHECK(says(failure([] { (void)fa::load_file("/fa_to/fa_to.x/a-fa_to"); }), "/fa_to/fa_to.x/a-fa_to"));
    CHECK(fa::detail::in_cpp("fa_to(x=1): fa_to() or fa_top fa__to fa_to") == "to(x=1): to() or fa_top fa__to to()");
    std::ostringstream none;
    none << fa::tensor();
    CHECK(none.str() == "[undefined]");
}

static void errors()
{
    const fa::tensor a = fa::ones({2, 3});
    CHECK(says(failure([&] { (void)fa::matmul(a, a); }), line(__LINE__) + "fa_matmul(a=(2, 3) f32 cpu"));
    CHECK(says(failure([&] { (void)(a + fa::ones({2, 2})); }), line(__LINE__) + "fa_add("));
    CHECK(says(failure([&] { (void)fa::sum(a, {5}); }), line(__LINE__) + "fa_sum("));
    CHECK(says(failure([&] { (void)fa::sum(a, 5); }), line(__LINE__) + "fa_sum("));
    CHECK(says(failure([&] { (void)a.size(7); }), line(__LINE__)));
    CHECK(says(failure([&] { (void)a["0, 0, 0"]; }), line(__LINE__) + "x[\"0, 0, 0\"] of (2, 3) f32 cpu: "));
    CHECK(says(failure([&] { (void)a.item(); }), line(__LINE__)));
    CHECK(fa::allclose(a, a + 1, {.1, 1}) && !fa::allclose(a, a + 1) && !fa::equal(a, a + 1));
    CHECK(says(failure([&] { (void)fa::equal(a, a.to("late:0")); }), line(__LINE__) + "fa_equal: "));
    CHECK(says(failure([&] { (void)fa::allclose(a, fa::ones({7})); }), line(__LINE__) + "fa_isclose("));
    CHECK(says(failure([&] { a.backward(); }), line(__LINE__) + "backward(): "));
    CHECK(says(failure([&] { fa::device none("tpu"); }), "tpu"));
    fa::zeros_options there;
    there.device = "late:1";
    CHECK(fa_device_equal(fa::zeros({3}, there).device(), FA_LATE(1)));
#if __cplusplus >= 202002L
    CHECK(fa_device_equal(fa::zeros({3}, {.device = "late:1"}).device(), FA_LATE(1)));
#endif
    CHECK(says(failure([&] { (void)fa::relu(fa::tensor()); }), "x is undefined or moved-from"));
    CHECK(says(failure([&] { fa::autocast no(FA_I32); }), line(__LINE__) + "fa::use: autocast"));
    try {
        (void)fa::nn::conv2d(3, 4, -1);
        CHECK(false);
    } catch (const fa::error &e) {
        CHECK(e.code() == FA_ERROR_ARGUMENT || e.code() == FA_ERROR_SHAPE);
    }
    CHECK(!fa_error_stands()); // each exception has taken its error with it
}

struct mlp : fa::network {
    fa::module fc1 = add("fc1", fa::nn::linear(4, 8)), fc2 = add("fc2", fa::nn::linear(8, 2));
    fa::tensor scale = add_parameter("scale", fa::ones({2}));
    int refuse = 0;

    mlp() : network("mlp")
    {
    }
    fa::tensor forward(const fa::tensor &x) override
    {
        if (refuse == 1)
            throw std::out_of_range("not today");
        if (refuse == 2)
            return fa::matmul(x, x);
        return fc2(fa::relu(fc1(x))) * scale;
    }
};

/* Networks inside another one, which live as long as it. */
struct outer : fa::network {
    fa::module first = add("first", std::make_shared<mlp>());
    std::vector<fa::module> rest;
    outer()
    {
        for (int i = 0; i < 2; i++)
            rest.push_back(add("rest" + std::to_string(i), std::make_shared<mlp>()));
    }
    fa::tensor forward(const fa::tensor &x) override
    {
        return first(x) + rest[0](x) + rest[1](x);
    }
};

// What forgets to add its layers.
struct forgetful : fa::network {
    fa::module drop = fa::nn::dropout(0.5), fc1 = add("fc1", fa::nn::linear(4, 4)), fc2 = fa::nn::linear(4, 2);
    fa::module relu = fa::nn::relu(), inner = add("inner", std::make_shared<mlp>()), none;
    bool complete = true;
    forgetful() : network("forgetful")
    {
    }
    fa::tensor forward(const fa::tensor &x) override
    {
        return complete ? fc2(drop(relu(fc1(x)))) + inner(x) : none(x);
    }
};

// What forgets to add a network, and what runs one, as a teacher, that is not to be trained.
struct forgets_a_network : fa::network {
    mlp inner, teacher;
    fa::tensor forward(const fa::tensor &x) override
    {
        fa::tensor y;
        {
            const fa::no_grad off;
            y = teacher(x);
        }
        return inner(x) + inner(x) - y;
    }
};

static std::vector<std::string> warnings()
{
    std::vector<std::string> list;
    fa_log_level level;
    char text[1200];
    while ((fa_log_take)(&level, text, sizeof text))
        if (level == FA_LOG_WARNING)
            list.push_back(text);
    return list;
}

static void layers_that_were_not_added()
{
    (fa_set_log)(fa_log_keep, nullptr);
    mlp good;
    forgetful net;
    const fa::tensor x = fa::ones({1, 4});
    (void)good(x);
    CHECK(warnings().empty());
    (void)net(x);
    const std::vector<std::string> list = warnings();
    CHECK(list.size() == 2 && says(list[0], "dropout runs inside forgetful, but was not added to it"));
    CHECK(list.size() == 2 && says(list[1], "linear runs inside forgetful"));
    (void)net(x);
    CHECK(warnings().empty()); // once
    const fa::module in_a_part = fa::nn::sequential({fa::nn::relu(), fa::nn::dropout()});
    struct forgets_a_part : fa::network {
        const fa::module &part;
        explicit forgets_a_part(const fa::module &m) : part(m)
        {
        }
        fa::tensor forward(const fa::tensor &y) override
        {
            return part(y);
        }
    } in_part(in_a_part);
    (void)in_part(x);
    CHECK(!warnings().empty());
    forgets_a_network forgets;
    {
        const fa::no_grad off;
        (void)forgets(x);
        CHECK(warnings().empty());
    }
    (void)forgets(x);
    const std::vector<std::string> one = warnings();
    CHECK(one.size() == 1 && says(one[0], "mlp runs inside network, but was not added"));
    forgetful less;
    less.complete = false;
    CHECK(says(failure([&] { (void)less(x); }), "fa_forward: the module is undefined or moved-from"));
    (fa_set_log)(nullptr, nullptr);
}

// Warnings on standard error name what C++ has.
static void warnings_in_words_of_cpp(const std::string &work)
{
    const std::string path = work + "/warnings.txt";
    const int before = dup(2);
    CHECK(before >= 0 && std::freopen(path.c_str(), "w", stderr));
    const fa::module net = fa::nn::linear(2, 2);
    const fa::optimizer sgd = fa::optim::sgd(net, 0.1);
    sgd.step();
    const int at = __LINE__ + 1;
    sgd.step();
    fa__warn("linear: fa_module_train(net, false) is missing, or fa_optim_zero_grad(optimizer); runs/fa_to.txt");
    std::fflush(stderr);
    dup2(before, 2);
    close(before);
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(says(text, line(at)
                         + "optimizer.step(): no parameter has ever had a gradient, so none changes: backward() has "
                           "to run after optimizer.zero_grad(), "));
    CHECK(says(text, "linear: net.eval() is missing, or optimizer.zero_grad(); runs/fa_to.txt\n"));
}

static void networks_inside_networks()
{
    fa::module left;
    const fa::tensor x = fa::rand({5, 4});
    {
        outer net;
        CHECK(net.parameters().size() == 15 && net.parameters().count("rest1.fc2.bias"));
        CHECK(net(x).size(1) == 2);
        left = net.rest[1];
    }
    CHECK(says(failure([&] { (void)left(x); }), "the network was destroyed"));
    {
        mlp moved;
        left = std::move(moved);
        CHECK(left(x).size(0) == 5);
    }
    CHECK(says(failure([&] { (void)left(x); }), "the network was destroyed"));
    CHECK(fa::ones({1}).to(fa::device(std::string("cpu"))).item() == 1);
}

static mlp returned(bool first)
{
    mlp one, other;
    return first ? std::move(one) : std::move(other);
}

static void networks_that_are_moved()
{
    static_assert(std::is_nothrow_move_constructible<mlp>::value && !std::is_copy_constructible<mlp>::value,
                  "networks are moved");
    const fa::tensor x = fa::rand({5, 4});
    std::optional<mlp> maybe = returned(true);
    const fa::tensor y = (*maybe)(x);
    const fa::module around = fa::nn::sequential({*maybe, fa::nn::relu()});
    fa::module left;
    {
        std::vector<mlp> many;
        for (int i = 0; i < 5; i++)
            many.push_back(returned(i % 2 == 0));
        many.push_back(std::move(*maybe));
        maybe.reset();
        many.erase(many.begin(), many.begin() + 2); // moves the others by assignment
        CHECK(many.size() == 4 && fa::equal(many[3](x), y) && fa::equal(around(x), fa::relu(y)));
        CHECK(many[3].parameters().size() == 5 && many[0](x).size(1) == 2);
        many[3].refuse = 1;
        bool thrown = false;
        try {
            (void)around(x);
        } catch (const std::out_of_range &) {
            thrown = true;
        }
        CHECK(thrown);
        std::map<std::string, mlp> named;
        named.emplace("a", std::move(many[3]));
        named.at("a").refuse = 0;
        CHECK(fa::equal(around(x), fa::relu(y)));
        CHECK(says(failure([&] { (void)many[3](x); }), "is undefined or moved-from"));
        many[3] = returned(false);
        CHECK(many[3](x).size(0) == 5 && fa::equal(named.at("a")(x), y));
        left = many[3];
        many[3] = std::move(named.at("a")); // the one before ends
        CHECK(says(failure([&] { (void)left(x); }), "the network was destroyed"));
        mlp &same = many[3];
        many[3] = std::move(same);
        CHECK(fa::equal(many[3](x), y) && fa::equal(around(x), fa::relu(y)));
        std::vector<outer> outers;
        outers.emplace_back();
        const fa::tensor z = outers[0](x);
        outers.emplace_back();
        CHECK(fa::equal(outers[0](x), z) && outers[0].parameters().size() == 15);
    }
    CHECK(says(failure([&] { (void)around(x); }), "the network was destroyed"));
}

// Layers that return their input, or what they keep: it lives on, and nothing else does.
static void results_that_are_inputs()
{
    struct first_of : fa::network {
        fa::module drop = add("drop", fa::nn::dropout(0.5));
        fa::tensor forward(const std::vector<fa::tensor> &inputs) override
        {
            return drop(inputs[0]);
        }
    };
    struct constant : fa::network {
        fa::tensor one = add_buffer("one", fa::ones({3, 4}));
        fa::tensor forward(const fa::tensor &) override
        {
            return one;
        }
    };
    const int64_t before = living();
    {
        fa::tensor x = fa::rand({3, 4});
        const std::vector<float> values = x.to_vector<float>();
        const fa::module drop = fa::nn::dropout(0.5), twice = fa::nn::sequential({drop, fa::nn::identity()});
        const first_of net;
        constant kept;
        const fa::module pass = fa::nn::function([](const fa::tensor &y) { return y; });
        twice.eval();
        net.eval();
        for (const fa::module &m : {drop, fa::nn::identity(), fa::nn::dropout(0.0), twice, pass, fa::module(net)}) {
            CHECK(m(x).get() == x.get() && m({x}).get() == x.get());
            const fa::scope inside;
            CHECK(m(m(x)).get() == x.get());
            CHECK(fa::equal(m(x + 0), x));
        }
        CHECK(net(x, x + 1).get() == x.get() && net({x, x, x}).get() == x.get());
        CHECK(kept(x).get() == kept.one.get());
        const fa::hook input = twice.on_forward([](auto &, auto &inputs, auto &) { return inputs[0]; });
        CHECK(twice(x).get() == x.get());
        {
            const fa::scope outer; // which owns a tensor that it has to keep
            fa_tensor *const plain = (fa_ones)({1, {4}}, nullptr);
            (void)fa::nn::identity()(fa::tensor(plain));
            CHECK(fa::tensor(plain).sum().item() == 4);
        }
        fa::tensor y = drop(x);
        x = fa::tensor();
        CHECK(y.to_vector<float>() == values);
        const fa::module encoder = fa::nn::transformer_encoder_layer(4, 2);
        const fa::hook same = encoder.on_forward([](auto &, auto &inputs, auto &) { return inputs[0]; });
        CHECK(encoder.forward_transformer(y).get() == y.get());
    }
    CHECK(living() == before);
}

static fa::module made_of_a_pointer()
{
    return std::make_shared<mlp>();
}

// A module that was made of a std::shared_ptr keeps the network, and so does what it is put into.
static void networks_that_modules_keep()
{
    const fa::tensor x = fa::rand({5, 4});
    const int64_t before = living();
    std::weak_ptr<mlp> first, second;
    {
        fa::module around;
        struct holder : fa::network {
            fa::module part;
            explicit holder(const fa::module &m) : part(add("part", m))
            {
            }
            fa::tensor forward(const fa::tensor &y) override
            {
                return part(y);
            }
        };
        {
            const auto net = std::make_shared<mlp>(), other = std::make_shared<mlp>();
            first = net, second = other;
            around = fa::nn::sequential({fa::nn::sequential({net, fa::nn::relu()}), fa::nn::linear(2, 2)});
            around = std::make_shared<holder>(around);
            const std::vector<fa::module> list = {other, made_of_a_pointer()};
            CHECK(list[1](x).size(1) == 2 && list[0].parameters().size() == 5);
        }
        CHECK(!first.expired() && second.expired());
        CHECK(around(x).size(1) == 2 && around.parameters().count("part.0.0.fc1.weight") == 1);
        const fa::module same = around;
        around = fa::module();
        CHECK(same(x).size(0) == 5);
        const fa::module list = fa::nn::sequential({fa::nn::relu()});
        const auto add = [&] { (void)list.add("1", std::make_shared<mlp>()); };
        const std::string added = line(__LINE__ - 1) + "fa::module::add: \"1\" was made of a std::shared_ptr";
        CHECK(says(failure(add), added));
        CHECK(says(failure([&] { (void)fa::module(std::shared_ptr<mlp>())(x); }), line(__LINE__)));
    }
    CHECK(first.expired() && living() == before);
}

struct adds : fa::network {
    using network::forward;
    fa::tensor forward(const std::vector<fa::tensor> &inputs) override
    {
        return inputs[0] + inputs[1];
    }
};

struct one_or_several : fa::network {
    fa::tensor forward(const fa::tensor &x) override
    {
        return x + 1;
    }
    fa::tensor forward(const std::vector<fa::tensor> &inputs) override
    {
        return inputs[0] - inputs.back();
    }
};

// A copy would run the layers of the original: it is refused, also inside of other modules.
static void networks_are_not_cloned()
{
    const auto clone = [](const fa::module &m) { return fa::module::owned((fa_module_clone)(m.get())); };
    const std::string refused = "runs functions of C++, which cannot be copied: make a second one in the same way";
    const mlp net;
    mlp average;
    CHECK(says(failure([&] { (void)clone(net); }), "the module mlp " + refused));
    CHECK(says(failure([&] { (void)clone(fa::nn::sequential({fa::nn::linear(4, 4), net})); }), refused));
    CHECK(says(failure([&] { (void)clone(fa::nn::function([](auto &x) { return x; })); }), refused));
    const fa::module layer = fa::nn::transformer_encoder_layer(4, 2);
    (void)layer.add("own", net);
    CHECK(says(failure([&] { (void)fa::nn::transformer_encoder(layer, 2); }), refused));
    {
        const fa::no_grad off;
        for (const auto &[name, t] : average.state()) // as docs/languages.md has it
            t["..."] = net.state()[name];
    }
    const fa::tensor x = fa::rand({5, 4});
    CHECK(fa::equal(average(x), net(x)) && average.fc1.get() != net.fc1.get());
}

static void networks(const std::string &work)
{
    const one_or_several both;
    const fa::tensor ones = fa::ones({2});
    CHECK(both(ones, ones, 2 * ones)[0].item() == -1 && both(ones, ones, ones, 3 * ones)[0].item() == -2);
    CHECK(both(ones)[0].item() == 2 && both({ones})[0].item() == 2 && both(ones, ones)[0].item() == 0);
    adds two;
    CHECK((fa::equal(two(fa::ones({2}), 2 * fa::ones({2})), fa::tensor{3.0, 3.0})));
    fa::network no_forward;
    CHECK(says(failure([&] { (void)no_forward(fa::ones({2})); }), "override forward(const fa::tensor &)"));
    CHECK(says(failure([&] { (void)no_forward(fa::ones({2}), fa::ones({2})); }),
               "override forward(const std::vector<fa::tensor> &)"));
    const std::vector<fa::module> layers = {fa::nn::linear(4, 3), fa::nn::relu()};
    CHECK(fa::nn::sequential(layers)(fa::ones({1, 4})).size(1) == 3);
    CHECK(fa::transform::compose(layers).parameters().size() == 2);
    fa::manual_seed(3);
    mlp net;
    const fa::tensor x = fa::rand({5, 4});
    const std::string table = net.summary({5, 4});
    CHECK(says(table, "fc1") && says(table, "(5, 2)") && net.summary() != table);
    CHECK(says(failure([&] { (void)net.summary({5, 3}); }), "fa_linear("));
    CHECK(fa::optim::sgd(net.parameters(), 0.5).lr() == 0.5);
    fa::sum(net(x)).backward();
    const double norm = fa::clip_grad_norm(net, 0.25).item();
    CHECK(norm > 0.25 && std::fabs(fa::clip_grad_norm(net.parameters(), 1).item() - 0.25) < 1e-4);
    fa::clip_grad_value({net.scale}, 0.01);
    CHECK(fa::amax(fa::abs(net.scale.grad())).item() <= 0.011);
    CHECK(says(failure([&] { fa::clip_grad_value(net, -1); }), "facula.cpp"));
    CHECK(net(x).size(1) == 2 && net.parameters().size() == 5 && net.parameters().count("fc2.bias"));
    std::string names;
    const fa::named_tensors list = net.parameters();
    CHECK(list[0].get() == list["scale"].get() && list[-1].get() == list["fc2.bias"].get() && list[4].size(0) == 2);
    CHECK(says(failure([&] { (void)list[5]; }), line(__LINE__) + "there are 5 tensors and no number 5"));
    CHECK(says(failure([&] { (void)list[-6]; }), line(__LINE__) + "there are 5 tensors and no number -6"));
    for (const auto &[name, t] : net.parameters())
        names += name + (t.defined() ? " " : "! ");
    CHECK(names == "scale fc1.weight fc1.bias fc2.weight fc2.bias "); // in the order of fa_module_parameters()
    net.refuse = 1;
    try {
        (void)net(x);
        CHECK(false);
    } catch (const std::out_of_range &e) {
        CHECK(!std::strcmp(e.what(), "not today"));
    }
    net.refuse = 2;
    CHECK(says(failure([&] { (void)net(x); }), "fa_matmul("));
    net.refuse = 0;
    CHECK(!fa_error_stands());

    const fa::optimizer opt = fa::optim::adam(net, {0.05});
    const fa::tensor target = fa::argmax(x["..., :2"], {1});
    double first = 0, last = 0;
    for (int i = 0; i < 60; i++) {
        opt.zero_grad();
        const fa::tensor loss = fa::cross_entropy(net(x), target);
        loss.backward();
        opt.step();
        last = loss.item();
        first = i ? first : last;
    }
    CHECK(last < 0.2 * first);
    const std::string path = work + "/cpp.safetensors";
    fa::save(net, path);
    CHECK(fa::load_file(path).at("fc1.weight").size(0) == 8);
    const auto look = [&] { (void)fa::load_file(path).at("weight"); };
    const std::string none = line(__LINE__ - 1) + "none of the 5 tensors of " + path + " is called \"weight\": ";
    CHECK(says(failure(look), none));
    CHECK(says(failure([] {
                   (void)fa::named_tensors({12, {"w", fa::tensor()}}).at("no");
               }),
               "\"no\": w, w, w, w, w, w, w, w, w, w, ..."));
    mlp copy;
    fa::load(copy, path);
    CHECK(fa::equal(copy(x), net(x)));
    CHECK(says(failure([&] { fa::load(copy, "/no/such/file"); }), "/no/such/file"));
    CHECK(says(failure([&] { fa::load(fa::nn::relu(), path); }), "those of what was added by add(\"name\", ...)"));
    fa::save(net.state(), path);
    CHECK(fa::load_file(path).size() == 5);
    fa::save({{"a", x}}, path);
    fa::save({{"a", x}, {"b", x}}, path);
    CHECK(fa::load_file(path).count("b"));
    fa::save(fa::nn::sequential({net}), path);
    CHECK(says(failure([&] { fa::load(copy, path); }), ".prefix = \"0.\""));
    fa::load(copy, path, {true, "0."});

    fa::module outer;
    {
        mlp inner;
        outer = fa::nn::sequential({inner, fa::nn::relu()});
        CHECK(outer(x).size(0) == 5);
    }
    CHECK(says(failure([&] { (void)outer(x); }), "destroyed"));
}

static void recurrent()
{
    const fa::module lstm = fa::nn::lstm(3, 4, 2), cell = fa::nn::gru_cell(3, 4);
    const fa::tensor x = fa::randn({5, 2, 3});
    fa::recurrent y = lstm.forward_recurrent(x);
    CHECK(fa::equal(y.output, lstm(x)) && y.h_n.size(0) == 2 && y.c_n.size(2) == 4);
    CHECK(fa::equal(lstm({x, y.h_n, y.c_n}), lstm.forward_recurrent(x, y.h_n, y.c_n).output));
    y = cell.forward_recurrent(x.select(0, 0), fa::ones({2, 4}));
    CHECK(fa::equal(y.output, y.h_n) && !y.c_n.defined());
    CHECK(says(failure([&] { (void)lstm.forward_recurrent(x, y.h_n); }), "it takes x, or x, h_0 and c_0"));
    const fa::lstm_result op = fa::lstm(x, {fa::ones({8, 3}), fa::ones({8, 2})}, {fa::zeros({1, 2, 2})});
    CHECK(op.output.size(2) == 2 && op.c_n.size(0) == 1);
}

static void attention()
{
    const fa::module layer = fa::nn::multihead_attention(8, 2);
    const fa::tensor x = fa::randn({5, 2, 8}), padding = fa::eq(fa::arange(0, 5), 4).expand({2, 5});
    fa::attention y = layer.forward_attention(x, x, x, {padding});
    CHECK(y.output.size(2) == 8 && y.weights.size(1) == 5 && y.weights.select(2, 4).amax().item() == 0);
    y = layer.forward_attention(x, x, x, {{}, {}, false, false});
    CHECK(fa::allclose(y.output, layer(x)) && !y.weights.defined());
    const fa::module encoder = fa::nn::transformer_encoder(fa::nn::transformer_encoder_layer(8, 2, 16), 2),
                     decoder = fa::nn::transformer_decoder(fa::nn::transformer_decoder_layer(8, 2, 16), 2);
    CHECK(encoder.forward_transformer(x, {{}, {}, {}, true}).size(0) == 5);
    CHECK(decoder.forward_transformer(x, {encoder(x)}).size(0) == 5);
    CHECK(says(failure([&] { (void)decoder.forward_transformer(x); }), "it takes x and memory"));
    const fa::module both = fa::nn::transformer(8, 2, {1, 1, 16});
    CHECK(both(fa::tensors{x, x.narrow(0, 1, 3)}).size(0) == 3);
    CHECK(both.forward_transformer(x, {{}, {}, {}, true, {}, {}, false, x}).size(0) == 5);
}

// Each method is the function of its name.
static void methods()
{
    fa::manual_seed(8);
    const fa::tensor x = fa::rand({2, 3}) + 0.5, y = fa::rand({3, 2}), z = fa::rand({2, 1, 3});
    CHECK(fa::equal(x.abs(), fa::abs(x)) && fa::equal(x.exp(), fa::exp(x)) && fa::equal(x.log(), fa::log(x)));
    CHECK(fa::equal(x.sqrt(), fa::sqrt(x)) && fa::equal((x - 1).relu(), fa::relu(x - 1)));
    CHECK(fa::equal(x.sigmoid(), fa::sigmoid(x)) && fa::equal(x.tanh(), fa::tanh(x)) && fa::equal(x.t(), fa::t(x)));
    CHECK(fa::equal(x.clone(), x) && fa::equal(x.detach(), x) && fa::equal(x.t().contiguous(), x.t()));
    CHECK(fa::equal(x.pow(2), fa::pow(x, 2)) && fa::equal(x.matmul(y), fa::matmul(x, y)));
    CHECK(fa::equal(x.softmax(1), fa::softmax(x, 1)) && fa::equal(x.sum(), fa::sum(x)));
    CHECK(fa::equal(x.sum(1, true), fa::sum(x, {1, true})) && fa::equal(x.sum({0, 1}), fa::sum(x)));
    CHECK(fa::equal(x.mean(0), fa::mean(x, {0})) && fa::equal(x.amax(0), fa::amax(x, {0})));
    CHECK(fa::equal(x.amin(1), fa::amin(x, {1})) && fa::equal(x.argmax(1), fa::argmax(x, {1})));
    CHECK(fa::equal(x.argmin(), fa::argmin(x)) && fa::equal(x.argmin(0, true), fa::argmin(x, {0, true})));
    CHECK(fa::equal(x.view({3, 2}), fa::view(x, {3, 2})) && fa::equal(x.reshape({-1}), fa::reshape(x, {-1})));
    CHECK(fa::equal(x["0"].expand({4, 3}), fa::expand(x["0"], {4, 3})));
    CHECK(fa::equal(z.permute({2, 0, 1}), fa::permute(z, {2, 0, 1})) && fa::equal(x.transpose(0, -1), x.t()));
    CHECK(fa::equal(z.flatten(), fa::flatten(z)) && fa::equal(z.flatten(1), fa::flatten(z, {1})));
    CHECK(fa::equal(z.squeeze(), fa::squeeze(z)) && fa::equal(z.squeeze(1), z.view({2, 3})));
    CHECK(fa::equal(x.unsqueeze(1), fa::unsqueeze(x, 1)) && fa::equal(x.select(1, 2), x[":, 2"]));
    CHECK(fa::equal(x.narrow(1, 1, 2), x[":, 1:3"]));
    CHECK(says(failure([&] { (void)x.matmul(x); }), line(__LINE__) + "fa_matmul("));
    std::ostringstream text;
    text << x.shape() << x["0"].shape() << x["0, 0"].shape();
    CHECK(text.str() == "(2, 3)(3,)()");
}

static void functions()
{
    const fa::tensor x = fa::tensor{2.0, 3.0}.requires_grad(true);
    const auto square = [&](int wrong) {
        return fa::apply(
            "square", {x}, [](const std::vector<fa::tensor> &in) { return in[0] * in[0]; },
            [wrong](const std::vector<fa::tensor> &saved, const fa::tensor &grad) {
                if (wrong == 1)
                    throw std::out_of_range("not back");
                if (wrong == 2)
                    (void)fa::matmul(grad, fa::ones({7, 7}));
                return std::vector<fa::tensor>(wrong == 3 ? 0 : 1, saved[0] * 20 * grad);
            });
    };
    fa::sum(square(0)).backward();
    CHECK((fa::equal(x.grad(), fa::tensor{40.0, 60.0})));
    try {
        fa::sum(square(1)).backward();
        CHECK(false);
    } catch (const std::out_of_range &e) {
        CHECK(!std::strcmp(e.what(), "not back"));
    }
    CHECK(says(failure([&] { fa::sum(square(2)).backward(); }), "fa_matmul("));
    CHECK(says(failure([&] { fa::sum(square(3)).backward(); }), "backward returned 0 gradients for 1 inputs"));
    CHECK(!fa_error_stands());

    auto held = std::make_shared<int>(1);
    fa::module net = fa::nn::sequential(
        {fa::nn::linear(2, 3), fa::nn::function([held](const fa::tensor &h) { return h * *held; }, "scale")});
    CHECK(held.use_count() == 2 && net(x).size(0) == 3);
    *held = 0;
    CHECK(fa::sum(net(x)).item() == 0 && net.parameters().size() == 2);
    net = fa::nn::sequential({fa::nn::relu(), fa::nn::function(
                                                  [](const fa::tensor &h) -> fa::tensor {
                                                      return fa::matmul(h, fa::ones({9, 9}));
                                                  },
                                                  "broken")});
    CHECK(held.use_count() == 1); // it went with the module
    CHECK(says(failure([&] { (void)net(x); }), "fa_matmul(")
          && says(failure([&] { (void)net(x); }), "in broken \"1\""));
}

static void hooks()
{
    const fa::tensor w = fa::tensor{1.0, 2.0}.requires_grad(true);
    int calls = 0;
    {
        const fa::hook h = w.on_grad([&](const fa::tensor &g) { return calls++, g * 10; });
        fa::sum(w * 3).backward();
        CHECK((calls == 1 && fa::equal(w.grad(), fa::tensor{30.0, 30.0})));
    }
    fa::sum(w * 3).backward();
    CHECK((calls == 1 && fa::equal(w.grad(), fa::tensor{33.0, 33.0})));
    {
        double seen = 0;
        const fa::hook look = w.on_grad([&](const fa::tensor &g) { seen = g[1].item(); }); // returns nothing
        fa::sum(w * 3).backward();
        CHECK((seen == 3 && fa::equal(w.grad(), fa::tensor{36.0, 36.0})));
    }
    const fa::module net = fa::nn::relu();
    {
        const fa::hook before =
            net.before_forward([](const fa::module &, std::vector<fa::tensor> &in) { in[0] = in[0] * -1; });
        const fa::hook after =
            net.on_forward([&](const fa::module &m, const std::vector<fa::tensor> &in, const fa::tensor &y) {
                CHECK(m.get() == net.get() && in.size() == 1);
                return y + 1;
            });
        CHECK((fa::equal(net(fa::tensor{-2.0, 2.0}), fa::tensor{3.0, 1.0})));
    }
    CHECK((fa::equal(net(fa::tensor{-2.0, 2.0}), fa::tensor{0.0, 2.0})));
    {
        const fa::hook bad =
            net.on_forward([](const fa::module &, const std::vector<fa::tensor> &, const fa::tensor &) -> fa::tensor {
                throw std::out_of_range("fa_to is a name of C");
            });
        try {
            (void)net(w);
            CHECK(false);
        } catch (const std::out_of_range &e) {
            CHECK(!std::strcmp(e.what(), "fa_to is a name of C"));
        }
    }
    const fa::hook bad = net.on_forward(
        [](const fa::module &, const std::vector<fa::tensor> &, const fa::tensor &) -> fa::tensor { throw 5; });
    try {
        (void)net(w);
        CHECK(false);
    } catch (int e) {
        CHECK(e == 5);
    }
}

static void backward_hooks()
{
    const fa::tensor x = fa::tensor{-1.0, 2.0, 3.0}.requires_grad(true);
    const fa::module net = fa::nn::relu();
    int calls = 0;
    {
        const fa::hook before = net.before_backward([&](const fa::module &m, const fa::tensor &g) {
            CHECK(m.get() == net.get() && calls++ == 0);
            return g * 10;
        });
        const fa::hook after =
            net.on_backward([&](const fa::module &m, size_t input, const fa::tensor &in, const fa::tensor &out) {
                CHECK(m.get() == net.get() && input == 0 && calls++ == 1);
                CHECK((fa::equal(out, fa::tensor{30.0, 30.0, 30.0}) && fa::equal(in, fa::tensor{0.0, 30.0, 30.0})));
                return in + 1;
            });
        fa::sum(net(x) * 3).backward();
        CHECK((calls == 2 && fa::equal(x.grad(), fa::tensor{1.0, 31.0, 31.0})));
    }
    fa::sum(net(x)).backward(); /* the hooks have ended */
    CHECK((calls == 2 && fa::equal(x.grad(), fa::tensor{1.0, 32.0, 32.0})));
    const fa::module layer = fa::nn::linear(3, 2); /* its input needs no gradient: the hook gets none */
    const fa::hook seen =
        layer.on_backward([&](const fa::module &, size_t, const fa::tensor &in, const fa::tensor &out) -> fa::tensor {
            CHECK((!in.defined() && out.numel() == 2));
            return calls++, fa::tensor();
        });
    fa::sum(layer(fa::tensor{1.0, 2.0, 3.0})).backward();
    CHECK(calls == 3);
    const fa::hook bad = layer.before_backward([](const fa::module &, const fa::tensor &) -> fa::tensor { throw 5; });
    try {
        fa::sum(layer(x)).backward();
        CHECK(false);
    } catch (int e) {
        CHECK(e == 5);
    }
}

static void datasets()
{
    const fa::dataset whole = fa::data::digits();
    const auto [train, test] = fa::data::split(whole, 0.75);
    const fa::datasets counted = fa::data::split(whole, 100, {-1});
    CHECK(whole.size() == 1438 && counted.first.size() == 100);
    CHECK(says(failure([] { (void)fa::dataset().size(); }), "the dataset is undefined or moved-from"));
    const fa::module halved =
        fa::transform::compose({fa::transform::to_tensor(), fa::transform::normalize({.5}, {.5})});
    CHECK(fa::equal(halved(fa::ones({2, 1, 4, 4})), fa::ones({2, 1, 4, 4})));
    CHECK(train.get() && test.get());
    CHECK(fa_dataset_length(counted.first.get()) == 100);
    CHECK(fa_dataset_length(counted.second.get()) == fa_dataset_length(whole.get()) - 100);
    try {
        fa::data::split(whole, 100.0);
        CHECK(false);
    } catch (const fa::error &e) {
        CHECK(e.code() == FA_ERROR_ARGUMENT);
    }
    auto held = std::make_shared<int>(-1);
    for (int64_t workers = 0; workers < 3; workers += 2) {
        fa::data::loader_options options;
        options.batch_size = 4;
        options.workers = workers;
        fa::dataset squares = fa::data::custom(10, [held](int64_t i) {
            if (i == *held)
                throw std::out_of_range("a sample is lost");
            return fa::sample{fa::full({2}, static_cast<double>(i)), fa::full({}, i * i)};
        });
        double sum = 0;
        const fa::loader l = fa::data::loader(squares, options);
        for (const fa::batch &b : l)
            sum += fa::sum(b.input).item() + fa::sum(b.target).item();
        CHECK(sum == 90 + 285);
        const fa::dataset half =
            fa::data::transformed(squares, fa::nn::function([](const fa::tensor &x) { return x / 2; }, "half"));
        sum = 0;
        for (const fa::batch &b : fa::data::loader(half, {3}))
            sum += fa::sum(b.input).item();
        CHECK(sum == 45);
    }
    CHECK(held.use_count() == 1);
    const fa::dataset lost = fa::data::custom(4, [](int64_t) -> fa::sample { throw std::out_of_range("lost"); });
    try {
        for (const fa::batch &b : fa::data::loader(lost))
            (void)b;
        CHECK(false);
    } catch (const std::out_of_range &e) {
        CHECK(!std::strcmp(e.what(), "lost"));
    }
    fa::data::loader_options two;
    two.workers = 2;
    try {
        for (const fa::batch &b : fa::data::loader(lost, two))
            (void)b;
        CHECK(false);
    } catch (const std::out_of_range &e) { /* of a worker */
        CHECK(!std::strcmp(e.what(), "lost"));
    }
    CHECK(!fa_error_stands());
}

static void gradients()
{
    fa::tensor w = fa::tensor{1.0, 2.0}.requires_grad(true);
    CHECK(!w.grad().defined());
    fa::sum(w * w * 3).backward();
    CHECK((fa::equal(w.grad(), fa::tensor{6.0, 12.0})));
    {
        const fa::no_grad off;
        CHECK(!(w * 2).requires_grad());
    }
    CHECK((w * 2).requires_grad());
    CHECK(w.is_leaf() && !(w * 2).is_leaf());
    const fa::tensor inner = (w * 2).retain_grad();
    fa::sum(inner * 3).backward();
    CHECK((fa::equal(inner.grad(), fa::tensor{3.0, 3.0})));
    CHECK(says(failure([] { fa::ones({2}).retain_grad(); }), line(__LINE__) + "retain_grad(): "));
    const fa::tensor exact = fa::ones({2, 2}, {FA_F64}).requires_grad(true);
    fa::gradcheck([](auto &in) { return fa::exp(in[0]) * in[0]; }, {exact});
    const int at = __LINE__ + 1;
    const auto differs = [&] { fa::gradcheck([](auto &in) { return in[0].detach() * in[0]; }, {exact * 0.5}); };
    CHECK(says(failure(differs), line(at) + "fa_gradcheck: the gradient of element 0 of the result with respect to "));
    CHECK(says(failure([&] { fa::gradcheck([](auto &) { return fa::tensor(); }, {exact}); }), line(__LINE__)));
    const fa::module net = fa::nn::linear(2, 1);
    CHECK(!net.requires_grad(false).parameters()["bias"].requires_grad());
    CHECK(net.requires_grad(true).parameters()["bias"].requires_grad());
    const auto g = fa::grad_of({fa::sum(w * w)}, {w});
    CHECK((g.size() == 1 && fa::equal(g[0], fa::tensor{2.0, 4.0})));
    fa_settings s = fa::settings();
    s.deterministic = true;
    {
        const fa::use with(s);
        CHECK(fa::settings().deterministic);
    }
    CHECK(!fa::settings().deterministic);
}

static void loaders()
{
    const fa::tensor x = fa::arange(0, 10);
    const fa::loader l = fa::data::loader(fa::data::tensors({x, x * 2}), {4});
    double sum = 0;
    int64_t batches = 0;
    for (const fa::batch &b : l) {
        sum += fa::sum(b.input).item() + fa::sum(b.target).item();
        batches++;
    }
    CHECK(sum == 135 && batches == 3 && l.length() == 3);
    fa::tensor kept;
    for (const fa::batch &b : l) {
        kept = b.input;
        break;
    }
    CHECK((fa::equal(kept, fa::tensor{0, 1, 2, 3})));
    for (const fa::batch &b : fa::data::loader(fa::data::digits(), {100}))
        CHECK(b.input.size(1) == 64 && b.target.defined());
    const fa::dataset three = fa::data::custom(4, [](int64_t i) {
        return fa::sample{fa::full({2}, i), fa::full({}, i), {fa::full({}, i * 10), fa::full({3}, i)}};
    });
    fa::data::loader_options options;
    options.batch_size = 2;
    options.sampler = fa::samplers::sequential(three);
    for (const fa::batch &b : fa::data::loader(three, options)) {
        CHECK((b.samples == std::vector<int64_t>{2 * b.index, 2 * b.index + 1}));
        CHECK(b.extra.size() == 2 && b.extra[0][1].item<int64_t>() == 10 * b.samples[1] && b.extra[1].size(1) == 3);
    }
    for (const fa::batch &b : l)
        CHECK(b.extra.empty() && b.samples.size() == static_cast<std::size_t>(b.size));
    fa::loader moved = l, left = std::move(moved);
    CHECK(says(failure([&] { (void)moved.begin(); }), line(__LINE__) + "for (... : loader): the loader is undefined"));
    int at = 0;
    const std::string empty = failure([&] {
        at = __LINE__ + 1;
        for (const fa::batch &b : moved)
            (void)b;
    });
    CHECK(says(empty, line(at) + "for (... : loader): the loader is undefined or moved-from"));
    const fa::dataset fails = fa::data::custom(4, [](int64_t i) { return fa::sample{fa::ones({i + 1})}; });
    const std::string uneven = failure([&] {
        at = __LINE__ + 1;
        for (const fa::batch &b : fa::data::loader(fails, {2}))
            (void)b;
    });
    CHECK(says(uneven, line(at)));
}

static void samplers()
{
    const fa::dataset d = fa::data::digits();
    CHECK(fa::samplers::sequential(d).length() == d.size() && fa::samplers::sequential(d).order(0, 0)[7].item() == 7);
    CHECK(fa::samplers::random(d).order(1, 0).size(0) == d.size());
    const fa::sampler second = fa::samplers::weighted(fa::tensor{0.0, 1.0}, 5);
    CHECK((fa::equal(second.order(3, 0), fa::tensor{1, 1, 1, 1, 1})));
    CHECK(fa::samplers::subset({4, 2}).length() == 2 && fa::samplers::stratified(fa::tensor{0, 1, 1}).length() == 3);
    CHECK(fa::samplers::bucketed(fa::tensor{3, 1, 2}, 2).length() == 3);
    CHECK(fa::samplers::distributed(d, 2).length() == d.size() / 2);
    CHECK(fa::sampler::owned(fa_sampler_sequential(d.get())).length() == d.size());
    CHECK(says(failure([] { (void)fa::samplers::weighted({-1.0}); }), line(__LINE__) + "fa_sampler_weighted"));
}

// Each call of a handle that refers to nothing is an exception with its line, and the next call is none.
static void empty_handles()
{
    const fa::tensor none, x = fa::ones({2});
    const fa::module net;
    const fa::optimizer opt;
    const fa::schedule schedule;
    const fa::grad_scaler scaler;
    const fa::dataset dataset;
    const fa::loader loader;
    const fa::sampler sampler;
    const fa::meter meter;
    std::ostringstream out;
#define FAILS(call)                                                                                                    \
    do {                                                                                                               \
        CHECK(says(failure([&] { (void)(call); }), line(__LINE__)));                                                   \
        CHECK(!fa_error_stands() && x.numel() == 2 && x.sum().item() == 2);                                            \
    } while (0)
    FAILS(fa::module(fa_module_clone(net.get())));
    FAILS(fa::tensor(fa_relu(none.get())));
    CHECK(!fa::module(static_cast<fa_module *>(nullptr)));
    FAILS(none.shape());
    FAILS(none.dtype());
    FAILS(none.device());
    FAILS(none.numel());
    FAILS(none.dim());
    FAILS(none.size(0));
    FAILS(none.requires_grad());
    FAILS(none.requires_grad(true));
    FAILS(none.retain_grad());
    FAILS(none.grad());
    FAILS(none.grad().numel());
    FAILS(x.grad().numel()); // before backward()
    FAILS(none.backward());
    FAILS(none.item());
    FAILS(none.to_vector<float>());
    FAILS(none.data<float>());
    FAILS(none.to("cpu"));
    FAILS(none.to(FA_F64));
    FAILS(none.cpu());
    FAILS(none[0]);
    FAILS(none.set(0, 1));
    FAILS(none.on_grad([](const fa::tensor &g) { return g; }));
    FAILS(none.abs());
    FAILS(none.max());
    FAILS(none.max(0));
    FAILS(none + x);
    FAILS(x & none);
    FAILS(~none);
    FAILS(fa::cat({x, none}));
    FAILS(net(x));
    FAILS(net(x, x));
    FAILS(net.to("cpu"));
    FAILS(net.to(FA_F64));
    FAILS(net.train());
    FAILS(net.eval());
    FAILS(net.training());
    FAILS(net.requires_grad(false));
    FAILS(net.zero_grad());
    FAILS(net.parameters());
    FAILS(net.state());
    FAILS(net.summary());
    FAILS(net.numel());
    FAILS(net.forward_recurrent(x));
    FAILS(net.forward_attention(x, x, x));
    FAILS(net.forward_transformer(x));
    FAILS(net.child("0"));
    FAILS(net.add("0", net));
    FAILS(net.add_parameter("p", x));
    FAILS(net.add_buffer("p", x));
    FAILS(net.before_forward([](const fa::module &, std::vector<fa::tensor> &) {}));
    FAILS(net.before_backward([](const fa::module &, const fa::tensor &g) { return g; }));
    FAILS(out << net);
    FAILS(fa::nn::sequential({net}));
    FAILS(fa::save(net, "none"));
    FAILS(fa::load(net, "none"));
    FAILS(fa::optim::adam(net, .1));
    FAILS(fa::optim::sgd(net));
    FAILS(fa::clip_grad_norm(net, 1));
    FAILS(opt.lr());
    FAILS(opt.set_lr(1));
    FAILS(opt.zero_grad());
    FAILS(opt.step());
    FAILS(opt.state_dict());
    FAILS(opt.load_state_dict({}));
    FAILS(fa::lr::step_lr(opt, 1));
    FAILS(schedule.step());
    FAILS(schedule.step(1));
    FAILS(schedule.state_dict());
    FAILS(schedule.load_state_dict({}));
    FAILS(fa::lr::chained({schedule}));
    FAILS(scaler.scale(x));
    FAILS(scaler.unscale(opt));
    FAILS(scaler.step(opt));
    FAILS(scaler.update());
    FAILS(scaler.get_scale());
    FAILS(scaler.is_enabled());
    FAILS(scaler.get_growth_factor());
    FAILS(scaler.set_growth_factor(2));
    FAILS(scaler.get_backoff_factor());
    FAILS(scaler.set_backoff_factor(.5));
    FAILS(scaler.get_growth_interval());
    FAILS(scaler.set_growth_interval(2));
    FAILS(scaler.state_dict());
    FAILS(scaler.load_state_dict({}));
    FAILS(dataset.size());
    FAILS(fa::data::split(dataset, .5));
    FAILS(fa::data::loader(dataset));
    FAILS(loader.length());
    FAILS(loader.position());
    FAILS(loader.begin());
    FAILS(sampler.length());
    FAILS(sampler.order(0, 0));
    FAILS(meter.update(1));
    FAILS(meter.update(x, x));
    FAILS(meter.value());
    FAILS(meter.table());
    FAILS(meter.reset());
#undef FAILS
}

#if __cplusplus >= 202002L
// What is written with C's functions, as docs/languages.md has it.
static void functions_of_c()
{
    const fa::dataset a = fa::data::digits(), b = fa::data::digits();
    CHECK(fa::dataset::owned(fa_data_concat(a.get(), b.get())).size() == 2 * a.size());
    const fa::module first = fa::nn::linear(2, 2), second = fa::nn::linear(2, 2);
    const fa::optimizer opt = fa::optim::sgd(first, .1);
    CHECK(fa_optim_add_group(opt.get(), second.get(), .lr = .01) && fa_optim_groups(opt.get()) == 2);
    mlp net;
    net.fc2 = fa::module(fa_module_replace(net.get(), "fc2", fa::nn::linear(8, 2).get()));
    CHECK(net.fc2.get() == net.child("fc2").get());
    CHECK(net.fc1.parameters()["weight"].get() == net.parameters()["fc1.weight"].get());
    net.scale = fa::tensor(fa_module_replace_tensor(net.get(), "scale", fa::zeros({2}).get()));
    CHECK(fa::all(net(fa::ones({1, 4})) == 0).item<int>() == 1);
    // two layers with one weight
    (void)fa_module_replace_tensor(first.get(), "weight", second.parameters()["weight"].get());
    CHECK(first.parameters()["weight"].get() == second.parameters()["weight"].get());
    CHECK(says(failure([&] {
                   (void)first.add_parameter("weight", fa::ones({2, 2}));
               }),
               "has a \"weight\" already: fa_module_replace_tensor() replaces it"));
    if (fa_failed())
        throw std::runtime_error(fa_error_message());
}
#endif

// Loops and threads keep nothing: what lives afterwards is what lived before.
static void memory()
{
    const int64_t before = living();
    {
        fa::tensor total = fa::zeros({1000});
        for (int i = 0; i < 50; i++) {
            fa::tensor next = total + fa::ones({1000});
            total = next;
            (void)fa::split(total, 100);
            (void)failure([&] { (void)fa::matmul(total, fa::ones({2})); });
        }
        CHECK(total[0].item() == 50);
        CHECK(living() <= before + 2 * 4096 + 4000);
        {
            const fa::tensor square = total.to(FA_F64),
                             part = fa::average(fa::reshape(square, {10, 100})["1:, ::2"], {0});
            CHECK(part.size(0) == 50);
        }
        CHECK(living() <= before + 2 * 4096 + 4000); // nor what the calls computed on their way
        fa::tensor there;
        std::thread([&] { there = total * 2; }).join();
        CHECK(there[0].item() == 100);
        fa::tensor moved = std::move(there);
        CHECK(!there.defined() && moved.defined());
    }
    CHECK(living() == before);
}

static void scalers()
{
    const fa::module net = fa::nn::linear(2, 1);
    const fa::optimizer opt = fa::optim::sgd(net, 0.1);
    const fa::grad_scaler scaler = fa::amp::scaler(8);
    scaler.set_growth_factor(4);
    scaler.set_backoff_factor(0.25);
    scaler.set_growth_interval(1);
    CHECK(scaler.get_growth_factor() == 4 && scaler.get_backoff_factor() == 0.25);
    CHECK(scaler.get_growth_interval() == 1 && scaler.is_enabled() && scaler.get_scale() == 8);
    scaler.scale(fa::sum(net(fa::ones({3, 2})))).backward();
    scaler.unscale(opt);
    CHECK(net.parameters().at("weight").grad().to_vector<float>() == (std::vector<float>{3, 3}));
    scaler.step(opt);
    scaler.update();
    CHECK(scaler.get_scale() == 32);
    CHECK(says(failure([&] { scaler.set_growth_factor(1); }), "facula.cpp:"));
    CHECK(says(failure([&] { scaler.set_growth_interval(0); }), "from 1 to 2^48, not 0"));
    CHECK(says(failure([] { (void)fa::grad_scaler().get_scale(); }), "the scaler is undefined or moved-from"));
}

template <class T> static std::string printed(const T &value)
{
    std::ostringstream to;
    to << value;
    return to.str();
}

static void dtypes_and_devices()
{
    const fa::tensor x = {1.0, 2.0};
    CHECK(printed(x.dtype()) == "f32" && printed(x.device()) == "cpu" && printed(fa::device("late:1")) == "late:1");
    CHECK(x.device() == FA_CPU && x.device() != FA_LATE(1) && x.device() == fa::device("cpu"));
    CHECK(fa::device("late:1") != fa::device() && fa::device("late:1") == "late:1");
    CHECK(x.device() == "cpu" && x.device() != "late:1" && x.device() == fa::device("cpu"));
    CHECK(printed(FA_SAME) == "FA_SAME" && printed(fa::device()) == "default");
}

// Whatever is a text may be a std::string.
static void texts()
{
    const std::string equation = "ij,kj->ik", part = "0, 1:", nowhere = "a folder that does not exist, of a long name";
    const fa::tensor x = fa::tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2});
    CHECK((fa::einsum(equation, {x, x}).to_vector<int>() == std::vector<int>{5, 11, 11, 25}));
    CHECK(x[part].item() == 2 && x[std::string("1, ") + "0"].item() == 3);
    x.set(part, 7);
    x.set(1, 9);
    CHECK((x.to_vector<int>() == std::vector<int>{1, 7, 9, 9}));
    CHECK(says(failure([&] { (void)fa::data::cifar10(nowhere); }), nowhere));
    fa::pad_options options;
    options.mode = std::string("reflect");
    CHECK(fa::pad(x, {1, 0}, options)[0][0].item() == 7);
    CHECK(says(fa::nn::function([](const fa::tensor &t) { return t; }, std::string("twice")).summary(), "twice"));
}

static void meters()
{
    const fa::meter loss = fa::meter::mean(), right = fa::meter::accuracy(), table = fa::meter::confusion(2);
    const fa::tensor logits = fa::tensor::parse("[[0., 1.], [1., 0.], [3., 0.], [0., 2.]]"), target = {1, 0, 0, 0};
    loss.update(2.0);
    loss.update(fa::sum(logits), 3); // 7, of a batch of three samples
    CHECK(loss.value() == (2 + 3 * 7) / 4.0);
    right.update(logits, target);
    table.update(logits, target);
    CHECK(right.value() == 0.75 && table.value() == 0.75 && table.table().to_vector<int>()[1] == 1);
    right.reset();
    CHECK(std::isnan(right.value()));
    CHECK(fa::meter::accuracy({2}).get() != nullptr);
    CHECK(says(failure([&] { right.update(logits); }), line(__LINE__) + "fa_meter_update"));
}

// A training of two steps, with all that a checkpoint keeps.
struct training {
    fa::module net = fa::nn::linear(3, 1);
    fa::optimizer optim = fa::optim::adam(net);
    fa::schedule schedule = fa::lr::step_lr(optim, 1);
    fa::loader loader = fa::data::loader(fa::data::digits(), {100});

    fa::tensor step() const
    {
        optim.zero_grad();
        fa::sum(net(fa::randn({4, 3}))).backward();
        optim.step();
        schedule.step();
        return net.parameters().at("weight");
    }
};

static void checkpoints(const std::string &work)
{
    const std::string path = work + "/run.safetensors";
    const training first, second, third;
    for (const fa::batch &b : first.loader)
        if (b.index == 2)
            break;
    (void)first.step();
    fa::checkpoint_options saved, loaded;
    saved.module = first.net, saved.optim = first.optim, saved.schedule = first.schedule, saved.loader = first.loader;
    saved.metadata = {{"run", "seven"}};
    loaded.module = second.net, loaded.optim = second.optim, loaded.schedule = second.schedule;
    loaded.loader = second.loader;
    fa::checkpoint_save(path, saved);
    const fa::tensor expected = fa::clone(first.step());
    fa::checkpoint_load(path, loaded);
    CHECK(second.loader.position().batch == 3 && fa::load_metadata(path).at("run") == "seven");
    CHECK(fa::equal(second.step(), expected) && first.optim.lr() == second.optim.lr());
    CHECK(says(failure([&] { fa::load(third.net, path); }), "this is a checkpoint"));
    fa::load(third.net, path, {true, "model."});
    loaded.module = fa::nn::linear(5, 5);
    CHECK(says(failure([&] { fa::checkpoint_load(path, loaded); }), "weight is (1, 3) in the file"));
    CHECK(says(failure([&] { fa::checkpoint_load(work + "/none", loaded); }), line(__LINE__) + "fa_checkpoint_load"));

    third.optim.load_state_dict(first.optim.state_dict());
    third.schedule.load_state_dict(first.schedule.state_dict());
    const fa::state_dict state = third.optim.state_dict();
    CHECK(state.kind == "adam" && state.numbers.at("state.0.step") == 2 && state.tensors.count("state.0.exp_avg") == 1);
    CHECK(third.optim.lr() == first.optim.lr());
    CHECK(says(failure([&] { third.optim.load_state_dict({}); }), line(__LINE__) + "fa_optim_load_state_dict"));
    const fa::grad_scaler scaler = fa::amp::scaler(8), other = fa::amp::scaler(16);
    other.load_state_dict(scaler.state_dict());
    CHECK(other.get_scale() == 8);
}

static void schedules()
{
    const fa::module net = fa::nn::linear(1, 1);
    const fa::optimizer opt = fa::optim::sgd(net, 8);
    auto held = std::make_shared<double>(0.5);
    {
        const fa::schedule s = fa::lr::lambda(opt, [held](int64_t epoch, int) {
            if (epoch == 2)
                throw std::out_of_range("too late");
            return epoch ? *held : 1;
        });
        CHECK(opt.lr() == 8);
        s.step();
        CHECK(opt.lr() == 4);
        try {
            s.step();
            CHECK(false);
        } catch (const std::out_of_range &e) {
            CHECK(!std::strcmp(e.what(), "too late"));
        }
    }
    CHECK(held.use_count() == 1);
    const fa::optimizer two = fa::optim::sgd(net, 8);
    const fa::schedule chain = fa::lr::chained(
        {fa::lr::lambda(two, [](int64_t e, int) { return e ? 0.5 : 1; }), fa::lr::exponential(two, 0.5)});
    chain.step();
    CHECK(two.lr() == 2);
    const fa::optimizer three = fa::optim::sgd(net, 8);
    const fa::schedule sequence = fa::lr::sequential(
        {1}, {fa::lr::lambda(three, [](int64_t, int) { return 0.25; }), fa::lr::exponential(three, 0.5)});
    CHECK(three.lr() == 2);
    sequence.step();
    CHECK(three.lr() == 8);
    sequence.step();
    CHECK(three.lr() == 4);
    CHECK(says(failure([&] { (void)fa::lr::chained({}); }), line(__LINE__)));
    const fa::optimizer four = fa::optim::sgd(net, 8);
    const std::vector<fa::schedule> halves = {fa::lr::exponential(four, 0.5), fa::lr::exponential(four, 0.5)};
    fa::lr::chained(halves).step();
    CHECK(four.lr() == 2 && fa::lr::sequential({1}, halves).get());
}

int main(int count, char **argument)
{
    char made[] = "/tmp/facula-cpp-XXXXXX";
    const char *const temporary = count > 1 ? nullptr : mkdtemp(made);
    const std::string work = count > 1 ? argument[1] : made;
    operators();
    values();
    assignment();
    indexing();
    messages();
    errors();
    warnings_in_words_of_cpp(work);
    networks_inside_networks();
    networks_that_are_moved();
    layers_that_were_not_added();
    results_that_are_inputs();
    networks_are_not_cloned();
    networks_that_modules_keep();
    networks(work);
    recurrent();
    attention();
    methods();
    functions();
    hooks();
    backward_hooks();
    datasets();
    gradients();
    loaders();
    samplers();
    empty_handles();
#if __cplusplus >= 202002L
    functions_of_c();
#endif
    memory();
    scalers();
    dtypes_and_devices();
    texts();
    meters();
    schedules();
    checkpoints(work);
    fa::set_num_threads(1);
    CHECK(says(failure([] { fa::set_num_threads(-1); }), line(__LINE__) + "fa_set_num_threads"));
    for (const char *const file : {"/warnings.txt", "/cpp.safetensors", "/run.safetensors", ""})
        if (temporary)
            std::remove((work + file).c_str());
    if (!failures)
        std::printf("[       OK ] facula.hpp, C++ %ld\n", __cplusplus);
    return failures > 0;
}
