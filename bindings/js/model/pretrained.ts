import {
  checkpoint,
  checkpointPlan,
  pretrainedTensors,
  prunedHeads,
  type CheckpointPlan,
  type ConfigField,
  type ModelOptions,
} from 'headwise-records';
import { toDict, type DictTensor } from '../layer/from-state-dict.js';
import type { StateDict } from '../layer/parameters.js';
import { fail, HeadwiseError, show } from '../runtime/errors.js';
import { read, reserve, write, type Address } from '../runtime/memory.js';
import { isObject, largestInteger } from '../runtime/options.js';
import { precisions } from '../runtime/precisions.js';
import { receive, send } from '../runtime/records.js';
import { core } from '../runtime/wasm.js';
import { checkAttached, counted } from '../tensor/arrays.js';
import { sizeOf } from '../tensor/shapes.js';
import { Tensor } from '../tensor/tensor.js';
import { sides } from './sides.js';
import type { PretrainedConfig } from './pretrained-options.js';
import {
  activations,
  encoderOptions,
  norms,
  positionKinds,
  sizeIfGiven,
  type TransformerOptions,
} from './transformer-options.js';

/** The public options that match the core's. */
function optionsOf(given: ModelOptions): TransformerOptions {
  const { imageSize, patchSize, channels, classToken, ...ofAll } = given;
  const { vocabularySize, maxLength, segments, head, ...ofBoth } = ofAll;
  const { encoderLayers, encoderHeads, encoderFfnHiddens, ...ofDecoder } = ofBoth;
  const { rotaryBase, rotarySize, rotaryInterleaved, windowLeft, windowRight, ...plain } =
    ofDecoder;
  const positions = positionKinds[given.positions];
  const bound = (value: number): number => (value === largestInteger ? Infinity : value);
  return {
    ...plain,
    numKvHeads: sizeIfGiven(given.numKvHeads),
    headSize: sizeIfGiven(given.headSize),
    activation: activations[given.activation],
    norm: norms[given.norm],
    positions,
    rotary:
      positions === 'rotary' ? { base: rotaryBase, size: sizeIfGiven(rotarySize) } : undefined,
    window: [bound(windowLeft), bound(windowRight)],
    scale: Number.isNaN(given.scale) ? undefined : given.scale,
    paddingToken: Number.isNaN(given.paddingToken) ? undefined : given.paddingToken,
    weights: precisions[given.weights],
    ...(patchSize > 0
      ? { patches: { imageSize, patchSize, channels, classToken } }
      : { vocabularySize, maxLength, segments, head }),
    ...(encoderLayers > 0 && { encoder: encoderOptions(given) }),
  };
}

/** A checkpoint: a copy of its config, and its tensors. */
interface ReadCheckpoint {
  readonly config: PretrainedConfig;
  readonly fields: readonly ConfigField[];
  readonly tensors: ReadonlyMap<string, DictTensor>;
  readonly sameAs: readonly number[];
}

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
      return value;
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
function firstEquals(tensors: readonly DictTensor[]): number[] {
  const bits = ({ data, shape }: DictTensor): Uint32Array =>
    new Uint32Array(data.buffer, data.byteOffset, Math.min(data.length, sizeOf(shape)));
  const isSame = (a: Uint32Array, b: Uint32Array): boolean =>
    a.length === b.length && a.every((word, i) => word === b[i]);
  const all = tensors.map(bits);
  return all.map((words) => all.findIndex((earlier) => isSame(earlier, words)));
}

const request = ({ fields, tensors, sameAs }: ReadCheckpoint): Address =>
  send(checkpoint, {
    config: fields,
    tensors: [...tensors].map(([name, { dtype = 'F32', shape }]) => ({ name, dtype, shape })),
    sameAs,
  });

const planOf = (given: ReadCheckpoint): CheckpointPlan =>
  receive(checkpointPlan, core().planCheckpoint(request(given)));

/** A checkpoint and the options of its model. */
export interface PlannedCheckpoint extends ReadCheckpoint {
  /** The model's options. */
  readonly options: TransformerOptions;
}

/** Reads a checkpoint and derives the model's options. Checks everything before the model is allocated. */
export function planCheckpoint(config: unknown, tensors: unknown): PlannedCheckpoint {
  const copy = readConfig(config);
  let given: ReadCheckpoint = {
    config: copy,
    fields: flatten(copy),
    tensors: toDict(tensors, 'tensors'),
    sameAs: [],
  };
  let plan = planOf(given);
  if (plan.tied.length > 1) {
    const list = [...given.tensors.values()];
    given = { ...given, sameAs: firstEquals(plan.tied.map((number) => list[number])) };
    plan = planOf(given);
  }
  if (plan.problem !== '') {
    throw new HeadwiseError('invalid-option', plan.problem);
  }
  if (plan.tensorProblem !== '') {
    throw new HeadwiseError('invalid-state-dict', `tensors: ${plan.tensorProblem}`);
  }
  return {
    ...given,
    config: plan.isUntied ? { ...copy, tie_word_embeddings: false } : copy,
    options: optionsOf(plan.options),
  };
}

/** Copies a checkpoint's tensors into a new model with the plan's options. */
export function loadCheckpoint(model: Address, given: PlannedCheckpoint): void {
  const loaded = core();
  const { tensors } = receive(pretrainedTensors, loaded.attachCheckpoint(model, request(given)));
  for (const [number, { name, isCopy }] of tensors.entries()) {
    const tensor = given.tensors.get(name);
    if (tensor !== undefined && !isCopy) {
      // Reading the options may have run the caller's code, which may have detached the buffer.
      checkAttached(name, tensor);
      const count = sizeOf(tensor.shape);
      const [at] = reserve(count);
      write(at, counted(tensor));
      loaded.loadPretrained(model, number, at);
    }
  }
  loaded.modelParametersChanged(model);
}

/** In the order of pretrained_calls.cpp. `'whole'` has zeros for removed heads. */
const savedKinds = ['values', 'gradients', 'whole'] as const;

/** Copies the parameters, or their gradients, by the checkpoint's names and in its layout. */
export function savePretrained(model: Address, kind: (typeof savedKinds)[number]): StateDict {
  const loaded = core();
  const list = loaded.pretrainedTensors(model, Number(kind === 'whole'));
  const { tensors } = receive(pretrainedTensors, list);
  const result: StateDict = {};
  for (const [number, { name, shape, isCopy }] of tensors.entries()) {
    // A copy of the embedding has no gradient of its own.
    if (!isCopy || kind !== 'gradients') {
      const tensor = Tensor.zeros(shape);
      const [at] = reserve(tensor.data.length);
      loaded.savePretrained(model, number, savedKinds.indexOf(kind), at);
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
    const { layers } = receive(prunedHeads, core().prunedHeads(model, number));
    const removed = layers.flatMap(({ heads }, layer) =>
      heads.length > 0 ? [[layer, heads] as const] : [],
    );
    if (removed.length > 0) {
      result[prunedHeadsFields[side]] = Object.fromEntries(removed);
    }
  }
  return result;
}
