"""Builds the package: the library by CMake (or from the folder that FACULA_BUILD names), the generated modules, and a copy
of the library beside them. The package has no extension of CPython's: one wheel for all versions."""
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


def built():
    """The folder of a build, which is made if none is named. A relative name counts from the repository's root."""
    folder = ROOT / (os.environ.get('FACULA_BUILD') or 'build/python')
    if not os.environ.get('FACULA_BUILD'):
        if not shutil.which('cmake'):
            raise SystemExit('facula: CMake and a C compiler build the library (apt install cmake gcc, or pip install cmake), '
                             'or FACULA_BUILD names the folder of an earlier build')
        options = [f'-DFACULA_{part}=OFF' for part in ('TESTS', 'EXAMPLES', 'BENCH', 'COMMAND')]
        subprocess.check_call(['cmake', '-S', str(ROOT), '-B', str(folder), '-DCMAKE_BUILD_TYPE=Release', *options])
        subprocess.check_call(['cmake', '--build', str(folder), '--target', 'facula', '--parallel'])
    return folder


class Build(build_py):
    def run(self):
        super().run()
        folder, package = built().resolve(), pathlib.Path(self.build_lib) / 'facula'
        if not (folder / 'libfacula.so').exists():
            named = 'FACULA_BUILD=' if os.environ.get('FACULA_BUILD') else ''
            raise SystemExit(f'facula: {named}{folder} has no libfacula.so')
        generate(folder / 'gen/api.json', package)
        shutil.copyfile(folder / 'libfacula.so', package / 'libfacula.so')


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
            return 'py3', 'none', super().get_tag()[2]
    commands['bdist_wheel'] = Wheel

elif {'dist_info', 'bdist_wheel'} & set(sys.argv):
    raise SystemExit('facula: this setuptools makes no wheels alone: pip install wheel, or setuptools 70.1 or later')

setup(version=version(), cmdclass=commands, distclass=Binary)
