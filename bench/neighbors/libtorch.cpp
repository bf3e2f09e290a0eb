// libtorch in run.py, called from C++.
#include "program.h"
#include <torch/torch.h>

static torch::nn::Sequential network{nullptr};
static bool images_have_channels;
static int images_of_batch;

static const char *version()
{
    return TORCH_VERSION;
}

static torch::nn::Sequential new_network(const std::string &net)
{
    using namespace torch::nn;
    if (net == "mlp")
        return Sequential(Linear(PIXELS, 256), ReLU(), Linear(256, CLASSES));
    return Sequential(Conv2d(Conv2dOptions(1, 16, 3).padding(1)), ReLU(), MaxPool2d(2),
                      Conv2d(Conv2dOptions(16, 32, 3).padding(1)), ReLU(), MaxPool2d(2), Flatten(),
                      Linear(32 * 7 * 7, CLASSES));
}

static bool open_network(const char *net, int rows)
{
    const torch::InferenceMode inference;
    torch::set_num_threads(THREADS);
    network = new_network(net);
    for (auto &p : network->named_parameters()) {
        float *values = load_floats(net, p.key().c_str(), static_cast<std::size_t>(p.value().numel()));
        p.value().copy_(torch::from_blob(values, p.value().sizes()));
        free(values);
    }
    network->eval();
    images_have_channels = !std::strcmp(net, "cnn");
    images_of_batch = rows;
    return true;
}

static void compute(const float *images, float *results)
{
    const torch::InferenceMode inference;
    auto x = torch::from_blob(const_cast<float *>(images), {images_of_batch, 1, 28, 28});
    const auto y = network->forward(images_have_channels ? x : x.view({images_of_batch, PIXELS})).contiguous();
    std::memcpy(results, y.data_ptr<float>(), sizeof(float) * images_of_batch * CLASSES);
}

int main(int count, char **arguments)
{
    return program_main(count, arguments);
}
