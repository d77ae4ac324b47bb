// Calls that are made and timed in one process.

/** Milliseconds of so many calls. */
async function time(call, count) {
  const began = performance.now();
  for (let i = 0; i < count; i++) {
    const result = call();
    // A peer that answers at once is not made to wait for a turn of the event loop.
    if (result instanceof Promise) await result;
  }
  return performance.now() - began;
}

/** The answer of the first call, and what times the others. */
export async function here(call) {
  return { first: await call(), time: (count) => time(call, count) };
}

/** Times `call` alone, each time after `before`. `first` is what is held against the reference. */
export function afterAnother(first, before, call) {
  return {
    first,
    async time(count) {
      let total = 0;
      for (let i = 0; i < count; i++) {
        before();
        total += await time(call, 1);
      }
      return total;
    },
  };
}

/** Times steps of training. What is held against the reference is how the first one changes the output. */
export async function training(step, forward) {
  const before = Float32Array.from(await forward());
  await step();
  const after = await forward();
  return { first: before.map((x, i) => after[i] - x), time: (count) => time(step, count) };
}

/** Times `call`; `first` is what is held against the reference. */
export const checkedBy = (first, call) => ({ first, time: (count) => time(call, count) });

/** Times steps that give their loss. The first ones' losses are held against the reference. */
export async function trainingLosses(step, count) {
  const losses = new Float32Array(count);
  for (let i = 0; i < count; i++) losses[i] = await step();
  return checkedBy(losses, step);
}
