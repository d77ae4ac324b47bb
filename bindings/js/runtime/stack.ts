/** Call it with 0. */
export type StackCheck = (calls: 0) => void;

/** The number of vectors that a call takes or returns. V8's time to compile a call grows with its square. */
const count = 100;
/** The number of calls of each kind. The frame holds their results and the arguments of one call: 4000 vectors. */
const calls = 39;

/**
 * (import "a" "a" (func (result v128 × 100))) (import "a" "b" (func (param v128 × 100)))
 * (func (export "a") (param i32) (if (local.get 0) (then (call 0) × 39 (call 1) × 39)))
 */
function module(): Uint8Array<ArrayBuffer> {
  const vectors = [count, ...Array<number>(count).fill(0x7b)];
  return Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...[1, 0xd3, 0x01, 3, 0x60, 0, ...vectors, 0x60, ...vectors, 0, 0x60, 1, 0x7f, 0],
    ...[2, 13, 2, 1, 0x61, 1, 0x61, 0, 0, 1, 0x61, 1, 0x62, 0, 1],
    ...[3, 2, 1, 2, 7, 5, 1, 1, 0x61, 0, 2],
    ...[10, 0xa6, 0x01, 1, 0xa3, 0x01, 0, 0x20, 0, 0x04, 0x40],
    ...Array<number[]>(calls).fill([0x10, 0]).flat(),
    ...Array<number[]>(calls).fill([0x10, 1]).flat(),
    ...[0x0b, 0x0b],
  );
}

/**
 * Creates a function that throws a RangeError ("Maximum call stack size exceeded") unless 60 KB of the engine's stack
 * are free. The deepest call, with the JavaScript after it, needs 4 KB; V8 needs 40 KB more to compile a function at
 * its first call.
 *
 * The function is a WebAssembly function with a frame of 4000 vectors. On entry, engines check that the stack has room
 * for the frame, which takes a few nanoseconds.
 */
export function createStackCheck(): StackCheck {
  const never = (): undefined => undefined;
  try {
    // Not asynchronously: what a Cloudflare Worker begins outside of a request never ends.
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module()), {
      a: { a: never, b: never },
    });
    return exports.a as StackCheck;
  } catch {
    // Such Workers run only modules that were uploaded with the program.
    return never;
  }
}
