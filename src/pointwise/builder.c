/* The builder's table of nodes: equal nodes get one number. */
#include "pointwise/builder.h"
#include "base/alloc.h"
#include "base/hash.h"

bool fa__builder_init(fa__builder *b, uint32_t capacity)
{
    if (capacity > FA__MOST_NODES)
        capacity = FA__MOST_NODES;
    uint32_t slots = 64;
    while (slots < 2 * capacity)
        slots *= 2;
    *b = (fa__builder){.capacity = capacity, .mask = slots - 1};
    size_t nodes_size = capacity * sizeof *b->node, slots_size = slots * sizeof *b->slot;
    b->node = fa__malloc(nodes_size + slots_size + capacity * sizeof *b->map);
    if (!b->node)
        return false;
    b->slot = (fa__node_id *)(b->node + capacity);
    b->map = b->slot + slots;
    memset(b->slot, 0, slots_size);
    return true;
}

void fa__builder_end(fa__builder *b)
{
    fa__free(b->node);
    b->node = NULL;
}

static bool same(const fa__ssa_node *p, const fa__ssa_node *q)
{
    return p->prim == q->prim && p->integer == q->integer && p->a == q->a && p->b == q->b && p->c == q->c
           && p->number.i == q->number.i;
}

static uint64_t hash(const fa__ssa_node *n)
{
    uint64_t key = (uint64_t)n->prim | (uint64_t)n->integer << 8 | (uint64_t)n->a << 16 | (uint64_t)n->b << 32
                   | (uint64_t)n->c << 48;
    return fa__hash_add(key, (uint64_t)n->number.i);
}

fa__node_id fa__build_raw(fa__builder *b, fa__ssa_node node)
{
    uint32_t at = (uint32_t)hash(&node) & b->mask;
    for (; b->slot[at]; at = (at + 1) & b->mask)
        if (same(&b->node[b->slot[at] - 1], &node))
            return (fa__node_id)(b->slot[at] - 1);
    if (b->count == b->capacity) {
        b->full = true;
        return 0;
    }
    b->node[b->count] = node;
    b->slot[at] = (fa__node_id)(b->count + 1);
    return (fa__node_id)b->count++;
}

fa__node_id fa__build_input(fa__builder *b, unsigned number)
{
    return fa__build_raw(b, (fa__ssa_node){.prim = FA__PRIM_input, .a = (uint16_t)number});
}

fa__node_id fa__build_integer(fa__builder *b, int64_t value)
{
    return fa__build_raw(b, (fa__ssa_node){.prim = FA__PRIM_constant, .integer = true, .number.i = value});
}

fa__node_id fa__build_number(fa__builder *b, double value)
{
    return fa__build_raw(b, (fa__ssa_node){.prim = FA__PRIM_constant, .number.f = value});
}

/* Whose first two operands may change places without changing a bit. maximum(0, -0) is not maximum(-0, 0). */
static const bool commutes[FA__PRIM_count] = {
    [FA__PRIM_add] = true,     [FA__PRIM_mul] = true,  [FA__PRIM_mad] = true,     [FA__PRIM_fma] = true,
    [FA__PRIM_eq] = true,      [FA__PRIM_ne] = true,   [FA__PRIM_and] = true,     [FA__PRIM_or] = true,
    [FA__PRIM_gcd] = true,     [FA__PRIM_lcm] = true,  [FA__PRIM_bit_and] = true, [FA__PRIM_bit_or] = true,
    [FA__PRIM_bit_xor] = true, [FA__PRIM_nmad] = true,
};

fa__node_id fa__build(fa__builder *b, fa__prim prim, fa__node_id x, fa__node_id y, fa__node_id z)
{
    if (b->full)
        return 0;
    if (commutes[prim] && x > y) {
        fa__node_id first = x;
        x = y, y = first;
    }
    bool folds = !b->verbatim || fa__prims[prim].domain != FA__DOMAIN_TEST;
    fa__node_id simpler = folds ? fa__fold(b, prim, (fa__node_id[]){x, y, z}) : FA__NO_NODE;
    if (simpler == FA__NO_NODE && !b->verbatim)
        simpler = fa__simplify(b, prim, x, y, z);
    if (simpler != FA__NO_NODE)
        return simpler;
    return fa__build_raw(b, (fa__ssa_node){.prim = (uint8_t)prim, .a = x, .b = y, .c = z});
}

bool fa__is_number(const fa__builder *b, fa__node_id id, double value)
{
    const fa__ssa_node *n = &b->node[id];
    if (n->prim != FA__PRIM_constant)
        return false;
    double is = n->integer ? (double)n->number.i : n->number.f;
    return is == value && !__builtin_signbit(is) == !__builtin_signbit(value);
}

void fa__mark_needed(const fa__builder *b, const fa__node_id *output, int outputs)
{
    memset(b->map, 0, b->count * sizeof *b->map);
    for (int i = 0; i < outputs; i++)
        b->map[output[i]] = 1;
    for (uint32_t i = b->count; i-- > 0;) {
        const fa__ssa_node *n = &b->node[i];
        for (int k = 0; b->map[i] && k < fa__prims[n->prim].arity; k++)
            b->map[fa__ssa_operand(n, k)] = 1;
    }
}
