"""A program as CUDA: a kernel in which every thread runs the whole program for one robot.

Arguments and results lie robot after robot. An argument may also be one for all robots: its step is 0. Without CUDA the
same source is C++ whose kernel is a loop, so that it can be tried on any machine.
"""

import re

from pliant.native.printing._print_c import CText
from pliant.native.printing._runtime import PRELUDE

BLOCK = 32  # threads: 6 % quicker than 128 on an H200, where they wait for memory

NEAR = 144  # doubles of a thread in the memory of its multiprocessor: six blocks share that of an H200

_NEAR = """#if defined(__CUDACC__)
extern __shared__ double pliant_near[];
#define PLIANT_NEAR(i) ((pliant_real *)pliant_near)[(i) * @block@ + threadIdx.x]
#else
static pliant_real pliant_near[@near@];
#define PLIANT_NEAR(i) pliant_near[i]
#endif"""

_KERNEL = """
typedef struct {
  const pliant_real *x[@inputs@];
  long long x_step[@inputs@];
  pliant_real *y[@outputs@];
} @name@_arrays;

PLIANT_ROUTINE void @name@_one(long long robot, const @name@_arrays *arrays) {
  const long long y_step[] = {@result_sizes@};
  const pliant_real *x[@inputs@];
  pliant_real *y[@outputs@];
  for (int i = 0; i < @inputs@; ++i) x[i] = arrays->x[i] + robot * arrays->x_step[i];
  for (int i = 0; i < @outputs@; ++i) y[i] = arrays->y[i] + robot * y_step[i];
  @name@(x, y);
}

#if defined(__CUDACC__)
__global__ void __launch_bounds__(@block@) @name@_kernel(long long count, const @name@_arrays arrays) {
  const long long robot = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (robot < count) @name@_one(robot, &arrays);
}
#endif

/* Arrays on the device; x_step[i]: elements from one robot's argument i to the next one's, 0 if all share it. Returns
   the error code of CUDA, 0 if the kernel was started. */
extern "C" int @name@_launch(long long count, const pliant_real *const *x, const long long *x_step,
                             pliant_real *const *y, void *stream) {
  @name@_arrays arrays;
  for (int i = 0; i < @given@; ++i) {
    arrays.x[i] = x[i];
    arrays.x_step[i] = x_step[i];
  }
  for (int i = 0; i < @made@; ++i) arrays.y[i] = y[i];
#if defined(__CUDACC__)
  const long long blocks = (count + @block@ - 1) / @block@;
  const int near = @near@ * @block@ * (int)sizeof(pliant_real);
  cudaFuncSetAttribute(@name@_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, near);
  if (count > 0) @name@_kernel<<<(unsigned)blocks, @block@, near, (cudaStream_t)stream>>>(count, arrays);
  return (int)cudaGetLastError();
#else
  (void)stream;
  for (long long robot = 0; robot < count; ++robot) @name@_one(robot, &arrays);
  return 0;
#endif
}
"""


def cuda_text(text: CText) -> str:
    """A translation unit for nvcc: the program, its kernel, and a C function that starts it."""
    program = text.program
    words = {
        "name": program.name,
        "given": len(program.inputs),
        "made": len(program.outputs),
        "inputs": max(len(program.inputs), 1),
        "outputs": max(len(program.outputs), 1),
        "block": BLOCK,
        "near": max(text.near_size, 1),
        "result_sizes": ", ".join(str(output.size) for output in program.outputs) or 0,
    }
    near, kernel = (re.sub("@([a-z_]+)@", lambda found: str(words[found[1]]), part) for part in (_NEAR, _KERNEL))
    return "\n\n".join([PRELUDE, near, *text.routines, text.text(), kernel])
