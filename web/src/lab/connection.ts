import { wrap, type Remote } from 'comlink';
import { HeadwiseError } from 'headwise';

import { transferErrors } from './error-transfer.js';
import type { Services } from './services.js';

transferErrors();

/** The worker is gone or does not answer. The next call gets a new one, which knows nothing of the old. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost';
}

interface Running {
  readonly worker: Worker;
  readonly services: Remote<Services>;
  /** Rejects when the worker fails; never resolves. */
  readonly failure: Promise<never>;
}

/** Milliseconds without an answer after which a worker is taken for lost: far beyond any call's. */
const patience = 20_000;

/** A worker that is started with the first call and started anew after it was lost. */
export class Connection {
  #running: Running | undefined;

  /** What `act` asks of the worker; rejects with `WorkerLost`, or with what the worker threw. */
  async call<Result>(act: (services: Remote<Services>) => Promise<Result>): Promise<Result> {
    const running = (this.#running ??= start());
    let timer: number | undefined;
    const silence = new Promise<never>((_resolve, reject) => {
      timer = window.setTimeout(() => {
        reject(new WorkerLost('no answer'));
      }, patience);
    });
    try {
      return await Promise.race([act(running.services), running.failure, silence]);
    } catch (error) {
      if (isBeyondRepair(error)) this.#drop(running);
      throw error;
    } finally {
      window.clearTimeout(timer);
    }
  }

  #drop(running: Running): void {
    running.worker.terminate();
    if (this.#running === running) this.#running = undefined;
  }
}

/** The memory of WebAssembly never shrinks: only with its worker does it go. */
const isBeyondRepair = (error: unknown): boolean =>
  error instanceof WorkerLost || isOutOfMemory(error);

/** Of WebAssembly, or of JavaScript. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof HeadwiseError ? error.code === 'out-of-memory' : error instanceof RangeError;

function start(): Running {
  const worker = new Worker(new URL('./lab-worker.ts', import.meta.url), { type: 'module' });
  const failure = new Promise<never>((_resolve, reject) => {
    worker.addEventListener('error', ({ message }) => {
      reject(new WorkerLost(message));
    });
    worker.addEventListener('messageerror', () => {
      reject(new WorkerLost('a message that could not be read'));
    });
  });
  // Told by the calls; between two of them nobody listens.
  failure.catch(() => undefined);
  return { worker, services: wrap<Services>(worker), failure };
}
