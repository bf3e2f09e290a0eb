"""Builds the package: the library by CMake (or from the folder that FACULA_BUILD names), the generated modules, and copies
of the library and its plugins beside them. The package has no extension of CPython's: one wheel for all versions."""
import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
from generate import generate  # noqa: E402


def version():
    numbers = {}
    for line in (ROOT / 'include/facula/version.h').read_text().splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == '#define' and words[1].startswith('FA_VERSION_'):
            numbers[words[1]] = words[2]
    return '.'.join(numbers[f'FA_VERSION_{part}'] for part in ('MAJOR', 'MINOR', 'PATCH'))


def jobs():
    """How many compilers run at once: as many as there are processors, and a gigabyte of memory for each."""
    memory = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    return max(1, min(len(os.sched_getaffinity(0)), memory >> 30))


def built():
    """The folder of a build, which is made if none is named. A relative name counts from the repository's root."""
    folder = ROOT / (os.environ.get('FACULA_BUILD') or 'build/python')
    if not os.environ.get('FACULA_BUILD'):
        if not shutil.which('cmake'):
            raise SystemExit('facula: CMake and a C compiler build the library (apt install cmake gcc, or pip install cmake), '
                             'or FACULA_BUILD names the folder of an earlier build')
        options = [f'-DFACULA_{part}=OFF' for part in ('TESTS', 'EXAMPLES', 'BENCH', 'COMMAND')]
        if shutil.which('ninja') and not (folder / 'CMakeCache.txt').exists():
            options += ['-G', 'Ninja']
        subprocess.check_call(['cmake', '-S', str(ROOT), '-B', str(folder), '-DCMAKE_BUILD_TYPE=Release', *options])
        subprocess.check_call(['cmake', '--build', str(folder), '--target', 'python-package', '--parallel', str(jobs())])
    return folder


MACHINES = {3: 'i686', 40: 'armv7l', 62: 'x86_64', 183: 'aarch64', 243: 'riscv64'}  # e_machine of ELF


def platform_of(library, platform):
    """The platform's tag for a library: that of this machine, or "linux" and the processor that the library is for."""
    try:
        with open(library, 'rb') as file:
            head = file.read(20)
    except FileNotFoundError:
        return platform
    machine = MACHINES.get(int.from_bytes(head[18:20], 'little')) if head[:4] == b'\x7fELF' else None
    return platform if machine is None or platform.endswith(machine) else f'linux_{machine}'


class Build(build_py):
    def run(self):
        super().run()
        folder, package = built().resolve(), pathlib.Path(self.build_lib) / 'facula'
        if not (folder / 'libfacula.so').exists():
            named = 'FACULA_BUILD=' if os.environ.get('FACULA_BUILD') else ''
            raise SystemExit(f'facula: {named}{folder} has no libfacula.so')
        generate(folder / 'gen/api.json', package)
        shutil.copyfile(folder / 'libfacula.so', package / 'libfacula.so')
        shutil.rmtree(package / 'facula-plugins', ignore_errors=True)
        for plugin in (folder / 'facula-plugins').glob('*.so'):
            (package / 'facula-plugins').mkdir(exist_ok=True)
            shutil.copyfile(plugin, package / 'facula-plugins' / plugin.name)


class Binary(Distribution):
    """What holds a library is not for every machine."""

    def has_ext_modules(self):
        return True


try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:  # part of setuptools since 70
    try:
        from setuptools.command.bdist_wheel import bdist_wheel
    except ImportError:
        bdist_wheel = None

commands = {'build_py': Build}
if bdist_wheel:
    class Wheel(bdist_wheel):
        def get_tag(self):
            package = pathlib.Path(self.get_finalized_command('build_py').build_lib) / 'facula'
            return 'py3', 'none', platform_of(package / 'libfacula.so', super().get_tag()[2])
    commands['bdist_wheel'] = Wheel

elif {'dist_info', 'bdist_wheel'} & set(sys.argv):
    raise SystemExit('facula: this setuptools makes no wheels alone: pip install wheel, or setuptools 70.1 or later')

setup(version=version(), cmdclass=commands, distclass=Binary)
