// Too little WebAssembly memory, by degrees, for every call: it is an error that changes nothing, and the same call
// works when there is memory again.
import assert from 'node:assert/strict';
import test from 'node:test';
import { HeadwiseError } from 'headwise';
import { fillAllBut, freeBytes } from '../lib/ballast.mjs';
import { checkBystanders } from '../lib/bystanders.mjs';
import { calls, disposeAll } from '../lib/calls.mjs';

// Thousands of errors are thrown, and nobody reads their stacks.
Error.stackTraceLimit = 4;

/** The call's result or its error, which only lack of memory may be. */
async function attempt({ call }, subject, args) {
  try {
    return { result: (await call(subject, ...args)) ?? 'done' };
  } catch (error) {
    if (!(error instanceof HeadwiseError && error.code === 'out-of-memory')) throw error;
    return { error };
  }
}

async function withSubject(entry, use) {
  const subject = entry.prepare();
  try {
    return await use(subject, entry.args(subject));
  } finally {
    disposeAll(subject);
  }
}

const tried = (entry) =>
  withSubject(entry, async (subject, args) => [
    (await attempt(entry, subject, args)).result,
    entry.observe(subject),
  ]);

/**
 * One call where all memory is taken but `free` bytes in `holes` pieces: it succeeds as it does with plenty, or it is
 * an error and all is as before; with `tryAgain` it is then made with plenty, as if nothing had been. Returns whether
 * it succeeded.
 */
const tryWith = (entry, expected, free, { holes, keepsWorkingMemory }, tryAgain) =>
  withSubject(entry, async (subject, args) => {
    const giveBack = fillAllBut(Array(holes).fill(free / holes), { keepsWorkingMemory });
    const first = await attempt(entry, subject, args);
    giveBack();
    const isDone = first.error === undefined;
    if (isDone || tryAgain) {
      const { result } = isDone ? first : await attempt(entry, subject, entry.args(subject));
      assert.deepEqual([result, entry.observe(subject)], expected.tried);
    } else {
      assert.deepEqual(entry.observe(subject), expected.untried);
    }
    return isDone;
  });

const layouts = [
  { holes: 1, keepsWorkingMemory: false },
  { holes: 3, keepsWorkingMemory: true },
];

for (const [name, entry] of Object.entries(calls)) {
  test(`too little memory: ${name}`, async () => {
    const expected = {
      untried: await withSubject(entry, entry.observe),
      tried: await tried(entry),
    };
    const capacity = freeBytes();
    let failures = 0;
    for (const layout of layouts) {
      let isDone = false;
      for (let free = 0; !isDone && free < capacity / 4; free = 1.6 * free + 200) {
        isDone = await tryWith(entry, expected, free, layout, failures % 2 === 1);
        if (!isDone) failures++;
      }
    }
    assert.ok(capacity - freeBytes() < 1000, 'not all memory was given back');
    checkBystanders();
    // If no call failed, nothing was tested.
    assert.ok(failures > 0 || entry.mayNeedNone, 'it always found memory');
  });
}
