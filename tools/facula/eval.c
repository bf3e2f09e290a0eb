/* facula eval: evaluates a saved network on the test set. */
#include "evaluate.h"
#include "progress.h"
#include <inttypes.h>
#include <stdio.h>

static int show(const settings *s, const network *n, fa_module *net, fa_device device)
{
    static tally t;
    double began = progress_now();
    fa_dataset *held_out = NULL;
    fa_loader *loader = network_data(n, s, NULL, &held_out)
                            ? fa_data_loader(held_out, .batch_size = 256, .device = device, .workers = s->workers,
                                             .skip_bad_samples = s->skip_broken)
                            : NULL;
    if (fa_failed() || !evaluate(net, loader, n->classes, &t))
        return data_failed(s);
    if (s->json) {
        json j = {.file = stdout};
        json_open(&j, NULL, '{');
        json_text(&j, "file", s->argument[0]);
        json_text(&j, "model", model_names[n->model]);
        json_text(&j, "data", s->data);
        json_text(&j, "device", fa_device_name(device));
        tally_json(&t, n, &j);
        json_number(&j, "seconds", progress_now() - began);
        json_close(&j, '}');
        return 0;
    }
    if (!s->quiet) {
        printf("%s of %s on %s, %" PRId64 " samples, on %s\n", model_names[n->model], n->data, s->data, t.samples,
               fa_device_name(device));
        tally_print(&t, n);
        if (t.samples < fa_dataset_length(held_out))
            printf("skipped: %" PRId64 " samples, which cannot be read; `facula data show %s` names them\n",
                   fa_dataset_length(held_out) - t.samples, s->data);
    }
    printf("test accuracy: %.1f%%\n", tally_accuracy(&t));
    return 0;
}

int command_eval(int argc, char **argv)
{
    settings s = settings_parse(EVAL, argc, argv, "FILE",
                                "Evaluates a network saved by `facula train` on held-out samples.\v"
                                "Data defaults to what was used in training; of another folder or CSV file, all "
                                "samples are evaluated.\n"
                                "\n"
                                "Examples:\n"
                                "  facula eval net.safetensors\n"
                                "  facula eval photos.safetensors --data more-photos");
    network n;
    fa_module *net;
    if (s.arguments != 1)
        return s.arguments ? command_wrong("\"%s\" is not expected", s.argument[1])
                           : command_wrong("a file is missing: a network that `facula train --save` wrote");
    fa_device device;
    int wrong = network_open(&s, &device, &n, &net);
    if (wrong)
        return wrong;
    if (!setting_given(&s, "data")) {
        s.data = n.data;
        s.data_dir = s.data_dir ? s.data_dir : n.folder;
    }
    wrong = data_check(&s);
    return wrong ? wrong : show(&s, &n, net, device);
}
