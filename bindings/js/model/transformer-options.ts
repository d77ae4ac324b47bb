import { modelOptionsRecord } from 'headwise-records';
import { checkLayerOptions, type LayerSettings } from '../layer/layer-options.js';
import { reserve, type Address } from '../runtime/memory.js';
import { modelsCore } from '../runtime/models-build.js';
import { checkBoolean, checkOptions, checkSize, checkWord } from '../runtime/options.js';
import { writeRecord } from '../runtime/records.js';
import type { AdamOptions } from '../training/optimizers.js';

/** How a model knows where a token stands: d2l's `positionalEncoding`, or a parameter, `position.weight`. */
export type Positions = 'sinusoidal' | 'learned';

export interface AttentionOnlyTransformerOptions {
  /** Symbols that tokens may be, from 0 on. At least 1, as are the other sizes. */
  vocabularySize: number;
  /** Positions that there are: no input is longer. */
  maxLength: number;
  /** Size of the residual stream, and of all heads of a layer together. */
  numHiddens: number;
  /** Heads of each layer; divides `numHiddens`. */
  numHeads: number;
  /** Default: 1. */
  numLayers?: number | undefined;
  /** Default: `'sinusoidal'`. */
  positions?: Positions | undefined;
  /** Whether a position sees only itself and those before it. Default: yes. */
  causal?: boolean | undefined;
  /**
   * Whether each layer reads its input normalized, and the unembedding too. Default: no. Source: Xiong et al. 2020,
   * pre-layer normalization.
   */
  layerNorm?: boolean | undefined;
  /** Whether the layers' projections have a bias. Default: no. */
  bias?: boolean | undefined;
  /** Probability that an attention weight is dropped in training mode, from 0, the default, to 1. */
  dropout?: number | undefined;
  /** Seed of the parameters and of dropout, an integer from 0 to 2^53 − 1; drawn at random when left out. */
  seed?: number | undefined;
  /** Of the optimizer that `trainStep` has of its own. */
  optimizer?: AdamOptions | undefined;
}

const transformerOptionNames = [
  ...['vocabularySize', 'maxLength', 'numHiddens', 'numHeads', 'numLayers', 'positions'],
  ...['causal', 'layerNorm', 'bias', 'dropout', 'seed', 'optimizer'],
] as readonly (keyof AttentionOnlyTransformerOptions)[];

const positionWords = ['sinusoidal', 'learned'] as const;

/** A model's options, checked and with their defaults. */
export interface TransformerSettings {
  readonly vocabularySize: number;
  readonly maxLength: number;
  readonly numLayers: number;
  readonly positions: Positions;
  readonly causal: boolean;
  readonly layerNorm: boolean;
  /** Of each layer before any head was removed; its seed is the model's. */
  readonly layer: LayerSettings;
}

export function checkTransformerOptions(
  options: AttentionOnlyTransformerOptions,
): [TransformerSettings, Partial<AttentionOnlyTransformerOptions>] {
  const given = checkOptions(options, transformerOptionNames);
  const { numHiddens, numHeads, bias, dropout, seed, numLayers = 1 } = given;
  const settings = {
    vocabularySize: checkSize('vocabularySize', given.vocabularySize),
    maxLength: checkSize('maxLength', given.maxLength),
    numLayers: checkSize('numLayers', numLayers),
    positions: checkWord('positions', given.positions, positionWords),
    causal: checkBoolean('causal', given.causal, true),
    layerNorm: checkBoolean('layerNorm', given.layerNorm, false),
  };
  // The rest are the layer's, whose checks know their names.
  const [layer] = checkLayerOptions({
    ...{ numHiddens, numHeads, bias, dropout, seed },
  } as Parameters<typeof checkLayerOptions>[0]);
  return [{ ...settings, layer }, given];
}

/** A model in WebAssembly memory. */
export function newModel({ layer, ...settings }: TransformerSettings): Address {
  const loaded = modelsCore();
  const [record] = reserve(modelOptionsRecord.words);
  writeRecord(record, modelOptionsRecord, {
    ...layer,
    ...settings,
    positions: positionWords.indexOf(settings.positions),
  });
  return loaded.newModel(record, layer.dropout, layer.seed);
}
