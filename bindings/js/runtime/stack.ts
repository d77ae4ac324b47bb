/** Call it with 0. */
export type StackCheck = (calls: 0) => void;

/** A function type with 1000 vectors, WebAssembly's limit for results. */
const values = Array<number>(1000).fill(0x7b);
const count = [0xe8, 0x07];

/**
 * (import "a" "a" (func (result v128 × 1000))) (import "a" "b" (func (param v128 × 1000)))
 * (func (export "a") (param i32) (if (local.get 0) (then (call 0) × 3 (call 1) × 3)))
 */
const module = (): Uint8Array<ArrayBuffer> =>
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...[1, 0xdd, 0x0f, 3, 0x60, 0, ...count, ...values],
    ...[0x60, ...count, ...values, 0, 0x60, 1, 0x7f, 0],
    ...[2, 13, 2, 1, 0x61, 1, 0x61, 0, 0, 1, 0x61, 1, 0x62, 0, 1],
    ...[3, 2, 1, 2, 7, 5, 1, 1, 0x61, 0, 2],
    ...[10, 21, 1, 19, 0, 0x20, 0, 0x04, 0x40],
    ...[0x10, 0, 0x10, 0, 0x10, 0, 0x10, 1, 0x10, 1, 0x10, 1, 0x0b, 0x0b],
  );

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
