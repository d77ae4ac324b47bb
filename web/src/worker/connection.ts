import { type Remote, wrap } from 'comlink';
import { HeadwiseError } from 'headwise';

import { transferErrors } from './error-transfer.js';
import type { Services } from './services.js';

transferErrors();

/** The worker failed or was given up. The next call starts a new one, without the state of the old. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

interface Running {
  readonly worker: Worker;
  readonly services: Remote<Services>;
  /** Rejects when the worker fails; never resolves. */
  readonly failure: Promise<never>;
  /** Makes it fail. */
  readonly fail: (reason: string) => void;
}

/** Without an answer for so long a worker is reported as slow: far longer than any call takes. */
const slowAfterMs = 20_000;

/**
 * A worker that is started with the first call and started anew after it was lost. How long it may
 * take nobody knows, on a slow machine or a slow line: silence alone never ends it.
 */
export class Connection {
  #running: Running | undefined;
  /** Calls that have waited for longer than is usual. */
  readonly #overdue = new Set<symbol>();
  readonly #onSlow: (isSlow: boolean) => void;

  /** @param onSlow called when an answer takes long, and when it has come or is no longer awaited */
  constructor(onSlow: (isSlow: boolean) => void) {
    this.#onSlow = onSlow;
  }

  /** What `act` asks of the worker; rejects with `WorkerLost`, or with what the worker threw. */
  async call<Result>(act: (services: Remote<Services>) => Promise<Result>): Promise<Result> {
    const running = (this.#running ??= start());
    const asked = Symbol('call');
    const timer = window.setTimeout(() => {
      this.#overdue.add(asked);
      if (this.#overdue.size === 1) this.#onSlow(true);
    }, slowAfterMs);
    try {
      return await Promise.race([act(running.services), running.failure]);
    } catch (error) {
      if (isBeyondRepair(error)) this.#drop(running);
      throw error;
    } finally {
      window.clearTimeout(timer);
      if (this.#overdue.delete(asked) && this.#overdue.size === 0) this.#onSlow(false);
    }
  }

  /** Waits for this worker no more: what was asked of it rejects with `WorkerLost`. */
  giveUp(): void {
    if (this.#running === undefined) return;
    this.#running.fail('given up');
    this.#drop(this.#running);
  }

  #drop(running: Running): void {
    running.worker.terminate();
    if (this.#running === running) this.#running = undefined;
  }
}

/** The memory of WebAssembly never shrinks: only with its worker does it go. */
export const isBeyondRepair = (error: unknown): boolean =>
  error instanceof WorkerLost || isOutOfMemory(error);

/** Of WebAssembly, or of JavaScript. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof HeadwiseError ? error.code === 'out-of-memory' : error instanceof RangeError;

function start(): Running {
  const worker = new Worker(new URL('./model-worker.ts', import.meta.url), { type: 'module' });
  let reject: (reason: WorkerLost) => void = () => undefined;
  const failure = new Promise<never>((_resolve, rejectIt) => {
    reject = rejectIt;
  });
  const fail = (reason: string): void => reject(new WorkerLost(reason));
  worker.addEventListener('error', ({ message }) => fail(message));
  worker.addEventListener('messageerror', () => fail('a message that could not be read'));
  // Told by the calls; between two of them nobody listens.
  failure.catch(() => undefined);
  return { worker, services: wrap<Services>(worker), failure, fail };
}

/**
 * Asks for the newest of many wishes: one at a time, and of those that come meanwhile only the last.
 */
export function coalesce<Wish>(ask: (wish: Wish) => Promise<void>): (wish: Wish) => void {
  let waiting: { readonly wish: Wish } | undefined;
  let isAsking = false;
  const run = async (): Promise<void> => {
    isAsking = true;
    try {
      while (waiting !== undefined) {
        const { wish } = waiting;
        waiting = undefined;
        await ask(wish);
      }
    } finally {
      isAsking = false;
    }
  };
  return (wish) => {
    waiting = { wish };
    if (!isAsking) void run();
  };
}
