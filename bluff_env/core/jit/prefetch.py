"""Give the processor the hint to fetch memory that is going to be read and written.

The engine does so for the next game of a step, where its games do not fit into the caches.
"""

from __future__ import annotations

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

CACHE_LINE = 64  # bytes


@intrinsic
def prefetch(typing_context, address, size):
    """Ask the processor for ``size`` bytes from ``address`` on, which are going to be read and written.

    It is a hint: any address is harmless.
    """

    def generate(context, builder, signature, arguments):
        pointer, hint = ir.IntType(8).as_pointer(), ir.IntType(32)
        instruction = builder.module.declare_intrinsic(
            "llvm.prefetch", [pointer], ir.FunctionType(ir.VoidType(), [pointer, hint, hint, hint])
        )
        start, bytes_wanted = arguments
        lines = builder.udiv(bytes_wanted, ir.Constant(bytes_wanted.type, CACHE_LINE))
        with cgutils.for_range(builder, lines) as loop:
            offset = builder.mul(loop.index, ir.Constant(loop.index.type, CACHE_LINE))
            line = builder.inttoptr(builder.add(start, offset), pointer)
            builder.call(instruction, [line, hint(1), hint(2), hint(1)])  # for writing; into the second cache; data
        return context.get_dummy_value()

    return numba.types.void(numba.types.int64, numba.types.int64), generate
