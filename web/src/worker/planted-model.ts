import { ascending, maxIndex, sort } from 'd3-array';
import {
  Adam,
  AttentionOnlyTransformer,
  InductionTask,
  type TaskBatch,
  Tensor,
  type Tokens,
} from 'headwise/models';

import { accuracyOf, type Sequence, sequencesOf } from './training.js';
import { gatesWithout, type Head, isPlanted, type Role, rolesOfLayers } from './heads.js';

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
    this.model = new AttentionOnlyTransformer({
      vocabularySize: this.#task.vocabularySize,
      maxLength: this.#task.length,
      numHiddens,
      numHeads,
      numLayers: rolesOfLayers.length,
      positions: 'learned',
      seed,
    });
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

  /** Share of right answers on the test sequences without these heads. A gate of 0 has the same effect as pruning. */
  accuracyWithout(heads: readonly Head[]): number {
    const { tokens, targets } = this.testBatch;
    const headGates = gatesWithout(
      this.roles.map(({ length }) => length),
      heads,
    );
    return accuracyOf(this.model.forward(tokens, { headGates }).logits, targets);
  }

  /** The test sequence that it predicts best. */
  bestSequence(): Sequence {
    const sequences = sequencesOf(this.testBatch);
    const right = sequences.map(({ tokens, targets }) =>
      accuracyOf(this.model.forward(inputOf(tokens)).logits, {
        data: targets,
        shape: [targets.length],
      }),
    );
    return sequences[maxIndex(right)];
  }

  /** What its heads attend to: of each layer, (heads, length, length). */
  weightsOn({ tokens }: Sequence): Float32Array[] {
    return this.model
      .forward(inputOf(tokens), { returnWeights: true })
      .attentionWeights.map(({ data }) => data);
  }

  dispose(): void {
    this.#optimizer.dispose();
    this.model.dispose();
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

const inputOf = (data: Int32Array): Tokens => ({ data, shape: [data.length] });

/** Which head of a layer has which role: the roles of the layer in an order drawn from the seed. */
function placesOf(seed: number): readonly (readonly Role[])[] {
  return rolesOfLayers.map((roles, layer) => {
    const { data } = Tensor.randn([roles.length], placesSeed + rolesOfLayers.length * seed + layer);
    return sort(roles.keys(), (a, b) => ascending(data[a], data[b])).map((place) => roles[place]);
  });
}
