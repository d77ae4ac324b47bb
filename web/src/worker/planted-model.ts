import { ascending, maxIndex, sort } from 'd3-array';
import {
  Adam,
  AttentionOnlyTransformer,
  InductionTask,
  type TaskBatch,
  Tensor,
} from 'headwise/models';

import { accuracyOf, answersOf, numRight, type Sequence, sequencesOf } from './answers.js';
import { type Head, isPlanted, type Role, rolesOfLayers } from './heads.js';

const numHeads = rolesOfLayers[0]?.length ?? 0;
const numHiddens = 48;
const batchSize = 32;
const plantingSteps = 160;
const settlingSteps = 40;
const sharpness = 30;
/** Seeds of the sequences that heads are measured and tested on: beyond those that readers choose. */
const measuringSeed = 2 ** 40;
const testSeed = 2 ** 41;
/** Of the numbers by which a layer's heads are put in order. */
const placesSeed = 2 ** 42;
const unseenSize = 64;

export const numSteps = plantingSteps + settlingSteps;

export interface Quality {
  readonly loss: number;
  readonly accuracy: number;
}

/**
 * A model of which it is known which heads do the work: no others were open while it learnt. The
 * experiment is that of docs/head-importance.md, made smaller.
 */
export class PlantedModel {
  readonly model: AttentionOnlyTransformer;
  /** Of each layer, a role a head. */
  readonly roles: readonly (readonly Role[])[];
  /** Unseen sequences: heads are ranked on the first, models are evaluated on the second. */
  readonly measuringBatch: TaskBatch;
  readonly testBatch: TaskBatch;
  readonly #task: InductionTask;
  readonly #seed: number;
  readonly #optimizer: Adam;
  #step = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.roles = placesOf(seed);
    this.#task = new InductionTask({ numSymbols: 12, length: 20, minPeriod: 5, maxPeriod: 10 });
    this.measuringBatch = this.#task.batch(measuringSeed + seed, unseenSize);
    this.testBatch = this.#task.batch(testSeed + seed, unseenSize);
    this.model = this.#newModel();
    this.#optimizer = new Adam(this.model, { learningRate: 0.005 });
  }

  /** One of `numSteps` steps of training. */
  step(): void {
    const { tokens, targets } = this.#task.batch(this.#seed, batchSize, batchSize * this.#step);
    if (this.#step === plantingSteps) this.#sharpen();
    if (this.#step < plantingSteps) {
      const headGates = this.roles.map((roles) => this.#plantingGates(roles));
      this.#optimizer.zeroGradients();
      this.model.lossAndGradients(tokens, targets, { headGates });
      this.#optimizer.step();
    } else {
      this.model.trainStep(tokens, targets, this.#optimizer);
    }
    this.#step += 1;
  }

  /** A model of the same parameters, to be pruned. */
  copy(): AttentionOnlyTransformer {
    const copy = this.#newModel();
    copy.loadStateDict(this.model.stateDict());
    return copy;
  }

  /** How well the whole model does on the test sequences with these gates, or another without any. */
  quality(headGates?: readonly Float32Array[], model = this.model): Quality {
    const { tokens, targets } = this.testBatch;
    const gates = headGates === undefined ? {} : { headGates };
    return {
      loss: model.loss(tokens, targets, gates),
      accuracy: accuracyOf(model.forward(tokens, gates).logits, targets),
    };
  }

  /** How well it does without these heads: a gate of 0 does to the loss what removing the head does. */
  without(heads: readonly Head[]): Quality {
    const gates = this.roles.map(({ length }) => new Float32Array(length).fill(1));
    for (const { layer, head } of heads) gates[layer]?.fill(0, head, head + 1);
    return this.quality(gates);
  }

  /** The test sequence that it predicts best: what goes wrong there comes from pruning. */
  bestSequence(): Sequence {
    const sequences = sequencesOf(this.testBatch);
    const right = sequences.map((each) => numRight(each, answersOf(this.model, each)));
    return sequences[maxIndex(right)];
  }

  /** What its heads attend to: of each layer, (heads, length, length). */
  weightsOn({ tokens }: Sequence): Float32Array[] {
    const input = { data: tokens, shape: [tokens.length] };
    return this.model
      .forward(input, { returnWeights: true })
      .attentionWeights.map(({ data }) => data);
  }

  dispose(): void {
    this.#optimizer.dispose();
    this.model.dispose();
  }

  #newModel(): AttentionOnlyTransformer {
    return new AttentionOnlyTransformer({
      vocabularySize: this.#task.vocabularySize,
      maxLength: this.#task.length,
      numHiddens,
      numHeads,
      numLayers: rolesOfLayers.length,
      positions: 'learned',
      seed: this.#seed,
    });
  }

  /**
   * (batch, heads): only planted heads are open, and of twins one is shut in two samples of three,
   * so that each learns to do without the other.
   */
  #plantingGates(roles: readonly Role[]): number[][] {
    const twins = roles.flatMap((role, head) => (isPlanted(role) ? [head] : []));
    return Array.from({ length: batchSize }, (_, sample) => {
      const shut = twins[(sample + this.#step) % 3];
      return roles.map((role, head) => Number(isPlanted(role) && head !== shut));
    });
  }

  /** Multiplies the queries of sharp heads, so that softmax leaves nearly all weight to one key. */
  #sharpen(): void {
    const dict = this.model.stateDict();
    this.roles.forEach((roles, layer) => {
      const weights = dict[`layers.${layer}.attention.W_q.weight`].data;
      const rows = weights.length / numHeads;
      roles.forEach((role, head) => {
        if (role !== 'sharp') return;
        const own = weights.subarray(head * rows, (head + 1) * rows);
        own.set(own.map((weight) => sharpness * weight));
      });
    });
    this.model.loadStateDict(dict);
  }
}

/** Which head of a layer has which role: the roles of the layer in an order drawn from the seed. */
function placesOf(seed: number): readonly (readonly Role[])[] {
  return rolesOfLayers.map((roles, layer) => {
    const { data } = Tensor.randn([roles.length], placesSeed + rolesOfLayers.length * seed + layer);
    return sort(roles.keys(), (a, b) => ascending(data[a], data[b])).map((place) => roles[place]);
  });
}
