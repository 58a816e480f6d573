"""Files that go with an exported C library, with words to be filled in between @."""

from collections.abc import Mapping


def filled(text: str, words: Mapping[str, str]) -> str:
    """The text with every @word@ replaced, in the order of the words: one may bring others along."""
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


EXAMPLE = """/* Build: cc -O1 -I.. main.c ../@name@.c -lm -o example */
#include <stdio.h>
#include <string.h>

#include "@name@.h"

static void print(const char *name, const double *x, size_t bytes) {
  printf("%s", name);
  for (size_t i = 0; i < bytes / sizeof *x; ++i) printf(" %.17g", x[i]);
  printf("\\n");
}

int main(void) {
  @name@_parameters parameters;
  @name@_model model;
  double q[@NAME@_NQ], v[@NAME@_NV];
  @name@_default_parameters(&parameters);
  @name@_prepare(&parameters, &model);
  @name@_start(q, v);
@body@  print("q", q, sizeof q);
  return 0;
}
"""

INPUTS = """  double u[@NAME@_NU] = {0};
"""

DYNAMICS = """  double a[@NAME@_NV];
  @name@_forward_dynamics(&model, q, v, 0.0@u@, a);
  print("a", a, sizeof a);
"""

NEWMARK = """  double step_state[@NAME@_STEP_STATE], step_state_next[@NAME@_STEP_STATE], converged[1];
  @name@_newmark_start(&model, step_state);
  for (int k = 0; k < 10; ++k) { /* ten steps of a millisecond */
    double q_next[@NAME@_NQ], v_next[@NAME@_NV], a_next[@NAME@_NV];
    @name@_newmark_step(&model, q, v, step_state, 1e-3 * k@u@, 1e-3, 0.0, q_next, v_next, a_next, step_state_next,
                        converged);
    if (converged[0] == 0.0) {
      puts("the step did not converge");
      return 1;
    }
    memcpy(q, q_next, sizeof q);
    memcpy(v, v_next, sizeof v);
    memcpy(step_state, step_state_next, sizeof step_state);
  }
"""

TIP = """  double poses[@NAME@_FRAMES][4][4];
  @name@_forward_kinematics(&model, q, poses);
  double tip[3];
  for (int i = 0; i < 3; ++i) tip[i] = poses[@NAME@_FRAMES - 1][i][3];
  print(@frame@, tip, sizeof tip);
"""

CMAKE = """cmake_minimum_required(VERSION 3.10)
project(@name@_example C)
set(CMAKE_C_STANDARD 99)
add_library(@name@ STATIC ../@name@.c)
target_include_directories(@name@ PUBLIC ..)
target_link_libraries(@name@ PUBLIC m)
add_executable(example main.c)
target_link_libraries(example PRIVATE @name@)
"""

MEX = """/* MATLAB or Octave: mex @name@_mex.c @name@.c ; then a = @name@_mex('forward_dynamics', q, v, t, u).
   MATLAB keeps columns first: matrices come out transposed. Parameters are those of the robot file. */
#include <string.h>

#include "@name@.h"
#include "mex.h"

static const double *numbers(const mxArray *given, size_t size, const char *name) {
  if (!mxIsDouble(given) || mxGetNumberOfElements(given) != size)
    mexErrMsgIdAndTxt("pliant:argument", "%s must hold %d doubles", name, (int)size);
  return mxGetPr(given);
}

static void count(int wanted, int got, const char *name) {
  if (wanted != got) mexErrMsgIdAndTxt("pliant:argument", "%s takes %d arguments; got %d", name, wanted, got);
}

static double *made(mxArray **plhs, int nlhs, int index, size_t rows, size_t columns) {
  mxArray *result = mxCreateDoubleMatrix(rows, columns, mxREAL);
  if (index == 0 || index < nlhs) plhs[index] = result;
  return mxGetPr(result);
}

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  char which[64];
  @name@_parameters parameters;
  @name@_model model;
  if (nrhs < 1 || mxGetString(prhs[0], which, sizeof which))
    mexErrMsgIdAndTxt("pliant:argument", "the first argument is the name of a function");
  @name@_default_parameters(&parameters);
  @name@_prepare(&parameters, &model);
@cases@
  mexErrMsgIdAndTxt("pliant:function", "no function %s", which);
}
"""
