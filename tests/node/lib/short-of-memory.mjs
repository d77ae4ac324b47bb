// A program: makes the calls of one group of memory-scenarios.mjs with too little memory, then with a little more, and
// so on until they succeed. What must hold is said at `tryWith`.
import assert from 'node:assert/strict';
import { HeadwiseError } from 'headwise';
import { dropWorkingMemory, fillAllBut, hasRoomFor, largestPiece } from './ballast.mjs';
import { checkBystanders, checkBystandersInNeed } from './bystanders.mjs';
import { scenarios } from './memory-scenarios.mjs';

// Thousands of errors come, whose stacks nobody reads.
Error.stackTraceLimit = 4;

/** The call's result or its error, which only lack of memory may be. */
async function attempt(call, subject) {
  try {
    return { result: await call(subject) };
  } catch (error) {
    if (!(error instanceof HeadwiseError && error.code === 'out-of-memory')) throw error;
    return { error };
  }
}

/** What is seen of a new subject after `use`. */
async function withSubject({ prepare, dispose }, use) {
  const subject = prepare();
  try {
    return await use(subject);
  } finally {
    dispose(subject);
  }
}

const untried = (scenario) => withSubject(scenario, scenario.observe);

const tried = (scenario) =>
  withSubject(scenario, async (subject) => [
    (await attempt(scenario.call, subject)).result,
    scenario.observe(subject),
  ]);

/**
 * One call where all memory is taken but `free` bytes in `holes` pieces: it succeeds as it does with plenty, or it is
 * an error and all is as before; with `tryAgain` it is then made with plenty, as if nothing had been. Returns whether
 * it succeeded.
 */
async function tryWith(scenario, expected, free, { holes, keepsWorkingMemory }, tryAgain) {
  const succeeded = await withSubject(scenario, async (subject) => {
    if (keepsWorkingMemory) await tried(scenario);
    const giveBack = fillAllBut(Array(holes).fill(free / holes), { keepsWorkingMemory });
    const first = await attempt(scenario.call, subject);
    checkBystandersInNeed();
    giveBack();
    const isDone = first.error === undefined;
    if (isDone || tryAgain) {
      const { result } = isDone ? first : await attempt(scenario.call, subject);
      assert.deepEqual([result, scenario.observe(subject)], expected.tried);
    } else {
      assert.deepEqual(scenario.observe(subject), expected.untried);
    }
    return isDone;
  });
  checkBystanders();
  return succeeded;
}

const layouts = [
  { holes: 1, keepsWorkingMemory: false },
  { holes: 1, keepsWorkingMemory: true },
  { holes: 7, keepsWorkingMemory: true },
];

async function run(name, scenario) {
  const expected = { untried: await untried(scenario), tried: await tried(scenario) };
  assert.ok(expected.tried[0] !== undefined, 'no result even with plenty of memory');
  const capacity = largestPiece();
  let [failures, tries] = [0, 0];
  for (const layout of layouts) {
    const attemptWith = async (free) => {
      try {
        const succeeded = await tryWith(scenario, expected, free, layout, tries++ % 2 === 1);
        assert.ok(hasRoomFor(capacity), 'not all memory was given back');
        failures += succeeded ? 0 : 1;
        return succeeded;
      } catch (error) {
        const where = `${name}, ${Math.round(free)} bytes free, ${JSON.stringify(layout)}`;
        throw new Error(where, { cause: error });
      }
    };
    let need = 4096;
    while (!(await attemptWith(need)) && need < capacity / 4) need *= 2;
    for (let free = 0; free < need; free += need / 20) await attemptWith(free);
  }
  return { failures };
}

const [, , group, only] = process.argv;
for (const [name, scenario] of Object.entries(scenarios[group])) {
  if (only !== undefined && only !== name) continue;
  dropWorkingMemory();
  const began = performance.now();
  const { failures } = await run(name, scenario);
  // Where no call ever failed, nothing was tried.
  if (!scenario.needsNone) assert.ok(failures > 0, `${name}: always found memory`);
  console.log(
    `${name}: ${failures} calls found too little, ${Math.round(performance.now() - began)} ms`,
  );
}
