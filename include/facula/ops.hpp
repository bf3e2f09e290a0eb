/* Functions of facula.hpp, with the names, options and documentation of C's: fa::sum() is fa_sum(), and
 * fa::nn::linear() is fa_nn_linear().
 *
 *  Written by facula-rows from the headers of C. */
/* clang-format off */
#ifndef FACULA_OPS_HPP
#define FACULA_OPS_HPP
#include <facula/facula.hpp>

namespace fa {

struct zeros_options {
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor zeros(const fa::shape &shape, const zeros_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_zeros_options given = FA__DEFAULT_fa_zeros;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_zeros)(shape.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor zeros(const fa::shape &shape, Number dtype, FA__HERE)
{
    zeros_options options;
    options.dtype = dtype;
    return zeros(shape, options, file, line);
}

struct ones_options {
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor ones(const fa::shape &shape, const ones_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ones_options given = FA__DEFAULT_fa_ones;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_ones)(shape.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor ones(const fa::shape &shape, Number dtype, FA__HERE)
{
    ones_options options;
    options.dtype = dtype;
    return ones(shape, options, file, line);
}

struct zeros_like_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor zeros_like(const fa::tensor &x, const zeros_like_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_zeros_like_options given = FA__DEFAULT_fa_zeros_like;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_zeros_like)(x.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor zeros_like(const fa::tensor &x, Number dtype, FA__HERE)
{
    zeros_like_options options;
    options.dtype = dtype;
    return zeros_like(x, options, file, line);
}

struct ones_like_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor ones_like(const fa::tensor &x, const ones_like_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ones_like_options given = FA__DEFAULT_fa_ones_like;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_ones_like)(x.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor ones_like(const fa::tensor &x, Number dtype, FA__HERE)
{
    ones_like_options options;
    options.dtype = dtype;
    return ones_like(x, options, file, line);
}

struct full_options {
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor full(const fa::shape &shape, const fa::arg &value, const full_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_full_options given = FA__DEFAULT_fa_full;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_full)(shape.get(), value.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor full(const fa::shape &shape, const fa::arg &value, Number dtype, FA__HERE)
{
    full_options options;
    options.dtype = dtype;
    return full(shape, value, options, file, line);
}

struct arange_options {
    double step = 1;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor arange(double start, double end, const arange_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_arange_options given = FA__DEFAULT_fa_arange;
    given.out = options.out.get();
    given.step = options.step;
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_arange)(start, end, &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor arange(double start, double end, Number step, FA__HERE)
{
    arange_options options;
    options.step = static_cast<double>(step);
    return arange(start, end, options, file, line);
}

struct rand_options {
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor rand(const fa::shape &shape, const rand_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rand_options given = FA__DEFAULT_fa_rand;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_rand)(shape.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor rand(const fa::shape &shape, Number dtype, FA__HERE)
{
    rand_options options;
    options.dtype = dtype;
    return rand(shape, options, file, line);
}

struct randn_options {
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor randn(const fa::shape &shape, const randn_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_randn_options given = FA__DEFAULT_fa_randn;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_randn)(shape.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor randn(const fa::shape &shape, Number dtype, FA__HERE)
{
    randn_options options;
    options.dtype = dtype;
    return randn(shape, options, file, line);
}

struct randperm_options {
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    fa::tensor out = {};
};
inline tensor randperm(int64_t n, const randperm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_randperm_options given = FA__DEFAULT_fa_randperm;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    return detail::result((fa_randperm)(n, &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor randperm(int64_t n, Number dtype, FA__HERE)
{
    randperm_options options;
    options.dtype = dtype;
    return randperm(n, options, file, line);
}

struct empty_options {
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor empty(const fa::shape &shape, const empty_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_empty_options given = FA__DEFAULT_fa_empty;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_empty)(shape.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor empty(const fa::shape &shape, Number dtype, FA__HERE)
{
    empty_options options;
    options.dtype = dtype;
    return empty(shape, options, file, line);
}

struct empty_like_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor empty_like(const fa::tensor &x, const empty_like_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_empty_like_options given = FA__DEFAULT_fa_empty_like;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_empty_like)(x.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor empty_like(const fa::tensor &x, Number dtype, FA__HERE)
{
    empty_like_options options;
    options.dtype = dtype;
    return empty_like(x, options, file, line);
}

struct full_like_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor full_like(const fa::tensor &x, const fa::arg &value, const full_like_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_full_like_options given = FA__DEFAULT_fa_full_like;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_full_like)(x.get(), value.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor full_like(const fa::tensor &x, const fa::arg &value, Number dtype, FA__HERE)
{
    full_like_options options;
    options.dtype = dtype;
    return full_like(x, value, options, file, line);
}

struct rand_like_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor rand_like(const fa::tensor &x, const rand_like_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rand_like_options given = FA__DEFAULT_fa_rand_like;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_rand_like)(x.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor rand_like(const fa::tensor &x, Number dtype, FA__HERE)
{
    rand_like_options options;
    options.dtype = dtype;
    return rand_like(x, options, file, line);
}

struct randn_like_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor randn_like(const fa::tensor &x, const randn_like_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_randn_like_options given = FA__DEFAULT_fa_randn_like;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_randn_like)(x.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor randn_like(const fa::tensor &x, Number dtype, FA__HERE)
{
    randn_like_options options;
    options.dtype = dtype;
    return randn_like(x, options, file, line);
}

struct new_empty_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor new_empty(const fa::tensor &x, const fa::shape &shape, const new_empty_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_new_empty_options given = FA__DEFAULT_fa_new_empty;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_new_empty)(x.get(), shape.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor new_empty(const fa::tensor &x, const fa::shape &shape, Number dtype, FA__HERE)
{
    new_empty_options options;
    options.dtype = dtype;
    return new_empty(x, shape, options, file, line);
}

struct new_zeros_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor new_zeros(const fa::tensor &x, const fa::shape &shape, const new_zeros_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_new_zeros_options given = FA__DEFAULT_fa_new_zeros;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_new_zeros)(x.get(), shape.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor new_zeros(const fa::tensor &x, const fa::shape &shape, Number dtype, FA__HERE)
{
    new_zeros_options options;
    options.dtype = dtype;
    return new_zeros(x, shape, options, file, line);
}

struct new_ones_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor new_ones(const fa::tensor &x, const fa::shape &shape, const new_ones_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_new_ones_options given = FA__DEFAULT_fa_new_ones;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_new_ones)(x.get(), shape.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor new_ones(const fa::tensor &x, const fa::shape &shape, Number dtype, FA__HERE)
{
    new_ones_options options;
    options.dtype = dtype;
    return new_ones(x, shape, options, file, line);
}

struct new_full_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor new_full(const fa::tensor &x, const fa::shape &shape, const fa::arg &value, const new_full_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_new_full_options given = FA__DEFAULT_fa_new_full;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_new_full)(x.get(), shape.get(), value.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor new_full(const fa::tensor &x, const fa::shape &shape, const fa::arg &value, Number dtype, FA__HERE)
{
    new_full_options options;
    options.dtype = dtype;
    return new_full(x, shape, value, options, file, line);
}

struct move_options {
    fa::device device = {};
    fa_dtype dtype = FA_SAME;
    bool non_blocking = true;
    fa::tensor out = {};
};
inline tensor move(const fa::tensor &x, const move_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_move_options given = FA__DEFAULT_fa_move;
    given.out = options.out.get();
    given.device = options.device.get();
    given.dtype = options.dtype;
    given.non_blocking = options.non_blocking;
    return detail::result((fa_move)(x.get(), &given), options.out);
}

struct clone_options {
    fa::tensor out = {};
};
inline tensor clone(const fa::tensor &x, const clone_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_clone_options given = FA__DEFAULT_fa_clone;
    given.out = options.out.get();
    return detail::result((fa_clone)(x.get(), &given), options.out);
}

struct contiguous_options {
    fa::tensor out = {};
};
inline tensor contiguous(const fa::tensor &x, const contiguous_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_contiguous_options given = FA__DEFAULT_fa_contiguous;
    given.out = options.out.get();
    return detail::result((fa_contiguous)(x.get(), &given), options.out);
}

inline tensor detach(const fa::tensor &x, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_detach)(x.get()));
}

struct copy_options {
    fa::tensor out = {};
};
inline tensor copy(const fa::tensor &x, const fa::arg &source, const copy_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_copy_options given = FA__DEFAULT_fa_copy;
    given.out = options.out.get();
    return detail::result((fa_copy)(x.get(), source.get(), &given), options.out);
}

inline tensor copy_(const fa::tensor &x, const fa::arg &source, const copy_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_copy_options given = FA__DEFAULT_fa_copy_;
    given.out = options.out.get();
    detail::good((fa_copy_)(x.get(), source.get(), &given));
    return x;
}

struct linspace_options {
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor linspace(double start, double end, int64_t steps, const linspace_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_linspace_options given = FA__DEFAULT_fa_linspace;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_linspace)(start, end, steps, &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor linspace(double start, double end, int64_t steps, Number dtype, FA__HERE)
{
    linspace_options options;
    options.dtype = dtype;
    return linspace(start, end, steps, options, file, line);
}

struct logspace_options {
    double base = 10;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor logspace(double start, double end, int64_t steps, const logspace_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logspace_options given = FA__DEFAULT_fa_logspace;
    given.out = options.out.get();
    given.base = options.base;
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_logspace)(start, end, steps, &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor logspace(double start, double end, int64_t steps, Number base, FA__HERE)
{
    logspace_options options;
    options.base = static_cast<double>(base);
    return logspace(start, end, steps, options, file, line);
}

struct eye_options {
    int64_t m = -1;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor eye(int64_t n, const eye_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_eye_options given = FA__DEFAULT_fa_eye;
    given.out = options.out.get();
    given.m = options.m;
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_eye)(n, &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor eye(int64_t n, Number m, FA__HERE)
{
    eye_options options;
    options.m = static_cast<int64_t>(m);
    return eye(n, options, file, line);
}

struct tril_indices_options {
    int64_t offset = 0;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    fa::tensor out = {};
};
inline tensor tril_indices(int64_t row, int64_t col, const tril_indices_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tril_indices_options given = FA__DEFAULT_fa_tril_indices;
    given.out = options.out.get();
    given.offset = options.offset;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return detail::result((fa_tril_indices)(row, col, &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor tril_indices(int64_t row, int64_t col, Number offset, FA__HERE)
{
    tril_indices_options options;
    options.offset = static_cast<int64_t>(offset);
    return tril_indices(row, col, options, file, line);
}

struct triu_indices_options {
    int64_t offset = 0;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    fa::tensor out = {};
};
inline tensor triu_indices(int64_t row, int64_t col, const triu_indices_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_triu_indices_options given = FA__DEFAULT_fa_triu_indices;
    given.out = options.out.get();
    given.offset = options.offset;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return detail::result((fa_triu_indices)(row, col, &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor triu_indices(int64_t row, int64_t col, Number offset, FA__HERE)
{
    triu_indices_options options;
    options.offset = static_cast<int64_t>(offset);
    return triu_indices(row, col, options, file, line);
}

struct index_select_options {
    fa::tensor out = {};
};
inline tensor index_select(const fa::tensor &x, int64_t dim, const fa::tensor &index, const index_select_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_index_select_options given = FA__DEFAULT_fa_index_select;
    given.out = options.out.get();
    return detail::result((fa_index_select)(x.get(), dim, index.get(), &given), options.out);
}

struct gather_options {
    fa::tensor out = {};
};
inline tensor gather(const fa::tensor &x, int64_t dim, const fa::tensor &index, const gather_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gather_options given = FA__DEFAULT_fa_gather;
    given.out = options.out.get();
    return detail::result((fa_gather)(x.get(), dim, index.get(), &given), options.out);
}

struct scatter_add_options {
    fa::tensor out = {};
};
inline tensor scatter_add(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &src, const scatter_add_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scatter_add_options given = FA__DEFAULT_fa_scatter_add;
    given.out = options.out.get();
    return detail::result((fa_scatter_add)(x.get(), dim, index.get(), src.get(), &given), options.out);
}

inline tensor scatter_add_(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &src, const scatter_add_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scatter_add_options given = FA__DEFAULT_fa_scatter_add_;
    given.out = options.out.get();
    detail::good((fa_scatter_add_)(x.get(), dim, index.get(), src.get(), &given));
    return x;
}

struct cat_options {
    int64_t dim = 0;
    fa::tensor out = {};
};
inline tensor cat(const fa::tensors &x, const cat_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cat_options given = FA__DEFAULT_fa_cat;
    given.out = options.out.get();
    given.dim = options.dim;
    return detail::result((fa_cat)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor cat(const fa::tensors &x, Number dim, FA__HERE)
{
    cat_options options;
    options.dim = static_cast<int64_t>(dim);
    return cat(x, options, file, line);
}

struct nonzero_options {
    fa::tensor out = {};
};
inline tensor nonzero(const fa::tensor &x, const nonzero_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nonzero_options given = FA__DEFAULT_fa_nonzero;
    given.out = options.out.get();
    return detail::result((fa_nonzero)(x.get(), &given), options.out);
}

inline std::vector<tensor> nonzero_tuple(const fa::tensor &x, FA__HERE)
{
    const detail::call here(file, line);
    return detail::all((fa_nonzero_tuple)(x.get()));
}

struct masked_fill_options {
    fa::tensor out = {};
};
inline tensor masked_fill(const fa::tensor &x, const fa::tensor &mask, const fa::arg &value, const masked_fill_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_masked_fill_options given = FA__DEFAULT_fa_masked_fill;
    given.out = options.out.get();
    return detail::result((fa_masked_fill)(x.get(), mask.get(), value.get(), &given), options.out);
}

inline tensor masked_fill_(const fa::tensor &x, const fa::tensor &mask, const fa::arg &value, const masked_fill_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_masked_fill_options given = FA__DEFAULT_fa_masked_fill_;
    given.out = options.out.get();
    detail::good((fa_masked_fill_)(x.get(), mask.get(), value.get(), &given));
    return x;
}

struct masked_select_options {
    fa::tensor out = {};
};
inline tensor masked_select(const fa::tensor &x, const fa::tensor &mask, const masked_select_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_masked_select_options given = FA__DEFAULT_fa_masked_select;
    given.out = options.out.get();
    return detail::result((fa_masked_select)(x.get(), mask.get(), &given), options.out);
}

struct masked_scatter_options {
    fa::tensor out = {};
};
inline tensor masked_scatter(const fa::tensor &x, const fa::tensor &mask, const fa::tensor &source, const masked_scatter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_masked_scatter_options given = FA__DEFAULT_fa_masked_scatter;
    given.out = options.out.get();
    return detail::result((fa_masked_scatter)(x.get(), mask.get(), source.get(), &given), options.out);
}

inline tensor masked_scatter_(const fa::tensor &x, const fa::tensor &mask, const fa::tensor &source, const masked_scatter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_masked_scatter_options given = FA__DEFAULT_fa_masked_scatter_;
    given.out = options.out.get();
    detail::good((fa_masked_scatter_)(x.get(), mask.get(), source.get(), &given));
    return x;
}

struct one_hot_options {
    int64_t num_classes = -1;
    fa::tensor out = {};
};
inline tensor one_hot(const fa::tensor &x, const one_hot_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_one_hot_options given = FA__DEFAULT_fa_one_hot;
    given.out = options.out.get();
    given.num_classes = options.num_classes;
    return detail::result((fa_one_hot)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor one_hot(const fa::tensor &x, Number num_classes, FA__HERE)
{
    one_hot_options options;
    options.num_classes = static_cast<int64_t>(num_classes);
    return one_hot(x, options, file, line);
}

struct scatter_options {
    fa::tensor out = {};
};
inline tensor scatter(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::arg &src, const scatter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scatter_options given = FA__DEFAULT_fa_scatter;
    given.out = options.out.get();
    return detail::result((fa_scatter)(x.get(), dim, index.get(), src.get(), &given), options.out);
}

inline tensor scatter_(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::arg &src, const scatter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scatter_options given = FA__DEFAULT_fa_scatter_;
    given.out = options.out.get();
    detail::good((fa_scatter_)(x.get(), dim, index.get(), src.get(), &given));
    return x;
}

struct scatter_reduce_options {
    bool include_self = true;
    fa::tensor out = {};
};
inline tensor scatter_reduce(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &src, const fa::text &reduce, const scatter_reduce_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scatter_reduce_options given = FA__DEFAULT_fa_scatter_reduce;
    given.out = options.out.get();
    given.include_self = options.include_self;
    return detail::result((fa_scatter_reduce)(x.get(), dim, index.get(), src.get(), reduce.get(), &given), options.out);
}

inline tensor scatter_reduce_(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &src, const fa::text &reduce, const scatter_reduce_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scatter_reduce_options given = FA__DEFAULT_fa_scatter_reduce_;
    given.out = options.out.get();
    given.include_self = options.include_self;
    detail::good((fa_scatter_reduce_)(x.get(), dim, index.get(), src.get(), reduce.get(), &given));
    return x;
}

struct index_add_options {
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor index_add(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &source, const index_add_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_index_add_options given = FA__DEFAULT_fa_index_add;
    given.out = options.out.get();
    given.alpha = options.alpha;
    return detail::result((fa_index_add)(x.get(), dim, index.get(), source.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor index_add(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &source, Number alpha, FA__HERE)
{
    index_add_options options;
    options.alpha = static_cast<double>(alpha);
    return index_add(x, dim, index, source, options, file, line);
}

inline tensor index_add_(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &source, const index_add_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_index_add_options given = FA__DEFAULT_fa_index_add_;
    given.out = options.out.get();
    given.alpha = options.alpha;
    detail::good((fa_index_add_)(x.get(), dim, index.get(), source.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor index_add_(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &source, Number alpha, FA__HERE)
{
    index_add_options options;
    options.alpha = static_cast<double>(alpha);
    return index_add_(x, dim, index, source, options, file, line);
}

struct index_copy_options {
    fa::tensor out = {};
};
inline tensor index_copy(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &source, const index_copy_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_index_copy_options given = FA__DEFAULT_fa_index_copy;
    given.out = options.out.get();
    return detail::result((fa_index_copy)(x.get(), dim, index.get(), source.get(), &given), options.out);
}

inline tensor index_copy_(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &source, const index_copy_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_index_copy_options given = FA__DEFAULT_fa_index_copy_;
    given.out = options.out.get();
    detail::good((fa_index_copy_)(x.get(), dim, index.get(), source.get(), &given));
    return x;
}

struct index_fill_options {
    fa::tensor out = {};
};
inline tensor index_fill(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::arg &value, const index_fill_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_index_fill_options given = FA__DEFAULT_fa_index_fill;
    given.out = options.out.get();
    return detail::result((fa_index_fill)(x.get(), dim, index.get(), value.get(), &given), options.out);
}

inline tensor index_fill_(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::arg &value, const index_fill_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_index_fill_options given = FA__DEFAULT_fa_index_fill_;
    given.out = options.out.get();
    detail::good((fa_index_fill_)(x.get(), dim, index.get(), value.get(), &given));
    return x;
}

struct index_reduce_options {
    bool include_self = true;
    fa::tensor out = {};
};
inline tensor index_reduce(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &source, const fa::text &reduce, const index_reduce_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_index_reduce_options given = FA__DEFAULT_fa_index_reduce;
    given.out = options.out.get();
    given.include_self = options.include_self;
    return detail::result((fa_index_reduce)(x.get(), dim, index.get(), source.get(), reduce.get(), &given), options.out);
}

inline tensor index_reduce_(const fa::tensor &x, int64_t dim, const fa::tensor &index, const fa::tensor &source, const fa::text &reduce, const index_reduce_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_index_reduce_options given = FA__DEFAULT_fa_index_reduce_;
    given.out = options.out.get();
    given.include_self = options.include_self;
    detail::good((fa_index_reduce_)(x.get(), dim, index.get(), source.get(), reduce.get(), &given));
    return x;
}

struct take_options {
    fa::tensor out = {};
};
inline tensor take(const fa::tensor &x, const fa::tensor &index, const take_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_take_options given = FA__DEFAULT_fa_take;
    given.out = options.out.get();
    return detail::result((fa_take)(x.get(), index.get(), &given), options.out);
}

struct put_options {
    bool accumulate = false;
    fa::tensor out = {};
};
inline tensor put(const fa::tensor &x, const fa::tensor &index, const fa::tensor &source, const put_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_put_options given = FA__DEFAULT_fa_put;
    given.out = options.out.get();
    given.accumulate = options.accumulate;
    return detail::result((fa_put)(x.get(), index.get(), source.get(), &given), options.out);
}

inline tensor put_(const fa::tensor &x, const fa::tensor &index, const fa::tensor &source, const put_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_put_options given = FA__DEFAULT_fa_put_;
    given.out = options.out.get();
    given.accumulate = options.accumulate;
    detail::good((fa_put_)(x.get(), index.get(), source.get(), &given));
    return x;
}

struct take_along_dim_options {
    int64_t dim = INT64_MIN;
    fa::tensor out = {};
};
inline tensor take_along_dim(const fa::tensor &x, const fa::tensor &index, const take_along_dim_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_take_along_dim_options given = FA__DEFAULT_fa_take_along_dim;
    given.out = options.out.get();
    given.dim = options.dim;
    return detail::result((fa_take_along_dim)(x.get(), index.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor take_along_dim(const fa::tensor &x, const fa::tensor &index, Number dim, FA__HERE)
{
    take_along_dim_options options;
    options.dim = static_cast<int64_t>(dim);
    return take_along_dim(x, index, options, file, line);
}

struct addmm_options {
    double beta = 1;
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor addmm(const fa::tensor &input, const fa::tensor &a, const fa::tensor &b, const addmm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_addmm_options given = FA__DEFAULT_fa_addmm;
    given.out = options.out.get();
    given.beta = options.beta;
    given.alpha = options.alpha;
    return detail::result((fa_addmm)(input.get(), a.get(), b.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor addmm(const fa::tensor &input, const fa::tensor &a, const fa::tensor &b, Number beta, FA__HERE)
{
    addmm_options options;
    options.beta = static_cast<double>(beta);
    return addmm(input, a, b, options, file, line);
}

struct addmv_options {
    double beta = 1;
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor addmv(const fa::tensor &input, const fa::tensor &x, const fa::tensor &vec, const addmv_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_addmv_options given = FA__DEFAULT_fa_addmv;
    given.out = options.out.get();
    given.beta = options.beta;
    given.alpha = options.alpha;
    return detail::result((fa_addmv)(input.get(), x.get(), vec.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor addmv(const fa::tensor &input, const fa::tensor &x, const fa::tensor &vec, Number beta, FA__HERE)
{
    addmv_options options;
    options.beta = static_cast<double>(beta);
    return addmv(input, x, vec, options, file, line);
}

struct addr_options {
    double beta = 1;
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor addr(const fa::tensor &input, const fa::tensor &vec1, const fa::tensor &vec2, const addr_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_addr_options given = FA__DEFAULT_fa_addr;
    given.out = options.out.get();
    given.beta = options.beta;
    given.alpha = options.alpha;
    return detail::result((fa_addr)(input.get(), vec1.get(), vec2.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor addr(const fa::tensor &input, const fa::tensor &vec1, const fa::tensor &vec2, Number beta, FA__HERE)
{
    addr_options options;
    options.beta = static_cast<double>(beta);
    return addr(input, vec1, vec2, options, file, line);
}

struct baddbmm_options {
    double beta = 1;
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor baddbmm(const fa::tensor &input, const fa::tensor &a, const fa::tensor &b, const baddbmm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_baddbmm_options given = FA__DEFAULT_fa_baddbmm;
    given.out = options.out.get();
    given.beta = options.beta;
    given.alpha = options.alpha;
    return detail::result((fa_baddbmm)(input.get(), a.get(), b.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor baddbmm(const fa::tensor &input, const fa::tensor &a, const fa::tensor &b, Number beta, FA__HERE)
{
    baddbmm_options options;
    options.beta = static_cast<double>(beta);
    return baddbmm(input, a, b, options, file, line);
}

struct addbmm_options {
    double beta = 1;
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor addbmm(const fa::tensor &input, const fa::tensor &a, const fa::tensor &b, const addbmm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_addbmm_options given = FA__DEFAULT_fa_addbmm;
    given.out = options.out.get();
    given.beta = options.beta;
    given.alpha = options.alpha;
    return detail::result((fa_addbmm)(input.get(), a.get(), b.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor addbmm(const fa::tensor &input, const fa::tensor &a, const fa::tensor &b, Number beta, FA__HERE)
{
    addbmm_options options;
    options.beta = static_cast<double>(beta);
    return addbmm(input, a, b, options, file, line);
}

struct block_diag_options {
    fa::tensor out = {};
};
inline tensor block_diag(const fa::tensors &x, const block_diag_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_block_diag_options given = FA__DEFAULT_fa_block_diag;
    given.out = options.out.get();
    return detail::result((fa_block_diag)(x.get(), &given), options.out);
}

struct cartesian_prod_options {
    fa::tensor out = {};
};
inline tensor cartesian_prod(const fa::tensors &x, const cartesian_prod_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cartesian_prod_options given = FA__DEFAULT_fa_cartesian_prod;
    given.out = options.out.get();
    return detail::result((fa_cartesian_prod)(x.get(), &given), options.out);
}

struct vander_options {
    int64_t n = -1;
    bool increasing = false;
    fa::tensor out = {};
};
inline tensor vander(const fa::tensor &x, const vander_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_vander_options given = FA__DEFAULT_fa_vander;
    given.out = options.out.get();
    given.n = options.n;
    given.increasing = options.increasing;
    return detail::result((fa_vander)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor vander(const fa::tensor &x, Number n, FA__HERE)
{
    vander_options options;
    options.n = static_cast<int64_t>(n);
    return vander(x, options, file, line);
}

struct combinations_options {
    int64_t r = 2;
    bool with_replacement = false;
    fa::tensor out = {};
};
inline tensor combinations(const fa::tensor &x, const combinations_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_combinations_options given = FA__DEFAULT_fa_combinations;
    given.out = options.out.get();
    given.r = options.r;
    given.with_replacement = options.with_replacement;
    return detail::result((fa_combinations)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor combinations(const fa::tensor &x, Number r, FA__HERE)
{
    combinations_options options;
    options.r = static_cast<int64_t>(r);
    return combinations(x, options, file, line);
}

struct pairwise_distance_options {
    double p = 2;
    double eps = 1e-6;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor pairwise_distance(const fa::tensor &x1, const fa::tensor &x2, const pairwise_distance_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_pairwise_distance_options given = FA__DEFAULT_fa_pairwise_distance;
    given.out = options.out.get();
    given.p = options.p;
    given.eps = options.eps;
    given.keepdim = options.keepdim;
    return detail::result((fa_pairwise_distance)(x1.get(), x2.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor pairwise_distance(const fa::tensor &x1, const fa::tensor &x2, Number p, FA__HERE)
{
    pairwise_distance_options options;
    options.p = static_cast<double>(p);
    return pairwise_distance(x1, x2, options, file, line);
}

struct cdist_options {
    double p = 2;
    fa::tensor out = {};
};
inline tensor cdist(const fa::tensor &x1, const fa::tensor &x2, const cdist_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cdist_options given = FA__DEFAULT_fa_cdist;
    given.out = options.out.get();
    given.p = options.p;
    return detail::result((fa_cdist)(x1.get(), x2.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor cdist(const fa::tensor &x1, const fa::tensor &x2, Number p, FA__HERE)
{
    cdist_options options;
    options.p = static_cast<double>(p);
    return cdist(x1, x2, options, file, line);
}

struct pdist_options {
    double p = 2;
    fa::tensor out = {};
};
inline tensor pdist(const fa::tensor &x, const pdist_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_pdist_options given = FA__DEFAULT_fa_pdist;
    given.out = options.out.get();
    given.p = options.p;
    return detail::result((fa_pdist)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor pdist(const fa::tensor &x, Number p, FA__HERE)
{
    pdist_options options;
    options.p = static_cast<double>(p);
    return pdist(x, options, file, line);
}

struct cosine_similarity_options {
    int64_t dim = 1;
    double eps = 1e-8;
    fa::tensor out = {};
};
inline tensor cosine_similarity(const fa::tensor &x1, const fa::tensor &x2, const cosine_similarity_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cosine_similarity_options given = FA__DEFAULT_fa_cosine_similarity;
    given.out = options.out.get();
    given.dim = options.dim;
    given.eps = options.eps;
    return detail::result((fa_cosine_similarity)(x1.get(), x2.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor cosine_similarity(const fa::tensor &x1, const fa::tensor &x2, Number dim, FA__HERE)
{
    cosine_similarity_options options;
    options.dim = static_cast<int64_t>(dim);
    return cosine_similarity(x1, x2, options, file, line);
}

struct einsum_options {
    fa::tensor out = {};
};
inline tensor einsum(const fa::text &equation, const fa::tensors &x, const einsum_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_einsum_options given = FA__DEFAULT_fa_einsum;
    given.out = options.out.get();
    return detail::result((fa_einsum)(equation.get(), x.get(), &given), options.out);
}

struct matmul_options {
    fa::tensor out = {};
};
inline tensor matmul(const fa::tensor &a, const fa::tensor &b, const matmul_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_matmul_options given = FA__DEFAULT_fa_matmul;
    given.out = options.out.get();
    return detail::result((fa_matmul)(a.get(), b.get(), &given), options.out);
}

struct linear_options {
    fa::tensor bias = {};
    fa::tensor out = {};
};
inline tensor linear(const fa::tensor &x, const fa::tensor &weight, const linear_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_linear_options given = FA__DEFAULT_fa_linear;
    given.out = options.out.get();
    given.bias = options.bias.get();
    return detail::result((fa_linear)(x.get(), weight.get(), &given), options.out);
}

struct multi_dot_options {
    fa::tensor out = {};
};
inline tensor multi_dot(const fa::tensors &x, const multi_dot_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_multi_dot_options given = FA__DEFAULT_fa_multi_dot;
    given.out = options.out.get();
    return detail::result((fa_multi_dot)(x.get(), &given), options.out);
}

struct matrix_power_options {
    fa::tensor out = {};
};
inline tensor matrix_power(const fa::tensor &x, int64_t n, const matrix_power_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_matrix_power_options given = FA__DEFAULT_fa_matrix_power;
    given.out = options.out.get();
    return detail::result((fa_matrix_power)(x.get(), n, &given), options.out);
}

struct mm_options {
    fa::tensor out = {};
};
inline tensor mm(const fa::tensor &a, const fa::tensor &b, const mm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_mm_options given = FA__DEFAULT_fa_mm;
    given.out = options.out.get();
    return detail::result((fa_mm)(a.get(), b.get(), &given), options.out);
}

struct bmm_options {
    fa::tensor out = {};
};
inline tensor bmm(const fa::tensor &a, const fa::tensor &b, const bmm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bmm_options given = FA__DEFAULT_fa_bmm;
    given.out = options.out.get();
    return detail::result((fa_bmm)(a.get(), b.get(), &given), options.out);
}

struct mv_options {
    fa::tensor out = {};
};
inline tensor mv(const fa::tensor &x, const fa::tensor &vec, const mv_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_mv_options given = FA__DEFAULT_fa_mv;
    given.out = options.out.get();
    return detail::result((fa_mv)(x.get(), vec.get(), &given), options.out);
}

struct dot_options {
    fa::tensor out = {};
};
inline tensor dot(const fa::tensor &a, const fa::tensor &b, const dot_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_dot_options given = FA__DEFAULT_fa_dot;
    given.out = options.out.get();
    return detail::result((fa_dot)(a.get(), b.get(), &given), options.out);
}

struct vecdot_options {
    int64_t dim = -1;
    fa::tensor out = {};
};
inline tensor vecdot(const fa::tensor &x, const fa::tensor &y, const vecdot_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_vecdot_options given = FA__DEFAULT_fa_vecdot;
    given.out = options.out.get();
    given.dim = options.dim;
    return detail::result((fa_vecdot)(x.get(), y.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor vecdot(const fa::tensor &x, const fa::tensor &y, Number dim, FA__HERE)
{
    vecdot_options options;
    options.dim = static_cast<int64_t>(dim);
    return vecdot(x, y, options, file, line);
}

struct outer_options {
    fa::tensor out = {};
};
inline tensor outer(const fa::tensor &a, const fa::tensor &b, const outer_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_outer_options given = FA__DEFAULT_fa_outer;
    given.out = options.out.get();
    return detail::result((fa_outer)(a.get(), b.get(), &given), options.out);
}

struct inner_options {
    fa::tensor out = {};
};
inline tensor inner(const fa::tensor &a, const fa::tensor &b, const inner_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_inner_options given = FA__DEFAULT_fa_inner;
    given.out = options.out.get();
    return detail::result((fa_inner)(a.get(), b.get(), &given), options.out);
}

struct tensordot_options {
    int64_t dims = 2;
    fa::tensor out = {};
};
inline tensor tensordot(const fa::tensor &a, const fa::tensor &b, const tensordot_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tensordot_options given = FA__DEFAULT_fa_tensordot;
    given.out = options.out.get();
    given.dims = options.dims;
    return detail::result((fa_tensordot)(a.get(), b.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor tensordot(const fa::tensor &a, const fa::tensor &b, Number dims, FA__HERE)
{
    tensordot_options options;
    options.dims = static_cast<int64_t>(dims);
    return tensordot(a, b, options, file, line);
}

struct tensordot_at_options {
    fa::tensor out = {};
};
inline tensor tensordot_at(const fa::tensor &a, const fa::tensor &b, const fa::shape &a_dims, const fa::shape &b_dims, const tensordot_at_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tensordot_at_options given = FA__DEFAULT_fa_tensordot_at;
    given.out = options.out.get();
    return detail::result((fa_tensordot_at)(a.get(), b.get(), a_dims.get(), b_dims.get(), &given), options.out);
}

struct kron_options {
    fa::tensor out = {};
};
inline tensor kron(const fa::tensor &a, const fa::tensor &b, const kron_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_kron_options given = FA__DEFAULT_fa_kron;
    given.out = options.out.get();
    return detail::result((fa_kron)(a.get(), b.get(), &given), options.out);
}

struct trace_options {
    fa::tensor out = {};
};
inline tensor trace(const fa::tensor &x, const trace_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_trace_options given = FA__DEFAULT_fa_trace;
    given.out = options.out.get();
    return detail::result((fa_trace)(x.get(), &given), options.out);
}

struct cross_options {
    int64_t dim = -1;
    fa::tensor out = {};
};
inline tensor cross(const fa::tensor &a, const fa::tensor &b, const cross_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cross_options given = FA__DEFAULT_fa_cross;
    given.out = options.out.get();
    given.dim = options.dim;
    return detail::result((fa_cross)(a.get(), b.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor cross(const fa::tensor &a, const fa::tensor &b, Number dim, FA__HERE)
{
    cross_options options;
    options.dim = static_cast<int64_t>(dim);
    return cross(a, b, options, file, line);
}

struct scaled_mm_options {
    fa::tensor bias = {};
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor scaled_mm(const fa::tensor &a, const fa::tensor &b, const fa::arg &scale_a, const fa::arg &scale_b, const scaled_mm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scaled_mm_options given = FA__DEFAULT_fa_scaled_mm;
    given.out = options.out.get();
    given.bias = options.bias.get();
    given.dtype = options.dtype;
    return detail::result((fa_scaled_mm)(a.get(), b.get(), scale_a.get(), scale_b.get(), &given), options.out);
}

struct softmax_options {
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor softmax(const fa::tensor &x, int64_t dim, const softmax_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_softmax_options given = FA__DEFAULT_fa_softmax;
    given.out = options.out.get();
    given.dtype = options.dtype;
    return detail::result((fa_softmax)(x.get(), dim, &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor softmax(const fa::tensor &x, int64_t dim, Number dtype, FA__HERE)
{
    softmax_options options;
    options.dtype = dtype;
    return softmax(x, dim, options, file, line);
}

struct log_softmax_options {
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor log_softmax(const fa::tensor &x, int64_t dim, const log_softmax_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log_softmax_options given = FA__DEFAULT_fa_log_softmax;
    given.out = options.out.get();
    given.dtype = options.dtype;
    return detail::result((fa_log_softmax)(x.get(), dim, &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor log_softmax(const fa::tensor &x, int64_t dim, Number dtype, FA__HERE)
{
    log_softmax_options options;
    options.dtype = dtype;
    return log_softmax(x, dim, options, file, line);
}

struct softmin_options {
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor softmin(const fa::tensor &x, int64_t dim, const softmin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_softmin_options given = FA__DEFAULT_fa_softmin;
    given.out = options.out.get();
    given.dtype = options.dtype;
    return detail::result((fa_softmin)(x.get(), dim, &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor softmin(const fa::tensor &x, int64_t dim, Number dtype, FA__HERE)
{
    softmin_options options;
    options.dtype = dtype;
    return softmin(x, dim, options, file, line);
}

struct cross_entropy_options {
    fa::tensor weight = {};
    int64_t ignore_index = -100;
    double label_smoothing = 0.0;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor cross_entropy(const fa::tensor &input, const fa::tensor &target, const cross_entropy_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cross_entropy_options given = FA__DEFAULT_fa_cross_entropy;
    given.out = options.out.get();
    given.weight = options.weight.get();
    given.ignore_index = options.ignore_index;
    given.label_smoothing = options.label_smoothing;
    given.reduction = options.reduction;
    return detail::result((fa_cross_entropy)(input.get(), target.get(), &given), options.out);
}

struct nll_loss_options {
    fa::tensor weight = {};
    int64_t ignore_index = -100;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor nll_loss(const fa::tensor &input, const fa::tensor &target, const nll_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nll_loss_options given = FA__DEFAULT_fa_nll_loss;
    given.out = options.out.get();
    given.weight = options.weight.get();
    given.ignore_index = options.ignore_index;
    given.reduction = options.reduction;
    return detail::result((fa_nll_loss)(input.get(), target.get(), &given), options.out);
}

struct hinge_embedding_loss_options {
    double margin = 1;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor hinge_embedding_loss(const fa::tensor &input, const fa::tensor &target, const hinge_embedding_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hinge_embedding_loss_options given = FA__DEFAULT_fa_hinge_embedding_loss;
    given.out = options.out.get();
    given.margin = options.margin;
    given.reduction = options.reduction;
    return detail::result((fa_hinge_embedding_loss)(input.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor hinge_embedding_loss(const fa::tensor &input, const fa::tensor &target, Number margin, FA__HERE)
{
    hinge_embedding_loss_options options;
    options.margin = static_cast<double>(margin);
    return hinge_embedding_loss(input, target, options, file, line);
}

struct margin_ranking_loss_options {
    double margin = 0;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor margin_ranking_loss(const fa::tensor &input1, const fa::tensor &input2, const fa::tensor &target, const margin_ranking_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_margin_ranking_loss_options given = FA__DEFAULT_fa_margin_ranking_loss;
    given.out = options.out.get();
    given.margin = options.margin;
    given.reduction = options.reduction;
    return detail::result((fa_margin_ranking_loss)(input1.get(), input2.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor margin_ranking_loss(const fa::tensor &input1, const fa::tensor &input2, const fa::tensor &target, Number margin, FA__HERE)
{
    margin_ranking_loss_options options;
    options.margin = static_cast<double>(margin);
    return margin_ranking_loss(input1, input2, target, options, file, line);
}

struct soft_margin_loss_options {
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor soft_margin_loss(const fa::tensor &input, const fa::tensor &target, const soft_margin_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_soft_margin_loss_options given = FA__DEFAULT_fa_soft_margin_loss;
    given.out = options.out.get();
    given.reduction = options.reduction;
    return detail::result((fa_soft_margin_loss)(input.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_reduction<Number> = 0>
inline fa::tensor soft_margin_loss(const fa::tensor &input, const fa::tensor &target, Number reduction, FA__HERE)
{
    soft_margin_loss_options options;
    options.reduction = reduction;
    return soft_margin_loss(input, target, options, file, line);
}

struct multi_margin_loss_options {
    int64_t p = 1;
    double margin = 1;
    fa::tensor weight = {};
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor multi_margin_loss(const fa::tensor &input, const fa::tensor &target, const multi_margin_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_multi_margin_loss_options given = FA__DEFAULT_fa_multi_margin_loss;
    given.out = options.out.get();
    given.p = options.p;
    given.margin = options.margin;
    given.weight = options.weight.get();
    given.reduction = options.reduction;
    return detail::result((fa_multi_margin_loss)(input.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor multi_margin_loss(const fa::tensor &input, const fa::tensor &target, Number p, FA__HERE)
{
    multi_margin_loss_options options;
    options.p = static_cast<int64_t>(p);
    return multi_margin_loss(input, target, options, file, line);
}

struct multilabel_margin_loss_options {
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor multilabel_margin_loss(const fa::tensor &input, const fa::tensor &target, const multilabel_margin_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_multilabel_margin_loss_options given = FA__DEFAULT_fa_multilabel_margin_loss;
    given.out = options.out.get();
    given.reduction = options.reduction;
    return detail::result((fa_multilabel_margin_loss)(input.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_reduction<Number> = 0>
inline fa::tensor multilabel_margin_loss(const fa::tensor &input, const fa::tensor &target, Number reduction, FA__HERE)
{
    multilabel_margin_loss_options options;
    options.reduction = reduction;
    return multilabel_margin_loss(input, target, options, file, line);
}

struct multilabel_soft_margin_loss_options {
    fa::tensor weight = {};
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor multilabel_soft_margin_loss(const fa::tensor &input, const fa::tensor &target, const multilabel_soft_margin_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_multilabel_soft_margin_loss_options given = FA__DEFAULT_fa_multilabel_soft_margin_loss;
    given.out = options.out.get();
    given.weight = options.weight.get();
    given.reduction = options.reduction;
    return detail::result((fa_multilabel_soft_margin_loss)(input.get(), target.get(), &given), options.out);
}

struct cosine_embedding_loss_options {
    double margin = 0;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor cosine_embedding_loss(const fa::tensor &input1, const fa::tensor &input2, const fa::tensor &target, const cosine_embedding_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cosine_embedding_loss_options given = FA__DEFAULT_fa_cosine_embedding_loss;
    given.out = options.out.get();
    given.margin = options.margin;
    given.reduction = options.reduction;
    return detail::result((fa_cosine_embedding_loss)(input1.get(), input2.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor cosine_embedding_loss(const fa::tensor &input1, const fa::tensor &input2, const fa::tensor &target, Number margin, FA__HERE)
{
    cosine_embedding_loss_options options;
    options.margin = static_cast<double>(margin);
    return cosine_embedding_loss(input1, input2, target, options, file, line);
}

struct triplet_margin_loss_options {
    double margin = 1;
    double p = 2;
    double eps = 1e-6;
    bool swap = false;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor triplet_margin_loss(const fa::tensor &anchor, const fa::tensor &positive, const fa::tensor &negative, const triplet_margin_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_triplet_margin_loss_options given = FA__DEFAULT_fa_triplet_margin_loss;
    given.out = options.out.get();
    given.margin = options.margin;
    given.p = options.p;
    given.eps = options.eps;
    given.swap = options.swap;
    given.reduction = options.reduction;
    return detail::result((fa_triplet_margin_loss)(anchor.get(), positive.get(), negative.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor triplet_margin_loss(const fa::tensor &anchor, const fa::tensor &positive, const fa::tensor &negative, Number margin, FA__HERE)
{
    triplet_margin_loss_options options;
    options.margin = static_cast<double>(margin);
    return triplet_margin_loss(anchor, positive, negative, options, file, line);
}

struct binary_cross_entropy_options {
    fa::tensor weight = {};
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor binary_cross_entropy(const fa::tensor &input, const fa::tensor &target, const binary_cross_entropy_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_binary_cross_entropy_options given = FA__DEFAULT_fa_binary_cross_entropy;
    given.out = options.out.get();
    given.weight = options.weight.get();
    given.reduction = options.reduction;
    return detail::result((fa_binary_cross_entropy)(input.get(), target.get(), &given), options.out);
}

struct binary_cross_entropy_with_logits_options {
    fa::tensor weight = {};
    fa::tensor pos_weight = {};
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor binary_cross_entropy_with_logits(const fa::tensor &input, const fa::tensor &target, const binary_cross_entropy_with_logits_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_binary_cross_entropy_with_logits_options given = FA__DEFAULT_fa_binary_cross_entropy_with_logits;
    given.out = options.out.get();
    given.weight = options.weight.get();
    given.pos_weight = options.pos_weight.get();
    given.reduction = options.reduction;
    return detail::result((fa_binary_cross_entropy_with_logits)(input.get(), target.get(), &given), options.out);
}

struct kl_div_options {
    bool log_target = false;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor kl_div(const fa::tensor &input, const fa::tensor &target, const kl_div_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_kl_div_options given = FA__DEFAULT_fa_kl_div;
    given.out = options.out.get();
    given.log_target = options.log_target;
    given.reduction = options.reduction;
    return detail::result((fa_kl_div)(input.get(), target.get(), &given), options.out);
}

struct mse_loss_options {
    fa_reduction reduction = FA_MEAN;
    fa::tensor weight = {};
    fa::tensor out = {};
};
inline tensor mse_loss(const fa::tensor &input, const fa::tensor &target, const mse_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_mse_loss_options given = FA__DEFAULT_fa_mse_loss;
    given.out = options.out.get();
    given.reduction = options.reduction;
    given.weight = options.weight.get();
    return detail::result((fa_mse_loss)(input.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_reduction<Number> = 0>
inline fa::tensor mse_loss(const fa::tensor &input, const fa::tensor &target, Number reduction, FA__HERE)
{
    mse_loss_options options;
    options.reduction = reduction;
    return mse_loss(input, target, options, file, line);
}

struct l1_loss_options {
    fa_reduction reduction = FA_MEAN;
    fa::tensor weight = {};
    fa::tensor out = {};
};
inline tensor l1_loss(const fa::tensor &input, const fa::tensor &target, const l1_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_l1_loss_options given = FA__DEFAULT_fa_l1_loss;
    given.out = options.out.get();
    given.reduction = options.reduction;
    given.weight = options.weight.get();
    return detail::result((fa_l1_loss)(input.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_reduction<Number> = 0>
inline fa::tensor l1_loss(const fa::tensor &input, const fa::tensor &target, Number reduction, FA__HERE)
{
    l1_loss_options options;
    options.reduction = reduction;
    return l1_loss(input, target, options, file, line);
}

struct smooth_l1_loss_options {
    double beta = 1;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor smooth_l1_loss(const fa::tensor &input, const fa::tensor &target, const smooth_l1_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_smooth_l1_loss_options given = FA__DEFAULT_fa_smooth_l1_loss;
    given.out = options.out.get();
    given.beta = options.beta;
    given.reduction = options.reduction;
    return detail::result((fa_smooth_l1_loss)(input.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor smooth_l1_loss(const fa::tensor &input, const fa::tensor &target, Number beta, FA__HERE)
{
    smooth_l1_loss_options options;
    options.beta = static_cast<double>(beta);
    return smooth_l1_loss(input, target, options, file, line);
}

struct huber_loss_options {
    double delta = 1;
    fa_reduction reduction = FA_MEAN;
    fa::tensor weight = {};
    fa::tensor out = {};
};
inline tensor huber_loss(const fa::tensor &input, const fa::tensor &target, const huber_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_huber_loss_options given = FA__DEFAULT_fa_huber_loss;
    given.out = options.out.get();
    given.delta = options.delta;
    given.reduction = options.reduction;
    given.weight = options.weight.get();
    return detail::result((fa_huber_loss)(input.get(), target.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor huber_loss(const fa::tensor &input, const fa::tensor &target, Number delta, FA__HERE)
{
    huber_loss_options options;
    options.delta = static_cast<double>(delta);
    return huber_loss(input, target, options, file, line);
}

struct poisson_nll_loss_options {
    bool log_input = true;
    bool full = false;
    double eps = 1e-8;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor poisson_nll_loss(const fa::tensor &input, const fa::tensor &target, const poisson_nll_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_poisson_nll_loss_options given = FA__DEFAULT_fa_poisson_nll_loss;
    given.out = options.out.get();
    given.log_input = options.log_input;
    given.full = options.full;
    given.eps = options.eps;
    given.reduction = options.reduction;
    return detail::result((fa_poisson_nll_loss)(input.get(), target.get(), &given), options.out);
}

struct gaussian_nll_loss_options {
    bool full = false;
    double eps = 1e-6;
    fa_reduction reduction = FA_MEAN;
    fa::tensor out = {};
};
inline tensor gaussian_nll_loss(const fa::tensor &input, const fa::tensor &target, const fa::arg &var, const gaussian_nll_loss_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gaussian_nll_loss_options given = FA__DEFAULT_fa_gaussian_nll_loss;
    given.out = options.out.get();
    given.full = options.full;
    given.eps = options.eps;
    given.reduction = options.reduction;
    return detail::result((fa_gaussian_nll_loss)(input.get(), target.get(), var.get(), &given), options.out);
}

struct relu6_options {
    fa::tensor out = {};
};
inline tensor relu6(const fa::tensor &x, const relu6_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_relu6_options given = FA__DEFAULT_fa_relu6;
    given.out = options.out.get();
    return detail::result((fa_relu6)(x.get(), &given), options.out);
}

inline tensor relu6_(const fa::tensor &x, const relu6_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_relu6_options given = FA__DEFAULT_fa_relu6_;
    given.out = options.out.get();
    detail::good((fa_relu6_)(x.get(), &given));
    return x;
}

struct hardtanh_options {
    double low = -1;
    double high = 1;
    fa::tensor out = {};
};
inline tensor hardtanh(const fa::tensor &x, const hardtanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hardtanh_options given = FA__DEFAULT_fa_hardtanh;
    given.out = options.out.get();
    given.low = options.low;
    given.high = options.high;
    return detail::result((fa_hardtanh)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor hardtanh(const fa::tensor &x, Number low, FA__HERE)
{
    hardtanh_options options;
    options.low = static_cast<double>(low);
    return hardtanh(x, options, file, line);
}

inline tensor hardtanh_(const fa::tensor &x, const hardtanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hardtanh_options given = FA__DEFAULT_fa_hardtanh_;
    given.out = options.out.get();
    given.low = options.low;
    given.high = options.high;
    detail::good((fa_hardtanh_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor hardtanh_(const fa::tensor &x, Number low, FA__HERE)
{
    hardtanh_options options;
    options.low = static_cast<double>(low);
    return hardtanh_(x, options, file, line);
}

struct leaky_relu_options {
    double negative_slope = 0.01;
    fa::tensor out = {};
};
inline tensor leaky_relu(const fa::tensor &x, const leaky_relu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_leaky_relu_options given = FA__DEFAULT_fa_leaky_relu;
    given.out = options.out.get();
    given.negative_slope = options.negative_slope;
    return detail::result((fa_leaky_relu)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor leaky_relu(const fa::tensor &x, Number negative_slope, FA__HERE)
{
    leaky_relu_options options;
    options.negative_slope = static_cast<double>(negative_slope);
    return leaky_relu(x, options, file, line);
}

inline tensor leaky_relu_(const fa::tensor &x, const leaky_relu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_leaky_relu_options given = FA__DEFAULT_fa_leaky_relu_;
    given.out = options.out.get();
    given.negative_slope = options.negative_slope;
    detail::good((fa_leaky_relu_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor leaky_relu_(const fa::tensor &x, Number negative_slope, FA__HERE)
{
    leaky_relu_options options;
    options.negative_slope = static_cast<double>(negative_slope);
    return leaky_relu_(x, options, file, line);
}

struct threshold_options {
    fa::tensor out = {};
};
inline tensor threshold(const fa::arg &x, const fa::arg &threshold, const fa::arg &value, const threshold_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_threshold_options given = FA__DEFAULT_fa_threshold;
    given.out = options.out.get();
    return detail::result((fa_threshold)(x.get(), threshold.get(), value.get(), &given), options.out);
}

inline tensor threshold_(const fa::tensor &x, const fa::arg &threshold, const fa::arg &value, const threshold_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_threshold_options given = FA__DEFAULT_fa_threshold_;
    given.out = options.out.get();
    detail::good((fa_threshold_)(x.get(), threshold.get(), value.get(), &given));
    return x;
}

struct elu_options {
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor elu(const fa::tensor &x, const elu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_elu_options given = FA__DEFAULT_fa_elu;
    given.out = options.out.get();
    given.alpha = options.alpha;
    return detail::result((fa_elu)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor elu(const fa::tensor &x, Number alpha, FA__HERE)
{
    elu_options options;
    options.alpha = static_cast<double>(alpha);
    return elu(x, options, file, line);
}

inline tensor elu_(const fa::tensor &x, const elu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_elu_options given = FA__DEFAULT_fa_elu_;
    given.out = options.out.get();
    given.alpha = options.alpha;
    detail::good((fa_elu_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor elu_(const fa::tensor &x, Number alpha, FA__HERE)
{
    elu_options options;
    options.alpha = static_cast<double>(alpha);
    return elu_(x, options, file, line);
}

struct selu_options {
    fa::tensor out = {};
};
inline tensor selu(const fa::tensor &x, const selu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_selu_options given = FA__DEFAULT_fa_selu;
    given.out = options.out.get();
    return detail::result((fa_selu)(x.get(), &given), options.out);
}

inline tensor selu_(const fa::tensor &x, const selu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_selu_options given = FA__DEFAULT_fa_selu_;
    given.out = options.out.get();
    detail::good((fa_selu_)(x.get(), &given));
    return x;
}

struct celu_options {
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor celu(const fa::tensor &x, const celu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_celu_options given = FA__DEFAULT_fa_celu;
    given.out = options.out.get();
    given.alpha = options.alpha;
    return detail::result((fa_celu)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor celu(const fa::tensor &x, Number alpha, FA__HERE)
{
    celu_options options;
    options.alpha = static_cast<double>(alpha);
    return celu(x, options, file, line);
}

inline tensor celu_(const fa::tensor &x, const celu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_celu_options given = FA__DEFAULT_fa_celu_;
    given.out = options.out.get();
    given.alpha = options.alpha;
    detail::good((fa_celu_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor celu_(const fa::tensor &x, Number alpha, FA__HERE)
{
    celu_options options;
    options.alpha = static_cast<double>(alpha);
    return celu_(x, options, file, line);
}

struct softplus_options {
    double beta = 1;
    double threshold = 20;
    fa::tensor out = {};
};
inline tensor softplus(const fa::tensor &x, const softplus_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_softplus_options given = FA__DEFAULT_fa_softplus;
    given.out = options.out.get();
    given.beta = options.beta;
    given.threshold = options.threshold;
    return detail::result((fa_softplus)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor softplus(const fa::tensor &x, Number beta, FA__HERE)
{
    softplus_options options;
    options.beta = static_cast<double>(beta);
    return softplus(x, options, file, line);
}

inline tensor softplus_(const fa::tensor &x, const softplus_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_softplus_options given = FA__DEFAULT_fa_softplus_;
    given.out = options.out.get();
    given.beta = options.beta;
    given.threshold = options.threshold;
    detail::good((fa_softplus_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor softplus_(const fa::tensor &x, Number beta, FA__HERE)
{
    softplus_options options;
    options.beta = static_cast<double>(beta);
    return softplus_(x, options, file, line);
}

struct logsigmoid_options {
    fa::tensor out = {};
};
inline tensor logsigmoid(const fa::tensor &x, const logsigmoid_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logsigmoid_options given = FA__DEFAULT_fa_logsigmoid;
    given.out = options.out.get();
    return detail::result((fa_logsigmoid)(x.get(), &given), options.out);
}

inline tensor logsigmoid_(const fa::tensor &x, const logsigmoid_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logsigmoid_options given = FA__DEFAULT_fa_logsigmoid_;
    given.out = options.out.get();
    detail::good((fa_logsigmoid_)(x.get(), &given));
    return x;
}

struct softsign_options {
    fa::tensor out = {};
};
inline tensor softsign(const fa::tensor &x, const softsign_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_softsign_options given = FA__DEFAULT_fa_softsign;
    given.out = options.out.get();
    return detail::result((fa_softsign)(x.get(), &given), options.out);
}

inline tensor softsign_(const fa::tensor &x, const softsign_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_softsign_options given = FA__DEFAULT_fa_softsign_;
    given.out = options.out.get();
    detail::good((fa_softsign_)(x.get(), &given));
    return x;
}

struct tanhshrink_options {
    fa::tensor out = {};
};
inline tensor tanhshrink(const fa::tensor &x, const tanhshrink_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tanhshrink_options given = FA__DEFAULT_fa_tanhshrink;
    given.out = options.out.get();
    return detail::result((fa_tanhshrink)(x.get(), &given), options.out);
}

inline tensor tanhshrink_(const fa::tensor &x, const tanhshrink_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tanhshrink_options given = FA__DEFAULT_fa_tanhshrink_;
    given.out = options.out.get();
    detail::good((fa_tanhshrink_)(x.get(), &given));
    return x;
}

struct softshrink_options {
    double lambd = 0.5;
    fa::tensor out = {};
};
inline tensor softshrink(const fa::tensor &x, const softshrink_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_softshrink_options given = FA__DEFAULT_fa_softshrink;
    given.out = options.out.get();
    given.lambd = options.lambd;
    return detail::result((fa_softshrink)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor softshrink(const fa::tensor &x, Number lambd, FA__HERE)
{
    softshrink_options options;
    options.lambd = static_cast<double>(lambd);
    return softshrink(x, options, file, line);
}

inline tensor softshrink_(const fa::tensor &x, const softshrink_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_softshrink_options given = FA__DEFAULT_fa_softshrink_;
    given.out = options.out.get();
    given.lambd = options.lambd;
    detail::good((fa_softshrink_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor softshrink_(const fa::tensor &x, Number lambd, FA__HERE)
{
    softshrink_options options;
    options.lambd = static_cast<double>(lambd);
    return softshrink_(x, options, file, line);
}

struct hardshrink_options {
    double lambd = 0.5;
    fa::tensor out = {};
};
inline tensor hardshrink(const fa::tensor &x, const hardshrink_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hardshrink_options given = FA__DEFAULT_fa_hardshrink;
    given.out = options.out.get();
    given.lambd = options.lambd;
    return detail::result((fa_hardshrink)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor hardshrink(const fa::tensor &x, Number lambd, FA__HERE)
{
    hardshrink_options options;
    options.lambd = static_cast<double>(lambd);
    return hardshrink(x, options, file, line);
}

inline tensor hardshrink_(const fa::tensor &x, const hardshrink_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hardshrink_options given = FA__DEFAULT_fa_hardshrink_;
    given.out = options.out.get();
    given.lambd = options.lambd;
    detail::good((fa_hardshrink_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor hardshrink_(const fa::tensor &x, Number lambd, FA__HERE)
{
    hardshrink_options options;
    options.lambd = static_cast<double>(lambd);
    return hardshrink_(x, options, file, line);
}

struct hardsigmoid_options {
    fa::tensor out = {};
};
inline tensor hardsigmoid(const fa::tensor &x, const hardsigmoid_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hardsigmoid_options given = FA__DEFAULT_fa_hardsigmoid;
    given.out = options.out.get();
    return detail::result((fa_hardsigmoid)(x.get(), &given), options.out);
}

inline tensor hardsigmoid_(const fa::tensor &x, const hardsigmoid_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hardsigmoid_options given = FA__DEFAULT_fa_hardsigmoid_;
    given.out = options.out.get();
    detail::good((fa_hardsigmoid_)(x.get(), &given));
    return x;
}

struct hardswish_options {
    fa::tensor out = {};
};
inline tensor hardswish(const fa::tensor &x, const hardswish_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hardswish_options given = FA__DEFAULT_fa_hardswish;
    given.out = options.out.get();
    return detail::result((fa_hardswish)(x.get(), &given), options.out);
}

inline tensor hardswish_(const fa::tensor &x, const hardswish_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hardswish_options given = FA__DEFAULT_fa_hardswish_;
    given.out = options.out.get();
    detail::good((fa_hardswish_)(x.get(), &given));
    return x;
}

struct mish_options {
    fa::tensor out = {};
};
inline tensor mish(const fa::tensor &x, const mish_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_mish_options given = FA__DEFAULT_fa_mish;
    given.out = options.out.get();
    return detail::result((fa_mish)(x.get(), &given), options.out);
}

inline tensor mish_(const fa::tensor &x, const mish_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_mish_options given = FA__DEFAULT_fa_mish_;
    given.out = options.out.get();
    detail::good((fa_mish_)(x.get(), &given));
    return x;
}

struct gelu_tanh_options {
    fa::tensor out = {};
};
inline tensor gelu_tanh(const fa::tensor &x, const gelu_tanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gelu_tanh_options given = FA__DEFAULT_fa_gelu_tanh;
    given.out = options.out.get();
    return detail::result((fa_gelu_tanh)(x.get(), &given), options.out);
}

inline tensor gelu_tanh_(const fa::tensor &x, const gelu_tanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gelu_tanh_options given = FA__DEFAULT_fa_gelu_tanh_;
    given.out = options.out.get();
    detail::good((fa_gelu_tanh_)(x.get(), &given));
    return x;
}

struct prelu_options {
    fa::tensor out = {};
};
inline tensor prelu(const fa::tensor &x, const fa::tensor &weight, const prelu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_prelu_options given = FA__DEFAULT_fa_prelu;
    given.out = options.out.get();
    return detail::result((fa_prelu)(x.get(), weight.get(), &given), options.out);
}

struct rrelu_options {
    double lower = 0.125;
    double upper = 0.3333333333333333;
    bool training = false;
    fa::tensor out = {};
};
inline tensor rrelu(const fa::tensor &x, const rrelu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rrelu_options given = FA__DEFAULT_fa_rrelu;
    given.out = options.out.get();
    given.lower = options.lower;
    given.upper = options.upper;
    given.training = options.training;
    return detail::result((fa_rrelu)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor rrelu(const fa::tensor &x, Number lower, FA__HERE)
{
    rrelu_options options;
    options.lower = static_cast<double>(lower);
    return rrelu(x, options, file, line);
}

inline tensor rrelu_(const fa::tensor &x, const rrelu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rrelu_options given = FA__DEFAULT_fa_rrelu_;
    given.out = options.out.get();
    given.lower = options.lower;
    given.upper = options.upper;
    given.training = options.training;
    detail::good((fa_rrelu_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor rrelu_(const fa::tensor &x, Number lower, FA__HERE)
{
    rrelu_options options;
    options.lower = static_cast<double>(lower);
    return rrelu_(x, options, file, line);
}

struct glu_options {
    int64_t dim = -1;
    fa::tensor out = {};
};
inline tensor glu(const fa::tensor &x, const glu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_glu_options given = FA__DEFAULT_fa_glu;
    given.out = options.out.get();
    given.dim = options.dim;
    return detail::result((fa_glu)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor glu(const fa::tensor &x, Number dim, FA__HERE)
{
    glu_options options;
    options.dim = static_cast<int64_t>(dim);
    return glu(x, options, file, line);
}

struct i0_options {
    fa::tensor out = {};
};
inline tensor i0(const fa::tensor &x, const i0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_i0_options given = FA__DEFAULT_fa_i0;
    given.out = options.out.get();
    return detail::result((fa_i0)(x.get(), &given), options.out);
}

inline tensor i0_(const fa::tensor &x, const i0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_i0_options given = FA__DEFAULT_fa_i0_;
    given.out = options.out.get();
    detail::good((fa_i0_)(x.get(), &given));
    return x;
}

struct i0e_options {
    fa::tensor out = {};
};
inline tensor i0e(const fa::tensor &x, const i0e_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_i0e_options given = FA__DEFAULT_fa_i0e;
    given.out = options.out.get();
    return detail::result((fa_i0e)(x.get(), &given), options.out);
}

inline tensor i0e_(const fa::tensor &x, const i0e_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_i0e_options given = FA__DEFAULT_fa_i0e_;
    given.out = options.out.get();
    detail::good((fa_i0e_)(x.get(), &given));
    return x;
}

struct i1_options {
    fa::tensor out = {};
};
inline tensor i1(const fa::tensor &x, const i1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_i1_options given = FA__DEFAULT_fa_i1;
    given.out = options.out.get();
    return detail::result((fa_i1)(x.get(), &given), options.out);
}

inline tensor i1_(const fa::tensor &x, const i1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_i1_options given = FA__DEFAULT_fa_i1_;
    given.out = options.out.get();
    detail::good((fa_i1_)(x.get(), &given));
    return x;
}

struct i1e_options {
    fa::tensor out = {};
};
inline tensor i1e(const fa::tensor &x, const i1e_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_i1e_options given = FA__DEFAULT_fa_i1e;
    given.out = options.out.get();
    return detail::result((fa_i1e)(x.get(), &given), options.out);
}

inline tensor i1e_(const fa::tensor &x, const i1e_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_i1e_options given = FA__DEFAULT_fa_i1e_;
    given.out = options.out.get();
    detail::good((fa_i1e_)(x.get(), &given));
    return x;
}

struct modified_bessel_k0_options {
    fa::tensor out = {};
};
inline tensor modified_bessel_k0(const fa::tensor &x, const modified_bessel_k0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_modified_bessel_k0_options given = FA__DEFAULT_fa_modified_bessel_k0;
    given.out = options.out.get();
    return detail::result((fa_modified_bessel_k0)(x.get(), &given), options.out);
}

inline tensor modified_bessel_k0_(const fa::tensor &x, const modified_bessel_k0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_modified_bessel_k0_options given = FA__DEFAULT_fa_modified_bessel_k0_;
    given.out = options.out.get();
    detail::good((fa_modified_bessel_k0_)(x.get(), &given));
    return x;
}

struct modified_bessel_k1_options {
    fa::tensor out = {};
};
inline tensor modified_bessel_k1(const fa::tensor &x, const modified_bessel_k1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_modified_bessel_k1_options given = FA__DEFAULT_fa_modified_bessel_k1;
    given.out = options.out.get();
    return detail::result((fa_modified_bessel_k1)(x.get(), &given), options.out);
}

inline tensor modified_bessel_k1_(const fa::tensor &x, const modified_bessel_k1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_modified_bessel_k1_options given = FA__DEFAULT_fa_modified_bessel_k1_;
    given.out = options.out.get();
    detail::good((fa_modified_bessel_k1_)(x.get(), &given));
    return x;
}

struct scaled_modified_bessel_k0_options {
    fa::tensor out = {};
};
inline tensor scaled_modified_bessel_k0(const fa::tensor &x, const scaled_modified_bessel_k0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scaled_modified_bessel_k0_options given = FA__DEFAULT_fa_scaled_modified_bessel_k0;
    given.out = options.out.get();
    return detail::result((fa_scaled_modified_bessel_k0)(x.get(), &given), options.out);
}

inline tensor scaled_modified_bessel_k0_(const fa::tensor &x, const scaled_modified_bessel_k0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scaled_modified_bessel_k0_options given = FA__DEFAULT_fa_scaled_modified_bessel_k0_;
    given.out = options.out.get();
    detail::good((fa_scaled_modified_bessel_k0_)(x.get(), &given));
    return x;
}

struct scaled_modified_bessel_k1_options {
    fa::tensor out = {};
};
inline tensor scaled_modified_bessel_k1(const fa::tensor &x, const scaled_modified_bessel_k1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scaled_modified_bessel_k1_options given = FA__DEFAULT_fa_scaled_modified_bessel_k1;
    given.out = options.out.get();
    return detail::result((fa_scaled_modified_bessel_k1)(x.get(), &given), options.out);
}

inline tensor scaled_modified_bessel_k1_(const fa::tensor &x, const scaled_modified_bessel_k1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scaled_modified_bessel_k1_options given = FA__DEFAULT_fa_scaled_modified_bessel_k1_;
    given.out = options.out.get();
    detail::good((fa_scaled_modified_bessel_k1_)(x.get(), &given));
    return x;
}

struct bessel_j0_options {
    fa::tensor out = {};
};
inline tensor bessel_j0(const fa::tensor &x, const bessel_j0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bessel_j0_options given = FA__DEFAULT_fa_bessel_j0;
    given.out = options.out.get();
    return detail::result((fa_bessel_j0)(x.get(), &given), options.out);
}

inline tensor bessel_j0_(const fa::tensor &x, const bessel_j0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bessel_j0_options given = FA__DEFAULT_fa_bessel_j0_;
    given.out = options.out.get();
    detail::good((fa_bessel_j0_)(x.get(), &given));
    return x;
}

struct bessel_j1_options {
    fa::tensor out = {};
};
inline tensor bessel_j1(const fa::tensor &x, const bessel_j1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bessel_j1_options given = FA__DEFAULT_fa_bessel_j1;
    given.out = options.out.get();
    return detail::result((fa_bessel_j1)(x.get(), &given), options.out);
}

inline tensor bessel_j1_(const fa::tensor &x, const bessel_j1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bessel_j1_options given = FA__DEFAULT_fa_bessel_j1_;
    given.out = options.out.get();
    detail::good((fa_bessel_j1_)(x.get(), &given));
    return x;
}

struct bessel_y0_options {
    fa::tensor out = {};
};
inline tensor bessel_y0(const fa::tensor &x, const bessel_y0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bessel_y0_options given = FA__DEFAULT_fa_bessel_y0;
    given.out = options.out.get();
    return detail::result((fa_bessel_y0)(x.get(), &given), options.out);
}

inline tensor bessel_y0_(const fa::tensor &x, const bessel_y0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bessel_y0_options given = FA__DEFAULT_fa_bessel_y0_;
    given.out = options.out.get();
    detail::good((fa_bessel_y0_)(x.get(), &given));
    return x;
}

struct bessel_y1_options {
    fa::tensor out = {};
};
inline tensor bessel_y1(const fa::tensor &x, const bessel_y1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bessel_y1_options given = FA__DEFAULT_fa_bessel_y1;
    given.out = options.out.get();
    return detail::result((fa_bessel_y1)(x.get(), &given), options.out);
}

inline tensor bessel_y1_(const fa::tensor &x, const bessel_y1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bessel_y1_options given = FA__DEFAULT_fa_bessel_y1_;
    given.out = options.out.get();
    detail::good((fa_bessel_y1_)(x.get(), &given));
    return x;
}

struct spherical_bessel_j0_options {
    fa::tensor out = {};
};
inline tensor spherical_bessel_j0(const fa::tensor &x, const spherical_bessel_j0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_spherical_bessel_j0_options given = FA__DEFAULT_fa_spherical_bessel_j0;
    given.out = options.out.get();
    return detail::result((fa_spherical_bessel_j0)(x.get(), &given), options.out);
}

inline tensor spherical_bessel_j0_(const fa::tensor &x, const spherical_bessel_j0_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_spherical_bessel_j0_options given = FA__DEFAULT_fa_spherical_bessel_j0_;
    given.out = options.out.get();
    detail::good((fa_spherical_bessel_j0_)(x.get(), &given));
    return x;
}

struct isnan_options {
    fa::tensor out = {};
};
inline tensor isnan(const fa::tensor &x, const isnan_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isnan_options given = FA__DEFAULT_fa_isnan;
    given.out = options.out.get();
    return detail::result((fa_isnan)(x.get(), &given), options.out);
}

inline tensor isnan_(const fa::tensor &x, const isnan_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isnan_options given = FA__DEFAULT_fa_isnan_;
    given.out = options.out.get();
    detail::good((fa_isnan_)(x.get(), &given));
    return x;
}

struct isinf_options {
    fa::tensor out = {};
};
inline tensor isinf(const fa::tensor &x, const isinf_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isinf_options given = FA__DEFAULT_fa_isinf;
    given.out = options.out.get();
    return detail::result((fa_isinf)(x.get(), &given), options.out);
}

inline tensor isinf_(const fa::tensor &x, const isinf_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isinf_options given = FA__DEFAULT_fa_isinf_;
    given.out = options.out.get();
    detail::good((fa_isinf_)(x.get(), &given));
    return x;
}

struct isfinite_options {
    fa::tensor out = {};
};
inline tensor isfinite(const fa::tensor &x, const isfinite_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isfinite_options given = FA__DEFAULT_fa_isfinite;
    given.out = options.out.get();
    return detail::result((fa_isfinite)(x.get(), &given), options.out);
}

inline tensor isfinite_(const fa::tensor &x, const isfinite_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isfinite_options given = FA__DEFAULT_fa_isfinite_;
    given.out = options.out.get();
    detail::good((fa_isfinite_)(x.get(), &given));
    return x;
}

struct isposinf_options {
    fa::tensor out = {};
};
inline tensor isposinf(const fa::tensor &x, const isposinf_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isposinf_options given = FA__DEFAULT_fa_isposinf;
    given.out = options.out.get();
    return detail::result((fa_isposinf)(x.get(), &given), options.out);
}

inline tensor isposinf_(const fa::tensor &x, const isposinf_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isposinf_options given = FA__DEFAULT_fa_isposinf_;
    given.out = options.out.get();
    detail::good((fa_isposinf_)(x.get(), &given));
    return x;
}

struct isneginf_options {
    fa::tensor out = {};
};
inline tensor isneginf(const fa::tensor &x, const isneginf_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isneginf_options given = FA__DEFAULT_fa_isneginf;
    given.out = options.out.get();
    return detail::result((fa_isneginf)(x.get(), &given), options.out);
}

inline tensor isneginf_(const fa::tensor &x, const isneginf_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isneginf_options given = FA__DEFAULT_fa_isneginf_;
    given.out = options.out.get();
    detail::good((fa_isneginf_)(x.get(), &given));
    return x;
}

struct isclose_options {
    double rtol = 1e-5;
    double atol = 1e-8;
    bool equal_nan = false;
    fa::tensor out = {};
};
inline tensor isclose(const fa::arg &x, const fa::arg &y, const isclose_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isclose_options given = FA__DEFAULT_fa_isclose;
    given.out = options.out.get();
    given.rtol = options.rtol;
    given.atol = options.atol;
    given.equal_nan = options.equal_nan;
    return detail::result((fa_isclose)(x.get(), y.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor isclose(const fa::arg &x, const fa::arg &y, Number rtol, FA__HERE)
{
    isclose_options options;
    options.rtol = static_cast<double>(rtol);
    return isclose(x, y, options, file, line);
}

inline tensor isclose_(const fa::tensor &x, const fa::arg &y, const isclose_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isclose_options given = FA__DEFAULT_fa_isclose_;
    given.out = options.out.get();
    given.rtol = options.rtol;
    given.atol = options.atol;
    given.equal_nan = options.equal_nan;
    detail::good((fa_isclose_)(x.get(), y.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor isclose_(const fa::tensor &x, const fa::arg &y, Number rtol, FA__HERE)
{
    isclose_options options;
    options.rtol = static_cast<double>(rtol);
    return isclose_(x, y, options, file, line);
}

struct nan_to_num_options {
    double nan = 0.0;
    double posinf = INFINITY;
    double neginf = -INFINITY;
    fa::tensor out = {};
};
inline tensor nan_to_num(const fa::tensor &x, const nan_to_num_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nan_to_num_options given = FA__DEFAULT_fa_nan_to_num;
    given.out = options.out.get();
    given.nan = options.nan;
    given.posinf = options.posinf;
    given.neginf = options.neginf;
    return detail::result((fa_nan_to_num)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor nan_to_num(const fa::tensor &x, Number nan, FA__HERE)
{
    nan_to_num_options options;
    options.nan = static_cast<double>(nan);
    return nan_to_num(x, options, file, line);
}

struct logical_and_options {
    fa::tensor out = {};
};
inline tensor logical_and(const fa::arg &x, const fa::arg &y, const logical_and_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logical_and_options given = FA__DEFAULT_fa_logical_and;
    given.out = options.out.get();
    return detail::result((fa_logical_and)(x.get(), y.get(), &given), options.out);
}

inline tensor logical_and_(const fa::tensor &x, const fa::arg &y, const logical_and_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logical_and_options given = FA__DEFAULT_fa_logical_and_;
    given.out = options.out.get();
    detail::good((fa_logical_and_)(x.get(), y.get(), &given));
    return x;
}

struct logical_or_options {
    fa::tensor out = {};
};
inline tensor logical_or(const fa::arg &x, const fa::arg &y, const logical_or_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logical_or_options given = FA__DEFAULT_fa_logical_or;
    given.out = options.out.get();
    return detail::result((fa_logical_or)(x.get(), y.get(), &given), options.out);
}

inline tensor logical_or_(const fa::tensor &x, const fa::arg &y, const logical_or_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logical_or_options given = FA__DEFAULT_fa_logical_or_;
    given.out = options.out.get();
    detail::good((fa_logical_or_)(x.get(), y.get(), &given));
    return x;
}

struct logical_xor_options {
    fa::tensor out = {};
};
inline tensor logical_xor(const fa::arg &x, const fa::arg &y, const logical_xor_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logical_xor_options given = FA__DEFAULT_fa_logical_xor;
    given.out = options.out.get();
    return detail::result((fa_logical_xor)(x.get(), y.get(), &given), options.out);
}

inline tensor logical_xor_(const fa::tensor &x, const fa::arg &y, const logical_xor_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logical_xor_options given = FA__DEFAULT_fa_logical_xor_;
    given.out = options.out.get();
    detail::good((fa_logical_xor_)(x.get(), y.get(), &given));
    return x;
}

struct logical_not_options {
    fa::tensor out = {};
};
inline tensor logical_not(const fa::tensor &x, const logical_not_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logical_not_options given = FA__DEFAULT_fa_logical_not;
    given.out = options.out.get();
    return detail::result((fa_logical_not)(x.get(), &given), options.out);
}

inline tensor logical_not_(const fa::tensor &x, const logical_not_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logical_not_options given = FA__DEFAULT_fa_logical_not_;
    given.out = options.out.get();
    detail::good((fa_logical_not_)(x.get(), &given));
    return x;
}

struct bitwise_and_options {
    fa::tensor out = {};
};
inline tensor bitwise_and(const fa::arg &x, const fa::arg &y, const bitwise_and_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_and_options given = FA__DEFAULT_fa_bitwise_and;
    given.out = options.out.get();
    return detail::result((fa_bitwise_and)(x.get(), y.get(), &given), options.out);
}

inline tensor bitwise_and_(const fa::tensor &x, const fa::arg &y, const bitwise_and_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_and_options given = FA__DEFAULT_fa_bitwise_and_;
    given.out = options.out.get();
    detail::good((fa_bitwise_and_)(x.get(), y.get(), &given));
    return x;
}

struct bitwise_or_options {
    fa::tensor out = {};
};
inline tensor bitwise_or(const fa::arg &x, const fa::arg &y, const bitwise_or_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_or_options given = FA__DEFAULT_fa_bitwise_or;
    given.out = options.out.get();
    return detail::result((fa_bitwise_or)(x.get(), y.get(), &given), options.out);
}

inline tensor bitwise_or_(const fa::tensor &x, const fa::arg &y, const bitwise_or_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_or_options given = FA__DEFAULT_fa_bitwise_or_;
    given.out = options.out.get();
    detail::good((fa_bitwise_or_)(x.get(), y.get(), &given));
    return x;
}

struct bitwise_xor_options {
    fa::tensor out = {};
};
inline tensor bitwise_xor(const fa::arg &x, const fa::arg &y, const bitwise_xor_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_xor_options given = FA__DEFAULT_fa_bitwise_xor;
    given.out = options.out.get();
    return detail::result((fa_bitwise_xor)(x.get(), y.get(), &given), options.out);
}

inline tensor bitwise_xor_(const fa::tensor &x, const fa::arg &y, const bitwise_xor_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_xor_options given = FA__DEFAULT_fa_bitwise_xor_;
    given.out = options.out.get();
    detail::good((fa_bitwise_xor_)(x.get(), y.get(), &given));
    return x;
}

struct bitwise_not_options {
    fa::tensor out = {};
};
inline tensor bitwise_not(const fa::tensor &x, const bitwise_not_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_not_options given = FA__DEFAULT_fa_bitwise_not;
    given.out = options.out.get();
    return detail::result((fa_bitwise_not)(x.get(), &given), options.out);
}

inline tensor bitwise_not_(const fa::tensor &x, const bitwise_not_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_not_options given = FA__DEFAULT_fa_bitwise_not_;
    given.out = options.out.get();
    detail::good((fa_bitwise_not_)(x.get(), &given));
    return x;
}

struct bitwise_left_shift_options {
    fa::tensor out = {};
};
inline tensor bitwise_left_shift(const fa::arg &x, const fa::arg &y, const bitwise_left_shift_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_left_shift_options given = FA__DEFAULT_fa_bitwise_left_shift;
    given.out = options.out.get();
    return detail::result((fa_bitwise_left_shift)(x.get(), y.get(), &given), options.out);
}

inline tensor bitwise_left_shift_(const fa::tensor &x, const fa::arg &y, const bitwise_left_shift_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_left_shift_options given = FA__DEFAULT_fa_bitwise_left_shift_;
    given.out = options.out.get();
    detail::good((fa_bitwise_left_shift_)(x.get(), y.get(), &given));
    return x;
}

struct bitwise_right_shift_options {
    fa::tensor out = {};
};
inline tensor bitwise_right_shift(const fa::arg &x, const fa::arg &y, const bitwise_right_shift_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_right_shift_options given = FA__DEFAULT_fa_bitwise_right_shift;
    given.out = options.out.get();
    return detail::result((fa_bitwise_right_shift)(x.get(), y.get(), &given), options.out);
}

inline tensor bitwise_right_shift_(const fa::tensor &x, const fa::arg &y, const bitwise_right_shift_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_right_shift_options given = FA__DEFAULT_fa_bitwise_right_shift_;
    given.out = options.out.get();
    detail::good((fa_bitwise_right_shift_)(x.get(), y.get(), &given));
    return x;
}

struct gcd_options {
    fa::tensor out = {};
};
inline tensor gcd(const fa::arg &x, const fa::arg &y, const gcd_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gcd_options given = FA__DEFAULT_fa_gcd;
    given.out = options.out.get();
    return detail::result((fa_gcd)(x.get(), y.get(), &given), options.out);
}

inline tensor gcd_(const fa::tensor &x, const fa::arg &y, const gcd_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gcd_options given = FA__DEFAULT_fa_gcd_;
    given.out = options.out.get();
    detail::good((fa_gcd_)(x.get(), y.get(), &given));
    return x;
}

struct lcm_options {
    fa::tensor out = {};
};
inline tensor lcm(const fa::arg &x, const fa::arg &y, const lcm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lcm_options given = FA__DEFAULT_fa_lcm;
    given.out = options.out.get();
    return detail::result((fa_lcm)(x.get(), y.get(), &given), options.out);
}

inline tensor lcm_(const fa::tensor &x, const fa::arg &y, const lcm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lcm_options given = FA__DEFAULT_fa_lcm_;
    given.out = options.out.get();
    detail::good((fa_lcm_)(x.get(), y.get(), &given));
    return x;
}

struct float_power_options {
    fa::tensor out = {};
};
inline tensor float_power(const fa::arg &x, const fa::arg &y, const float_power_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_float_power_options given = FA__DEFAULT_fa_float_power;
    given.out = options.out.get();
    return detail::result((fa_float_power)(x.get(), y.get(), &given), options.out);
}

inline tensor float_power_(const fa::tensor &x, const fa::arg &y, const float_power_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_float_power_options given = FA__DEFAULT_fa_float_power_;
    given.out = options.out.get();
    detail::good((fa_float_power_)(x.get(), y.get(), &given));
    return x;
}

struct cbrt_options {
    fa::tensor out = {};
};
inline tensor cbrt(const fa::tensor &x, const cbrt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cbrt_options given = FA__DEFAULT_fa_cbrt;
    given.out = options.out.get();
    return detail::result((fa_cbrt)(x.get(), &given), options.out);
}

inline tensor cbrt_(const fa::tensor &x, const cbrt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cbrt_options given = FA__DEFAULT_fa_cbrt_;
    given.out = options.out.get();
    detail::good((fa_cbrt_)(x.get(), &given));
    return x;
}

struct divmod_result {
    tensor quotient, remainder;
};
inline divmod_result divmod(const fa::arg &x, const fa::arg &y, FA__HERE)
{
    const detail::call here(file, line);
    const fa_divmod_result all = (fa_divmod)(x.get(), y.get());
    detail::good(all.quotient);
    return divmod_result{tensor::owned(all.quotient), tensor::owned(all.remainder)};
}

struct frexp_result {
    tensor mantissa, exponent;
};
inline frexp_result frexp(const fa::tensor &x, FA__HERE)
{
    const detail::call here(file, line);
    const fa_frexp_result all = (fa_frexp)(x.get());
    detail::good(all.mantissa);
    return frexp_result{tensor::owned(all.mantissa), tensor::owned(all.exponent)};
}

struct modf_result {
    tensor fraction, whole;
};
inline modf_result modf(const fa::tensor &x, FA__HERE)
{
    const detail::call here(file, line);
    const fa_modf_result all = (fa_modf)(x.get());
    detail::good(all.fraction);
    return modf_result{tensor::owned(all.fraction), tensor::owned(all.whole)};
}

struct spacing_options {
    fa::tensor out = {};
};
inline tensor spacing(const fa::tensor &x, const spacing_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_spacing_options given = FA__DEFAULT_fa_spacing;
    given.out = options.out.get();
    return detail::result((fa_spacing)(x.get(), &given), options.out);
}

struct nextafter_options {
    fa::tensor out = {};
};
inline tensor nextafter(const fa::arg &x, const fa::arg &y, const nextafter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nextafter_options given = FA__DEFAULT_fa_nextafter;
    given.out = options.out.get();
    return detail::result((fa_nextafter)(x.get(), y.get(), &given), options.out);
}

inline tensor nextafter_(const fa::tensor &x, const fa::arg &y, const nextafter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nextafter_options given = FA__DEFAULT_fa_nextafter_;
    given.out = options.out.get();
    detail::good((fa_nextafter_)(x.get(), y.get(), &given));
    return x;
}

struct bitwise_count_options {
    fa::tensor out = {};
};
inline tensor bitwise_count(const fa::tensor &x, const bitwise_count_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_count_options given = FA__DEFAULT_fa_bitwise_count;
    given.out = options.out.get();
    return detail::result((fa_bitwise_count)(x.get(), &given), options.out);
}

inline tensor bitwise_count_(const fa::tensor &x, const bitwise_count_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bitwise_count_options given = FA__DEFAULT_fa_bitwise_count_;
    given.out = options.out.get();
    detail::good((fa_bitwise_count_)(x.get(), &given));
    return x;
}

struct exp2_options {
    fa::tensor out = {};
};
inline tensor exp2(const fa::tensor &x, const exp2_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_exp2_options given = FA__DEFAULT_fa_exp2;
    given.out = options.out.get();
    return detail::result((fa_exp2)(x.get(), &given), options.out);
}

inline tensor exp2_(const fa::tensor &x, const exp2_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_exp2_options given = FA__DEFAULT_fa_exp2_;
    given.out = options.out.get();
    detail::good((fa_exp2_)(x.get(), &given));
    return x;
}

struct expm1_options {
    fa::tensor out = {};
};
inline tensor expm1(const fa::tensor &x, const expm1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_expm1_options given = FA__DEFAULT_fa_expm1;
    given.out = options.out.get();
    return detail::result((fa_expm1)(x.get(), &given), options.out);
}

inline tensor expm1_(const fa::tensor &x, const expm1_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_expm1_options given = FA__DEFAULT_fa_expm1_;
    given.out = options.out.get();
    detail::good((fa_expm1_)(x.get(), &given));
    return x;
}

struct log2_options {
    fa::tensor out = {};
};
inline tensor log2(const fa::tensor &x, const log2_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log2_options given = FA__DEFAULT_fa_log2;
    given.out = options.out.get();
    return detail::result((fa_log2)(x.get(), &given), options.out);
}

inline tensor log2_(const fa::tensor &x, const log2_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log2_options given = FA__DEFAULT_fa_log2_;
    given.out = options.out.get();
    detail::good((fa_log2_)(x.get(), &given));
    return x;
}

struct log10_options {
    fa::tensor out = {};
};
inline tensor log10(const fa::tensor &x, const log10_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log10_options given = FA__DEFAULT_fa_log10;
    given.out = options.out.get();
    return detail::result((fa_log10)(x.get(), &given), options.out);
}

inline tensor log10_(const fa::tensor &x, const log10_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log10_options given = FA__DEFAULT_fa_log10_;
    given.out = options.out.get();
    detail::good((fa_log10_)(x.get(), &given));
    return x;
}

struct log1p_options {
    fa::tensor out = {};
};
inline tensor log1p(const fa::tensor &x, const log1p_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log1p_options given = FA__DEFAULT_fa_log1p;
    given.out = options.out.get();
    return detail::result((fa_log1p)(x.get(), &given), options.out);
}

inline tensor log1p_(const fa::tensor &x, const log1p_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log1p_options given = FA__DEFAULT_fa_log1p_;
    given.out = options.out.get();
    detail::good((fa_log1p_)(x.get(), &given));
    return x;
}

struct logaddexp_options {
    fa::tensor out = {};
};
inline tensor logaddexp(const fa::arg &x, const fa::arg &y, const logaddexp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logaddexp_options given = FA__DEFAULT_fa_logaddexp;
    given.out = options.out.get();
    return detail::result((fa_logaddexp)(x.get(), y.get(), &given), options.out);
}

inline tensor logaddexp_(const fa::tensor &x, const fa::arg &y, const logaddexp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logaddexp_options given = FA__DEFAULT_fa_logaddexp_;
    given.out = options.out.get();
    detail::good((fa_logaddexp_)(x.get(), y.get(), &given));
    return x;
}

struct logaddexp2_options {
    fa::tensor out = {};
};
inline tensor logaddexp2(const fa::arg &x, const fa::arg &y, const logaddexp2_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logaddexp2_options given = FA__DEFAULT_fa_logaddexp2;
    given.out = options.out.get();
    return detail::result((fa_logaddexp2)(x.get(), y.get(), &given), options.out);
}

inline tensor logaddexp2_(const fa::tensor &x, const fa::arg &y, const logaddexp2_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logaddexp2_options given = FA__DEFAULT_fa_logaddexp2_;
    given.out = options.out.get();
    detail::good((fa_logaddexp2_)(x.get(), y.get(), &given));
    return x;
}

struct xlogy_options {
    fa::tensor out = {};
};
inline tensor xlogy(const fa::arg &x, const fa::arg &y, const xlogy_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_xlogy_options given = FA__DEFAULT_fa_xlogy;
    given.out = options.out.get();
    return detail::result((fa_xlogy)(x.get(), y.get(), &given), options.out);
}

inline tensor xlogy_(const fa::tensor &x, const fa::arg &y, const xlogy_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_xlogy_options given = FA__DEFAULT_fa_xlogy_;
    given.out = options.out.get();
    detail::good((fa_xlogy_)(x.get(), y.get(), &given));
    return x;
}

struct logit_options {
    double eps = -1;
    fa::tensor out = {};
};
inline tensor logit(const fa::tensor &x, const logit_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logit_options given = FA__DEFAULT_fa_logit;
    given.out = options.out.get();
    given.eps = options.eps;
    return detail::result((fa_logit)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor logit(const fa::tensor &x, Number eps, FA__HERE)
{
    logit_options options;
    options.eps = static_cast<double>(eps);
    return logit(x, options, file, line);
}

inline tensor logit_(const fa::tensor &x, const logit_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logit_options given = FA__DEFAULT_fa_logit_;
    given.out = options.out.get();
    given.eps = options.eps;
    detail::good((fa_logit_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor logit_(const fa::tensor &x, Number eps, FA__HERE)
{
    logit_options options;
    options.eps = static_cast<double>(eps);
    return logit_(x, options, file, line);
}

struct square_options {
    fa::tensor out = {};
};
inline tensor square(const fa::tensor &x, const square_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_square_options given = FA__DEFAULT_fa_square;
    given.out = options.out.get();
    return detail::result((fa_square)(x.get(), &given), options.out);
}

inline tensor square_(const fa::tensor &x, const square_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_square_options given = FA__DEFAULT_fa_square_;
    given.out = options.out.get();
    detail::good((fa_square_)(x.get(), &given));
    return x;
}

struct rsqrt_options {
    fa::tensor out = {};
};
inline tensor rsqrt(const fa::tensor &x, const rsqrt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rsqrt_options given = FA__DEFAULT_fa_rsqrt;
    given.out = options.out.get();
    return detail::result((fa_rsqrt)(x.get(), &given), options.out);
}

inline tensor rsqrt_(const fa::tensor &x, const rsqrt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rsqrt_options given = FA__DEFAULT_fa_rsqrt_;
    given.out = options.out.get();
    detail::good((fa_rsqrt_)(x.get(), &given));
    return x;
}

struct hypot_options {
    fa::tensor out = {};
};
inline tensor hypot(const fa::arg &x, const fa::arg &y, const hypot_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hypot_options given = FA__DEFAULT_fa_hypot;
    given.out = options.out.get();
    return detail::result((fa_hypot)(x.get(), y.get(), &given), options.out);
}

inline tensor hypot_(const fa::tensor &x, const fa::arg &y, const hypot_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hypot_options given = FA__DEFAULT_fa_hypot_;
    given.out = options.out.get();
    detail::good((fa_hypot_)(x.get(), y.get(), &given));
    return x;
}

struct ldexp_options {
    fa::tensor out = {};
};
inline tensor ldexp(const fa::arg &x, const fa::arg &y, const ldexp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ldexp_options given = FA__DEFAULT_fa_ldexp;
    given.out = options.out.get();
    return detail::result((fa_ldexp)(x.get(), y.get(), &given), options.out);
}

inline tensor ldexp_(const fa::tensor &x, const fa::arg &y, const ldexp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ldexp_options given = FA__DEFAULT_fa_ldexp_;
    given.out = options.out.get();
    detail::good((fa_ldexp_)(x.get(), y.get(), &given));
    return x;
}

struct tan_options {
    fa::tensor out = {};
};
inline tensor tan(const fa::tensor &x, const tan_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tan_options given = FA__DEFAULT_fa_tan;
    given.out = options.out.get();
    return detail::result((fa_tan)(x.get(), &given), options.out);
}

inline tensor tan_(const fa::tensor &x, const tan_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tan_options given = FA__DEFAULT_fa_tan_;
    given.out = options.out.get();
    detail::good((fa_tan_)(x.get(), &given));
    return x;
}

struct asin_options {
    fa::tensor out = {};
};
inline tensor asin(const fa::tensor &x, const asin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_asin_options given = FA__DEFAULT_fa_asin;
    given.out = options.out.get();
    return detail::result((fa_asin)(x.get(), &given), options.out);
}

inline tensor asin_(const fa::tensor &x, const asin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_asin_options given = FA__DEFAULT_fa_asin_;
    given.out = options.out.get();
    detail::good((fa_asin_)(x.get(), &given));
    return x;
}

struct acos_options {
    fa::tensor out = {};
};
inline tensor acos(const fa::tensor &x, const acos_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_acos_options given = FA__DEFAULT_fa_acos;
    given.out = options.out.get();
    return detail::result((fa_acos)(x.get(), &given), options.out);
}

inline tensor acos_(const fa::tensor &x, const acos_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_acos_options given = FA__DEFAULT_fa_acos_;
    given.out = options.out.get();
    detail::good((fa_acos_)(x.get(), &given));
    return x;
}

struct atan_options {
    fa::tensor out = {};
};
inline tensor atan(const fa::tensor &x, const atan_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_atan_options given = FA__DEFAULT_fa_atan;
    given.out = options.out.get();
    return detail::result((fa_atan)(x.get(), &given), options.out);
}

inline tensor atan_(const fa::tensor &x, const atan_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_atan_options given = FA__DEFAULT_fa_atan_;
    given.out = options.out.get();
    detail::good((fa_atan_)(x.get(), &given));
    return x;
}

struct atan2_options {
    fa::tensor out = {};
};
inline tensor atan2(const fa::arg &x, const fa::arg &y, const atan2_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_atan2_options given = FA__DEFAULT_fa_atan2;
    given.out = options.out.get();
    return detail::result((fa_atan2)(x.get(), y.get(), &given), options.out);
}

inline tensor atan2_(const fa::tensor &x, const fa::arg &y, const atan2_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_atan2_options given = FA__DEFAULT_fa_atan2_;
    given.out = options.out.get();
    detail::good((fa_atan2_)(x.get(), y.get(), &given));
    return x;
}

struct sinc_options {
    fa::tensor out = {};
};
inline tensor sinc(const fa::tensor &x, const sinc_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sinc_options given = FA__DEFAULT_fa_sinc;
    given.out = options.out.get();
    return detail::result((fa_sinc)(x.get(), &given), options.out);
}

inline tensor sinc_(const fa::tensor &x, const sinc_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sinc_options given = FA__DEFAULT_fa_sinc_;
    given.out = options.out.get();
    detail::good((fa_sinc_)(x.get(), &given));
    return x;
}

struct deg2rad_options {
    fa::tensor out = {};
};
inline tensor deg2rad(const fa::tensor &x, const deg2rad_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_deg2rad_options given = FA__DEFAULT_fa_deg2rad;
    given.out = options.out.get();
    return detail::result((fa_deg2rad)(x.get(), &given), options.out);
}

inline tensor deg2rad_(const fa::tensor &x, const deg2rad_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_deg2rad_options given = FA__DEFAULT_fa_deg2rad_;
    given.out = options.out.get();
    detail::good((fa_deg2rad_)(x.get(), &given));
    return x;
}

struct rad2deg_options {
    fa::tensor out = {};
};
inline tensor rad2deg(const fa::tensor &x, const rad2deg_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rad2deg_options given = FA__DEFAULT_fa_rad2deg;
    given.out = options.out.get();
    return detail::result((fa_rad2deg)(x.get(), &given), options.out);
}

inline tensor rad2deg_(const fa::tensor &x, const rad2deg_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rad2deg_options given = FA__DEFAULT_fa_rad2deg_;
    given.out = options.out.get();
    detail::good((fa_rad2deg_)(x.get(), &given));
    return x;
}

struct sinh_options {
    fa::tensor out = {};
};
inline tensor sinh(const fa::tensor &x, const sinh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sinh_options given = FA__DEFAULT_fa_sinh;
    given.out = options.out.get();
    return detail::result((fa_sinh)(x.get(), &given), options.out);
}

inline tensor sinh_(const fa::tensor &x, const sinh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sinh_options given = FA__DEFAULT_fa_sinh_;
    given.out = options.out.get();
    detail::good((fa_sinh_)(x.get(), &given));
    return x;
}

struct cosh_options {
    fa::tensor out = {};
};
inline tensor cosh(const fa::tensor &x, const cosh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cosh_options given = FA__DEFAULT_fa_cosh;
    given.out = options.out.get();
    return detail::result((fa_cosh)(x.get(), &given), options.out);
}

inline tensor cosh_(const fa::tensor &x, const cosh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cosh_options given = FA__DEFAULT_fa_cosh_;
    given.out = options.out.get();
    detail::good((fa_cosh_)(x.get(), &given));
    return x;
}

struct asinh_options {
    fa::tensor out = {};
};
inline tensor asinh(const fa::tensor &x, const asinh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_asinh_options given = FA__DEFAULT_fa_asinh;
    given.out = options.out.get();
    return detail::result((fa_asinh)(x.get(), &given), options.out);
}

inline tensor asinh_(const fa::tensor &x, const asinh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_asinh_options given = FA__DEFAULT_fa_asinh_;
    given.out = options.out.get();
    detail::good((fa_asinh_)(x.get(), &given));
    return x;
}

struct acosh_options {
    fa::tensor out = {};
};
inline tensor acosh(const fa::tensor &x, const acosh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_acosh_options given = FA__DEFAULT_fa_acosh;
    given.out = options.out.get();
    return detail::result((fa_acosh)(x.get(), &given), options.out);
}

inline tensor acosh_(const fa::tensor &x, const acosh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_acosh_options given = FA__DEFAULT_fa_acosh_;
    given.out = options.out.get();
    detail::good((fa_acosh_)(x.get(), &given));
    return x;
}

struct atanh_options {
    fa::tensor out = {};
};
inline tensor atanh(const fa::tensor &x, const atanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_atanh_options given = FA__DEFAULT_fa_atanh;
    given.out = options.out.get();
    return detail::result((fa_atanh)(x.get(), &given), options.out);
}

inline tensor atanh_(const fa::tensor &x, const atanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_atanh_options given = FA__DEFAULT_fa_atanh_;
    given.out = options.out.get();
    detail::good((fa_atanh_)(x.get(), &given));
    return x;
}

struct erfc_options {
    fa::tensor out = {};
};
inline tensor erfc(const fa::tensor &x, const erfc_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_erfc_options given = FA__DEFAULT_fa_erfc;
    given.out = options.out.get();
    return detail::result((fa_erfc)(x.get(), &given), options.out);
}

inline tensor erfc_(const fa::tensor &x, const erfc_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_erfc_options given = FA__DEFAULT_fa_erfc_;
    given.out = options.out.get();
    detail::good((fa_erfc_)(x.get(), &given));
    return x;
}

struct erfinv_options {
    fa::tensor out = {};
};
inline tensor erfinv(const fa::tensor &x, const erfinv_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_erfinv_options given = FA__DEFAULT_fa_erfinv;
    given.out = options.out.get();
    return detail::result((fa_erfinv)(x.get(), &given), options.out);
}

inline tensor erfinv_(const fa::tensor &x, const erfinv_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_erfinv_options given = FA__DEFAULT_fa_erfinv_;
    given.out = options.out.get();
    detail::good((fa_erfinv_)(x.get(), &given));
    return x;
}

struct lgamma_options {
    fa::tensor out = {};
};
inline tensor lgamma(const fa::tensor &x, const lgamma_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lgamma_options given = FA__DEFAULT_fa_lgamma;
    given.out = options.out.get();
    return detail::result((fa_lgamma)(x.get(), &given), options.out);
}

inline tensor lgamma_(const fa::tensor &x, const lgamma_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lgamma_options given = FA__DEFAULT_fa_lgamma_;
    given.out = options.out.get();
    detail::good((fa_lgamma_)(x.get(), &given));
    return x;
}

struct digamma_options {
    fa::tensor out = {};
};
inline tensor digamma(const fa::tensor &x, const digamma_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_digamma_options given = FA__DEFAULT_fa_digamma;
    given.out = options.out.get();
    return detail::result((fa_digamma)(x.get(), &given), options.out);
}

inline tensor digamma_(const fa::tensor &x, const digamma_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_digamma_options given = FA__DEFAULT_fa_digamma_;
    given.out = options.out.get();
    detail::good((fa_digamma_)(x.get(), &given));
    return x;
}

struct polygamma_options {
    fa::tensor out = {};
};
inline tensor polygamma(const fa::arg &n, const fa::arg &x, const polygamma_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_polygamma_options given = FA__DEFAULT_fa_polygamma;
    given.out = options.out.get();
    return detail::result((fa_polygamma)(n.get(), x.get(), &given), options.out);
}

inline tensor polygamma_(const fa::arg &n, const fa::tensor &x, const polygamma_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_polygamma_options given = FA__DEFAULT_fa_polygamma_;
    given.out = options.out.get();
    detail::good((fa_polygamma_)(n.get(), x.get(), &given));
    return x;
}

struct floor_options {
    fa::tensor out = {};
};
inline tensor floor(const fa::tensor &x, const floor_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_floor_options given = FA__DEFAULT_fa_floor;
    given.out = options.out.get();
    return detail::result((fa_floor)(x.get(), &given), options.out);
}

inline tensor floor_(const fa::tensor &x, const floor_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_floor_options given = FA__DEFAULT_fa_floor_;
    given.out = options.out.get();
    detail::good((fa_floor_)(x.get(), &given));
    return x;
}

struct ceil_options {
    fa::tensor out = {};
};
inline tensor ceil(const fa::tensor &x, const ceil_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ceil_options given = FA__DEFAULT_fa_ceil;
    given.out = options.out.get();
    return detail::result((fa_ceil)(x.get(), &given), options.out);
}

inline tensor ceil_(const fa::tensor &x, const ceil_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ceil_options given = FA__DEFAULT_fa_ceil_;
    given.out = options.out.get();
    detail::good((fa_ceil_)(x.get(), &given));
    return x;
}

struct trunc_options {
    fa::tensor out = {};
};
inline tensor trunc(const fa::tensor &x, const trunc_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_trunc_options given = FA__DEFAULT_fa_trunc;
    given.out = options.out.get();
    return detail::result((fa_trunc)(x.get(), &given), options.out);
}

inline tensor trunc_(const fa::tensor &x, const trunc_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_trunc_options given = FA__DEFAULT_fa_trunc_;
    given.out = options.out.get();
    detail::good((fa_trunc_)(x.get(), &given));
    return x;
}

struct round_options {
    double decimals = 0;
    fa::tensor out = {};
};
inline tensor round(const fa::tensor &x, const round_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_round_options given = FA__DEFAULT_fa_round;
    given.out = options.out.get();
    given.decimals = options.decimals;
    return detail::result((fa_round)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor round(const fa::tensor &x, Number decimals, FA__HERE)
{
    round_options options;
    options.decimals = static_cast<double>(decimals);
    return round(x, options, file, line);
}

inline tensor round_(const fa::tensor &x, const round_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_round_options given = FA__DEFAULT_fa_round_;
    given.out = options.out.get();
    given.decimals = options.decimals;
    detail::good((fa_round_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor round_(const fa::tensor &x, Number decimals, FA__HERE)
{
    round_options options;
    options.decimals = static_cast<double>(decimals);
    return round_(x, options, file, line);
}

struct frac_options {
    fa::tensor out = {};
};
inline tensor frac(const fa::tensor &x, const frac_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_frac_options given = FA__DEFAULT_fa_frac;
    given.out = options.out.get();
    return detail::result((fa_frac)(x.get(), &given), options.out);
}

inline tensor frac_(const fa::tensor &x, const frac_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_frac_options given = FA__DEFAULT_fa_frac_;
    given.out = options.out.get();
    detail::good((fa_frac_)(x.get(), &given));
    return x;
}

struct floor_divide_options {
    fa::tensor out = {};
};
inline tensor floor_divide(const fa::arg &x, const fa::arg &y, const floor_divide_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_floor_divide_options given = FA__DEFAULT_fa_floor_divide;
    given.out = options.out.get();
    return detail::result((fa_floor_divide)(x.get(), y.get(), &given), options.out);
}

inline tensor floor_divide_(const fa::tensor &x, const fa::arg &y, const floor_divide_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_floor_divide_options given = FA__DEFAULT_fa_floor_divide_;
    given.out = options.out.get();
    detail::good((fa_floor_divide_)(x.get(), y.get(), &given));
    return x;
}

struct trunc_divide_options {
    fa::tensor out = {};
};
inline tensor trunc_divide(const fa::arg &x, const fa::arg &y, const trunc_divide_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_trunc_divide_options given = FA__DEFAULT_fa_trunc_divide;
    given.out = options.out.get();
    return detail::result((fa_trunc_divide)(x.get(), y.get(), &given), options.out);
}

inline tensor trunc_divide_(const fa::tensor &x, const fa::arg &y, const trunc_divide_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_trunc_divide_options given = FA__DEFAULT_fa_trunc_divide_;
    given.out = options.out.get();
    detail::good((fa_trunc_divide_)(x.get(), y.get(), &given));
    return x;
}

struct remainder_options {
    fa::tensor out = {};
};
inline tensor remainder(const fa::arg &x, const fa::arg &y, const remainder_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_remainder_options given = FA__DEFAULT_fa_remainder;
    given.out = options.out.get();
    return detail::result((fa_remainder)(x.get(), y.get(), &given), options.out);
}

inline tensor remainder_(const fa::tensor &x, const fa::arg &y, const remainder_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_remainder_options given = FA__DEFAULT_fa_remainder_;
    given.out = options.out.get();
    detail::good((fa_remainder_)(x.get(), y.get(), &given));
    return x;
}

struct fmod_options {
    fa::tensor out = {};
};
inline tensor fmod(const fa::arg &x, const fa::arg &y, const fmod_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_fmod_options given = FA__DEFAULT_fa_fmod;
    given.out = options.out.get();
    return detail::result((fa_fmod)(x.get(), y.get(), &given), options.out);
}

inline tensor fmod_(const fa::tensor &x, const fa::arg &y, const fmod_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_fmod_options given = FA__DEFAULT_fa_fmod_;
    given.out = options.out.get();
    detail::good((fa_fmod_)(x.get(), y.get(), &given));
    return x;
}

struct sign_options {
    fa::tensor out = {};
};
inline tensor sign(const fa::tensor &x, const sign_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sign_options given = FA__DEFAULT_fa_sign;
    given.out = options.out.get();
    return detail::result((fa_sign)(x.get(), &given), options.out);
}

inline tensor sign_(const fa::tensor &x, const sign_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sign_options given = FA__DEFAULT_fa_sign_;
    given.out = options.out.get();
    detail::good((fa_sign_)(x.get(), &given));
    return x;
}

struct signbit_options {
    fa::tensor out = {};
};
inline tensor signbit(const fa::tensor &x, const signbit_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_signbit_options given = FA__DEFAULT_fa_signbit;
    given.out = options.out.get();
    return detail::result((fa_signbit)(x.get(), &given), options.out);
}

inline tensor signbit_(const fa::tensor &x, const signbit_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_signbit_options given = FA__DEFAULT_fa_signbit_;
    given.out = options.out.get();
    detail::good((fa_signbit_)(x.get(), &given));
    return x;
}

struct copysign_options {
    fa::tensor out = {};
};
inline tensor copysign(const fa::arg &x, const fa::arg &y, const copysign_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_copysign_options given = FA__DEFAULT_fa_copysign;
    given.out = options.out.get();
    return detail::result((fa_copysign)(x.get(), y.get(), &given), options.out);
}

inline tensor copysign_(const fa::tensor &x, const fa::arg &y, const copysign_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_copysign_options given = FA__DEFAULT_fa_copysign_;
    given.out = options.out.get();
    detail::good((fa_copysign_)(x.get(), y.get(), &given));
    return x;
}

struct heaviside_options {
    fa::tensor out = {};
};
inline tensor heaviside(const fa::arg &x, const fa::arg &values, const heaviside_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_heaviside_options given = FA__DEFAULT_fa_heaviside;
    given.out = options.out.get();
    return detail::result((fa_heaviside)(x.get(), values.get(), &given), options.out);
}

inline tensor heaviside_(const fa::tensor &x, const fa::arg &values, const heaviside_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_heaviside_options given = FA__DEFAULT_fa_heaviside_;
    given.out = options.out.get();
    detail::good((fa_heaviside_)(x.get(), values.get(), &given));
    return x;
}

struct fmax_options {
    fa::tensor out = {};
};
inline tensor fmax(const fa::arg &x, const fa::arg &y, const fmax_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_fmax_options given = FA__DEFAULT_fa_fmax;
    given.out = options.out.get();
    return detail::result((fa_fmax)(x.get(), y.get(), &given), options.out);
}

inline tensor fmax_(const fa::tensor &x, const fa::arg &y, const fmax_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_fmax_options given = FA__DEFAULT_fa_fmax_;
    given.out = options.out.get();
    detail::good((fa_fmax_)(x.get(), y.get(), &given));
    return x;
}

struct fmin_options {
    fa::tensor out = {};
};
inline tensor fmin(const fa::arg &x, const fa::arg &y, const fmin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_fmin_options given = FA__DEFAULT_fa_fmin;
    given.out = options.out.get();
    return detail::result((fa_fmin)(x.get(), y.get(), &given), options.out);
}

inline tensor fmin_(const fa::tensor &x, const fa::arg &y, const fmin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_fmin_options given = FA__DEFAULT_fa_fmin_;
    given.out = options.out.get();
    detail::good((fa_fmin_)(x.get(), y.get(), &given));
    return x;
}

struct clamp_min_options {
    fa::tensor out = {};
};
inline tensor clamp_min(const fa::arg &x, const fa::arg &low, const clamp_min_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_clamp_min_options given = FA__DEFAULT_fa_clamp_min;
    given.out = options.out.get();
    return detail::result((fa_clamp_min)(x.get(), low.get(), &given), options.out);
}

inline tensor clamp_min_(const fa::tensor &x, const fa::arg &low, const clamp_min_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_clamp_min_options given = FA__DEFAULT_fa_clamp_min_;
    given.out = options.out.get();
    detail::good((fa_clamp_min_)(x.get(), low.get(), &given));
    return x;
}

struct clamp_max_options {
    fa::tensor out = {};
};
inline tensor clamp_max(const fa::arg &x, const fa::arg &high, const clamp_max_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_clamp_max_options given = FA__DEFAULT_fa_clamp_max;
    given.out = options.out.get();
    return detail::result((fa_clamp_max)(x.get(), high.get(), &given), options.out);
}

inline tensor clamp_max_(const fa::tensor &x, const fa::arg &high, const clamp_max_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_clamp_max_options given = FA__DEFAULT_fa_clamp_max_;
    given.out = options.out.get();
    detail::good((fa_clamp_max_)(x.get(), high.get(), &given));
    return x;
}

struct lerp_options {
    fa::tensor out = {};
};
inline tensor lerp(const fa::arg &x, const fa::arg &end, const fa::arg &weight, const lerp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lerp_options given = FA__DEFAULT_fa_lerp;
    given.out = options.out.get();
    return detail::result((fa_lerp)(x.get(), end.get(), weight.get(), &given), options.out);
}

inline tensor lerp_(const fa::tensor &x, const fa::arg &end, const fa::arg &weight, const lerp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lerp_options given = FA__DEFAULT_fa_lerp_;
    given.out = options.out.get();
    detail::good((fa_lerp_)(x.get(), end.get(), weight.get(), &given));
    return x;
}

struct addcmul_options {
    double value = 1;
    fa::tensor out = {};
};
inline tensor addcmul(const fa::arg &x, const fa::arg &a, const fa::arg &b, const addcmul_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_addcmul_options given = FA__DEFAULT_fa_addcmul;
    given.out = options.out.get();
    given.value = options.value;
    return detail::result((fa_addcmul)(x.get(), a.get(), b.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor addcmul(const fa::arg &x, const fa::arg &a, const fa::arg &b, Number value, FA__HERE)
{
    addcmul_options options;
    options.value = static_cast<double>(value);
    return addcmul(x, a, b, options, file, line);
}

inline tensor addcmul_(const fa::tensor &x, const fa::arg &a, const fa::arg &b, const addcmul_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_addcmul_options given = FA__DEFAULT_fa_addcmul_;
    given.out = options.out.get();
    given.value = options.value;
    detail::good((fa_addcmul_)(x.get(), a.get(), b.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor addcmul_(const fa::tensor &x, const fa::arg &a, const fa::arg &b, Number value, FA__HERE)
{
    addcmul_options options;
    options.value = static_cast<double>(value);
    return addcmul_(x, a, b, options, file, line);
}

struct addcdiv_options {
    double value = 1;
    fa::tensor out = {};
};
inline tensor addcdiv(const fa::arg &x, const fa::arg &a, const fa::arg &b, const addcdiv_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_addcdiv_options given = FA__DEFAULT_fa_addcdiv;
    given.out = options.out.get();
    given.value = options.value;
    return detail::result((fa_addcdiv)(x.get(), a.get(), b.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor addcdiv(const fa::arg &x, const fa::arg &a, const fa::arg &b, Number value, FA__HERE)
{
    addcdiv_options options;
    options.value = static_cast<double>(value);
    return addcdiv(x, a, b, options, file, line);
}

inline tensor addcdiv_(const fa::tensor &x, const fa::arg &a, const fa::arg &b, const addcdiv_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_addcdiv_options given = FA__DEFAULT_fa_addcdiv_;
    given.out = options.out.get();
    given.value = options.value;
    detail::good((fa_addcdiv_)(x.get(), a.get(), b.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor addcdiv_(const fa::tensor &x, const fa::arg &a, const fa::arg &b, Number value, FA__HERE)
{
    addcdiv_options options;
    options.value = static_cast<double>(value);
    return addcdiv_(x, a, b, options, file, line);
}

struct add_options {
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor add(const fa::arg &x, const fa::arg &y, const add_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_add_options given = FA__DEFAULT_fa_add;
    given.out = options.out.get();
    given.alpha = options.alpha;
    return detail::result((fa_add)(x.get(), y.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor add(const fa::arg &x, const fa::arg &y, Number alpha, FA__HERE)
{
    add_options options;
    options.alpha = static_cast<double>(alpha);
    return add(x, y, options, file, line);
}

inline tensor add_(const fa::tensor &x, const fa::arg &y, const add_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_add_options given = FA__DEFAULT_fa_add_;
    given.out = options.out.get();
    given.alpha = options.alpha;
    detail::good((fa_add_)(x.get(), y.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor add_(const fa::tensor &x, const fa::arg &y, Number alpha, FA__HERE)
{
    add_options options;
    options.alpha = static_cast<double>(alpha);
    return add_(x, y, options, file, line);
}

struct sub_options {
    double alpha = 1;
    fa::tensor out = {};
};
inline tensor sub(const fa::arg &x, const fa::arg &y, const sub_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sub_options given = FA__DEFAULT_fa_sub;
    given.out = options.out.get();
    given.alpha = options.alpha;
    return detail::result((fa_sub)(x.get(), y.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor sub(const fa::arg &x, const fa::arg &y, Number alpha, FA__HERE)
{
    sub_options options;
    options.alpha = static_cast<double>(alpha);
    return sub(x, y, options, file, line);
}

inline tensor sub_(const fa::tensor &x, const fa::arg &y, const sub_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sub_options given = FA__DEFAULT_fa_sub_;
    given.out = options.out.get();
    given.alpha = options.alpha;
    detail::good((fa_sub_)(x.get(), y.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor sub_(const fa::tensor &x, const fa::arg &y, Number alpha, FA__HERE)
{
    sub_options options;
    options.alpha = static_cast<double>(alpha);
    return sub_(x, y, options, file, line);
}

struct mul_options {
    fa::tensor out = {};
};
inline tensor mul(const fa::arg &x, const fa::arg &y, const mul_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_mul_options given = FA__DEFAULT_fa_mul;
    given.out = options.out.get();
    return detail::result((fa_mul)(x.get(), y.get(), &given), options.out);
}

inline tensor mul_(const fa::tensor &x, const fa::arg &y, const mul_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_mul_options given = FA__DEFAULT_fa_mul_;
    given.out = options.out.get();
    detail::good((fa_mul_)(x.get(), y.get(), &given));
    return x;
}

struct div_options {
    fa::tensor out = {};
};
inline tensor div(const fa::arg &x, const fa::arg &y, const div_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_div_options given = FA__DEFAULT_fa_div;
    given.out = options.out.get();
    return detail::result((fa_div)(x.get(), y.get(), &given), options.out);
}

inline tensor div_(const fa::tensor &x, const fa::arg &y, const div_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_div_options given = FA__DEFAULT_fa_div_;
    given.out = options.out.get();
    detail::good((fa_div_)(x.get(), y.get(), &given));
    return x;
}

struct pow_options {
    fa::tensor out = {};
};
inline tensor pow(const fa::arg &x, const fa::arg &y, const pow_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_pow_options given = FA__DEFAULT_fa_pow;
    given.out = options.out.get();
    return detail::result((fa_pow)(x.get(), y.get(), &given), options.out);
}

inline tensor pow_(const fa::tensor &x, const fa::arg &y, const pow_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_pow_options given = FA__DEFAULT_fa_pow_;
    given.out = options.out.get();
    detail::good((fa_pow_)(x.get(), y.get(), &given));
    return x;
}

struct neg_options {
    fa::tensor out = {};
};
inline tensor neg(const fa::tensor &x, const neg_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_neg_options given = FA__DEFAULT_fa_neg;
    given.out = options.out.get();
    return detail::result((fa_neg)(x.get(), &given), options.out);
}

inline tensor neg_(const fa::tensor &x, const neg_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_neg_options given = FA__DEFAULT_fa_neg_;
    given.out = options.out.get();
    detail::good((fa_neg_)(x.get(), &given));
    return x;
}

struct abs_options {
    fa::tensor out = {};
};
inline tensor abs(const fa::tensor &x, const abs_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_abs_options given = FA__DEFAULT_fa_abs;
    given.out = options.out.get();
    return detail::result((fa_abs)(x.get(), &given), options.out);
}

inline tensor abs_(const fa::tensor &x, const abs_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_abs_options given = FA__DEFAULT_fa_abs_;
    given.out = options.out.get();
    detail::good((fa_abs_)(x.get(), &given));
    return x;
}

struct exp_options {
    fa::tensor out = {};
};
inline tensor exp(const fa::tensor &x, const exp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_exp_options given = FA__DEFAULT_fa_exp;
    given.out = options.out.get();
    return detail::result((fa_exp)(x.get(), &given), options.out);
}

inline tensor exp_(const fa::tensor &x, const exp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_exp_options given = FA__DEFAULT_fa_exp_;
    given.out = options.out.get();
    detail::good((fa_exp_)(x.get(), &given));
    return x;
}

struct log_options {
    fa::tensor out = {};
};
inline tensor log(const fa::tensor &x, const log_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log_options given = FA__DEFAULT_fa_log;
    given.out = options.out.get();
    return detail::result((fa_log)(x.get(), &given), options.out);
}

inline tensor log_(const fa::tensor &x, const log_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log_options given = FA__DEFAULT_fa_log_;
    given.out = options.out.get();
    detail::good((fa_log_)(x.get(), &given));
    return x;
}

struct sqrt_options {
    fa::tensor out = {};
};
inline tensor sqrt(const fa::tensor &x, const sqrt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sqrt_options given = FA__DEFAULT_fa_sqrt;
    given.out = options.out.get();
    return detail::result((fa_sqrt)(x.get(), &given), options.out);
}

inline tensor sqrt_(const fa::tensor &x, const sqrt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sqrt_options given = FA__DEFAULT_fa_sqrt_;
    given.out = options.out.get();
    detail::good((fa_sqrt_)(x.get(), &given));
    return x;
}

struct reciprocal_options {
    fa::tensor out = {};
};
inline tensor reciprocal(const fa::tensor &x, const reciprocal_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_reciprocal_options given = FA__DEFAULT_fa_reciprocal;
    given.out = options.out.get();
    return detail::result((fa_reciprocal)(x.get(), &given), options.out);
}

inline tensor reciprocal_(const fa::tensor &x, const reciprocal_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_reciprocal_options given = FA__DEFAULT_fa_reciprocal_;
    given.out = options.out.get();
    detail::good((fa_reciprocal_)(x.get(), &given));
    return x;
}

struct sin_options {
    fa::tensor out = {};
};
inline tensor sin(const fa::tensor &x, const sin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sin_options given = FA__DEFAULT_fa_sin;
    given.out = options.out.get();
    return detail::result((fa_sin)(x.get(), &given), options.out);
}

inline tensor sin_(const fa::tensor &x, const sin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sin_options given = FA__DEFAULT_fa_sin_;
    given.out = options.out.get();
    detail::good((fa_sin_)(x.get(), &given));
    return x;
}

struct cos_options {
    fa::tensor out = {};
};
inline tensor cos(const fa::tensor &x, const cos_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cos_options given = FA__DEFAULT_fa_cos;
    given.out = options.out.get();
    return detail::result((fa_cos)(x.get(), &given), options.out);
}

inline tensor cos_(const fa::tensor &x, const cos_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cos_options given = FA__DEFAULT_fa_cos_;
    given.out = options.out.get();
    detail::good((fa_cos_)(x.get(), &given));
    return x;
}

struct tanh_options {
    fa::tensor out = {};
};
inline tensor tanh(const fa::tensor &x, const tanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tanh_options given = FA__DEFAULT_fa_tanh;
    given.out = options.out.get();
    return detail::result((fa_tanh)(x.get(), &given), options.out);
}

inline tensor tanh_(const fa::tensor &x, const tanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tanh_options given = FA__DEFAULT_fa_tanh_;
    given.out = options.out.get();
    detail::good((fa_tanh_)(x.get(), &given));
    return x;
}

struct erf_options {
    fa::tensor out = {};
};
inline tensor erf(const fa::tensor &x, const erf_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_erf_options given = FA__DEFAULT_fa_erf;
    given.out = options.out.get();
    return detail::result((fa_erf)(x.get(), &given), options.out);
}

inline tensor erf_(const fa::tensor &x, const erf_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_erf_options given = FA__DEFAULT_fa_erf_;
    given.out = options.out.get();
    detail::good((fa_erf_)(x.get(), &given));
    return x;
}

struct sigmoid_options {
    fa::tensor out = {};
};
inline tensor sigmoid(const fa::tensor &x, const sigmoid_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sigmoid_options given = FA__DEFAULT_fa_sigmoid;
    given.out = options.out.get();
    return detail::result((fa_sigmoid)(x.get(), &given), options.out);
}

inline tensor sigmoid_(const fa::tensor &x, const sigmoid_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sigmoid_options given = FA__DEFAULT_fa_sigmoid_;
    given.out = options.out.get();
    detail::good((fa_sigmoid_)(x.get(), &given));
    return x;
}

struct relu_options {
    fa::tensor out = {};
};
inline tensor relu(const fa::tensor &x, const relu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_relu_options given = FA__DEFAULT_fa_relu;
    given.out = options.out.get();
    return detail::result((fa_relu)(x.get(), &given), options.out);
}

inline tensor relu_(const fa::tensor &x, const relu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_relu_options given = FA__DEFAULT_fa_relu_;
    given.out = options.out.get();
    detail::good((fa_relu_)(x.get(), &given));
    return x;
}

struct gelu_options {
    fa::tensor out = {};
};
inline tensor gelu(const fa::tensor &x, const gelu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gelu_options given = FA__DEFAULT_fa_gelu;
    given.out = options.out.get();
    return detail::result((fa_gelu)(x.get(), &given), options.out);
}

inline tensor gelu_(const fa::tensor &x, const gelu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gelu_options given = FA__DEFAULT_fa_gelu_;
    given.out = options.out.get();
    detail::good((fa_gelu_)(x.get(), &given));
    return x;
}

struct silu_options {
    fa::tensor out = {};
};
inline tensor silu(const fa::tensor &x, const silu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_silu_options given = FA__DEFAULT_fa_silu;
    given.out = options.out.get();
    return detail::result((fa_silu)(x.get(), &given), options.out);
}

inline tensor silu_(const fa::tensor &x, const silu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_silu_options given = FA__DEFAULT_fa_silu_;
    given.out = options.out.get();
    detail::good((fa_silu_)(x.get(), &given));
    return x;
}

struct maximum_options {
    fa::tensor out = {};
};
inline tensor maximum(const fa::arg &x, const fa::arg &y, const maximum_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_maximum_options given = FA__DEFAULT_fa_maximum;
    given.out = options.out.get();
    return detail::result((fa_maximum)(x.get(), y.get(), &given), options.out);
}

inline tensor maximum_(const fa::tensor &x, const fa::arg &y, const maximum_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_maximum_options given = FA__DEFAULT_fa_maximum_;
    given.out = options.out.get();
    detail::good((fa_maximum_)(x.get(), y.get(), &given));
    return x;
}

struct minimum_options {
    fa::tensor out = {};
};
inline tensor minimum(const fa::arg &x, const fa::arg &y, const minimum_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_minimum_options given = FA__DEFAULT_fa_minimum;
    given.out = options.out.get();
    return detail::result((fa_minimum)(x.get(), y.get(), &given), options.out);
}

inline tensor minimum_(const fa::tensor &x, const fa::arg &y, const minimum_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_minimum_options given = FA__DEFAULT_fa_minimum_;
    given.out = options.out.get();
    detail::good((fa_minimum_)(x.get(), y.get(), &given));
    return x;
}

struct clamp_options {
    fa::tensor out = {};
};
inline tensor clamp(const fa::arg &x, const fa::arg &low, const fa::arg &high, const clamp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_clamp_options given = FA__DEFAULT_fa_clamp;
    given.out = options.out.get();
    return detail::result((fa_clamp)(x.get(), low.get(), high.get(), &given), options.out);
}

inline tensor clamp_(const fa::tensor &x, const fa::arg &low, const fa::arg &high, const clamp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_clamp_options given = FA__DEFAULT_fa_clamp_;
    given.out = options.out.get();
    detail::good((fa_clamp_)(x.get(), low.get(), high.get(), &given));
    return x;
}

struct where_options {
    fa::tensor out = {};
};
inline tensor where(const fa::arg &condition, const fa::arg &x, const fa::arg &y, const where_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_where_options given = FA__DEFAULT_fa_where;
    given.out = options.out.get();
    return detail::result((fa_where)(condition.get(), x.get(), y.get(), &given), options.out);
}

inline tensor where_(const fa::arg &condition, const fa::tensor &x, const fa::arg &y, const where_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_where_options given = FA__DEFAULT_fa_where_;
    given.out = options.out.get();
    detail::good((fa_where_)(condition.get(), x.get(), y.get(), &given));
    return x;
}

struct eq_options {
    fa::tensor out = {};
};
inline tensor eq(const fa::arg &x, const fa::arg &y, const eq_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_eq_options given = FA__DEFAULT_fa_eq;
    given.out = options.out.get();
    return detail::result((fa_eq)(x.get(), y.get(), &given), options.out);
}

inline tensor eq_(const fa::tensor &x, const fa::arg &y, const eq_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_eq_options given = FA__DEFAULT_fa_eq_;
    given.out = options.out.get();
    detail::good((fa_eq_)(x.get(), y.get(), &given));
    return x;
}

struct ne_options {
    fa::tensor out = {};
};
inline tensor ne(const fa::arg &x, const fa::arg &y, const ne_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ne_options given = FA__DEFAULT_fa_ne;
    given.out = options.out.get();
    return detail::result((fa_ne)(x.get(), y.get(), &given), options.out);
}

inline tensor ne_(const fa::tensor &x, const fa::arg &y, const ne_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ne_options given = FA__DEFAULT_fa_ne_;
    given.out = options.out.get();
    detail::good((fa_ne_)(x.get(), y.get(), &given));
    return x;
}

struct lt_options {
    fa::tensor out = {};
};
inline tensor lt(const fa::arg &x, const fa::arg &y, const lt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lt_options given = FA__DEFAULT_fa_lt;
    given.out = options.out.get();
    return detail::result((fa_lt)(x.get(), y.get(), &given), options.out);
}

inline tensor lt_(const fa::tensor &x, const fa::arg &y, const lt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lt_options given = FA__DEFAULT_fa_lt_;
    given.out = options.out.get();
    detail::good((fa_lt_)(x.get(), y.get(), &given));
    return x;
}

struct le_options {
    fa::tensor out = {};
};
inline tensor le(const fa::arg &x, const fa::arg &y, const le_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_le_options given = FA__DEFAULT_fa_le;
    given.out = options.out.get();
    return detail::result((fa_le)(x.get(), y.get(), &given), options.out);
}

inline tensor le_(const fa::tensor &x, const fa::arg &y, const le_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_le_options given = FA__DEFAULT_fa_le_;
    given.out = options.out.get();
    detail::good((fa_le_)(x.get(), y.get(), &given));
    return x;
}

struct gt_options {
    fa::tensor out = {};
};
inline tensor gt(const fa::arg &x, const fa::arg &y, const gt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gt_options given = FA__DEFAULT_fa_gt;
    given.out = options.out.get();
    return detail::result((fa_gt)(x.get(), y.get(), &given), options.out);
}

inline tensor gt_(const fa::tensor &x, const fa::arg &y, const gt_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gt_options given = FA__DEFAULT_fa_gt_;
    given.out = options.out.get();
    detail::good((fa_gt_)(x.get(), y.get(), &given));
    return x;
}

struct ge_options {
    fa::tensor out = {};
};
inline tensor ge(const fa::arg &x, const fa::arg &y, const ge_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ge_options given = FA__DEFAULT_fa_ge;
    given.out = options.out.get();
    return detail::result((fa_ge)(x.get(), y.get(), &given), options.out);
}

inline tensor ge_(const fa::tensor &x, const fa::arg &y, const ge_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ge_options given = FA__DEFAULT_fa_ge_;
    given.out = options.out.get();
    detail::good((fa_ge_)(x.get(), y.get(), &given));
    return x;
}

struct dropout_options {
    double p = 0.5;
    bool training = true;
    fa::tensor out = {};
};
inline tensor dropout(const fa::tensor &x, const dropout_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_dropout_options given = FA__DEFAULT_fa_dropout;
    given.out = options.out.get();
    given.p = options.p;
    given.training = options.training;
    return detail::result((fa_dropout)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor dropout(const fa::tensor &x, Number p, FA__HERE)
{
    dropout_options options;
    options.p = static_cast<double>(p);
    return dropout(x, options, file, line);
}

inline tensor dropout_(const fa::tensor &x, const dropout_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_dropout_options given = FA__DEFAULT_fa_dropout_;
    given.out = options.out.get();
    given.p = options.p;
    given.training = options.training;
    detail::good((fa_dropout_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor dropout_(const fa::tensor &x, Number p, FA__HERE)
{
    dropout_options options;
    options.p = static_cast<double>(p);
    return dropout_(x, options, file, line);
}

struct xlog1py_options {
    fa::tensor out = {};
};
inline tensor xlog1py(const fa::arg &x, const fa::arg &y, const xlog1py_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_xlog1py_options given = FA__DEFAULT_fa_xlog1py;
    given.out = options.out.get();
    return detail::result((fa_xlog1py)(x.get(), y.get(), &given), options.out);
}

inline tensor xlog1py_(const fa::tensor &x, const fa::arg &y, const xlog1py_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_xlog1py_options given = FA__DEFAULT_fa_xlog1py_;
    given.out = options.out.get();
    detail::good((fa_xlog1py_)(x.get(), y.get(), &given));
    return x;
}

struct entr_options {
    fa::tensor out = {};
};
inline tensor entr(const fa::tensor &x, const entr_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_entr_options given = FA__DEFAULT_fa_entr;
    given.out = options.out.get();
    return detail::result((fa_entr)(x.get(), &given), options.out);
}

inline tensor entr_(const fa::tensor &x, const entr_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_entr_options given = FA__DEFAULT_fa_entr_;
    given.out = options.out.get();
    detail::good((fa_entr_)(x.get(), &given));
    return x;
}

struct erfcx_options {
    fa::tensor out = {};
};
inline tensor erfcx(const fa::tensor &x, const erfcx_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_erfcx_options given = FA__DEFAULT_fa_erfcx;
    given.out = options.out.get();
    return detail::result((fa_erfcx)(x.get(), &given), options.out);
}

inline tensor erfcx_(const fa::tensor &x, const erfcx_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_erfcx_options given = FA__DEFAULT_fa_erfcx_;
    given.out = options.out.get();
    detail::good((fa_erfcx_)(x.get(), &given));
    return x;
}

struct ndtr_options {
    fa::tensor out = {};
};
inline tensor ndtr(const fa::tensor &x, const ndtr_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ndtr_options given = FA__DEFAULT_fa_ndtr;
    given.out = options.out.get();
    return detail::result((fa_ndtr)(x.get(), &given), options.out);
}

inline tensor ndtr_(const fa::tensor &x, const ndtr_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ndtr_options given = FA__DEFAULT_fa_ndtr_;
    given.out = options.out.get();
    detail::good((fa_ndtr_)(x.get(), &given));
    return x;
}

struct log_ndtr_options {
    fa::tensor out = {};
};
inline tensor log_ndtr(const fa::tensor &x, const log_ndtr_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log_ndtr_options given = FA__DEFAULT_fa_log_ndtr;
    given.out = options.out.get();
    return detail::result((fa_log_ndtr)(x.get(), &given), options.out);
}

inline tensor log_ndtr_(const fa::tensor &x, const log_ndtr_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log_ndtr_options given = FA__DEFAULT_fa_log_ndtr_;
    given.out = options.out.get();
    detail::good((fa_log_ndtr_)(x.get(), &given));
    return x;
}

struct ndtri_options {
    fa::tensor out = {};
};
inline tensor ndtri(const fa::tensor &x, const ndtri_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ndtri_options given = FA__DEFAULT_fa_ndtri;
    given.out = options.out.get();
    return detail::result((fa_ndtri)(x.get(), &given), options.out);
}

inline tensor ndtri_(const fa::tensor &x, const ndtri_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ndtri_options given = FA__DEFAULT_fa_ndtri_;
    given.out = options.out.get();
    detail::good((fa_ndtri_)(x.get(), &given));
    return x;
}

struct zeta_options {
    fa::tensor out = {};
};
inline tensor zeta(const fa::arg &x, const fa::arg &q, const zeta_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_zeta_options given = FA__DEFAULT_fa_zeta;
    given.out = options.out.get();
    return detail::result((fa_zeta)(x.get(), q.get(), &given), options.out);
}

inline tensor zeta_(const fa::arg &x, const fa::tensor &q, const zeta_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_zeta_options given = FA__DEFAULT_fa_zeta_;
    given.out = options.out.get();
    detail::good((fa_zeta_)(x.get(), q.get(), &given));
    return q;
}

struct igamma_options {
    fa::tensor out = {};
};
inline tensor igamma(const fa::arg &a, const fa::arg &x, const igamma_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_igamma_options given = FA__DEFAULT_fa_igamma;
    given.out = options.out.get();
    return detail::result((fa_igamma)(a.get(), x.get(), &given), options.out);
}

inline tensor igamma_(const fa::arg &a, const fa::tensor &x, const igamma_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_igamma_options given = FA__DEFAULT_fa_igamma_;
    given.out = options.out.get();
    detail::good((fa_igamma_)(a.get(), x.get(), &given));
    return x;
}

struct igammac_options {
    fa::tensor out = {};
};
inline tensor igammac(const fa::arg &a, const fa::arg &x, const igammac_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_igammac_options given = FA__DEFAULT_fa_igammac;
    given.out = options.out.get();
    return detail::result((fa_igammac)(a.get(), x.get(), &given), options.out);
}

inline tensor igammac_(const fa::arg &a, const fa::tensor &x, const igammac_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_igammac_options given = FA__DEFAULT_fa_igammac_;
    given.out = options.out.get();
    detail::good((fa_igammac_)(a.get(), x.get(), &given));
    return x;
}

struct multigammaln_options {
    fa::tensor out = {};
};
inline tensor multigammaln(const fa::tensor &x, int64_t p, const multigammaln_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_multigammaln_options given = FA__DEFAULT_fa_multigammaln;
    given.out = options.out.get();
    return detail::result((fa_multigammaln)(x.get(), p, &given), options.out);
}

struct scaled_dot_product_attention_options {
    fa::tensor mask = {};
    bool causal = false;
    double scale = 0.0;
    double dropout = 0.0;
    bool enable_gqa = false;
    fa::tensor out = {};
};
inline tensor scaled_dot_product_attention(const fa::tensor &q, const fa::tensor &k, const fa::tensor &v, const scaled_dot_product_attention_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_scaled_dot_product_attention_options given = FA__DEFAULT_fa_scaled_dot_product_attention;
    given.out = options.out.get();
    given.mask = options.mask.get();
    given.causal = options.causal;
    given.scale = options.scale;
    given.dropout = options.dropout;
    given.enable_gqa = options.enable_gqa;
    return detail::result((fa_scaled_dot_product_attention)(q.get(), k.get(), v.get(), &given), options.out);
}

struct conv2d_options {
    fa::tensor bias = {};
    fa::pair stride = 1;
    fa::pair padding = 0;
    fa::pair dilation = 1;
    int64_t groups = 1;
    fa::tensor out = {};
};
inline tensor conv2d(const fa::tensor &x, const fa::tensor &weight, const conv2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_conv2d_options given = FA__DEFAULT_fa_conv2d;
    given.out = options.out.get();
    given.bias = options.bias.get();
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.dilation = options.dilation.get();
    given.groups = options.groups;
    return detail::result((fa_conv2d)(x.get(), weight.get(), &given), options.out);
}

struct conv_transpose2d_options {
    fa::tensor bias = {};
    fa::pair stride = 1;
    fa::pair padding = 0;
    fa::pair output_padding = 0;
    int64_t groups = 1;
    fa::pair dilation = 1;
    fa::tensor out = {};
};
inline tensor conv_transpose2d(const fa::tensor &x, const fa::tensor &weight, const conv_transpose2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_conv_transpose2d_options given = FA__DEFAULT_fa_conv_transpose2d;
    given.out = options.out.get();
    given.bias = options.bias.get();
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.output_padding = options.output_padding.get();
    given.groups = options.groups;
    given.dilation = options.dilation.get();
    return detail::result((fa_conv_transpose2d)(x.get(), weight.get(), &given), options.out);
}

struct conv1d_options {
    fa::tensor bias = {};
    int64_t stride = 1;
    int64_t padding = 0;
    int64_t dilation = 1;
    int64_t groups = 1;
    fa::tensor out = {};
};
inline tensor conv1d(const fa::tensor &x, const fa::tensor &weight, const conv1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_conv1d_options given = FA__DEFAULT_fa_conv1d;
    given.out = options.out.get();
    given.bias = options.bias.get();
    given.stride = options.stride;
    given.padding = options.padding;
    given.dilation = options.dilation;
    given.groups = options.groups;
    return detail::result((fa_conv1d)(x.get(), weight.get(), &given), options.out);
}

struct conv_transpose1d_options {
    fa::tensor bias = {};
    int64_t stride = 1;
    int64_t padding = 0;
    int64_t output_padding = 0;
    int64_t groups = 1;
    int64_t dilation = 1;
    fa::tensor out = {};
};
inline tensor conv_transpose1d(const fa::tensor &x, const fa::tensor &weight, const conv_transpose1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_conv_transpose1d_options given = FA__DEFAULT_fa_conv_transpose1d;
    given.out = options.out.get();
    given.bias = options.bias.get();
    given.stride = options.stride;
    given.padding = options.padding;
    given.output_padding = options.output_padding;
    given.groups = options.groups;
    given.dilation = options.dilation;
    return detail::result((fa_conv_transpose1d)(x.get(), weight.get(), &given), options.out);
}

struct embedding_options {
    int64_t padding_idx = INT64_MIN;
    bool scale_grad_by_freq = false;
    fa::tensor out = {};
};
inline tensor embedding(const fa::tensor &input, const fa::tensor &weight, const embedding_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_embedding_options given = FA__DEFAULT_fa_embedding;
    given.out = options.out.get();
    given.padding_idx = options.padding_idx;
    given.scale_grad_by_freq = options.scale_grad_by_freq;
    return detail::result((fa_embedding)(input.get(), weight.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor embedding(const fa::tensor &input, const fa::tensor &weight, Number padding_idx, FA__HERE)
{
    embedding_options options;
    options.padding_idx = static_cast<int64_t>(padding_idx);
    return embedding(input, weight, options, file, line);
}

struct layer_norm_options {
    fa::tensor weight = {};
    fa::tensor bias = {};
    double eps = 1e-5;
    fa::tensor out = {};
};
inline tensor layer_norm(const fa::tensor &x, const fa::shape &normalized_shape, const layer_norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_layer_norm_options given = FA__DEFAULT_fa_layer_norm;
    given.out = options.out.get();
    given.weight = options.weight.get();
    given.bias = options.bias.get();
    given.eps = options.eps;
    return detail::result((fa_layer_norm)(x.get(), normalized_shape.get(), &given), options.out);
}

struct rms_norm_options {
    fa::tensor weight = {};
    double eps = -1;
    fa::tensor out = {};
};
inline tensor rms_norm(const fa::tensor &x, const fa::shape &normalized_shape, const rms_norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rms_norm_options given = FA__DEFAULT_fa_rms_norm;
    given.out = options.out.get();
    given.weight = options.weight.get();
    given.eps = options.eps;
    return detail::result((fa_rms_norm)(x.get(), normalized_shape.get(), &given), options.out);
}

struct normalize_options {
    double p = 2;
    fa::dims dim = 1;
    double eps = 1e-12;
    fa::tensor out = {};
};
inline tensor normalize(const fa::tensor &x, const normalize_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_normalize_options given = FA__DEFAULT_fa_normalize;
    given.out = options.out.get();
    given.p = options.p;
    given.dim = options.dim.get();
    given.eps = options.eps;
    return detail::result((fa_normalize)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor normalize(const fa::tensor &x, Number p, FA__HERE)
{
    normalize_options options;
    options.p = static_cast<double>(p);
    return normalize(x, options, file, line);
}

struct local_response_norm_options {
    double alpha = 1e-4;
    double beta = 0.75;
    double k = 1;
    fa::tensor out = {};
};
inline tensor local_response_norm(const fa::tensor &x, int64_t size, const local_response_norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_local_response_norm_options given = FA__DEFAULT_fa_local_response_norm;
    given.out = options.out.get();
    given.alpha = options.alpha;
    given.beta = options.beta;
    given.k = options.k;
    return detail::result((fa_local_response_norm)(x.get(), size, &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor local_response_norm(const fa::tensor &x, int64_t size, Number alpha, FA__HERE)
{
    local_response_norm_options options;
    options.alpha = static_cast<double>(alpha);
    return local_response_norm(x, size, options, file, line);
}

struct batch_norm_options {
    fa::tensor running_mean = {};
    fa::tensor running_var = {};
    fa::tensor weight = {};
    fa::tensor bias = {};
    bool training = false;
    double momentum = 0.1;
    double eps = 1e-5;
    fa::tensor out = {};
};
inline tensor batch_norm(const fa::tensor &x, const batch_norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_batch_norm_options given = FA__DEFAULT_fa_batch_norm;
    given.out = options.out.get();
    given.running_mean = options.running_mean.get();
    given.running_var = options.running_var.get();
    given.weight = options.weight.get();
    given.bias = options.bias.get();
    given.training = options.training;
    given.momentum = options.momentum;
    given.eps = options.eps;
    return detail::result((fa_batch_norm)(x.get(), &given), options.out);
}

struct instance_norm_options {
    fa::tensor running_mean = {};
    fa::tensor running_var = {};
    fa::tensor weight = {};
    fa::tensor bias = {};
    bool use_input_stats = true;
    double momentum = 0.1;
    double eps = 1e-5;
    fa::tensor out = {};
};
inline tensor instance_norm(const fa::tensor &x, const instance_norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_instance_norm_options given = FA__DEFAULT_fa_instance_norm;
    given.out = options.out.get();
    given.running_mean = options.running_mean.get();
    given.running_var = options.running_var.get();
    given.weight = options.weight.get();
    given.bias = options.bias.get();
    given.use_input_stats = options.use_input_stats;
    given.momentum = options.momentum;
    given.eps = options.eps;
    return detail::result((fa_instance_norm)(x.get(), &given), options.out);
}

struct group_norm_options {
    fa::tensor weight = {};
    fa::tensor bias = {};
    double eps = 1e-5;
    fa::tensor out = {};
};
inline tensor group_norm(const fa::tensor &x, int64_t num_groups, const group_norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_group_norm_options given = FA__DEFAULT_fa_group_norm;
    given.out = options.out.get();
    given.weight = options.weight.get();
    given.bias = options.bias.get();
    given.eps = options.eps;
    return detail::result((fa_group_norm)(x.get(), num_groups, &given), options.out);
}

struct max_pool2d_options {
    fa::pair stride = 0;
    fa::pair padding = 0;
    fa::pair dilation = 1;
    bool ceil_mode = false;
    fa::tensor out = {};
};
inline tensor max_pool2d(const fa::tensor &x, const fa::pair &kernel, const max_pool2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_max_pool2d_options given = FA__DEFAULT_fa_max_pool2d;
    given.out = options.out.get();
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.dilation = options.dilation.get();
    given.ceil_mode = options.ceil_mode;
    return detail::result((fa_max_pool2d)(x.get(), kernel.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor max_pool2d(const fa::tensor &x, const fa::pair &kernel, Number stride, FA__HERE)
{
    max_pool2d_options options;
    options.stride = static_cast<int64_t>(stride);
    return max_pool2d(x, kernel, options, file, line);
}

struct max_pool2d_with_indices_result {
    tensor values, indices;
};
struct max_pool2d_with_indices_options {
    fa::pair stride = 0;
    fa::pair padding = 0;
    fa::pair dilation = 1;
    bool ceil_mode = false;
};
inline max_pool2d_with_indices_result max_pool2d_with_indices(const fa::tensor &x, const fa::pair &kernel, const max_pool2d_with_indices_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_max_pool2d_with_indices_options given = FA__DEFAULT_fa_max_pool2d_with_indices;
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.dilation = options.dilation.get();
    given.ceil_mode = options.ceil_mode;
    const fa_max_pool2d_with_indices_result all = (fa_max_pool2d_with_indices)(x.get(), kernel.get(), &given);
    detail::good(all.values);
    return max_pool2d_with_indices_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

template <class Number, detail::if_integer<Number> = 0>
inline max_pool2d_with_indices_result max_pool2d_with_indices(const fa::tensor &x, const fa::pair &kernel, Number stride, FA__HERE)
{
    max_pool2d_with_indices_options options;
    options.stride = static_cast<int64_t>(stride);
    return max_pool2d_with_indices(x, kernel, options, file, line);
}

struct avg_pool2d_options {
    fa::pair stride = 0;
    fa::pair padding = 0;
    bool ceil_mode = false;
    bool count_include_pad = true;
    int64_t divisor_override = 0;
    fa::tensor out = {};
};
inline tensor avg_pool2d(const fa::tensor &x, const fa::pair &kernel, const avg_pool2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_avg_pool2d_options given = FA__DEFAULT_fa_avg_pool2d;
    given.out = options.out.get();
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.ceil_mode = options.ceil_mode;
    given.count_include_pad = options.count_include_pad;
    given.divisor_override = options.divisor_override;
    return detail::result((fa_avg_pool2d)(x.get(), kernel.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor avg_pool2d(const fa::tensor &x, const fa::pair &kernel, Number stride, FA__HERE)
{
    avg_pool2d_options options;
    options.stride = static_cast<int64_t>(stride);
    return avg_pool2d(x, kernel, options, file, line);
}

struct adaptive_avg_pool2d_options {
    fa::tensor out = {};
};
inline tensor adaptive_avg_pool2d(const fa::tensor &x, const fa::pair &size, const adaptive_avg_pool2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_adaptive_avg_pool2d_options given = FA__DEFAULT_fa_adaptive_avg_pool2d;
    given.out = options.out.get();
    return detail::result((fa_adaptive_avg_pool2d)(x.get(), size.get(), &given), options.out);
}

struct adaptive_max_pool2d_with_indices_result {
    tensor values, indices;
};
inline adaptive_max_pool2d_with_indices_result adaptive_max_pool2d_with_indices(const fa::tensor &x, const fa::pair &size, FA__HERE)
{
    const detail::call here(file, line);
    const fa_adaptive_max_pool2d_with_indices_result all = (fa_adaptive_max_pool2d_with_indices)(x.get(), size.get());
    detail::good(all.values);
    return adaptive_max_pool2d_with_indices_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

struct adaptive_max_pool2d_options {
    fa::tensor out = {};
};
inline tensor adaptive_max_pool2d(const fa::tensor &x, const fa::pair &size, const adaptive_max_pool2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_adaptive_max_pool2d_options given = FA__DEFAULT_fa_adaptive_max_pool2d;
    given.out = options.out.get();
    return detail::result((fa_adaptive_max_pool2d)(x.get(), size.get(), &given), options.out);
}

struct max_pool1d_options {
    int64_t stride = 0;
    int64_t padding = 0;
    int64_t dilation = 1;
    bool ceil_mode = false;
    fa::tensor out = {};
};
inline tensor max_pool1d(const fa::tensor &x, int64_t kernel, const max_pool1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_max_pool1d_options given = FA__DEFAULT_fa_max_pool1d;
    given.out = options.out.get();
    given.stride = options.stride;
    given.padding = options.padding;
    given.dilation = options.dilation;
    given.ceil_mode = options.ceil_mode;
    return detail::result((fa_max_pool1d)(x.get(), kernel, &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor max_pool1d(const fa::tensor &x, int64_t kernel, Number stride, FA__HERE)
{
    max_pool1d_options options;
    options.stride = static_cast<int64_t>(stride);
    return max_pool1d(x, kernel, options, file, line);
}

struct max_pool1d_with_indices_result {
    tensor values, indices;
};
struct max_pool1d_with_indices_options {
    int64_t stride = 0;
    int64_t padding = 0;
    int64_t dilation = 1;
    bool ceil_mode = false;
};
inline max_pool1d_with_indices_result max_pool1d_with_indices(const fa::tensor &x, int64_t kernel, const max_pool1d_with_indices_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_max_pool1d_with_indices_options given = FA__DEFAULT_fa_max_pool1d_with_indices;
    given.stride = options.stride;
    given.padding = options.padding;
    given.dilation = options.dilation;
    given.ceil_mode = options.ceil_mode;
    const fa_max_pool1d_with_indices_result all = (fa_max_pool1d_with_indices)(x.get(), kernel, &given);
    detail::good(all.values);
    return max_pool1d_with_indices_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

template <class Number, detail::if_integer<Number> = 0>
inline max_pool1d_with_indices_result max_pool1d_with_indices(const fa::tensor &x, int64_t kernel, Number stride, FA__HERE)
{
    max_pool1d_with_indices_options options;
    options.stride = static_cast<int64_t>(stride);
    return max_pool1d_with_indices(x, kernel, options, file, line);
}

struct avg_pool1d_options {
    int64_t stride = 0;
    int64_t padding = 0;
    bool ceil_mode = false;
    bool count_include_pad = true;
    fa::tensor out = {};
};
inline tensor avg_pool1d(const fa::tensor &x, int64_t kernel, const avg_pool1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_avg_pool1d_options given = FA__DEFAULT_fa_avg_pool1d;
    given.out = options.out.get();
    given.stride = options.stride;
    given.padding = options.padding;
    given.ceil_mode = options.ceil_mode;
    given.count_include_pad = options.count_include_pad;
    return detail::result((fa_avg_pool1d)(x.get(), kernel, &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor avg_pool1d(const fa::tensor &x, int64_t kernel, Number stride, FA__HERE)
{
    avg_pool1d_options options;
    options.stride = static_cast<int64_t>(stride);
    return avg_pool1d(x, kernel, options, file, line);
}

struct adaptive_avg_pool1d_options {
    fa::tensor out = {};
};
inline tensor adaptive_avg_pool1d(const fa::tensor &x, int64_t size, const adaptive_avg_pool1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_adaptive_avg_pool1d_options given = FA__DEFAULT_fa_adaptive_avg_pool1d;
    given.out = options.out.get();
    return detail::result((fa_adaptive_avg_pool1d)(x.get(), size, &given), options.out);
}

struct adaptive_max_pool1d_with_indices_result {
    tensor values, indices;
};
inline adaptive_max_pool1d_with_indices_result adaptive_max_pool1d_with_indices(const fa::tensor &x, int64_t size, FA__HERE)
{
    const detail::call here(file, line);
    const fa_adaptive_max_pool1d_with_indices_result all = (fa_adaptive_max_pool1d_with_indices)(x.get(), size);
    detail::good(all.values);
    return adaptive_max_pool1d_with_indices_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

struct adaptive_max_pool1d_options {
    fa::tensor out = {};
};
inline tensor adaptive_max_pool1d(const fa::tensor &x, int64_t size, const adaptive_max_pool1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_adaptive_max_pool1d_options given = FA__DEFAULT_fa_adaptive_max_pool1d;
    given.out = options.out.get();
    return detail::result((fa_adaptive_max_pool1d)(x.get(), size, &given), options.out);
}

struct lstm_result {
    tensor output, h_n, c_n;
};
struct lstm_options {
    fa::tensor h_0 = {};
    fa::tensor c_0 = {};
    double dropout = 0.0;
    bool bidirectional = false;
    bool batch_first = false;
};
inline lstm_result lstm(const fa::tensor &x, const fa::tensors &params, const lstm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lstm_options given = FA__DEFAULT_fa_lstm;
    given.h_0 = options.h_0.get();
    given.c_0 = options.c_0.get();
    given.dropout = options.dropout;
    given.bidirectional = options.bidirectional;
    given.batch_first = options.batch_first;
    const fa_lstm_result all = (fa_lstm)(x.get(), params.get(), &given);
    detail::good(all.output);
    return lstm_result{tensor::owned(all.output), tensor::owned(all.h_n), tensor::owned(all.c_n)};
}

struct gru_result {
    tensor output, h_n;
};
struct gru_options {
    fa::tensor h_0 = {};
    double dropout = 0.0;
    bool bidirectional = false;
    bool batch_first = false;
};
inline gru_result gru(const fa::tensor &x, const fa::tensors &params, const gru_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gru_options given = FA__DEFAULT_fa_gru;
    given.h_0 = options.h_0.get();
    given.dropout = options.dropout;
    given.bidirectional = options.bidirectional;
    given.batch_first = options.batch_first;
    const fa_gru_result all = (fa_gru)(x.get(), params.get(), &given);
    detail::good(all.output);
    return gru_result{tensor::owned(all.output), tensor::owned(all.h_n)};
}

struct rnn_tanh_result {
    tensor output, h_n;
};
struct rnn_tanh_options {
    fa::tensor h_0 = {};
    double dropout = 0.0;
    bool bidirectional = false;
    bool batch_first = false;
};
inline rnn_tanh_result rnn_tanh(const fa::tensor &x, const fa::tensors &params, const rnn_tanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rnn_tanh_options given = FA__DEFAULT_fa_rnn_tanh;
    given.h_0 = options.h_0.get();
    given.dropout = options.dropout;
    given.bidirectional = options.bidirectional;
    given.batch_first = options.batch_first;
    const fa_rnn_tanh_result all = (fa_rnn_tanh)(x.get(), params.get(), &given);
    detail::good(all.output);
    return rnn_tanh_result{tensor::owned(all.output), tensor::owned(all.h_n)};
}

struct rnn_relu_result {
    tensor output, h_n;
};
struct rnn_relu_options {
    fa::tensor h_0 = {};
    double dropout = 0.0;
    bool bidirectional = false;
    bool batch_first = false;
};
inline rnn_relu_result rnn_relu(const fa::tensor &x, const fa::tensors &params, const rnn_relu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rnn_relu_options given = FA__DEFAULT_fa_rnn_relu;
    given.h_0 = options.h_0.get();
    given.dropout = options.dropout;
    given.bidirectional = options.bidirectional;
    given.batch_first = options.batch_first;
    const fa_rnn_relu_result all = (fa_rnn_relu)(x.get(), params.get(), &given);
    detail::good(all.output);
    return rnn_relu_result{tensor::owned(all.output), tensor::owned(all.h_n)};
}

struct lstm_cell_result {
    tensor h_1, c_1;
};
struct lstm_cell_options {
    fa::tensor bias_ih = {};
    fa::tensor bias_hh = {};
};
inline lstm_cell_result lstm_cell(const fa::tensor &x, const fa::tensor &h_0, const fa::tensor &c_0, const fa::tensor &weight_ih, const fa::tensor &weight_hh, const lstm_cell_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_lstm_cell_options given = FA__DEFAULT_fa_lstm_cell;
    given.bias_ih = options.bias_ih.get();
    given.bias_hh = options.bias_hh.get();
    const fa_lstm_cell_result all = (fa_lstm_cell)(x.get(), h_0.get(), c_0.get(), weight_ih.get(), weight_hh.get(), &given);
    detail::good(all.h_1);
    return lstm_cell_result{tensor::owned(all.h_1), tensor::owned(all.c_1)};
}

struct gru_cell_options {
    fa::tensor bias_ih = {};
    fa::tensor bias_hh = {};
    fa::tensor out = {};
};
inline tensor gru_cell(const fa::tensor &x, const fa::tensor &h_0, const fa::tensor &weight_ih, const fa::tensor &weight_hh, const gru_cell_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gru_cell_options given = FA__DEFAULT_fa_gru_cell;
    given.out = options.out.get();
    given.bias_ih = options.bias_ih.get();
    given.bias_hh = options.bias_hh.get();
    return detail::result((fa_gru_cell)(x.get(), h_0.get(), weight_ih.get(), weight_hh.get(), &given), options.out);
}

struct rnn_tanh_cell_options {
    fa::tensor bias_ih = {};
    fa::tensor bias_hh = {};
    fa::tensor out = {};
};
inline tensor rnn_tanh_cell(const fa::tensor &x, const fa::tensor &h_0, const fa::tensor &weight_ih, const fa::tensor &weight_hh, const rnn_tanh_cell_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rnn_tanh_cell_options given = FA__DEFAULT_fa_rnn_tanh_cell;
    given.out = options.out.get();
    given.bias_ih = options.bias_ih.get();
    given.bias_hh = options.bias_hh.get();
    return detail::result((fa_rnn_tanh_cell)(x.get(), h_0.get(), weight_ih.get(), weight_hh.get(), &given), options.out);
}

struct rnn_relu_cell_options {
    fa::tensor bias_ih = {};
    fa::tensor bias_hh = {};
    fa::tensor out = {};
};
inline tensor rnn_relu_cell(const fa::tensor &x, const fa::tensor &h_0, const fa::tensor &weight_ih, const fa::tensor &weight_hh, const rnn_relu_cell_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rnn_relu_cell_options given = FA__DEFAULT_fa_rnn_relu_cell;
    given.out = options.out.get();
    given.bias_ih = options.bias_ih.get();
    given.bias_hh = options.bias_hh.get();
    return detail::result((fa_rnn_relu_cell)(x.get(), h_0.get(), weight_ih.get(), weight_hh.get(), &given), options.out);
}

struct alpha_dropout_options {
    double p = 0.5;
    bool training = true;
    fa::tensor out = {};
};
inline tensor alpha_dropout(const fa::tensor &x, const alpha_dropout_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_alpha_dropout_options given = FA__DEFAULT_fa_alpha_dropout;
    given.out = options.out.get();
    given.p = options.p;
    given.training = options.training;
    return detail::result((fa_alpha_dropout)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor alpha_dropout(const fa::tensor &x, Number p, FA__HERE)
{
    alpha_dropout_options options;
    options.p = static_cast<double>(p);
    return alpha_dropout(x, options, file, line);
}

inline tensor alpha_dropout_(const fa::tensor &x, const alpha_dropout_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_alpha_dropout_options given = FA__DEFAULT_fa_alpha_dropout_;
    given.out = options.out.get();
    given.p = options.p;
    given.training = options.training;
    detail::good((fa_alpha_dropout_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor alpha_dropout_(const fa::tensor &x, Number p, FA__HERE)
{
    alpha_dropout_options options;
    options.p = static_cast<double>(p);
    return alpha_dropout_(x, options, file, line);
}

struct feature_dropout_options {
    double p = 0.5;
    bool training = true;
    fa::tensor out = {};
};
inline tensor feature_dropout(const fa::tensor &x, const feature_dropout_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_feature_dropout_options given = FA__DEFAULT_fa_feature_dropout;
    given.out = options.out.get();
    given.p = options.p;
    given.training = options.training;
    return detail::result((fa_feature_dropout)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor feature_dropout(const fa::tensor &x, Number p, FA__HERE)
{
    feature_dropout_options options;
    options.p = static_cast<double>(p);
    return feature_dropout(x, options, file, line);
}

struct uniform__options {
    double from = 0;
    double to = 1;
};
inline tensor uniform_(const fa::tensor &x, const uniform__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_uniform__options given = FA__DEFAULT_fa_uniform_;
    given.from = options.from;
    given.to = options.to;
    detail::good((fa_uniform_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor uniform_(const fa::tensor &x, Number from, FA__HERE)
{
    uniform__options options;
    options.from = static_cast<double>(from);
    return uniform_(x, options, file, line);
}

struct normal__options {
    double mean = 0;
    double std = 1;
};
inline tensor normal_(const fa::tensor &x, const normal__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_normal__options given = FA__DEFAULT_fa_normal_;
    given.mean = options.mean;
    given.std = options.std;
    detail::good((fa_normal_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor normal_(const fa::tensor &x, Number mean, FA__HERE)
{
    normal__options options;
    options.mean = static_cast<double>(mean);
    return normal_(x, options, file, line);
}

struct log_normal__options {
    double mean = 1;
    double std = 2;
};
inline tensor log_normal_(const fa::tensor &x, const log_normal__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_log_normal__options given = FA__DEFAULT_fa_log_normal_;
    given.mean = options.mean;
    given.std = options.std;
    detail::good((fa_log_normal_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor log_normal_(const fa::tensor &x, Number mean, FA__HERE)
{
    log_normal__options options;
    options.mean = static_cast<double>(mean);
    return log_normal_(x, options, file, line);
}

struct exponential__options {
    double lambd = 1;
};
inline tensor exponential_(const fa::tensor &x, const exponential__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_exponential__options given = FA__DEFAULT_fa_exponential_;
    given.lambd = options.lambd;
    detail::good((fa_exponential_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor exponential_(const fa::tensor &x, Number lambd, FA__HERE)
{
    exponential__options options;
    options.lambd = static_cast<double>(lambd);
    return exponential_(x, options, file, line);
}

struct cauchy__options {
    double median = 0;
    double sigma = 1;
};
inline tensor cauchy_(const fa::tensor &x, const cauchy__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cauchy__options given = FA__DEFAULT_fa_cauchy_;
    given.median = options.median;
    given.sigma = options.sigma;
    detail::good((fa_cauchy_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor cauchy_(const fa::tensor &x, Number median, FA__HERE)
{
    cauchy__options options;
    options.median = static_cast<double>(median);
    return cauchy_(x, options, file, line);
}

inline tensor geometric_(const fa::tensor &x, double p, FA__HERE)
{
    const detail::call here(file, line);
    detail::good((fa_geometric_)(x.get(), p, nullptr));
    return x;
}

inline tensor bernoulli_(const fa::tensor &x, const fa::arg &p, FA__HERE)
{
    const detail::call here(file, line);
    detail::good((fa_bernoulli_)(x.get(), p.get(), nullptr));
    return x;
}

struct gumbel_softmax_options {
    double tau = 1;
    bool hard = false;
    int64_t dim = -1;
    fa::tensor out = {};
};
inline tensor gumbel_softmax(const fa::tensor &x, const gumbel_softmax_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gumbel_softmax_options given = FA__DEFAULT_fa_gumbel_softmax;
    given.out = options.out.get();
    given.tau = options.tau;
    given.hard = options.hard;
    given.dim = options.dim;
    return detail::result((fa_gumbel_softmax)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor gumbel_softmax(const fa::tensor &x, Number tau, FA__HERE)
{
    gumbel_softmax_options options;
    options.tau = static_cast<double>(tau);
    return gumbel_softmax(x, options, file, line);
}

struct randint_options {
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor randint(int64_t low, int64_t high, const fa::shape &shape, const randint_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_randint_options given = FA__DEFAULT_fa_randint;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    given.requires_grad = options.requires_grad;
    return detail::result((fa_randint)(low, high, shape.get(), &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor randint(int64_t low, int64_t high, const fa::shape &shape, Number dtype, FA__HERE)
{
    randint_options options;
    options.dtype = dtype;
    return randint(low, high, shape, options, file, line);
}

struct randint_like_options {
    fa_dtype dtype = FA_SAME;
    bool requires_grad = false;
    fa::tensor out = {};
};
inline tensor randint_like(const fa::tensor &x, int64_t low, int64_t high, const randint_like_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_randint_like_options given = FA__DEFAULT_fa_randint_like;
    given.out = options.out.get();
    given.dtype = options.dtype;
    given.requires_grad = options.requires_grad;
    return detail::result((fa_randint_like)(x.get(), low, high, &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor randint_like(const fa::tensor &x, int64_t low, int64_t high, Number dtype, FA__HERE)
{
    randint_like_options options;
    options.dtype = dtype;
    return randint_like(x, low, high, options, file, line);
}

struct random__options {
    int64_t from = 0;
    int64_t to = INT64_MIN;
};
inline tensor random_(const fa::tensor &x, const random__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_random__options given = FA__DEFAULT_fa_random_;
    given.from = options.from;
    given.to = options.to;
    detail::good((fa_random_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor random_(const fa::tensor &x, Number from, FA__HERE)
{
    random__options options;
    options.from = static_cast<int64_t>(from);
    return random_(x, options, file, line);
}

struct bernoulli_options {
    fa::tensor out = {};
};
inline tensor bernoulli(const fa::tensor &p, const bernoulli_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bernoulli_options given = FA__DEFAULT_fa_bernoulli;
    given.out = options.out.get();
    return detail::result((fa_bernoulli)(p.get(), &given), options.out);
}

struct normal_options {
    fa::tensor out = {};
};
inline tensor normal(const fa::arg &mean, const fa::arg &std, const normal_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_normal_options given = FA__DEFAULT_fa_normal;
    given.out = options.out.get();
    return detail::result((fa_normal)(mean.get(), std.get(), &given), options.out);
}

struct poisson_options {
    fa::tensor out = {};
};
inline tensor poisson(const fa::tensor &rate, const poisson_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_poisson_options given = FA__DEFAULT_fa_poisson;
    given.out = options.out.get();
    return detail::result((fa_poisson)(rate.get(), &given), options.out);
}

struct multinomial_options {
    bool replacement = false;
    fa::tensor out = {};
};
inline tensor multinomial(const fa::tensor &x, int64_t num_samples, const multinomial_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_multinomial_options given = FA__DEFAULT_fa_multinomial;
    given.out = options.out.get();
    given.replacement = options.replacement;
    return detail::result((fa_multinomial)(x.get(), num_samples, &given), options.out);
}

struct amax_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor amax(const fa::tensor &x, const amax_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_amax_options given = FA__DEFAULT_fa_amax;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_amax)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor amax(const fa::tensor &x, Number dim, FA__HERE)
{
    amax_options options;
    options.dim = static_cast<int64_t>(dim);
    return amax(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor amax(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    amax_options options;
    options.dim = fa::dims::of(dim);
    return amax(x, options, file, line);
}

struct amin_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor amin(const fa::tensor &x, const amin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_amin_options given = FA__DEFAULT_fa_amin;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_amin)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor amin(const fa::tensor &x, Number dim, FA__HERE)
{
    amin_options options;
    options.dim = static_cast<int64_t>(dim);
    return amin(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor amin(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    amin_options options;
    options.dim = fa::dims::of(dim);
    return amin(x, options, file, line);
}

struct aminmax_result {
    tensor min, max;
};
struct aminmax_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
};
inline aminmax_result aminmax(const fa::tensor &x, const aminmax_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_aminmax_options given = FA__DEFAULT_fa_aminmax;
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    const fa_aminmax_result all = (fa_aminmax)(x.get(), &given);
    detail::good(all.min);
    return aminmax_result{tensor::owned(all.min), tensor::owned(all.max)};
}

template <class Number, detail::if_integer<Number> = 0>
inline aminmax_result aminmax(const fa::tensor &x, Number dim, FA__HERE)
{
    aminmax_options options;
    options.dim = static_cast<int64_t>(dim);
    return aminmax(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline aminmax_result aminmax(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    aminmax_options options;
    options.dim = fa::dims::of(dim);
    return aminmax(x, options, file, line);
}

struct max_result {
    tensor values, indices;
};
struct max_options {
    bool keepdim = false;
};
inline max_result max(const fa::tensor &x, int64_t dim, const max_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_max_options given = FA__DEFAULT_fa_max;
    given.keepdim = options.keepdim;
    const fa_max_result all = (fa_max)(x.get(), dim, &given);
    detail::good(all.values);
    return max_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

struct min_result {
    tensor values, indices;
};
struct min_options {
    bool keepdim = false;
};
inline min_result min(const fa::tensor &x, int64_t dim, const min_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_min_options given = FA__DEFAULT_fa_min;
    given.keepdim = options.keepdim;
    const fa_min_result all = (fa_min)(x.get(), dim, &given);
    detail::good(all.values);
    return min_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

struct argmax_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor argmax(const fa::tensor &x, const argmax_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_argmax_options given = FA__DEFAULT_fa_argmax;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_argmax)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor argmax(const fa::tensor &x, Number dim, FA__HERE)
{
    argmax_options options;
    options.dim = static_cast<int64_t>(dim);
    return argmax(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor argmax(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    argmax_options options;
    options.dim = fa::dims::of(dim);
    return argmax(x, options, file, line);
}

struct argmin_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor argmin(const fa::tensor &x, const argmin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_argmin_options given = FA__DEFAULT_fa_argmin;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_argmin)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor argmin(const fa::tensor &x, Number dim, FA__HERE)
{
    argmin_options options;
    options.dim = static_cast<int64_t>(dim);
    return argmin(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor argmin(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    argmin_options options;
    options.dim = fa::dims::of(dim);
    return argmin(x, options, file, line);
}

struct bincount_options {
    fa::tensor weights = {};
    int64_t minlength = 0;
    fa::tensor out = {};
};
inline tensor bincount(const fa::tensor &x, const bincount_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bincount_options given = FA__DEFAULT_fa_bincount;
    given.out = options.out.get();
    given.weights = options.weights.get();
    given.minlength = options.minlength;
    return detail::result((fa_bincount)(x.get(), &given), options.out);
}

struct histogram_result {
    tensor hist, bin_edges;
};
struct histogram_options {
    int64_t bins = 100;
    double min = 0;
    double max = 0;
    fa::tensor edges = {};
    fa::tensor weight = {};
    bool density = false;
};
inline histogram_result histogram(const fa::tensor &x, const histogram_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_histogram_options given = FA__DEFAULT_fa_histogram;
    given.bins = options.bins;
    given.min = options.min;
    given.max = options.max;
    given.edges = options.edges.get();
    given.weight = options.weight.get();
    given.density = options.density;
    const fa_histogram_result all = (fa_histogram)(x.get(), &given);
    detail::good(all.hist);
    return histogram_result{tensor::owned(all.hist), tensor::owned(all.bin_edges)};
}

template <class Number, detail::if_integer<Number> = 0>
inline histogram_result histogram(const fa::tensor &x, Number bins, FA__HERE)
{
    histogram_options options;
    options.bins = static_cast<int64_t>(bins);
    return histogram(x, options, file, line);
}

struct var_options {
    fa::dims dim = FA_ALL;
    double correction = 1;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor var(const fa::tensor &x, const var_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_var_options given = FA__DEFAULT_fa_var;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.correction = options.correction;
    given.keepdim = options.keepdim;
    return detail::result((fa_var)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor var(const fa::tensor &x, Number dim, FA__HERE)
{
    var_options options;
    options.dim = static_cast<int64_t>(dim);
    return var(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor var(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    var_options options;
    options.dim = fa::dims::of(dim);
    return var(x, options, file, line);
}

struct std_options {
    fa::dims dim = FA_ALL;
    double correction = 1;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor std(const fa::tensor &x, const std_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_std_options given = FA__DEFAULT_fa_std;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.correction = options.correction;
    given.keepdim = options.keepdim;
    return detail::result((fa_std)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor std(const fa::tensor &x, Number dim, FA__HERE)
{
    std_options options;
    options.dim = static_cast<int64_t>(dim);
    return std(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor std(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    std_options options;
    options.dim = fa::dims::of(dim);
    return std(x, options, file, line);
}

struct var_mean_result {
    tensor variance, mean;
};
struct var_mean_options {
    fa::dims dim = FA_ALL;
    double correction = 1;
    bool keepdim = false;
};
inline var_mean_result var_mean(const fa::tensor &x, const var_mean_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_var_mean_options given = FA__DEFAULT_fa_var_mean;
    given.dim = options.dim.get();
    given.correction = options.correction;
    given.keepdim = options.keepdim;
    const fa_var_mean_result all = (fa_var_mean)(x.get(), &given);
    detail::good(all.variance);
    return var_mean_result{tensor::owned(all.variance), tensor::owned(all.mean)};
}

template <class Number, detail::if_integer<Number> = 0>
inline var_mean_result var_mean(const fa::tensor &x, Number dim, FA__HERE)
{
    var_mean_options options;
    options.dim = static_cast<int64_t>(dim);
    return var_mean(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline var_mean_result var_mean(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    var_mean_options options;
    options.dim = fa::dims::of(dim);
    return var_mean(x, options, file, line);
}

struct std_mean_result {
    tensor deviation, mean;
};
struct std_mean_options {
    fa::dims dim = FA_ALL;
    double correction = 1;
    bool keepdim = false;
};
inline std_mean_result std_mean(const fa::tensor &x, const std_mean_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_std_mean_options given = FA__DEFAULT_fa_std_mean;
    given.dim = options.dim.get();
    given.correction = options.correction;
    given.keepdim = options.keepdim;
    const fa_std_mean_result all = (fa_std_mean)(x.get(), &given);
    detail::good(all.deviation);
    return std_mean_result{tensor::owned(all.deviation), tensor::owned(all.mean)};
}

template <class Number, detail::if_integer<Number> = 0>
inline std_mean_result std_mean(const fa::tensor &x, Number dim, FA__HERE)
{
    std_mean_options options;
    options.dim = static_cast<int64_t>(dim);
    return std_mean(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline std_mean_result std_mean(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    std_mean_options options;
    options.dim = fa::dims::of(dim);
    return std_mean(x, options, file, line);
}

struct norm_options {
    double p = 2;
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor norm(const fa::tensor &x, const norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_norm_options given = FA__DEFAULT_fa_norm;
    given.out = options.out.get();
    given.p = options.p;
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    given.dtype = options.dtype;
    return detail::result((fa_norm)(x.get(), &given), options.out);
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor norm(const fa::tensor &x, Number p, FA__HERE)
{
    norm_options options;
    options.p = static_cast<double>(p);
    return norm(x, options, file, line);
}

struct logsumexp_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor logsumexp(const fa::tensor &x, const logsumexp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logsumexp_options given = FA__DEFAULT_fa_logsumexp;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_logsumexp)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor logsumexp(const fa::tensor &x, Number dim, FA__HERE)
{
    logsumexp_options options;
    options.dim = static_cast<int64_t>(dim);
    return logsumexp(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor logsumexp(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    logsumexp_options options;
    options.dim = fa::dims::of(dim);
    return logsumexp(x, options, file, line);
}

struct median_result {
    tensor values, indices;
};
struct median_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
};
inline median_result median(const fa::tensor &x, const median_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_median_options given = FA__DEFAULT_fa_median;
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    const fa_median_result all = (fa_median)(x.get(), &given);
    detail::good(all.values);
    return median_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

template <class Number, detail::if_integer<Number> = 0>
inline median_result median(const fa::tensor &x, Number dim, FA__HERE)
{
    median_options options;
    options.dim = static_cast<int64_t>(dim);
    return median(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline median_result median(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    median_options options;
    options.dim = fa::dims::of(dim);
    return median(x, options, file, line);
}

struct nanmedian_result {
    tensor values, indices;
};
struct nanmedian_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
};
inline nanmedian_result nanmedian(const fa::tensor &x, const nanmedian_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nanmedian_options given = FA__DEFAULT_fa_nanmedian;
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    const fa_nanmedian_result all = (fa_nanmedian)(x.get(), &given);
    detail::good(all.values);
    return nanmedian_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

template <class Number, detail::if_integer<Number> = 0>
inline nanmedian_result nanmedian(const fa::tensor &x, Number dim, FA__HERE)
{
    nanmedian_options options;
    options.dim = static_cast<int64_t>(dim);
    return nanmedian(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline nanmedian_result nanmedian(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    nanmedian_options options;
    options.dim = fa::dims::of(dim);
    return nanmedian(x, options, file, line);
}

struct mode_result {
    tensor values, indices;
};
struct mode_options {
    int64_t dim = -1;
    bool keepdim = false;
};
inline mode_result mode(const fa::tensor &x, const mode_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_mode_options given = FA__DEFAULT_fa_mode;
    given.dim = options.dim;
    given.keepdim = options.keepdim;
    const fa_mode_result all = (fa_mode)(x.get(), &given);
    detail::good(all.values);
    return mode_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

template <class Number, detail::if_integer<Number> = 0>
inline mode_result mode(const fa::tensor &x, Number dim, FA__HERE)
{
    mode_options options;
    options.dim = static_cast<int64_t>(dim);
    return mode(x, options, file, line);
}

struct quantile_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::text interpolation = "linear";
    fa::tensor out = {};
};
inline tensor quantile(const fa::tensor &x, const fa::arg &q, const quantile_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_quantile_options given = FA__DEFAULT_fa_quantile;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    given.interpolation = options.interpolation.get();
    return detail::result((fa_quantile)(x.get(), q.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor quantile(const fa::tensor &x, const fa::arg &q, Number dim, FA__HERE)
{
    quantile_options options;
    options.dim = static_cast<int64_t>(dim);
    return quantile(x, q, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor quantile(const fa::tensor &x, const fa::arg &q, std::initializer_list<Number> dim, FA__HERE)
{
    quantile_options options;
    options.dim = fa::dims::of(dim);
    return quantile(x, q, options, file, line);
}

struct nanquantile_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::text interpolation = "linear";
    fa::tensor out = {};
};
inline tensor nanquantile(const fa::tensor &x, const fa::arg &q, const nanquantile_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nanquantile_options given = FA__DEFAULT_fa_nanquantile;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    given.interpolation = options.interpolation.get();
    return detail::result((fa_nanquantile)(x.get(), q.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor nanquantile(const fa::tensor &x, const fa::arg &q, Number dim, FA__HERE)
{
    nanquantile_options options;
    options.dim = static_cast<int64_t>(dim);
    return nanquantile(x, q, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor nanquantile(const fa::tensor &x, const fa::arg &q, std::initializer_list<Number> dim, FA__HERE)
{
    nanquantile_options options;
    options.dim = fa::dims::of(dim);
    return nanquantile(x, q, options, file, line);
}

struct sum_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor sum(const fa::tensor &x, const sum_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sum_options given = FA__DEFAULT_fa_sum;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    given.dtype = options.dtype;
    return detail::result((fa_sum)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor sum(const fa::tensor &x, Number dim, FA__HERE)
{
    sum_options options;
    options.dim = static_cast<int64_t>(dim);
    return sum(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor sum(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    sum_options options;
    options.dim = fa::dims::of(dim);
    return sum(x, options, file, line);
}

struct nansum_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor nansum(const fa::tensor &x, const nansum_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nansum_options given = FA__DEFAULT_fa_nansum;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    given.dtype = options.dtype;
    return detail::result((fa_nansum)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor nansum(const fa::tensor &x, Number dim, FA__HERE)
{
    nansum_options options;
    options.dim = static_cast<int64_t>(dim);
    return nansum(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor nansum(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    nansum_options options;
    options.dim = fa::dims::of(dim);
    return nansum(x, options, file, line);
}

struct mean_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor mean(const fa::tensor &x, const mean_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_mean_options given = FA__DEFAULT_fa_mean;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    given.dtype = options.dtype;
    return detail::result((fa_mean)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor mean(const fa::tensor &x, Number dim, FA__HERE)
{
    mean_options options;
    options.dim = static_cast<int64_t>(dim);
    return mean(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor mean(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    mean_options options;
    options.dim = fa::dims::of(dim);
    return mean(x, options, file, line);
}

struct nanmean_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor nanmean(const fa::tensor &x, const nanmean_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nanmean_options given = FA__DEFAULT_fa_nanmean;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    given.dtype = options.dtype;
    return detail::result((fa_nanmean)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor nanmean(const fa::tensor &x, Number dim, FA__HERE)
{
    nanmean_options options;
    options.dim = static_cast<int64_t>(dim);
    return nanmean(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor nanmean(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    nanmean_options options;
    options.dim = fa::dims::of(dim);
    return nanmean(x, options, file, line);
}

struct prod_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor prod(const fa::tensor &x, const prod_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_prod_options given = FA__DEFAULT_fa_prod;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    given.dtype = options.dtype;
    return detail::result((fa_prod)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor prod(const fa::tensor &x, Number dim, FA__HERE)
{
    prod_options options;
    options.dim = static_cast<int64_t>(dim);
    return prod(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor prod(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    prod_options options;
    options.dim = fa::dims::of(dim);
    return prod(x, options, file, line);
}

struct all_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor all(const fa::tensor &x, const all_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_all_options given = FA__DEFAULT_fa_all;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_all)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor all(const fa::tensor &x, Number dim, FA__HERE)
{
    all_options options;
    options.dim = static_cast<int64_t>(dim);
    return all(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor all(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    all_options options;
    options.dim = fa::dims::of(dim);
    return all(x, options, file, line);
}

struct any_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor any(const fa::tensor &x, const any_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_any_options given = FA__DEFAULT_fa_any;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_any)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor any(const fa::tensor &x, Number dim, FA__HERE)
{
    any_options options;
    options.dim = static_cast<int64_t>(dim);
    return any(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor any(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    any_options options;
    options.dim = fa::dims::of(dim);
    return any(x, options, file, line);
}

struct count_nonzero_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor count_nonzero(const fa::tensor &x, const count_nonzero_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_count_nonzero_options given = FA__DEFAULT_fa_count_nonzero;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_count_nonzero)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor count_nonzero(const fa::tensor &x, Number dim, FA__HERE)
{
    count_nonzero_options options;
    options.dim = static_cast<int64_t>(dim);
    return count_nonzero(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor count_nonzero(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    count_nonzero_options options;
    options.dim = fa::dims::of(dim);
    return count_nonzero(x, options, file, line);
}

struct sum_to_options {
    fa::tensor out = {};
};
inline tensor sum_to(const fa::tensor &x, const fa::tensor &like, const sum_to_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sum_to_options given = FA__DEFAULT_fa_sum_to;
    given.out = options.out.get();
    return detail::result((fa_sum_to)(x.get(), like.get(), &given), options.out);
}

struct cumsum_options {
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor cumsum(const fa::tensor &x, int64_t dim, const cumsum_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cumsum_options given = FA__DEFAULT_fa_cumsum;
    given.out = options.out.get();
    given.dtype = options.dtype;
    return detail::result((fa_cumsum)(x.get(), dim, &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor cumsum(const fa::tensor &x, int64_t dim, Number dtype, FA__HERE)
{
    cumsum_options options;
    options.dtype = dtype;
    return cumsum(x, dim, options, file, line);
}

struct cumprod_options {
    fa_dtype dtype = FA_SAME;
    fa::tensor out = {};
};
inline tensor cumprod(const fa::tensor &x, int64_t dim, const cumprod_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cumprod_options given = FA__DEFAULT_fa_cumprod;
    given.out = options.out.get();
    given.dtype = options.dtype;
    return detail::result((fa_cumprod)(x.get(), dim, &given), options.out);
}

template <class Number, detail::if_dtype<Number> = 0>
inline fa::tensor cumprod(const fa::tensor &x, int64_t dim, Number dtype, FA__HERE)
{
    cumprod_options options;
    options.dtype = dtype;
    return cumprod(x, dim, options, file, line);
}

struct cummax_result {
    tensor values, indices;
};
inline cummax_result cummax(const fa::tensor &x, int64_t dim, FA__HERE)
{
    const detail::call here(file, line);
    const fa_cummax_result all = (fa_cummax)(x.get(), dim);
    detail::good(all.values);
    return cummax_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

struct cummin_result {
    tensor values, indices;
};
inline cummin_result cummin(const fa::tensor &x, int64_t dim, FA__HERE)
{
    const detail::call here(file, line);
    const fa_cummin_result all = (fa_cummin)(x.get(), dim);
    detail::good(all.values);
    return cummin_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

struct logcumsumexp_options {
    fa::tensor out = {};
};
inline tensor logcumsumexp(const fa::tensor &x, int64_t dim, const logcumsumexp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_logcumsumexp_options given = FA__DEFAULT_fa_logcumsumexp;
    given.out = options.out.get();
    return detail::result((fa_logcumsumexp)(x.get(), dim, &given), options.out);
}

struct searchsorted_options {
    fa::tensor sorter = {};
    bool right = false;
    bool out_int32 = false;
    fa::tensor out = {};
};
inline tensor searchsorted(const fa::tensor &sorted_sequence, const fa::arg &values, const searchsorted_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_searchsorted_options given = FA__DEFAULT_fa_searchsorted;
    given.out = options.out.get();
    given.sorter = options.sorter.get();
    given.right = options.right;
    given.out_int32 = options.out_int32;
    return detail::result((fa_searchsorted)(sorted_sequence.get(), values.get(), &given), options.out);
}

struct bucketize_options {
    bool right = false;
    bool out_int32 = false;
    fa::tensor out = {};
};
inline tensor bucketize(const fa::arg &x, const fa::tensor &boundaries, const bucketize_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_bucketize_options given = FA__DEFAULT_fa_bucketize;
    given.out = options.out.get();
    given.right = options.right;
    given.out_int32 = options.out_int32;
    return detail::result((fa_bucketize)(x.get(), boundaries.get(), &given), options.out);
}

struct isin_options {
    bool invert = false;
    fa::tensor out = {};
};
inline tensor isin(const fa::arg &elements, const fa::arg &test_elements, const isin_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_isin_options given = FA__DEFAULT_fa_isin;
    given.out = options.out.get();
    given.invert = options.invert;
    return detail::result((fa_isin)(elements.get(), test_elements.get(), &given), options.out);
}

struct sort_result {
    tensor values, indices;
};
struct sort_options {
    int64_t dim = -1;
    bool descending = false;
};
inline sort_result sort(const fa::tensor &x, const sort_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sort_options given = FA__DEFAULT_fa_sort;
    given.dim = options.dim;
    given.descending = options.descending;
    const fa_sort_result all = (fa_sort)(x.get(), &given);
    detail::good(all.values);
    return sort_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

template <class Number, detail::if_integer<Number> = 0>
inline sort_result sort(const fa::tensor &x, Number dim, FA__HERE)
{
    sort_options options;
    options.dim = static_cast<int64_t>(dim);
    return sort(x, options, file, line);
}

struct argsort_options {
    int64_t dim = -1;
    bool descending = false;
    fa::tensor out = {};
};
inline tensor argsort(const fa::tensor &x, const argsort_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_argsort_options given = FA__DEFAULT_fa_argsort;
    given.out = options.out.get();
    given.dim = options.dim;
    given.descending = options.descending;
    return detail::result((fa_argsort)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor argsort(const fa::tensor &x, Number dim, FA__HERE)
{
    argsort_options options;
    options.dim = static_cast<int64_t>(dim);
    return argsort(x, options, file, line);
}

struct topk_result {
    tensor values, indices;
};
struct topk_options {
    int64_t dim = -1;
    bool largest = true;
};
inline topk_result topk(const fa::tensor &x, int64_t k, const topk_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_topk_options given = FA__DEFAULT_fa_topk;
    given.dim = options.dim;
    given.largest = options.largest;
    const fa_topk_result all = (fa_topk)(x.get(), k, &given);
    detail::good(all.values);
    return topk_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

template <class Number, detail::if_integer<Number> = 0>
inline topk_result topk(const fa::tensor &x, int64_t k, Number dim, FA__HERE)
{
    topk_options options;
    options.dim = static_cast<int64_t>(dim);
    return topk(x, k, options, file, line);
}

struct kthvalue_result {
    tensor values, indices;
};
struct kthvalue_options {
    int64_t dim = -1;
    bool keepdim = false;
};
inline kthvalue_result kthvalue(const fa::tensor &x, int64_t k, const kthvalue_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_kthvalue_options given = FA__DEFAULT_fa_kthvalue;
    given.dim = options.dim;
    given.keepdim = options.keepdim;
    const fa_kthvalue_result all = (fa_kthvalue)(x.get(), k, &given);
    detail::good(all.values);
    return kthvalue_result{tensor::owned(all.values), tensor::owned(all.indices)};
}

template <class Number, detail::if_integer<Number> = 0>
inline kthvalue_result kthvalue(const fa::tensor &x, int64_t k, Number dim, FA__HERE)
{
    kthvalue_options options;
    options.dim = static_cast<int64_t>(dim);
    return kthvalue(x, k, options, file, line);
}

struct diff_options {
    int64_t n = 1;
    int64_t dim = -1;
    fa::tensor prepend = {};
    fa::tensor append = {};
    fa::tensor out = {};
};
inline tensor diff(const fa::tensor &x, const diff_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_diff_options given = FA__DEFAULT_fa_diff;
    given.out = options.out.get();
    given.n = options.n;
    given.dim = options.dim;
    given.prepend = options.prepend.get();
    given.append = options.append.get();
    return detail::result((fa_diff)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor diff(const fa::tensor &x, Number n, FA__HERE)
{
    diff_options options;
    options.n = static_cast<int64_t>(n);
    return diff(x, options, file, line);
}

struct ptp_options {
    fa::dims dim = FA_ALL;
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor ptp(const fa::tensor &x, const ptp_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_ptp_options given = FA__DEFAULT_fa_ptp;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_ptp)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor ptp(const fa::tensor &x, Number dim, FA__HERE)
{
    ptp_options options;
    options.dim = static_cast<int64_t>(dim);
    return ptp(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor ptp(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    ptp_options options;
    options.dim = fa::dims::of(dim);
    return ptp(x, options, file, line);
}

struct average_options {
    fa::dims dim = FA_ALL;
    fa::tensor weights = {};
    bool keepdim = false;
    fa::tensor out = {};
};
inline tensor average(const fa::tensor &x, const average_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_average_options given = FA__DEFAULT_fa_average;
    given.out = options.out.get();
    given.dim = options.dim.get();
    given.weights = options.weights.get();
    given.keepdim = options.keepdim;
    return detail::result((fa_average)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor average(const fa::tensor &x, Number dim, FA__HERE)
{
    average_options options;
    options.dim = static_cast<int64_t>(dim);
    return average(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor average(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    average_options options;
    options.dim = fa::dims::of(dim);
    return average(x, options, file, line);
}

struct cov_options {
    int64_t correction = 1;
    fa::tensor fweights = {};
    fa::tensor aweights = {};
    fa::tensor out = {};
};
inline tensor cov(const fa::tensor &x, const cov_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_cov_options given = FA__DEFAULT_fa_cov;
    given.out = options.out.get();
    given.correction = options.correction;
    given.fweights = options.fweights.get();
    given.aweights = options.aweights.get();
    return detail::result((fa_cov)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor cov(const fa::tensor &x, Number correction, FA__HERE)
{
    cov_options options;
    options.correction = static_cast<int64_t>(correction);
    return cov(x, options, file, line);
}

struct corrcoef_options {
    fa::tensor out = {};
};
inline tensor corrcoef(const fa::tensor &x, const corrcoef_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_corrcoef_options given = FA__DEFAULT_fa_corrcoef;
    given.out = options.out.get();
    return detail::result((fa_corrcoef)(x.get(), &given), options.out);
}

struct unique_result {
    tensor values, inverse, counts;
};
struct unique_options {
    int64_t dim = INT64_MIN;
    bool return_inverse = false;
    bool return_counts = false;
};
inline unique_result unique(const fa::tensor &x, const unique_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_unique_options given = FA__DEFAULT_fa_unique;
    given.dim = options.dim;
    given.return_inverse = options.return_inverse;
    given.return_counts = options.return_counts;
    const fa_unique_result all = (fa_unique)(x.get(), &given);
    detail::good(all.values);
    return unique_result{tensor::owned(all.values), tensor::owned(all.inverse), tensor::owned(all.counts)};
}

template <class Number, detail::if_integer<Number> = 0>
inline unique_result unique(const fa::tensor &x, Number dim, FA__HERE)
{
    unique_options options;
    options.dim = static_cast<int64_t>(dim);
    return unique(x, options, file, line);
}

struct unique_consecutive_result {
    tensor values, inverse, counts;
};
struct unique_consecutive_options {
    int64_t dim = INT64_MIN;
    bool return_inverse = false;
    bool return_counts = false;
};
inline unique_consecutive_result unique_consecutive(const fa::tensor &x, const unique_consecutive_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_unique_consecutive_options given = FA__DEFAULT_fa_unique_consecutive;
    given.dim = options.dim;
    given.return_inverse = options.return_inverse;
    given.return_counts = options.return_counts;
    const fa_unique_consecutive_result all = (fa_unique_consecutive)(x.get(), &given);
    detail::good(all.values);
    return unique_consecutive_result{tensor::owned(all.values), tensor::owned(all.inverse), tensor::owned(all.counts)};
}

template <class Number, detail::if_integer<Number> = 0>
inline unique_consecutive_result unique_consecutive(const fa::tensor &x, Number dim, FA__HERE)
{
    unique_consecutive_options options;
    options.dim = static_cast<int64_t>(dim);
    return unique_consecutive(x, options, file, line);
}

struct diagonal_options {
    int64_t offset = 0;
    int64_t dim1 = 0;
    int64_t dim2 = 1;
};
inline tensor diagonal(const fa::tensor &x, const diagonal_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_diagonal_options given = FA__DEFAULT_fa_diagonal;
    given.offset = options.offset;
    given.dim1 = options.dim1;
    given.dim2 = options.dim2;
    return tensor::owned((fa_diagonal)(x.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor diagonal(const fa::tensor &x, Number offset, FA__HERE)
{
    diagonal_options options;
    options.offset = static_cast<int64_t>(offset);
    return diagonal(x, options, file, line);
}

struct diag_embed_options {
    int64_t offset = 0;
    int64_t dim1 = -2;
    int64_t dim2 = -1;
    fa::tensor out = {};
};
inline tensor diag_embed(const fa::tensor &x, const diag_embed_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_diag_embed_options given = FA__DEFAULT_fa_diag_embed;
    given.out = options.out.get();
    given.offset = options.offset;
    given.dim1 = options.dim1;
    given.dim2 = options.dim2;
    return detail::result((fa_diag_embed)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor diag_embed(const fa::tensor &x, Number offset, FA__HERE)
{
    diag_embed_options options;
    options.offset = static_cast<int64_t>(offset);
    return diag_embed(x, options, file, line);
}

struct diag_options {
    int64_t offset = 0;
    fa::tensor out = {};
};
inline tensor diag(const fa::tensor &x, const diag_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_diag_options given = FA__DEFAULT_fa_diag;
    given.out = options.out.get();
    given.offset = options.offset;
    return detail::result((fa_diag)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor diag(const fa::tensor &x, Number offset, FA__HERE)
{
    diag_options options;
    options.offset = static_cast<int64_t>(offset);
    return diag(x, options, file, line);
}

struct tril_options {
    int64_t diagonal = 0;
    fa::tensor out = {};
};
inline tensor tril(const fa::tensor &x, const tril_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tril_options given = FA__DEFAULT_fa_tril;
    given.out = options.out.get();
    given.diagonal = options.diagonal;
    return detail::result((fa_tril)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor tril(const fa::tensor &x, Number diagonal, FA__HERE)
{
    tril_options options;
    options.diagonal = static_cast<int64_t>(diagonal);
    return tril(x, options, file, line);
}

inline tensor tril_(const fa::tensor &x, const tril_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tril_options given = FA__DEFAULT_fa_tril_;
    given.out = options.out.get();
    given.diagonal = options.diagonal;
    detail::good((fa_tril_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor tril_(const fa::tensor &x, Number diagonal, FA__HERE)
{
    tril_options options;
    options.diagonal = static_cast<int64_t>(diagonal);
    return tril_(x, options, file, line);
}

struct triu_options {
    int64_t diagonal = 0;
    fa::tensor out = {};
};
inline tensor triu(const fa::tensor &x, const triu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_triu_options given = FA__DEFAULT_fa_triu;
    given.out = options.out.get();
    given.diagonal = options.diagonal;
    return detail::result((fa_triu)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor triu(const fa::tensor &x, Number diagonal, FA__HERE)
{
    triu_options options;
    options.diagonal = static_cast<int64_t>(diagonal);
    return triu(x, options, file, line);
}

inline tensor triu_(const fa::tensor &x, const triu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_triu_options given = FA__DEFAULT_fa_triu_;
    given.out = options.out.get();
    given.diagonal = options.diagonal;
    detail::good((fa_triu_)(x.get(), &given));
    return x;
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor triu_(const fa::tensor &x, Number diagonal, FA__HERE)
{
    triu_options options;
    options.diagonal = static_cast<int64_t>(diagonal);
    return triu_(x, options, file, line);
}

inline std::vector<tensor> broadcast_tensors(const fa::tensors &x, FA__HERE)
{
    const detail::call here(file, line);
    return detail::all((fa_broadcast_tensors)(x.get()));
}

struct meshgrid_options {
    fa::text indexing = "ij";
};
inline std::vector<tensor> meshgrid(const fa::tensors &x, const meshgrid_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_meshgrid_options given = FA__DEFAULT_fa_meshgrid;
    given.indexing = options.indexing.get();
    return detail::all((fa_meshgrid)(x.get(), &given));
}

struct stack_options {
    int64_t dim = 0;
    fa::tensor out = {};
};
inline tensor stack(const fa::tensors &x, const stack_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_stack_options given = FA__DEFAULT_fa_stack;
    given.out = options.out.get();
    given.dim = options.dim;
    return detail::result((fa_stack)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor stack(const fa::tensors &x, Number dim, FA__HERE)
{
    stack_options options;
    options.dim = static_cast<int64_t>(dim);
    return stack(x, options, file, line);
}

struct hstack_options {
    fa::tensor out = {};
};
inline tensor hstack(const fa::tensors &x, const hstack_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_hstack_options given = FA__DEFAULT_fa_hstack;
    given.out = options.out.get();
    return detail::result((fa_hstack)(x.get(), &given), options.out);
}

struct vstack_options {
    fa::tensor out = {};
};
inline tensor vstack(const fa::tensors &x, const vstack_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_vstack_options given = FA__DEFAULT_fa_vstack;
    given.out = options.out.get();
    return detail::result((fa_vstack)(x.get(), &given), options.out);
}

struct dstack_options {
    fa::tensor out = {};
};
inline tensor dstack(const fa::tensors &x, const dstack_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_dstack_options given = FA__DEFAULT_fa_dstack;
    given.out = options.out.get();
    return detail::result((fa_dstack)(x.get(), &given), options.out);
}

struct column_stack_options {
    fa::tensor out = {};
};
inline tensor column_stack(const fa::tensors &x, const column_stack_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_column_stack_options given = FA__DEFAULT_fa_column_stack;
    given.out = options.out.get();
    return detail::result((fa_column_stack)(x.get(), &given), options.out);
}

struct pad_options {
    fa::text mode = "constant";
    double value = 0;
    fa::tensor out = {};
};
inline tensor pad(const fa::tensor &x, const fa::numbers &pads, const pad_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_pad_options given = FA__DEFAULT_fa_pad;
    given.out = options.out.get();
    given.mode = options.mode.get();
    given.value = options.value;
    return detail::result((fa_pad)(x.get(), pads.get(), &given), options.out);
}

struct roll_options {
    fa::dims dims = FA_ALL;
    fa::tensor out = {};
};
inline tensor roll(const fa::tensor &x, const fa::shape &shifts, const roll_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_roll_options given = FA__DEFAULT_fa_roll;
    given.out = options.out.get();
    given.dims = options.dims.get();
    return detail::result((fa_roll)(x.get(), shifts.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor roll(const fa::tensor &x, const fa::shape &shifts, Number dims, FA__HERE)
{
    roll_options options;
    options.dims = static_cast<int64_t>(dims);
    return roll(x, shifts, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor roll(const fa::tensor &x, const fa::shape &shifts, std::initializer_list<Number> dims, FA__HERE)
{
    roll_options options;
    options.dims = fa::dims::of(dims);
    return roll(x, shifts, options, file, line);
}

struct repeat_options {
    fa::tensor out = {};
};
inline tensor repeat(const fa::tensor &x, const fa::shape &repeats, const repeat_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_repeat_options given = FA__DEFAULT_fa_repeat;
    given.out = options.out.get();
    return detail::result((fa_repeat)(x.get(), repeats.get(), &given), options.out);
}

struct tile_options {
    fa::tensor out = {};
};
inline tensor tile(const fa::tensor &x, const fa::shape &repeats, const tile_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tile_options given = FA__DEFAULT_fa_tile;
    given.out = options.out.get();
    return detail::result((fa_tile)(x.get(), repeats.get(), &given), options.out);
}

struct repeat_interleave_options {
    int64_t dim = INT64_MIN;
    int64_t output_size = -1;
    fa::tensor out = {};
};
inline tensor repeat_interleave(const fa::tensor &x, const fa::arg &repeats, const repeat_interleave_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_repeat_interleave_options given = FA__DEFAULT_fa_repeat_interleave;
    given.out = options.out.get();
    given.dim = options.dim;
    given.output_size = options.output_size;
    return detail::result((fa_repeat_interleave)(x.get(), repeats.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor repeat_interleave(const fa::tensor &x, const fa::arg &repeats, Number dim, FA__HERE)
{
    repeat_interleave_options options;
    options.dim = static_cast<int64_t>(dim);
    return repeat_interleave(x, repeats, options, file, line);
}

struct unflatten_options {
    fa::tensor out = {};
};
inline tensor unflatten(const fa::tensor &x, int64_t dim, const fa::shape &shape, const unflatten_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_unflatten_options given = FA__DEFAULT_fa_unflatten;
    given.out = options.out.get();
    return detail::result((fa_unflatten)(x.get(), dim, shape.get(), &given), options.out);
}

struct movedim_options {
    fa::tensor out = {};
};
inline tensor movedim(const fa::tensor &x, const fa::shape &source, const fa::shape &destination, const movedim_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_movedim_options given = FA__DEFAULT_fa_movedim;
    given.out = options.out.get();
    return detail::result((fa_movedim)(x.get(), source.get(), destination.get(), &given), options.out);
}

struct rot90_options {
    int64_t k = 1;
    fa::dims dims = FA_DIMS(0, 1);
    fa::tensor out = {};
};
inline tensor rot90(const fa::tensor &x, const rot90_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_rot90_options given = FA__DEFAULT_fa_rot90;
    given.out = options.out.get();
    given.k = options.k;
    given.dims = options.dims.get();
    return detail::result((fa_rot90)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor rot90(const fa::tensor &x, Number k, FA__HERE)
{
    rot90_options options;
    options.k = static_cast<int64_t>(k);
    return rot90(x, options, file, line);
}

struct fliplr_options {
    fa::tensor out = {};
};
inline tensor fliplr(const fa::tensor &x, const fliplr_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_fliplr_options given = FA__DEFAULT_fa_fliplr;
    given.out = options.out.get();
    return detail::result((fa_fliplr)(x.get(), &given), options.out);
}

struct flipud_options {
    fa::tensor out = {};
};
inline tensor flipud(const fa::tensor &x, const flipud_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_flipud_options given = FA__DEFAULT_fa_flipud;
    given.out = options.out.get();
    return detail::result((fa_flipud)(x.get(), &given), options.out);
}

inline tensor unfold(const fa::tensor &x, int64_t dim, int64_t size, int64_t step, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_unfold)(x.get(), dim, size, step));
}

struct as_strided_options {
    int64_t offset = INT64_MIN;
    fa::tensor out = {};
};
inline tensor as_strided(const fa::tensor &x, const fa::shape &shape, const fa::shape &strides, const as_strided_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_as_strided_options given = FA__DEFAULT_fa_as_strided;
    given.out = options.out.get();
    given.offset = options.offset;
    return detail::result((fa_as_strided)(x.get(), shape.get(), strides.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor as_strided(const fa::tensor &x, const fa::shape &shape, const fa::shape &strides, Number offset, FA__HERE)
{
    as_strided_options options;
    options.offset = static_cast<int64_t>(offset);
    return as_strided(x, shape, strides, options, file, line);
}

struct flip_options {
    fa::dims dim = FA_ALL;
    fa::tensor out = {};
};
inline tensor flip(const fa::tensor &x, const flip_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_flip_options given = FA__DEFAULT_fa_flip;
    given.out = options.out.get();
    given.dim = options.dim.get();
    return detail::result((fa_flip)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor flip(const fa::tensor &x, Number dim, FA__HERE)
{
    flip_options options;
    options.dim = static_cast<int64_t>(dim);
    return flip(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor flip(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    flip_options options;
    options.dim = fa::dims::of(dim);
    return flip(x, options, file, line);
}

inline tensor select(const fa::tensor &x, int64_t dim, int64_t index, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_select)(x.get(), dim, index));
}

inline tensor narrow(const fa::tensor &x, int64_t dim, int64_t start, int64_t length, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_narrow)(x.get(), dim, start, length));
}

struct slice_options {
    int64_t start = INT64_MIN;
    int64_t end = INT64_MAX;
    int64_t step = 1;
};
inline tensor slice(const fa::tensor &x, int64_t dim, const slice_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_slice_options given = FA__DEFAULT_fa_slice;
    given.start = options.start;
    given.end = options.end;
    given.step = options.step;
    return tensor::owned((fa_slice)(x.get(), dim, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor slice(const fa::tensor &x, int64_t dim, Number start, FA__HERE)
{
    slice_options options;
    options.start = static_cast<int64_t>(start);
    return slice(x, dim, options, file, line);
}

struct split_options {
    int64_t dim = 0;
};
inline std::vector<tensor> split(const fa::tensor &x, int64_t size, const split_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_split_options given = FA__DEFAULT_fa_split;
    given.dim = options.dim;
    return detail::all((fa_split)(x.get(), size, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline std::vector<tensor> split(const fa::tensor &x, int64_t size, Number dim, FA__HERE)
{
    split_options options;
    options.dim = static_cast<int64_t>(dim);
    return split(x, size, options, file, line);
}

struct split_sizes_options {
    int64_t dim = 0;
};
inline std::vector<tensor> split_sizes(const fa::tensor &x, const fa::numbers &sizes, const split_sizes_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_split_sizes_options given = FA__DEFAULT_fa_split_sizes;
    given.dim = options.dim;
    return detail::all((fa_split_sizes)(x.get(), sizes.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline std::vector<tensor> split_sizes(const fa::tensor &x, const fa::numbers &sizes, Number dim, FA__HERE)
{
    split_sizes_options options;
    options.dim = static_cast<int64_t>(dim);
    return split_sizes(x, sizes, options, file, line);
}

struct chunk_options {
    int64_t dim = 0;
};
inline std::vector<tensor> chunk(const fa::tensor &x, int64_t chunks, const chunk_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_chunk_options given = FA__DEFAULT_fa_chunk;
    given.dim = options.dim;
    return detail::all((fa_chunk)(x.get(), chunks, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline std::vector<tensor> chunk(const fa::tensor &x, int64_t chunks, Number dim, FA__HERE)
{
    chunk_options options;
    options.dim = static_cast<int64_t>(dim);
    return chunk(x, chunks, options, file, line);
}

struct unbind_options {
    int64_t dim = 0;
};
inline std::vector<tensor> unbind(const fa::tensor &x, const unbind_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_unbind_options given = FA__DEFAULT_fa_unbind;
    given.dim = options.dim;
    return detail::all((fa_unbind)(x.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline std::vector<tensor> unbind(const fa::tensor &x, Number dim, FA__HERE)
{
    unbind_options options;
    options.dim = static_cast<int64_t>(dim);
    return unbind(x, options, file, line);
}

struct tensor_split_options {
    int64_t dim = 0;
};
inline std::vector<tensor> tensor_split(const fa::tensor &x, int64_t sections, const tensor_split_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tensor_split_options given = FA__DEFAULT_fa_tensor_split;
    given.dim = options.dim;
    return detail::all((fa_tensor_split)(x.get(), sections, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline std::vector<tensor> tensor_split(const fa::tensor &x, int64_t sections, Number dim, FA__HERE)
{
    tensor_split_options options;
    options.dim = static_cast<int64_t>(dim);
    return tensor_split(x, sections, options, file, line);
}

struct tensor_split_at_options {
    int64_t dim = 0;
};
inline std::vector<tensor> tensor_split_at(const fa::tensor &x, const fa::numbers &indices, const tensor_split_at_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_tensor_split_at_options given = FA__DEFAULT_fa_tensor_split_at;
    given.dim = options.dim;
    return detail::all((fa_tensor_split_at)(x.get(), indices.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline std::vector<tensor> tensor_split_at(const fa::tensor &x, const fa::numbers &indices, Number dim, FA__HERE)
{
    tensor_split_at_options options;
    options.dim = static_cast<int64_t>(dim);
    return tensor_split_at(x, indices, options, file, line);
}

inline tensor transpose(const fa::tensor &x, int64_t dim0, int64_t dim1, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_transpose)(x.get(), dim0, dim1));
}

inline tensor t(const fa::tensor &x, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_t)(x.get()));
}

inline tensor permute(const fa::tensor &x, const fa::shape &dims, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_permute)(x.get(), dims.get()));
}

inline tensor view(const fa::tensor &x, const fa::shape &shape, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_view)(x.get(), shape.get()));
}

struct reshape_options {
    fa::tensor out = {};
};
inline tensor reshape(const fa::tensor &x, const fa::shape &shape, const reshape_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_reshape_options given = FA__DEFAULT_fa_reshape;
    given.out = options.out.get();
    return detail::result((fa_reshape)(x.get(), shape.get(), &given), options.out);
}

struct flatten_options {
    int64_t start_dim = 0;
    int64_t end_dim = -1;
    fa::tensor out = {};
};
inline tensor flatten(const fa::tensor &x, const flatten_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_flatten_options given = FA__DEFAULT_fa_flatten;
    given.out = options.out.get();
    given.start_dim = options.start_dim;
    given.end_dim = options.end_dim;
    return detail::result((fa_flatten)(x.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor flatten(const fa::tensor &x, Number start_dim, FA__HERE)
{
    flatten_options options;
    options.start_dim = static_cast<int64_t>(start_dim);
    return flatten(x, options, file, line);
}

inline tensor expand(const fa::tensor &x, const fa::shape &shape, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_expand)(x.get(), shape.get()));
}

inline tensor expand_as(const fa::tensor &x, const fa::tensor &like, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_expand_as)(x.get(), like.get()));
}

inline tensor unsqueeze(const fa::tensor &x, int64_t dim, FA__HERE)
{
    const detail::call here(file, line);
    return tensor::owned((fa_unsqueeze)(x.get(), dim));
}

struct squeeze_options {
    fa::dims dim = FA_ALL;
};
inline tensor squeeze(const fa::tensor &x, const squeeze_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_squeeze_options given = FA__DEFAULT_fa_squeeze;
    given.dim = options.dim.get();
    return tensor::owned((fa_squeeze)(x.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor squeeze(const fa::tensor &x, Number dim, FA__HERE)
{
    squeeze_options options;
    options.dim = static_cast<int64_t>(dim);
    return squeeze(x, options, file, line);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor squeeze(const fa::tensor &x, std::initializer_list<Number> dim, FA__HERE)
{
    squeeze_options options;
    options.dim = fa::dims::of(dim);
    return squeeze(x, options, file, line);
}

struct select_scatter_options {
    fa::tensor out = {};
};
inline tensor select_scatter(const fa::tensor &x, const fa::tensor &src, int64_t dim, int64_t index, const select_scatter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_select_scatter_options given = FA__DEFAULT_fa_select_scatter;
    given.out = options.out.get();
    return detail::result((fa_select_scatter)(x.get(), src.get(), dim, index, &given), options.out);
}

struct slice_scatter_options {
    int64_t dim = 0;
    int64_t start = INT64_MIN;
    int64_t end = INT64_MAX;
    int64_t step = 1;
    fa::tensor out = {};
};
inline tensor slice_scatter(const fa::tensor &x, const fa::tensor &src, const slice_scatter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_slice_scatter_options given = FA__DEFAULT_fa_slice_scatter;
    given.out = options.out.get();
    given.dim = options.dim;
    given.start = options.start;
    given.end = options.end;
    given.step = options.step;
    return detail::result((fa_slice_scatter)(x.get(), src.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor slice_scatter(const fa::tensor &x, const fa::tensor &src, Number dim, FA__HERE)
{
    slice_scatter_options options;
    options.dim = static_cast<int64_t>(dim);
    return slice_scatter(x, src, options, file, line);
}

struct diagonal_scatter_options {
    int64_t offset = 0;
    int64_t dim1 = 0;
    int64_t dim2 = 1;
    fa::tensor out = {};
};
inline tensor diagonal_scatter(const fa::tensor &x, const fa::tensor &src, const diagonal_scatter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_diagonal_scatter_options given = FA__DEFAULT_fa_diagonal_scatter;
    given.out = options.out.get();
    given.offset = options.offset;
    given.dim1 = options.dim1;
    given.dim2 = options.dim2;
    return detail::result((fa_diagonal_scatter)(x.get(), src.get(), &given), options.out);
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::tensor diagonal_scatter(const fa::tensor &x, const fa::tensor &src, Number offset, FA__HERE)
{
    diagonal_scatter_options options;
    options.offset = static_cast<int64_t>(offset);
    return diagonal_scatter(x, src, options, file, line);
}

namespace nn {

struct linear_options {
    bool bias = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module linear(int64_t in, int64_t out, const linear_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_linear_options given = FA__DEFAULT_fa_nn_linear;
    given.bias = options.bias;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_linear)(in, out, &given));
}

struct conv2d_options {
    fa::pair stride = 1;
    fa::pair padding = 0;
    fa::pair dilation = 1;
    int64_t groups = 1;
    fa::text padding_mode = "zeros";
    bool bias = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module conv2d(int64_t in, int64_t out, const fa::pair &kernel, const conv2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_conv2d_options given = FA__DEFAULT_fa_nn_conv2d;
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.dilation = options.dilation.get();
    given.groups = options.groups;
    given.padding_mode = options.padding_mode.get();
    given.bias = options.bias;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_conv2d)(in, out, kernel.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module conv2d(int64_t in, int64_t out, const fa::pair &kernel, Number stride, FA__HERE)
{
    conv2d_options options;
    options.stride = static_cast<int64_t>(stride);
    return conv2d(in, out, kernel, options, file, line);
}

struct conv_transpose2d_options {
    fa::pair stride = 1;
    fa::pair padding = 0;
    fa::pair output_padding = 0;
    int64_t groups = 1;
    bool bias = true;
    fa::pair dilation = 1;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module conv_transpose2d(int64_t in, int64_t out, const fa::pair &kernel, const conv_transpose2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_conv_transpose2d_options given = FA__DEFAULT_fa_nn_conv_transpose2d;
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.output_padding = options.output_padding.get();
    given.groups = options.groups;
    given.bias = options.bias;
    given.dilation = options.dilation.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_conv_transpose2d)(in, out, kernel.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module conv_transpose2d(int64_t in, int64_t out, const fa::pair &kernel, Number stride, FA__HERE)
{
    conv_transpose2d_options options;
    options.stride = static_cast<int64_t>(stride);
    return conv_transpose2d(in, out, kernel, options, file, line);
}

struct conv1d_options {
    fa::pair stride = 1;
    fa::pair padding = 0;
    fa::pair dilation = 1;
    int64_t groups = 1;
    fa::text padding_mode = "zeros";
    bool bias = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module conv1d(int64_t in, int64_t out, int64_t kernel, const conv1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_conv2d_options given = FA__DEFAULT_fa_nn_conv1d;
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.dilation = options.dilation.get();
    given.groups = options.groups;
    given.padding_mode = options.padding_mode.get();
    given.bias = options.bias;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_conv1d)(in, out, kernel, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module conv1d(int64_t in, int64_t out, int64_t kernel, Number stride, FA__HERE)
{
    conv1d_options options;
    options.stride = static_cast<int64_t>(stride);
    return conv1d(in, out, kernel, options, file, line);
}

struct conv_transpose1d_options {
    fa::pair stride = 1;
    fa::pair padding = 0;
    fa::pair output_padding = 0;
    int64_t groups = 1;
    bool bias = true;
    fa::pair dilation = 1;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module conv_transpose1d(int64_t in, int64_t out, int64_t kernel, const conv_transpose1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_conv_transpose2d_options given = FA__DEFAULT_fa_nn_conv_transpose1d;
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.output_padding = options.output_padding.get();
    given.groups = options.groups;
    given.bias = options.bias;
    given.dilation = options.dilation.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_conv_transpose1d)(in, out, kernel, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module conv_transpose1d(int64_t in, int64_t out, int64_t kernel, Number stride, FA__HERE)
{
    conv_transpose1d_options options;
    options.stride = static_cast<int64_t>(stride);
    return conv_transpose1d(in, out, kernel, options, file, line);
}

struct max_pool2d_options {
    fa::pair stride = 0;
    fa::pair padding = 0;
    fa::pair dilation = 1;
    bool ceil_mode = false;
};
inline module max_pool2d(const fa::pair &kernel, const max_pool2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_max_pool2d_options given = FA__DEFAULT_fa_nn_max_pool2d;
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.dilation = options.dilation.get();
    given.ceil_mode = options.ceil_mode;
    return module::owned((fa_nn_max_pool2d)(kernel.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module max_pool2d(const fa::pair &kernel, Number stride, FA__HERE)
{
    max_pool2d_options options;
    options.stride = static_cast<int64_t>(stride);
    return max_pool2d(kernel, options, file, line);
}

struct avg_pool2d_options {
    fa::pair stride = 0;
    fa::pair padding = 0;
    bool ceil_mode = false;
    bool count_include_pad = true;
    int64_t divisor_override = 0;
};
inline module avg_pool2d(const fa::pair &kernel, const avg_pool2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_avg_pool2d_options given = FA__DEFAULT_fa_nn_avg_pool2d;
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.ceil_mode = options.ceil_mode;
    given.count_include_pad = options.count_include_pad;
    given.divisor_override = options.divisor_override;
    return module::owned((fa_nn_avg_pool2d)(kernel.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module avg_pool2d(const fa::pair &kernel, Number stride, FA__HERE)
{
    avg_pool2d_options options;
    options.stride = static_cast<int64_t>(stride);
    return avg_pool2d(kernel, options, file, line);
}

inline module adaptive_avg_pool2d(const fa::pair &size, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_adaptive_avg_pool2d)(size.get()));
}

inline module adaptive_max_pool2d(const fa::pair &size, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_adaptive_max_pool2d)(size.get()));
}

struct max_pool1d_options {
    fa::pair stride = 0;
    fa::pair padding = 0;
    fa::pair dilation = 1;
    bool ceil_mode = false;
};
inline module max_pool1d(int64_t kernel, const max_pool1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_max_pool2d_options given = FA__DEFAULT_fa_nn_max_pool1d;
    given.stride = options.stride.get();
    given.padding = options.padding.get();
    given.dilation = options.dilation.get();
    given.ceil_mode = options.ceil_mode;
    return module::owned((fa_nn_max_pool1d)(kernel, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module max_pool1d(int64_t kernel, Number stride, FA__HERE)
{
    max_pool1d_options options;
    options.stride = static_cast<int64_t>(stride);
    return max_pool1d(kernel, options, file, line);
}

struct avg_pool1d_options {
    int64_t stride = 0;
    int64_t padding = 0;
    bool ceil_mode = false;
    bool count_include_pad = true;
};
inline module avg_pool1d(int64_t kernel, const avg_pool1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_avg_pool1d_options given = FA__DEFAULT_fa_nn_avg_pool1d;
    given.stride = options.stride;
    given.padding = options.padding;
    given.ceil_mode = options.ceil_mode;
    given.count_include_pad = options.count_include_pad;
    return module::owned((fa_nn_avg_pool1d)(kernel, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module avg_pool1d(int64_t kernel, Number stride, FA__HERE)
{
    avg_pool1d_options options;
    options.stride = static_cast<int64_t>(stride);
    return avg_pool1d(kernel, options, file, line);
}

inline module adaptive_avg_pool1d(int64_t size, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_adaptive_avg_pool1d)(size));
}

inline module adaptive_max_pool1d(int64_t size, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_adaptive_max_pool1d)(size));
}

struct batch_norm2d_options {
    double eps = 1e-5;
    double momentum = 0.1;
    bool affine = true;
    bool track_running_stats = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module batch_norm2d(int64_t features, const batch_norm2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_batch_norm2d_options given = FA__DEFAULT_fa_nn_batch_norm2d;
    given.eps = options.eps;
    given.momentum = options.momentum;
    given.affine = options.affine;
    given.track_running_stats = options.track_running_stats;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_batch_norm2d)(features, &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module batch_norm2d(int64_t features, Number eps, FA__HERE)
{
    batch_norm2d_options options;
    options.eps = static_cast<double>(eps);
    return batch_norm2d(features, options, file, line);
}

struct batch_norm1d_options {
    double eps = 1e-5;
    double momentum = 0.1;
    bool affine = true;
    bool track_running_stats = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module batch_norm1d(int64_t features, const batch_norm1d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_batch_norm2d_options given = FA__DEFAULT_fa_nn_batch_norm1d;
    given.eps = options.eps;
    given.momentum = options.momentum;
    given.affine = options.affine;
    given.track_running_stats = options.track_running_stats;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_batch_norm1d)(features, &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module batch_norm1d(int64_t features, Number eps, FA__HERE)
{
    batch_norm1d_options options;
    options.eps = static_cast<double>(eps);
    return batch_norm1d(features, options, file, line);
}

struct layer_norm_options {
    double eps = 1e-5;
    bool elementwise_affine = true;
    bool bias = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module layer_norm(const fa::shape &shape, const layer_norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_layer_norm_options given = FA__DEFAULT_fa_nn_layer_norm;
    given.eps = options.eps;
    given.elementwise_affine = options.elementwise_affine;
    given.bias = options.bias;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_layer_norm)(shape.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module layer_norm(const fa::shape &shape, Number eps, FA__HERE)
{
    layer_norm_options options;
    options.eps = static_cast<double>(eps);
    return layer_norm(shape, options, file, line);
}

struct rms_norm_options {
    double eps = -1;
    bool elementwise_affine = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module rms_norm(const fa::shape &shape, const rms_norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_rms_norm_options given = FA__DEFAULT_fa_nn_rms_norm;
    given.eps = options.eps;
    given.elementwise_affine = options.elementwise_affine;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_rms_norm)(shape.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module rms_norm(const fa::shape &shape, Number eps, FA__HERE)
{
    rms_norm_options options;
    options.eps = static_cast<double>(eps);
    return rms_norm(shape, options, file, line);
}

struct group_norm_options {
    double eps = 1e-5;
    bool affine = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module group_norm(int64_t groups, int64_t channels, const group_norm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_group_norm_options given = FA__DEFAULT_fa_nn_group_norm;
    given.eps = options.eps;
    given.affine = options.affine;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_group_norm)(groups, channels, &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module group_norm(int64_t groups, int64_t channels, Number eps, FA__HERE)
{
    group_norm_options options;
    options.eps = static_cast<double>(eps);
    return group_norm(groups, channels, options, file, line);
}

struct embedding_options {
    int64_t padding_idx = INT64_MIN;
    bool scale_grad_by_freq = false;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module embedding(int64_t rows, int64_t width, const embedding_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_embedding_options given = FA__DEFAULT_fa_nn_embedding;
    given.padding_idx = options.padding_idx;
    given.scale_grad_by_freq = options.scale_grad_by_freq;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_embedding)(rows, width, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module embedding(int64_t rows, int64_t width, Number padding_idx, FA__HERE)
{
    embedding_options options;
    options.padding_idx = static_cast<int64_t>(padding_idx);
    return embedding(rows, width, options, file, line);
}

struct dropout_options {
    double p = 0.5;
};
inline module dropout(const dropout_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_dropout_options given = FA__DEFAULT_fa_nn_dropout;
    given.p = options.p;
    return module::owned((fa_nn_dropout)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module dropout(Number p, FA__HERE)
{
    dropout_options options;
    options.p = static_cast<double>(p);
    return dropout(options, file, line);
}

struct dropout2d_options {
    double p = 0.5;
};
inline module dropout2d(const dropout2d_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_dropout_options given = FA__DEFAULT_fa_nn_dropout2d;
    given.p = options.p;
    return module::owned((fa_nn_dropout2d)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module dropout2d(Number p, FA__HERE)
{
    dropout2d_options options;
    options.p = static_cast<double>(p);
    return dropout2d(options, file, line);
}

struct alpha_dropout_options {
    double p = 0.5;
};
inline module alpha_dropout(const alpha_dropout_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_dropout_options given = FA__DEFAULT_fa_nn_alpha_dropout;
    given.p = options.p;
    return module::owned((fa_nn_alpha_dropout)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module alpha_dropout(Number p, FA__HERE)
{
    alpha_dropout_options options;
    options.p = static_cast<double>(p);
    return alpha_dropout(options, file, line);
}

struct flatten_options {
    int64_t start_dim = 1;
    int64_t end_dim = -1;
};
inline module flatten(const flatten_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_flatten_options given = FA__DEFAULT_fa_nn_flatten;
    given.start_dim = options.start_dim;
    given.end_dim = options.end_dim;
    return module::owned((fa_nn_flatten)(&given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module flatten(Number start_dim, FA__HERE)
{
    flatten_options options;
    options.start_dim = static_cast<int64_t>(start_dim);
    return flatten(options, file, line);
}

inline module unflatten(int64_t dim, const fa::shape &shape, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_unflatten)(dim, shape.get()));
}

inline module identity(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_identity)());
}

struct lstm_options {
    int64_t num_layers = 1;
    bool bias = true;
    bool batch_first = false;
    double dropout = 0;
    bool bidirectional = false;
    int64_t proj_size = 0;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module lstm(int64_t input_size, int64_t hidden_size, const lstm_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_lstm_options given = FA__DEFAULT_fa_nn_lstm;
    given.num_layers = options.num_layers;
    given.bias = options.bias;
    given.batch_first = options.batch_first;
    given.dropout = options.dropout;
    given.bidirectional = options.bidirectional;
    given.proj_size = options.proj_size;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_lstm)(input_size, hidden_size, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module lstm(int64_t input_size, int64_t hidden_size, Number num_layers, FA__HERE)
{
    lstm_options options;
    options.num_layers = static_cast<int64_t>(num_layers);
    return lstm(input_size, hidden_size, options, file, line);
}

struct gru_options {
    int64_t num_layers = 1;
    bool bias = true;
    bool batch_first = false;
    double dropout = 0;
    bool bidirectional = false;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module gru(int64_t input_size, int64_t hidden_size, const gru_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_gru_options given = FA__DEFAULT_fa_nn_gru;
    given.num_layers = options.num_layers;
    given.bias = options.bias;
    given.batch_first = options.batch_first;
    given.dropout = options.dropout;
    given.bidirectional = options.bidirectional;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_gru)(input_size, hidden_size, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module gru(int64_t input_size, int64_t hidden_size, Number num_layers, FA__HERE)
{
    gru_options options;
    options.num_layers = static_cast<int64_t>(num_layers);
    return gru(input_size, hidden_size, options, file, line);
}

struct rnn_options {
    int64_t num_layers = 1;
    fa::text nonlinearity = "tanh";
    bool bias = true;
    bool batch_first = false;
    double dropout = 0;
    bool bidirectional = false;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module rnn(int64_t input_size, int64_t hidden_size, const rnn_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_rnn_options given = FA__DEFAULT_fa_nn_rnn;
    given.num_layers = options.num_layers;
    given.nonlinearity = options.nonlinearity.get();
    given.bias = options.bias;
    given.batch_first = options.batch_first;
    given.dropout = options.dropout;
    given.bidirectional = options.bidirectional;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_rnn)(input_size, hidden_size, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module rnn(int64_t input_size, int64_t hidden_size, Number num_layers, FA__HERE)
{
    rnn_options options;
    options.num_layers = static_cast<int64_t>(num_layers);
    return rnn(input_size, hidden_size, options, file, line);
}

struct lstm_cell_options {
    bool bias = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module lstm_cell(int64_t input_size, int64_t hidden_size, const lstm_cell_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_lstm_cell_options given = FA__DEFAULT_fa_nn_lstm_cell;
    given.bias = options.bias;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_lstm_cell)(input_size, hidden_size, &given));
}

struct gru_cell_options {
    bool bias = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module gru_cell(int64_t input_size, int64_t hidden_size, const gru_cell_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_lstm_cell_options given = FA__DEFAULT_fa_nn_gru_cell;
    given.bias = options.bias;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_gru_cell)(input_size, hidden_size, &given));
}

struct rnn_cell_options {
    bool bias = true;
    fa::text nonlinearity = "tanh";
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module rnn_cell(int64_t input_size, int64_t hidden_size, const rnn_cell_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_rnn_cell_options given = FA__DEFAULT_fa_nn_rnn_cell;
    given.bias = options.bias;
    given.nonlinearity = options.nonlinearity.get();
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_rnn_cell)(input_size, hidden_size, &given));
}

struct multihead_attention_options {
    double dropout = 0;
    bool bias = true;
    bool add_bias_kv = false;
    bool add_zero_attn = false;
    int64_t kdim = 0;
    int64_t vdim = 0;
    bool batch_first = false;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module multihead_attention(int64_t embed_dim, int64_t num_heads, const multihead_attention_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_multihead_attention_options given = FA__DEFAULT_fa_nn_multihead_attention;
    given.dropout = options.dropout;
    given.bias = options.bias;
    given.add_bias_kv = options.add_bias_kv;
    given.add_zero_attn = options.add_zero_attn;
    given.kdim = options.kdim;
    given.vdim = options.vdim;
    given.batch_first = options.batch_first;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_multihead_attention)(embed_dim, num_heads, &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module multihead_attention(int64_t embed_dim, int64_t num_heads, Number dropout, FA__HERE)
{
    multihead_attention_options options;
    options.dropout = static_cast<double>(dropout);
    return multihead_attention(embed_dim, num_heads, options, file, line);
}

struct transformer_encoder_layer_options {
    int64_t dim_feedforward = 2048;
    double dropout = 0.1;
    fa::text activation = "relu";
    double layer_norm_eps = 1e-5;
    bool batch_first = false;
    bool norm_first = false;
    bool bias = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module transformer_encoder_layer(int64_t d_model, int64_t nhead, const transformer_encoder_layer_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_transformer_encoder_layer_options given = FA__DEFAULT_fa_nn_transformer_encoder_layer;
    given.dim_feedforward = options.dim_feedforward;
    given.dropout = options.dropout;
    given.activation = options.activation.get();
    given.layer_norm_eps = options.layer_norm_eps;
    given.batch_first = options.batch_first;
    given.norm_first = options.norm_first;
    given.bias = options.bias;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_transformer_encoder_layer)(d_model, nhead, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module transformer_encoder_layer(int64_t d_model, int64_t nhead, Number dim_feedforward, FA__HERE)
{
    transformer_encoder_layer_options options;
    options.dim_feedforward = static_cast<int64_t>(dim_feedforward);
    return transformer_encoder_layer(d_model, nhead, options, file, line);
}

struct transformer_decoder_layer_options {
    int64_t dim_feedforward = 2048;
    double dropout = 0.1;
    fa::text activation = "relu";
    double layer_norm_eps = 1e-5;
    bool batch_first = false;
    bool norm_first = false;
    bool bias = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module transformer_decoder_layer(int64_t d_model, int64_t nhead, const transformer_decoder_layer_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_transformer_encoder_layer_options given = FA__DEFAULT_fa_nn_transformer_decoder_layer;
    given.dim_feedforward = options.dim_feedforward;
    given.dropout = options.dropout;
    given.activation = options.activation.get();
    given.layer_norm_eps = options.layer_norm_eps;
    given.batch_first = options.batch_first;
    given.norm_first = options.norm_first;
    given.bias = options.bias;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_transformer_decoder_layer)(d_model, nhead, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module transformer_decoder_layer(int64_t d_model, int64_t nhead, Number dim_feedforward, FA__HERE)
{
    transformer_decoder_layer_options options;
    options.dim_feedforward = static_cast<int64_t>(dim_feedforward);
    return transformer_decoder_layer(d_model, nhead, options, file, line);
}

struct transformer_encoder_options {
    fa::module norm = {};
};
inline module transformer_encoder(const fa::module &layer, int64_t num_layers, const transformer_encoder_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_transformer_encoder_options given = FA__DEFAULT_fa_nn_transformer_encoder;
    given.norm = options.norm.get();
    return module::owned((fa_nn_transformer_encoder)(layer.get(), num_layers, &given));
}

struct transformer_decoder_options {
    fa::module norm = {};
};
inline module transformer_decoder(const fa::module &layer, int64_t num_layers, const transformer_decoder_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_transformer_encoder_options given = FA__DEFAULT_fa_nn_transformer_decoder;
    given.norm = options.norm.get();
    return module::owned((fa_nn_transformer_decoder)(layer.get(), num_layers, &given));
}

struct transformer_options {
    int64_t num_encoder_layers = 6;
    int64_t num_decoder_layers = 6;
    int64_t dim_feedforward = 2048;
    double dropout = 0.1;
    fa::text activation = "relu";
    fa::module custom_encoder = {};
    fa::module custom_decoder = {};
    double layer_norm_eps = 1e-5;
    bool batch_first = false;
    bool norm_first = false;
    bool bias = true;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module transformer(int64_t d_model, int64_t nhead, const transformer_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_transformer_options given = FA__DEFAULT_fa_nn_transformer;
    given.num_encoder_layers = options.num_encoder_layers;
    given.num_decoder_layers = options.num_decoder_layers;
    given.dim_feedforward = options.dim_feedforward;
    given.dropout = options.dropout;
    given.activation = options.activation.get();
    given.custom_encoder = options.custom_encoder.get();
    given.custom_decoder = options.custom_decoder.get();
    given.layer_norm_eps = options.layer_norm_eps;
    given.batch_first = options.batch_first;
    given.norm_first = options.norm_first;
    given.bias = options.bias;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_transformer)(d_model, nhead, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module transformer(int64_t d_model, int64_t nhead, Number num_encoder_layers, FA__HERE)
{
    transformer_options options;
    options.num_encoder_layers = static_cast<int64_t>(num_encoder_layers);
    return transformer(d_model, nhead, options, file, line);
}

inline module relu(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_relu)());
}

inline module relu6(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_relu6)());
}

inline module sigmoid(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_sigmoid)());
}

inline module tanh(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_tanh)());
}

inline module silu(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_silu)());
}

inline module selu(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_selu)());
}

inline module mish(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_mish)());
}

inline module logsigmoid(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_logsigmoid)());
}

inline module softsign(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_softsign)());
}

inline module tanhshrink(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_tanhshrink)());
}

inline module hardsigmoid(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_hardsigmoid)());
}

inline module hardswish(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_hardswish)());
}

struct gelu_options {
    fa::text approximate = "none";
};
inline module gelu(const gelu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_gelu_options given = FA__DEFAULT_fa_nn_gelu;
    given.approximate = options.approximate.get();
    return module::owned((fa_nn_gelu)(&given));
}

struct leaky_relu_options {
    double negative_slope = 0.01;
};
inline module leaky_relu(const leaky_relu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_leaky_relu_options given = FA__DEFAULT_fa_nn_leaky_relu;
    given.negative_slope = options.negative_slope;
    return module::owned((fa_nn_leaky_relu)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module leaky_relu(Number negative_slope, FA__HERE)
{
    leaky_relu_options options;
    options.negative_slope = static_cast<double>(negative_slope);
    return leaky_relu(options, file, line);
}

struct elu_options {
    double alpha = 1;
};
inline module elu(const elu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_elu_options given = FA__DEFAULT_fa_nn_elu;
    given.alpha = options.alpha;
    return module::owned((fa_nn_elu)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module elu(Number alpha, FA__HERE)
{
    elu_options options;
    options.alpha = static_cast<double>(alpha);
    return elu(options, file, line);
}

struct celu_options {
    double alpha = 1;
};
inline module celu(const celu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_celu_options given = FA__DEFAULT_fa_nn_celu;
    given.alpha = options.alpha;
    return module::owned((fa_nn_celu)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module celu(Number alpha, FA__HERE)
{
    celu_options options;
    options.alpha = static_cast<double>(alpha);
    return celu(options, file, line);
}

struct hardtanh_options {
    double low = -1;
    double high = 1;
};
inline module hardtanh(const hardtanh_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_hardtanh_options given = FA__DEFAULT_fa_nn_hardtanh;
    given.low = options.low;
    given.high = options.high;
    return module::owned((fa_nn_hardtanh)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module hardtanh(Number low, FA__HERE)
{
    hardtanh_options options;
    options.low = static_cast<double>(low);
    return hardtanh(options, file, line);
}

struct softplus_options {
    double beta = 1;
    double threshold = 20;
};
inline module softplus(const softplus_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_softplus_options given = FA__DEFAULT_fa_nn_softplus;
    given.beta = options.beta;
    given.threshold = options.threshold;
    return module::owned((fa_nn_softplus)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module softplus(Number beta, FA__HERE)
{
    softplus_options options;
    options.beta = static_cast<double>(beta);
    return softplus(options, file, line);
}

struct softshrink_options {
    double lambd = 0.5;
};
inline module softshrink(const softshrink_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_softshrink_options given = FA__DEFAULT_fa_nn_softshrink;
    given.lambd = options.lambd;
    return module::owned((fa_nn_softshrink)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module softshrink(Number lambd, FA__HERE)
{
    softshrink_options options;
    options.lambd = static_cast<double>(lambd);
    return softshrink(options, file, line);
}

struct hardshrink_options {
    double lambd = 0.5;
};
inline module hardshrink(const hardshrink_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_hardshrink_options given = FA__DEFAULT_fa_nn_hardshrink;
    given.lambd = options.lambd;
    return module::owned((fa_nn_hardshrink)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module hardshrink(Number lambd, FA__HERE)
{
    hardshrink_options options;
    options.lambd = static_cast<double>(lambd);
    return hardshrink(options, file, line);
}

struct rrelu_options {
    double lower = 0.125;
    double upper = 0.3333333333333333;
};
inline module rrelu(const rrelu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_rrelu_options given = FA__DEFAULT_fa_nn_rrelu;
    given.lower = options.lower;
    given.upper = options.upper;
    return module::owned((fa_nn_rrelu)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module rrelu(Number lower, FA__HERE)
{
    rrelu_options options;
    options.lower = static_cast<double>(lower);
    return rrelu(options, file, line);
}

struct glu_options {
    int64_t dim = -1;
};
inline module glu(const glu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_glu_options given = FA__DEFAULT_fa_nn_glu;
    given.dim = options.dim;
    return module::owned((fa_nn_glu)(&given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module glu(Number dim, FA__HERE)
{
    glu_options options;
    options.dim = static_cast<int64_t>(dim);
    return glu(options, file, line);
}

inline module threshold(double threshold, double value, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_threshold)(threshold, value));
}

inline module softmax(int64_t dim, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_softmax)(dim));
}

inline module log_softmax(int64_t dim, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_log_softmax)(dim));
}

inline module softmin(int64_t dim, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_softmin)(dim));
}

struct prelu_options {
    int64_t num_parameters = 1;
    double init = 0.25;
    fa_dtype dtype = FA_SAME;
    fa::device device = {};
};
inline module prelu(const prelu_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_nn_prelu_options given = FA__DEFAULT_fa_nn_prelu;
    given.num_parameters = options.num_parameters;
    given.init = options.init;
    given.dtype = options.dtype;
    given.device = options.device.get();
    return module::owned((fa_nn_prelu)(&given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module prelu(Number num_parameters, FA__HERE)
{
    prelu_options options;
    options.num_parameters = static_cast<int64_t>(num_parameters);
    return prelu(options, file, line);
}

inline module dict(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_nn_dict)());
}

} // namespace nn

namespace optim {

struct sgd_options {
    double lr = 1e-3;
    double momentum = 0;
    double dampening = 0;
    double weight_decay = 0;
    bool nesterov = false;
    bool maximize = false;
    bool master_weights = false;
    bool stochastic_rounding = false;
};
inline optimizer sgd(const fa::parameters &parameters, const sgd_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_optim_sgd_options given = FA__DEFAULT_fa_optim_sgd;
    given.lr = options.lr;
    given.momentum = options.momentum;
    given.dampening = options.dampening;
    given.weight_decay = options.weight_decay;
    given.nesterov = options.nesterov;
    given.maximize = options.maximize;
    given.master_weights = options.master_weights;
    given.stochastic_rounding = options.stochastic_rounding;
    return optimizer::owned((fa_optim_sgd)(parameters.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::optimizer sgd(const fa::parameters &parameters, Number lr, FA__HERE)
{
    sgd_options options;
    options.lr = static_cast<double>(lr);
    return sgd(parameters, options, file, line);
}

struct adam_options {
    double lr = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weight_decay = 0;
    bool amsgrad = false;
    bool maximize = false;
    bool master_weights = false;
    bool stochastic_rounding = false;
};
inline optimizer adam(const fa::parameters &parameters, const adam_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_optim_adam_options given = FA__DEFAULT_fa_optim_adam;
    given.lr = options.lr;
    given.beta1 = options.beta1;
    given.beta2 = options.beta2;
    given.eps = options.eps;
    given.weight_decay = options.weight_decay;
    given.amsgrad = options.amsgrad;
    given.maximize = options.maximize;
    given.master_weights = options.master_weights;
    given.stochastic_rounding = options.stochastic_rounding;
    return optimizer::owned((fa_optim_adam)(parameters.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::optimizer adam(const fa::parameters &parameters, Number lr, FA__HERE)
{
    adam_options options;
    options.lr = static_cast<double>(lr);
    return adam(parameters, options, file, line);
}

struct adamw_options {
    double lr = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weight_decay = 1e-2;
    bool amsgrad = false;
    bool maximize = false;
    bool master_weights = false;
    bool stochastic_rounding = false;
};
inline optimizer adamw(const fa::parameters &parameters, const adamw_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_optim_adam_options given = FA__DEFAULT_fa_optim_adamw;
    given.lr = options.lr;
    given.beta1 = options.beta1;
    given.beta2 = options.beta2;
    given.eps = options.eps;
    given.weight_decay = options.weight_decay;
    given.amsgrad = options.amsgrad;
    given.maximize = options.maximize;
    given.master_weights = options.master_weights;
    given.stochastic_rounding = options.stochastic_rounding;
    return optimizer::owned((fa_optim_adamw)(parameters.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::optimizer adamw(const fa::parameters &parameters, Number lr, FA__HERE)
{
    adamw_options options;
    options.lr = static_cast<double>(lr);
    return adamw(parameters, options, file, line);
}

struct rmsprop_options {
    double lr = 1e-2;
    double alpha = 0.99;
    double eps = 1e-8;
    double weight_decay = 0;
    double momentum = 0;
    bool centered = false;
    bool maximize = false;
    bool master_weights = false;
    bool stochastic_rounding = false;
};
inline optimizer rmsprop(const fa::parameters &parameters, const rmsprop_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_optim_rmsprop_options given = FA__DEFAULT_fa_optim_rmsprop;
    given.lr = options.lr;
    given.alpha = options.alpha;
    given.eps = options.eps;
    given.weight_decay = options.weight_decay;
    given.momentum = options.momentum;
    given.centered = options.centered;
    given.maximize = options.maximize;
    given.master_weights = options.master_weights;
    given.stochastic_rounding = options.stochastic_rounding;
    return optimizer::owned((fa_optim_rmsprop)(parameters.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::optimizer rmsprop(const fa::parameters &parameters, Number lr, FA__HERE)
{
    rmsprop_options options;
    options.lr = static_cast<double>(lr);
    return rmsprop(parameters, options, file, line);
}

struct adagrad_options {
    double lr = 1e-2;
    double lr_decay = 0;
    double weight_decay = 0;
    double initial_accumulator_value = 0;
    double eps = 1e-10;
    bool maximize = false;
    bool master_weights = false;
    bool stochastic_rounding = false;
};
inline optimizer adagrad(const fa::parameters &parameters, const adagrad_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_optim_adagrad_options given = FA__DEFAULT_fa_optim_adagrad;
    given.lr = options.lr;
    given.lr_decay = options.lr_decay;
    given.weight_decay = options.weight_decay;
    given.initial_accumulator_value = options.initial_accumulator_value;
    given.eps = options.eps;
    given.maximize = options.maximize;
    given.master_weights = options.master_weights;
    given.stochastic_rounding = options.stochastic_rounding;
    return optimizer::owned((fa_optim_adagrad)(parameters.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::optimizer adagrad(const fa::parameters &parameters, Number lr, FA__HERE)
{
    adagrad_options options;
    options.lr = static_cast<double>(lr);
    return adagrad(parameters, options, file, line);
}

} // namespace optim

namespace lr {

struct step_lr_options {
    double gamma = 0.1;
};
inline schedule step_lr(const fa::optimizer &optimizer, int64_t step_size, const step_lr_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_schedule_step_lr_options given = FA__DEFAULT_fa_schedule_step_lr;
    given.gamma = options.gamma;
    return schedule::owned((fa_schedule_step_lr)(optimizer.get(), step_size, &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::schedule step_lr(const fa::optimizer &optimizer, int64_t step_size, Number gamma, FA__HERE)
{
    step_lr_options options;
    options.gamma = static_cast<double>(gamma);
    return step_lr(optimizer, step_size, options, file, line);
}

struct multi_step_options {
    double gamma = 0.1;
};
inline schedule multi_step(const fa::optimizer &optimizer, const fa::numbers &milestones, const multi_step_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_schedule_multi_step_options given = FA__DEFAULT_fa_schedule_multi_step;
    given.gamma = options.gamma;
    return schedule::owned((fa_schedule_multi_step)(optimizer.get(), milestones.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::schedule multi_step(const fa::optimizer &optimizer, const fa::numbers &milestones, Number gamma, FA__HERE)
{
    multi_step_options options;
    options.gamma = static_cast<double>(gamma);
    return multi_step(optimizer, milestones, options, file, line);
}

inline schedule exponential(const fa::optimizer &optimizer, double gamma, FA__HERE)
{
    const detail::call here(file, line);
    return schedule::owned((fa_schedule_exponential)(optimizer.get(), gamma));
}

struct cosine_options {
    double eta_min = 0;
};
inline schedule cosine(const fa::optimizer &optimizer, int64_t t_max, const cosine_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_schedule_cosine_options given = FA__DEFAULT_fa_schedule_cosine;
    given.eta_min = options.eta_min;
    return schedule::owned((fa_schedule_cosine)(optimizer.get(), t_max, &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::schedule cosine(const fa::optimizer &optimizer, int64_t t_max, Number eta_min, FA__HERE)
{
    cosine_options options;
    options.eta_min = static_cast<double>(eta_min);
    return cosine(optimizer, t_max, options, file, line);
}

struct linear_options {
    double start_factor = 1.0 / 3;
    double end_factor = 1;
    int64_t total_iters = 5;
};
inline schedule linear(const fa::optimizer &optimizer, const linear_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_schedule_linear_options given = FA__DEFAULT_fa_schedule_linear;
    given.start_factor = options.start_factor;
    given.end_factor = options.end_factor;
    given.total_iters = options.total_iters;
    return schedule::owned((fa_schedule_linear)(optimizer.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::schedule linear(const fa::optimizer &optimizer, Number start_factor, FA__HERE)
{
    linear_options options;
    options.start_factor = static_cast<double>(start_factor);
    return linear(optimizer, options, file, line);
}

struct constant_options {
    double factor = 1.0 / 3;
    int64_t total_iters = 5;
};
inline schedule constant(const fa::optimizer &optimizer, const constant_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_schedule_constant_options given = FA__DEFAULT_fa_schedule_constant;
    given.factor = options.factor;
    given.total_iters = options.total_iters;
    return schedule::owned((fa_schedule_constant)(optimizer.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::schedule constant(const fa::optimizer &optimizer, Number factor, FA__HERE)
{
    constant_options options;
    options.factor = static_cast<double>(factor);
    return constant(optimizer, options, file, line);
}

struct one_cycle_options {
    double pct_start = 0.3;
    fa::text anneal_strategy = "cos";
    bool cycle_momentum = true;
    double base_momentum = 0.85;
    double max_momentum = 0.95;
    double div_factor = 25;
    double final_div_factor = 1e4;
    bool three_phase = false;
    fa::numbers max_lrs = {};
};
inline schedule one_cycle(const fa::optimizer &optimizer, double max_lr, int64_t total_steps, const one_cycle_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_schedule_one_cycle_options given = FA__DEFAULT_fa_schedule_one_cycle;
    given.pct_start = options.pct_start;
    given.anneal_strategy = options.anneal_strategy.get();
    given.cycle_momentum = options.cycle_momentum;
    given.base_momentum = options.base_momentum;
    given.max_momentum = options.max_momentum;
    given.div_factor = options.div_factor;
    given.final_div_factor = options.final_div_factor;
    given.three_phase = options.three_phase;
    given.max_lrs = options.max_lrs.get();
    return schedule::owned((fa_schedule_one_cycle)(optimizer.get(), max_lr, total_steps, &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::schedule one_cycle(const fa::optimizer &optimizer, double max_lr, int64_t total_steps, Number pct_start, FA__HERE)
{
    one_cycle_options options;
    options.pct_start = static_cast<double>(pct_start);
    return one_cycle(optimizer, max_lr, total_steps, options, file, line);
}

struct cyclic_options {
    int64_t step_size_up = 2000;
    int64_t step_size_down = 0;
    fa::text mode = "triangular";
    double gamma = 1;
    bool cycle_momentum = true;
    double base_momentum = 0.8;
    double max_momentum = 0.9;
};
inline schedule cyclic(const fa::optimizer &optimizer, double base_lr, double max_lr, const cyclic_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_schedule_cyclic_options given = FA__DEFAULT_fa_schedule_cyclic;
    given.step_size_up = options.step_size_up;
    given.step_size_down = options.step_size_down;
    given.mode = options.mode.get();
    given.gamma = options.gamma;
    given.cycle_momentum = options.cycle_momentum;
    given.base_momentum = options.base_momentum;
    given.max_momentum = options.max_momentum;
    return schedule::owned((fa_schedule_cyclic)(optimizer.get(), base_lr, max_lr, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::schedule cyclic(const fa::optimizer &optimizer, double base_lr, double max_lr, Number step_size_up, FA__HERE)
{
    cyclic_options options;
    options.step_size_up = static_cast<int64_t>(step_size_up);
    return cyclic(optimizer, base_lr, max_lr, options, file, line);
}

struct reduce_on_plateau_options {
    fa::text mode = "min";
    double factor = 0.1;
    int64_t patience = 10;
    double threshold = 1e-4;
    fa::text threshold_mode = "rel";
    int64_t cooldown = 0;
    double min_lr = 0;
    double eps = 1e-8;
    fa::numbers min_lrs = {};
};
inline schedule reduce_on_plateau(const fa::optimizer &optimizer, const reduce_on_plateau_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_schedule_reduce_on_plateau_options given = FA__DEFAULT_fa_schedule_reduce_on_plateau;
    given.mode = options.mode.get();
    given.factor = options.factor;
    given.patience = options.patience;
    given.threshold = options.threshold;
    given.threshold_mode = options.threshold_mode.get();
    given.cooldown = options.cooldown;
    given.min_lr = options.min_lr;
    given.eps = options.eps;
    given.min_lrs = options.min_lrs.get();
    return schedule::owned((fa_schedule_reduce_on_plateau)(optimizer.get(), &given));
}

} // namespace lr

namespace data {

inline dataset tensors(const fa::tensors &tensors, FA__HERE)
{
    const detail::call here(file, line);
    return dataset::owned((fa__data_tensors)(tensors.get()));
}

struct digits_options {
    bool train = true;
    int64_t seed = 0;
    fa::module transform = {};
};
inline dataset digits(const digits_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_digits_options given = FA__DEFAULT_fa_data_digits;
    given.train = options.train;
    given.seed = options.seed;
    given.transform = options.transform.get();
    return dataset::owned((fa_data_digits)(&given));
}

inline dataset transformed(const fa::dataset &dataset, const fa::module &transform, FA__HERE)
{
    const detail::call here(file, line);
    return dataset::owned((fa_data_transformed)(dataset.get(), transform.get()));
}

struct mnist_options {
    bool train = true;
    fa::module transform = {};
    bool download = false;
};
inline dataset mnist(const fa::text &folder, const mnist_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_mnist_options given = FA__DEFAULT_fa_data_mnist;
    given.train = options.train;
    given.transform = options.transform.get();
    given.download = options.download;
    return dataset::owned((fa_data_mnist)(folder.get(), &given));
}

struct fashion_mnist_options {
    bool train = true;
    fa::module transform = {};
    bool download = false;
};
inline dataset fashion_mnist(const fa::text &folder, const fashion_mnist_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_mnist_options given = FA__DEFAULT_fa_data_fashion_mnist;
    given.train = options.train;
    given.transform = options.transform.get();
    given.download = options.download;
    return dataset::owned((fa_data_fashion_mnist)(folder.get(), &given));
}

struct kmnist_options {
    bool train = true;
    fa::module transform = {};
    bool download = false;
};
inline dataset kmnist(const fa::text &folder, const kmnist_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_mnist_options given = FA__DEFAULT_fa_data_kmnist;
    given.train = options.train;
    given.transform = options.transform.get();
    given.download = options.download;
    return dataset::owned((fa_data_kmnist)(folder.get(), &given));
}

struct emnist_options {
    bool train = true;
    fa::module transform = {};
    bool download = false;
};
inline dataset emnist(const fa::text &folder, const fa::text &split, const emnist_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_emnist_options given = FA__DEFAULT_fa_data_emnist;
    given.train = options.train;
    given.transform = options.transform.get();
    given.download = options.download;
    return dataset::owned((fa_data_emnist)(folder.get(), split.get(), &given));
}

struct cifar10_options {
    bool train = true;
    fa::module transform = {};
    bool download = false;
};
inline dataset cifar10(const fa::text &folder, const cifar10_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_mnist_options given = FA__DEFAULT_fa_data_cifar10;
    given.train = options.train;
    given.transform = options.transform.get();
    given.download = options.download;
    return dataset::owned((fa_data_cifar10)(folder.get(), &given));
}

struct cifar100_options {
    bool train = true;
    fa::module transform = {};
    bool coarse = false;
    bool download = false;
};
inline dataset cifar100(const fa::text &folder, const cifar100_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_cifar100_options given = FA__DEFAULT_fa_data_cifar100;
    given.train = options.train;
    given.transform = options.transform.get();
    given.coarse = options.coarse;
    given.download = options.download;
    return dataset::owned((fa_data_cifar100)(folder.get(), &given));
}

inline dataset cached(const fa::dataset &dataset, FA__HERE)
{
    const detail::call here(file, line);
    return dataset::owned((fa_data_cached)(dataset.get()));
}

inline dataset cached_in(const fa::dataset &dataset, const fa::text &folder, FA__HERE)
{
    const detail::call here(file, line);
    return dataset::owned((fa_data_cached_in)(dataset.get(), folder.get()));
}

struct padded_options {
    double value = 0;
    double target_value = -100;
    int64_t multiple = 1;
    bool lengths = false;
};
inline dataset padded(const fa::dataset &dataset, const padded_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_padded_options given = FA__DEFAULT_fa_data_padded;
    given.value = options.value;
    given.target_value = options.target_value;
    given.multiple = options.multiple;
    given.lengths = options.lengths;
    return dataset::owned((fa_data_padded)(dataset.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::dataset padded(const fa::dataset &dataset, Number value, FA__HERE)
{
    padded_options options;
    options.value = static_cast<double>(value);
    return padded(dataset, options, file, line);
}

struct webdataset_options {
    fa::text input = {};
    fa::text target = {};
    fa::text extra = {};
    fa::module transform = {};
    int64_t channels = 3;
    int64_t shuffle = 0;
    int64_t rank = 0;
    int64_t ranks = 1;
};
inline dataset webdataset(const fa::text &shards, const webdataset_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_webdataset_options given = FA__DEFAULT_fa_data_webdataset;
    given.input = options.input.get();
    given.target = options.target.get();
    given.extra = options.extra.get();
    given.transform = options.transform.get();
    given.channels = options.channels;
    given.shuffle = options.shuffle;
    given.rank = options.rank;
    given.ranks = options.ranks;
    return dataset::owned((fa_data_webdataset)(shards.get(), &given));
}

struct image_folder_options {
    fa::module transform = {};
    int64_t channels = 3;
};
inline dataset image_folder(const fa::text &folder, const image_folder_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_image_folder_options given = FA__DEFAULT_fa_data_image_folder;
    given.transform = options.transform.get();
    given.channels = options.channels;
    return dataset::owned((fa_data_image_folder)(folder.get(), &given));
}

struct csv_options {
    fa::text target = {};
    int64_t header = -1;
    int64_t delimiter = 0;
    fa_missing missing = FA_MISSING_FAIL;
    fa_dtype target_dtype = FA_SAME;
};
inline dataset csv(const fa::text &path, const csv_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_csv_options given = FA__DEFAULT_fa_data_csv;
    given.target = options.target.get();
    given.header = options.header;
    given.delimiter = options.delimiter;
    given.missing = options.missing;
    given.target_dtype = options.target_dtype;
    return dataset::owned((fa_data_csv)(path.get(), &given));
}

struct text_options {
    fa_token_kind token = FA_TOKEN_BYTES;
    int64_t stride = 0;
};
inline dataset text(const fa::text &path, int64_t block_size, const text_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_text_options given = FA__DEFAULT_fa_data_text;
    given.token = options.token;
    given.stride = options.stride;
    return dataset::owned((fa_data_text)(path.get(), block_size, &given));
}

struct npy_options {
    fa::text target = {};
    fa::text input = {};
};
inline dataset npy(const fa::text &path, const npy_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_npy_options given = FA__DEFAULT_fa_data_npy;
    given.target = options.target.get();
    given.input = options.input.get();
    return dataset::owned((fa_data_npy)(path.get(), &given));
}

} // namespace data

namespace data {

struct loader_options {
    int64_t batch_size = 1;
    bool shuffle = false;
    fa::sampler sampler = {};
    bool drop_last = false;
    int64_t seed = -1;
    fa::device device = {};
    int64_t workers = 0;
    int64_t prefetch = 0;
    bool skip_bad_samples = false;
    double timeout = 0;
};
inline loader loader(const fa::dataset &dataset, const loader_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_data_loader_options given = FA__DEFAULT_fa_data_loader;
    given.batch_size = options.batch_size;
    given.shuffle = options.shuffle;
    given.sampler = options.sampler.get();
    given.drop_last = options.drop_last;
    given.seed = options.seed;
    given.device = options.device.get();
    given.workers = options.workers;
    given.prefetch = options.prefetch;
    given.skip_bad_samples = options.skip_bad_samples;
    given.timeout = options.timeout;
    return loader::owned((fa_data_loader)(dataset.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::loader loader(const fa::dataset &dataset, Number batch_size, FA__HERE)
{
    loader_options options;
    options.batch_size = static_cast<int64_t>(batch_size);
    return loader(dataset, options, file, line);
}

} // namespace data

namespace transform {

inline module to_tensor(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_to_tensor)());
}

inline module normalize(const fa::numbers &mean, const fa::numbers &std, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_normalize)(mean.get(), std.get()));
}

struct random_crop_options {
    fa::pair padding = 0;
    double fill = 0;
};
inline module random_crop(const fa::pair &size, const random_crop_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_random_crop_options given = FA__DEFAULT_fa_transform_random_crop;
    given.padding = options.padding.get();
    given.fill = options.fill;
    return module::owned((fa_transform_random_crop)(size.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module random_crop(const fa::pair &size, Number padding, FA__HERE)
{
    random_crop_options options;
    options.padding = static_cast<int64_t>(padding);
    return random_crop(size, options, file, line);
}

struct random_horizontal_flip_options {
    double p = 0.5;
};
inline module random_horizontal_flip(const random_horizontal_flip_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_random_horizontal_flip_options given = FA__DEFAULT_fa_transform_random_horizontal_flip;
    given.p = options.p;
    return module::owned((fa_transform_random_horizontal_flip)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module random_horizontal_flip(Number p, FA__HERE)
{
    random_horizontal_flip_options options;
    options.p = static_cast<double>(p);
    return random_horizontal_flip(options, file, line);
}

struct random_vertical_flip_options {
    double p = 0.5;
};
inline module random_vertical_flip(const random_vertical_flip_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_random_vertical_flip_options given = FA__DEFAULT_fa_transform_random_vertical_flip;
    given.p = options.p;
    return module::owned((fa_transform_random_vertical_flip)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module random_vertical_flip(Number p, FA__HERE)
{
    random_vertical_flip_options options;
    options.p = static_cast<double>(p);
    return random_vertical_flip(options, file, line);
}

struct resize_options {
    fa_interpolation interpolation = FA_BILINEAR;
    bool antialias = true;
};
inline module resize(const fa::pair &size, const resize_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_resize_options given = FA__DEFAULT_fa_transform_resize;
    given.interpolation = options.interpolation;
    given.antialias = options.antialias;
    return module::owned((fa_transform_resize)(size.get(), &given));
}

inline module center_crop(const fa::pair &size, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_center_crop)(size.get()));
}

struct random_resized_crop_options {
    fa::numbers scale = {};
    fa::numbers ratio = {};
    fa_interpolation interpolation = FA_BILINEAR;
    bool antialias = true;
};
inline module random_resized_crop(const fa::pair &size, const random_resized_crop_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_random_resized_crop_options given = FA__DEFAULT_fa_transform_random_resized_crop;
    given.scale = options.scale.get();
    given.ratio = options.ratio.get();
    given.interpolation = options.interpolation;
    given.antialias = options.antialias;
    return module::owned((fa_transform_random_resized_crop)(size.get(), &given));
}

struct pad_options {
    double fill = 0;
};
inline module pad(const fa::pair &padding, const pad_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_pad_options given = FA__DEFAULT_fa_transform_pad;
    given.fill = options.fill;
    return module::owned((fa_transform_pad)(padding.get(), &given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module pad(const fa::pair &padding, Number fill, FA__HERE)
{
    pad_options options;
    options.fill = static_cast<double>(fill);
    return pad(padding, options, file, line);
}

struct random_affine_options {
    fa::numbers translate = {};
    fa::numbers scale = {};
    fa::numbers shear = {};
    fa_interpolation interpolation = FA_NEAREST;
    double fill = 0;
};
inline module random_affine(double degrees, const random_affine_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_random_affine_options given = FA__DEFAULT_fa_transform_random_affine;
    given.translate = options.translate.get();
    given.scale = options.scale.get();
    given.shear = options.shear.get();
    given.interpolation = options.interpolation;
    given.fill = options.fill;
    return module::owned((fa_transform_random_affine)(degrees, &given));
}

struct random_rotation_options {
    fa_interpolation interpolation = FA_NEAREST;
    double fill = 0;
};
inline module random_rotation(double degrees, const random_rotation_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_random_rotation_options given = FA__DEFAULT_fa_transform_random_rotation;
    given.interpolation = options.interpolation;
    given.fill = options.fill;
    return module::owned((fa_transform_random_rotation)(degrees, &given));
}

struct random_perspective_options {
    double distortion = 0.5;
    double p = 0.5;
    fa_interpolation interpolation = FA_BILINEAR;
    double fill = 0;
};
inline module random_perspective(const random_perspective_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_random_perspective_options given = FA__DEFAULT_fa_transform_random_perspective;
    given.distortion = options.distortion;
    given.p = options.p;
    given.interpolation = options.interpolation;
    given.fill = options.fill;
    return module::owned((fa_transform_random_perspective)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module random_perspective(Number distortion, FA__HERE)
{
    random_perspective_options options;
    options.distortion = static_cast<double>(distortion);
    return random_perspective(options, file, line);
}

struct color_jitter_options {
    double brightness = 0;
    double contrast = 0;
    double saturation = 0;
    double hue = 0;
};
inline module color_jitter(const color_jitter_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_color_jitter_options given = FA__DEFAULT_fa_transform_color_jitter;
    given.brightness = options.brightness;
    given.contrast = options.contrast;
    given.saturation = options.saturation;
    given.hue = options.hue;
    return module::owned((fa_transform_color_jitter)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module color_jitter(Number brightness, FA__HERE)
{
    color_jitter_options options;
    options.brightness = static_cast<double>(brightness);
    return color_jitter(options, file, line);
}

inline module grayscale(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_grayscale)());
}

struct gaussian_blur_options {
    fa::numbers sigma = {};
};
inline module gaussian_blur(const fa::pair &kernel_size, const gaussian_blur_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_gaussian_blur_options given = FA__DEFAULT_fa_transform_gaussian_blur;
    given.sigma = options.sigma.get();
    return module::owned((fa_transform_gaussian_blur)(kernel_size.get(), &given));
}

struct random_erasing_options {
    double p = 0.5;
    fa::numbers scale = {};
    fa::numbers ratio = {};
    double value = 0;
};
inline module random_erasing(const random_erasing_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_random_erasing_options given = FA__DEFAULT_fa_transform_random_erasing;
    given.p = options.p;
    given.scale = options.scale.get();
    given.ratio = options.ratio.get();
    given.value = options.value;
    return module::owned((fa_transform_random_erasing)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::module random_erasing(Number p, FA__HERE)
{
    random_erasing_options options;
    options.p = static_cast<double>(p);
    return random_erasing(options, file, line);
}

inline module autocontrast(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_autocontrast)());
}

inline module equalize(FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_equalize)());
}

inline module posterize(int64_t bits, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_posterize)(bits));
}

inline module solarize(double threshold, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_solarize)(threshold));
}

struct rand_augment_options {
    int64_t num_ops = 2;
    int64_t magnitude = 9;
    int64_t num_magnitude_bins = 31;
    fa_interpolation interpolation = FA_NEAREST;
};
inline module rand_augment(const rand_augment_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_rand_augment_options given = FA__DEFAULT_fa_transform_rand_augment;
    given.num_ops = options.num_ops;
    given.magnitude = options.magnitude;
    given.num_magnitude_bins = options.num_magnitude_bins;
    given.interpolation = options.interpolation;
    return module::owned((fa_transform_rand_augment)(&given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::module rand_augment(Number num_ops, FA__HERE)
{
    rand_augment_options options;
    options.num_ops = static_cast<int64_t>(num_ops);
    return rand_augment(options, file, line);
}

struct auto_augment_options {
    fa_interpolation interpolation = FA_NEAREST;
};
inline module auto_augment(const auto_augment_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_transform_auto_augment_options given = FA__DEFAULT_fa_transform_auto_augment;
    given.interpolation = options.interpolation;
    return module::owned((fa_transform_auto_augment)(&given));
}

inline module random_choice(const fa::module &transforms, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_random_choice)(transforms.get()));
}

inline module random_apply(const fa::module &transform, double p, FA__HERE)
{
    const detail::call here(file, line);
    return module::owned((fa_transform_random_apply)(transform.get(), p));
}

} // namespace transform

namespace init {

struct uniform__options {
    double a = 0;
    double b = 1;
};
inline tensor uniform_(const fa::tensor &t, const uniform__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_init_uniform__options given = FA__DEFAULT_fa_init_uniform_;
    given.a = options.a;
    given.b = options.b;
    detail::good((fa_init_uniform_)(t.get(), &given));
    return t;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor uniform_(const fa::tensor &t, Number a, FA__HERE)
{
    uniform__options options;
    options.a = static_cast<double>(a);
    return uniform_(t, options, file, line);
}

struct normal__options {
    double mean = 0;
    double std = 1;
};
inline tensor normal_(const fa::tensor &t, const normal__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_init_normal__options given = FA__DEFAULT_fa_init_normal_;
    given.mean = options.mean;
    given.std = options.std;
    detail::good((fa_init_normal_)(t.get(), &given));
    return t;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor normal_(const fa::tensor &t, Number mean, FA__HERE)
{
    normal__options options;
    options.mean = static_cast<double>(mean);
    return normal_(t, options, file, line);
}

struct trunc_normal__options {
    double mean = 0;
    double std = 1;
    double a = -2;
    double b = 2;
};
inline tensor trunc_normal_(const fa::tensor &t, const trunc_normal__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_init_trunc_normal__options given = FA__DEFAULT_fa_init_trunc_normal_;
    given.mean = options.mean;
    given.std = options.std;
    given.a = options.a;
    given.b = options.b;
    detail::good((fa_init_trunc_normal_)(t.get(), &given));
    return t;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor trunc_normal_(const fa::tensor &t, Number mean, FA__HERE)
{
    trunc_normal__options options;
    options.mean = static_cast<double>(mean);
    return trunc_normal_(t, options, file, line);
}

inline tensor constant_(const fa::tensor &t, double value, FA__HERE)
{
    const detail::call here(file, line);
    detail::good((fa_init_constant_)(t.get(), value));
    return t;
}

struct xavier_uniform__options {
    double gain = 1;
};
inline tensor xavier_uniform_(const fa::tensor &t, const xavier_uniform__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_init_xavier_uniform__options given = FA__DEFAULT_fa_init_xavier_uniform_;
    given.gain = options.gain;
    detail::good((fa_init_xavier_uniform_)(t.get(), &given));
    return t;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor xavier_uniform_(const fa::tensor &t, Number gain, FA__HERE)
{
    xavier_uniform__options options;
    options.gain = static_cast<double>(gain);
    return xavier_uniform_(t, options, file, line);
}

struct xavier_normal__options {
    double gain = 1;
};
inline tensor xavier_normal_(const fa::tensor &t, const xavier_normal__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_init_xavier_uniform__options given = FA__DEFAULT_fa_init_xavier_normal_;
    given.gain = options.gain;
    detail::good((fa_init_xavier_normal_)(t.get(), &given));
    return t;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor xavier_normal_(const fa::tensor &t, Number gain, FA__HERE)
{
    xavier_normal__options options;
    options.gain = static_cast<double>(gain);
    return xavier_normal_(t, options, file, line);
}

struct kaiming_uniform__options {
    double a = 0;
    fa::text mode = "fan_in";
    fa::text nonlinearity = "leaky_relu";
};
inline tensor kaiming_uniform_(const fa::tensor &t, const kaiming_uniform__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_init_kaiming_uniform__options given = FA__DEFAULT_fa_init_kaiming_uniform_;
    given.a = options.a;
    given.mode = options.mode.get();
    given.nonlinearity = options.nonlinearity.get();
    detail::good((fa_init_kaiming_uniform_)(t.get(), &given));
    return t;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor kaiming_uniform_(const fa::tensor &t, Number a, FA__HERE)
{
    kaiming_uniform__options options;
    options.a = static_cast<double>(a);
    return kaiming_uniform_(t, options, file, line);
}

struct kaiming_normal__options {
    double a = 0;
    fa::text mode = "fan_in";
    fa::text nonlinearity = "leaky_relu";
};
inline tensor kaiming_normal_(const fa::tensor &t, const kaiming_normal__options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_init_kaiming_uniform__options given = FA__DEFAULT_fa_init_kaiming_normal_;
    given.a = options.a;
    given.mode = options.mode.get();
    given.nonlinearity = options.nonlinearity.get();
    detail::good((fa_init_kaiming_normal_)(t.get(), &given));
    return t;
}

template <class Number, detail::if_number<Number> = 0>
inline fa::tensor kaiming_normal_(const fa::tensor &t, Number a, FA__HERE)
{
    kaiming_normal__options options;
    options.a = static_cast<double>(a);
    return kaiming_normal_(t, options, file, line);
}

} // namespace init

namespace amp {

struct scaler_options {
    double init_scale = 65536;
    double growth_factor = 2;
    double backoff_factor = 0.5;
    int64_t growth_interval = 2000;
    double min_scale = 0x1p-24;
    bool enabled = true;
};
inline grad_scaler scaler(const scaler_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_amp_scaler_options given = FA__DEFAULT_fa_amp_scaler;
    given.init_scale = options.init_scale;
    given.growth_factor = options.growth_factor;
    given.backoff_factor = options.backoff_factor;
    given.growth_interval = options.growth_interval;
    given.min_scale = options.min_scale;
    given.enabled = options.enabled;
    return grad_scaler::owned((fa_amp_scaler)(&given));
}

template <class Number, detail::if_number<Number> = 0>
inline fa::grad_scaler scaler(Number init_scale, FA__HERE)
{
    scaler_options options;
    options.init_scale = static_cast<double>(init_scale);
    return scaler(options, file, line);
}

} // namespace amp

namespace samplers {

inline sampler sequential(const fa::dataset &dataset, FA__HERE)
{
    const detail::call here(file, line);
    return sampler::owned((fa_sampler_sequential)(dataset.get()));
}

struct random_options {
    bool replacement = false;
    int64_t num_samples = -1;
    int64_t seed = -1;
};
inline sampler random(const fa::dataset &dataset, const random_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sampler_random_options given = FA__DEFAULT_fa_sampler_random;
    given.replacement = options.replacement;
    given.num_samples = options.num_samples;
    given.seed = options.seed;
    return sampler::owned((fa_sampler_random)(dataset.get(), &given));
}

struct weighted_options {
    int64_t num_samples = -1;
    bool replacement = true;
    int64_t seed = -1;
};
inline sampler weighted(const fa::tensor &weights, const weighted_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sampler_weighted_options given = FA__DEFAULT_fa_sampler_weighted;
    given.num_samples = options.num_samples;
    given.replacement = options.replacement;
    given.seed = options.seed;
    return sampler::owned((fa_sampler_weighted)(weights.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::sampler weighted(const fa::tensor &weights, Number num_samples, FA__HERE)
{
    weighted_options options;
    options.num_samples = static_cast<int64_t>(num_samples);
    return weighted(weights, options, file, line);
}

inline sampler stratified(const fa::tensor &labels, FA__HERE)
{
    const detail::call here(file, line);
    return sampler::owned((fa_sampler_stratified)(labels.get()));
}

struct bucketed_options {
    int64_t pool = 100;
    int64_t seed = -1;
};
inline sampler bucketed(const fa::tensor &lengths, int64_t batch_size, const bucketed_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sampler_bucketed_options given = FA__DEFAULT_fa_sampler_bucketed;
    given.pool = options.pool;
    given.seed = options.seed;
    return sampler::owned((fa_sampler_bucketed)(lengths.get(), batch_size, &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::sampler bucketed(const fa::tensor &lengths, int64_t batch_size, Number pool, FA__HERE)
{
    bucketed_options options;
    options.pool = static_cast<int64_t>(pool);
    return bucketed(lengths, batch_size, options, file, line);
}

struct distributed_options {
    int64_t num_replicas = 1;
    int64_t rank = 0;
    bool shuffle = true;
    int64_t seed = 0;
    bool drop_last = false;
};
inline sampler distributed(const fa::dataset &dataset, const distributed_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_sampler_distributed_options given = FA__DEFAULT_fa_sampler_distributed;
    given.num_replicas = options.num_replicas;
    given.rank = options.rank;
    given.shuffle = options.shuffle;
    given.seed = options.seed;
    given.drop_last = options.drop_last;
    return sampler::owned((fa_sampler_distributed)(dataset.get(), &given));
}

template <class Number, detail::if_integer<Number> = 0>
inline fa::sampler distributed(const fa::dataset &dataset, Number num_replicas, FA__HERE)
{
    distributed_options options;
    options.num_replicas = static_cast<int64_t>(num_replicas);
    return distributed(dataset, options, file, line);
}

} // namespace samplers

} // namespace fa
#endif
