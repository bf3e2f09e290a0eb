"""Facula's tensors in gdb: `print x` shows shape, dtype, device and elements in place of an address.

Installed where gdb loads it together with the library; otherwise `source tools/gdb/facula.py`. It reads the memory of the
program alone, so it works with core dumps, with stripped libraries, and where a pointer is none of a tensor."""
import struct

import gdb
import gdb.printing

FORMATS = {"bool": "?", "u8": "B", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}
MOST = 24  # elements that are printed


def read(address, format):
    """Numbers at an address."""
    return struct.unpack("=" + format, bytes(gdb.selected_inferior().read_memory(address, struct.calcsize("=" + format))))


def pointer_format():
    return "Q" if gdb.lookup_type("void").pointer().sizeof == 8 else "I"


def pointer(address):
    return read(address, pointer_format())[0]


def text(address):
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string() if address else "?"


def layout():
    """Where the members are (fa__tensor_layout of src/core/tensor.c), by name, and the names of the dtypes."""
    names = ("tensor type dtype rank storage offset shape stride device data storage_device device_name "
             "device_host").split()
    at = int(gdb.parse_and_eval("(unsigned long)&fa__tensor_layout"))
    numbers = read(at, "%dH" % len(names))
    size = struct.calcsize("=" + pointer_format())
    table = (at + struct.calcsize("=%dH" % len(names)) + size - 1) // size * size
    return dict(zip(names, numbers)), pointer(table)


def elements(data, dtype, shape, stride):
    """The elements as nested lists of text."""
    if not shape:
        return element(data, dtype)
    size = width(dtype)
    return "[%s]" % ", ".join(elements(data + i * stride[0] * size, dtype, shape[1:], stride[1:])
                              for i in range(shape[0]))


def width(dtype):
    return 2 if dtype == "bf16" else struct.calcsize("=" + FORMATS[dtype]) if dtype in FORMATS else 1


def element(address, dtype):
    if dtype == "bf16":
        return "%g" % struct.unpack("=f", struct.pack("=I", read(address, "H")[0] << 16))
    if dtype not in FORMATS:  # 8-bit floats: their bits
        return "0x%02x" % read(address, "B")
    value = read(address, FORMATS[dtype])[0]
    return "%g" % value if isinstance(value, float) else str(value).lower()


def describe(address):
    at, dtypes = layout()
    if read(address + at["type"], "B")[0] != at["tensor"]:
        return "no tensor, or one that was freed"
    rank = read(address + at["rank"], "B")[0]
    size = struct.calcsize("=" + pointer_format())
    dtype = text(pointer(dtypes + size * read(address + at["dtype"], "B")[0]))
    shape = read(address + at["shape"], "%dq" % rank)
    stride = read(address + at["stride"], "%dq" % rank)
    storage = pointer(address + at["storage"])
    device = pointer(storage + at["storage_device"] if storage else address + at["device"])
    head = "(%s%s) %s %s" % (", ".join(map(str, shape)), "," if rank == 1 else "", dtype,
                             text(device + at["device_name"]))
    count = 1
    for n in shape:
        count *= n
    if not storage or not count or count > MOST or not read(device + at["device_host"], "?")[0]:
        return head
    data = pointer(storage + at["data"]) + read(address + at["offset"], "q")[0] * width(dtype)
    return "%s %s" % (head, elements(data, dtype, shape, stride))


class TensorPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        address = int(self.value)
        if not address:
            return "NULL"
        try:
            return "%#x %s" % (address, describe(address))
        except (gdb.error, gdb.MemoryError, UnicodeDecodeError):
            return "%#x" % address


def find(value):
    """gdb asks for a printer for each value."""
    type = value.type.strip_typedefs()
    if type.code != gdb.TYPE_CODE_PTR:
        return None
    target = type.target().unqualified().strip_typedefs()
    return TensorPrinter(value) if target.code == gdb.TYPE_CODE_STRUCT and target.tag == "fa_tensor" else None


gdb.printing.register_pretty_printer(gdb.current_objfile(), find, replace=True)
