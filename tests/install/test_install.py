#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the build into a temporary folder, moves it, and uses it as a stranger would: the programs of examples/programs are
built against it by CMake and by pkg-config, shared and static, and run.  Also: only public functions are exported.

Use: test_install.py BUILD CMAKE COMPILER CFLAGS"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD, CMAKE, COMPILER, CFLAGS = sys.argv[1:5]
PROGRAMS = ["build_and_step", "callback_control", "control_loop", "read_and_query", "real_time"]

LISTS = """
cmake_minimum_required(VERSION 3.25)
project(stranger LANGUAGES C)
find_package(cleave 0.1 REQUIRED)
foreach(name %s)
    add_executable(${name} %s/examples/programs/${name}.c)
    target_link_libraries(${name} PRIVATE %s m)
endforeach()
"""


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}\nexit code {done.returncode}\n{done.stdout}")
    return done.stdout


def numbers(line):
    return [float(word) for word in re.findall(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?", line)]


class ByHand(unittest.TestCase):
    """The README's line for builds by hand, where cmocka is missing: the program is built, the tests are not."""

    def test_configures_without_cmocka(self):
        with tempfile.TemporaryDirectory(prefix="cleave-by-hand-") as folder:
            for name in ("yaml-0.1", "sqlite3"):
                place = run("pkg-config", "--variable=pcfiledir", name).strip()
                shutil.copy(Path(place) / f"{name}.pc", folder)
            words = (CMAKE, "-S", ROOT, "-G", "Ninja", f"-DCMAKE_C_COMPILER={COMPILER}")
            only = os.environ | {"PKG_CONFIG_LIBDIR": folder, "PKG_CONFIG_PATH": ""}
            text = run(*words, "-B", Path(folder) / "a", env=only)
            self.assertIn("no tests: the tests need cmocka and Python 3", text)
            with self.assertRaisesRegex(AssertionError, "the tests need cmocka and Python 3"):
                run(*words, "-B", Path(folder) / "b", "-DBUILD_TESTING=ON", env=only)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="cleave-install-"))
        run(CMAKE, "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "moved"  # an installed tree may be moved
        (cls.folder / "first").rename(cls.prefix)
        cls.lib = next(cls.prefix.rglob("libcleave.a")).parent
        cls.environment = os.environ | {"PKG_CONFIG_PATH": str(cls.lib / "pkgconfig"), "LD_LIBRARY_PATH": str(cls.lib)}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def check_programs(self, folder):
        """Runs the five programs and looks at what they print."""
        lines = run(folder / "build_and_step", env=self.environment).splitlines()
        self.assertEqual(len(lines), 8)
        self.assertEqual(numbers(lines[1]), [0, 1.6, 0.8])
        self.assertIn("loops 1, freedoms 1, redundant constraints 3", lines)
        drift, gap, _ = numbers(lines[-1])
        self.assertLess(drift, 1e-5)
        self.assertLess(gap, 1e-10)
        self.assertNotEqual(lines[1].split()[1:], lines[5].split()[1:])  # it moved

        lines = run(folder / "callback_control", env=self.environment).splitlines()
        time, angle, speed = numbers(lines[-2])
        self.assertEqual(time, 2.5)
        self.assertLess(abs(angle - 1.570796), 1e-5)
        self.assertLess(abs(speed), 1e-4)
        torque = numbers(lines[-1])[0]
        self.assertTrue(10 < torque <= 20)

        lines = run(folder / "control_loop", env=self.environment).splitlines()
        time, angle, torque = numbers(lines[-2])
        self.assertEqual(time, 3)
        self.assertLess(abs(angle - 1), 0.02)
        self.assertLess(abs(torque - 9.81 * 0.5 * 0.5403), 0.3)
        energy, work = numbers(lines[-1])
        self.assertLess(abs(energy - work), 1e-5)

        lines = run(folder / "real_time", env=self.environment).splitlines()
        self.assertTrue(lines[0].startswith("1000 steps of 1 ms, "), lines)
        self.assertTrue(0.5 < numbers(lines[2])[0] < 1.5, lines)  # the machine may be busy

        model = ROOT / "examples/hdca-case1.yaml"
        lines = run(folder / "read_and_query", model, env=self.environment).splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:]], ["J1", "J2", "J3", "J4", "J5"])
        bad = subprocess.run([folder / "read_and_query", ROOT / "tests/models/joint_kind_missing.yaml"], env=self.environment,
                             capture_output=True, text=True, check=False)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("joint_kind_missing.yaml:6:3: joints.a.kind: the key 'kind' is missing", bad.stderr)

    def test_hardened(self):
        """Program and shared library: addresses differ, tables are read-only, stacks not executable, calls are checked."""
        cache = Path(BUILD, "CMakeCache.txt").read_text(encoding="utf-8")
        setting = {name: value for name, value in re.findall(r"^(\w+):\w+=(.*)$", cache, re.M)}
        if setting["CLV_HARDEN"] != "ON":
            self.skipTest("built with CLV_HARDEN=OFF")
        for file in (self.prefix / "bin/cleave", next(self.lib.glob("libcleave.so.0"))):
            found = run("readelf", "--wide", "--file-header", "--program-headers", "--dynamic", "--dyn-syms", file)
            self.assertRegex(found, r"Type: +DYN")
            self.assertIn("GNU_RELRO", found)
            self.assertRegex(found, r"FLAGS_1\).*NOW")
            self.assertRegex(found, r"GNU_STACK.* RW +0x")
            self.assertIn("__stack_chk_fail", found)
            if setting["CMAKE_BUILD_TYPE"] == "Release" and not setting["CLV_SANITIZE"]:
                self.assertIn("__vsnprintf_chk", found)

    def uses(self, program, shared):
        """Is the program linked with the shared library?"""
        listed = run("ldd", program, env=self.environment)
        self.assertEqual("libcleave.so.0" in listed, shared, listed)

    def by_cmake(self, target, shared):
        folder = self.folder / target.replace("::", "-")
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(LISTS % (" ".join(PROGRAMS), ROOT, target), encoding="utf-8")
        generator = re.search(r"^CMAKE_GENERATOR:INTERNAL=(.*)$", Path(BUILD, "CMakeCache.txt").read_text(encoding="utf-8"), re.M)
        run(CMAKE, "-S", folder, "-B", folder / "build", "-G", generator[1], f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={COMPILER}", f"-DCMAKE_C_FLAGS={CFLAGS}")
        run(CMAKE, "--build", folder / "build")
        self.uses(folder / "build/build_and_step", shared)
        self.check_programs(folder / "build")

    def by_pkg_config(self, shared):
        folder = self.folder / f"pkg-config-{shared}"
        folder.mkdir()
        flags = run("pkg-config", "--cflags", "--libs", *([] if shared else ["--static"]), "cleave", env=self.environment).split()
        if not shared:
            flags[flags.index("-lcleave")] = "-l:libcleave.a"
        for name in PROGRAMS:
            run(COMPILER, "-std=c17", *CFLAGS.split(), ROOT / f"examples/programs/{name}.c", "-o", folder / name, *flags, "-lm")
        self.uses(folder / "build_and_step", shared)
        self.check_programs(folder)

    def test_cmake_default_is_shared(self):
        self.by_cmake("cleave::cleave", True)

    def test_cmake_shared(self):
        self.by_cmake("cleave::shared", True)

    def test_cmake_static(self):
        self.by_cmake("cleave::static", False)

    def test_pkg_config_shared(self):
        self.by_pkg_config(True)

    def test_pkg_config_static(self):
        self.by_pkg_config(False)

    def test_the_program_runs(self):
        self.assertRegex(run(self.prefix / "bin/cleave", "--version"), r"^cleave \d+\.\d+\.\d+\n$")

    def test_units_find_their_program(self):
        if "CLV_FMU:BOOL=OFF" in Path(BUILD, "CMakeCache.txt").read_text(encoding="utf-8"):
            self.skipTest("built with CLV_FMU=OFF")
        unit = self.folder / "pendulum.fmu"
        done = run(self.prefix / "bin/cleave", "fmu", "pendulum", "--out", unit)
        self.assertIn("FMI 3.0", done)
        with zipfile.ZipFile(unit) as packed:
            self.assertIsNone(packed.testzip())
            program = next(name for name in packed.namelist() if name.endswith(".so"))
            packed.extract(program, self.folder)
        names = {line.split()[-1] for line in run("nm", "-D", "--defined-only", self.folder / program).splitlines()}
        self.assertEqual({n for n in names if not n.startswith(("fmi2", "fmi3", "__")) and n != "mangle_path"}, set())

    def test_the_shared_library_is_versioned(self):
        version = run("pkg-config", "--modversion", "cleave", env=self.environment).strip()
        real = self.lib / f"libcleave.so.{version}"
        self.assertTrue(real.is_file() and not real.is_symlink())
        for name in ["libcleave.so", f"libcleave.so.{version.split('.', maxsplit=1)[0]}"]:
            self.assertTrue((self.lib / name).is_symlink())
            self.assertEqual((self.lib / name).resolve(), real.resolve())

    def test_only_public_functions_are_exported(self):
        header = (self.prefix / "include/cleave/cleave.h").read_text(encoding="utf-8")
        public = set(re.findall(r"^CLV_API [^;(]*?\b(clv_\w+)\(", header, flags=re.M))
        listed = run("nm", "-D", "--defined-only", self.lib / "libcleave.so").splitlines()
        exported = {line.split()[-1] for line in listed}
        exported -= {name for name in exported if name.startswith("__") or name == "mangle_path"}  # of the compiler's instruments
        self.assertGreater(len(public), 50)
        self.assertEqual(exported, public)

    def test_the_static_library_keeps_to_its_names(self):
        listed = run("nm", "-g", "--defined-only", self.lib / "libcleave.a").splitlines()
        names = {line.split()[-1] for line in listed if len(line.split()) == 3}
        self.assertEqual({n for n in names if not n.startswith(("clv_", "__"))}, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
