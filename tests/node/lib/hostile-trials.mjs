// A program: makes one call of hostile-calls.mjs with every hostile argument in every place. A call must succeed as if
// what a getter did had been done before it, or be a HeadwiseError that changes nothing more; an error that a getter
// throws comes out as it is. Prints whatever does worse.
import assert from 'node:assert/strict';
import { HeadwiseError, Tensor } from 'headwise';
import { checkBystanders } from './bystanders.mjs';
import {
  at,
  impostors,
  losses,
  othersThan,
  pathsTo,
  placesIn,
  withGetter,
  withValue,
} from './hostile-arguments.mjs';
import { calls } from './hostile-calls.mjs';
import { memory } from './memory.mjs';

const [, , name] = process.argv;
const { prepare, args, call, observe, actions, isOfCopy = false, isThorough = false } = calls[name];

/** Results without the classes of the caller's arrays. */
function plain(value) {
  if (ArrayBuffer.isView(value)) return Array.from(new Float64Array(value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

const own = new Error("the caller's own");

async function outcomeOf(use) {
  try {
    return { value: plain((await use()) ?? 'done') };
  } catch (error) {
    if (error === own) return { own: true };
    if (!(error instanceof HeadwiseError)) throw error;
    return { code: error.code };
  }
}

function act(action, subject) {
  try {
    action(subject);
  } catch (error) {
    if (!(error instanceof HeadwiseError)) throw error;
  }
}

/** What comes of the call, and what is seen then. */
async function run({ before, change = (given) => given, skip = false }) {
  const subject = prepare();
  try {
    if (before) act(before, subject);
    const result = skip
      ? undefined
      : await outcomeOf(() => call(subject, change(args(subject), subject)));
    return { result, seen: plain(observe(subject)) };
  } finally {
    Object.values(subject)
      .flat()
      .forEach((each) => each?.dispose?.());
  }
}

const plainly = await run({});
assert.ok('value' in plainly.result, `${name} fails: ${plainly.result.code}`);
const untouched = await run({ skip: true });

const sameAs = (outcome) => {
  try {
    assert.deepEqual(outcome.actual, outcome.expected);
    return true;
  } catch {
    return false;
  }
};

/** What a typed array holds, whatever it says of itself; undefined of others and of one without memory. */
function trueNumbers(array, Kind) {
  try {
    return ArrayBuffer.isView(array) ? new Kind(array) : undefined;
  } catch {
    return undefined;
  }
}

const failures = [];
/**
 * Tries one kind of argument. `allowed` is asked afterwards for what may come: outcomes of which a call that succeeds
 * has one, and what is seen if it fails.
 */
async function check(what, change, allowed = () => ({ outcomes: [plainly], failed: untouched })) {
  const fail = (error) => failures.push(`${what}: ${`${error?.stack ?? error}`.slice(0, 600)}`);
  try {
    const actual = await run({ change });
    const { outcomes, failed } = allowed();
    if (!('value' in actual.result)) {
      assert.deepEqual(actual.seen, failed.seen, 'it failed, but has changed what is seen');
    } else if (!outcomes.some((expected) => sameAs({ actual, expected }))) {
      assert.deepEqual(actual.result, outcomes[0].result, 'another result');
      assert.deepEqual(actual.seen, outcomes[0].seen, 'what is seen is another');
    }
  } catch (error) {
    fail(error);
  }
  try {
    checkBystanders();
  } catch (error) {
    fail(error);
    finish();
  }
}

function finish() {
  if (failures.length > 0) {
    process.stderr.write(`${name}: ${failures.length} faults\n${failures.join('\n')}\n`);
  }
  process.exit(failures.length > 0 ? 1 : 0);
}

/** Needs more memory than there is, so that views of it are outdated. */
const growMemory = () => Tensor.randn([memory.buffer.byteLength / 4], 1);

/** Whose arguments tell which places there are. */
const sample = prepare();
const places = placesIn(args(sample));
// Of a long dictionary some stand for all.
const allNumbers = pathsTo(ArrayBuffer.isView, args(sample));
const numberPlaces =
  allNumbers.length > 8 ? [...allNumbers.slice(0, 2), ...allNumbers.slice(-2)] : allNumbers;
const functionPlaces = pathsTo((value) => typeof value === 'function', args(sample));
const told = (path) => path.join('.');

/** Has something done when a place is read for the first time. */
const doingAt = (given, path, action) =>
  withGetter(given, path, (value, reads) => {
    if (reads === 0) action();
    return value;
  });

/** Has something done whenever a function that was given is called. */
const calling = (given, path, action) =>
  withValue(given, path, (...values) => {
    action();
    return at(given, path)(...values);
  });

/** Outcomes where an action was taken, or was not since nothing asked for it. */
async function outcomesOf(action) {
  if (action === growMemory) return () => ({ outcomes: [plainly], failed: untouched });
  const acted = await run({ before: action });
  const failed = await run({ before: action, skip: true });
  // What works on a copy may have made it before.
  const outcomes = isOfCopy ? [acted, { ...plainly, seen: acted.seen }] : [acted];
  return (wasTaken) =>
    wasTaken ? { outcomes, failed } : { outcomes: [plainly], failed: untouched };
}

for (const [what, action] of Object.entries({ ...actions, 'memory grows': growMemory })) {
  const outcomes = await outcomesOf(action);
  // Each time memory grows it is twice as large.
  const some = (paths) => (action === growMemory ? paths.slice(-1) : paths);
  for (const path of some(places)) {
    let wasTaken = false;
    const take = (subject) => {
      wasTaken = true;
      act(action, subject);
    };
    const change = (given, subject) => doingAt(given, path, () => take(subject));
    await check(`${what} at ${told(path)}`, change, () => outcomes(wasTaken));
  }
  for (const path of some(functionPlaces)) {
    let wasTaken = false;
    const change = (given, subject) =>
      calling(given, path, () => {
        if (!wasTaken) {
          wasTaken = true;
          act(action, subject);
        }
      });
    await check(`${what} in ${told(path)}`, change, () => outcomes(wasTaken));
  }
}

for (const path of functionPlaces) {
  await check(`an error in ${told(path)}`, (given) =>
    calling(given, path, () => {
      throw own;
    }),
  );
  for (const numbers of numberPlaces) {
    for (const kind of Object.keys(losses)) {
      await check(`${told(numbers)} ${kind} in ${told(path)}`, (given) => {
        const { array, change } = losses[kind](at(given, numbers));
        return calling(withValue(given, numbers, array), path, change);
      });
    }
  }
}

for (const path of places) {
  await check(`an error at ${told(path)}`, (given) =>
    withGetter(given, path, () => {
      throw own;
    }),
  );
  for (const [i, other] of othersThan(at(args(sample), path)).entries()) {
    await check(`another answer (${i}) at ${told(path)}`, (given) =>
      withGetter(given, path, (value, reads) => (reads === 0 ? value : other)),
    );
  }
  for (const [i, numbers] of numberPlaces.entries()) {
    const kinds = Object.keys(losses);
    // Of most calls each pair of places has one kind: with all it takes minutes.
    const kindsHere = isThorough ? kinds : [kinds[(i + places.indexOf(path)) % kinds.length]];
    for (const kind of kindsHere) {
      await check(`${told(numbers)} ${kind} at ${told(path)}`, (given) => {
        const { array, change } = losses[kind](at(given, numbers));
        return doingAt(withValue(given, numbers, array), path, change);
      });
    }
  }
}

for (const path of numberPlaces) {
  for (const [what, make] of Object.entries(impostors)) {
    const numbers = at(args(sample), path);
    const truth = trueNumbers(make(numbers), numbers.constructor);
    const honest = [];
    for (const other of [
      ...(truth ? [truth] : []),
      // Bytes are booleans where a mask is asked for, and a list may be empty.
      ...(truth && what.startsWith('bytes') ? [Uint8Array.from(truth)] : []),
      ...(what.endsWith('tells the length 0') ? [numbers.slice(0, 0)] : []),
    ]) {
      honest.push(await run({ change: (given) => withValue(given, path, other) }));
    }
    await check(
      `${what} for ${told(path)}`,
      (given) => withValue(given, path, make(at(given, path))),
      () => ({ outcomes: [plainly, ...honest], failed: untouched }),
    );
  }
}
finish();
