// Arguments that act or change while a call reads them, in every place of every call. A call must succeed as if the
// action of a getter came before it, or throw a HeadwiseError and change nothing else; errors of getters are thrown as
// they are. Each place gets another kind of hostility.
import assert from 'node:assert/strict';
import test from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { HeadwiseError, ResidentTensor } from 'headwise';
import { checkBystanders } from '../lib/bystanders.mjs';
import { calls, disposeAll } from '../lib/calls.mjs';
import {
  at,
  impostors,
  losses,
  othersThan,
  pathsTo,
  placesIn,
  withGetter,
  withValue,
} from '../lib/hostile-arguments.mjs';
import { memory } from '../lib/memory.mjs';

// With it, Node 20 may read the old length of an array that was detached.
setFlagsFromString('--no-turbofan');

/** Results without the classes of the caller's arrays. */
function plain(value) {
  if (ArrayBuffer.isView(value)) return new Float64Array(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

const own = new Error("the caller's own");

function isHeadwiseError(error) {
  if (!(error instanceof HeadwiseError)) throw error;
  return true;
}

async function outcomeOf(use) {
  try {
    return { value: plain((await use()) ?? 'done') };
  } catch (error) {
    return error === own ? { own: true } : isHeadwiseError(error) && { code: error.code };
  }
}

function act(action, subject) {
  try {
    action(subject);
  } catch (error) {
    isHeadwiseError(error);
  }
}

/** Index of the next choice: each call begins with another one. */
let turns = 0;
const inTurn = (choices) => choices[turns++ % choices.length];

/** At most so many, evenly spaced. */
const someOf = (all, most) => all.filter((_, i) => i % Math.ceil(all.length / most) === 0);

const hoard = [];
/** Allocates until memory grows, which detaches views of it. */
function growMemory() {
  const { byteLength } = memory.buffer;
  while (memory.buffer.byteLength === byteLength) hoard.push(new ResidentTensor([2 ** 18]));
}
/** Memory grows by a fifth, so not every call can have its own growth. */
const growing = [
  ...['forward with gradients', 'forward with a cache', 'backward', 'loadStateDict'],
  ...['fromStateDict, GPT-2', 'forward, translator', 'lossAndGradients of a model'],
  ...['scaledDotProductAttention', 'saveSafetensors', 'fromPretrained'],
];
test.after(() => hoard.forEach((each) => each.dispose()));

/** The real contents of a typed array; undefined for other values and detached arrays. */
function trueNumbers(array, Kind) {
  try {
    return ArrayBuffer.isView(array) ? new Kind(array) : undefined;
  } catch {
    return undefined;
  }
}

async function tryCall(name, { prepare, args, call, observe, actions, isOfCopy }) {
  /** The outcome of the call, and the state after it. */
  async function run({ before, change = (given) => given, skip = false }) {
    const subject = prepare();
    try {
      if (before) act(before, subject);
      const result = skip
        ? undefined
        : await outcomeOf(() => call(subject, ...change(args(subject), subject)));
      return { result, seen: plain(observe(subject)) };
    } finally {
      disposeAll(subject);
    }
  }

  turns = name.length;
  const plainly = await run({});
  assert.ok('value' in plainly.result, `the call fails: ${plainly.result.code}`);
  const untouched = await run({ skip: true });
  const asEver = { outcomes: [plainly], failed: untouched };

  const failures = [];
  /**
   * Tries one kind of argument. Afterwards `allowed` returns the permitted outcomes of a call that succeeds, and the
   * state after one that fails.
   */
  async function check(what, change, allowed = () => asEver) {
    try {
      const actual = await run({ change });
      const { outcomes, failed } = allowed();
      if (!('value' in actual.result)) {
        assert.deepEqual(actual.seen, failed.seen, 'it failed, but has changed what is seen');
      } else if (!outcomes.some((expected) => isDeepStrictEqual(actual, expected))) {
        assert.deepEqual(actual, outcomes[0]);
      }
    } catch (error) {
      failures.push(`${what}: ${`${error?.stack ?? error}`.slice(0, 600)}`);
    }
  }

  const sample = prepare();
  const given = args(sample);
  const places = someOf(placesIn(given), 24);
  const functions = pathsTo((value) => typeof value === 'function', given);
  const numbers = someOf(pathsTo(ArrayBuffer.isView, given), 8);
  disposeAll(sample);

  /** Does something when a place is first read, or a function there is first called. */
  const doingAt = (all, path, action) => {
    let isDone = false;
    const once = () => {
      if (!isDone) action();
      isDone = true;
    };
    return typeof at(all, path) === 'function'
      ? withValue(all, path, (...values) => {
          once();
          return at(all, path)(...values);
        })
      : withGetter(all, path, (value) => {
          once();
          return value;
        });
  };

  const acting = new Map();
  /** Outcomes of a call after an action. A call that works on a copy may have made it before the action. */
  async function outcomesAfter(action) {
    if (!acting.has(action)) {
      const acted = await run({ before: action });
      const failed = await run({ before: action, skip: true });
      const outcomes = isOfCopy ? [acted, { ...plainly, seen: acted.seen }] : [acted];
      acting.set(action, { outcomes, failed });
    }
    return acting.get(action);
  }

  async function checkAction(what, path) {
    const expected = await outcomesAfter(actions[what]);
    let wasTaken = false;
    const change = (all, subject) =>
      doingAt(all, path, () => {
        wasTaken = true;
        act(actions[what], subject);
      });
    await check(`${what} at ${path.join('.')}`, change, () => (wasTaken ? expected : asEver));
  }

  async function checkLoss(path) {
    const [lost, kind] = [inTurn(numbers), inTurn(Object.keys(losses))];
    await check(`${lost.join('.')} ${kind} at ${path.join('.')}`, (all) => {
      const { array, change } = losses[kind](at(all, lost));
      return doingAt(withValue(all, lost, array), path, change);
    });
  }

  const everywhere = [...places, ...functions];
  if (everywhere.length > 0) {
    const kinds = Object.keys(actions);
    for (let i = 0; i < Math.max(kinds.length, everywhere.length); i++) {
      await checkAction(kinds[i % kinds.length], everywhere[(i + turns) % everywhere.length]);
    }
    if (growing.includes(name)) {
      await check('memory grows', (all) => doingAt(all, places.at(-1), growMemory));
    }
  }
  for (const path of everywhere) {
    const where = path.join('.');
    await check(`an error at ${where}`, (all) =>
      doingAt(all, path, () => {
        throw own;
      }),
    );
    if (numbers.length > 0) await checkLoss(path);
  }
  for (const path of places) {
    const another = inTurn(othersThan(at(given, path)));
    await check(`another answer at ${path.join('.')}`, (all) =>
      withGetter(all, path, (value, reads) => (reads === 0 ? value : another)),
    );
  }
  for (const path of numbers) {
    for (let i = 0; i < 6; i++) {
      const what = inTurn(Object.keys(impostors));
      const make = impostors[what];
      const honest = at(given, path);
      const truth = trueNumbers(make(honest), honest.constructor);
      const others = [
        ...(truth && !isDeepStrictEqual(Array.from(truth), Array.from(honest)) ? [truth] : []),
        // Bytes are booleans where a mask is asked for, and a list may be empty.
        ...(truth && what.startsWith('bytes') ? [Uint8Array.from(truth)] : []),
        ...(what.endsWith('tells the length 0') ? [honest.slice(0, 0)] : []),
      ];
      const outcomes = [plainly];
      for (const other of others) {
        outcomes.push(await run({ change: (all) => withValue(all, path, other) }));
      }
      await check(
        `${what} for ${path.join('.')}`,
        (all) => withValue(all, path, make(at(all, path))),
        () => ({ outcomes, failed: untouched }),
      );
    }
  }
  assert.equal(failures.join('\n'), '');
}

for (const [name, entry] of Object.entries(calls)) {
  test(`hostile arguments: ${name}`, async () => {
    await tryCall(name, entry);
    checkBystanders();
  });
}
