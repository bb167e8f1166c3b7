// SPDX-License-Identifier: Apache-2.0
// Times Simbody's accelerations of a mechanism that bench_rates has written as text, from standard input:
//
//   bench_rates text chain links=64 spatial=2 | ./simbody
//
// Prints the best processor time of nine samples of all stages from positions to accelerations, and the sum over rates i = 0, 1, ... of the
// rates of cleave's u times sin(i).  `./simbody --springs` adds a spring and a damper to every hinge, as in arms of batches.py.
//
// Without -DNDEBUG: Debian builds the library so, and its headers differ with it.
//   apt-get install libsimbody-dev
//   g++ -O3 -march=native bench/peers/simbody.cpp -I/usr/include/simbody -lSimTKsimbody -lSimTKmath -lSimTKcommon -o simbody
#include <Simbody.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
using SimTK::Real;
using SimTK::Vec3;

struct Link {
    int parent;
    bool free;
    SimTK::Transform place;
    SimTK::MassProperties mass;
    std::vector<double> q, u;
};

static std::vector<double> numbers(std::istream &in, int n)
{
    std::vector<double> x(n);
    for (double &v : x)
        if (!(in >> v)) {
            std::fprintf(stderr, "simbody: a number is missing\n");
            std::exit(1);
        }
    return x;
}

static Link read_link(const std::string &line)
{
    std::istringstream in(line);
    Link b;
    char kind = 0;
    in >> b.parent >> kind;
    b.free = kind == 'F';
    auto R = numbers(in, 9), p = numbers(in, 3), m = numbers(in, 1), c = numbers(in, 3), J = numbers(in, 6);
    const SimTK::Mat33 E(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
    const Vec3 com(c[0], c[1], c[2]);
    const SimTK::Inertia at_centre(J[0], J[1], J[2], J[3], J[4], J[5]);
    b.place = SimTK::Transform(SimTK::Rotation(E), Vec3(p[0], p[1], p[2]));
    b.mass = SimTK::MassProperties(m[0], com, at_centre.shiftFromMassCenter(com, m[0]));
    b.q = numbers(in, b.free ? 7 : 1), b.u = numbers(in, b.free ? 6 : 1);
    return b;
}

// cleave: position, quaternion w x y z; velocity in the parent's axes, angular velocity in the body's.
// Simbody: quaternion, position; angular velocity and velocity in the parent's axes.
static SimTK::Rotation attitude(const Link &b)
{
    return SimTK::Rotation(SimTK::Quaternion(b.q[3], b.q[4], b.q[5], b.q[6]));
}

static void set_state(SimTK::State &state, const SimTK::MobilizedBody &body, const Link &b)
{
    if (!b.free) {
        body.setOneQ(state, 0, b.q[0]), body.setOneU(state, 0, b.u[0]);
        return;
    }
    const Vec3 w = attitude(b) * Vec3(b.u[3], b.u[4], b.u[5]);
    for (int i = 0; i < 4; i++)
        body.setOneQ(state, i, b.q[3 + i]);
    for (int i = 0; i < 3; i++) {
        body.setOneQ(state, 4 + i, b.q[i]);
        body.setOneU(state, i, w[i]), body.setOneU(state, 3 + i, b.u[i]);
    }
}

// of the rates of cleave's u
static double weighted_sum(const SimTK::State &state, const std::vector<SimTK::MobilizedBody> &body,
                           const std::vector<Link> &link)
{
    double sum = 0;
    int i = 0;
    for (size_t k = 0; k < link.size(); k++) {
        if (!link[k].free) {
            sum += std::sin(i++) * body[k].getOneUDot(state, 0);
            continue;
        }
        Vec3 turn, move;
        for (int c = 0; c < 3; c++)
            turn[c] = body[k].getOneUDot(state, c), move[c] = body[k].getOneUDot(state, 3 + c);
        const Vec3 own = ~attitude(link[k]) * turn;
        for (int c = 0; c < 6; c++)
            sum += std::sin(i++) * (c < 3 ? move[c] : own[c - 3]);
    }
    return sum;
}

int main(int argc, char **argv)
{
    const bool springs = argc > 1 && std::strcmp(argv[1], "--springs") == 0;
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter(system);
    SimTK::GeneralForceSubsystem forces(system);
    std::vector<SimTK::MobilizedBody> body;
    std::vector<Link> link;
    std::string line, word;
    std::getline(std::cin, line);
    std::istringstream head(line);
    head >> word;
    auto g = numbers(head, 3);
    SimTK::Force::UniformGravity(forces, matter, Vec3(g[0], g[1], g[2]));
    while (std::getline(std::cin, line)) {
        const Link b = read_link(line);
        SimTK::MobilizedBody parent = b.parent < 0 ? SimTK::MobilizedBody(matter.updGround()) : body[b.parent];
        const SimTK::Body::Rigid rigid(b.mass);
        if (b.free)
            body.push_back(SimTK::MobilizedBody::Free(parent, b.place, rigid, SimTK::Transform()));
        else
            body.push_back(SimTK::MobilizedBody::Pin(parent, b.place, rigid, SimTK::Transform()));
        if (springs && !b.free) {
            SimTK::Force::MobilityLinearSpring(forces, body.back(), 0, 10, 0.2);
            SimTK::Force::MobilityLinearDamper(forces, body.back(), 0, 2);
        }
        link.push_back(b);
    }
    SimTK::State state = system.realizeTopology();
    system.realizeModel(state);
    for (size_t k = 0; k < link.size(); k++)
        set_state(state, body[k], link[k]);
    system.realize(state, SimTK::Stage::Acceleration);
    const double sum = weighted_sum(state, body, link);
    const int repeats = (int)(60000 / link.size()) + 1;
    double best = 1e9;
    for (int e = 0; e < 9; e++) {
        const std::clock_t began = std::clock();
        for (int i = 0; i < repeats; i++) {
            state.updQ(), state.updU(); // all stages from positions on
            system.realize(state, SimTK::Stage::Acceleration);
        }
        const double x = double(std::clock() - began) / CLOCKS_PER_SEC / repeats;
        best = std::min(best, x);
    }
    int major, minor, build;
    SimTK_version_simbody(&major, &minor, &build);
    std::printf("Simbody %d.%d n=%zu %.3f us %.2f ns/link udot=%.12g\n", major, minor, link.size(), 1e6 * best,
                1e9 * best / link.size(), sum);
}
