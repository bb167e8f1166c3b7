// SPDX-License-Identifier: Apache-2.0
// Times Pinocchio's constrained forward dynamics on a mechanism with loops, at its neutral configuration, with velocities and efforts of
// zero.  The mechanism is text on standard input, as bench/peers/loops.py (which calls this program) writes it:
//
//   joint PARENT KIND AXIS PLACEMENT MASS COM INERTIA     KIND: R, P or F(ree); 12 numbers of a placement, rotation by rows, then position
//   loop 6d|3d JOINT PLACEMENT JOINT PLACEMENT            the frames that coincide
//
// constraintDynamics and lcaba (LC-ABA) close loops; pv of Pinocchio 4.1 does not take such constraints.  `derivatives` are
// constraintDynamics with computeConstraintDynamicsDerivatives (up to 256 rates).  Prints the best time of nine samples of each, and how
// far the accelerations violate the loops.  A word limits the iterations (50).
// Build as bench/peers/pinocchio.cpp says, with -DBOOST_FUSION_INVOKE_MAX_ARITY=12.
//
// Pinocchio's Data has second derivatives of nv^3 numbers, 34 GB for 1024 joints.  Nothing here reads them, so blocks above 1 GB lie on
// the same 64 MB again and again (Linux with glibc).
#include <sys/mman.h>
#include <unistd.h>
#include <pinocchio/multibody.hpp>
#include <pinocchio/spatial.hpp>
#include <pinocchio/constraints.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>
namespace pin = pinocchio;

extern "C" void *__libc_malloc(size_t);
extern "C" void __libc_free(void *);

static const size_t LARGE = (size_t)1 << 30, PIECE = (size_t)1 << 26, RANGE = (size_t)1 << 40;
static char *large_from, *large_to; // one range of addresses, taken in order and never given back

static void *on_shared_pages(size_t size)
{
    size = (size + PIECE - 1) / PIECE * PIECE;
    if (!large_from) {
        void *range = mmap(nullptr, RANGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED)
            return nullptr;
        large_from = large_to = (char *)range;
    }
    const int file = memfd_create("large", 0);
    if (file < 0 || ftruncate(file, PIECE) || large_to + size > large_from + RANGE)
        return nullptr;
    char *block = large_to;
    for (large_to += size; size; size -= PIECE)
        if (mmap(large_to - size, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
            return nullptr;
    close(file);
    return block;
}

extern "C" void *malloc(size_t size)
{
    return size < LARGE ? __libc_malloc(size) : on_shared_pages(size);
}

extern "C" void free(void *block)
{
    if (!large_from || (char *)block < large_from || (char *)block >= large_from + RANGE)
        __libc_free(block);
}

typedef std::vector<pin::RigidConstraintModel, Eigen::aligned_allocator<pin::RigidConstraintModel>> Models;
typedef std::vector<pin::RigidConstraintData, Eigen::aligned_allocator<pin::RigidConstraintData>> Datas;

static double number()
{
    double x;
    if (!(std::cin >> x)) {
        std::fprintf(stderr, "loops: a number is missing\n");
        std::exit(1);
    }
    return x;
}

static Eigen::Vector3d three()
{
    const double x = number(), y = number(), z = number();
    return Eigen::Vector3d(x, y, z);
}

static pin::SE3 placement()
{
    Eigen::Matrix3d R;
    for (int i = 0; i < 9; i++)
        R(i / 3, i % 3) = number();
    return pin::SE3(R, three());
}

static void read_joint(pin::Model &m)
{
    const auto parent = (pin::JointIndex)number();
    std::string kind;
    std::cin >> kind;
    const Eigen::Vector3d axis = three();
    const pin::SE3 at = placement();
    const double mass = number();
    const Eigen::Vector3d com = three();
    Eigen::Matrix3d J;
    for (int i = 0; i < 9; i++)
        J(i / 3, i % 3) = number();
    // joints about axes have cheaper joint models of their own
    int along = -1;
    for (int i = 0; i < 3; i++)
        if (axis == Eigen::Vector3d::Unit(i))
            along = i;
    const std::string name = "j" + std::to_string(m.njoints);
    pin::JointIndex j;
    if (kind == "F")
        j = m.addJoint(parent, pin::JointModelFreeFlyer(), at, name);
    else if (kind == "R")
        j = along == 0   ? m.addJoint(parent, pin::JointModelRX(), at, name)
            : along == 1 ? m.addJoint(parent, pin::JointModelRY(), at, name)
            : along == 2 ? m.addJoint(parent, pin::JointModelRZ(), at, name)
                         : m.addJoint(parent, pin::JointModelRevoluteUnaligned(axis), at, name);
    else
        j = along == 0   ? m.addJoint(parent, pin::JointModelPX(), at, name)
            : along == 1 ? m.addJoint(parent, pin::JointModelPY(), at, name)
            : along == 2 ? m.addJoint(parent, pin::JointModelPZ(), at, name)
                         : m.addJoint(parent, pin::JointModelPrismaticUnaligned(axis), at, name);
    m.appendBodyToJoint(j, pin::Inertia(mass, com, J), pin::SE3::Identity());
}

static double best_of_nine(const std::function<void()> &evaluate)
{
    double best = INFINITY;
    for (int sample = 0; sample < 9; sample++) {
        const auto began = std::chrono::steady_clock::now();
        double seconds = 0;
        int repeats = 0;
        while (repeats < 1000 && seconds < 0.5) { // a call of the clock every ten evaluations
            for (int i = 0; i < 10; i++, repeats++)
                evaluate();
            seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        }
        best = std::fmin(best, seconds / repeats);
    }
    return best;
}

// largest number of what the loops' rows say of the accelerations, beside the largest acceleration
static double violation(const pin::Model &m, const Models &loops, const Eigen::VectorXd &q, const Eigen::VectorXd &a)
{
    pin::Data d(m);
    double worst = 0;
    pin::forwardKinematics(m, d, q, Eigen::VectorXd::Zero(m.nv), a);
    for (const auto &loop : loops) {
        const pin::SE3 A = d.oMi[loop.joint1_id] * loop.joint1_placement, B = d.oMi[loop.joint2_id] * loop.joint2_placement;
        const pin::Motion x = A.act(loop.joint1_placement.actInv(d.a[loop.joint1_id])),
                          y = B.act(loop.joint2_placement.actInv(d.a[loop.joint2_id]));
        const pin::Motion gap = A.actInv(x - y);
        worst = std::fmax(worst, gap.linear().lpNorm<Eigen::Infinity>());
        if (loop.type == pin::CONTACT_6D)
            worst = std::fmax(worst, gap.angular().lpNorm<Eigen::Infinity>());
    }
    return worst / (1 + a.lpNorm<Eigen::Infinity>());
}

int main(int count, char **word)
{
    const int most = count > 1 ? std::atoi(word[1]) : 50; // iterations
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    pin::Model m;
    Models loops;
    Datas datas;
    for (std::string what; std::cin >> what;)
        if (what == "joint")
            read_joint(m);
        else { // after all joints
            std::string type;
            std::cin >> type;
            const auto a = (pin::JointIndex)number();
            const pin::SE3 A = placement();
            const auto b = (pin::JointIndex)number();
            loops.emplace_back(type == "6d" ? pin::CONTACT_6D : pin::CONTACT_3D, m, a, A, b, placement(), pin::LOCAL);
        }
    for (const auto &loop : loops)
        datas.emplace_back(loop);
    const Eigen::VectorXd q = pin::neutral(m), v = Eigen::VectorXd::Zero(m.nv), tau = v;
    {
        pin::Data d(m);
        pin::ProximalSettings settings(1e-10, 1e-10, most);
        pin::initConstraintDynamics(m, d, loops, datas);
        const double t = best_of_nine([&] { pin::constraintDynamics(m, d, q, v, tau, loops, datas, settings); });
        std::printf("constraintDynamics nv=%d %.3f us, %d iterations, violation %.1e\n", m.nv, 1e6 * t, (int)settings.iter,
                    violation(m, loops, q, d.ddq));
    }
    if (m.nv <= 256) {
        pin::Data d(m);
        pin::ProximalSettings settings(1e-10, 1e-10, most);
        pin::initConstraintDynamics(m, d, loops, datas);
        const double t = best_of_nine([&] {
            pin::constraintDynamics(m, d, q, v, tau, loops, datas, settings);
            pin::computeConstraintDynamicsDerivatives(m, d, loops, datas, settings);
        });
        std::printf("derivatives nv=%d %.3f us, largest of ddq_dq %.3g\n", m.nv, 1e6 * t, d.ddq_dq.lpNorm<Eigen::Infinity>());
    }
    {
        pin::Data d(m);
        pin::ProximalSettings settings(1e-10, 1e-10, most);
        pin::computeJointMinimalOrdering(m, d, loops);
        const double t = best_of_nine([&] { pin::lcaba(m, d, q, v, tau, loops, datas, settings); });
        std::printf("lcaba nv=%d %.3f us, %d iterations, violation %.1e\n", m.nv, 1e6 * t, (int)settings.iter, violation(m, loops, q, d.ddq));
    }
}
