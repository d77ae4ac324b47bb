// Replays calls that `headwise-test-vectors` wrote, and compares the package's results with those of the C++ library.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import * as here from 'headwise';
import { Random } from './random.mjs';
import { parseSafetensors } from './safetensors.mjs';

const { ResidentTensor, Tensor } = here;

const folder =
  process.env.HEADWISE_VECTORS ?? fileURLToPath(new URL('../../../build/vectors', import.meta.url));

function read(file) {
  const path = join(folder, file);
  if (!existsSync(path)) {
    throw new Error(
      `there is no ${path}: \`npm run build:vectors\` writes it to build/vectors, which HEADWISE_VECTORS names`,
    );
  }
  return readFileSync(path);
}

/** Cases as their JSON has them, each with its `tensors` by name, `{ data, shape }`. */
function readCases(name) {
  const cases = JSON.parse(read(`${name}.json`)).map((each) => ({ ...each, tensors: {} }));
  for (const [key, tensor] of Object.entries(parseSafetensors(read(`${name}.safetensors`)))) {
    const [number, tensorName] = key.split('.');
    cases[number].tensors[tensorName] = tensor;
  }
  return cases;
}

/** The loss Σ x² of an output, for `measureHeadImportance`. */
export const square = {
  value: ({ data }) => data.reduce((sum, x) => sum + x * x, 0),
  gradient: ({ data, shape }) => ({ data: data.map((x) => 2 * x), shape }),
};

/** Nested arrays of a `{ data, shape }`. */
function nested({ data, shape }) {
  const build = (axis, first, size) =>
    axis === shape.length
      ? data[first]
      : Array.from({ length: shape[axis] }, (_, i) =>
          build(axis + 1, first + (i * size) / shape[axis], size / shape[axis]),
        );
  return build(0, 0, data.length);
}

const integerKinds = [
  ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
];
/** Every way to pass a tensor of floats, integers or booleans. */
const forms = {
  part({ data, shape }) {
    const larger = new data.constructor(data.length + 5);
    larger.set(data, 3);
    return { data: larger.subarray(3, 3 + data.length), shape: Int32Array.from(shape) };
  },
  list: ({ data, shape }) => ({ data: Array.from(data), shape }),
  tensor: ({ data, shape }) => new Tensor(data.slice(), shape),
  resident({ data, shape }) {
    const tensor = new ResidentTensor(shape);
    tensor.data.set(data);
    return tensor;
  },
  // Nested arrays have no rank 0, and no axes behind an empty one.
  nested: (tensor) =>
    tensor.shape.length === 0 || tensor.shape.includes(0) ? forms.typed(tensor) : nested(tensor),
  /** Nested arrays of typed arrays. */
  rows({ data, shape }) {
    if (shape.length < 2 || shape.includes(0)) return forms.typed({ data, shape });
    const size = shape.at(-1);
    const rows = Array.from({ length: data.length / size }, (_, i) =>
      data.slice(i * size, (i + 1) * size),
    );
    return nested({ data: rows, shape: shape.slice(0, -1) });
  },
  /** Integers of one axis may be a typed array without a shape. */
  flat: (tensor) => (tensor.shape.length === 1 ? tensor.data.slice() : forms.rows(tensor)),
  flatBigints: ({ data, shape }) => forms.flat({ data: BigInt64Array.from(data, BigInt), shape }),
  typed: ({ data, shape }) => ({ data: data.slice(), shape }),
  doubles: ({ data, shape }) => ({ data: Float64Array.from(data), dims: shape }),
  bigints: ({ data, shape }) => ({ data: BigInt64Array.from(data, BigInt), dims: shape }),
  unsignedBigints: ({ data, shape }) => ({ data: BigUint64Array.from(data, BigInt), dims: shape }),
  booleans: ({ data, shape }) => ({ data: Array.from(data, Boolean), dims: shape }),
  ...Object.fromEntries(
    integerKinds.map((Kind) => [
      Kind.name,
      ({ data, shape }) => ({ data: Kind.from(data), dims: shape }),
    ]),
  ),
  nestedBooleans: ({ data, shape }) => forms.nested({ data: Array.from(data, Boolean), shape }),
};
const formsOf = {
  Float32Array: [
    ...['tensor', 'tensor', 'resident', 'nested', 'rows', 'typed', 'doubles', 'part', 'list'],
  ],
  Int32Array: ['nested', 'typed', 'doubles', 'bigints', 'part', 'list', 'flat', 'flatBigints'],
  Uint8Array: [
    ...['typed', 'booleans', 'nestedBooleans', 'rows', 'part', 'bigints', 'unsignedBigints'],
    ...integerKinds.map(({ name }) => name),
  ],
};

/** Tensors, numbers and lists of numbers in a result, by their path. */
function leavesOf(value, path = '', leaves = {}) {
  const isNumbers = Array.isArray(value) && value.every((each) => typeof each === 'number');
  if (typeof value === 'number') leaves[path] = { data: [value], shape: [] };
  else if (isNumbers && value.length > 0) leaves[path] = { data: value, shape: [value.length] };
  else if (value?.data && value.shape) leaves[path] = value;
  else
    for (const [name, each] of Object.entries(value ?? {}))
      leavesOf(each, path ? `${path}.${name}` : name, leaves);
  return leaves;
}

function compare(name, got, expected, within, orNotFinite) {
  assert.deepEqual([...got.shape], expected.shape, name);
  assert.equal(got.data.length, expected.data.length, name);
  expected.data.forEach((y, i) => {
    const x = got.data[i];
    const isSame =
      x === y ||
      Math.abs(x - y) <= within ||
      Object.is(x, y) ||
      (orNotFinite && !Number.isFinite(x) && !Number.isFinite(y));
    if (!isSame) throw new Error(`${name}[${i}]: got ${x}, expected ${y} within ${within}`);
  });
}

class Replay {
  #entry;
  #tensors;
  #random;
  #objects;
  /** Objects to dispose of at the end, and tensors that the current call must not change. */
  #held = [];
  #passed = [];

  constructor({ name, tensors }, entry) {
    this.#entry = entry;
    this.#objects = { square, Tensor: entry.Tensor };
    this.#tensors = tensors;
    this.#random = new Random(name.length);
  }

  /** Whether calls may use memory of the caller, and functions: not in a worker. */
  get #isHere() {
    return this.#entry === here;
  }

  /** An argument with its placeholders replaced. */
  #argument(value, key) {
    // JSON has no infinity.
    const toWindow = (window) => window.map((side) => side ?? Infinity);
    if (key === 'window') return toWindow(value);
    if (key === 'windows') return value.map(toWindow);
    if (Array.isArray(value)) return value.map((each) => this.#argument(each));
    if (typeof value !== 'object' || value === null) return value;
    if ('tensor' in value) return this.#pass(this.#tensors[value.tensor]);
    if ('object' in value) return this.#objects[value.object];
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.#argument(each, name)]),
    );
  }

  #pass(tensor) {
    const all = formsOf[tensor.data.constructor.name];
    const form = this.#random.pick(...all.filter((each) => this.#isHere || each !== 'resident'));
    const passed = forms[form](tensor);
    if (passed instanceof ResidentTensor) this.#held.push(passed);
    if (passed.data) this.#passed.push([passed, passed.data.slice()]);
    return passed;
  }

  /** Adds memory for some of the results to the call's options; undefined if the call takes none. */
  #memoryFor({ on, call, gives = {} }, args) {
    const isSoftmax = call === 'maskedSoftmax';
    const names = { backward: Object.keys(gives), maskedSoftmax: [''] };
    const isTaken =
      this.#isHere &&
      on !== 'model' &&
      /^(forward|backward|maskedSoftmax|\w+Attention)$/.test(call);
    if (!isTaken || !this.#random.chance(0.25)) return undefined;
    const out = {};
    for (const name of names[call] ?? ['output', 'attentionWeights']) {
      if (!gives[name] || this.#random.chance(0.2)) continue;
      const { data, shape } = this.#tensors[gives[name].tensor.tensor];
      const form = this.#random.pick('tensor', 'resident', 'typed', 'part');
      const numbers = { data: new Float32Array(data.length).fill(7), shape };
      // A tensor may have another shape.
      if (this.#random.chance(0.3)) numbers.shape = [data.length];
      const full = forms[form](numbers);
      if (form === 'resident') this.#held.push(full);
      out[name] = full instanceof Tensor ? full : full.data;
    }
    if (call === 'backward') args.push({ out });
    else args.push({ ...args.pop(), out: isSoftmax ? out[''] : out });
    return out;
  }

  async #call(each) {
    const { on, as, call, get, gives, fails, orNotFinite } = each;
    if (!this.#isHere && /"object":"square"/.test(JSON.stringify(each.arguments))) return;
    this.#passed = [];
    const args = (each.arguments ?? []).map((argument) => this.#argument(argument));
    const target = on ? this.#objects[on] : this.#entry;
    const make = () =>
      each.new ? new this.#entry[each.new](...args) : get ? target[get] : target[call](...args);
    if (fails) {
      await assert.rejects(
        async () => make(),
        (error) => {
          assert.ok(error instanceof this.#entry.HeadwiseError, error);
          assert.equal(error.code, fails.code, error.message);
          assert.equal(expectation(error.message), expectation(fails.message));
          return true;
        },
      );
      return;
    }
    const out = this.#memoryFor(each, args);
    const result = await make();
    if (as) {
      if (this.#isHere) this.#objects[as]?.dispose?.();
      this.#objects[as] = result;
    }
    if (gives) {
      const leaves = leavesOf(result);
      assert.deepEqual(Object.keys(leaves).sort(), Object.keys(gives).sort());
      for (const [name, { tensor, within }] of Object.entries(gives)) {
        compare(name, leaves[name], this.#tensors[tensor.tensor], within, orNotFinite);
      }
    }
    for (const [name, memory] of Object.entries(out ?? {})) {
      assert.equal(leavesOf(result)[name].data, memory.data ?? memory, `out.${name}`);
    }
    for (const [{ data }, before] of this.#passed) {
      assert.ok(isDeepStrictEqual(data, before), 'an argument was changed');
    }
  }

  async run(calls) {
    try {
      for (const [number, each] of calls.entries()) {
        await this.#call(each).catch((error) => {
          const what = each.new ?? `${each.on ?? ''}.${each.call ?? each.get}`;
          throw new Error(`call ${number}, ${what}: ${error.message}`, { cause: error });
        });
      }
    } finally {
      const all = [...this.#held, ...Object.values(this.#objects)];
      // A worker releases its objects itself, and answers to any method, also of those that have no `dispose`.
      if (this.#isHere) all.forEach((held) => held?.dispose?.());
    }
  }
}

/** What a message expects, without the spelling in which C++ and JavaScript differ. */
const expectation = (message) => message.replaceAll('_', '').toLowerCase().split(', got ')[0];

const sizeOf = ({ tensors }) =>
  Object.values(tensors).reduce((sum, { data }) => sum + data.length, 0);

/**
 * Replays the first cases of a file, all by default, by an entry of the package, and reports the smallest that fails.
 */
export async function replay(context, name, { entry = here, most = Infinity } = {}) {
  const cases = readCases(name).slice(0, most);
  const wrong = [];
  for (const each of cases) {
    await new Replay(each, entry).run(each.calls).catch((error) => wrong.push({ each, error }));
  }
  context.diagnostic(`${cases.length} lists of calls, the first ${cases[0].name.split(':')[0]}`);
  if (wrong.length > 0) {
    const [{ each, error }] = wrong.toSorted((a, b) => sizeOf(a.each) - sizeOf(b.each));
    throw new Error(
      `${wrong.length} of ${cases.length} are wrong. The smallest is\n${each.name}\n  ${error.message}`,
      { cause: error },
    );
  }
}
