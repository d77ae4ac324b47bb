import { threads as canShareMemory } from 'wasm-feature-detect';
import type { Core } from 'headwise-glue';
import { fail, failOption, failOutOfMemory, HeadwiseError, show } from './errors.js';
import { startTimer, stopTimer } from './event-loop.js';
import { isAbsent, onFirstLargeCall, type Address } from './memory.js';
import { node } from './node.js';
import { isIntegerIn } from './options.js';
import { refusalOf } from './other-origin.js';
import { endWorkers, mayStartInNode, startWorkers, type StartedWorker } from './start-workers.js';
import { isLost } from './wasm.js';

/** The value of `max_threads` in for_each.hpp. */
const maxThreads = 64;
/** More threads gain little and would slow down other programs. */
const maxAutomaticThreads = 8;

export function checkThreads(threads: number | 'auto'): void {
  if (threads !== 'auto' && !isIntegerIn(threads, 1, maxThreads)) {
    const expected = `'auto' or an integer from 1 to ${maxThreads}`;
    failOption('threads', expected, threads);
  }
}

/** Checks a number of threads against the engine. `'auto'` becomes 1 if memory cannot be shared. */
export async function chooseThreads(threads: number | 'auto'): Promise<number> {
  if (threads === 1) {
    return 1;
  }
  // Node always shares memory, unlike Electron's pages. The check would load Node's streams, which takes 3 ms.
  const canShare =
    (node !== undefined && typeof document === 'undefined') || (await canShareMemory());
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

/** Whether workers start with the first large call. In Node, starting them takes longer than many programs run. */
export const startsLater = (threads: number | 'auto'): boolean =>
  threads === 'auto' && node !== undefined;

/**
 * Milliseconds that `init` waits for workers if the number of threads is automatic. Workers that start later are used,
 * too.
 */
const mostPatience = 20_000;

/** Workers that are running or starting. */
interface RunningWorkers {
  readonly workers: readonly StartedWorker[];
  /** Resolves when all are ready or ended; rejects if one fails, or if another `init` replaces them. */
  readonly ready: Promise<void>;
  isReady: boolean;
  /** Settles `ready` if workers are still starting. */
  end(reason?: HeadwiseError): void;
}

const workerError = (reason: string, cause?: unknown): HeadwiseError =>
  new HeadwiseError('load-failed', `threads: expected workers of worker.js, got ${reason}`, {
    cause,
  });

/** Sets whether a Node program keeps running until workers are ready. */
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
  /** The ends of the workers' stacks, which later workers reuse. */
  readonly #stacks: Address[] = [];
  /** Identifies the current workers. Workers of earlier generations return. */
  #generation = 0;
  #count = 1;
  /** The number of threads once an `init` has set it. Other numbers are then an error. `dispose` keeps it. */
  #settled: number | undefined;
  #running: RunningWorkers | undefined;
  #hasFailed = false;

  /** If memory is not shared, the number of threads is 1. */
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

  /** Number of threads in use, or that will start with the first large call. */
  get count(): number {
    return this.#count;
  }

  /**
   * Resolves when the threads are ready or will start with the first large call. `'auto'` falls back to one thread if
   * workers do not start. 1 ends workers that are still starting.
   *
   * @param started workers that are starting already
   * @throws HeadwiseError `unsupported` if another number is set, `load-failed` if workers do not start; any number is
   *   then accepted again
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
   * Ends the workers. Calls compute on the caller's thread until threads are requested again.
   *
   * @param reason rejects those who wait for workers. Default: they resolve.
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
    // Ready workers return by themselves, but those of a lost core might wait forever.
    if (running !== undefined && (isOver || !running.isReady)) {
      endWorkers(running.workers);
    }
    running?.end(reason);
  }

  /**
   * Begins a generation: calls allocate memory for this number of threads, and share work with the workers that are
   * ready.
   */
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
      // Prevents an unhandled rejection. If workers fail, the caller's thread does all work.
      this.#running.ready.catch(() => undefined);
    });
  }

  /** Runs workers. They do not keep a Node program running. */
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
