/* Macro machinery of the public headers: argument counting, named options, scopes' names. Nothing here is for users. */
#ifndef FACULA_MACROS_H
#define FACULA_MACROS_H
#if !defined __GNUC__
#error "Facula's headers need GCC or Clang: the cleanup attribute and statement expressions"
#endif
#if defined __cplusplus && __cplusplus < 201703L
#error "Facula's headers need C11, or C++17 and later"
#endif

/** Marks a symbol that the shared library exports. */
#define FA_API __attribute__((__visibility__("default")))

#ifdef __cplusplus
#define FA__NONE                                                                                                       \
    {                                                                                                                  \
    }
#define FA__AUTO auto
#define FA__STATIC_ASSERT static_assert
#define FA__BEGIN                                                                                                      \
    FA__EXTENSIONS extern "C"                                                                                          \
    {
#define FA__END                                                                                                        \
    }                                                                                                                  \
    FA__NO_EXTENSIONS
#else
#define FA__NONE                                                                                                       \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define FA__AUTO __auto_type
#define FA__STATIC_ASSERT _Static_assert
#define FA__BEGIN FA__EXTENSIONS
#define FA__END FA__NO_EXTENSIONS
#endif
/* Clang warns of the extension that FA__NAMED1() needs where the macro is defined that uses it. */
#ifdef __clang__
#define FA__EXTENSIONS                                                                                                 \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wgnu-zero-variadic-macro-arguments\"")
#define FA__NO_EXTENSIONS _Pragma("clang diagnostic pop")
#else
#define FA__EXTENSIONS
#define FA__NO_EXTENSIONS
#endif

#define FA__CLEANUP(f) __attribute__((__cleanup__(f), __unused__))
#define FA__WHERE __FILE__ ":" FA__STRING(__LINE__)
#define FA__STRING(x) FA__STRING_(x)
#define FA__STRING_(x) #x

/* The file and line of the call that this thread is in, such as "train.c:41": errors, the origin of tensors and the
 * ledger name it. Calls are macros that set it while the call runs. NULL outside of calls, and in calls through
 * pointers. In files that define FACULA_NO_LINES before including this, calls do not set it. */
FA__BEGIN
extern FA_API __thread const char *fa__line __attribute__((__tls_model__("initial-exec")));
FA__END
static inline const char *fa__line_enter(const char *line)
{
    const char *outer = fa__line;
    fa__line = line;
    return outer;
}
static inline void fa__line_leave(const char **outer)
{
    fa__line = *outer;
}
#ifdef FACULA_NO_LINES
#define FA__LINE(u)
#else
#define FA__LINE(u) const char *fa__l##u FA__CLEANUP(fa__line_leave) = fa__line_enter(FA__WHERE);
#endif

/* clang-format off */
/* FA__CALLED(call): a call of a function that needs no other macro, with its line */
#ifdef FACULA_NO_LINES
#define FA__CALLED(...) __VA_ARGS__
#elif defined __cplusplus
/* also outside of functions, such as in default arguments; until the end of the whole expression */
#define FA__CALLED(...) ((void)fa__line_guard(FA__WHERE), __VA_ARGS__)
struct fa__line_guard {
    const char *outer;
    explicit fa__line_guard(const char *line) : outer(fa__line_enter(line))
    {
    }
    ~fa__line_guard()
    {
        fa__line_leave(&outer);
    }
};
#else
#define FA__CALLED(...) FA__CALLED_(__COUNTER__, __VA_ARGS__)
#define FA__CALLED_(...) FA__CALLED__(__VA_ARGS__)
#define FA__CALLED__(u, ...) __extension__({ FA__LINE(u) __VA_ARGS__; })
#endif
/* The same number in all scopes that one call of a function opens, and another one elsewhere, for fa_escape() */
#define FA__FUNCTION ((uintptr_t)__builtin_frame_address(0) ^ (uintptr_t)__func__)
#define FA__CAT(a, b) FA__CAT_(a, b)
#define FA__CAT_(a, b) a##b
#define FA__UNIQUE(prefix) FA__CAT(prefix, __COUNTER__)
/* the n-th argument, named by its position if it is missing, and the arguments after the n-th */
#define FA__1(...) FA__1_(__VA_ARGS__, )
#define FA__1_(a, ...) a
#define FA__2(...) FA__2_(__VA_ARGS__, fa__argument_2_is_missing, )
#define FA__2_(a, b, ...) b
#define FA__3(...) FA__3_(__VA_ARGS__, fa__argument_3_is_missing, fa__argument_3_is_missing, )
#define FA__3_(a, b, c, ...) c
#define FA__4(...) FA__4_(__VA_ARGS__, fa__argument_4_is_missing, fa__argument_4_is_missing, fa__argument_4_is_missing, )
#define FA__4_(a, b, c, d, ...) d
#define FA__5(...) FA__5_(__VA_ARGS__, fa__argument_5_is_missing, fa__argument_5_is_missing, fa__argument_5_is_missing, fa__argument_5_is_missing, )
#define FA__5_(a, b, c, d, e, ...) e
/* The second and last argument, in parentheses if it is a compound literal, whose commas separate arguments; and the
 * number of arguments, 2 if it is */
#define FA__LAST2(...) FA__CAT(FA__LAST2_, FA__IS_LITERAL(FA__2(__VA_ARGS__)))(__VA_ARGS__)
#define FA__LAST2_0(...) FA__2(__VA_ARGS__)
#define FA__LAST2_1(a, ...) (__VA_ARGS__)
#define FA__COUNT2(...) FA__CAT(FA__COUNT2_, FA__IS_LITERAL(FA__2(__VA_ARGS__)))(__VA_ARGS__)
#define FA__COUNT2_0(...) FA__COUNT(__VA_ARGS__)
#define FA__COUNT2_1(...) 2
/* 1 if the argument begins with parentheses and goes on behind them, as (fa_shape){2 does, else 0 */
#define FA__IS_LITERAL(a) FA__CAT(FA__IS_LITERAL_, FA__CAT(FA__IS_PAIR(FA__COMMA a), FA__EMPTY(FA__NOTHING a)))
#define FA__IS_LITERAL_00 0
#define FA__IS_LITERAL_01 0
#define FA__IS_LITERAL_10 1
#define FA__IS_LITERAL_11 0
#define FA__NOTHING(...)
#define FA__DROP1(a, ...) __VA_ARGS__
#define FA__DROP2(a, b, ...) __VA_ARGS__
#define FA__DROP3(a, b, c, ...) __VA_ARGS__
#define FA__DROP4(a, b, c, d, ...) __VA_ARGS__
#define FA__DROP5(a, b, c, d, e, ...) __VA_ARGS__
/* number of arguments: 1 to 64; from 65 to 128 arguments are a compile error */
#define FA__COUNT(...) FA__COUNT_(__VA_ARGS__, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, FA__TOO_MANY, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define FA__COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, a68, a69, a70, a71, a72, a73, a74, a75, a76, a77, a78, a79, a80, a81, a82, a83, a84, a85, a86, a87, a88, a89, a90, a91, a92, a93, a94, a95, a96, a97, a98, a99, a100, a101, a102, a103, a104, a105, a106, a107, a108, a109, a110, a111, a112, a113, a114, a115, a116, a117, a118, a119, a120, a121, a122, a123, a124, a125, a126, a127, a128, n, ...) n
#define FA__TOO_MANY fa__at_most_64_items_go_here
/* 1 if there are no arguments, else 0. FA__COMMA expands to a comma if parentheses follow it: those added after an
 * empty argument, or those at the start of an argument */
#define FA__EMPTY(...) FA__EMPTY_(FA__1(__VA_ARGS__))
#define FA__EMPTY_(a) FA__CAT(FA__EMPTY_, FA__CAT(FA__IS_PAIR(FA__COMMA a ()), FA__IS_PAIR(FA__COMMA a)))
#define FA__EMPTY_00 0
#define FA__EMPTY_10 1
#define FA__EMPTY_11 0
#define FA__IS_PAIR(...) FA__IS_PAIR_(__VA_ARGS__, 1, 0, )
#define FA__IS_PAIR_(a, b, n, ...) n
#define FA__COMMA(...) ,
/* FA__SET(f, o, options...) sets o .name = value; for each option, so that real defaults stay, in C and in C++. Where a
 * device can be given, which FA__DEVICE_f says, .device = "cuda:1" goes to a variable of its own first: C assigns no
 * string to an fa_device (in C++ that has an operator). Only a literal is known by the text of its option. */
#define FA__SET(f, o, ...) FA__CAT(FA__SET_, FA__IS_PAIR(FA__DEVICE_##f))(o, __VA_ARGS__)
#define FA__SET_0(o, ...) FA__SET_ALL(FA__ASSIGN, o, __VA_ARGS__)
#ifdef __cplusplus
#define FA__SET_1 FA__SET_0
#else
#define FA__SET_1(o, ...) struct { const char *device; } o##_named = {0}; FA__SET_ALL(FA__ASSIGN_NAMED, o, __VA_ARGS__) if (o##_named.device) o.device = fa__device_named(o##_named.device);
#endif
#define FA__ASSIGN(o, a) o a;
#define FA__ASSIGN_NAMED(o, a) /* .device = "cuda" or fa_device_of(name) */ __builtin_choose_expr(FA__IS_DEVICE_NAME(#a), o##_named, o) a;
#define FA__IS_DEVICE_NAME(text) !__builtin_strncmp(text, ".device = \"", 11) || !__builtin_strncmp(text, ".device=\"", 9) || !__builtin_strncmp(text, ".device =\"", 10) || !__builtin_strncmp(text, ".device= \"", 10)
#define FA__SET_ALL(set, o, ...) FA__CAT(FA__SET, FA__COUNT(__VA_ARGS__))(set, o, __VA_ARGS__)
#define FA__SET1(set, o, a) set(o, a)
#define FA__SET2(set, o, a, ...) set(o, a) FA__SET1(set, o, __VA_ARGS__)
#define FA__SET3(set, o, a, ...) set(o, a) FA__SET2(set, o, __VA_ARGS__)
#define FA__SET4(set, o, a, ...) set(o, a) FA__SET3(set, o, __VA_ARGS__)
#define FA__SET5(set, o, a, ...) set(o, a) FA__SET4(set, o, __VA_ARGS__)
#define FA__SET6(set, o, a, ...) set(o, a) FA__SET5(set, o, __VA_ARGS__)
#define FA__SET7(set, o, a, ...) set(o, a) FA__SET6(set, o, __VA_ARGS__)
#define FA__SET8(set, o, a, ...) set(o, a) FA__SET7(set, o, __VA_ARGS__)
#define FA__SET9(set, o, a, ...) set(o, a) FA__SET8(set, o, __VA_ARGS__)
#define FA__SET10(set, o, a, ...) set(o, a) FA__SET9(set, o, __VA_ARGS__)
#define FA__SET11(set, o, a, ...) set(o, a) FA__SET10(set, o, __VA_ARGS__)
#define FA__SET12(set, o, a, ...) set(o, a) FA__SET11(set, o, __VA_ARGS__)
#define FA__SET13(set, o, a, ...) set(o, a) FA__SET12(set, o, __VA_ARGS__)
#define FA__SET14(set, o, a, ...) set(o, a) FA__SET13(set, o, __VA_ARGS__)
#define FA__SET15(set, o, a, ...) set(o, a) FA__SET14(set, o, __VA_ARGS__)
#define FA__SET16(set, o, a, ...) set(o, a) FA__SET15(set, o, __VA_ARGS__)
#define FA__SET17(set, o, a, ...) set(o, a) FA__SET16(set, o, __VA_ARGS__)
#define FA__SET18(set, o, a, ...) set(o, a) FA__SET17(set, o, __VA_ARGS__)
#define FA__SET19(set, o, a, ...) set(o, a) FA__SET18(set, o, __VA_ARGS__)
#define FA__SET20(set, o, a, ...) set(o, a) FA__SET19(set, o, __VA_ARGS__)
#define FA__SET21(set, o, a, ...) set(o, a) FA__SET20(set, o, __VA_ARGS__)
#define FA__SET22(set, o, a, ...) set(o, a) FA__SET21(set, o, __VA_ARGS__)
#define FA__SET23(set, o, a, ...) set(o, a) FA__SET22(set, o, __VA_ARGS__)
#define FA__SET24(set, o, a, ...) set(o, a) FA__SET23(set, o, __VA_ARGS__)
/* FA__NAMEDn(, ## __VA_ARGS__, ., ...), with more dots than operands: two texts in parentheses, of the first argument
 * behind the operands, as the program has it, with a dot behind it, and of the last operand, which is a dot if it is
 * missing (behind ##, macros in it are not expanded, so that nested calls do not grow exponentially).
 * FA__CHECK_COMPLETE() is an error if the operand is missing or has a name, and FA__CHECK_NAMED() unless the first text begins with a dot,
 * as options do: fa_sum(x, 1) would be "expected ';'". It may also be nothing, or a macro of the program in capital
 * letters. Between the two, operands are checked: fa_zeros(3, 4) lacks a shape, and fa_cat(x, y) a list. */
#define FA__NAMED0(none, a, ...) (#a ".", "")
#define FA__NAMED1(none, a, b, ...) (#b ".", #a)
#define FA__NAMED2(none, a, b, c, ...) (#c ".", #b)
#define FA__NAMED3(none, a, b, c, d, ...) (#d ".", #c)
#define FA__NAMED4(none, a, b, c, d, e, ...) (#e ".", #d)
#define FA__NAMED5(none, a, b, c, d, e, f, ...) (#f ".", #e)
#define FA__CHECK_COMPLETE(f, texts) FA__STATIC_ASSERT(__builtin_strcmp(FA__LAST_OPERAND texts, "."), f ": an argument is missing"); FA__STATIC_ASSERT(!FA__IS_OPTION(FA__LAST_OPERAND texts), f ": operands go without names, before the options");
#define FA__CHECK_NAMED(f, texts) FA__STATIC_ASSERT(FA__IS_NAMED(FA__BEHIND_OPERANDS texts), f ": options have names: .name = value");
#define FA__BEHIND_OPERANDS(behind, last) behind
#define FA__LAST_OPERAND(behind, last) last
/* `.bias = 1`, but not `.5`, and not a dot alone; an operand that is a dimension may be called `.dim` */
#define FA__IS_OPTION(text) (__builtin_strcmp(text, ".A") > 0 && __builtin_strcmp(text, "/") < 0 && __builtin_strncmp(text, ".dim", 4))
#define FA__IS_NAMED(text) !__builtin_strncmp(text, ".", 1) || (__builtin_strcmp(text, "A") > 0 && __builtin_strcmp(text, "[") < 0 && __builtin_strncmp(text, "FA_", 3))
/* an optional list of options and its end marker: `.p = 1` becomes `.p = 1, .fa__end = 0`, an empty list becomes
 * `.fa__end = 0` */
#define FA__OPTIONS(...) FA__CAT(FA__OPTIONS, FA__EMPTY(__VA_ARGS__))(__VA_ARGS__)
#define FA__OPTIONS0(...) __VA_ARGS__, .fa__end = 0
#define FA__OPTIONS1(...) .fa__end = 0
/* variables for up to 16 operands of fa_pointwise, and a list of them; each operand is expanded once, so that nested
 * calls do not grow exponentially */
#define FA__BIND1(u, a) FA__BIND_ONE(fa__p1_##u, a)
#define FA__BIND2(u, a, ...) FA__BIND_ONE(fa__p2_##u, a) FA__BIND1(u, __VA_ARGS__)
#define FA__BIND3(u, a, ...) FA__BIND_ONE(fa__p3_##u, a) FA__BIND2(u, __VA_ARGS__)
#define FA__BIND4(u, a, ...) FA__BIND_ONE(fa__p4_##u, a) FA__BIND3(u, __VA_ARGS__)
#define FA__BIND5(u, a, ...) FA__BIND_ONE(fa__p5_##u, a) FA__BIND4(u, __VA_ARGS__)
#define FA__BIND6(u, a, ...) FA__BIND_ONE(fa__p6_##u, a) FA__BIND5(u, __VA_ARGS__)
#define FA__BIND7(u, a, ...) FA__BIND_ONE(fa__p7_##u, a) FA__BIND6(u, __VA_ARGS__)
#define FA__BIND8(u, a, ...) FA__BIND_ONE(fa__p8_##u, a) FA__BIND7(u, __VA_ARGS__)
#define FA__BIND9(u, a, ...) FA__BIND_ONE(fa__p9_##u, a) FA__BIND8(u, __VA_ARGS__)
#define FA__BIND10(u, a, ...) FA__BIND_ONE(fa__p10_##u, a) FA__BIND9(u, __VA_ARGS__)
#define FA__BIND11(u, a, ...) FA__BIND_ONE(fa__p11_##u, a) FA__BIND10(u, __VA_ARGS__)
#define FA__BIND12(u, a, ...) FA__BIND_ONE(fa__p12_##u, a) FA__BIND11(u, __VA_ARGS__)
#define FA__BIND13(u, a, ...) FA__BIND_ONE(fa__p13_##u, a) FA__BIND12(u, __VA_ARGS__)
#define FA__BIND14(u, a, ...) FA__BIND_ONE(fa__p14_##u, a) FA__BIND13(u, __VA_ARGS__)
#define FA__BIND15(u, a, ...) FA__BIND_ONE(fa__p15_##u, a) FA__BIND14(u, __VA_ARGS__)
#define FA__BIND16(u, a, ...) FA__BIND_ONE(fa__p16_##u, a) FA__BIND15(u, __VA_ARGS__)
#define FA__BIND_ONE(name, a) FA__BIND_FA__ARG("fa_pointwise: an operand is neither a tensor nor a number", name, a)
#define FA__BOUND1(u) FA__ARG(fa__p1_##u)
#define FA__BOUND2(u) FA__ARG(fa__p2_##u), FA__BOUND1(u)
#define FA__BOUND3(u) FA__ARG(fa__p3_##u), FA__BOUND2(u)
#define FA__BOUND4(u) FA__ARG(fa__p4_##u), FA__BOUND3(u)
#define FA__BOUND5(u) FA__ARG(fa__p5_##u), FA__BOUND4(u)
#define FA__BOUND6(u) FA__ARG(fa__p6_##u), FA__BOUND5(u)
#define FA__BOUND7(u) FA__ARG(fa__p7_##u), FA__BOUND6(u)
#define FA__BOUND8(u) FA__ARG(fa__p8_##u), FA__BOUND7(u)
#define FA__BOUND9(u) FA__ARG(fa__p9_##u), FA__BOUND8(u)
#define FA__BOUND10(u) FA__ARG(fa__p10_##u), FA__BOUND9(u)
#define FA__BOUND11(u) FA__ARG(fa__p11_##u), FA__BOUND10(u)
#define FA__BOUND12(u) FA__ARG(fa__p12_##u), FA__BOUND11(u)
#define FA__BOUND13(u) FA__ARG(fa__p13_##u), FA__BOUND12(u)
#define FA__BOUND14(u) FA__ARG(fa__p14_##u), FA__BOUND13(u)
#define FA__BOUND15(u) FA__ARG(fa__p15_##u), FA__BOUND14(u)
#define FA__BOUND16(u) FA__ARG(fa__p16_##u), FA__BOUND15(u)
/* f(a) for each, comma separated */
#define FA__MAP(f, ...) FA__CAT(FA__MAP, FA__COUNT(__VA_ARGS__))(f, __VA_ARGS__)
#define FA__MAP1(f, a) f(a)
#define FA__MAP2(f, a, ...) f(a), FA__MAP1(f, __VA_ARGS__)
#define FA__MAP3(f, a, ...) f(a), FA__MAP2(f, __VA_ARGS__)
#define FA__MAP4(f, a, ...) f(a), FA__MAP3(f, __VA_ARGS__)
#define FA__MAP5(f, a, ...) f(a), FA__MAP4(f, __VA_ARGS__)
#define FA__MAP6(f, a, ...) f(a), FA__MAP5(f, __VA_ARGS__)
#define FA__MAP7(f, a, ...) f(a), FA__MAP6(f, __VA_ARGS__)
#define FA__MAP8(f, a, ...) f(a), FA__MAP7(f, __VA_ARGS__)
#define FA__MAP9(f, a, ...) f(a), FA__MAP8(f, __VA_ARGS__)
#define FA__MAP10(f, a, ...) f(a), FA__MAP9(f, __VA_ARGS__)
#define FA__MAP11(f, a, ...) f(a), FA__MAP10(f, __VA_ARGS__)
#define FA__MAP12(f, a, ...) f(a), FA__MAP11(f, __VA_ARGS__)
#define FA__MAP13(f, a, ...) f(a), FA__MAP12(f, __VA_ARGS__)
#define FA__MAP14(f, a, ...) f(a), FA__MAP13(f, __VA_ARGS__)
#define FA__MAP15(f, a, ...) f(a), FA__MAP14(f, __VA_ARGS__)
#define FA__MAP16(f, a, ...) f(a), FA__MAP15(f, __VA_ARGS__)
#define FA__MAP17(f, a, ...) f(a), FA__MAP16(f, __VA_ARGS__)
#define FA__MAP18(f, a, ...) f(a), FA__MAP17(f, __VA_ARGS__)
#define FA__MAP19(f, a, ...) f(a), FA__MAP18(f, __VA_ARGS__)
#define FA__MAP20(f, a, ...) f(a), FA__MAP19(f, __VA_ARGS__)
#define FA__MAP21(f, a, ...) f(a), FA__MAP20(f, __VA_ARGS__)
#define FA__MAP22(f, a, ...) f(a), FA__MAP21(f, __VA_ARGS__)
#define FA__MAP23(f, a, ...) f(a), FA__MAP22(f, __VA_ARGS__)
#define FA__MAP24(f, a, ...) f(a), FA__MAP23(f, __VA_ARGS__)
#define FA__MAP25(f, a, ...) f(a), FA__MAP24(f, __VA_ARGS__)
#define FA__MAP26(f, a, ...) f(a), FA__MAP25(f, __VA_ARGS__)
#define FA__MAP27(f, a, ...) f(a), FA__MAP26(f, __VA_ARGS__)
#define FA__MAP28(f, a, ...) f(a), FA__MAP27(f, __VA_ARGS__)
#define FA__MAP29(f, a, ...) f(a), FA__MAP28(f, __VA_ARGS__)
#define FA__MAP30(f, a, ...) f(a), FA__MAP29(f, __VA_ARGS__)
#define FA__MAP31(f, a, ...) f(a), FA__MAP30(f, __VA_ARGS__)
#define FA__MAP32(f, a, ...) f(a), FA__MAP31(f, __VA_ARGS__)
#define FA__MAP33(f, a, ...) f(a), FA__MAP32(f, __VA_ARGS__)
#define FA__MAP34(f, a, ...) f(a), FA__MAP33(f, __VA_ARGS__)
#define FA__MAP35(f, a, ...) f(a), FA__MAP34(f, __VA_ARGS__)
#define FA__MAP36(f, a, ...) f(a), FA__MAP35(f, __VA_ARGS__)
#define FA__MAP37(f, a, ...) f(a), FA__MAP36(f, __VA_ARGS__)
#define FA__MAP38(f, a, ...) f(a), FA__MAP37(f, __VA_ARGS__)
#define FA__MAP39(f, a, ...) f(a), FA__MAP38(f, __VA_ARGS__)
#define FA__MAP40(f, a, ...) f(a), FA__MAP39(f, __VA_ARGS__)
#define FA__MAP41(f, a, ...) f(a), FA__MAP40(f, __VA_ARGS__)
#define FA__MAP42(f, a, ...) f(a), FA__MAP41(f, __VA_ARGS__)
#define FA__MAP43(f, a, ...) f(a), FA__MAP42(f, __VA_ARGS__)
#define FA__MAP44(f, a, ...) f(a), FA__MAP43(f, __VA_ARGS__)
#define FA__MAP45(f, a, ...) f(a), FA__MAP44(f, __VA_ARGS__)
#define FA__MAP46(f, a, ...) f(a), FA__MAP45(f, __VA_ARGS__)
#define FA__MAP47(f, a, ...) f(a), FA__MAP46(f, __VA_ARGS__)
#define FA__MAP48(f, a, ...) f(a), FA__MAP47(f, __VA_ARGS__)
#define FA__MAP49(f, a, ...) f(a), FA__MAP48(f, __VA_ARGS__)
#define FA__MAP50(f, a, ...) f(a), FA__MAP49(f, __VA_ARGS__)
#define FA__MAP51(f, a, ...) f(a), FA__MAP50(f, __VA_ARGS__)
#define FA__MAP52(f, a, ...) f(a), FA__MAP51(f, __VA_ARGS__)
#define FA__MAP53(f, a, ...) f(a), FA__MAP52(f, __VA_ARGS__)
#define FA__MAP54(f, a, ...) f(a), FA__MAP53(f, __VA_ARGS__)
#define FA__MAP55(f, a, ...) f(a), FA__MAP54(f, __VA_ARGS__)
#define FA__MAP56(f, a, ...) f(a), FA__MAP55(f, __VA_ARGS__)
#define FA__MAP57(f, a, ...) f(a), FA__MAP56(f, __VA_ARGS__)
#define FA__MAP58(f, a, ...) f(a), FA__MAP57(f, __VA_ARGS__)
#define FA__MAP59(f, a, ...) f(a), FA__MAP58(f, __VA_ARGS__)
#define FA__MAP60(f, a, ...) f(a), FA__MAP59(f, __VA_ARGS__)
#define FA__MAP61(f, a, ...) f(a), FA__MAP60(f, __VA_ARGS__)
#define FA__MAP62(f, a, ...) f(a), FA__MAP61(f, __VA_ARGS__)
#define FA__MAP63(f, a, ...) f(a), FA__MAP62(f, __VA_ARGS__)
#define FA__MAP64(f, a, ...) f(a), FA__MAP63(f, __VA_ARGS__)
/* clang-format on */
#endif
