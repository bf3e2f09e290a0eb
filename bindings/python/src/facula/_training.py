"""Optimizers, schedules, gradient scalers and loaders, and their states."""
import copy
from collections import defaultdict, namedtuple
from collections.abc import MutableMapping
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

from . import _library as _l
from ._library import Handle, Parameters, _borrowed, _call, _check, _check_warnings, _declare, _fail, _scope
from ._modules import _checked_state, _named
from ._tensor import Tensor


class _Numbers(Structure):
    _fields_ = [('count', c_size_t), ('item', POINTER(c_double)), ('name', POINTER(c_char_p))]


class _StateDict(Structure):
    _fields_ = [('kind', c_char_p), ('tensors', Parameters), ('numbers', _Numbers)]


# ---- states ----

def _state_dict(of):
    """A state of the library as a dict: "kind", tensors and numbers."""
    if not of.kind:
        _fail()
    state = {'kind': of.kind.decode(), **_named(of.tensors)}
    state.update((of.numbers.name[i].decode(), of.numbers.item[i]) for i in range(of.numbers.count))
    return state


def _load_state(load, h, state):
    _checked_state(state)
    kind = state['kind'].encode()
    tensors = {n: t for n, t in state.items() if isinstance(t, Tensor)}
    numbers = {n: v for n, v in state.items() if isinstance(v, (int, float))}
    names = [(c_char_p * max(len(d), 1))(*[n.encode() for n in d]) for d in (tensors, numbers)]
    handles = (c_void_p * max(len(tensors), 1))(*[t._h for t in tensors.values()])
    values = (c_double * max(len(numbers), 1))(*numbers.values())
    of = _StateDict(kind, Parameters(len(tensors), handles, names[0]), _Numbers(len(numbers), values, names[1]))
    with _scope():
        if not load(h, byref(of)):
            _fail()


# ---- training ----

class Optimizer(Handle):
    """An optimizer. facula.optim has those of the library; one of your own is a subclass with step():

        class Plain(facula.optim.Optimizer):
            def __init__(self, params, lr=0.1):
                super().__init__(params, {"lr": lr})

            @facula.no_grad()
            def step(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        if p.grad is not None:
                            p.sub_(group["lr"] * p.grad)

    params: parameters of a module, a list of tensors, or a list of dicts, groups with options of their own
    defaults: a dict of the options of groups that do not give them; "lr" is the one that schedules change

    self.state[p] is a dict for what an optimizer of your own keeps about a parameter p of self.param_groups; state_dict()
    has it."""
    # parameters: a list for each group; _own: their options in Python; _more: what else they have, by number
    __slots__ = ('parameters', 'defaults', 'state', '_own', '_more', '_stepped')
    _zero_grad = staticmethod(_declare('fa_optim_zero_grad', c_bool, [c_void_p]))
    _step = staticmethod(_declare('fa_optim_step', c_bool, [c_void_p]))
    _lr = staticmethod(_declare('fa_optim_lr', c_double, [c_void_p]))
    _set_lr = staticmethod(_declare('fa_optim_set_lr', c_bool, [c_void_p, c_double]))

    _kind = staticmethod(_declare('fa_optim_kind', c_char_p, [c_void_p]))
    _groups = staticmethod(_declare('fa_optim_groups', c_int, [c_void_p]))
    _add_group = staticmethod(_declare('fa_optim_add_group', c_int, [c_void_p, Parameters, c_void_p]))
    _state = staticmethod(_declare('fa_optim_state_dict', _StateDict, [c_void_p]))
    _load = staticmethod(_declare('fa_optim_load_state_dict', c_bool, [c_void_p, POINTER(_StateDict)]))

    def __init__(self, params, defaults=None):
        from . import _optim
        self.defaults, self.state, self._own = dict(defaults or {}), defaultdict(dict), []
        params = _l._parameter_list(params)
        groups = [dict(g) for g in params] if params and isinstance(params[0], dict) else [{'params': params}]
        # A plain optimizer of the library holds parameters and rates, for zero_grad() and schedules. It makes no steps.
        made = _optim.sgd(_l._parameter_list(groups[0].pop('params')), lr=0)
        self._h, made._h, self.parameters = made._h, None, made.parameters
        self._take_options(groups[0])
        for group in groups[1:]:
            self.add_param_group(group)

    def _take_options(self, options):
        self._own.append({})
        Group(self, len(self._own) - 1).update({**self.defaults, **options})

    def __getattr__(self, name):
        if name == 'state':
            raise AttributeError('an optimizer of the library keeps its state itself: state_dict() gives it')
        if name == '_h':
            raise AttributeError(f'{type(self).__name__}.__init__() calls super().__init__(params, defaults) before all else')
        raise AttributeError(f'{type(self).__name__} has no {name!r}')

    def __reduce_ex__(self, protocol):
        raise TypeError('an optimizer cannot be copied or pickled: copy.deepcopy(optimizer.state_dict()) copies its state, '
                        'which load_state_dict() of another optimizer takes')

    def zero_grad(self, set_to_none=True):
        """Removes the gradients of all parameters."""
        if not self._zero_grad(self._h):
            _fail()

    def step(self, closure=None):
        """Updates the parameters from their gradients. A closure computes these before, and returns the loss."""
        if hasattr(self, '_own'):
            raise NotImplementedError(f'{type(self).__name__} has no step()')
        loss = None if closure is None else closure()
        if not self._step(self._h):
            _fail()
        self._stepped = True
        _check_warnings()
        return loss

    def __repr__(self):
        groups = [f'{len(g["params"])} parameters with lr {g["lr"]:g}' for g in self.param_groups]
        return f'{type(self).__name__ if hasattr(self, "_own") else self._kind(self._h).decode()}: {", ".join(groups)}'

    @property
    def param_groups(self):
        """The groups, whose options can be read and set: opt.param_groups[0]["lr"] = 0.01."""
        return [Group(self, i) for i in range(self._groups(self._h))]

    def add_param_group(self, group):
        """Adds parameters, with options of their own: {"params": head.parameters(), "lr": 0.1}."""
        options = dict(group)
        parameters = _l._parameter_list(options.pop('params'))
        with _scope():
            number = self._add_group(self._h, _l._parameters(parameters), None)
        if number < 0:
            _fail()
        self.parameters.append(parameters)
        if hasattr(self, '_own'):
            self._take_options(options)
        else:
            Group(self, number).update(options)

    def state_dict(self):
        """The state: tensors, which are not copies, and numbers, by name."""
        if hasattr(self, '_own'):
            number = {id(p): i for i, p in enumerate(p for group in self.parameters for p in group)}
            return {'state': {number[id(p)]: dict(kept) for p, kept in self.state.items()},
                    'param_groups': [{**group, 'params': [number[id(p)] for p in group['params']]}
                                     for group in self.param_groups]}
        with _scope():
            return _state_dict(self._state(self._h))

    def load_state_dict(self, state):
        """Loads a state into an optimizer that was made in the same way."""
        if hasattr(self, '_own'):
            sizes = [len(group['params']) for group in state['param_groups']]
            if sizes != [len(group) for group in self.parameters]:
                raise ValueError(f'the state has groups of {sizes} parameters, and the optimizer of '
                                 f'{[len(group) for group in self.parameters]}')
            parameters = [p for group in self.parameters for p in group]
            self.state = defaultdict(dict, {parameters[i]: copy.deepcopy(kept) for i, kept in state['state'].items()})
            for group, saved in zip(self.param_groups, state['param_groups']):
                group.update((name, value) for name, value in saved.items() if name != 'params')
            return
        _load_state(self._load, self._h, state)
        self._stepped = True

    @property
    def lr(self):
        """The learning rate of group 0; setting it sets that of all groups."""
        return self._lr(self._h)

    @lr.setter
    def lr(self, value):
        if not self._set_lr(self._h, value):
            _fail()


_SWITCHES = 'nesterov', 'amsgrad', 'centered', 'maximize', 'master_weights', 'stochastic_rounding'
_OPTIONS = ('lr', 'betas', 'beta1', 'beta2', 'alpha', 'momentum', 'dampening', 'lr_decay', 'initial_accumulator_value', 'eps',
            'weight_decay', *_SWITCHES)


class Group(MutableMapping):
    """The options of a group of an optimizer's parameters, a dict by name, which can be changed."""
    _get = staticmethod(_declare('fa_optim_option', c_double, [c_void_p, c_int, c_char_p]))
    _set = staticmethod(_declare('fa_optim_set_option', c_bool, [c_void_p, c_int, c_char_p, c_double]))

    def __init__(self, optimizer, number):
        self.optimizer, self.number = optimizer, number
        self._own = optimizer._own[number] if hasattr(optimizer, '_own') else None
        if self._own is None and not hasattr(optimizer, '_more'):
            optimizer._more = defaultdict(dict)

    def _option(self, name):
        value = self._get(self.optimizer._h, self.number, name.encode())
        _check()
        return bool(value) if name in _SWITCHES else value

    def __getitem__(self, name):
        if name == 'params':
            return self.optimizer.parameters[self.number]
        if self._own is not None and name != 'lr':
            return self._own[name]
        if name not in _OPTIONS:
            return self.optimizer._more[self.number][name]
        try:
            return (self._option('beta1'), self._option('beta2')) if name == 'betas' else self._option(name)
        except _l.Error as e:
            raise KeyError(str(e)) from None

    def __setitem__(self, name, value):
        if name == 'params':
            raise TypeError('the parameters of a group stay: add_param_group() adds a group')
        if self._own is not None and name != 'lr':
            self._own[name] = value
        elif name == 'betas':
            self['beta1'], self['beta2'] = value
        elif name not in _OPTIONS:
            self.optimizer._more[self.number][name] = value
        elif not hasattr(value, '__float__'):
            raise TypeError(f'{name} is a number, not {value!r}')
        elif not self._set(self.optimizer._h, self.number, name.encode(), value):
            _fail()

    def update(self, *given, **options):
        """Sets several options: a dict, or by name."""
        for name, value in dict(*given, **options).items():
            self[name] = value

    def __delitem__(self, name):
        raise TypeError('the options of a group can be changed, and not removed')

    def __iter__(self):
        yield 'params'
        names = (*_OPTIONS, *self.optimizer._more[self.number]) if self._own is None else ('lr', *self._own)
        yield from (name for name in names if name not in ('beta1', 'beta2') and name in self)

    def __len__(self):
        return sum(1 for _ in self)

    def __repr__(self):
        return repr({name: value for name, value in self.items() if name != 'params'})


class Schedule(Handle):
    """A schedule of learning rates. facula.optim.lr_scheduler has those of the library; one of your own is a subclass with
    get_lr(), which gives a rate for each group:

        class WarmUp(facula.optim.lr_scheduler.LRScheduler):
            def get_lr(self):
                return [lr * min(1, (self.last_epoch + 1) / 10) for lr in self.base_lrs]

    self.last_epoch is the number of steps so far, and self.base_lrs, of your own, are the rates when the schedule was made."""
    __slots__ = ('optimizer', 'base_lrs', '_kept', '_steps')
    _step = staticmethod(_declare('fa__schedule_step', c_bool, [c_void_p]))  # step() below warns
    _step_metric = staticmethod(_declare('fa_schedule_step_metric', c_bool, [c_void_p, c_double]))
    _epoch = staticmethod(_declare('fa_schedule_epoch', c_int64, [c_void_p]))
    _state = staticmethod(_declare('fa_schedule_state_dict', _StateDict, [c_void_p]))
    _load = staticmethod(_declare('fa_schedule_load_state_dict', c_bool, [c_void_p, POINTER(_StateDict)]))

    def __init__(self, optimizer, last_epoch=-1):
        self._h, self.optimizer = None, optimizer
        self.base_lrs, self._steps = self.get_last_lr(), last_epoch
        self.step()

    def get_lr(self):
        """The learning rates of the groups for last_epoch: what subclasses define."""
        raise NotImplementedError(f'{type(self).__name__} has no get_lr()')

    def step(self, metrics=None):
        """Goes to the next epoch or step; ReduceLROnPlateau() takes a metric."""
        if not self._h:
            self._steps += 1
            for group, lr in zip(self.optimizer.param_groups, self.get_lr()):
                group['lr'] = lr
            return
        if metrics is None and not self.last_epoch and not (getattr(self.optimizer, '_stepped', False) or
                                                            hasattr(self.optimizer, '_own')):
            self.optimizer._stepped = True  # one warning
            _l._warn('scheduler.step() comes before optimizer.step(): the first rate of the schedule is skipped')
        if not (self._step(self._h) if metrics is None else self._step_metric(self._h, float(metrics))):
            _fail()

    def get_last_lr(self):
        """The learning rates of the optimizer's groups, a list."""
        return [group['lr'] for group in self.optimizer.param_groups]

    @property
    def last_epoch(self):
        """The number of steps so far."""
        return self._epoch(self._h) if self._h else self._steps

    @last_epoch.setter
    def last_epoch(self, steps):
        if self._h:
            raise AttributeError('last_epoch of a schedule of the library follows step()')
        self._steps = steps

    def state_dict(self):
        """The state, by name. The current rates are part of the optimizer's."""
        if not self._h:
            return {**self.__dict__, 'last_epoch': self._steps, 'base_lrs': self.base_lrs}
        with _scope():
            return _state_dict(self._state(self._h))

    def load_state_dict(self, state):
        """Loads a state into a schedule that was made in the same way."""
        if not self._h:
            state = dict(state)
            self._steps, self.base_lrs = state.pop('last_epoch'), state.pop('base_lrs')
            self.__dict__.update(state)
            return
        _load_state(self._load, self._h, state)


class Scaler(Handle):
    """A gradient scaler for training in f16; facula.amp.GradScaler() makes one."""
    __slots__ = ()
    _scale = staticmethod(_declare('fa_scaler_scale', c_void_p, [c_void_p, c_void_p]))
    _unscale = staticmethod(_declare('fa_scaler_unscale', c_bool, [c_void_p, c_void_p]))
    _step = staticmethod(_declare('fa_scaler_step', c_bool, [c_void_p, c_void_p]))
    _update = staticmethod(_declare('fa_scaler_update', c_bool, [c_void_p, c_void_p]))
    _get = staticmethod(_declare('fa_scaler_get_scale', c_double, [c_void_p]))
    _enabled = staticmethod(_declare('fa_scaler_is_enabled', c_bool, [c_void_p]))
    _get_growth = staticmethod(_declare('fa_scaler_get_growth_factor', c_double, [c_void_p]))
    _set_growth = staticmethod(_declare('fa_scaler_set_growth_factor', c_bool, [c_void_p, c_double]))
    _get_backoff = staticmethod(_declare('fa_scaler_get_backoff_factor', c_double, [c_void_p]))
    _set_backoff = staticmethod(_declare('fa_scaler_set_backoff_factor', c_bool, [c_void_p, c_double]))
    _get_interval = staticmethod(_declare('fa_scaler_get_growth_interval', c_int64, [c_void_p]))
    _set_interval = staticmethod(_declare('fa_scaler_set_growth_interval', c_bool, [c_void_p, c_int64]))
    _state = staticmethod(_declare('fa_scaler_state_dict', _StateDict, [c_void_p]))
    _load = staticmethod(_declare('fa_scaler_load_state_dict', c_bool, [c_void_p, POINTER(_StateDict)]))

    def scale(self, loss):
        """The loss times the scale, to call backward() on."""
        with _scope():
            return _borrowed(Tensor, self._scale(self._h, loss._h))

    def unscale_(self, optimizer):
        """Divides the gradients of the optimizer's parameters by the scale, to clip them before step()."""
        if not self._unscale(self._h, optimizer._h):
            _fail()

    def step(self, optimizer):
        """A step of an optimizer of the library with unscaled gradients; nothing where one of them is not finite."""
        if hasattr(optimizer, '_own'):
            raise TypeError(f'a GradScaler steps optimizers of the library, not {type(optimizer).__name__}, which is of '
                            'Python: bf16 needs no GradScaler')
        if not self._step(self._h, optimizer._h):
            _fail()
        optimizer._stepped = True
        _check_warnings()

    def update(self):
        """Adjusts the scale, after the steps."""
        if not self._update(self._h, None):
            _fail()

    def get_scale(self):
        """The scale."""
        return self._get(self._h)

    def is_enabled(self):
        """Whether it scales."""
        return self._enabled(self._h)

    def get_growth_factor(self):
        """What the scale is multiplied by after growth_interval updates without overflow."""
        return self._get_growth(self._h)

    def set_growth_factor(self, new_factor):
        """Sets the growth factor: more than 1."""
        if not self._set_growth(self._h, new_factor):
            _fail()

    def get_backoff_factor(self):
        """What the scale is multiplied by after an overflow."""
        return self._get_backoff(self._h)

    def set_backoff_factor(self, new_factor):
        """Sets the backoff factor: between 0 and 1."""
        if not self._set_backoff(self._h, new_factor):
            _fail()

    def get_growth_interval(self):
        """How many updates without overflow make the scale grow."""
        return self._get_interval(self._h)

    def set_growth_interval(self, new_interval):
        """Sets the growth interval: 1 or more."""
        if not self._set_interval(self._h, new_interval):
            _fail()

    def state_dict(self):
        """The state, by name."""
        with _scope():
            return _state_dict(self._state(self._h))

    def load_state_dict(self, state):
        """Loads a state."""
        _load_state(self._load, self._h, state)


# ---- data ----

class Sampler(Handle):
    """Which samples an epoch has, and in which order: iterating it gives their numbers, others each time. facula.utils.data and
    facula.sampler make those of the library; one of your own is a subclass with __iter__() and __len__(), for DataLoader():

        class EverySecond(facula.utils.data.Sampler):
            def __init__(self, dataset):
                self.dataset = dataset

            def __iter__(self):
                return iter(range(0, len(self.dataset), 2))

            def __len__(self):
                return (len(self.dataset) + 1) // 2
    """
    __slots__ = ()
    __class_getitem__ = classmethod(lambda cls, item: cls)
    _length = staticmethod(_declare('fa_sampler_length', c_int64, [c_void_p]))
    _order = staticmethod(_declare('fa_sampler_order', c_void_p, [c_void_p, c_uint64, c_int64]))

    def __init__(self, data_source=None):
        pass

    def __getattr__(self, name):
        if name == '_h':
            raise AttributeError(f'{type(self).__name__}, a sampler of Python, goes to facula.utils.data.DataLoader(), and has '
                                 '__iter__(), and __len__() where it is asked for its length')
        raise AttributeError(f'{type(self).__name__} has no {name!r}')

    def __len__(self):
        if not hasattr(self, '_h'):
            raise TypeError(f'{type(self).__name__} has no __len__()')
        return self._length(self._h)

    def order(self, seed=0, epoch=0):
        """The numbers of the samples of an epoch, a tensor: those of a loader that has this seed."""
        return _call(self._order, self._h, seed, epoch)

    def __iter__(self):
        return iter(self.order(_l.seed_drawn()).tolist())


Batch = namedtuple('Batch', ['input', 'target'])


class _Batch(Structure):
    _fields_ = [('input', c_void_p), ('target', c_void_p), ('extra', c_void_p * 6), ('index', c_int64), ('size', c_int64),
                ('samples', c_void_p), ('epoch', c_void_p), ('turn', c_size_t * 2)]


class Loader(Handle):
    """A loader; facula.data.loader() makes one. `for input, target in loader` is an epoch."""
    __slots__ = ()
    _begin = staticmethod(_declare('fa_loader_begin', c_bool, [c_void_p, POINTER(_Batch)]))
    _next = staticmethod(_declare('fa_loader_next', c_bool, [POINTER(_Batch)]))
    _end = staticmethod(_declare('fa_loader_end', None, [POINTER(_Batch)]))
    _length = staticmethod(_declare('fa_loader_length', c_int64, [c_void_p]))
    _dataset = staticmethod(_declare('fa_loader_dataset', c_void_p, [c_void_p]))

    @property
    def dataset(self):
        """The dataset that it loads."""
        return _borrowed(_l.Dataset, self._dataset(self._h))

    def __len__(self):
        return self._length(self._h)

    def __iter__(self):
        return (Batch(parts[0], parts[1] if len(parts) > 1 else None) for parts in self._batches())

    def _batches(self):
        """The batches of an epoch, each a list of its tensors."""
        place = _Batch()
        if not self._begin(self._h, byref(place)):
            _fail()
        try:
            while self._next(byref(place)):
                yield [_borrowed(Tensor, h) for h in (place.input, place.target, *place.extra) if h]
            _check()
        finally:
            self._end(byref(place))
            _l._forget()
