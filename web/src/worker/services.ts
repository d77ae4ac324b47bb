import { type ProxyMarked, transfer } from 'comlink';
import { init } from 'headwise';
import type { HeadMeasure } from 'headwise/models';

import { fetchHeldOut, openBuiltInModel } from './built-in-model.js';
import { builtInBytes } from './built-in-size.js';
import { type Checkpoint, type ModelSource, openCheckpoint, type Reading } from './checkpoint.js';
import {
  type AlignmentOptions,
  type AlignmentUpdate,
  DateModel,
  type DateReading,
} from './alignment.js';
import type { Inside } from './inside.js';
import type { HeldOut } from './held-out.js';
import type {
  Gates,
  LanguageModel,
  LensLayer,
  ModelDescription,
  TextRun,
} from './language-model.js';
import { PlantedModel } from './planted-model.js';
import { study, type Study, studySize } from './study.js';
import { type RunOptions, type Start, Trainer, type Update } from './training.js';

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** The study, once it is done. */
  readonly study?: Study;
}

// The models are small: one thread is as fast as several.
const ready = init({ threads: 1 });

const buffersOf = ({ losses, measurements, weights }: Update): Transferable[] =>
  [losses, ...measurements.flatMap(({ scores, maps }) => [scores, maps]), ...weights].map(
    ({ buffer }) => buffer,
  );

/** Act 3 in the worker: one run at a time. The page asks for every update, so none can pile up. */
export class TrainingService {
  #trainer: Trainer | undefined;

  async start(options: RunOptions): Promise<Start> {
    await ready;
    this.#trainer?.dispose();
    this.#trainer = undefined;
    this.#trainer = new Trainer(options);
    const start = this.#trainer.start();
    return transfer(start, buffersOf(start.update));
  }

  advance(steps: number, milliseconds: number): Update {
    if (this.#trainer === undefined) throw new Error('advance before start');
    const update = this.#trainer.advance(steps, milliseconds);
    return transfer(update, buffersOf(update));
  }
}

/** Studies of planted models, one after the other. The page asks for every part of a study. */
export class PruningService {
  #running:
    | {
        readonly planted: PlantedModel;
        readonly steps: ReturnType<typeof study>;
        readonly total: number;
      }
    | undefined;
  #done = 0;

  /** Begins the study of a seed, in place of any that is not done. */
  async plant(seed: number, isShown: boolean): Promise<void> {
    await ready;
    this.#running?.planted.dispose();
    this.#running = undefined;
    const planted = new PlantedModel(seed);
    this.#running = { planted, steps: study(planted, seed, isShown), total: studySize(isShown) };
    this.#done = 0;
  }

  async advance(milliseconds: number): Promise<Progress> {
    if (this.#running === undefined) throw new Error('advance before plant');
    const running = this.#running;
    const { planted, steps, total } = running;
    const until = performance.now() + milliseconds;
    do {
      const { done, value } = await steps.next();
      if (running !== this.#running) throw new Error('planted anew');
      if (done === true) {
        this.#running = undefined;
        planted.dispose();
        return { done: total, total, study: value };
      }
      this.#done += 1;
    } while (performance.now() < until);
    return { done: this.#done, total };
  }
}

type OnProgress = (done: number, total: number) => void;

/**
 * A trained language model in the worker, with the reader's sentence: one for all acts.
 */
export class LanguageModelService {
  #model: LanguageModel | undefined;
  #opening: AbortController | undefined;
  #heldOut: Promise<HeldOut> | undefined;
  #measuring = new AbortController();

  /** The small model beside the page; `onProgress` is told its bytes. */
  load(onProgress: OnProgress): Promise<ModelDescription> {
    return this.#open(() => openBuiltInModel((bytes) => onProgress(bytes, builtInBytes)));
  }

  /** A model of the reader's, in place of the model before if it can be opened and `stop` is not called. */
  async open(source: ModelSource, onProgress: OnProgress): Promise<ModelDescription> {
    this.stop();
    const { signal } = (this.#opening = new AbortController());
    try {
      return await this.#open(() => openCheckpoint(source, signal), { signal, onProgress });
    } catch (error) {
      // The package wraps what files throw.
      signal.throwIfAborted();
      throw error;
    }
  }

  /** `open` rejects with an `AbortError`, if it is under way. */
  stop(): void {
    this.#opening?.abort();
  }

  /**
   * @param position whose next token is predicted; by default the last one
   * @returns undefined for a text without any token
   */
  run(text: string, gates?: Gates, position?: number): TextRun | undefined {
    const run = this.#inUse().run(text, gates, position);
    return run && transfer(run, run.weights.map(({ buffer }) => buffer) as Transferable[]);
  }

  /** What each layer would predict behind the token at a position. */
  lens(text: string, position: number, gates?: Gates): readonly LensLayer[] {
    return this.#inUse().lens(text, position, gates);
  }

  /** The numbers of one attention layer, from 0, on a text, if there are any. */
  inside(text: string, layer: number): Inside | undefined {
    const inside = this.#inUse().inside(text, layer);
    const buffers = new Set(Object.values(inside?.arrays ?? {}).map(({ buffer }) => buffer));
    return inside && transfer(inside, [...buffers] as Transferable[]);
  }

  /** Importance of each head on held-out text: of each layer, a number for each head. */
  async measureHeads(
    measure: HeadMeasure,
    onProgress: OnProgress,
  ): Promise<readonly (readonly number[])[]> {
    this.stopMeasuring();
    const { signal } = (this.#measuring = new AbortController());
    return (await this.#heldOutText()).measure(measure, { onProgress, signal });
  }

  /** `measureHeads` rejects with an `AbortError`, if one is under way. */
  stopMeasuring(): void {
    this.#measuring.abort();
  }

  /** Loss on held-out text with these gates, in nats per token. */
  async heldOutLoss(gates: Gates): Promise<number> {
    return (await this.#heldOutText()).loss(gates);
  }

  async #open(open: () => Promise<Checkpoint>, reading?: Reading): Promise<ModelDescription> {
    await ready;
    // With its tokenizers in a file of its own, which the other acts do not load.
    const { LanguageModel } = await import('./language-model.js');
    const model = await LanguageModel.from(await open(), reading);
    this.stopMeasuring();
    this.#heldOut = undefined;
    this.#model?.dispose();
    this.#model = model;
    return model.description;
  }

  #heldOutText(): Promise<HeldOut> {
    const model = this.#inUse();
    this.#heldOut ??= fetchHeldOut().then((text) => model.heldOut(text));
    // The next call tries again.
    this.#heldOut.catch(() => (this.#heldOut = undefined));
    return this.#heldOut;
  }

  #inUse(): LanguageModel {
    if (this.#model === undefined) throw new Error('no language model yet');
    return this.#model;
  }
}

const alignmentBuffers = ({ losses, measurements, reading }: AlignmentUpdate): Transferable[] => [
  losses.buffer,
  ...measurements.flatMap(({ alignment, uniform }) => [alignment.buffer, uniform.buffer]),
  reading.weights.buffer,
];

/** Act 5 in the worker: one run at a time, of which every update is asked for. */
export class AlignmentService {
  #model: DateModel | undefined;

  async start(options: AlignmentOptions, text: string): Promise<AlignmentUpdate> {
    await ready;
    this.#model?.dispose();
    this.#model = undefined;
    this.#model = new DateModel(options, text);
    const update = this.#model.start();
    return transfer(update, alignmentBuffers(update));
  }

  advance(steps: number, milliseconds: number): AlignmentUpdate {
    const update = this.#inUse().advance(steps, milliseconds);
    return transfer(update, alignmentBuffers(update));
  }

  /** What the model as it is now makes of a text. */
  read(text: string): DateReading {
    const reading = this.#inUse().read(text);
    return transfer(reading, [reading.weights.buffer]);
  }

  #inUse(): DateModel {
    if (this.#model === undefined) throw new Error('no model to align');
    return this.#model;
  }
}

/** What the page may call. Marked as proxies: the services stay in the worker. */
export interface Services {
  readonly training: TrainingService & ProxyMarked;
  readonly pruning: PruningService & ProxyMarked;
  readonly languageModel: LanguageModelService & ProxyMarked;
  readonly alignment: AlignmentService & ProxyMarked;
}
