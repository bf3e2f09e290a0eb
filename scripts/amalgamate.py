"""amalgamate.py SOURCE BUILD FOLDER: writes the library as one C file and one header, facula.c and facula.h, into a
folder. BUILD is a build folder whose compile_commands.json lists the sources, and whose gen/ has the generated ones.

Sources are written one behind the other. Names that are static in several of them (or that a system header has) get the
name of their file before them: by #define before a file's text and #undef behind it, which also reaches names that
macros paste together; where a struct of a header has a member of that name, or a kernel is for an operation of that
name, in the text itself."""
import collections
import json
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"].*\n', re.M)
DEFINE = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', re.M)
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*|->|\S')
TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|->|[.{}*;]', re.S)
MEMBER = re.compile(r'(?:\.|->|\boffsetof\([\w ]+,)\s*([A-Za-z_]\w*)')
KERNEL = re.compile(r'\bKERNEL\((\w+)\)')
IDENTIFIER = re.compile(r'[A-Za-z_]\w*$')

HEAD = '''/* Facula {version} in one file: written by scripts/amalgamate.py from the sources of the library. Compile it with

       cc -std=gnu11 -O2 -ffp-contract=off -fno-math-errno -fno-trapping-math -fwrapv -c facula.c

   and link with -lm -ldl -lpthread. It uses the instructions that these options allow (-march=x86-64-v3, -v4 or native
   make it faster), has no plugins but those found in FACULA_PLUGINS, and opens OpenCL or CUDA when a program asks for
   a device of theirs. It is under the license of the library:

{license}
*/
#if defined __FAST_MATH__
#error "Facula's results depend on the order of operations: compile facula.c without -ffast-math"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#define _GNU_SOURCE
#define FACULA_NO_LINES
#ifndef FA__PLUGIN_FOLDER
#define FA__PLUGIN_FOLDER "/usr/lib/facula-plugins"
#endif
#if defined __AVX512F__ && defined __AVX512BW__ && defined __AVX512DQ__ && defined __AVX512VL__ && defined __AVX512CD__
#define FA__LEVEL avx512
#define FA__LEVEL_avx512 1
#elif defined __AVX2__ && defined __FMA__ && defined __F16C__
#define FA__LEVEL avx2
#define FA__LEVEL_avx2 1
#elif defined __aarch64__
#define FA__LEVEL neon
#define FA__LEVEL_neon 1
#else
#define FA__LEVEL base
#define FA__LEVEL_base 1
#endif
#define FA__ONE_LEVEL FA__LEVEL
#include "facula.h"
'''


class Tree:
    """Files by the names under which they are included."""

    def __init__(self, source, build):
        self.source, self.build = source, build
        self.folders = [source / 'include', source / 'src', source, build / 'gen']
        self.texts = {}
        self.macros = set()  # of internal headers so far
        self.members = set()  # that public macros use

    def find(self, name, beside):
        for folder in [beside] + self.folders:
            path = (folder / name)
            if path.is_file():
                return path.resolve()
        sys.exit(f'amalgamate: no file {name}')

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = re.sub(r'^#line .*\n', '', path.read_text(), flags=re.M)
        return self.texts[path]

    def guarded(self, path):
        guard = re.search(r'^#ifndef (\w+)\n#define \1\n', self.text(path), re.M)
        return path.suffix == '.h' and bool(guard)


def header(tree):
    """facula.h: the public headers, each once, where the first that needs it includes it."""
    done = set()

    def inline(path):
        if path in done:
            return ''
        done.add(path)
        return INCLUDE.sub(lambda m: inline(tree.find(m[2], path.parent)) if m[2].startswith('facula/') else m[0],
                           tree.text(path)) + '\n'
    text = inline(tree.find('facula/facula.h', tree.source))
    return text, done


def commands(tree):
    """(file, compiler's arguments) of each source of the static library: kernels once."""
    seen = {}
    for entry in json.loads((tree.build / 'compile_commands.json').read_text()):
        arguments = shlex.split(entry['command'])
        output = arguments[arguments.index('-o') + 1]
        path = pathlib.Path(entry['directory'], entry['file']).resolve()
        if re.match(r'CMakeFiles/facula_(objects|base|neon)\.dir/', output) and '/gen/embed_' not in str(path):
            seen.setdefault(path, (arguments, entry['directory']))
    order = sorted(seen, key=lambda p: ('/simd/' in str(p), str(p)))
    return [(p, *seen[p]) for p in order]


def preprocessed(arguments, directory):
    keep, skip = [], False
    for a in arguments:
        if skip or a in ('-c', '-o', '-MD', '-MT', '-MF'):
            skip = a in ('-o', '-MT', '-MF') and not skip
        else:
            keep.append(a)
    while pathlib.Path(keep[0]).name in ('ccache', 'sccache', 'distcc'): # but not a compiler in /usr/lib/ccache
        keep = keep[1:]
    return subprocess.run(keep + ['-E', '-DFA__ONE_LEVEL=base'], cwd=directory, check=True, capture_output=True,
                          text=True).stdout


def groups(tokens):
    """Top-level declarations as lists of tokens, with what stands in brackets as a list within: ['(', ...]."""
    stack, out = [[]], []
    for token in tokens:
        if token in ('{', '(', '['):
            stack.append([token])
        elif token in ('}', ')', ']'):
            group = stack.pop()
            before = stack[-1][-1] if stack[-1] else None
            stack[-1].append(group)
            if token == '}' and len(stack) == 1 and isinstance(before, list) and before[0] == '(':
                out.append(stack[0])
                stack = [[]]
        elif token == ';' and len(stack) == 1:
            out.append(stack[0])
            stack = [[]]
        else:
            stack[-1].append(token)
    return out


def is_name(token):
    return isinstance(token, str) and bool(IDENTIFIER.match(token))


def split(items):
    """At commas."""
    out = [[]]
    for item in items:
        if item == ',':
            out.append([])
        else:
            out[-1].append(item)
    return out


def names_of(declaration):
    """What a declaration declares in its file alone: static functions and variables, types, tags, constants."""
    items, skip = [], False
    for item in declaration:
        if skip and isinstance(item, list):
            skip = False
            continue
        skip = item in ('_Atomic', '__attribute__', '__asm__', '_Static_assert', '__typeof__', '_Alignas')
        if not skip and item not in ('__extension__', 'inline', '__inline', '__thread'):
            items.append(item)
    names = set()
    for i, item in enumerate(items):
        if isinstance(item, list) and item[0] == '{' and '=' not in items[:i]:
            if is_name(items[i - 1]) and i > 1 and items[i - 2] in ('struct', 'union', 'enum'):
                names.add(items[i - 1])
            if 'enum' in items[max(i - 2, 0):i]:
                names.update(piece[0] for piece in split(item[1:]) if piece)
    names = {n for n in names if not n.startswith(('fa_', 'FA_'))} # of a type that a header declares
    if 'static' not in items and ('typedef' not in items or items[-1:] and str(items[-1]).startswith('fa_')):
        return names
    for piece in split(items):
        name = None
        for i, item in enumerate(piece):
            if item == '=' or isinstance(item, list) and item[0] == '[':
                break
            if isinstance(item, list) and item[0] == '(':
                inside = [x for x in item[1:] if is_name(x)]
                if len(item) > 2 and item[1] == '*' and inside:
                    name = inside[-1]
                break
            if is_name(item):
                name = item
        if name:
            names.add(name)
    return names


def declarations(text, shared):
    """Names that a file has for itself, from its preprocessed text; and all identifiers of what it includes from shared
    headers."""
    tokens, other, files = [], set(), [False]
    for line in text.splitlines():
        mark = re.match(r'# \d+ "([^"]*)"((?: \d)*)', line)
        if mark and ' 1' in mark[2]:
            files.append(files[-1] or shared(mark[1]))
        elif mark and ' 2' in mark[2]:
            files.pop()
        elif line.startswith('#'):
            continue
        elif files[-1]:
            other.update(re.findall(r'[A-Za-z_]\w*', line))
        else:
            tokens += TOKEN.findall(line)
    names = set()
    for declaration in groups(tokens):
        names |= names_of(declaration)
    return names, other


def flat(tree, path, headers):
    """The text of a source with what it includes, but for headers, which go to a list."""
    def inline(m):
        if m[1] == '<' and not m[2].startswith('facula/'):
            return m[0]
        found = tree.find(m[2], path.parent)
        if tree.guarded(found):
            if found not in headers:
                headers.append(found)
            return ''
        return flat(tree, found, headers)
    return INCLUDE.sub(inline, tree.text(path)) + '\n'


def header_text(tree, path, done):
    """An internal header, with the headers that it includes before it."""
    if path in done:
        return ''
    done.add(path)
    headers = []
    text = flat(tree, path, headers)
    before = ''.join(header_text(tree, h, done) for h in headers)
    macros = set(DEFINE.findall(text))
    again = ''.join(f'#undef {n}\n' for n in sorted(macros & tree.macros))
    tree.macros |= macros
    return before + again + text


def renamed(text, names, prefix):
    """A text with other names; members of structs, kernels' names of operations, strings and comments stay."""
    out, last, before, bodies = [], 0, ['', '', ''], []
    for m in TEXT.finditer(text):
        token = m[0]
        if token.startswith(('/*', '//')):
            continue
        if token == '{':
            bodies.append(bool({'struct', 'union'} & set(before[1:])))
        elif token == '}' and bodies:
            bodies.pop()
        elif token in names and before[-1] not in ('.', '->', 'KERNEL') and before[-2] != 'offsetof':
            behind = re.compile(r'\s*(?:/\*.*?\*/\s*)*(.?)', re.S).match(text, m.end())[1]
            member = bodies and bodies[-1] and (behind in ';,[:' or behind == ')' and before[-1] == '*')
            if not member or before[-1] in ('struct', 'union', 'enum'):
                out += [text[last:m.start()], prefix, token]
                last = m.end()
        before = [*before[1:], token]
    return ''.join(out) + text[last:]


def written(tree, path, names, done):
    """A source as it stands in facula.c."""
    headers = []
    text = flat(tree, path, headers)
    text = re.sub(r'^#define _GNU_SOURCE\n', '', text, flags=re.M)
    before = ''.join(header_text(tree, h, done) for h in headers)
    prefix = re.sub(r'\W', '_', str(path.relative_to(tree.source / 'src') if tree.source / 'src' in path.parents
                                    else path.name)[:-2]) + '__'
    members = names & (set(MEMBER.findall(text)) | set(KERNEL.findall(text)) | tree.members)
    text = renamed(text, members, prefix)
    plain = sorted(names - members)
    macros = sorted(set(DEFINE.findall(text)) | names & tree.macros)
    out = ['\n/* ---- ' + path.name + ' ---- */\n', before]
    for n in macros:
        out.append(f'#pragma push_macro("{n}")\n')
        if not re.search(r'^#ifndef ' + n + r'\b', text, re.M):
            out.append(f'#undef {n}\n')
    out += [f'#define {n} {prefix}{n}\n' for n in plain]
    out.append(text)
    out += [f'#undef {n}\n' for n in plain]
    out += [f'#pragma pop_macro("{n}")\n' for n in macros]
    return ''.join(out)


def embedded(build):
    """The files that the library contains, as strings."""
    out = ['\n/* ---- data, and the kernels of devices ---- */\n']
    for code in sorted((build / 'gen').glob('embed_*.c')):
        m = re.search(r'incbin \\"([^"\\]+)\\"', code.read_text())
        name, data = code.stem[6:], pathlib.Path(m[1]).read_bytes()
        lines = data.decode('ascii').splitlines(keepends=True)
        out.append(f'extern const char fa__embed_{name}[];\nextern const size_t fa__embed_{name}_size;\n')
        out.append(f'const char fa__embed_{name}[] =\n')
        for line in lines:
            quoted = line.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n').replace('??', '?\\?')
            out.append(f'    "{quoted}"\n')
        out[-1] = out[-1][:-1] + ';\n'
        out.append(f'const size_t fa__embed_{name}_size = {len(data)};\n')
    return ''.join(out)


def main():
    source, build, folder = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    tree = Tree(source, build)
    public, done = header(tree)
    for line in public.replace('\\\n', ' ').splitlines():
        if line.startswith('#define'):
            tree.members.update(MEMBER.findall(line))
    sources = commands(tree)

    def shared(path):
        return str(path).startswith('/usr') or tree.guarded(path)

    def look(entry):
        path, arguments, directory = entry
        return declarations(preprocessed(arguments, directory), lambda p: shared(pathlib.Path(directory, p).resolve()))
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(look, sources))
    count = collections.Counter(n for names, _ in found for n in names)
    others = set().union(*(o for _, o in found))
    version = '.'.join(re.findall(r'#define FA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', public))
    license_ = '\n'.join('   ' + line if line else '' for line in (source / 'LICENSE').read_text().rstrip().split('\n'))
    out = [HEAD.replace('{version}', version).replace('{license}', license_)]
    for (path, _, _), (names, _) in zip(sources, found):
        own_names = {n for n in names if count[n] > 1 or n in others}
        out.append(written(tree, path, own_names, done))
    out.append(embedded(build))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'facula.h').write_text(public)
    (folder / 'facula.c').write_text(''.join(out))


main()
