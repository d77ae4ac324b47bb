import { proxy, type Remote } from 'comlink';

import type { ModelSource } from '../worker/checkpoint.js';
import { Connection, isBeyondRepair } from '../worker/connection.js';
import type { ModelDescription } from '../worker/language-model.js';
import { createWorkerNotice } from '../worker/notice.js';
import type { LanguageModelService } from '../worker/services.js';

/** Bytes of a model: those that have come, and how many there will be. */
export interface LoadProgress {
  readonly done: number;
  readonly total: number;
}

/**
 * The model that reads the reader's sentence: one worker for all acts, so that it is loaded once. It is the page's own
 * until the reader opens another.
 */
export class SharedModel {
  /** Undefined until a model is loaded, and after its worker was lost. */
  description: ModelDescription | undefined;
  /** While a model loads. */
  progress: LoadProgress | undefined;
  /** Increases with every model and every worker, for those who keep what an earlier one answered. */
  generation = 0;
  #loading: Promise<ModelDescription> | undefined;
  #source: ModelSource | undefined;
  /** How often something was loaded: progress of an earlier load is ignored. */
  #loads = 0;
  readonly #listeners: (() => void)[] = [];
  readonly #notices: ReturnType<typeof createWorkerNotice>[] = [];
  readonly #connection = new Connection((isSlow) => {
    for (const notice of this.#notices) notice.showSlow(isSlow);
  });

  /** Whether the reader opened this model. */
  get isOwn(): boolean {
    return this.#source !== undefined;
  }

  /** Calls `listener` when the description or the progress has changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A place where an act shows that the worker is slow or failed, with a button that loads the model again. */
  createNotice(): HTMLElement {
    const notice = createWorkerNotice(() => {
      this.#reset();
      this.#connection.giveUp();
      this.load().catch(() => undefined);
    });
    this.#notices.push(notice);
    return notice.root;
  }

  /**
   * Loads the model, unless it is loaded or on its way.
   *
   * @returns rejects if it cannot be loaded; all notices show why
   */
  load(): Promise<ModelDescription> {
    if (this.#loading !== undefined) return this.#loading;
    const source = this.#source;
    const loading = this.#start((service, onProgress) =>
      source === undefined ? service.load(onProgress) : service.open(source, onProgress),
    );
    this.#loading = loading;
    loading.catch((error: unknown) => {
      if (this.#loading === loading) this.#fail(error);
    });
    return loading;
  }

  /**
   * Replaces the model by one of the reader's. If that fails or is cancelled, the model stays as it was.
   *
   * @returns rejects with a CheckpointError in the reader's words, or with an AbortError after `cancel`
   */
  async open(source: ModelSource): Promise<ModelDescription> {
    await this.#loading?.catch(() => undefined);
    const opened = this.#start((service, onProgress) => service.open(source, onProgress));
    const description = await opened;
    this.#source = source;
    this.#loading = opened;
    return description;
  }

  /** Stops `open`. */
  cancel(): void {
    this.#connection.call(({ languageModel }) => languageModel.stop()).catch(() => undefined);
  }

  /** Goes back to the page's own model. */
  async openBuiltIn(): Promise<ModelDescription> {
    this.#source = undefined;
    this.#reset();
    return this.load();
  }

  /**
   * Loads the model if need be, and asks it; once more if the model was replaced meanwhile.
   *
   * @returns rejects with what the worker threw; if the worker is lost, the notices say so
   */
  async call<Result>(
    act: (service: Remote<LanguageModelService>) => Promise<Result>,
  ): Promise<Result> {
    await this.load();
    const generation = this.generation;
    try {
      const answer = await this.#connection.call(({ languageModel }) => act(languageModel));
      return generation === this.generation ? answer : await this.call(act);
    } catch (error) {
      if (isBeyondRepair(error) && generation === this.generation) this.#fail(error);
      throw error;
    }
  }

  async #start(
    load: (
      service: Remote<LanguageModelService>,
      onProgress: (done: number, total: number) => void,
    ) => Promise<ModelDescription>,
  ): Promise<ModelDescription> {
    for (const notice of this.#notices) notice.clear();
    this.#loads += 1;
    const number = this.#loads;
    const onProgress = proxy((done: number, total: number) => {
      if (number === this.#loads && this.progress !== undefined) this.#show({ done, total });
    });
    this.#show({ done: 0, total: 0 });
    try {
      const description = await this.#connection.call(({ languageModel }) =>
        load(languageModel, onProgress),
      );
      this.generation += 1;
      this.description = description;
      return description;
    } finally {
      if (number === this.#loads) this.#show(undefined);
    }
  }

  #fail(error: unknown): void {
    this.#reset();
    for (const notice of this.#notices) notice.showFailure(error);
  }

  #reset(): void {
    this.#loads += 1;
    this.#loading = undefined;
    this.description = undefined;
    this.generation += 1;
    this.#show(undefined);
  }

  #show(progress: LoadProgress | undefined): void {
    this.progress = progress;
    for (const listener of this.#listeners) listener();
  }
}

let shared: SharedModel | undefined;

/** The one that all acts share. Its worker starts with the first load. */
export const languageModel = (): SharedModel => (shared ??= new SharedModel());
