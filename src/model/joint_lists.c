/* SPDX-License-Identifier: Apache-2.0
 * A counting sort of joints by the bodies they hold; see joint_lists.h. */
#include "model/joint_lists.h"
#include "base/memory.h"

bool clv_joint_lists_open(clv_joint_lists *x, const clv_model *m, bool (*listed)(const clv_joint *))
{
    int *first = x->first = clv_alloc((size_t)m->nbody + 2, sizeof *first);
    int *joint = x->joint = clv_alloc(2 * (size_t)m->njoint + 1, sizeof *joint), sum = 0;
    if (!first || !joint)
        return false;
    for (int j = 0; j < m->njoint; j++)
        if (!listed || listed(&m->joint[j]))
            first[m->joint[j].a + 1]++, first[m->joint[j].b + 1]++;
    for (int k = 0; k <= m->nbody + 1; k++) {
        const int n = first[k];
        first[k] = sum, sum += n;
    }
    for (int j = 0; j < m->njoint; j++)
        if (!listed || listed(&m->joint[j]))
            joint[first[m->joint[j].a + 1]++] = j, joint[first[m->joint[j].b + 1]++] = j;
    for (int k = m->nbody + 1; k > 0; k--) /* each has moved to where the next one begins */
        first[k] = first[k - 1];
    first[0] = 0;
    return true;
}

void clv_joint_lists_close(clv_joint_lists *x) { clv_free(x->first), clv_free(x->joint); }
