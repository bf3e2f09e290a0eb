/** @file
 *  Facula for C++17 and later: handles that free what they hold, operators, exceptions. Header only; programs link
 *  libfacula.
 *
 *      #include <facula/facula.hpp>
 *
 *      fa::tensor w = fa::randn({3, 4}, {.requires_grad = true});
 *      fa::tensor y = fa::relu(fa::matmul(x, w) * 2 + b);
 *      fa::sum(y, {.dim = 0}).print();
 *
 *  - fa::NAME() is C's fa_NAME(), which has the documentation: of operations, and in namespaces of layers
 * (fa::nn::linear), optimizers (fa::optim::sgd), learning rates (fa::lr::cosine), datasets (fa::data::digits),
 * transforms and initializations.
 *  - Options are the last argument: in C++20 {.dim = 1, .keepdim = true}, in C++17 {1, true}, in the order of C's. The
 * first needs no braces if it is a number: fa::argmax(x, 1), and may be several dimensions: fa::sum(x, {0, 1}).
 *  - Handles (tensor, module, optimizer, ...) are counted references: copies are cheap and refer to the same object.
 * The object is freed with its last reference, in no matter which scope or thread. A default-constructed handle refers
 * to none. Assigning to a variable makes it refer to another object; x[0] = 5 writes into x.
 *  - A call that fails throws fa::error, with the message of the library, which begins with the file and line of the
 * call.
 *  - Threads may use these as C's functions: one handle must not be changed by one thread while another uses it. */
#ifndef FACULA_HPP
#define FACULA_HPP
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <facula/facula.h>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

/* Where a call is made from. */
#define FA__HERE fa::detail::file_name file = __builtin_FILE(), int line = __builtin_LINE()
namespace fa
{
namespace detail
{
/* The name of a file; no 0, which would be a pointer: x.view(6, 0) does not compile. */
class file_name
{
  public:
    template <class T, class = std::enable_if_t<std::is_same<T, const char *>::value>>
    constexpr file_name(T file) : name(file)
    {
    }
    constexpr operator const char *() const
    {
        return name;
    }

  private:
    const char *name;
};
} // namespace detail
} // namespace fa

/** Prints a dtype to a stream: f32. */
inline std::ostream &operator<<(std::ostream &to, fa_dtype dtype)
{
    return to << (dtype == FA_SAME ? "FA_SAME" : (fa_dtype_name)(dtype));
}
/** Prints a device to a stream: cuda:1, or default for that of the settings in force. */
inline std::ostream &operator<<(std::ostream &to, fa_device device)
{
    return to << (device.kind ? (fa_device_name)(device) : "default");
}
/** Whether two devices are the same. */
inline bool operator==(fa_device a, fa_device b)
{
    return (fa_device_equal)(a, b);
}
/** Whether two devices differ. */
inline bool operator!=(fa_device a, fa_device b)
{
    return !(a == b);
}

namespace fa
{

/* ---- errors ---- */

/** What a call throws that fails: the message is fa_error_message(). */
class error : public std::runtime_error
{
  public:
    /** An error of a kind, with a message. */
    error(fa_code code, const std::string &message) : std::runtime_error(message), kind(code)
    {
    }
    /** The kind of error. */
    fa_code code() const noexcept
    {
        return kind;
    }

  private:
    fa_code kind;
};

namespace detail
{

/* For arguments that are numbers, or how a loss is reduced. */
template <class T>
using if_number = std::enable_if_t<std::is_arithmetic<T>::value && !std::is_same<T, bool>::value, int>;
template <class T>
using if_integer = std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, int>;
template <class T> using if_reduction = std::enable_if_t<std::is_same<T, fa_reduction>::value, int>;
template <class T> using if_dtype = std::enable_if_t<std::is_same<T, fa_dtype>::value, int>;

/* Exceptions of callbacks, on their way through functions in C, which may go on in another thread: it knows them by
 * their text, with which the message of the error ends. The oldest go when there are many that nobody has thrown again.
 */
struct thrown {
    std::exception_ptr exception;
    std::string text;
    std::thread::id thread;
};
struct all_thrown {
    std::mutex lock;
    std::deque<thrown> list;
};
inline all_thrown &on_their_way()
{
    static all_thrown all;
    return all;
}

inline void put_thrown(const char *text)
{
    constexpr std::size_t most = 64;
    all_thrown &all = on_their_way();
    const std::lock_guard<std::mutex> locked(all.lock);
    if (all.list.size() == most)
        all.list.pop_front();
    all.list.push_back({std::current_exception(), text, std::this_thread::get_id()});
}

/* The exception that an error with this message was; this thread's own comes first. */
inline std::exception_ptr take_thrown(const std::string &message)
{
    all_thrown &all = on_their_way();
    const std::lock_guard<std::mutex> locked(all.lock);
    const auto own = std::this_thread::get_id();
    auto found = all.list.end();
    for (auto i = all.list.begin(); i != all.list.end(); ++i)
        if ((i->thread == own || !i->text.empty()) && message.find(i->text) != std::string::npos
            && (found == all.list.end() || (i->thread == own && found->thread != own)))
            found = i;
    if (found == all.list.end())
        return nullptr;
    std::exception_ptr exception = found->exception;
    all.list.erase(found);
    return exception;
}

/* Whether a character may be part of a name, or of a path. */
inline bool of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* fa_get((2, 3) f32 cpu, "5") is x[5] of (2, 3) f32 cpu, and fa_set(x, "1:") is x["1:"] = y. */
inline std::string index_in_cpp(std::string message)
{
    for (std::size_t at = 0; (at = message.find("fa_", at)) != std::string::npos; at++) {
        const bool get = !message.compare(at, 7, "fa_get("), set = !message.compare(at, 7, "fa_set(");
        const std::size_t quote = get || set ? message.find(", \"", at) : std::string::npos;
        const std::size_t end = quote == std::string::npos ? quote : message.find("\")", quote + 3);
        if (end == std::string::npos || (at && of_name(message[at - 1])))
            continue;
        const std::string x = message.substr(at + 7, quote - at - 7),
                          where = message.substr(quote + 3, end - quote - 3);
        const bool number = where.find_first_not_of("-0123456789") == std::string::npos;
        std::string here = "x[" + (where == "..." || number ? where : '"' + where + '"') + "]";
        here += set ? " = y" : "";
        here += x == "x" ? "" : (set ? " with x of " : " of ") + x;
        message.replace(at, end + 2 - at, here);
    }
    return message;
}

/* A message of the library, in which what is no function of the same name in C++ is as C++ writes it. What may be a
 * part of a path stays. */
inline std::string in_cpp(std::string message)
{
    static const struct {
        std::string c, here;
    } idioms[] = {
        {"FA_USE(.no_grad = true)", "fa::no_grad"},
        {"FA_USE(.placement = FA_PLACE_AUTO)", "fa::use of settings with placement = FA_PLACE_AUTO"},
        {"FA_USE(.fallback = true)", "fa::use of settings with fallback = true"},
        {"FA_USE: .", "fa::use: "},
        {"under .no_grad", "under fa::no_grad"},
        {"fa_module_train(net, false)", "net.eval()"},
        {"fa_module_train(net, true)", "net.train()"},
        {"fa_module_add(self, \"name\", layer)", "member = add(\"name\", layer)"},
        {"fa_optim_zero_grad(optimizer)", "optimizer.zero_grad()"},
        {"fa_grad: ", "grad(): "},
        {"from a gradient that .grad gives", "from a gradient of its shape, as y.backward(gradient)"},
        {"fa_hook_grad is NULL", "on_grad(): the tensor is undefined or moved-from"},
        {"FA_EACH: ", "for (... : loader): "},
        {" is NULL", " is undefined or moved-from"},
        {".retain_graph = true", "backward({}, true)"},
        {"what was added to it", "what was added by add(\"name\", ...)"},
        {"has a .destroy function, which would free its data twice",
         "runs functions of C++, which cannot be copied: make a second one in the same way, and copy what its state() "
         "has"},
        {"fa_detach", "detach()"},
        {"fa_numel", "numel()"},
        {"fa_dim", "dim()"},
        {"fa_size", "size()"},
        {"fa_tensor_shape", "shape()"},
        {"fa_tensor_dtype", "dtype()"},
        {"fa_tensor_device", "device()"},
        {"fa_requires_grad", "requires_grad()"},
        {"fa_is_leaf", "is_leaf()"},
        {"fa_grad", "grad()"},
        {"fa_module_train", "train()"},
        {"fa_module_training", "training()"},
        {"fa_module_numel", "numel()"},
        {"fa_module_parameters", "parameters()"},
        {"fa_module_state", "state()"},
        {"fa_module_zero_grad", "zero_grad()"},
        {"fa_module_summary", "summary()"},
        {"fa_module_child", "child()"},
        {"fa_optim_lr", "optimizer.lr()"},
        {"fa_loader_length", "loader.length()"},
        {"fa_to", "to()"},
        {"fa_cpu", "cpu()"},
        {"fa_item", "item()"},
        {"fa_index", "index()"},
        {"fa_index_put_", "index_put_()"},
        {"fa_item_int", "item()"},
        {"fa_ptr", "data()"},
        {"fa_read", "to_vector()"},
        {"fa_backward", "backward()"},
        {"fa_set_requires_grad", "requires_grad()"},
        {"fa_retain_grad", "retain_grad()"},
        {"fa_tensor_from", "fa::tensor::from()"},
        {"fa_optim_step", "optimizer.step()"},
        {"fa_optim_zero_grad", "optimizer.zero_grad()"},
        {"fa_schedule_step", "schedule.step()"},
        {"fa_schedule_step_metric", "schedule.step()"},
        {"fa_scaler_scale", "scaler.scale()"},
        {"fa_scaler_step", "scaler.step()"},
        {"fa_scaler_unscale", "scaler.unscale()"},
        {"fa_scaler_update", "scaler.update()"},
        {"fa_meter_reset", "meter.reset()"},
    };
    for (const auto &i : idioms)
        for (std::size_t at = 0; (at = message.find(i.c, at)) != std::string::npos;) {
            const std::size_t end = at + i.c.size();
            const char before = at ? message[at - 1] : ' ', after = end < message.size() ? message[end] : ' ';
            const bool named = of_name(i.c.back()); /* and so a name may go on */
            const bool inside = i.c.front() != ' ' && (of_name(before) || before == '/' || before == '-');
            if (inside || (named && (of_name(after) || after == '/'))
                || (named && after == '.' && end + 1 < message.size() && of_name(message[end + 1]))) {
                at = end;
                continue;
            }
            const bool called = after == '(' && i.here.back() == ')'; /* its parentheses follow */
            message.replace(at, i.c.size(), i.here, 0, i.here.size() - (called ? 2 : 0));
            at += i.here.size() - (called ? 2 : 0);
        }
    return index_in_cpp(std::move(message));
}

/* While it lives, what the library writes to standard error is in the words of C++, too. */
class log_in_cpp
{
  public:
    log_in_cpp()
    {
        (void)in_cpp({}); /* its table then lives longer */
        fa__log_words(rewrite);
    }
    log_in_cpp(const log_in_cpp &) = delete;
    log_in_cpp &operator=(const log_in_cpp &) = delete;
    ~log_in_cpp()
    {
        fa__log_words(nullptr);
    }

  private:
    static void rewrite(char *message, std::size_t size)
    {
        try {
            std::snprintf(message, size, "%s", in_cpp(message).c_str());
        } catch (...) { /* then it stays as it is */
        }
    }
};

inline const log_in_cpp logs_in_cpp;

[[noreturn]] inline void raise()
{
    const std::string message = (fa_error_message)();
    const error e((fa_error_code)(), in_cpp(message));
    (fa_error_clear)();
    const std::exception_ptr pending = e.code() == FA_ERROR_USER ? take_thrown(message) : nullptr;
    if (pending)
        std::rethrow_exception(pending);
    throw e;
}

/* In a catch block of a callback: makes the exception an error, behind which raise() throws it again. That of a call
 * stays an error, to which the library adds where it came from. */
inline void gave_up()
{
    try {
        throw;
    } catch (const error &e) {
        (fa_fail)(e.code(), "%s", e.what());
    } catch (const std::exception &e) {
        put_thrown(e.what());
        (fa_fail)(FA_ERROR_USER, "%s", e.what());
    } catch (...) {
        put_thrown("an exception");
        (fa_fail)(FA_ERROR_USER, "an exception");
    }
}

inline void good(bool result)
{
    if (!result)
        raise();
}

inline void good(const void *result)
{
    good(result != nullptr);
}

/* For results whose NULL or 0 may be no error. */
inline void check()
{
    if ((fa_error_stands)())
        raise();
}

/* The text of a line, which lives until the process ends. */
inline const char *line_text(const char *file, int line)
{
    struct known {
        const char *file;
        int line;
        const char *text;
    };
    static thread_local known last[64];
    known &k = last[((reinterpret_cast<uintptr_t>(file) >> 4) + static_cast<unsigned>(line)) % 64];
    if (k.file != file || k.line != line)
        k = {file, line, (fa_line_of)(file, line)};
    return k.text;
}

/* Names the line of the program in messages while it lives. */
class at_line
{
  public:
    at_line(const char *file, int line) : outer(fa__line_enter(line_text(file, line)))
    {
    }
    at_line(const at_line &) = delete;
    at_line &operator=(const at_line &) = delete;
    ~at_line()
    {
        fa__line_leave(&outer);
    }

  private:
    const char *outer;
};

/* What a function says of an object, at a line. */
template <class T, class F> auto ask(const char *file, int line, F function, const T *object)
{
    const at_line here(file, line);
    const auto value = function(object);
    if (!object)
        check();
    return value;
}

/* An operand, and where it was written. */
template <class T> struct written {
    const T &value;
    const char *const written_in;
    const int written_at;
    written(const T &v, FA__HERE) : value(v), written_in(file), written_at(line)
    {
    }
};

} // namespace detail

/* ---- scopes and settings ---- */

/** A memory scope, for calls of C's functions between those here. */
class scope
{
  public:
    /** Opens a scope. */
    [[nodiscard]] scope() : number((fa_scope_enter)("fa::scope"))
    {
    }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
    ~scope()
    {
        (fa_scope_leave)(number);
    }

  private:
    size_t number;
};

namespace detail
{

/* A call: its line, and a scope for what it makes besides its result. */
class call
{
  public:
    call(const char *file, int line) : here(file, line)
    {
    }

  private:
    at_line here;
    scope temporary;
};

} // namespace detail

/** The settings in force, to be changed and handed to fa::use. */
inline fa_settings settings()
{
    return (fa_settings_now)();
}

/** Settings until the end of the block: auto s = fa::settings(); s.tf32 = true; fa::use with(s); */
class [[nodiscard]] use
{
  public:
    /** Puts settings in force. */
    [[nodiscard]] explicit use(const fa_settings &s, FA__HERE)
    {
        const detail::at_line here(file, line);
        number = (fa_use_enter)(&s);
        if (!number || (fa_error_stands)()) {
            (fa_use_leave)(number);
            detail::raise();
        }
    }
    use(const use &) = delete;
    use &operator=(const use &) = delete;
    ~use()
    {
        (fa_use_leave)(number);
    }

  private:
    size_t number = 0;
};

/** Records nothing for backward until the end of the block. */
class [[nodiscard]] no_grad : public use
{
  public:
    [[nodiscard]] explicit no_grad(FA__HERE) : use(without(), file, line)
    {
    }

  private:
    static fa_settings without()
    {
        fa_settings s = settings();
        s.no_grad = true;
        return s;
    }
};

/** Matrix products and convolutions in a dtype of 16 bits until the end of the block: fa::autocast in(FA_BF16); */
class [[nodiscard]] autocast : public use
{
  public:
    /** The dtype: FA_F16, FA_BF16, or FA_SAME for none. */
    [[nodiscard]] explicit autocast(fa_dtype dtype, FA__HERE) : use(with(dtype), file, line)
    {
    }

  private:
    static fa_settings with(fa_dtype dtype)
    {
        fa_settings s = settings();
        s.autocast = dtype;
        return s;
    }
};

/* ---- arguments ---- */

/** A text: a literal, a std::string, or none. */
class text
{
  public:
    /** None. */
    text() = default;
    /** A copy of C's text; nullptr is none. */
    text(const char *t) : kept(t ? t : ""), given(t != nullptr)
    {
    }
    /** A text. */
    text(std::string t) : kept(std::move(t)), given(true)
    {
    }
    /** That of C, which lives as long as this; nullptr for none. */
    const char *get() const
    {
        return given ? kept.c_str() : nullptr;
    }

  private:
    std::string kept;
    bool given = false;
};

/** A device: from fa_device, or from its name, as "cuda:0". */
class device
{
  public:
    /** The device of the settings in force. */
    device() = default;
    /** That of C. */
    device(fa_device d) : value(d)
    {
    }
    /** A number is none. */
    template <class N, class = std::enable_if_t<fa__is_no_device<N>>> device(N)
    {
        FA__NO_DEVICE(N);
    }
    /** The device with this name. */
    device(const std::string &name, FA__HERE) : device(name.c_str(), file, line)
    {
    }
    device(const char *name, FA__HERE)
    {
        const detail::call here(file, line);
        value = (fa_device_of)(name);
        detail::check();
    }
    /** The best one of the machine: a GPU, if there is one. */
    static device best()
    {
        return (fa_device_best)();
    }
    /** That of C. */
    fa_device get() const
    {
        return value;
    }
    /** Whether two devices are the same. */
    friend bool operator==(const device &a, const device &b)
    {
        return a.value == b.value;
    }
    /** Whether two devices differ. */
    friend bool operator!=(const device &a, const device &b)
    {
        return !(a == b);
    }

  private:
    fa_device value = {0, 0};
};

} // namespace fa

/** Whether two devices are the same: x.device() == "cpu". */
inline bool operator==(fa_device a, const fa::device &b)
{
    return a == b.get();
}
/** Whether two devices differ. */
inline bool operator!=(fa_device a, const fa::device &b)
{
    return !(a == b);
}

namespace fa
{

namespace detail
{

/* The number of a dimension, and where it was written. */
struct dimension {
    template <class N, class = std::enable_if_t<std::is_integral<N>::value || std::is_enum<N>::value>>
    dimension(N n, FA__HERE) : number(static_cast<int64_t>(n)), written_in(file), written_at(line)
    {
    }
    const int64_t number;
    const char *const written_in;
    const int written_at;
};

} // namespace detail

/** Sizes of dimensions: {2, 3}, and {} of a tensor with one element. */
class shape
{
  public:
    /** No dimensions. */
    shape() = default;
    /** One dimension. */
    template <class N, detail::if_integer<N> = 0> shape(N size) : shape({static_cast<int64_t>(size)})
    {
    }
    /** One size for each dimension. */
    shape(std::initializer_list<int64_t> sizes) : value(fa__array_of_sizes(sizes.size(), sizes.begin()))
    {
    }
    /** One size for each dimension. */
    shape(const std::vector<int64_t> &sizes) : value(fa__array_of_sizes(sizes.size(), sizes.data()))
    {
    }
    /** That of C. */
    shape(const fa_shape &s) : value(s)
    {
    }
    /** The number of dimensions. */
    int rank() const
    {
        return value.rank;
    }
    /** The size of a dimension; negative ones count from the end. An error if there is none. */
    int64_t operator[](const detail::dimension &dim) const
    {
        const int64_t n = dim.number + (dim.number < 0 ? rank() : 0);
        if (n < 0 || n >= rank() || n >= FA_MAX_DIMS) {
            const detail::at_line here(dim.written_in, dim.written_at);
            (fa_fail)(FA_ERROR_INDEX, "fa::shape: a shape of %d dimensions has no dimension %lld", rank(),
                      static_cast<long long>(dim.number));
            detail::raise();
        }
        return value.dim[n];
    }
    /** Whether all sizes are equal. */
    friend bool operator==(const shape &a, const shape &b)
    {
        bool same = a.rank() == b.rank();
        for (int i = 0; same && i < a.rank(); i++)
            same = a[i] == b[i];
        return same;
    }
    /** Whether a size differs. */
    friend bool operator!=(const shape &a, const shape &b)
    {
        return !(a == b);
    }
    /** That of C. */
    const fa_shape &get() const
    {
        return value;
    }

  private:
    fa_shape value = {0, {0, 0, 0, 0, 0, 0, 0, 0}};
};

/** Dimensions: a number, several as {0, -1}, or FA_ALL. */
class dims
{
  public:
    /** One dimension, FA_ALL, or what FA_DIMS() makes. */
    dims(int64_t dim) : value(dim)
    {
    }
    /** Several dimensions, each from -8 to 7. */
    dims(std::initializer_list<int64_t> several) : value((fa_dims_of)(several.size(), several.begin()))
    {
    }
    /** Several dimensions. */
    template <class Number> static dims of(std::initializer_list<Number> several)
    {
        const std::vector<int64_t> all(several.begin(), several.end());
        return (fa_dims_of)(all.size(), all.data());
    }
    /** That of C. */
    fa_dims get() const
    {
        return value;
    }

  private:
    fa_dims value;
};

/** A height and a width: {3, 5}, or one number for both. */
class pair
{
  public:
    /** One number for both, FA_PADDING_SAME, or what FA_PAIR() makes. */
    pair(int64_t both) : value(both)
    {
    }
    /** A height and a width. */
    pair(int64_t height, int64_t width) : value(fa__pair_of(height, width))
    {
    }
    /** That of C. */
    fa_pair get() const
    {
        return value;
    }

  private:
    fa_pair value;
};

/** A list of numbers: {0.5, 0.5}. */
class numbers
{
  public:
    /** None. */
    numbers() = default;
    /** The numbers. */
    numbers(std::initializer_list<double> list) : item(list)
    {
    }
    /** The numbers. */
    numbers(std::vector<double> list) : item(std::move(list))
    {
    }
    /** That of C, which lives as long as this. */
    fa_list get() const
    {
        return {item.size(), item.data()};
    }

  private:
    std::vector<double> item;
};

/** A part of a tensor: a text as in NumPy, "1:5, ..., -1", or a number for the first dimension. */
class index
{
  public:
    /** A text. */
    index(const char *where, FA__HERE) : text(where), number(0), written_in(file), written_at(line)
    {
    }
    /** A text. */
    index(const std::string &where, FA__HERE) : text(where), number(0), written_in(file), written_at(line)
    {
    }
    /** A number. */
    template <class N, class = std::enable_if_t<std::is_integral<N>::value>>
    index(N i, FA__HERE) : number(static_cast<int64_t>(i)), written_in(file), written_at(line)
    {
    }
    const fa::text text;          /**< the text; none for a number */
    const int64_t number;         /**< the number */
    const char *const written_in; /**< where it was written */
    const int written_at;         /**< the line there */
};

/* ---- handles ---- */

/** A counted reference to an object of the library. */
template <class T> class handle
{
  public:
    /** None. */
    handle() = default;
    /** A reference to an object of C's functions, which keeps its other references. NULL is none; that of a call that
     *  failed throws: fa::module(fa_module_clone(net.get())). */
    explicit handle(T *object) : pointer(static_cast<T *>((fa_keep)(object)))
    {
        if (object)
            detail::good(pointer);
        else
            detail::check();
    }
    handle(const handle &other) noexcept : pointer(static_cast<T *>((fa_keep)(other.pointer)))
    {
    }
    handle(handle &&other) noexcept : pointer(std::exchange(other.pointer, nullptr))
    {
    }
    handle &operator=(const handle &other) noexcept
    {
        handle copy(other);
        std::swap(pointer, copy.pointer);
        return *this;
    }
    handle &operator=(handle &&other) noexcept
    {
        std::swap(pointer, other.pointer);
        return *this;
    }
    ~handle()
    {
        if (pointer)
            (fa_release)(pointer);
    }
    /** The object for C's functions, which may use it while the handle lives. */
    T *get() const noexcept
    {
        return pointer;
    }
    /** Whether it refers to an object. */
    explicit operator bool() const noexcept
    {
        return pointer != nullptr;
    }
    /** The same: a default-constructed handle does not. */
    bool defined() const noexcept
    {
        return pointer != nullptr;
    }

  protected:
    struct taken {
    }; /* marks a reference that is the caller's */
    handle(T *object, taken) : pointer(object)
    {
        detail::good(pointer);
    }
    /* What a call has returned, out of its scope. */
    static T *own(T *object)
    {
        detail::good(object);
        return static_cast<T *>((fa_own)(object));
    }

  private:
    T *pointer = nullptr;
};

class arg;
class hook;
class index_parts;
struct max_result;
struct min_result;

/** A tensor. Arithmetic and comparison work element by element, with numbers too: a * 2 + b > 0. */
class tensor : public handle<fa_tensor>
{
  public:
    using handle::handle;
    tensor() = default;
    tensor(const tensor &) = default;
    tensor(tensor &&) = default;
    /** Makes a variable refer to another tensor; no memory is written. */
    tensor &operator=(const tensor &) & = default;
    tensor &operator=(tensor &&) & = default;
    /** A variable is not assigned a number: it refers to another tensor. */
    template <class N, class = std::enable_if_t<std::is_arithmetic<N>::value>> tensor &operator=(N) &
    {
        static_assert(!std::is_arithmetic<N>::value,
                      "a variable refers to a tensor: t[0] = 5 and t[\"...\"] = 5 write numbers into it, and "
                      "t = fa::full({}, 5) makes it refer to a tensor of one");
        return *this;
    }
    /** Writes a number or a tensor into what a call returned, as into a part: x[0] = 5, x["0, :"] = y,
     *  x.select(1, 0) = x.select(1, 2). An error if nothing else refers to that memory. */
    tensor operator=(const arg &value) &&;
    tensor operator=(const arg &) const && = delete; /* x[mask] is a copy: x.index_put_({mask}, 5) writes into x */
    /** A tensor of the numbers in the list: {1.0, 2.0} is f32, {1, 2} is i64. */
    template <class N, class = std::enable_if_t<std::is_arithmetic<N>::value>>
    tensor(std::initializer_list<N> list, FA__HERE) : tensor(of_list(list, file, line))
    {
    }
    /** Whether it refers to a tensor of C: a default-constructed one does not. */
    bool defined() const noexcept
    {
        return get() != nullptr;
    }
    /** A tensor is no condition, since it might be taken for its value: x.item() > 0, or x.defined(). */
    explicit operator bool() const = delete;
    /** The result of a call of C's functions, taken out of its scope; throws if it is NULL. */
    static tensor owned(fa_tensor *result)
    {
        return tensor(own(result), taken());
    }
    /** A copy of row-major elements, of the dtype of their type: fa::tensor::from(v.data(), {2, 3}). */
    template <class N>
    static tensor from(const N *data, const fa::shape &shape, const fa::device &device = {}, FA__HERE)
    {
        const detail::call here(file, line);
        fa_tensor_from_options o = FA__DEFAULT_fa_tensor_from;
        o.dtype = fa__dtype_of_type<N>();
        o.device = device.get();
        return owned((fa_tensor_from)(data, shape.get(), &o));
    }
    /** The same of all elements of a vector: fa::tensor::from(v, {2, 3}), or {-1, 3}, where -1 stands for the size that
     *  follows from their number. Throws unless that is the shape's. */
    template <class N>
    static tensor from(const std::vector<N> &v, const fa::shape &shape, const fa::device &device = {}, FA__HERE)
    {
        const detail::call here(file, line);
        fa_shape whole = shape.get();
        detail::good(one_is_open(whole));
        const size_t count = complete(whole, v.size());
        if (count != v.size())
            (fa_fail)(FA_ERROR_SHAPE, "fa::tensor::from: a vector of %zu elements for a shape of %zu", v.size(), count);
        detail::check();
        return from(v.data(), whole, device, file, line);
    }
    /** A tensor over memory of the program, without a copy: it has to outlive the tensor and its views. */
    template <class N> static tensor borrow(N *data, const fa::shape &shape, FA__HERE)
    {
        static_assert(!std::is_const<N>::value, "a tensor can be written to, and so it borrows no const memory: "
                                                "fa::tensor::from copies");
        const detail::call here(file, line);
        fa_tensor_borrow_options o = FA__DEFAULT_fa_tensor_borrow;
        o.dtype = fa__dtype_of_type<std::remove_const_t<N>>();
        return owned((fa_tensor_borrow)(const_cast<std::remove_const_t<N> *>(data), shape.get(), &o));
    }
    /** A tensor from text: "[[1, 2], [3, 4]]". */
    static tensor parse(const std::string &text, FA__HERE)
    {
        const detail::call here(file, line);
        return owned((fa_tensor_parse)(text.c_str(), nullptr));
    }

    /** The dtype. */
    fa_dtype dtype(FA__HERE) const
    {
        return detail::ask(file, line, fa_tensor_dtype, get());
    }
    /** The device. */
    fa_device device(FA__HERE) const
    {
        return detail::ask(file, line, fa_tensor_device, get());
    }
    /** The shape. */
    fa::shape shape(FA__HERE) const
    {
        return detail::ask(file, line, fa_tensor_shape, get());
    }
    /** The size of a dimension; negative ones count from the end. */
    int64_t size(int64_t dim, FA__HERE) const
    {
        const detail::call here(file, line);
        const int64_t n = (fa_size)(get(), dim);
        detail::good(n >= 0);
        return n;
    }
    /** The number of dimensions. */
    int dim(FA__HERE) const
    {
        return detail::ask(file, line, fa_dim, get());
    }
    /** The number of elements. */
    int64_t numel(FA__HERE) const
    {
        return detail::ask(file, line, fa_numel, get());
    }
    /** The value of a tensor with one element. Waits for it. */
    template <class N = double> N item(FA__HERE) const
    {
        const detail::call here(file, line);
        const N value =
            std::is_integral<N>::value ? static_cast<N>((fa_item_int)(get())) : static_cast<N>((fa_item)(get()));
        detail::check();
        return value;
    }
    /** The elements in row-major order, converted to the type. Waits for them. */
    template <class N> std::vector<N> to_vector(FA__HERE) const
    {
        const detail::call here(file, line);
        std::vector<N> v(static_cast<size_t>(numel(file, line)));
        detail::good((fa_read)(get(), v.data(), fa__dtype_of_type<N>(), static_cast<int64_t>(v.size())));
        return v;
    }
    /** The elements of a tensor on the CPU that has the dtype of the type; valid while the tensor lives. */
    template <class N> N *data(FA__HERE) const
    {
        const detail::call here(file, line);
        void *p = (fa_ptr)(get(), fa__dtype_of_type<N>());
        detail::check();
        return static_cast<N *>(p);
    }

    /** A copy on a device; the tensor itself if it is there. */
    tensor to(const fa::device &where, FA__HERE) const
    {
        const detail::call here(file, line);
        return owned((fa_to)(get(), fa__place_device(where.get()), nullptr));
    }
    /** A copy in a dtype; the tensor itself if it has it. */
    tensor to(fa_dtype dtype, FA__HERE) const
    {
        const detail::call here(file, line);
        return owned((fa_to)(get(), fa__place_dtype(dtype), nullptr));
    }
    /** A copy on the CPU; the tensor itself if it is there. */
    tensor cpu(FA__HERE) const
    {
        return to(fa::device(FA_CPU), file, line);
    }

    /** A view of a part, as in NumPy: x["1:5, ..., -1"], or x[0]. */
    tensor operator[](const fa::index &where) const
    {
        const detail::call here(where.written_in, where.written_at);
        const char *const text = where.text.get();
        return owned(text ? (fa_get)(get(), text) : fa__get_at(get(), where.number));
    }
    /** A copy of the elements that a mask selects, or a tensor of numbers of the first dimension: x[x > 0], x[rows]. */
    const tensor operator[](const detail::written<tensor> &where) const;
    /** What several tensors, numbers and texts select together, as in NumPy: x.index({rows, ":2", 0}). A copy, if there
     * is a tensor, else a view. */
    const tensor index(const index_parts &where, FA__HERE) const;
    /** Assigns a number, or a tensor of its dtype, to what index() selects, or adds it: x.index_put_({mask}, 0). */
    const tensor &index_put_(const index_parts &where, const arg &value, bool accumulate = false, FA__HERE) const;
    /** Assigns a number or a tensor to a part, as in NumPy: x.set("::2, 0", 1.5), or x.set(0, 1.5). */
    const tensor &set(const fa::index &where, const arg &value, FA__HERE) const;

    /** Makes a leaf accumulate gradients, or not. */
    const tensor &requires_grad(bool on, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_set_requires_grad)(get(), on));
        return *this;
    }
    /** Whether gradients flow to it. */
    bool requires_grad(FA__HERE) const
    {
        return detail::ask(file, line, fa_requires_grad, get());
    }
    /** Whether it is not the result of a recorded operation. */
    bool is_leaf(FA__HERE) const
    {
        return detail::ask(file, line, fa_is_leaf, get());
    }
    /** Makes backward() keep the gradient of a tensor that is no leaf, for grad(). */
    const tensor &retain_grad(FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_retain_grad)(get()));
        return *this;
    }
    /** The gradient of a leaf, which backward() accumulates; none before. */
    tensor grad(FA__HERE) const
    {
        const detail::call here(file, line);
        fa_tensor *g = (fa_grad)(get());
        if (!g)
            detail::check();
        return g ? owned(g) : tensor();
    }
    /** Computes the gradients of all leaves it depends on; `gradient` is needed unless it has one element. */
    void backward(const tensor &gradient = {}, bool retain_graph = false, bool create_graph = false, FA__HERE) const
    {
        const detail::call here(file, line);
        fa_backward_options o = FA__DEFAULT_fa_backward;
        o.grad = gradient.get();
        o.retain_graph = retain_graph;
        o.create_graph = create_graph;
        detail::good((fa_backward)(get(), &o));
    }

    /** Calls function(grad) in backward() when the gradient of this tensor has been computed; a tensor that it returns
     *  replaces the gradient. This ends with the result. */
    hook on_grad(std::function<tensor(const tensor &grad)> function, FA__HERE) const;
    /** The same with a function that returns nothing, and leaves the gradient as it is. */
    template <class F, class = std::enable_if_t<std::is_void<std::invoke_result_t<F &, const tensor &>>::value>>
    hook on_grad(F function, FA__HERE) const;

    /** Prints it to standard output, as PyTorch does. */
    void print(FA__HERE) const
    {
        const detail::call here(file, line);
        if (!defined()) {
            std::puts("[undefined]");
            return;
        }
        (fa_print)(get());
        detail::check();
    }
    /** What print() prints. */
    std::string text(FA__HERE) const
    {
        const detail::call here(file, line);
        if (!defined())
            return "[undefined]";
        const std::unique_ptr<char, void (*)(char *)> s((fa_text)(get()), fa_free_text);
        detail::good(s.get());
        return s.get();
    }

    /* The most frequent operations, as methods: x.exp() is fa::exp(x). */
    inline tensor abs(FA__HERE) const;        /**< fa::abs(x) */
    inline tensor exp(FA__HERE) const;        /**< fa::exp(x) */
    inline tensor log(FA__HERE) const;        /**< fa::log(x) */
    inline tensor sqrt(FA__HERE) const;       /**< fa::sqrt(x) */
    inline tensor relu(FA__HERE) const;       /**< fa::relu(x) */
    inline tensor sigmoid(FA__HERE) const;    /**< fa::sigmoid(x) */
    inline tensor tanh(FA__HERE) const;       /**< fa::tanh(x) */
    inline tensor t(FA__HERE) const;          /**< fa::t(x) */
    inline tensor clone(FA__HERE) const;      /**< fa::clone(x) */
    inline tensor detach(FA__HERE) const;     /**< fa::detach(x) */
    inline tensor contiguous(FA__HERE) const; /**< fa::contiguous(x) */
    /** fa::pow(x, y) */
    inline tensor pow(const arg &y, FA__HERE) const;
    /** fa::matmul(x, y) */
    inline tensor matmul(const tensor &y, FA__HERE) const;
    /** fa::softmax(x, dim) */
    inline tensor softmax(int64_t dim, FA__HERE) const;
    /** fa::sum(x, {dim, keepdim}) */
    inline tensor sum(const fa::dims &dim = FA_ALL, bool keepdim = false, FA__HERE) const;
    /** fa::mean(x, {dim, keepdim}) */
    inline tensor mean(const fa::dims &dim = FA_ALL, bool keepdim = false, FA__HERE) const;
    /** fa::amax(x, {dim, keepdim}) */
    inline tensor amax(const fa::dims &dim = FA_ALL, bool keepdim = false, FA__HERE) const;
    /** fa::amin(x, {dim, keepdim}) */
    inline tensor amin(const fa::dims &dim = FA_ALL, bool keepdim = false, FA__HERE) const;
    /** The largest element: fa::amax(x) */
    inline tensor max(FA__HERE) const;
    /** The smallest element: fa::amin(x) */
    inline tensor min(FA__HERE) const;
    /** fa::max(x, dim, {keepdim}) */
    template <class Number, detail::if_integer<Number> = 0>
    max_result max(Number dim, bool keepdim = false, FA__HERE) const;
    /** fa::min(x, dim, {keepdim}) */
    template <class Number, detail::if_integer<Number> = 0>
    min_result min(Number dim, bool keepdim = false, FA__HERE) const;
    /** fa::argmax(x, {dim, keepdim}) */
    inline tensor argmax(int64_t dim = FA_ALL, bool keepdim = false, FA__HERE) const;
    /** fa::argmin(x, {dim, keepdim}) */
    inline tensor argmin(int64_t dim = FA_ALL, bool keepdim = false, FA__HERE) const;
    /** fa::view(x, shape) */
    inline tensor view(const fa::shape &shape, FA__HERE) const;
    /** fa::reshape(x, shape) */
    inline tensor reshape(const fa::shape &shape, FA__HERE) const;
    /** fa::expand(x, shape) */
    inline tensor expand(const fa::shape &shape, FA__HERE) const;
    /** fa::permute(x, dims) */
    inline tensor permute(const fa::shape &dims, FA__HERE) const;
    /** fa::transpose(x, dim0, dim1) */
    inline tensor transpose(int64_t dim0, int64_t dim1, FA__HERE) const;
    /** fa::flatten(x, {start_dim, end_dim}) */
    inline tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1, FA__HERE) const;
    /** fa::squeeze(x, {dim}) */
    inline tensor squeeze(const fa::dims &dim = FA_ALL, FA__HERE) const;
    /** fa::unsqueeze(x, dim) */
    inline tensor unsqueeze(int64_t dim, FA__HERE) const;
    /** fa::select(x, dim, index) */
    inline tensor select(int64_t dim, int64_t index, FA__HERE) const;
    /** fa::narrow(x, dim, start, length) */
    inline tensor narrow(int64_t dim, int64_t start, int64_t length, FA__HERE) const;

    /* They change the tensor that this refers to, and so const handles have them. */
    inline const tensor &operator+=(const arg &y) const &;
    inline const tensor &operator-=(const arg &y) const &;
    inline const tensor &operator*=(const arg &y) const &;
    inline const tensor &operator/=(const arg &y) const &;
    inline tensor &operator+=(const arg &y) &;
    inline tensor &operator-=(const arg &y) &;
    inline tensor &operator*=(const arg &y) &;
    inline tensor &operator/=(const arg &y) &;
    inline tensor operator+=(const arg &y) &&;
    inline tensor operator-=(const arg &y) &&;
    inline tensor operator*=(const arg &y) &&;
    inline tensor operator/=(const arg &y) &&;
    void operator+=(const arg &) const && = delete; /* x[mask] is a copy: x.index_put_({mask}, y) writes into x */
    void operator-=(const arg &) const && = delete; /* x[mask] is a copy: x.index_put_({mask}, y) writes into x */
    void operator*=(const arg &) const && = delete; /* x[mask] is a copy: x.index_put_({mask}, y) writes into x */
    void operator/=(const arg &) const && = delete; /* x[mask] is a copy: x.index_put_({mask}, y) writes into x */

  private:
    tensor(fa_tensor *object, taken t) : handle(object, t)
    {
    }
    /* Whether no size is negative, except one of -1; an error if not. */
    static bool one_is_open(const fa_shape &shape)
    {
        int open = 0;
        for (int i = 0; i < shape.rank && i < FA_MAX_DIMS; i++)
            if (shape.dim[i] < 0 && (shape.dim[i] < -1 || open++))
                return (fa_fail)(FA_ERROR_SHAPE, "fa::tensor::from: sizes are not negative, but one may be -1, which "
                                                 "stands for the size that follows from the number of elements");
        return true;
    }
    /* Makes a size of -1, if there is one, what `wanted` elements need; returns how many the shape then has. */
    static size_t complete(fa_shape &shape, size_t wanted)
    {
        size_t count = 1;
        int64_t *open = nullptr;
        for (int i = 0; i < shape.rank && i < FA_MAX_DIMS; i++)
            if (shape.dim[i] == -1 && !open)
                open = &shape.dim[i];
            else
                count *= static_cast<size_t>(shape.dim[i]);
        if (open && count) {
            *open = static_cast<int64_t>(wanted / count);
            count *= wanted / count;
        }
        return count;
    }
    template <class N> static tensor of_list(std::initializer_list<N> list, const char *file, int line)
    {
        using value = std::conditional_t<std::is_same<N, bool>::value, bool,
                                         std::conditional_t<std::is_floating_point<N>::value, float, int64_t>>;
        std::unique_ptr<value[]> data(new value[list.size() + 1]);
        size_t n = 0;
        for (const N &v : list)
            data[n++] = static_cast<value>(v);
        return from(data.get(), {static_cast<int64_t>(n)}, {}, file, line);
    }
};

/** Prints a device to a stream: cuda:1. */
inline std::ostream &operator<<(std::ostream &to, const device &d)
{
    return to << d.get();
}

/** Prints a shape to a stream: (2, 3). */
inline std::ostream &operator<<(std::ostream &to, const shape &s)
{
    to << "(";
    for (int i = 0; i < s.rank(); i++)
        to << (i ? ", " : "") << s[i];
    return to << (s.rank() == 1 ? ",)" : ")");
}

/** Prints a tensor to a stream. */
inline std::ostream &operator<<(std::ostream &to, const detail::written<tensor> &t)
{
    return to << t.value.text(t.written_in, t.written_at);
}

/** An operand that is a tensor or a number. It refers to the tensor for the duration of the call. */
class arg
{
  public:
    /** A tensor. */
    arg(const tensor &t, FA__HERE) : value(fa__arg_t(t.get())), written_in(file), written_at(line)
    {
    }
    /** A number. */
    template <class N, class = std::enable_if_t<std::is_arithmetic<N>::value>>
    arg(N v, FA__HERE) : value(fa__arg(v)), written_in(file), written_at(line)
    {
    }
    /** That of C. */
    fa_arg get() const
    {
        return value;
    }

  private:
    fa_arg value;

  public:
    const char *const written_in; /**< where it was written */
    const int written_at;         /**< the line there */
};

/** A part of an index: a tensor of integers, a mask, a number, or a text as in NumPy, which may have several: "1:5,
 * ...". */
class index_part
{
  public:
    /** A tensor of integers, or a mask. */
    index_part(const tensor &t) : kept(t), is_tensor(true)
    {
    }
    /** A text. */
    index_part(const char *where) : written(where)
    {
    }
    /** A text. */
    index_part(const std::string &where) : written(where)
    {
    }
    /** A number. */
    template <class N, class = std::enable_if_t<std::is_integral<N>::value>>
    index_part(N i) : number(static_cast<int64_t>(i))
    {
    }
    /** That of C, which lives as long as this. */
    fa_index_part get() const
    {
        return is_tensor       ? fa__part_tensor(kept.get())
               : written.get() ? fa__part_text(written.get())
                               : fa__part_whole(number);
    }

  private:
    tensor kept;
    text written;
    int64_t number = 0;
    bool is_tensor = false;
};

/** The parts of an index: {rows, ":2", 0}, or a vector. */
class index_parts
{
  public:
    /** The parts. */
    index_parts(std::initializer_list<index_part> list) : index_parts(std::vector<index_part>(list))
    {
    }
    /** The parts. */
    index_parts(std::vector<index_part> list) : kept(std::move(list))
    {
        for (const index_part &part : kept)
            item.push_back(part.get());
    }
    index_parts(const index_parts &) = delete;
    index_parts &operator=(const index_parts &) = delete;
    /** That of C, which lives as long as this. */
    fa_index_parts get() const
    {
        return {item.size(), item.data()};
    }

  private:
    std::vector<index_part> kept;
    std::vector<fa_index_part> item;
};

/** Tensors with names, in the order of a module: for (const auto &[name, t] : net.parameters()). */
class named_tensors
{
  public:
    /** A name and the tensor. */
    using value_type = std::pair<std::string, tensor>;
    /** None. */
    named_tensors() = default;
    /** The names and tensors, in this order. Messages say what has them, as "net.safetensors". */
    named_tensors(std::vector<value_type> list, std::string of = {}) : item(std::move(list)), owner(std::move(of))
    {
    }
    /** The first one. */
    auto begin() const
    {
        return item.begin();
    }
    /** Behind the last one. */
    auto end() const
    {
        return item.end();
    }
    /** How many there are. */
    std::size_t size() const
    {
        return item.size();
    }
    /** Whether there are none. */
    bool empty() const
    {
        return item.empty();
    }
    /** 1 if there is one of the name, or 0. */
    std::size_t count(const std::string &name) const
    {
        return find(name) ? 1 : 0;
    }
    /** The tensor of the name; an error if there is none. */
    tensor at(const std::string &name, FA__HERE) const
    {
        const detail::call here(file, line);
        const tensor *const found = find(name);
        if (!found)
            (fa_fail)(FA_ERROR_ARGUMENT, "none of the %zu tensors%s%s is called \"%s\"%s", size(),
                      owner.empty() ? "" : " of ", owner.c_str(), name.c_str(), names().c_str());
        detail::check();
        return *found;
    }
    /** The tensor of a name, or of a number; negative ones count from the end. An error if there is none. */
    tensor operator[](const index &where) const
    {
        const char *const text = where.text.get();
        if (text)
            return at(text, where.written_in, where.written_at);
        const detail::call here(where.written_in, where.written_at);
        const int64_t count = static_cast<int64_t>(size());
        if (where.number < -count || where.number >= count)
            (fa_fail)(FA_ERROR_INDEX, "there are %zu tensors and no number %lld", size(),
                      static_cast<long long>(where.number));
        detail::check();
        return item[static_cast<std::size_t>(where.number + (where.number < 0 ? count : 0))].second;
    }

  private:
    const tensor *find(const std::string &name) const
    {
        for (const value_type &one : item)
            if (one.first == name)
                return &one.second;
        return nullptr;
    }
    /* The first of them, for messages. */
    std::string names() const
    {
        constexpr std::size_t most = 10;
        std::string list;
        for (std::size_t i = 0; i < size() && i < most; i++)
            list += (i ? ", " : ": ") + item[i].first;
        return size() > most ? list + ", ..." : list;
    }
    std::vector<value_type> item;
    std::string owner;
};

/** A list of tensors: {a, b}, or a vector. */
class tensors
{
  public:
    /** None. */
    tensors() = default;
    /** The tensors. */
    tensors(std::initializer_list<tensor> list) : tensors(std::vector<tensor>(list))
    {
    }
    /** The tensors. */
    tensors(std::vector<tensor> list) : kept(std::move(list))
    {
        for (const tensor &t : kept)
            item.push_back(t.get());
    }
    tensors(const tensors &) = delete;
    tensors &operator=(const tensors &) = delete;
    /** That of C, which lives as long as this. */
    fa_tensors get() const
    {
        return {item.size(), item.data()};
    }

  private:
    std::vector<tensor> kept;
    std::vector<fa_tensor *> item;
};

namespace detail
{

/* The result of a call that has `.out`. */
inline tensor result(fa_tensor *y, const tensor &out)
{
    good(y);
    return out.get() == y ? out : tensor::owned(y);
}

/* The result of a module, which may be one of its inputs, or what it keeps: the scope of the call gives up a reference
 * of its own only to a new tensor. */
inline tensor of_module(fa_tensor *y)
{
    good(y);
    return tensor(y);
}

/* The result of a callback, which the innermost scope of the library owns. */
inline fa_tensor *handed_over(const tensor &y)
{
    return y.defined() ? static_cast<fa_tensor *>(fa__adopt((fa_keep)(y.get()))) : nullptr;
}

inline std::vector<tensor> all(fa_tensors list)
{
    std::vector<tensor> v;
    if (!list.count)
        check();
    v.reserve(list.count);
    for (size_t i = 0; i < list.count; i++)
        v.push_back(list.item[i] ? tensor(list.item[i]) : tensor());
    return v;
}

inline named_tensors named(const fa_parameters &list, const std::string &of = {})
{
    std::vector<named_tensors::value_type> v;
    if (!list.count)
        check();
    for (size_t i = 0; i < list.count; i++)
        v.emplace_back(list.name[i], tensor(list.item[i]));
    return {v, of};
}

inline std::map<std::string, tensor> mapped(const fa_parameters &list)
{
    const named_tensors v = named(list);
    return {v.begin(), v.end()};
}

/* Names and tensors for C's functions, while those given live. */
class parameters_of
{
  public:
    template <class Named> explicit parameters_of(const Named &list)
    {
        for (const auto &one : list) {
            name.push_back(one.first.c_str());
            item.push_back(one.second.get());
        }
    }
    fa_parameters get() const
    {
        return {item.size(), item.data(), name.data()};
    }

  private:
    std::vector<fa_tensor *> item;
    std::vector<const char *> name;
};

} // namespace detail

inline tensor tensor::operator=(const arg &value) &&
{
    const detail::call here(value.written_in, value.written_at);
    detail::good(fa__set_returned(get(), value.get()));
    return *this;
}

inline const tensor tensor::operator[](const detail::written<tensor> &where) const
{
    return index({where.value}, where.written_in, where.written_at);
}

inline const tensor tensor::index(const index_parts &where, detail::file_name file, int line) const
{
    const detail::call here(file, line);
    return owned((fa_index)(get(), where.get()));
}

inline const tensor &tensor::index_put_(const index_parts &where, const arg &value, bool accumulate,
                                        detail::file_name file, int line) const
{
    const detail::call here(file, line);
    fa_index_put_options o = FA__DEFAULT_fa_index_put;
    o.accumulate = accumulate;
    detail::good((fa_index_put_)(get(), where.get(), value.get(), &o));
    return *this;
}

inline const tensor &tensor::set(const fa::index &where, const arg &value, detail::file_name file, int line) const
{
    const detail::call here(file, line);
    const char *const text = where.text.get();
    detail::good((fa_set)(get(), text ? text : std::to_string(where.number).c_str(), value.get()));
    return *this;
}

/* ---- modules ---- */

/** What module::forward_recurrent() gives: the output, and the states after the last step; c_n is that of an LSTM. */
struct recurrent {
    tensor output, h_n, c_n;
};

/** What module::forward_attention() gives: the output, and the weights, empty where they were not asked for. */
struct attention {
    tensor output, weights;
};

/** Options of module::forward_attention(): those of fa_forward_attention(). An empty mask hides nothing. */
struct attention_options {
    tensor key_padding_mask = {}, attn_mask = {};
    bool causal = false, need_weights = true, average_attn_weights = true;
};

/** Options of module::forward_transformer(): those of fa_forward_transformer(). An empty mask hides nothing. */
struct transformer_options {
    tensor memory = {}, mask = {}, key_padding_mask = {};
    bool causal = false;
    tensor memory_mask = {}, memory_key_padding_mask = {};
    bool memory_causal = false;
    tensor src = {}, src_mask = {}, src_key_padding_mask = {};
    bool src_causal = false;
};

class network;

/** A layer or network; a function of tensors. */
class module : public handle<fa_module>
{
  public:
    using handle::handle;
    module() = default;
    module(const module &) = default;
    module(module &&) = default;
    /** Makes a variable refer to another module. What child() returns is none: it cannot be replaced like that. */
    module &operator=(const module &) & = default;
    module &operator=(module &&) & = default;
    /** A network that ends with the expression is no module. */
    template <class N, class = std::enable_if_t<!std::is_reference<N>::value && std::is_base_of<network, N>::value>>
    module(N &&)
    {
        static_assert(
            std::is_reference<N>::value,
            "the network ends here, but has to live as long as the module that runs it: keep it in a variable, "
            "or in a std::shared_ptr that is added to a network");
    }
    /** A network that lives as long as this module, its copies, and the networks and nn::sequential() that they are put
     *  into: fa::nn::sequential({std::make_shared<mlp>(), fa::nn::relu()}). */
    template <class N, class = std::enable_if_t<std::is_base_of<network, N>::value>>
    module(const std::shared_ptr<N> &object) : handle(object ? object->get() : nullptr), keeps(object)
    {
    }
    /** The result of a call of C's functions, taken out of its scope; throws if it is NULL. */
    static module owned(fa_module *result)
    {
        return module(own(result), taken());
    }
    /** The same, of modules that it runs: it keeps what they keep. */
    static module owned(fa_module *result, const std::vector<module> &parts)
    {
        module m(own(result), taken());
        std::vector<std::shared_ptr<const void>> all;
        for (const module &part : parts)
            if (part.keeps)
                all.push_back(part.keeps);
        if (!all.empty())
            m.keeps = std::make_shared<decltype(all)>(std::move(all));
        return m;
    }
    /** Runs it on one input. */
    tensor operator()(const tensor &x, FA__HERE) const
    {
        return run({x}, file, line);
    }
    /** Runs it on two inputs. */
    tensor operator()(const tensor &x, const tensor &y, FA__HERE) const
    {
        return run({x, y}, file, line);
    }
    /** Runs it on three inputs or more. */
    template <class... More>
    tensor operator()(const detail::written<tensor> &x, const tensor &y, const tensor &z, const More &...more) const
    {
        return run({x.value, y, z, more...}, x.written_in, x.written_at);
    }
    /** Runs it on several inputs: net({x, y, z}). */
    tensor operator()(const tensors &inputs, FA__HERE) const
    {
        return run(inputs, file, line);
    }
    /** Moves parameters and buffers, in place. */
    const module &to(const fa::device &where, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good(fa__module_to(get(), fa__place_device(where.get())));
        return *this;
    }
    /** Converts floating-point parameters and buffers, in place. */
    const module &to(fa_dtype dtype, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good(fa__module_to(get(), fa__place_dtype(dtype)));
        return *this;
    }
    /** Sets it and its descendants to training mode, or to inference mode. */
    const module &train(bool training = true, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_module_train)(get(), training));
        return *this;
    }
    /** Sets it and its descendants to inference mode. */
    const module &eval(FA__HERE) const
    {
        return train(false, file, line);
    }
    /** Whether it is in training mode. */
    bool training(FA__HERE) const
    {
        return detail::ask(file, line, fa_module_training, get());
    }
    /** Makes all parameters accumulate gradients, or freezes them and removes their gradients. */
    const module &requires_grad(bool on, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_module_set_requires_grad)(get(), on));
        return *this;
    }
    /** Removes the gradients of all parameters. */
    void zero_grad(FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_module_zero_grad)(get()));
    }
    /** The parameters, with their names: net.parameters()["fc1.weight"]. */
    named_tensors parameters(FA__HERE) const
    {
        const detail::call here(file, line);
        return detail::named((fa_module_parameters)(get()));
    }
    /** Parameters and buffers, with their names. */
    named_tensors state(FA__HERE) const
    {
        const detail::call here(file, line);
        return detail::named((fa_module_state)(get()));
    }
    /** A table of it and its descendants, with shapes of parameters; for the shape of an input, also of the results,
     * and multiply-adds: fa_module_summary(). */
    std::string summary(const shape &input = {}, FA__HERE) const
    {
        const detail::call here(file, line);
        fa_module_summary_options o = FA__DEFAULT_fa_module_summary;
        o.input = input.get();
        char *text = nullptr;
        std::size_t size = 0;
        std::FILE *const to = open_memstream(&text, &size);
        if (!to)
            throw std::bad_alloc();
        const bool good = (fa_module_summary)(get(), to, &o);
        std::fclose(to);
        const std::unique_ptr<char, void (*)(void *)> kept(text, std::free);
        detail::good(good);
        return std::string(text, size);
    }
    /** The number of elements of all parameters. */
    int64_t numel(FA__HERE) const
    {
        return detail::ask(file, line, fa_module_numel, get());
    }
    /** Runs a recurrent layer or cell, from the states and cells h_0 and c_0, or from zeros: its output, and the last
     *  states besides. */
    recurrent forward_recurrent(const tensor &x, const tensor &h_0 = {}, const tensor &c_0 = {}, FA__HERE) const
    {
        const detail::call here(file, line);
        fa_forward_recurrent_options o = FA__DEFAULT_fa_forward_recurrent;
        o.h_0 = h_0.get(), o.c_0 = c_0.get();
        const fa_recurrent y = (fa_forward_recurrent)(get(), x.get(), &o);
        detail::good(y.output);
        return {detail::of_module(y.output), tensor(y.h_n), tensor(y.c_n)};
    }
    /** Runs nn::multihead_attention() with masks: the output, and the weights. */
    attention forward_attention(const tensor &query, const tensor &key, const tensor &value,
                                const attention_options &options = {}, FA__HERE) const
    {
        const detail::call here(file, line);
        fa_forward_attention_options o = FA__DEFAULT_fa_forward_attention;
        o.key_padding_mask = options.key_padding_mask.get(), o.attn_mask = options.attn_mask.get();
        o.causal = options.causal, o.need_weights = options.need_weights;
        o.average_attn_weights = options.average_attn_weights;
        const fa_attention y = (fa_forward_attention)(get(), query.get(), key.get(), value.get(), &o);
        detail::good(y.output);
        return {detail::of_module(y.output), tensor(y.weights)};
    }
    /** Runs a layer or stack of a transformer with masks. */
    tensor forward_transformer(const tensor &x, const transformer_options &options = {}, FA__HERE) const
    {
        const detail::call here(file, line);
        fa_forward_transformer_options o = FA__DEFAULT_fa_forward_transformer;
        o.memory = options.memory.get(), o.mask = options.mask.get();
        o.key_padding_mask = options.key_padding_mask.get(), o.causal = options.causal;
        o.memory_mask = options.memory_mask.get();
        o.memory_key_padding_mask = options.memory_key_padding_mask.get(), o.memory_causal = options.memory_causal;
        o.src = options.src.get(), o.src_mask = options.src_mask.get();
        o.src_key_padding_mask = options.src_key_padding_mask.get(), o.src_causal = options.src_causal;
        return detail::of_module((fa_forward_transformer)(get(), x.get(), &o));
    }
    /** A child, as "features.0". */
    module child(const std::string &name, FA__HERE) const
    {
        const detail::call here(file, line);
        fa_module *c = (fa_module_child)(get(), name.c_str());
        detail::good(c);
        return module(c);
    }
    /** Calls function(module, inputs, output) after each run; a tensor that it returns replaces the output. This ends
     *  with the result. */
    hook
    on_forward(std::function<tensor(const module &, const std::vector<tensor> &inputs, const tensor &output)> function,
               FA__HERE) const;
    /** Calls function(module, inputs) before each run; it may replace inputs. This ends with the result. */
    hook before_forward(std::function<void(const module &, std::vector<tensor> &inputs)> function, FA__HERE) const;
    /** Calls function(module, input, grad_input, grad_output) in backward() for each input that receives a gradient,
     * with its number; once, with an empty grad_input, if none does. A tensor that it returns replaces grad_input. It
     * applies to later runs of the module, in which that cannot modify its inputs in place. This ends with the result.
     */
    hook
    on_backward(std::function<tensor(const module &, size_t input, const tensor &grad_input, const tensor &grad_output)>
                    function,
                FA__HERE) const;
    /** Calls function(module, grad_output) in backward() before the gradients inside the module are computed; a tensor
     *  that it returns replaces the gradient. It applies to later runs of the module. This ends with the result. */
    hook before_backward(std::function<tensor(const module &, const tensor &grad_output)> function, FA__HERE) const;

    /** Adds a child under a name; returns the child. */
    module add(const std::string &name, const module &part, FA__HERE) const
    {
        const detail::call here(file, line);
        if (part.keeps)
            (fa_fail)(FA_ERROR_ARGUMENT,
                      "fa::module::add: \"%s\" was made of a std::shared_ptr, which this module does "
                      "not keep: fa::nn::sequential({...}) does, and a network's add()",
                      name.c_str());
        detail::check();
        detail::good((fa_module_add)(get(), name.c_str(), part.get()));
        return part;
    }
    /** Adds a parameter under a name; returns it. */
    tensor add_parameter(const std::string &name, const tensor &t, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_module_parameter)(get(), name.c_str(), t.get()));
        return t;
    }
    /** Adds a buffer under a name; returns it. */
    tensor add_buffer(const std::string &name, const tensor &t, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_module_buffer)(get(), name.c_str(), t.get()));
        return t;
    }

  private:
    friend class network;
    std::shared_ptr<const void> keeps; /* the networks that it runs */
    module(fa_module *object, taken t) :handle(object, t)
    {
    }
    tensor run(const tensors &inputs, detail::file_name file, int line) const
    {
        const detail::call here(file, line);
        return detail::of_module(fa__forward(get(), inputs.get()));
    }
};

/** A network of one's own: a class with layers as members, and forward().
 *
 *      struct mlp : fa::network {
 *          fa::module fc1 = add("fc1", fa::nn::linear(784, 128)), fc2 = add("fc2", fa::nn::linear(128, 10));
 *          fa::tensor forward(const fa::tensor &x) override { return fc2(fa::relu(fc1(x))); }
 *      };
 *
 *  It is moved with its layers, and cannot be copied; what it was added to then runs the new object. An exception in
 *  forward() passes through the library to the caller. The object must not be destroyed while modules
 *  that it was added to are run: a network inside a network is a member, or belongs to the outer one:
 *  add("block", std::make_shared<block>()). */
class network : public module
{
  public:
    /** Adds a module under a name; returns it. The networks that it was made of live as long as this one. */
    module add(const std::string &name, const module &part, FA__HERE)
    {
        if (part.keeps)
            kept.emplace_back(part.keeps, nullptr);
        return module::add(name, module(part.get()), file, line);
    }
    /** Adds a network under a name and keeps it as long as this one; returns it as a module. */
    template <class N, class = std::enable_if_t<std::is_base_of<network, N>::value>>
    module add(const std::string &name, const std::shared_ptr<N> &part, FA__HERE)
    {
        if (!part)
            throw error(FA_ERROR_ARGUMENT, "fa::network::add: no network");
        module::add(name, *part, file, line);
        kept.push_back(part);
        return *part;
    }
    /** A network that ends with the call cannot be added. */
    template <class N, class = std::enable_if_t<std::is_base_of<network, N>::value && !std::is_reference<N>::value>>
    module add(const std::string &, N &&)
    {
        static_assert(std::is_reference<N>::value,
                      "the network ends with this call, but has to live as long as the one "
                      "that it is added to: add(name, std::make_shared<T>())");
        return {};
    }
    /** Makes a module of a kind, which messages name. */
    explicit network(const fa::text &kind = "network") : module(made(kind)), itself(*this)
    {
        object() = this;
    }
    network(const network &) = delete;
    network &operator=(const network &) = delete;
    virtual ~network()
    {
        leave();
    }
    /** Computes the result for one input: net(x). Without one, that of a list is called. */
    virtual tensor forward(const tensor &x)
    {
        return forward(std::vector<tensor>{x});
    }
    /** Computes the result for several inputs: net(x, y). */
    virtual tensor forward(const std::vector<tensor> &inputs)
    {
        throw error(FA_ERROR_STATE, inputs.size() == 1 ? "this network has no forward() of one input: "
                                                         "override forward(const fa::tensor &)"
                                                       : "this network has no forward() of several inputs: "
                                                         "override forward(const std::vector<fa::tensor> &)");
    }

  protected: /* of whole objects: mlp a = std::move(b) */
    network(network &&other) noexcept
        : module(std::move(static_cast<module &>(other))), kept(std::move(other.kept)), itself(std::move(other.itself))
    {
        enter();
    }
    network &operator=(network &&other) noexcept
    {
        if (this != &other) {
            leave();
            module &from = other;
            module::operator=(from);
            from = module();
            kept = std::move(other.kept);
            itself = other.itself;
            other.itself = module();
            enter();
        }
        return *this;
    }

  private:
    /* The object that the module of C runs, which is in its data. */
    network *&object() const noexcept
    {
        return *static_cast<network **>((fa_module_data)(itself.get()));
    }
    void enter() noexcept
    {
        if (itself)
            object() = this;
    }
    void leave() noexcept
    {
        if (itself)
            object() = nullptr;
    }
    static module made(const fa::text &kind)
    {
        const fa_forward_function run = {nullptr, called};
        fa_nn_custom_options o = FA__DEFAULT_fa_nn_custom;
        o.destroy = [](void *) {}; /* so that it is not cloned: the copy would run this object's layers */
        return module::owned((fa_nn_custom)(kind.get(), sizeof(network *), run, &o));
    }
    /* The function of C: exceptions become errors, and are thrown again behind the library's frames. */
    static fa_tensor *called(fa_module *self, fa_tensors inputs)
    {
        network *n = *static_cast<network **>((fa_module_data)(self));
        try {
            if (!n)
                throw error(FA_ERROR_STATE,
                            "the network was destroyed: it has to live as long as the modules that it was added to");
            return detail::handed_over(inputs.count == 1 ? n->forward(tensor(inputs.item[0]))
                                                         : n->forward(detail::all(inputs)));
        } catch (...) {
            detail::gave_up();
        }
        return nullptr;
    }
    std::vector<std::shared_ptr<network>> kept;
    module itself; /* whatever becomes of the handle; undefined after it was moved */
};

/** A hook of a tensor, from on_grad(), or of a module, from on_forward(), before_forward(), on_backward() or
 *  before_backward(): it is removed with this object. */
class [[nodiscard]] hook
{
  public:
    hook(hook &&) = default;
    hook &operator=(hook &&) = default;

  private:
    friend class tensor;
    friend class module;
    explicit hook(std::shared_ptr<void> k) : kept(std::move(k))
    {
    }
    /* Adds a hook, whose context is the function, and removes it with the last reference. */
    template <class Owner, class F, class Add, class Remove>
    static hook made(const Owner &owner, F function, Add add, Remove remove)
    {
        struct held {
            Owner owner;
            F function;
            Remove remove;
            int64_t number;
            ~held()
            {
                if (number)
                    remove(owner.get(), number);
            }
        };
        auto h = std::make_shared<held>(held{owner, std::move(function), remove, 0});
        h->number = add(owner.get(), &h->function);
        detail::good(h->number != 0);
        return hook(std::move(h));
    }
    std::shared_ptr<void> kept;
};

/** Prints module::summary() to a stream. */
inline std::ostream &operator<<(std::ostream &to, const detail::written<module> &m)
{
    return to << m.value.summary({}, m.written_in, m.written_at);
}

inline hook tensor::on_grad(std::function<tensor(const tensor &)> function, detail::file_name file, int line) const
{
    const detail::call here(file, line);
    using F = decltype(function);
    fa_hook *const run = [](fa_tensor *grad, void *context) -> fa_tensor * {
        try {
            return detail::handed_over((*static_cast<F *>(context))(tensor(grad)));
        } catch (...) {
            detail::gave_up();
        }
        return nullptr;
    };
    return fa::hook::made(
        *this, std::move(function), [run](fa_tensor *t, F *f) { return (fa_hook_grad)(t, run, f); },
        [](fa_tensor *t, int64_t n) { (fa_unhook)(t, n); });
}

template <class F, class> hook tensor::on_grad(F function, detail::file_name file, int line) const
{
    const std::function<tensor(const tensor &)> run = [f = std::move(function)](const tensor &grad) mutable {
        f(grad);
        return tensor();
    };
    return on_grad(run, file, line);
}

inline hook
module::on_forward(std::function<tensor(const module &, const std::vector<tensor> &, const tensor &)> function,
                   detail::file_name file, int line) const
{
    const detail::call here(file, line);
    using F = decltype(function);
    fa_forward_hook *const called = [](fa_module *m, fa_tensors inputs, fa_tensor *output,
                                       void *context) -> fa_tensor * {
        try {
            return detail::handed_over((*static_cast<F *>(context))(module(m), detail::all(inputs), tensor(output)));
        } catch (...) {
            detail::gave_up();
        }
        return nullptr;
    };
    return fa::hook::made(
        *this, std::move(function), [called](fa_module *m, F *f) { return (fa_module_hook_forward)(m, called, f); },
        [](fa_module *m, int64_t n) { (fa_module_unhook)(m, n); });
}

inline hook module::before_forward(std::function<void(const module &, std::vector<tensor> &)> function,
                                   detail::file_name file, int line) const
{
    const detail::call here(file, line);
    using F = decltype(function);
    fa_forward_pre_hook *const called = [](fa_module *m, fa_tensor **inputs, size_t count, void *context) {
        try {
            std::vector<tensor> given = detail::all({count, inputs});
            (*static_cast<F *>(context))(module(m), given);
            if (given.size() != count)
                throw error(FA_ERROR_ARGUMENT, "a hook changed the number of inputs");
            for (size_t i = 0; i < count; i++)
                inputs[i] = detail::handed_over(given[i]);
        } catch (...) {
            detail::gave_up();
        }
    };
    return fa::hook::made(
        *this, std::move(function), [called](fa_module *m, F *f) { return (fa_module_hook_forward_pre)(m, called, f); },
        [](fa_module *m, int64_t n) { (fa_module_unhook)(m, n); });
}

inline hook module::on_backward(std::function<tensor(const module &, size_t, const tensor &, const tensor &)> function,
                                detail::file_name file, int line) const
{
    const detail::call here(file, line);
    using F = decltype(function);
    fa_backward_hook *const called = [](fa_module *m, size_t input, fa_tensor *grad_input, fa_tensor *grad_output,
                                        void *context) -> fa_tensor * {
        try {
            return detail::handed_over((*static_cast<F *>(context))(
                module(m), input, grad_input ? tensor(grad_input) : tensor(), tensor(grad_output)));
        } catch (...) {
            detail::gave_up();
        }
        return nullptr;
    };
    return fa::hook::made(
        *this, std::move(function), [called](fa_module *m, F *f) { return (fa_module_hook_backward)(m, called, f); },
        [](fa_module *m, int64_t n) { (fa_module_unhook)(m, n); });
}

inline hook module::before_backward(std::function<tensor(const module &, const tensor &)> function,
                                    detail::file_name file, int line) const
{
    const detail::call here(file, line);
    using F = decltype(function);
    fa_backward_pre_hook *const called = [](fa_module *m, fa_tensor *grad_output, void *context) -> fa_tensor * {
        try {
            return detail::handed_over((*static_cast<F *>(context))(module(m), tensor(grad_output)));
        } catch (...) {
            detail::gave_up();
        }
        return nullptr;
    };
    return fa::hook::made(
        *this, std::move(function),
        [called](fa_module *m, F *f) { return (fa_module_hook_backward_pre)(m, called, f); },
        [](fa_module *m, int64_t n) { (fa_module_unhook)(m, n); });
}

/* ---- functions with gradients of their own ---- */

/** Options of gradcheck(): those of fa_gradcheck(). */
struct gradcheck_options {
    double eps = 1e-6, atol = 1e-5, rtol = 1e-3;
};

/** Throws if gradients of a function differ from finite differences: those of all elements of its result with respect
 * to all elements of the inputs that require a gradient, which are f64.
 *
 *      fa::gradcheck([](auto &in) { return in[0] * in[0]; }, {x});
 *
 *  Exceptions of the function pass through the library. */
inline void gradcheck(std::function<tensor(const std::vector<tensor> &inputs)> function, const tensors &inputs,
                      const gradcheck_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_gradcheck_options o = FA__DEFAULT_fa_gradcheck;
    o.context = &function;
    o.eps = options.eps, o.atol = options.atol, o.rtol = options.rtol;
    fa_gradcheck_function *const called = [](void *context, fa_tensors in) -> fa_tensor * {
        try {
            return detail::handed_over((*static_cast<decltype(function) *>(context))(detail::all(in)));
        } catch (...) {
            detail::gave_up();
        }
        return nullptr;
    };
    detail::good((fa_gradcheck)(called, inputs.get(), &o));
}

/** Computes y = forward(inputs), with a gradient of the program's own:
 *
 *      fa::tensor y = fa::apply("square", {x}, [](auto &in) { return in[0] * in[0]; },
 *                               [](auto &saved, auto &grad) { return std::vector{saved[0] * 2 * grad}; });
 *
 *  @param name     for messages: a string literal
 *  @param inputs   up to 8 tensors
 *  @param forward  computes the result of the inputs; it is not recorded
 *  @param backward returns for each input its gradient, or fa::tensor(); `saved` are the inputs and then the result.
 *  It is called from the thread that runs backward(), or one of its helpers, and freed with the graph
 *  @return the result. Exceptions of both functions pass through the library */
inline tensor apply(const char *name, const tensors &inputs,
                    std::function<tensor(const std::vector<tensor> &inputs)> forward,
                    std::function<std::vector<tensor>(const std::vector<tensor> &saved, const tensor &grad)> backward,
                    FA__HERE)
{
    struct both {
        decltype(forward) run;
        decltype(backward) back;
    };
    const detail::call here(file, line);
    fa_function f = {};
    f.name = name;
    f.forward = [](void *context, fa_tensors in) -> fa_tensor * {
        try {
            return detail::handed_over(static_cast<both *>(context)->run(detail::all(in)));
        } catch (...) {
            detail::gave_up();
        }
        return nullptr;
    };
    f.backward = [](void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs) {
        try {
            const auto g = static_cast<both *>(context)->back(detail::all(saved), tensor(grad));
            if (g.size() + 1 != saved.count)
                throw error(FA_ERROR_ARGUMENT, "backward returned " + std::to_string(g.size()) + " gradients for "
                                                   + std::to_string(saved.count - 1)
                                                   + " inputs: of one without a gradient it is fa::tensor()");
            for (size_t i = 0; i < g.size(); i++)
                grad_inputs[i] = detail::handed_over(g[i]);
            return true;
        } catch (...) {
            detail::gave_up();
        }
        return false;
    };
    f.release = [](void *context) { delete static_cast<both *>(context); };
    return tensor::owned((fa_apply)(&f, new both{std::move(forward), std::move(backward)}, inputs.get()));
}

/** Parameters for an optimizer: a module, tensors as {w, b}, or module::parameters(). */
class parameters
{
  public:
    /** Those of a module. */
    parameters(const module &m, FA__HERE) : owner(m)
    {
        const detail::call here(file, line);
        const fa_parameters list = (fa_module_parameters)(m.get());
        if (!list.count)
            detail::check();
        item.assign(list.item, list.item + list.count);
    }
    /** The tensors. */
    parameters(std::initializer_list<tensor> list) : parameters(std::vector<tensor>(list))
    {
    }
    /** The tensors. */
    parameters(std::vector<tensor> list) : kept(std::move(list))
    {
        for (const tensor &t : kept)
            item.push_back(t.get());
    }
    /** Those of module::parameters(). */
    parameters(const named_tensors &named) : parameters(values(named))
    {
    }
    /** That of C, which lives as long as this. */
    fa_parameters get() const
    {
        return {item.size(), item.data(), nullptr};
    }

  private:
    static std::vector<tensor> values(const named_tensors &named)
    {
        std::vector<tensor> list;
        for (const auto &entry : named)
            list.push_back(entry.second);
        return list;
    }
    module owner;
    std::vector<tensor> kept;
    std::vector<fa_tensor *> item;
};

/* ---- training ---- */

/** The state of an optimizer, schedule or scaler: what a load_state_dict() of one that was made in the same way takes.
 */
struct state_dict {
    std::string kind;                      /**< what it is the state of, as "adam" */
    std::map<std::string, tensor> tensors; /**< the tensors of the object, no copies, as "state.3.exp_avg" */
    std::map<std::string, double> numbers; /**< as "group.0.lr" */
};

namespace detail
{

inline state_dict state_of(const fa_state_dict &s)
{
    good(s.kind);
    state_dict state = {s.kind, mapped(s.tensors), {}};
    for (size_t i = 0; i < s.numbers.count; i++)
        state.numbers.emplace(s.numbers.name[i], s.numbers.item[i]);
    return state;
}

template <class T> void load_state(T *object, bool (*load)(T *, const fa_state_dict *), const state_dict &state)
{
    const parameters_of tensors(state.tensors);
    std::vector<double> item;
    std::vector<const char *> name;
    for (const auto &one : state.numbers) {
        name.push_back(one.first.c_str());
        item.push_back(one.second);
    }
    const fa_state_dict s = {state.kind.c_str(), tensors.get(), {item.size(), item.data(), name.data()}};
    good(load(object, &s));
}

} // namespace detail

/** An optimizer. */
class optimizer : public handle<fa_optim>
{
  public:
    using handle::handle;
    optimizer() = default;
    /** The result of a call of C's functions, taken out of its scope; throws if it is NULL. */
    static optimizer owned(fa_optim *result)
    {
        return optimizer(own(result), taken());
    }
    /** Removes the gradients of all parameters. */
    void zero_grad(FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_optim_zero_grad)(get()));
    }
    /** Updates the parameters from their gradients. */
    void step(FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_optim_step)(get()));
    }
    /** The learning rate of group 0. */
    double lr(FA__HERE) const
    {
        return detail::ask(file, line, fa_optim_lr, get());
    }
    /** Sets the learning rate of all groups. */
    void set_lr(double rate, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_optim_set_lr)(get(), rate));
    }
    /** Its state: options, learning rates, and what it keeps of each parameter. */
    fa::state_dict state_dict(FA__HERE) const
    {
        const detail::call here(file, line);
        return detail::state_of((fa_optim_state_dict)(get()));
    }
    /** Replaces its state by that of one that was made in the same way. */
    void load_state_dict(const fa::state_dict &state, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::load_state(get(), fa_optim_load_state_dict, state);
    }

  private:
    optimizer(fa_optim *object, taken t) : handle(object, t)
    {
    }
};

/** Clips the norm of all gradients together to max_norm, in place; returns the norm before: clip_grad_norm(net, 1). */
inline tensor clip_grad_norm(const parameters &list, double max_norm, double norm_type = 2, FA__HERE)
{
    const detail::call here(file, line);
    fa_clip_grad_norm_options o = FA__DEFAULT_fa_clip_grad_norm;
    o.norm_type = norm_type;
    return tensor::owned((fa_clip_grad_norm)(list.get(), max_norm, &o));
}
/** Clamps each element of the gradients to -clip_value..clip_value, in place. */
inline void clip_grad_value(const parameters &list, double clip_value, FA__HERE)
{
    const detail::call here(file, line);
    detail::good((fa_clip_grad_value)(list.get(), clip_value));
}

/** A schedule of learning rates. */
class schedule : public handle<fa_schedule>
{
  public:
    using handle::handle;
    schedule() = default;
    /** The result of a call of C's functions, taken out of its scope, and what it calls; throws if it is NULL. */
    static schedule owned(fa_schedule *result, std::shared_ptr<void> calls = {})
    {
        schedule s(own(result), taken());
        s.kept = std::move(calls);
        return s;
    }
    /** Goes to the next epoch, or step. */
    void step(FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_schedule_step)(get()));
    }
    /** Goes to the next epoch with a metric, for lr::reduce_on_plateau. */
    void step(double metric, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_schedule_step_metric)(get(), metric));
    }
    /** Its state: where it is. */
    fa::state_dict state_dict(FA__HERE) const
    {
        const detail::call here(file, line);
        return detail::state_of((fa_schedule_state_dict)(get()));
    }
    /** Replaces its state by that of one that was made in the same way. */
    void load_state_dict(const fa::state_dict &state, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::load_state(get(), fa_schedule_load_state_dict, state);
    }

  private:
    schedule(fa_schedule *object, taken t) : handle(object, t)
    {
    }
    std::shared_ptr<void> kept;
};

namespace detail
{

/* Schedules for C's functions; their result keeps them. */
struct schedules {
    std::vector<schedule> kept;
    std::vector<fa_schedule *> item;

    explicit schedules(std::vector<schedule> list) : kept(std::move(list))
    {
        for (const schedule &s : kept)
            item.push_back(s.get());
    }
};

} // namespace detail

namespace lr
{
/** Multiplies the base rate of each group by factor(epoch, group), which is 0 or more. The function lives as long as
 * the schedule; an exception in it passes through the library. */
inline schedule lambda(const optimizer &o, std::function<double(int64_t epoch, int group)> factor, FA__HERE)
{
    using F = decltype(factor);
    const detail::call here(file, line);
    const auto f = std::make_shared<F>(std::move(factor));
    const fa_schedule_function called = [](int64_t epoch, int group, void *context) {
        try {
            return (*static_cast<F *>(context))(epoch, group);
        } catch (...) {
            detail::gave_up();
        }
        return 0.0;
    };
    return schedule::owned((fa_schedule_lambda)(o.get(), called, f.get()), f);
}

/** Steps several schedules of one optimizer together: fa::lr::chained({warm_up, decay}). Step only the result. */
inline schedule chained(const std::vector<schedule> &list, FA__HERE)
{
    const detail::call here(file, line);
    const auto s = std::make_shared<detail::schedules>(list);
    return schedule::owned(fa__schedule_chained(s->item.size(), s->item.data()), s);
}
/** The same of a list in braces. */
inline schedule chained(std::initializer_list<schedule> list, FA__HERE)
{
    return chained(std::vector<schedule>(list), file, line);
}

/** Runs schedules of one optimizer one after the other: the first until epoch milestones[0], then the second from its
 * own epoch 0 and the base rate, and so on: fa::lr::sequential({5}, {warm_up, decay}). Step only the result. */
inline schedule sequential(const numbers &milestones, const std::vector<schedule> &list, FA__HERE)
{
    const detail::call here(file, line);
    const auto s = std::make_shared<detail::schedules>(list);
    return schedule::owned(fa__schedule_sequential(milestones.get(), s->item.size(), s->item.data()), s);
}
/** The same of a list in braces. */
inline schedule sequential(const numbers &milestones, std::initializer_list<schedule> list, FA__HERE)
{
    return sequential(milestones, std::vector<schedule>(list), file, line);
}
} // namespace lr

/** A gradient scaler for training in f16; fa::amp::scaler() makes one. */
class grad_scaler : public handle<fa_scaler>
{
  public:
    using handle::handle;
    grad_scaler() = default;
    /** The result of a call of C's functions, taken out of its scope; throws if it is NULL. */
    static grad_scaler owned(fa_scaler *result)
    {
        return grad_scaler(own(result), taken());
    }
    /** The loss times the scale, to call backward() on. */
    tensor scale(const tensor &loss, FA__HERE) const
    {
        const detail::call here(file, line);
        fa_tensor *y = (fa_scaler_scale)(get(), loss.get());
        detail::good(y);
        return y == loss.get() ? loss : tensor::owned(y);
    }
    /** Divides the gradients of the optimizer's parameters by the scale, to clip them before step(). */
    void unscale(const optimizer &o, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_scaler_unscale)(get(), o.get()));
    }
    /** A step of the optimizer with unscaled gradients; nothing where one of them is not finite. */
    void step(const optimizer &o, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_scaler_step)(get(), o.get()));
    }
    /** Adjusts the scale, after the steps. */
    void update(FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_scaler_update)(get(), nullptr));
    }
    /** The scale; waits for the device. */
    double get_scale(FA__HERE) const
    {
        const detail::call here(file, line);
        const auto value = (fa_scaler_get_scale)(get());
        detail::check();
        return value;
    }
    /** Whether it scales. */
    bool is_enabled(FA__HERE) const
    {
        const detail::call here(file, line);
        const auto value = (fa_scaler_is_enabled)(get());
        detail::check();
        return value;
    }
    /** What the scale is multiplied by after growth_interval updates without overflow. */
    double get_growth_factor(FA__HERE) const
    {
        const detail::call here(file, line);
        const auto value = (fa_scaler_get_growth_factor)(get());
        detail::check();
        return value;
    }
    void set_growth_factor(double factor, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_scaler_set_growth_factor)(get(), factor));
    }
    /** What the scale is multiplied by after an overflow. */
    double get_backoff_factor(FA__HERE) const
    {
        const detail::call here(file, line);
        const auto value = (fa_scaler_get_backoff_factor)(get());
        detail::check();
        return value;
    }
    void set_backoff_factor(double factor, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_scaler_set_backoff_factor)(get(), factor));
    }
    /** How many updates without overflow make the scale grow. */
    std::int64_t get_growth_interval(FA__HERE) const
    {
        const detail::call here(file, line);
        const auto value = (fa_scaler_get_growth_interval)(get());
        detail::check();
        return value;
    }
    void set_growth_interval(std::int64_t interval, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_scaler_set_growth_interval)(get(), interval));
    }
    /** Its state: its scale and factors. */
    fa::state_dict state_dict(FA__HERE) const
    {
        const detail::call here(file, line);
        return detail::state_of((fa_scaler_state_dict)(get()));
    }
    /** Replaces its state by that of one that was made in the same way. */
    void load_state_dict(const fa::state_dict &state, FA__HERE) const
    {
        const detail::call here(file, line);
        detail::load_state(get(), fa_scaler_load_state_dict, state);
    }

  private:
    grad_scaler(fa_scaler *object, taken t) : handle(object, t)
    {
    }
};

/** A dataset. */
class dataset : public handle<fa_dataset>
{
  public:
    using handle::handle;
    dataset() = default;
    /** The result of a call of C's functions, taken out of its scope; throws if it is NULL. */
    static dataset owned(fa_dataset *result)
    {
        return dataset(own(result), taken());
    }
    /** The number of samples. */
    int64_t size(FA__HERE) const
    {
        const detail::call here(file, line);
        const int64_t n = (fa_dataset_length)(get());
        if (n < 0)
            detail::raise();
        return n;
    }

  private:
    dataset(fa_dataset *object, taken t) : handle(object, t)
    {
    }
};

/** The two parts of a split dataset. */
struct datasets {
    dataset first, second; /**< auto [train, test] = ... takes them apart */
};

/** A sample of a dataset of the program's own. */
struct sample {
    tensor input;                   /**< what a network gets */
    tensor target = {};             /**< what it is to give; may be none */
    std::vector<tensor> extra = {}; /**< up to six others */
};

namespace data
{
/** Options of split(). */
struct split_options {
    int64_t seed = 0; /**< seed of the random assignment; -1: the first samples form the first part */
};

/** Splits a dataset into two parts. `first` is the size of the first one: a fraction of the samples, 0.0 to 1.0, or, if
 *  it is an integer, their count. */
inline datasets split(const fa::dataset &whole, const fa::arg &first, const split_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    const fa::scope parts;
    fa_data_split_options given = FA__DEFAULT_fa_data_split;
    given.seed = options.seed;
    const fa_datasets made = (fa_data_split)(whole.get(), first.get(), &given);
    fa::dataset one = fa::dataset::owned(made.first);
    return {one, fa::dataset::owned(made.second)};
}

/** A dataset of the program's own: get(i) makes the sample i, from 0 to length - 1. Workers of a loader call it from
 *  several threads at the same time. It lives as long as the dataset; exceptions of it pass through the library, also
 *  those of workers. */
inline dataset custom(int64_t length, std::function<sample(int64_t index)> get, FA__HERE)
{
    struct held {
        int64_t length;
        std::function<sample(int64_t)> get;
    };
    const detail::call here(file, line);
    fa_dataset_type type = {};
    type.name = "a dataset of C++";
    type.length = [](void *context) { return static_cast<held *>(context)->length; };
    type.get = [](void *context, int64_t index, fa_sample *to) {
        try {
            const sample s = static_cast<held *>(context)->get(index);
            if (s.extra.size() > FA_MAX_EXTRA)
                throw error(FA_ERROR_ARGUMENT, "a sample has too many tensors");
            to->input = detail::handed_over(s.input);
            to->target = detail::handed_over(s.target);
            for (size_t i = 0; i < s.extra.size(); i++)
                to->extra[i] = detail::handed_over(s.extra[i]);
            return true;
        } catch (...) {
            detail::gave_up();
        }
        return false;
    };
    type.release = [](void *context) { delete static_cast<held *>(context); };
    return dataset::owned((fa_dataset_new)(&type, new held{length, std::move(get)}));
}
} // namespace data

/** How a loader chooses samples: fa::data::loader(d, {.batch_size = 32, .sampler = fa::samplers::weighted(weights)}).
 *  facula/sampler.h has the documentation. */
class sampler : public handle<fa_sampler>
{
  public:
    using handle::handle;
    sampler() = default;
    /** The result of a call of C's functions, taken out of its scope; throws if it is NULL. */
    static sampler owned(fa_sampler *result)
    {
        return sampler(own(result), taken());
    }
    /** The number of samples in an epoch. */
    int64_t length(FA__HERE) const
    {
        return detail::ask(file, line, fa_sampler_length, get());
    }
    /** The numbers of the samples in an epoch, as a loader with this seed takes them: i64 (length). */
    tensor order(uint64_t seed, int64_t epoch, FA__HERE) const
    {
        const detail::call here(file, line);
        return tensor::owned((fa_sampler_order)(get(), seed, epoch));
    }

  private:
    sampler(fa_sampler *object, taken t) : handle(object, t)
    {
    }
};

namespace samplers
{
/** The given samples in a random order, another one in each epoch. */
inline sampler subset(const std::vector<int64_t> &samples, FA__HERE)
{
    const detail::call here(file, line);
    return sampler::owned((fa_sampler_subset)(samples.data(), static_cast<int64_t>(samples.size())));
}
} // namespace samplers

/** A batch of a loader. */
struct batch {
    tensor input;                 /**< (batch, ...) */
    tensor target;                /**< (batch, ...), or none */
    int64_t index;                /**< number of the batch in the epoch, from 0 */
    int64_t size;                 /**< number of samples in the batch */
    std::vector<tensor> extra;    /**< (batch, ...), of each further tensor of the samples */
    std::vector<int64_t> samples; /**< the numbers of the samples in the dataset */
};

/** A loader; fa::data::loader() makes one. for (const fa::batch &b : loader) is an epoch. */
class loader : public handle<fa_loader>
{
  public:
    using handle::handle;
    loader() = default;
    /** The result of a call of C's functions, taken out of its scope; throws if it is NULL. */
    static loader owned(fa_loader *result)
    {
        return loader(own(result), taken());
    }
    /** The number of batches in an epoch. */
    int64_t length(FA__HERE) const
    {
        return detail::ask(file, line, fa_loader_length, get());
    }
    /** Where it is: the epoch, and the batch in it. */
    fa_loader_place position(FA__HERE) const
    {
        const detail::call here(file, line);
        const fa_loader_place place = (fa_loader_position)(get());
        detail::check();
        return place;
    }

    /** A place in an epoch, for range-based for. */
    class iterator
    {
      public:
        iterator() : place(nullptr, close)
        {
        }
        iterator(fa_loader *l, const char *file, int line)
            : place(new fa_batch(), close), written_in(file), written_at(line)
        {
            const detail::at_line here(file, line);
            detail::good((fa_loader_begin)(l, place.get()));
            ++*this;
        }
        const batch &operator*() const
        {
            return now;
        }
        const batch *operator->() const
        {
            return &now;
        }
        iterator &operator++()
        {
            const detail::at_line here(written_in, written_at);
            now = batch();
            if ((fa_loader_next)(place.get())) {
                now = {tensor(place->input), tensor(place->target), place->index, place->size, {}, {}};
                for (int i = 0; i < FA_MAX_EXTRA && place->extra[i]; i++)
                    now.extra.emplace_back(place->extra[i]);
                now.samples.assign(place->samples, place->samples + place->size);
                return *this;
            }
            place.reset();
            detail::check();
            return *this;
        }
        bool operator!=(const iterator &other) const
        {
            return place != other.place;
        }

      private:
        static void close(fa_batch *b)
        {
            (fa_loader_end)(b);
            delete b;
        }
        std::unique_ptr<fa_batch, void (*)(fa_batch *)> place;
        const char *written_in = nullptr;
        int written_at = 0;
        batch now = {};
    };
    /** The first batch of the next epoch. */
    iterator begin(FA__HERE) const
    {
        return iterator(get(), file, line);
    }
    /** Behind the last batch. */
    iterator end() const
    {
        return iterator();
    }

  private:
    loader(fa_loader *object, taken t) : handle(object, t)
    {
    }
};

/* ---- files ---- */

/** Writes parameters and buffers of a module to a file: .safetensors, .npz or .npy. */
inline void save(const module &m, const std::string &path, FA__HERE)
{
    const detail::call here(file, line);
    detail::good((fa_save)((fa_module_state)(m.get()), path.c_str(), nullptr));
}

/** Writes tensors to a file, by their names. */
inline void save(const std::map<std::string, tensor> &named, const std::string &path, FA__HERE)
{
    const detail::call here(file, line);
    detail::good((fa_save)(detail::parameters_of(named).get(), path.c_str(), nullptr));
}

/** The same, in this order: fa::save(net.state(), path). */
inline void save(const named_tensors &named, const std::string &path, FA__HERE)
{
    const detail::call here(file, line);
    detail::good((fa_save)(detail::parameters_of(named).get(), path.c_str(), nullptr));
}

/** Options of load(). */
struct load_options {
    bool strict = true;   /**< false: missing and unexpected names are ignored, unless no name fits at all */
    fa::text prefix = ""; /**< load only names of the file that begin with this, such as "encoder.", without it */
};

/** Reads parameters and buffers of a module from a file. */
inline void load(const module &m, const std::string &path, const load_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_load_options o = FA__DEFAULT_fa_load;
    o.strict = options.strict, o.prefix = options.prefix.get();
    detail::good((fa_load)(fa__module_names(m.get()), path.c_str(), &o));
}

/** The tensors of a file, with their names: fa::load_file(path).at("weight"). */
inline named_tensors load_file(const std::string &path, FA__HERE)
{
    const detail::call here(file, line);
    return detail::named((fa_load_file)(path.c_str(), nullptr).tensors, path);
}

/** The strings in the header of a file: the metadata of checkpoint_save(). */
inline std::map<std::string, std::string> load_metadata(const std::string &path, FA__HERE)
{
    const detail::call here(file, line);
    const fa_metadata list = (fa_load_header)(path.c_str()).metadata;
    std::map<std::string, std::string> strings;
    detail::check();
    for (size_t i = 0; i < list.count; i++)
        strings.emplace(list.name[i], list.value[i]);
    return strings;
}

/** What is in a checkpoint; empty handles are left out. */
struct checkpoint_options {
    fa::module module = {};                           /**< its parameters and buffers */
    fa::optimizer optim = {};                         /**< its state, options and learning rates */
    fa::schedule schedule = {};                       /**< its state */
    fa::grad_scaler scaler = {};                      /**< its scale and factors */
    fa::loader loader = {};                           /**< its position: the epoch, and the batch in it */
    std::map<std::string, std::string> metadata = {}; /**< strings of the program, which load_metadata() returns */
};

namespace detail
{

/* A checkpoint's objects for C's functions. */
inline fa_checkpoint_options objects_of(const checkpoint_options &options)
{
    fa_checkpoint_options o = FA__DEFAULT_fa_checkpoint;
    o.module = options.module.get(), o.optim = options.optim.get(), o.schedule = options.schedule.get();
    o.scaler = options.scaler.get(), o.loader = options.loader.get();
    return o;
}

} // namespace detail

/** Saves what is needed to resume training with identical results: the given objects, and the state of the default
 *  random number generator: fa::checkpoint_save("run.safetensors", {.module = net, .optim = optim}). */
inline void checkpoint_save(const std::string &path, const checkpoint_options &options, FA__HERE)
{
    const detail::call here(file, line);
    std::vector<const char *> name, value;
    for (const auto &one : options.metadata) {
        name.push_back(one.first.c_str());
        value.push_back(one.second.c_str());
    }
    fa_checkpoint_options o = detail::objects_of(options);
    o.metadata = {name.size(), name.data(), value.data()};
    detail::good((fa_checkpoint_save)(path.c_str(), &o));
}

/** Restores objects that were made in the same way as the saved ones, and the default random number generator.
 *  Schedules are made before this call, since making one changes the learning rates of the optimizer. */
inline void checkpoint_load(const std::string &path, const checkpoint_options &options, FA__HERE)
{
    const detail::call here(file, line);
    const fa_checkpoint_options o = detail::objects_of(options);
    detail::good((fa_checkpoint_load)(path.c_str(), &o));
}

/* ---- meters ---- */

struct meter_accuracy_options {
    int64_t top_k = 1;
    int64_t ignore_index = -100;
};

/** A mean, an accuracy or a confusion matrix over many batches, accumulated on the device (facula/train.h). */
class meter : public handle<fa_meter>
{
  public:
    using handle::handle;
    meter() = default;
    /** The weighted mean of values: of losses, with the sizes of their batches. */
    static meter mean(FA__HERE)
    {
        const detail::call here(file, line);
        return meter(own((fa_meter_mean)()), taken());
    }
    /** The part of the targets that are predicted correctly, 0 to 1. */
    static meter accuracy(const meter_accuracy_options &options = {}, FA__HERE)
    {
        const detail::call here(file, line);
        fa_meter_accuracy_options o = FA__DEFAULT_fa_meter_accuracy;
        o.top_k = options.top_k, o.ignore_index = options.ignore_index;
        return meter(own((fa_meter_accuracy)(&o)), taken());
    }
    /** A confusion matrix, with a row for each actual class and a column for each predicted one. */
    static meter confusion(int64_t classes, int64_t ignore_index = -100, FA__HERE)
    {
        const detail::call here(file, line);
        fa_meter_confusion_options o = FA__DEFAULT_fa_meter_confusion;
        o.ignore_index = ignore_index;
        return meter(own((fa_meter_confusion)(classes, &o)), taken());
    }
    /** Adds a value to a mean. */
    void update(const arg &value, FA__HERE) const
    {
        add(value, FA__DEFAULT_fa_meter_update, file, line);
    }
    /** Adds a value to a mean with a weight: the size of the batch that it is the mean of. */
    template <class Number, detail::if_number<Number> = 0> void update(const arg &value, Number count, FA__HERE) const
    {
        fa_meter_update_options o = FA__DEFAULT_fa_meter_update;
        o.count = static_cast<double>(count);
        add(value, o, file, line);
    }
    /** Adds logits (samples, classes, ...) and targets (samples, ...) to an accuracy or a confusion matrix. */
    void update(const tensor &logits, const tensor &target, FA__HERE) const
    {
        fa_meter_update_options o = FA__DEFAULT_fa_meter_update;
        o.target = target.get();
        add(logits, o, file, line);
    }
    /** The mean or accuracy over all batches so far; NaN if there are none. Waits for it. */
    double value(FA__HERE) const
    {
        const detail::call here(file, line);
        const double v = (fa_meter_value)(get());
        detail::check();
        return v;
    }
    /** The confusion matrix, i64 (classes, classes). */
    tensor table(FA__HERE) const
    {
        const detail::call here(file, line);
        return tensor::owned((fa_meter_table)(get()));
    }
    /** Begins anew. */
    void reset(FA__HERE) const
    {
        const detail::call here(file, line);
        detail::good((fa_meter_reset)(get()));
    }

  private:
    meter(fa_meter *object, taken t) : handle(object, t)
    {
    }
    void add(const arg &value, const fa_meter_update_options &options, detail::file_name file, int line) const
    {
        const detail::call here(file, line);
        detail::good((fa_meter_update)(get(), value.get(), &options));
    }
};

/* ---- random numbers, threads ---- */

/** Sets the number of threads for computations, with the calling one; 0 restores the default. Results do not depend on
 *  it. */
inline void set_num_threads(int threads, FA__HERE)
{
    const detail::call here(file, line);
    (fa_set_num_threads)(threads);
    detail::check();
}

/** Seeds the default random number generator. */
inline void manual_seed(uint64_t seed)
{
    (fa_manual_seed)(seed);
}

/* ---- what has no form in ops.hpp ---- */

/** A compiled expression over operands x, y, z, ...: fa::pointwise("x * sigmoid(1.702 * x)", {x}). */
inline tensor pointwise(const std::string &text, std::initializer_list<arg> operands, FA__HERE)
{
    const detail::call here(file, line);
    std::vector<fa_arg> a;
    for (const arg &one : operands)
        a.push_back(one.get());
    return tensor::owned(fa__pointwise(text.c_str(), a.size(), a.data()));
}

/** The same of tensors whose number is known only at run time. */
template <class T, class = std::enable_if_t<std::is_same<T, tensor>::value>>
tensor pointwise(const std::string &text, const std::vector<T> &operands, FA__HERE)
{
    const detail::call here(file, line);
    std::vector<fa_arg> a;
    for (const tensor &one : operands)
        a.push_back(arg(one).get());
    return tensor::owned(fa__pointwise(text.c_str(), a.size(), a.data()));
}

/** Whether two tensors have the same shape and equal elements; NaN equals nothing. Waits for both. */
inline bool equal(const tensor &x, const tensor &y, FA__HERE)
{
    const detail::call here(file, line);
    const bool result = (fa_equal)(x.get(), y.get());
    detail::check();
    return result;
}

struct allclose_options {
    double rtol = 1e-5;
    double atol = 1e-8;
    bool equal_nan = false;
};

/** Whether |x - y| <= atol + rtol * |y| for all elements, which are broadcast. Waits for both. */
inline bool allclose(const tensor &x, const tensor &y, const allclose_options &options = {}, FA__HERE)
{
    const detail::call here(file, line);
    fa_allclose_options o = FA__DEFAULT_fa_allclose;
    o.rtol = options.rtol;
    o.atol = options.atol;
    o.equal_nan = options.equal_nan;
    const bool result = (fa_allclose)(x.get(), y.get(), &o);
    detail::check();
    return result;
}

/** The gradients of outputs with respect to inputs; no leaf's gradient changes. */
inline std::vector<tensor> grad_of(const tensors &outputs, const tensors &inputs, bool create_graph = false, FA__HERE)
{
    const detail::call here(file, line);
    fa_grad_of_options o = FA__DEFAULT_fa_grad_of;
    o.create_graph = create_graph;
    return detail::all((fa_grad_of)(outputs.get(), inputs.get(), &o));
}

namespace nn
{
/** Runs modules one after the other. */
inline module sequential(const std::vector<module> &parts, FA__HERE)
{
    const detail::call here(file, line);
    std::vector<fa_module *> item;
    for (const module &m : parts)
        item.push_back(m.get());
    return module::owned(fa__nn_sequential(item.size(), item.data()), parts);
}
/** The same of a list in braces. */
inline module sequential(std::initializer_list<module> parts, FA__HERE)
{
    return sequential(std::vector<module>(parts), file, line);
}

/** A module that calls a function, for sequential() and as a transform. The function lives as long as the module. */
inline module function(std::function<tensor(const tensor &)> run, const fa::text &kind = "function", FA__HERE)
{
    using F = decltype(run);
    const detail::call here(file, line);
    fa_forward_function forward = {};
    forward.one = [](fa_module *self, fa_tensor *x) -> fa_tensor * {
        try {
            return detail::handed_over((**static_cast<F **>((fa_module_data)(self)))(tensor(x)));
        } catch (...) {
            detail::gave_up();
        }
        return nullptr;
    };
    std::unique_ptr<F> f(new F(std::move(run)));
    F *const data = f.get();
    fa_nn_custom_options o = FA__DEFAULT_fa_nn_custom;
    o.data = &data;
    o.destroy = [](void *d) { delete *static_cast<F **>(d); };
    const module m = module::owned((fa_nn_custom)(kind.get(), sizeof data, forward, &o));
    f.release();
    return m;
}
} // namespace nn

namespace transform
{
/** Applies transforms one after the other. */
inline module compose(const std::vector<module> &parts, FA__HERE)
{
    return nn::sequential(parts, file, line);
}
/** The same of a list in braces. */
inline module compose(std::initializer_list<module> parts, FA__HERE)
{
    return nn::sequential(parts, file, line);
}
} // namespace transform

} // namespace fa

#include <facula/ops.hpp>

namespace fa
{

/* ---- operations as methods ---- */

inline tensor tensor::abs(detail::file_name file, int line) const
{
    return fa::abs(*this, {}, file, line);
}
inline tensor tensor::exp(detail::file_name file, int line) const
{
    return fa::exp(*this, {}, file, line);
}
inline tensor tensor::log(detail::file_name file, int line) const
{
    return fa::log(*this, {}, file, line);
}
inline tensor tensor::sqrt(detail::file_name file, int line) const
{
    return fa::sqrt(*this, {}, file, line);
}
inline tensor tensor::relu(detail::file_name file, int line) const
{
    return fa::relu(*this, {}, file, line);
}
inline tensor tensor::sigmoid(detail::file_name file, int line) const
{
    return fa::sigmoid(*this, {}, file, line);
}
inline tensor tensor::tanh(detail::file_name file, int line) const
{
    return fa::tanh(*this, {}, file, line);
}
inline tensor tensor::clone(detail::file_name file, int line) const
{
    return fa::clone(*this, {}, file, line);
}
inline tensor tensor::contiguous(detail::file_name file, int line) const
{
    return fa::contiguous(*this, {}, file, line);
}
inline tensor tensor::t(detail::file_name file, int line) const
{
    return fa::t(*this, file, line);
}
inline tensor tensor::detach(detail::file_name file, int line) const
{
    return fa::detach(*this, file, line);
}
inline tensor tensor::pow(const arg &y, detail::file_name file, int line) const
{
    return fa::pow(*this, y, {}, file, line);
}
inline tensor tensor::matmul(const tensor &y, detail::file_name file, int line) const
{
    return fa::matmul(*this, y, {}, file, line);
}
inline tensor tensor::softmax(int64_t dim, detail::file_name file, int line) const
{
    return fa::softmax(*this, dim, {}, file, line);
}
inline tensor tensor::sum(const fa::dims &dim, bool keepdim, detail::file_name file, int line) const
{
    sum_options o;
    o.dim = dim;
    o.keepdim = keepdim;
    return fa::sum(*this, o, file, line);
}
inline tensor tensor::mean(const fa::dims &dim, bool keepdim, detail::file_name file, int line) const
{
    mean_options o;
    o.dim = dim;
    o.keepdim = keepdim;
    return fa::mean(*this, o, file, line);
}
inline tensor tensor::amax(const fa::dims &dim, bool keepdim, detail::file_name file, int line) const
{
    amax_options o;
    o.dim = dim;
    o.keepdim = keepdim;
    return fa::amax(*this, o, file, line);
}
inline tensor tensor::amin(const fa::dims &dim, bool keepdim, detail::file_name file, int line) const
{
    amin_options o;
    o.dim = dim;
    o.keepdim = keepdim;
    return fa::amin(*this, o, file, line);
}
inline tensor tensor::max(detail::file_name file, int line) const
{
    return fa::amax(*this, {}, file, line);
}
inline tensor tensor::min(detail::file_name file, int line) const
{
    return fa::amin(*this, {}, file, line);
}
template <class Number, detail::if_integer<Number>>
max_result tensor::max(Number dim, bool keepdim, detail::file_name file, int line) const
{
    return fa::max(*this, static_cast<int64_t>(dim), max_options{keepdim}, file, line);
}
template <class Number, detail::if_integer<Number>>
min_result tensor::min(Number dim, bool keepdim, detail::file_name file, int line) const
{
    return fa::min(*this, static_cast<int64_t>(dim), min_options{keepdim}, file, line);
}
inline tensor tensor::argmax(int64_t dim, bool keepdim, detail::file_name file, int line) const
{
    argmax_options o;
    o.dim = dim;
    o.keepdim = keepdim;
    return fa::argmax(*this, o, file, line);
}
inline tensor tensor::argmin(int64_t dim, bool keepdim, detail::file_name file, int line) const
{
    argmin_options o;
    o.dim = dim;
    o.keepdim = keepdim;
    return fa::argmin(*this, o, file, line);
}
inline tensor tensor::view(const fa::shape &shape, detail::file_name file, int line) const
{
    return fa::view(*this, shape, file, line);
}
inline tensor tensor::expand(const fa::shape &shape, detail::file_name file, int line) const
{
    return fa::expand(*this, shape, file, line);
}
inline tensor tensor::reshape(const fa::shape &shape, detail::file_name file, int line) const
{
    return fa::reshape(*this, shape, {}, file, line);
}
inline tensor tensor::permute(const fa::shape &dims, detail::file_name file, int line) const
{
    return fa::permute(*this, dims, file, line);
}
inline tensor tensor::transpose(int64_t dim0, int64_t dim1, detail::file_name file, int line) const
{
    return fa::transpose(*this, dim0, dim1, file, line);
}
inline tensor tensor::flatten(int64_t start_dim, int64_t end_dim, detail::file_name file, int line) const
{
    flatten_options o;
    o.start_dim = start_dim;
    o.end_dim = end_dim;
    return fa::flatten(*this, o, file, line);
}
inline tensor tensor::squeeze(const fa::dims &dim, detail::file_name file, int line) const
{
    squeeze_options o;
    o.dim = dim;
    return fa::squeeze(*this, o, file, line);
}
inline tensor tensor::unsqueeze(int64_t dim, detail::file_name file, int line) const
{
    return fa::unsqueeze(*this, dim, file, line);
}
inline tensor tensor::select(int64_t dim, int64_t index, detail::file_name file, int line) const
{
    return fa::select(*this, dim, index, file, line);
}
inline tensor tensor::narrow(int64_t dim, int64_t start, int64_t length, detail::file_name file, int line) const
{
    return fa::narrow(*this, dim, start, length, file, line);
}

/* ---- operators ---- */

/** x + y, element by element. */
inline tensor operator+(const arg &x, const arg &y)
{
    return add(x, y, {}, x.written_in, x.written_at);
}
/** x - y, element by element. */
inline tensor operator-(const arg &x, const arg &y)
{
    return sub(x, y, {}, x.written_in, x.written_at);
}
/** x * y, element by element. */
inline tensor operator*(const arg &x, const arg &y)
{
    return mul(x, y, {}, x.written_in, x.written_at);
}
/** x / y, element by element. */
inline tensor operator/(const arg &x, const arg &y)
{
    return div(x, y, {}, x.written_in, x.written_at);
}
/** -x. */
inline tensor operator-(const arg &x)
{
    return mul(x, -1, {}, x.written_in, x.written_at);
}
/** Where x < y: a bool tensor. */
inline tensor operator<(const arg &x, const arg &y)
{
    return lt(x, y, {}, x.written_in, x.written_at);
}
/** Where x <= y: a bool tensor. */
inline tensor operator<=(const arg &x, const arg &y)
{
    return le(x, y, {}, x.written_in, x.written_at);
}
/** Where x > y: a bool tensor. */
inline tensor operator>(const arg &x, const arg &y)
{
    return gt(x, y, {}, x.written_in, x.written_at);
}
/** Where x >= y: a bool tensor. */
inline tensor operator>=(const arg &x, const arg &y)
{
    return ge(x, y, {}, x.written_in, x.written_at);
}
/** Where x == y: a bool tensor. */
inline tensor operator==(const arg &x, const arg &y)
{
    return eq(x, y, {}, x.written_in, x.written_at);
}
/** Where x != y: a bool tensor. */
inline tensor operator!=(const arg &x, const arg &y)
{
    return ne(x, y, {}, x.written_in, x.written_at);
}

/** x and y, bit by bit: of bool tensors where both are true. */
inline tensor operator&(const arg &x, const arg &y)
{
    return bitwise_and(x, y, {}, x.written_in, x.written_at);
}
/** x or y, bit by bit: of bool tensors where one is true. */
inline tensor operator|(const arg &x, const arg &y)
{
    return bitwise_or(x, y, {}, x.written_in, x.written_at);
}
/** Either x or y, bit by bit: of bool tensors where they differ. */
inline tensor operator^(const arg &x, const arg &y)
{
    return bitwise_xor(x, y, {}, x.written_in, x.written_at);
}
/** Not x, bit by bit: of bool tensors where it is false. */
inline tensor operator~(const detail::written<tensor> &x)
{
    return bitwise_not(x.value, {}, x.written_in, x.written_at);
}

/* In place */
#define FA__IN_PLACE(sign, call)                                                                                       \
    inline const tensor &tensor::operator sign(const arg &y) const &                                                   \
    {                                                                                                                  \
        call(*this, y, {}, y.written_in, y.written_at);                                                                \
        return *this;                                                                                                  \
    }                                                                                                                  \
    inline tensor &tensor::operator sign(const arg &y) &                                                               \
    {                                                                                                                  \
        call(*this, y, {}, y.written_in, y.written_at);                                                                \
        return *this;                                                                                                  \
    }                                                                                                                  \
    inline tensor tensor::operator sign(const arg &y) &&                                                               \
    {                                                                                                                  \
        call(*this, y, {}, y.written_in, y.written_at);                                                                \
        return *this;                                                                                                  \
    }
FA__IN_PLACE(+=, add_)
FA__IN_PLACE(-=, sub_)
FA__IN_PLACE(*=, mul_)
FA__IN_PLACE(/=, div_)
#undef FA__IN_PLACE

} // namespace fa
#endif
