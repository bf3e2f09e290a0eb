/* The words for tensor cores in CUDA C++, for GPUs from sm_80 on: products of small matrices that a warp's 32 threads
 * make together, and copies to shared memory that run beside them. All of it is inline PTX, whose names are those of
 * NVIDIA's "PTX ISA". A simulator has functions of its own under these names. */
/* A kernel of which two groups are to fit a multiprocessor's registers. */
#define KERNEL_OF_TWO(name, wx, wy) extern "C" __global__ void __launch_bounds__((wx) * (wy), 2) name

#ifdef __CUDACC_RTC__
FN u32 shared_address(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}

/* Begins to copy `bytes` of 16, and as many zeros as are left of them, from memory to shared memory, both aligned. */
FN void copy16(LOCAL u8 *to, const GLOBAL u8 *from, i32 bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes)
                 : "memory");
}

/* The thread's copies that began since the last call are one group. */
FN void copies_end_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Until all of the thread's groups but the last one are done. */
FN void copies_wait_but_one()
{
    asm volatile("cp.async.wait_group 1;" ::: "memory");
}

/* Four matrices of 8 rows of 16 bytes from shared memory, whose rows lie where 8 threads each say: thread t has word
 * t % 4 of row t / 4 of each. */
FN void load_matrices(u32 *x, const LOCAL u8 *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(shared_address(row))
                 : "memory");
}

/* The same of elements of two bytes, transposed: thread t has element t / 4 of rows 2 (t % 4) and the next one. */
FN void load_matrices_turned(u32 *x, const LOCAL u8 *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(shared_address(row))
                 : "memory");
}

/* f32 rounded to 10 bits of fraction, to nearest, ties away from zero */
FN u32 tf32_of(u32 x)
{
    u32 y;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(__int_as_float((i32)x)));
    return y;
}

/* c (16 x 8) += a (16 x k) b (k x 8), where k is 16, for tf32 8 */
#define MULTIPLY_MATRICES(name, shape)                                                                                 \
    FN void name(f32 *c, const u32 *a, const u32 *b)                                                                   \
    {                                                                                                                  \
        asm("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"               \
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                           \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                       \
    }
MULTIPLY_MATRICES(multiply_f16, "m16n8k16.row.col.f32.f16.f16.f32")
MULTIPLY_MATRICES(multiply_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MULTIPLY_MATRICES(multiply_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
#endif
