/* Building a scalar program node by node: equal nodes are one, and what can be simplified without changing a bit in
 * any compute class is. Inside src/pointwise only. */
#ifndef FA__POINTWISE_BUILDER_H
#define FA__POINTWISE_BUILDER_H
#include "base/types.h"
#include "core/ssa.h"

/* A node's number, or FA__NO_NODE: none, or, among derivatives, a zero whatever the inputs are. */
typedef uint16_t fa__node_id;
enum { FA__NO_NODE = UINT16_MAX, FA__MOST_NODES = 32768 };

typedef struct fa__builder {
    fa__ssa_node *node;
    fa__node_id *slot; /* open addressing: node numbers + 1, 0 is free */
    fa__node_id *map;  /* a number for each node, for whoever walks them */
    uint32_t count, capacity, mask;
    bool full;     /* more than capacity nodes were asked for: what was built is of no use */
    bool typed;    /* values will have types of their own: no rule may drop a conversion */
    bool verbatim; /* nothing is simplified, and only arithmetic of constants is folded */
} fa__builder;

/* Room for `capacity` nodes (at most FA__MOST_NODES are given). False without memory. */
bool fa__builder_init(fa__builder *, uint32_t capacity);
void fa__builder_end(fa__builder *);

/* The node with these operands, simplified. Operands may not be FA__NO_NODE; unused ones are 0. When full: 0. */
fa__node_id fa__build(fa__builder *, fa__prim, fa__node_id x, fa__node_id y, fa__node_id z);
fa__node_id fa__build_input(fa__builder *, unsigned number);
fa__node_id fa__build_integer(fa__builder *, int64_t);
fa__node_id fa__build_number(fa__builder *, double);

/* The node as it is, for fa__build and its rules. */
fa__node_id fa__build_raw(fa__builder *, fa__ssa_node);

/* What fa__build returns in place of the node it is asked for, or FA__NO_NODE. In simplify.c. */
fa__node_id fa__simplify(fa__builder *, fa__prim, fa__node_id x, fa__node_id y, fa__node_id z);

/* The value of a node with constant operands, if it is the same in every class. In fold.c. */
fa__node_id fa__fold(fa__builder *, fa__prim, const fa__node_id operand[3]);

/* A constant of exactly this value, integer or not, and its sign too. */
bool fa__is_number(const fa__builder *, fa__node_id, double value);

static inline fa__prim fa__prim_of(const fa__builder *b, fa__node_id id)
{
    return (fa__prim)b->node[id].prim;
}

/* Whether the node's value is 0 or 1 by its kind. */
static inline bool fa__is_test(const fa__builder *b, fa__node_id id)
{
    return fa__prims[b->node[id].prim].domain == FA__DOMAIN_TEST;
}

/* Sets map[i] to 1 for each node that the outputs depend on, themselves too, and to 0 for the others. */
void fa__mark_needed(const fa__builder *, const fa__node_id *output, int outputs);
#endif
