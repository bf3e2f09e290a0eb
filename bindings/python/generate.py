"""generate.py API.JSON FOLDER: writes the generated part of the package facula into a folder: ctypes structs of options,
and a Python function for each operation, layer, optimizer, schedule, dataset and transform. A file that would not change
is not touched."""
import json
import pathlib
import re
import sys

# C type: (ctypes, converter of an argument, "%s" where none is needed; what a function returns)
TYPES = {
    'const fa_tensor *': ('c_void_p', '_h({0})'),
    'fa_tensor *': ('c_void_p', '_h({0})'),
    'fa_arg': ('Arg', 'bits_{0}, kind_{0}'),
    'fa_tensors': ('Tensors', '_tensors({0})'),
    'fa_list': ('Numbers', '_numbers({0})'),
    'fa_dims': ('c_int64', '_dims({0})'),
    'fa_pair': ('c_int64', '_pair({0})'),
    'one': ('c_int64', '_one({0})'),  # a size of one dimension
    'fa_shape': ('Shape', '_shape({0})'),
    'fa_device': ('Device', '_device({0})'),
    'fa_dtype': ('c_int', '_dtype_number({0})'),
    'int64_t': ('c_int64', '{0} if {0}.__class__ is int else _integer({0})'),
    'double': ('c_double', '{0} if {0}.__class__ is float else _real({0})'),
    'bool': ('c_bool', '{0}'),
    'const char *': ('c_char_p', '_text({0}, "{0}")'),
    'fa_reduction': ('c_int', '_enum("FA_", {0}, "{0}")'),
    'fa_interpolation': ('c_int', '_enum("FA_", {0}, "{0}")'),
    'fa_missing': ('c_int', '_enum("FA_MISSING_", {0}, "{0}")'),
    'fa_token_kind': ('c_int', '_enum("FA_TOKEN_", {0}, "{0}")'),
    'fa_module *': ('c_void_p', '_handle({0})'),
    'fa_transform *': ('c_void_p', '_handle({0})'),
    'fa_optim *': ('c_void_p', '_handle({0})'),
    'fa_dataset *': ('c_void_p', '_handle({0})'),
    'const fa_dataset *': ('c_void_p', '_handle({0})'),
    'fa_sampler *': ('c_void_p', '_handle({0})'),
    'fa_parameters': ('Parameters', '_parameters({0})'),
}
RESULTS = {'fa_tensor *': None, 'fa_tensors': None, 'fa_module *': 'Layer', 'fa_transform *': 'Transform',
           'fa_optim *': 'Optimizer', 'fa_schedule *': 'Schedule', 'fa_dataset *': 'Dataset', 'fa_loader *': 'Loader',
           'fa_scaler *': 'Scaler', 'fa_sampler *': 'Sampler'}
# what makes objects of the library of those of Python
CONVERTED = {'fa_dataset *': '_dataset', 'const fa_dataset *': '_dataset', 'fa_module *': '_module', 'fa_transform *': '_module',
             'fa_parameters': '_parameter_list'}
# file: (beginning of the names, result)
SPACES = {
    '_nn': ('fa_nn_', 'fa_module *'),
    '_optim': ('fa_optim_', 'fa_optim *'),
    '_lr': ('fa_schedule_', 'fa_schedule *'),
    '_data': ('fa_data_', ('fa_dataset *', 'fa_loader *')),
    '_transform': ('fa_transform_', 'fa_transform *'),
    '_sampler': ('fa_sampler_', 'fa_sampler *'),
    '_init': ('fa_init_', 'fa_tensor *'),
    '_amp': ('fa_amp_', 'fa_scaler *'),
}
IMPORTS = '''from ctypes import (Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p)
from ctypes import byref as _byref
from ._library import Arg, Device, Numbers, Parameters, Shape, Tensors
from ._library import Dataset as _Dataset, Layer as _Layer, Loader as _Loader, Optimizer as _Optimizer
from ._library import Sampler as _Sampler, Scaler as _Scaler, Schedule as _Schedule, Tensor as _Tensor, Transform as _Transform
from ._library import _as_tensor, _axis, _bits, _dataset, _declare, _device, _dims, _dtype_number, _enum, _enter, _fail, _given, _h
from ._library import _handle, _integer, _kept_options, _leave, _made, _module, _new, _numbers, _one, _optimizer, _own, _pair
from ._library import _parameter_list, _parameters, _real, _result, _results, _scheduled, _several, _shape, _tensors, _text

'''
# Functions, and the names that PyTorch has for parameters of theirs
PYTORCH = [
    (r'', {'kernel': 'kernel_size'}),
    (r'fa_(nn_)?adaptive_', {'size': 'output_size'}),
    (r'fa_(nn_)?hardtanh_?$', {'low': 'min_val', 'high': 'max_val'}),
    (r'fa_(nn_)?unflatten$', {'shape': 'unflattened_size'}),
    (r'fa_clamp', {'low': 'min', 'high': 'max'}),
    (r'fa_diag$', {'offset': 'diagonal'}),
    (r'fa_flip$', {'dim': 'dims'}),
    (r'fa_full|fa_new_full$', {'value': 'fill_value'}),
    (r'fa_pad$', {'pads': 'pad'}),
    (r'fa_scaled_dot_product_attention$',
     {'q': 'query', 'k': 'key', 'v': 'value', 'mask': 'attn_mask', 'causal': 'is_causal', 'dropout': 'dropout_p'}),
    (r'fa_split$', {'size': 'split_size'}),
    (r'fa_nn_linear$', {'in': 'in_features', 'out': 'out_features'}),
    (r'fa_nn_conv', {'in': 'in_channels', 'out': 'out_channels'}),
    (r'fa_nn_batch_norm', {'features': 'num_features'}),
    (r'fa_nn_(layer|rms)_norm$', {'shape': 'normalized_shape'}),
    (r'fa_nn_group_norm$', {'groups': 'num_groups', 'channels': 'num_channels'}),
    (r'fa_nn_embedding$', {'rows': 'num_embeddings', 'width': 'embedding_dim'}),
    (r'fa_schedule_cosine$', {'t_max': 'T_max'}),
]
# Sizes in one dimension, which may be tuples of one number
ONE = (r'fa_(nn_)?(conv|conv_transpose|max_pool|avg_pool|adaptive_avg_pool|adaptive_max_pool)1d',
       {'kernel_size', 'output_size', 'stride', 'padding', 'output_padding', 'dilation'})
# functions whose sizes may be several arguments: fa.zeros(2, 3)
SEVERAL = {'zeros', 'ones', 'empty', 'rand', 'randn', 'new_zeros', 'new_ones', 'new_empty', 'view', 'reshape', 'expand',
           'permute', 'repeat', 'tile'}
# NumPy's names, which PyTorch takes, too
NUMPY = {'dim': 'axis', 'keepdim': 'keepdims'}
# options whose None is a number in C
NONE = [(r'fa_nn_batch_norm', 'momentum', '-1.0'), (r'fa_(nn_)?(max|avg)_pool', 'stride', '0')]
ENUMERATIONS = ('fa_reduction', 'fa_interpolation', 'fa_missing', 'fa_token_kind')
KEYWORDS = {'from', 'in', 'lambda', 'is', 'not', 'and', 'or', 'with'}


def name_of(c_name):
    return c_name + '_' if c_name in KEYWORDS else c_name


def with_names_of_pytorch(f, structs):
    """Renames parameters and options of a function, and the members of its struct."""
    names = {ours: theirs for pattern, of in PYTORCH if re.match(pattern, f['name']) for ours, theirs in of.items()}
    for item in f['parameters'] + f.get('options', []) + structs.get(f.get('struct'), [])[1:]:  # but its size
        item['name'] = names.get(item['name'], item['name'])
    for item in f['parameters'] + f.get('options', []):
        if re.match(ONE[0], f['name']) and item['name'] in ONE[1]:
            item['type'] = 'one'
    f['doc'] = re.sub(r'@param (\w+)', lambda found: f'@param {names.get(found[1], found[1])}', f['doc'])


def default_of(option):
    """A default in Python, and the value that None stands for where that is not the converter's own."""
    text, kind = option['default'], option['type']
    if text in ('NULL', 'FA_SAME', 'FA_ALL') or (text.startswith('{') and '1' not in text):
        return 'None', None
    if text.startswith('{'):
        return '(0, 1)', None
    if text.startswith('FA_DIMS('):
        return text[len('FA_DIMS'):], None
    if text == 'INT64_MIN':
        return 'None', '-0x8000000000000000'
    if text == 'FA__UNSET':
        return 'None', 'float("nan")'
    if kind.startswith('fa_') and text.startswith('FA_'):
        return repr(re.sub('^FA_(MISSING_|TOKEN_)?', '', text).lower()), None
    if kind == 'bool':
        return text.capitalize(), None
    for in_c, here in (('INT64_MAX', '0x7fffffffffffffff'), ('-INFINITY', 'float("-inf")'), ('INFINITY', 'float("inf")'),
                       ('NAN', 'float("nan")')):
        text = text.replace(in_c, here)
    if re.match('^0x.*p', text):
        text = repr(float.fromhex(text))
    return text, None


def can_be_written(f):
    items = f['parameters'] + f.get('options', [])
    return (f['result'] in RESULTS or f['result'].endswith('_result')) and all(i['type'] in TYPES for i in items)


# what C's documentation says, and how Python writes it
IN_C = [(r'\bfa_(nn_|optim_|schedule_|data_|transform_)?(\w+\()', r'\2'), (r'\bFA_(DIMS|PAIR|SHAPE|LIST|TENSORS)\(', '('),
        (r'\b(NULL|FA_ALL|FA_SAME)\b', 'None'), (r'\bFA_PADDING_SAME\b', '"same"'), (r'\bFA_EACH\b', 'loop'),
        (r'\bFA_(MISSING_|TOKEN_|ERROR_)?([A-Z0-9_]+)\b', lambda found: found[2].lower()),
        (r'(?<![\w.])\.([a-z]\w*)', r'\1'), (r'\btrue\b', 'True'), (r'\bfalse\b', 'False'), ('"""', "'''")]


def documentation(f, options):
    # without the call in C, which is the signature in Python
    text = re.sub(r'\n+ +' + f['name'] + r'\((?:[^()]|\([^()]*\))*\)(\n|$)', '\n', f['doc'])
    text = re.sub(r'@param options .*(\n .*)*\n?|; NULLs? (after|and) an error( on failure)?', '', text)
    text = re.sub(r'@param (\w+) +', r'\1: ', text).replace('@return ', 'Returns ')
    text += '\n\nOptions:' if options else ''
    text += ''.join(f"\n    {name_of(o['name'])}: {o['doc']}" for o in options if 'doc' in o)
    for in_c, here in IN_C:
        text = re.sub(in_c, here, text)
    text = re.sub(r'\n{3,}', '\n\n', text).strip().replace('\n', '\n    ').replace('\n    \n', '\n\n')
    return f'    r"""{text}\n    """\n' if text else ''


def struct_of(name, members):
    fields = ', '.join(f"('{m['name']}', {member_type(m['type'])})" for m in members)
    return f'class {name}(Structure):\n    _fields_ = [{fields}]\n'


def member_type(c):
    known = {'size_t': 'c_size_t', 'char': 'c_char'}
    return known.get(c) or (TYPES[c][0] if c in TYPES else 'c_void_p')


def written(f):
    """The parameter that the function writes to and returns."""
    return next((p['name'] for p in f['parameters'] if p['type'] == 'fa_tensor *'), None) \
        if f['result'] == 'fa_tensor *' else None


def can_be_kept(o):
    """Whether equal values of an option always mean the same: not of tensors, lists and objects."""
    return o['type'] in ('fa_dims', 'fa_pair', 'one', 'fa_dtype', 'int64_t', 'double', 'bool') or o['type'] in ENUMERATIONS


def given_options(f, options, structs):
    """Lines that make `o`, a pointer to the options: None where all are the defaults. Those of numbers alone are made once
    for each combination of values."""
    asked, values, key, others = [], [], [], []
    struct = f"_{f['struct']}"
    for m in structs[f['struct']]:
        o = next((o for o in options if o['name'] == m['name']), None)
        if m['name'] == 'size':
            values.append(f'{struct}.fa__end.offset')
        elif not o:
            values.append('b"\\0"' if m['name'] == 'fa__end' else '0')
        else:
            default, none = default_of(o)
            name = name_of(o['name'])
            asked.append(f'{name} is None' if default == 'None' else f'{name} is {default}' if o['type'] == 'bool' else
                         f'{name} == {default}')
            value = name if o['type'] == 'int64_t' else TYPES[o['type']][1].format(name)
            values.append(f'{none} if {name} is None else {value}' if none else value)
            if can_be_kept(o):
                key.append(name)
            elif default == 'None':
                others.append(f'{name} is None')
            else:
                others.append('False')
    made = f"_byref({struct}({', '.join(values)}))"
    lines = [f"    if {' and '.join(asked) or 'True'}:\n        o = None\n"]
    if key and 'False' not in others:
        key = f"({', '.join(key)},)"
        lines.append(f"    elif {' and '.join(others) or 'True'}:\n        try:\n            o = _known_{f['name']}[{key}]\n"
                     f'        except (KeyError, TypeError):\n            o = _kept_options(_known_{f["name"]}, {key}, {made})\n')
        head = f"_known_{f['name']} = {{}}\n"
    else:
        head = ''
    lines.append(f'    else:\n        o = {made}\n')
    return head, lines


def result_lines(f, name, call):
    """Lines that call, and make an object of the result."""
    result, out = f['result'], any(o['name'] == 'out' for o in f.get('options', []))
    if f.get('pointwise'):  # one kernel, which leaves nothing
        if written(f):
            return f'    if not {call}:\n        _fail()\n    return {name_of(written(f))}\n'
        return (f'    h = {call}\n    if not h:\n        _fail()\n    if out is not None:\n        return out\n'
                '    made = _new(_Tensor)\n    made._h = _own(h)\n    return made\n')
    # a scope around the call: what it makes besides its result ends with it
    lines = (f"    scope = _enter(b'python')\n    try:\n        y = {call}\n    except BaseException:\n"
             '        _leave(scope)\n        raise\n')
    if written(f):
        return lines + f'    return _given(scope, y, {name_of(written(f))})\n'
    if result == 'fa_tensor *' and out:
        return lines + '    return _result(scope, y) if out is None else _given(scope, y, out)\n'
    if result == 'fa_tensor *':
        return lines + '    return _result(scope, y)\n'
    if result == 'fa_tensors':
        return lines + '    return _results(scope, y)\n'
    if result == 'fa_optim *':
        return lines + '    return _optimizer(scope, y, parameters)\n'
    if result == 'fa_schedule *':
        return lines + '    return _scheduled(scope, y, optimizer)\n'
    if result.endswith('_result'):
        return lines + f'    return _several(scope, {name}_result, y)\n'
    return lines + f'    return _made(scope, _{RESULTS[result]}, y)\n'


def names_of_numpy(f, name):
    """Parameters with NumPy's names for options, and for a dimension: those that may be missing; and lines that read them."""
    ours = [o['name'] for o in f.get('options', []) if o['name'] in NUMPY]
    lines = [f'    if {NUMPY[o]} is not None:\n        {o} = {NUMPY[o]}\n' for o in ours]
    if any(p['name'] == 'dim' for p in f['parameters']):
        ours.insert(0, 'dim')
        lines.insert(0, f"    if dim is None:\n        dim = _axis('{name}', axis)\n")
        lines += [f"    if {n} is None:\n        _axis('{name}', None, '{n}')\n" for n in behind_dim(f)]
    return [f'{NUMPY[o]}=None' for o in ours], lines


def behind_dim(f):
    """The parameters behind the dimension, which may be missing as far as Python knows where it is given as axis."""
    names = [name_of(p['name']) for p in f['parameters']]
    return names[names.index('dim') + 1:] if 'dim' in names else []


def function(f, name, structs):
    options = f.get('options', [])
    ordered = [o for o in options if o['name'] != 'out'] + [o for o in options if o['name'] == 'out']
    parameters = [name_of(p['name']) for p in f['parameters']]
    sizes = name in SEVERAL and parameters[-1]  # options behind them have names then
    signature = parameters + (['*more'] if sizes else [])
    signature += [f"{name_of(o['name'])}={default_of(o)[0]}" for o in ordered]
    others, read_others = names_of_numpy(f, name)
    if 'axis=None' in others and 'dim' in signature:
        given = {'dim', *behind_dim(f)}
        signature = [f'{n}=None' if n in given else n for n in signature]
    signature += ['*', *others] if others else []
    c_types = [TYPES[p['type']][0] for p in f['parameters']] + (['c_void_p'] if 'struct' in f else [])
    result = f['result']
    c_result = 'Tensors' if result == 'fa_tensors' else f'_{result}' if result.endswith('_result') else 'c_void_p'
    head = f"_c_{f['name']} = _declare('{f['symbol']}', {c_result}, [{', '.join(c_types)}])\n"
    lines = [f"def {name}({', '.join(signature)}):\n", documentation(f, ordered)]
    calls = []
    lines += read_others
    if sizes:
        lines.append(f'    if more:\n        {sizes} = ({sizes}, *more)\n')
    for p in f['parameters']:
        n = name_of(p['name'])
        call = TYPES[p['type']][1].format(n)
        if p['type'] == 'const fa_tensor *':
            lines.append(f'    if {n}.__class__ is not _Tensor and {n} is not None:\n        {n} = _as_tensor({n})\n')
        elif p['type'] == 'fa_tensors' and p is f['parameters'][0] and f['header'].startswith('ops/'):
            lines.append(f"    if isinstance({n}, _Tensor):\n        raise TypeError('{name} takes a list: {name}([x, y])')\n")
        elif p['type'] in CONVERTED:
            lines.append(f"    {n} = {CONVERTED[p['type']]}({n})\n")
        elif p['type'] == 'fa_arg':
            lines.append(f'    if {n}.__class__ is _Tensor:\n        bits_{n}, kind_{n} = {n}._h, 0\n'
                         f'    else:\n        bits_{n}, kind_{n}, {n} = _bits({n})\n')
        calls.append(call)
    for o in options:  # before they are looked up: 2.0 is equal to 2
        if o['type'] == 'int64_t':
            n = name_of(o['name'])
            none = f" and {n} is not None" if default_of(o)[0] == 'None' else ''
            lines.append(f'    if {n}.__class__ is not int{none}:\n        {n} = _integer({n})\n')
        elif o['type'] in ('fa_dims', 'fa_pair', 'one'):
            n = name_of(o['name'])
            lines.append(f"    if {n}.__class__ is float:\n        {TYPES[o['type']][1].format(n)}\n")
    lines += [f"    {name_of(o['name'])} = {CONVERTED[o['type']]}({name_of(o['name'])})\n"
              for o in options if o['type'] in CONVERTED]
    lines += [f'    {o} = {number} if {o} is None else {o}\n' for pattern, o, number in NONE if re.match(pattern, f['name'])]
    if 'struct' in f:
        known, more = given_options(f, options, structs)
        head += known
        lines += more
        calls.append('o')
    lines.append(result_lines(f, name, f"_c_{f['name']}({', '.join(calls)})"))
    return head + '\n\n' + ''.join(lines) + '\n\n'


def file_of(functions, prefix, structs):
    text = ['"""Generated by generate.py from api.json."""\n', 'from collections import namedtuple\n',
            IMPORTS]
    names, done = [], set()
    for f in functions:
        name = f['name'][len(prefix):]
        names.append(name)
        if 'struct' in f and f['struct'] not in done:
            done.add(f['struct'])
            text.append(struct_of('_' + f['struct'], structs[f['struct']]) + '\n\n')
        if f['result'].endswith('_result'):
            members = [m['name'] for m in structs[f['result']]]
            text.append(struct_of('_' + f['result'], structs[f['result']]) + '\n\n')
            text.append(f"{name}_result = namedtuple('{name}_result', {members})\n")
        text.append(function(f, name, structs))
    text.append(f'__all__ = {names}\n')
    return ''.join(text)


def constants(api):
    values = {c['name']: c['value'] for c in api['constants']}
    return ('"""Generated by generate.py from api.json."""\n'
            f"VERSION = '{api['version']}'\nCONSTANTS = {values}\n")


def methods(api, functions):
    """Operations whose first argument is a tensor: they are methods, too. Those that write to another one are none."""
    names = [f['name'][3:] for f in functions
             if f['parameters'] and f['parameters'][0]['type'] in ('const fa_tensor *', 'fa_tensor *', 'fa_arg')
             and written(f) in (None, f['parameters'][0]['name'])]
    return f'METHODS = {names}\n'


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def generate(api_path, folder):
    api = json.loads(pathlib.Path(api_path).read_text())
    folder = pathlib.Path(folder)
    structs = {s['name']: s['members'] for s in api['structs']}
    functions = [f for f in api['functions'] if can_be_written(f)]
    for f in functions:
        with_names_of_pytorch(f, structs)
    operations = [f for f in functions if f['header'].startswith('ops/')]
    pointwise = {o['name'] for o in api['operations'] if o['pointwise'] and o['out']}
    for f in operations:
        f['pointwise'] = f['name'][3:] in pointwise or f['name'][3:-1] in pointwise
    write(folder / '_ops.py', file_of(operations, 'fa_', structs))
    for name, (prefix, result) in SPACES.items():
        of = [f for f in functions if f['name'].startswith(prefix) and f['result'] in result]
        write(folder / f'{name}.py', file_of(of, prefix, structs))
    write(folder / '_constants.py', constants(api) + methods(api, operations))


if __name__ == '__main__':
    generate(sys.argv[1], sys.argv[2])
