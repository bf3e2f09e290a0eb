/* The page about a run: one file of HTML, with drawings as SVG and images as PNG inside. */
#include "report.h"
#include "png.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 24, MOST_ROWS = 40 /* of the confusion matrix */, WIDE = 560, HIGH = 200, LEFT = 48, BELOW = 24 };

static const char style[] =
    "<style>:root{color-scheme:light dark}body{font:15px/1.5 "
    "system-ui,sans-serif;max-width:60em;margin:auto;padding:1em}"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}table{border-collapse:collapse}"
    "th,td{padding:.15em .6em;text-align:right}th:first-child,td:first-child{text-align:left}"
    ".scroll{overflow-x:auto}svg{max-width:100%;height:auto}svg text{font-size:12px;fill:currentColor}"
    ".confusion td{min-width:2em;border:1px solid #8884}.worst{display:flex;flex-wrap:wrap;gap:1em}"
    "figure{margin:0;width:9em}figure img{width:100%;image-rendering:pixelated;border:1px solid #8884}"
    "figcaption{font-size:.85em;overflow-wrap:anywhere}dl{display:grid;grid-template-columns:max-content auto;gap:0 "
    "1em}"
    "dd{margin:0;overflow-wrap:anywhere}</style>";

/* Text with the characters that have a meaning in HTML written otherwise. */
static void put_text(FILE *f, const char *text)
{
    for (; *text; text++) {
        const char *other = *text == '<'   ? "&lt;"
                            : *text == '>' ? "&gt;"
                            : *text == '&' ? "&amp;"
                            : *text == '"' ? "&quot;"
                                           : NULL;
        if (other)
            fputs(other, f);
        else
            putc(*text, f);
    }
}

static void put_head(FILE *f, const run *r)
{
    fputs("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>",
          f);
    fprintf(f, "%s on ", model_names[r->s.model]);
    put_text(f, r->s.data);
    fprintf(f, "</title>%s<h1>%s on ", style, model_names[r->s.model]);
    put_text(f, r->s.data);
    fprintf(f,
            "</h1><p>%.1f%% of %" PRId64 " held-out samples are right after %" PRId64 " epochs on %" PRId64
            " samples; best: %.1f%% after epoch %" PRId64 ". %" PRId64 " parameters.",
            tally_accuracy(&r->tally), r->tally.samples, r->done, fa_dataset_length(fa_loader_dataset(r->train)),
            r->best ? 100 * r->epoch[r->best - 1].accuracy : 0, r->best, fa_module_numel(r->net));
}

/* ---- curves ---- */

static double value_of(const epoch_facts *e, bool accuracy)
{
    return accuracy ? 100 * e->accuracy : e->loss;
}

/* A curve over the epochs, from 0 to its largest value; values that are not finite are left out. */
static void put_curve(FILE *f, const run *r, bool accuracy, const char *title)
{
    double most = accuracy ? 100 : 0;
    for (int64_t i = 0; i < r->done; i++) {
        double v = value_of(&r->epoch[i], accuracy);
        most = isfinite(v) && v > most ? v : most;
    }
    most = most > 0 ? most : 1;
    fprintf(f, "<h2>%s</h2><svg viewBox=\"0 0 %d %d\" width=\"%d\" role=img aria-label=\"%s\">", title,
            LEFT + WIDE + 10, HIGH + BELOW + 10, LEFT + WIDE + 10, title);
    for (int i = 0; i <= 4; i++)
        fprintf(f, "<path d=\"M%d %d h%d\" stroke=\"#8886\"/><text x=\"%d\" y=\"%d\" text-anchor=end>%.4g</text>", LEFT,
                10 + HIGH * i / 4, WIDE, LEFT - 6, 14 + HIGH * i / 4, most * (4 - i) / 4);
    fputs("<polyline fill=none stroke=\"#27c\" stroke-width=2 points=\"", f);
    for (int64_t i = 0; i < r->done; i++)
        if (isfinite(value_of(&r->epoch[i], accuracy)))
            fprintf(f, "%.1f,%.1f ", LEFT + (r->done > 1 ? (double)i / (double)(r->done - 1) : 0.5) * WIDE,
                    10 + HIGH * (1 - value_of(&r->epoch[i], accuracy) / most));
    fprintf(
        f, "\"/><text x=\"%d\" y=\"%d\">epoch 1</text><text x=\"%d\" y=\"%d\" text-anchor=end>%" PRId64 "</text></svg>",
        LEFT, HIGH + BELOW + 4, LEFT + WIDE, HIGH + BELOW + 4, r->done);
}

/* ---- classes ---- */

static void put_classes(FILE *f, const run *r)
{
    fputs("<h2>Classes</h2><div class=scroll><table><tr><th>class<th>precision<th>recall<th>F1<th>samples", f);
    for (int64_t i = 0; i < r->n.classes; i++) {
        measures m = tally_measures(&r->tally, i);
        fputs("<tr><td>", f);
        put_text(f, r->n.class_name[i]);
        fprintf(f, "<td>%.3f<td>%.3f<td>%.3f<td>%" PRId64, m.precision, m.recall, m.f1, m.samples);
    }
    fputs("</table></div>", f);
}

/* Cells are the darker the larger a part of the class's samples they have. */
static void put_confusion(FILE *f, const run *r)
{
    int64_t n = r->n.classes;
    if (n > MOST_ROWS)
        return;
    fputs("<h2>Confusion matrix</h2><p>Rows: actual class. Columns: predicted class.<div class=scroll><table "
          "class=confusion><tr><th>",
          f);
    for (int64_t i = 0; i < n; i++) {
        fputs("<th>", f);
        put_text(f, r->n.class_name[i]);
    }
    for (int64_t i = 0; i < n; i++) {
        double all = fmax(1, (double)tally_measures(&r->tally, i).samples);
        fputs("<tr><th>", f);
        put_text(f, r->n.class_name[i]);
        for (int64_t k = 0; k < n; k++) {
            int64_t count = r->tally.count[i * n + k];
            fprintf(f, "<td style=\"background:rgb(%s/%.0f%%)\">%" PRId64, i == k ? "40 160 80" : "210 60 40",
                    70 * (double)count / all, count);
        }
    }
    fputs("</table></div>", f);
}

/* ---- the worst samples ---- */

/* A held-out sample, its class, and what the network takes it for. */
typedef struct sample {
    int64_t index, class, predicted;
    double chance, predicted_chance; /* of the class, and of what was predicted */
} sample;

/* Keeps the WORST samples of those with a wrong class, the least probable ones first. */
static void add_sample(sample *worst, int64_t *count, sample s)
{
    int64_t at = *count;
    while (at && worst[at - 1].chance > s.chance)
        at--;
    if (at == WORST)
        return;
    int64_t moved = *count < WORST ? *count - at : WORST - 1 - at;
    memmove(&worst[at + 1], &worst[at], (size_t)moved * sizeof *worst);
    worst[at] = s;
    *count += *count < WORST;
}

static bool add_batch(const run *r, const fa_batch *batch, sample *worst, int64_t *count)
{
    int64_t classes = r->n.classes;
    double *chance = scratch((size_t)(batch->size * classes) * sizeof *chance);
    int64_t *target = scratch((size_t)batch->size * sizeof *target);
    if (!chance || !target
        || !fa_read(fa_softmax(fa_forward(r->net, batch->input), 1), chance, FA_F64, batch->size * classes)
        || !fa_read(batch->target, target, FA_I64, batch->size))
        return false;
    for (int64_t i = 0; i < batch->size; i++) {
        const double *p = chance + i * classes;
        int64_t best = 0;
        for (int64_t k = 1; k < classes; k++)
            best = p[k] > p[best] ? k : best;
        if (best != target[i])
            add_sample(worst, count, (sample){batch->samples[i], target[i], best, p[target[i]], p[best]});
    }
    return true;
}

static bool find_worst(const run *r, sample *worst, int64_t *count)
{
    bool training = fa_module_training(r->net);
    FA_USE(.no_grad = true);
    fa_module_train(r->net, false);
    *count = 0;
    FA_EACH (batch, r->held_out)
        if (!add_batch(r, &batch, worst, count))
            break;
    fa_module_train(r->net, training);
    return !fa_failed();
}

static void put_base64(FILE *f, const uint8_t *bytes, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t x =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        putc(digit[x >> 18], f);
        putc(digit[x >> 12 & 63], f);
        putc(left > 1 ? digit[x >> 6 & 63] : '=', f);
        putc(left > 2 ? digit[x & 63] : '=', f);
    }
}

/* The image of a sample, whose pixels are normalized. */
static bool put_image(FILE *f, const run *r, int64_t index)
{
    FA_SCOPE;
    FA_USE(.no_grad = true);
    const network *n = &r->n;
    int64_t plane = n->height * n->width, count = n->channels * plane;
    fa_tensor *x = fa_dataset_get(fa_loader_dataset(r->held_out), index).input;
    float *value = scratch((size_t)count * sizeof *value);
    uint8_t *pixel = scratch((size_t)(3 * plane));
    size_t size = 0;
    if (!x || !value || !pixel || !fa_read(x, value, FA_F32, count))
        return false;
    for (int64_t i = 0; i < 3 * plane; i++) {
        int64_t c = n->channels == 3 ? i % 3 : 0;
        double v = (double)value[c * plane + i / 3] * n->deviation[c] + n->mean[c];
        pixel[i] = (uint8_t)(fmin(fmax(v, 0), 1) * 255 + 0.5);
    }
    uint8_t *png = png_encode(pixel, n->height, n->width, &size);
    if (!png)
        return false;
    fputs("<img alt=\"\" src=\"data:image/png;base64,", f);
    put_base64(f, png, size);
    fputs("\">", f);
    free(png);
    return true;
}

static bool put_worst(FILE *f, const run *r)
{
    sample worst[WORST];
    int64_t count;
    if (!find_worst(r, worst, &count))
        return false;
    fprintf(f, "<h2>The worst mistakes</h2><p>%s<div class=worst>",
            count ? "The held-out samples to whose class the network gives the least probability." : "There are none.");
    for (int64_t i = 0; i < count; i++) {
        const sample *s = &worst[i];
        fputs("<figure>", f);
        if (!r->n.columns && !put_image(f, r, s->index))
            return false;
        fprintf(f, "<figcaption>sample %" PRId64 ": ", s->index);
        put_text(f, r->n.class_name[s->class]);
        fprintf(f, " (%.1f%%), taken for ", 100 * s->chance);
        put_text(f, r->n.class_name[s->predicted]);
        fprintf(f, " (%.1f%%)</figcaption></figure>", 100 * s->predicted_chance);
    }
    fputs("</div>", f);
    return true;
}

/* ---- the page ---- */

static void put_settings(FILE *f, const run *r)
{
    fputs("<h2>Settings</h2><dl>", f);
    for (const setting *row = setting_rows; row->name; row++) {
        char text[TEXT_ROOM];
        setting_write(&r->s, row, text, sizeof text);
        if (!row->kept || !*text)
            continue;
        fprintf(f, "<dt>%s<dd>", row->name);
        put_text(f, text);
    }
    fprintf(f, "<dt>device<dd>%s</dl>", fa_device_name(r->device));
}

bool report_write(const run *r, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return fa_fail(FA_ERROR_MEMORY, "no memory for %s", path);
    put_head(f, r);
    put_curve(f, r, false, "Training loss");
    put_curve(f, r, true, "Held-out accuracy, %");
    put_classes(f, r);
    put_confusion(f, r);
    bool good = put_worst(f, r);
    put_settings(f, r);
    good = !fclose(f) && good && !fa_failed() && fa_file_write(path, text, size);
    free(text);
    return good;
}
