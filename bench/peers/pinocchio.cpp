// SPDX-License-Identifier: Apache-2.0
// Times Pinocchio's articulated-body algorithm on a mechanism that bench_rates has written as text, from standard input:
//
//   bench_rates text chain links=64 spatial=2 | ./pinocchio
//
// Prints the best time of nine samples by the faster of its two conventions, and the sum over rates i = 0, 1, ... of the
// rates of cleave's u times sin(i).  Pinocchio is a library of the Python package index (`pip install pin` into a virtual
// environment: headers and libraries lie in its cmeel.prefix); Debian: clang libeigen3-dev.
//   P=VENV/lib/python3.11/site-packages/cmeel.prefix
//   clang++ -std=c++17 -O3 -march=native -DNDEBUG -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
//       -I$P/include -I/usr/include/eigen3 bench/peers/pinocchio.cpp -L$P/lib -lpinocchio_default -Wl,-rpath,$P/lib -o pinocchio
// clang: gcc's build of it is slower.  Up to some 500 bodies: its memory grows with their third power.
#include <pinocchio/multibody.hpp>
#include <pinocchio/spatial.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
namespace pin = pinocchio;

struct Body {
    int parent;
    bool free;
    pin::SE3 place;
    pin::Inertia inertia;
    std::vector<double> q, u;
};

static std::vector<double> numbers(std::istream &in, int n)
{
    std::vector<double> x(n);
    for (double &v : x)
        if (!(in >> v)) {
            std::fprintf(stderr, "pinocchio: a number is missing\n");
            std::exit(1);
        }
    return x;
}

static Body read_body(const std::string &line)
{
    std::istringstream in(line);
    Body b;
    char kind = 0;
    in >> b.parent >> kind;
    b.free = kind == 'F';
    auto R = numbers(in, 9), p = numbers(in, 3), m = numbers(in, 1), c = numbers(in, 3), J = numbers(in, 6);
    Eigen::Matrix3d E, I;
    E << R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8];
    I << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
    b.place = pin::SE3(E, Eigen::Vector3d(p[0], p[1], p[2]));
    b.inertia = pin::Inertia(m[0], Eigen::Vector3d(c[0], c[1], c[2]), I);
    b.q = numbers(in, b.free ? 7 : 1), b.u = numbers(in, b.free ? 6 : 1);
    return b;
}

// cleave: position, quaternion w x y z; velocity in the parent's axes, angular velocity in the body's.
// Pinocchio: position, quaternion x y z w; both velocities in the body's axes.
static Eigen::Matrix3d attitude(const Body &b)
{
    return Eigen::Quaterniond(b.q[3], b.q[4], b.q[5], b.q[6]).toRotationMatrix();
}

static void set_state(const pin::Model &model, const std::vector<Body> &body, Eigen::VectorXd &q, Eigen::VectorXd &v)
{
    for (size_t i = 0; i < body.size(); i++) {
        const Body &b = body[i];
        const int iq = model.joints[i + 1].idx_q(), iv = model.joints[i + 1].idx_v();
        if (!b.free) {
            q[iq] = b.q[0], v[iv] = b.u[0];
            continue;
        }
        q.segment<7>(iq) << b.q[0], b.q[1], b.q[2], b.q[4], b.q[5], b.q[6], b.q[3];
        v.segment<3>(iv) = attitude(b).transpose() * Eigen::Vector3d(b.u[0], b.u[1], b.u[2]);
        v.segment<3>(iv + 3) << b.u[3], b.u[4], b.u[5];
    }
}

// of the rates of cleave's u
static double weighted_sum(const pin::Model &model, const std::vector<Body> &body, const Eigen::VectorXd &v,
                           const Eigen::VectorXd &a)
{
    double sum = 0;
    int i = 0;
    for (size_t k = 0; k < body.size(); k++) {
        const int iv = model.joints[k + 1].idx_v();
        if (!body[k].free) {
            sum += std::sin(i++) * a[iv];
            continue;
        }
        const Eigen::Vector3d w = v.segment<3>(iv + 3), l = v.segment<3>(iv), al = a.segment<3>(iv);
        const Eigen::Vector3d udot = attitude(body[k]) * (al + w.cross(l));
        for (int c = 0; c < 6; c++)
            sum += std::sin(i++) * (c < 3 ? udot[c] : a[iv + c]);
    }
    return sum;
}

template <class Call> static double best_of_nine(Call call, size_t n)
{
    const int repeats = (int)(60000 / n) + 1;
    double best = 1e9;
    for (int e = 0; e < 9; e++) {
        auto began = std::chrono::steady_clock::now();
        for (int i = 0; i < repeats; i++)
            call();
        const double x = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / repeats;
        best = std::min(best, x);
    }
    return best;
}

int main()
{
    pin::Model model;
    std::vector<Body> body;
    std::string line, word;
    std::getline(std::cin, line);
    std::istringstream head(line);
    head >> word;
    auto g = numbers(head, 3);
    model.gravity.linear() << g[0], g[1], g[2];
    while (std::getline(std::cin, line)) {
        const Body b = read_body(line);
        const std::string name = "j" + std::to_string(body.size());
        const pin::JointIndex parent = b.parent + 1;
        const auto j = b.free ? model.addJoint(parent, pin::JointModelFreeFlyer(), b.place, name)
                              : model.addJoint(parent, pin::JointModelRZ(), b.place, name);
        model.appendBodyToJoint(j, b.inertia, pin::SE3::Identity());
        body.push_back(b);
    }
    pin::Data data(model);
    Eigen::VectorXd q(model.nq), v(model.nv), tau = Eigen::VectorXd::Zero(model.nv);
    set_state(model, body, q, v);
    double sum[2], time[2];
    int k = 0;
    for (auto convention : {pin::Convention::LOCAL, pin::Convention::WORLD}) {
        sum[k] = weighted_sum(model, body, v, pin::aba(model, data, q, v, tau, convention));
        time[k++] = best_of_nine([&] { pin::aba(model, data, q, v, tau, convention); }, body.size());
    }
    const int best = time[1] < time[0];
    std::printf("pinocchio %s n=%zu %.3f us %.2f ns/link udot=%.12g\n", best ? "WORLD" : "LOCAL", body.size(),
                1e6 * time[best], 1e9 * time[best] / body.size(), sum[best]);
}
