import { modelInputs, passRecord, patchInputs } from 'headwise-records';
import { numbersOf, type GivenList } from '../layer/chosen-weights.js';
import { writeIntegers, type Address } from '../runtime/memory.js';
import { toWide, writeRecord } from '../runtime/records.js';
import type { Numbers } from '../tensor/arrays.js';
import { giveTensors, type Input } from '../tensor/given-tensors.js';
import { activations, type ActivationName } from './activations.js';
import { ModelCache } from './model-cache.js';
import {
  gateNames,
  inputKinds,
  lengthOf,
  type Input as PassInput,
  type PassInputs,
  type PassModel,
} from './model-inputs.js';
import { sides } from './sides.js';

/** What a pass computes. The order is that of `PassKind` in model_calls.cpp. */
const passKinds = [
  ...(['forward', 'loss', 'gradients', 'training', 'lens', 'attribution'] as const),
] as const;
export type PassKind = (typeof passKinds)[number];

/** What some passes take besides. */
export interface Analysed {
  readonly layers?: GivenList;
  readonly positions?: GivenList | 'last';
  readonly target?: Numbers<Float64Array>;
  readonly against?: Numbers<Float64Array> | undefined;
  readonly replaced?: ActivationName;
  readonly corrupted?: PassInput;
  /** The optimizer whose step ends a training pass. */
  readonly optimizer?: Address | undefined;
}

/** The order of the C++ enumeration. */
const patchKinds = ['value', 'zero', 'mean'];

const bytesOf = (names: readonly ActivationName[]): Numbers<Uint8Array> => ({
  data: Uint8Array.from(names, activations.indexOf),
  shape: [names.length],
});

/** Copies the arguments of a pass to working memory, and returns the address of their record. */
export function givePass(
  { settings }: PassModel,
  inputs: PassInputs,
  kind: PassKind,
  analysed: Analysed = {},
): Address {
  const { input, gates, probe } = inputs;
  const { corrupted } = analysed;
  const length = lengthOf(inputs, settings);
  const lists = typeof inputs.returnWeights === 'boolean' ? undefined : inputs.returnWeights;
  const inputsOf = (one: PassInput | undefined): [string, Input][] =>
    inputKinds.map((kind) => [kind, one?.kind === kind ? one.numbers : undefined]);
  const named: [string, Input][] = [
    ...inputsOf(input),
    ['targets', inputs.targets],
    ['segments', inputs.segments],
    ['validLens', inputs.validLens],
    ['keyMask', inputs.keyMask],
    ['source', inputs.source],
    ['sourceValidLens', inputs.sourceValidLens],
    ['sourceKeyMask', inputs.sourceKeyMask],
    ['heads', numbersOf('returnWeights.heads', lists?.heads)],
    ['queries', numbersOf('returnWeights.queries', lists?.queries, length)],
    ['capture', probe.capture && bytesOf(probe.capture)],
    ['captureLayers', numbersOf('captureLayers', probe.layers)],
    ['capturePositions', numbersOf('capturePositions', probe.positions, length)],
    ['layers', numbersOf('layers', analysed.layers)],
    ['positions', numbersOf('positions', analysed.positions, length)],
    ['target', analysed.target],
    ['against', analysed.against],
    ...inputsOf(corrupted),
  ];
  const gateTensors = sides.flatMap((side) =>
    gates[side].map((gate, layer): [string, Input] => [`${gateNames[side]}[${layer}]`, gate]),
  );
  const patchTensors = probe.patches.flatMap(
    ({ value, heads, positions }, i): [string, Input][] => {
      const argument = `patch[${i}]`;
      return [
        [`${argument}.value`, typeof value === 'string' ? undefined : value],
        [`${argument}.heads`, numbersOf(`${argument}.heads`, heads)],
        [`${argument}.positions`, numbersOf(`${argument}.positions`, positions)],
      ];
    },
  );
  const patchWords = patchInputs.words * probe.patches.length;
  const { record, given, rest } = giveTensors(
    passRecord.words,
    [...named, ...gateTensors, ...patchTensors],
    patchWords + 3 * gateTensors.length,
  );
  const [tokens, pixels, embeddings, targets, segments, validLens, keyMask, ...others] = given;
  const [source, sourceValidLens, sourceKeyMask, weightHeads, weightQueries, ...more] = others;
  const [capture, captureLayers, capturePositions, layers, positions, target, ...last] = more;
  const ofPatches = given.slice(named.length + gateTensors.length);
  writeIntegers(rest, [
    ...probe.patches.flatMap(({ at, side, layer, value: of }, i) => {
      const [value, heads, rows] = ofPatches.slice(3 * i);
      return patchInputs.pack({
        ...{ at: activations.indexOf(at), side: sides.indexOf(side), layer: toWide(layer) },
        kind: patchKinds.indexOf(typeof of === 'string' ? of : 'value'),
        ...{ value, heads, positions: rows },
      });
    }),
    ...given.slice(named.length, named.length + gateTensors.length).flat(),
  ]);
  const [self, cross, encoder] = sides.map((side) => gates[side].length);
  const gatesAt = rest + 4 * patchWords;
  writeRecord(record, passRecord, {
    kind: passKinds.indexOf(kind),
    inputs: modelInputs.pack({
      ...{ tokens, pixels, embeddings, targets, segments, validLens, keyMask },
      ...{ source, sourceValidLens, sourceKeyMask },
      headGates: [
        gatesAt,
        self,
        gatesAt + 12 * self,
        cross,
        gatesAt + 12 * (self + cross),
        encoder,
      ],
      cache: inputs.cache === undefined ? undefined : ModelCache.addressOf(inputs.cache),
      returnWeights: inputs.returnWeights !== false,
      ...{ weightHeads, weightQueries, captureLayers, capturePositions },
      capture: [capture[0], probe.capture?.length ?? 0],
      patches: [rest, probe.patches.length],
      requiresGrad: inputs.requiresGrad,
    }),
    ...{ layers, positions, target, against: last[0] },
    replaced: analysed.replaced === undefined ? 0 : activations.indexOf(analysed.replaced),
    ...{ corruptedTokens: last[1], corruptedPixels: last[2], corruptedEmbeddings: last[3] },
    optimizer: analysed.optimizer,
  });
  return record;
}
