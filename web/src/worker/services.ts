import { type ProxyMarked, transfer } from 'comlink';
import { init } from 'headwise';
import type { HeadMeasure } from 'headwise/models';

import { fetchHeldOut, openBuiltInModel } from './built-in-model.js';
import { builtInBytes } from './built-in-size.js';
import { type Checkpoint, type ModelSource, openCheckpoint, type Reading } from './checkpoint.js';
import { type AlignmentOptions, DateModel, type DateReading } from './alignment.js';
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
import { type RunOptions, Trainer } from './training.js';

// The models are small: one thread is as fast as several.
const ready = init({ threads: 1 });

/** Has all buffers of a value moved to the page, not copied: the worker must not use them any more. */
function moved<Value>(value: Value): Value {
  const buffers = new Set<ArrayBufferLike>();
  const find = (part: unknown): void => {
    if (ArrayBuffer.isView(part)) buffers.add(part.buffer);
    else if (typeof part === 'object' && part !== null) Object.values(part).forEach(find);
  };
  find(value);
  return value && transfer(value, [...buffers] as Transferable[]);
}

/** Training in the worker: one run at a time. The page asks for every update, so none can pile up. */
class RunService<Args extends unknown[], Model extends Trainer | DateModel> {
  readonly #create: (...args: Args) => Model;
  #model: Model | undefined;

  constructor(create: (...args: Args) => Model) {
    this.#create = create;
  }

  async start(...args: Args): Promise<ReturnType<Model['start']>> {
    await ready;
    this.#model?.dispose();
    this.#model = undefined;
    this.#model = this.#create(...args);
    return moved(this.#model.start() as ReturnType<Model['start']>);
  }

  advance(steps: number, milliseconds: number): ReturnType<Model['advance']> {
    return moved(this.model.advance(steps, milliseconds) as ReturnType<Model['advance']>);
  }

  protected get model(): Model {
    if (this.#model === undefined) throw new Error('no run yet');
    return this.#model;
  }
}

/** The runs of the act Train. */
export class TrainingService extends RunService<[options: RunOptions], Trainer> {
  constructor() {
    super((options) => new Trainer(options));
  }
}

/** The runs of the act Translate. */
export class AlignmentService extends RunService<
  [options: AlignmentOptions, text: string],
  DateModel
> {
  constructor() {
    super((options, text) => new DateModel(options, text));
  }

  /** What the model as it is now makes of a text. */
  read(text: string): DateReading {
    return moved(this.model.read(text));
  }
}

/** Work of a study between two looks at what else the page asks for. */
const sliceMs = 30;

/** Studies of planted models, one at a time. */
export class PruningService {
  /** Grows with every study: the one before it ends. */
  #newest = 0;

  /**
   * Studies a seed in place of any other.
   *
   * @returns rejects with an AbortError after `stop` and when another study begins
   */
  async study(seed: number, isShown: boolean, onProgress: OnProgress): Promise<Study> {
    this.stop();
    const own = this.#newest;
    await ready;
    const planted = new PlantedModel(seed);
    try {
      const steps = study(planted, seed, isShown);
      let until = performance.now() + sliceMs;
      for (let done = 1; ; done += 1) {
        const step = await steps.next();
        if (step.done === true) return step.value;
        if (performance.now() < until) continue;
        onProgress(done, studySize(isShown));
        await new Promise((resolve) => setTimeout(resolve));
        if (own !== this.#newest) throw new DOMException('another study', 'AbortError');
        until = performance.now() + sliceMs;
      }
    } finally {
      planted.dispose();
    }
  }

  stop(): void {
    this.#newest += 1;
  }
}

type OnProgress = (done: number, total: number) => void;

/** A trained language model in the worker, with the reader's sentence: one for all acts. */
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
    return moved(this.#inUse().run(text, gates, position));
  }

  /** What each layer would predict behind the token at a position. */
  lens(text: string, position: number, gates?: Gates): readonly LensLayer[] {
    return this.#inUse().lens(text, position, gates);
  }

  /** The numbers of one attention layer, from 0, on a text, if there are any. */
  inside(text: string, layer: number): Inside | undefined {
    return moved(this.#inUse().inside(text, layer));
  }

  /** Importance of each head on held-out text: of each layer, a number for each head. */
  async measureHeads(
    measure: HeadMeasure,
    onProgress: OnProgress,
  ): Promise<readonly (readonly number[])[]> {
    this.stopMeasuring();
    const { signal } = (this.#measuring = new AbortController());
    return (await this.#heldOutText()).measure(measure, {
      onProgress: ({ done, total }) => onProgress(done, total),
      signal,
    });
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

/** What the page may call. Marked as proxies: the services stay in the worker. */
export interface Services {
  readonly training: TrainingService & ProxyMarked;
  readonly pruning: PruningService & ProxyMarked;
  readonly languageModel: LanguageModelService & ProxyMarked;
  readonly alignment: AlignmentService & ProxyMarked;
}
