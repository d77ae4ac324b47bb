import { threads as canShareMemory } from 'wasm-feature-detect';
import type { Core } from 'headwise-glue';
import { fail, failOutOfMemory, HeadwiseError, show } from './errors.js';
import { startTimer, stopTimer } from './event-loop.js';
import { isAbsent, onFirstLargeCall, type Address } from './memory.js';
import { node } from './node.js';
import { isIntegerIn } from './options.js';
import { refusalOf } from './other-origin.js';
import { endWorkers, mayStartInNode, startWorkers, type StartedWorker } from './start-workers.js';
import { isLost } from './wasm.js';

/** As `max_threads` in for_each.hpp. */
const maxThreads = 64;
/** More than these gain little, and a page is not alone on its machine. */
const maxAutomaticThreads = 8;

export function checkThreads(threads: number | 'auto'): void {
  if (threads !== 'auto' && !isIntegerIn(threads, 1, maxThreads)) {
    const expected = `'auto' or an integer from 1 to ${maxThreads}`;
    fail('invalid-option', 'threads', expected, show(threads));
  }
}

/** How many threads to compute on, where memory for them can be had. */
export async function chooseThreads(threads: number | 'auto'): Promise<number> {
  if (threads === 1) {
    return 1;
  }
  const canShare = await canShareMemory();
  if (threads === 'auto') {
    return canShare ? automaticThreads() : 1;
  }
  if (!canShare) {
    const reason = 'as this engine shares no memory; a page must be cross-origin isolated for that';
    fail('unsupported', 'threads', `1, ${reason}`, show(threads));
  }
  return threads;
}

function automaticThreads(): number {
  const cores =
    node === undefined
      ? navigator.hardwareConcurrency
      : node.getBuiltinModule('node:os').availableParallelism();
  return Math.min(cores, maxAutomaticThreads);
}

/** Whether workers start with the first large call: under Node that takes longer than many a program. */
export const startsLater = (threads: number | 'auto'): boolean =>
  threads === 'auto' && node !== undefined;

/** How long an automatic number of threads waits for workers, in milliseconds. Those that come later work, too. */
const mostPatience = 20_000;

/** Workers that run, or are starting. */
interface RunningWorkers {
  readonly workers: readonly StartedWorker[];
  /** Resolves when all are ready or were ended; rejects if one fails, or if another `init` has taken their place. */
  readonly ready: Promise<void>;
  isReady: boolean;
  /** Settles `ready` for workers that are still to come. */
  end(reason?: HeadwiseError): void;
}

const workerError = (reason: string, cause?: unknown): HeadwiseError =>
  new HeadwiseError('load-failed', `threads: expected workers of worker.js, got ${reason}`, {
    cause,
  });

/** Whether a Node program goes on until workers are ready. */
function keepProgram(workers: readonly StartedWorker[], keeps: boolean): void {
  workers.forEach((worker) => {
    worker.keepProgram(keeps);
  });
}

async function withPatience(ready: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof startTimer> | undefined;
  const enough = new Promise<void>((resolve) => (timer = startTimer(resolve, mostPatience)));
  try {
    await Promise.race([ready, enough]);
  } finally {
    stopTimer(timer);
  }
}

/** The thread pool of a loaded core. */
export class ThreadPool {
  readonly #core: Core;
  readonly #module: WebAssembly.Module;
  readonly #memory: WebAssembly.Memory;
  /** The ends of the workers' stacks, which are used again. */
  readonly #stacks: Address[] = [];
  /** Number of the current workers; those of an earlier generation return. */
  #generation = 0;
  #count = 1;
  /** The only number that may be asked for, once an `init` has settled it; `dispose` keeps it. */
  #settled: number | undefined;
  #running: RunningWorkers | undefined;
  #hasFailed = false;

  /** Where memory is not shared, there is one thread. */
  constructor(
    core: Core,
    module: WebAssembly.Module,
    memory: WebAssembly.Memory,
    isShared: boolean,
  ) {
    this.#core = core;
    this.#module = module;
    this.#memory = memory;
    this.#settled = isShared ? undefined : 1;
  }

  /** How many threads compute; of those that start with the first large call, how many will. */
  get count(): number {
    return this.#count;
  }

  /**
   * Resolves when so many threads are there, or will start with the first large call. 'auto' is one thread where
   * workers do not start. 1 does not wait for workers that are still to come, but ends them.
   *
   * @param started the workers to take, if some were started ahead
   * @throws HeadwiseError `unsupported` if another number is settled, `load-failed` if workers do not start; any number
   *   may then be asked for
   */
  async have(threads: number | 'auto', started?: readonly StartedWorker[]): Promise<void> {
    const isAuto = threads === 'auto';
    if (threads === 1 && this.#running?.isReady === false) {
      this.pause(workerError('init({ threads: 1 })'));
      this.#settled = undefined;
    }
    if (this.#settled !== undefined && !isAuto && threads !== this.#settled) {
      fail('unsupported', 'threads', `${this.#settled}, for which it is loaded`, show(threads));
    }
    const count = this.#settled ?? (isAuto ? automaticThreads() : threads);
    this.#settled = count;
    if (count === 1) {
      return;
    }
    try {
      if (startsLater(threads) && this.#running === undefined && !this.#hasFailed) {
        this.#runLater(count);
        return;
      }
      const { workers, ready } = (this.#running ??= this.#run(count, started));
      keepProgram(workers, true);
      if (isAuto) {
        await withPatience(ready);
        keepProgram(workers, false);
      } else {
        await ready;
      }
    } catch (error) {
      if (!isAuto) {
        throw error;
      }
    }
  }

  /**
   * Ends the workers: the caller's thread computes alone, until threads are asked for again.
   *
   * @param reason what those hear who wait for workers. Default: that all is well
   */
  pause(reason?: HeadwiseError): void {
    const running = this.#running;
    const isOver = isLost(this.#core);
    if (isOver) {
      onFirstLargeCall(undefined);
      this.#running = undefined;
      this.#generation++;
      this.#count = 1;
    } else {
      this.#setThreads(1);
    }
    // Others return by themselves; of a lost core they may be waiting for ever.
    if (running !== undefined && (isOver || !running.isReady)) {
      endWorkers(running.workers);
    }
    running?.end(reason);
  }

  /** Begins a generation: calls lay out memory for so many threads, and share work with those that are ready. */
  #setThreads(count: number): void {
    onFirstLargeCall(undefined);
    this.#running = undefined;
    while (this.#stacks.length < count - 1) {
      const stack = this.#core.newStack();
      if (isAbsent(stack)) {
        this.#settled = undefined;
        failOutOfMemory();
      }
      this.#stacks.push(stack);
    }
    this.#generation++;
    this.#core.setThreads(count, this.#generation);
    this.#count = count;
  }

  #fail(): void {
    this.#setThreads(1);
    this.#settled = undefined;
    this.#hasFailed = true;
  }

  #runLater(count: number): void {
    if (node !== undefined && !mayStartInNode(node)) {
      this.#fail();
      return;
    }
    this.#setThreads(count);
    onFirstLargeCall(() => {
      this.#running = this.#run(count);
      // Whoever awaits them hears of it; the caller's thread does all of the work.
      this.#running.ready.catch(() => undefined);
    });
  }

  /** Runs workers; a Node program does not wait for them. */
  #run(count: number, workers: readonly StartedWorker[] = startWorkers(count - 1)): RunningWorkers {
    this.#setThreads(count);
    let end: RunningWorkers['end'] = () => undefined;
    const ended = new Promise<void>((resolve, reject) => {
      end = (reason) => {
        if (reason === undefined) {
          resolve();
        } else {
          reject(reason);
        }
      };
    });
    const started = this.#startTasks(workers, this.#generation).then(() => {
      running.isReady = true;
    });
    const running = { workers, ready: Promise.race([started, ended]), isReady: false, end };
    return running;
  }

  async #startTasks(workers: readonly StartedWorker[], generation: number): Promise<void> {
    const task = { module: this.#module, memory: this.#memory, entry: this.#core.workerEntry() };
    const start = async (worker: StartedWorker, i: number): Promise<void> => {
      worker.keepProgram(false);
      worker.give({ ...task, stack: this.#stacks[i], thread: i + 1, generation });
      await worker.ready;
    };
    try {
      await Promise.all(workers.map(start));
    } catch (error) {
      endWorkers(workers);
      if (generation === this.#generation) {
        this.#fail();
      }
      throw workerError(refusalOf(error), error);
    }
  }
}
