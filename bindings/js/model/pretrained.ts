import {
  checkpoint,
  pretrainedOptions,
  pretrainedTensors,
  prunedHeads,
  type ConfigField,
  type ModelOptions,
  type PretrainedTensors,
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
import { sides } from './model-inputs.js';
import type { PretrainedConfig } from './pretrained-options.js';
import {
  activations,
  encoderOptions,
  norms,
  positionKinds,
  sizeIfGiven,
  type TransformerOptions,
} from './transformer-options.js';

/** The public options that a checkpoint's config means. */
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
    weights: precisions[given.weights],
    ...(patchSize > 0
      ? { patches: { imageSize, patchSize, channels, classToken } }
      : { vocabularySize, maxLength, segments, head }),
    ...(encoderLayers > 0 && { encoder: encoderOptions(given) }),
  };
}

/** A checkpoint as it was read: its config, a copy, and its tensors. */
export interface ReadCheckpoint {
  readonly config: PretrainedConfig;
  readonly fields: readonly ConfigField[];
  readonly tensors: ReadonlyMap<string, DictTensor>;
}

/** In the order of `PretrainedConfig::Kind`. */
const kinds = { null: 0, boolean: 1, number: 2, text: 3 } as const;

/** Members of objects and lists have names like `rope_scaling.type` and `layer_types.0`. */
function flatten(name: string, value: unknown): ConfigField[] {
  const field = { name, kind: kinds.null as number, number: 0, text: '' };
  switch (typeof value) {
    case 'boolean':
      return [{ ...field, kind: kinds.boolean, number: Number(value) }];
    case 'number':
      return [{ ...field, kind: kinds.number, number: value }];
    case 'string':
      return [{ ...field, kind: kinds.text, text: value }];
    default:
      return value === null
        ? [field]
        : Object.entries(value as object).flatMap(([member, of]) =>
            flatten(`${name}.${member}`, of),
          );
  }
}

function readConfig(config: unknown): PretrainedConfig {
  if (!isObject(config) || Array.isArray(config)) {
    fail('invalid-type', 'config', "the object of a checkpoint's config.json", show(config));
  }
  try {
    // What is left is what a JSON file can hold, and nobody else's.
    return JSON.parse(JSON.stringify(config)) as PretrainedConfig;
  } catch {
    return fail('invalid-type', 'config', 'what JSON can hold', show(config));
  }
}

export function readCheckpoint(config: unknown, tensors: unknown): ReadCheckpoint {
  const copy = readConfig(config);
  return {
    config: copy,
    fields: Object.entries(copy).flatMap(([name, value]) => flatten(name, value)),
    tensors: toDict(tensors, 'tensors'),
  };
}

const request = ({ fields, tensors }: ReadCheckpoint): Address =>
  send(checkpoint, {
    config: fields,
    tensors: [...tensors].map(([name, { dtype = 'F32', shape }]) => ({ name, dtype, shape })),
  });

/** The options that a checkpoint's config means. */
export function pretrainedOptionsOf(given: ReadCheckpoint): TransformerOptions {
  const loaded = core();
  const { problem, options } = receive(pretrainedOptions, loaded.readCheckpoint(request(given)));
  if (problem !== '') {
    throw new HeadwiseError('invalid-option', problem);
  }
  return optionsOf(options);
}

function failTensors(problem: string): never {
  throw new HeadwiseError('invalid-state-dict', `tensors: ${problem}`);
}

function checkFloats(tensors: PretrainedTensors['tensors'], given: ReadCheckpoint): void {
  const wrong = tensors.flatMap(({ name }) => {
    const dtype = given.tensors.get(name)?.dtype;
    return dtype === undefined ? [] : [`'${name}' expected floats, got ${dtype}`];
  });
  if (wrong.length > 0) {
    failTensors(wrong.join(', '));
  }
}

/** Fills a new model, of the options of the checkpoint's config, with its tensors. */
export function loadCheckpoint(model: Address, given: ReadCheckpoint): void {
  const loaded = core();
  for (const side of sides.keys()) {
    loaded.pruneAsCheckpoint(model, request(given), side);
  }
  const { problem, tensors } = receive(
    pretrainedTensors,
    loaded.attachCheckpoint(model, request(given)),
  );
  if (problem !== '') {
    failTensors(problem);
  }
  checkFloats(tensors, given);
  for (const [number, { name, isCopy }] of tensors.entries()) {
    const tensor = given.tensors.get(name);
    if (tensor !== undefined && !isCopy) {
      // Options that were read later may have run the caller's code.
      checkAttached(name, tensor);
      const count = sizeOf(tensor.shape);
      const [at] = reserve(count);
      write(at, counted(tensor));
      loaded.loadPretrained(model, number, at);
    }
  }
  loaded.modelParametersChanged(model);
}

/** The parameters, or their gradients, by the checkpoint's names and in its layout. */
export function savePretrained(model: Address, gradients: boolean): StateDict {
  const loaded = core();
  const { tensors } = receive(pretrainedTensors, loaded.pretrainedTensors(model));
  const result: StateDict = {};
  for (const [number, { name, shape, isCopy }] of tensors.entries()) {
    // What repeats the embedding has no gradient of its own.
    if (!isCopy || !gradients) {
      const tensor = Tensor.zeros(shape);
      const [at] = reserve(tensor.data.length);
      loaded.savePretrained(model, number, Number(gradients), at);
      read(at, tensor.data);
      result[name] = tensor;
    }
  }
  return result;
}

/** Fields of a config that list removed heads, by side; the first is that of Transformers. */
const prunedHeadsFields = {
  self: 'pruned_heads',
  cross: 'cross_pruned_heads',
  encoder: 'encoder_pruned_heads',
} as const;

/** The config with the heads that are gone. */
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
