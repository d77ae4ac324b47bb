import { proxy } from 'comlink';

import { reasonOf } from '../../ui/reason.js';
import { type Connection, coalesce, isOutOfMemory, WorkerLost } from '../../worker/connection.js';
import { type Head, sameHead } from '../../worker/heads.js';
import type { Gates, ModelDescription, TextRun } from '../../worker/language-model.js';
import type { Timing } from '../../worker/timing.js';
import { words } from './words.js';

/** `idle`: nobody came near yet. `failed`: the worker is lost. */
export type ReaderState = 'idle' | 'loading' | 'ready' | 'failed';

/** Work that takes a while and can be stopped. */
export interface Job {
  readonly kind: 'rank' | 'time';
  readonly done: number;
  readonly total: number;
}

interface Wish {
  readonly text: string;
  readonly shut: readonly Head[];
}

interface Listeners {
  readonly onChange: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** A model in the worker, and the text that it reads: asks for the newest of what readers wish. */
export class Reader {
  readonly #connection: Connection;
  readonly #listeners: Listeners;
  #wish: Wish = { text: '', shut: [] };
  #files: readonly File[] | undefined;
  /** Grows with every model; answers of an older one are not for this one. */
  #generation = 0;

  state: ReaderState = 'idle';
  /** Bytes of the model, while it loads. */
  progress: { readonly done: number; readonly total: number } | undefined;
  model: ModelDescription | undefined;
  /** What the text came to, with the gates of `runShut`; undefined without a token. */
  run: TextRun | undefined;
  runShut: readonly Head[] = [];
  /** Why the text cannot be read. */
  problem = '';
  /** Why files were not opened. */
  refusal = '';
  job: Job | undefined;
  wasStopped = false;
  /** By layer and head, of the text that is read. */
  importance: readonly (readonly number[])[] | undefined;
  timing: Timing | undefined;

  constructor(connection: Connection, listeners: Listeners) {
    this.#connection = connection;
    this.#listeners = listeners;
  }

  /** Whether the model is the reader's own. */
  get isOwn(): boolean {
    return this.#files !== undefined;
  }

  /** The model that was read last, in a new worker if need be. */
  async begin(): Promise<void> {
    const files = this.#files;
    this.#generation += 1;
    const generation = this.#generation;
    const onProgress = proxy((done: number, total: number) => {
      if (generation !== this.#generation || this.state !== 'loading') return;
      this.progress = { done, total };
      this.#listeners.onChange();
    });
    this.state = 'loading';
    this.progress = undefined;
    this.job = undefined;
    this.#listeners.onChange();
    try {
      const model = await this.#connection.call(({ languageModel }) =>
        files === undefined
          ? languageModel.load(onProgress)
          : languageModel.open([...files], onProgress),
      );
      if (generation === this.#generation) this.#take(model);
    } catch (error) {
      this.#fail(error, generation);
    }
  }

  /** A checkpoint of the reader's; the model stays as it is if that cannot be opened. */
  async openFiles(files: readonly File[]): Promise<void> {
    const generation = this.#generation;
    this.refusal = '';
    const before = this.state;
    this.state = 'loading';
    this.progress = undefined;
    this.#listeners.onChange();
    try {
      const model = await this.#connection.call(({ languageModel }) =>
        languageModel.open(
          [...files],
          proxy(() => undefined),
        ),
      );
      if (generation !== this.#generation) return;
      this.#files = files;
      this.#take(model);
    } catch (error) {
      if (generation !== this.#generation) return;
      this.state = before === 'loading' ? 'ready' : before;
      this.refusal = reasonOf(error, words.notAModel);
      this.#listeners.onChange();
    }
  }

  openBuiltIn(): void {
    this.#files = undefined;
    this.refusal = '';
    void this.begin();
  }

  /** Reads the text with these heads shut, once the model is there. */
  show(wish: Wish): void {
    if (wish.text !== this.#wish.text) this.importance = undefined;
    this.timing = undefined;
    this.wasStopped = false;
    if (this.job !== undefined) this.stop();
    this.#wish = wish;
    if (this.state === 'ready') this.#ask(wish);
  }

  /** Measures the importance of every head for the text. */
  async rank(): Promise<void> {
    await this.#work('rank', async (onProgress) => {
      const { text } = this.#wish;
      const found = await this.#connection.call(({ languageModel }) =>
        languageModel.rank(text, onProgress),
      );
      if (text === this.#wish.text) this.importance = found;
    });
  }

  /** Times the model against one without the heads that are shut. */
  async time(): Promise<void> {
    await this.#work('time', async (onProgress) => {
      const { text } = this.#wish;
      const shut = this.#shutHere();
      this.timing = undefined;
      this.timing = await this.#connection.call(({ languageModel }) =>
        languageModel.time(text, shut, onProgress),
      );
    });
  }

  stop(): void {
    this.#connection.call(({ languageModel }) => languageModel.stop()).catch(() => undefined);
  }

  readonly #ask = coalesce<Wish>(async ({ text, shut }) => {
    const generation = this.#generation;
    try {
      const run = await this.#connection.call(({ languageModel }) =>
        languageModel.run(text, this.#gates(shut)),
      );
      if (generation !== this.#generation) return;
      this.run = run;
      this.runShut = shut;
      this.problem = '';
    } catch (error) {
      if (generation !== this.#generation) return;
      if (isLost(error)) {
        this.#fail(error, generation);
        return;
      }
      this.run = undefined;
      this.problem = reasonOf(error, words.notRun);
    }
    this.#listeners.onChange();
  });

  #take(model: ModelDescription): void {
    this.model = model;
    this.run = undefined;
    this.state = 'ready';
    this.importance = undefined;
    this.timing = undefined;
    this.#listeners.onChange();
    this.#ask(this.#wish);
  }

  /** The shut heads that the model has. */
  #shutHere(): Head[] {
    const numHeads = this.model?.numHeads ?? [];
    return this.#wish.shut.filter(({ layer, head }) => head < (numHeads[layer] ?? 0));
  }

  #gates(shut: readonly Head[]): Gates | undefined {
    if (shut.length === 0) return undefined;
    return this.model?.numHeads.map((heads, layer) =>
      Array.from({ length: heads }, (_, head) =>
        shut.some((each) => sameHead(each, { layer, head })) ? 0 : 1,
      ),
    );
  }

  async #work(
    kind: Job['kind'],
    act: (onProgress: (done: number, total: number) => void) => Promise<void>,
  ): Promise<void> {
    if (this.state !== 'ready' || this.job !== undefined) return;
    const generation = this.#generation;
    this.job = { kind, done: 0, total: 1 };
    this.wasStopped = false;
    this.problem = '';
    this.#listeners.onChange();
    const onProgress = proxy((done: number, total: number) => {
      if (this.job === undefined || generation !== this.#generation) return;
      this.job = { kind, done, total };
      this.#listeners.onChange();
    });
    try {
      await act(onProgress);
    } catch (error) {
      if (generation !== this.#generation) return;
      if (isLost(error)) {
        this.#fail(error, generation);
        return;
      }
      const isStopped = error instanceof Error && error.name === 'AbortError';
      this.wasStopped = isStopped;
      if (!isStopped) this.problem = reasonOf(error, words.notRun);
    }
    if (generation !== this.#generation) return;
    this.job = undefined;
    this.#listeners.onChange();
  }

  #fail(error: unknown, generation: number): void {
    if (generation !== this.#generation) return;
    this.state = 'failed';
    this.job = undefined;
    this.#listeners.onFailure(error);
    this.#listeners.onChange();
  }
}

const isLost = (error: unknown): boolean => error instanceof WorkerLost || isOutOfMemory(error);
