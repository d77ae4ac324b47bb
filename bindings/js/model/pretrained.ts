import {
  checkpoint,
  checkpointPlan,
  newPretrained,
  pretrainedTensors,
  prunedHeads,
  type Checkpoint,
  type CheckpointPlan,
  type ConfigField,
  type PretrainedTensor,
} from 'headwise-records';
import type { StoredCheckpoint } from '../io/stored-checkpoints.js';
import { toDict } from '../layer/from-state-dict.js';
import { byRows, largestPart, type StateDict } from '../layer/parameters.js';
import { headsByLayer } from '../layer/pruning.js';
import { fail, HeadwiseError, show } from '../runtime/errors.js';
import type { Held } from '../runtime/handle.js';
import { read, reserve, write, type Address } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { isObject, readOptions } from '../runtime/options.js';
import { precisions } from '../runtime/precisions.js';
import { receive, send } from '../runtime/records.js';
import { partOf } from '../runtime/typed-arrays.js';
import { core } from '../runtime/wasm.js';
import { checkAttached, type Numbers } from '../tensor/arrays.js';
import { isIntegerDtype } from '../tensor/integers.js';
import { sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import { sides } from './sides.js';
import type { PretrainedConfig, PretrainedOwnOptions } from './pretrained-options.js';
import { MadeModel, ownReaders } from './transformer-options.js';

/** A tensor of a checkpoint. `dtype` is set if it holds no floats. */
interface CheckpointTensor {
  readonly dtype?: string;
  readonly shape: readonly number[];
  /** Its numbers; a Promise if the file is not in memory. */
  readonly read: () => unknown;
}

type CheckpointTensors = ReadonlyMap<string, CheckpointTensor>;

/** A checkpoint: a copy of its config, and its tensors. */
interface ReadCheckpoint {
  readonly config: PretrainedConfig;
  readonly fields: readonly ConfigField[];
  readonly tensors: CheckpointTensors;
  readonly sameAs: readonly number[];
}

/** A computation that yields tensors and continues with their numbers, so that it may wait for them. */
export type Reading<Result> = Generator<CheckpointTensor, Result, Numbers<Float32Array>>;

/** Runs a computation whose tensors are in memory. If reading one fails, it may free what it has allocated. */
export function readNow<Result>(reading: Reading<Result>): Result {
  let step = reading.next();
  while (step.done !== true) {
    let numbers: unknown;
    try {
      numbers = step.value.read();
    } catch (error) {
      step = reading.throw(error);
      continue;
    }
    step = reading.next(numbers as Numbers<Float32Array>);
  }
  return step.value;
}

/** Runs a computation whose tensors are Promises. */
export async function readLater<Result>(reading: Reading<Result>): Promise<Result> {
  let step = reading.next();
  while (step.done !== true) {
    let numbers: unknown;
    try {
      numbers = await step.value.read();
    } catch (error) {
      step = reading.throw(error);
      continue;
    }
    step = reading.next(numbers as Numbers<Float32Array>);
  }
  return step.value;
}

/** Tensors in memory. */
export const tensorsByName = (tensors: unknown): CheckpointTensors =>
  new Map(
    [...toDict(tensors, 'tensors')].map(([name, tensor]) => {
      const { shape, dtype } = tensor;
      return [name, { shape, ...(dtype !== undefined && { dtype }), read: () => tensor }];
    }),
  );

/** Models have no integers: those of a checkpoint are never read. */
const noNumbers: Numbers<Float32Array> = { data: new Float32Array(), shape: [] };

/** Tensors of a file. */
export const storedTensors = ({ tensors }: StoredCheckpoint): CheckpointTensors =>
  new Map(
    [...tensors].map(([name, { dtype, shape, read }]) => [
      name,
      isIntegerDtype(dtype) ? { dtype, shape, read: () => noNumbers } : { shape, read },
    ]),
  );

/** The order of `PretrainedConfig::Kind`. */
const kinds = { null: 0, boolean: 1, number: 2, text: 3, list: 4, object: 5 } as const;

// Larger than any family needs: the parts of a name, their length (as in `PretrainedConfig`), and the members of a list
// or an object. Some models have 21,000 labels; these are not read.
const maxNameParts = 4;
const maxNamePart = 64;
const maxMembers = 1024;

/** An object that is too large becomes an empty list, which is an error wherever an object is expected. */
function flattenContainer(field: ConfigField, value: object, depth: number): ConfigField[] {
  const isLarge = Object.keys(value).length > maxMembers;
  return [
    { ...field, kind: isLarge || Array.isArray(value) ? kinds.list : kinds.object },
    ...(isLarge || depth === maxNameParts ? [] : flatten(value, `${field.name}.`, depth + 1)),
  ];
}

/** Flattens objects and lists. Members get names like `rope_scaling.type` and `layer_types.0`. */
function flatten(members: object, prefix = '', depth = 1): ConfigField[] {
  return Object.entries(members as Record<string, unknown>).flatMap(([member, value]) => {
    if (member.length > maxNamePart) {
      return [];
    }
    const name = prefix + member;
    const field = { name, kind: kinds.null as number, number: 0, text: '' };
    switch (typeof value) {
      case 'boolean':
        return [{ ...field, kind: kinds.boolean, number: Number(value) }];
      case 'number':
        return [{ ...field, kind: kinds.number, number: value }];
      case 'string':
        return [{ ...field, kind: kinds.text, text: value }];
      default:
        return value === null ? [field] : flattenContainer(field, value as object, depth);
    }
  });
}

/** Maximum number of values in a config. The largest lists of labels have fewer. */
const maxValues = 2 ** 20;

function readConfig(config: unknown): PretrainedConfig {
  if (!isObject(config) || Array.isArray(config)) {
    fail('invalid-type', 'config', "the object of a checkpoint's config.json", show(config));
  }
  try {
    // An object may contain another many times, so its JSON can be far larger than the object.
    let values = 0;
    const text = JSON.stringify(config, (_, value: unknown) => {
      if (values++ > maxValues) {
        throw new RangeError();
      }
      // JSON would hold null, which stands for a default.
      return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
    });
    // The copy contains plain JSON values only, and no one else can change it.
    return JSON.parse(text) as PretrainedConfig;
  } catch {
    return fail(
      'invalid-type',
      'config',
      'what JSON can hold, of at most 2^20 values',
      show(config),
    );
  }
}

/** For each tensor, the index of the first one with the same bits. */
function firstEquals(tensors: readonly Numbers<Float32Array>[]): number[] {
  const bits = ({ data, shape }: Numbers<Float32Array>): Uint32Array =>
    new Uint32Array(data.buffer, data.byteOffset, Math.min(data.length, sizeOf(shape)));
  const isSame = (a: Uint32Array, b: Uint32Array): boolean =>
    a.length === b.length && a.every((word, i) => word === b[i]);
  const all = tensors.map(bits);
  return all.map((words) => all.findIndex((earlier) => isSame(earlier, words)));
}

const messageOf = ({ fields, tensors, sameAs }: ReadCheckpoint): Checkpoint => ({
  config: fields,
  tensors: [...tensors].map(([name, { dtype = 'F32', shape }]) => ({ name, dtype, shape })),
  sameAs,
});

// The core that was entered may be another than before the last tensor.
const planOf = (given: ReadCheckpoint): CheckpointPlan =>
  receive(checkpointPlan, modelsCore().planCheckpoint(send(checkpoint, messageOf(given))));

/** A checkpoint, and its model, whose parameters are still to be loaded. */
export interface OpenedCheckpoint extends ReadCheckpoint {
  readonly made: MadeModel;
}

/** Reads a checkpoint and makes its model. Checks everything before the model is allocated. */
export function* openCheckpoint(
  config: unknown,
  tensorsOf: () => CheckpointTensors,
  options: PretrainedOwnOptions,
): Reading<OpenedCheckpoint> {
  const own = readOptions(options, ownReaders);
  const copy = readConfig(config);
  const tensors = tensorsOf();
  let given: ReadCheckpoint = { config: copy, fields: flatten(copy), tensors, sameAs: [] };
  let plan = planOf(given);
  if (plan.tied.length > 1) {
    const list = [...tensors.values()];
    const tied: Numbers<Float32Array>[] = [];
    for (const number of plan.tied) {
      tied.push(yield list[number]);
    }
    given = { ...given, sameAs: firstEquals(tied) };
    plan = planOf(given);
  }
  if (plan.problem !== '') {
    throw new HeadwiseError('invalid-option', plan.problem);
  }
  if (plan.tensorProblem !== '') {
    throw new HeadwiseError('invalid-state-dict', `tensors: ${plan.tensorProblem}`);
  }
  const request = send(newPretrained, {
    checkpoint: messageOf(given),
    own: { ...own, weights: precisions.indexOf(own.weights) },
  });
  return {
    ...given,
    config: plan.isUntied ? { ...copy, tie_word_embeddings: false } : copy,
    made: new MadeModel(modelsCore().newPretrained(request), own.optimizer),
  };
}

/** The order of `PretrainedParameters::Kind`. `'whole'` has zeros for removed heads. */
const tensorKinds = ['values', 'gradients', 'whole'] as const;

/** The tensors by which a model is loaded or saved, in the order in which both count them. */
const tensorsOfKind = (
  model: Address,
  kind: (typeof tensorKinds)[number],
): readonly PretrainedTensor[] =>
  receive(pretrainedTensors, core().pretrainedTensors(model, tensorKinds.indexOf(kind))).tensors;

/** Copies a checkpoint's tensors, one at a time, into its model. */
export function* loadCheckpoint(handle: Held, given: OpenedCheckpoint): Reading<void> {
  const model = handle.inUse();
  const tensors = tensorsOfKind(model, 'values');
  for (const [number, { name, isCopy, byRows: isByRows }] of tensors.entries()) {
    const tensor = given.tensors.get(name);
    if (tensor !== undefined && !isCopy) {
      const numbers = yield tensor;
      // Other calls may have entered another core, and may have detached the buffer.
      handle.inUse();
      checkAttached(name, numbers);
      const { data, shape } = numbers;
      // What is more than one parameter, or transposed, is read as one row.
      const cut = isByRows ? shape : [1, sizeOf(shape)];
      const [at] = reserve(largestPart(cut));
      byRows(cut, (firstRow, rows, first, count) => {
        write(at, { data: partOf(data, first, count), count });
        core().loadPretrained(model, number, firstRow, rows, at);
      });
    }
  }
  core().modelParametersChanged(model);
}

/** Copies the parameters, or their gradients, by the checkpoint's names and in its layout. */
export function savePretrained(model: Address, kind: (typeof tensorKinds)[number]): StateDict {
  const result: StateDict = {};
  for (const [number, { name, shape, isCopy }] of tensorsOfKind(model, kind).entries()) {
    // A copy of the embedding has no gradient of its own.
    if (!isCopy || kind !== 'gradients') {
      const tensor = Tensor.zeros(shape);
      const [at] = reserve(tensor.data.length);
      core().savePretrained(model, number, at);
      read(at, tensor.data);
      result[name] = tensor;
    }
  }
  return result;
}

/** Config fields that list removed heads, by side. Transformers defines the first. */
const prunedHeadsFields = {
  self: 'pruned_heads',
  cross: 'cross_pruned_heads',
  encoder: 'encoder_pruned_heads',
} as const;

/** The config without lists of removed heads. */
export function wholeConfigOf(config: PretrainedConfig): Record<string, unknown> {
  const result = structuredClone(config) as Record<string, unknown>;
  for (const side of sides) {
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- one of three names
    delete result[prunedHeadsFields[side]];
  }
  return result;
}

/** The config with the removed heads. */
export function configOf(model: Address, config: PretrainedConfig): Record<string, unknown> {
  const result = structuredClone(config) as Record<string, unknown>;
  for (const [number, side] of sides.entries()) {
    const removed = headsByLayer(receive(prunedHeads, core().prunedHeads(model, number)));
    if (Object.keys(removed).length > 0) {
      result[prunedHeadsFields[side]] = removed;
    }
  }
  return result;
}
