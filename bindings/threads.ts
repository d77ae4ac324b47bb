import type { Core } from 'headwise-glue';
import { threads as canShareMemory } from 'wasm-feature-detect';
import { fail, failOutOfMemory, HeadwiseError, show } from './errors.js';
import type { WorkerTask } from './worker.js';

/** As `most_threads` in for_each.hpp. */
const mostThreads = 64;
/** More than these gain little, and a page is not alone on its machine. */
const mostAutomaticThreads = 8;

export function checkThreads(threads: number | 'auto'): void {
  if (
    threads !== 'auto' &&
    !(Number.isInteger(threads) && threads >= 1 && threads <= mostThreads)
  ) {
    const expected = `'auto' or an integer from 1 to ${mostThreads}`;
    fail('invalid-option', 'threads', expected, show(threads));
  }
}

/** How many threads to compute on. */
export async function chooseThreads(threads: number | 'auto'): Promise<number> {
  if (threads === 1) {
    return 1;
  }
  const canShare = await canShareMemory();
  if (threads === 'auto') {
    return canShare ? Math.min(cores(), mostAutomaticThreads) : 1;
  }
  if (!canShare) {
    const reason = 'as this engine shares no memory; a page must be cross-origin isolated for that';
    fail('unsupported', 'threads', `1, ${reason}`, show(threads));
  }
  return threads;
}

function cores(): number {
  return typeof process === 'undefined'
    ? navigator.hardwareConcurrency
    : process.getBuiltinModule('node:os').availableParallelism();
}

/** Starts a worker and resolves when it is about to serve. Whether a Node program goes on until then is the caller's choice. */
function startWorker(task: WorkerTask, keepsProgram: boolean): Promise<unknown> {
  // The address is spelled out where it is used, so that bundlers find the file.
  if (typeof process === 'undefined') {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    worker.postMessage(task);
    return new Promise((resolve, reject) => {
      worker.onmessage = resolve;
      worker.onerror = reject;
    });
  }
  const { Worker: NodeWorker } = process.getBuiltinModule('node:worker_threads');
  const worker = new NodeWorker(new URL('./worker.js', import.meta.url), {
    workerData: task,
    // The program's own flags may be about how it was given.
    execArgv: [],
  });
  if (!keepsProgram) {
    worker.unref();
  }
  return new Promise((resolve, reject) => {
    worker.once('error', reject).once('message', () => {
      worker.unref();
      resolve(undefined);
    });
  });
}

let crew = 0;
/** The ends of the workers' stacks, which are used again. */
const stacks: number[] = [];

/** From here on calls lay out memory for so many threads, and leave work to those that are there. */
export function setThreads(core: Core, count: number): void {
  while (stacks.length < count - 1) {
    const stack = core.newStack();
    if (stack === 0) {
      failOutOfMemory();
    }
    stacks.push(stack);
  }
  crew++;
  core.setThreads(count, crew);
}

/** Starts the threads beside the caller's and resolves when all are there. Needs `setThreads`. */
export async function startWorkers(
  core: Core,
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  count: number,
  keepsProgram: boolean,
): Promise<void> {
  const entry = core.workerEntry();
  const workers = stacks
    .slice(0, count - 1)
    .map((stack, i) =>
      startWorker({ module, memory, entry, stack, thread: i + 1, crew }, keepsProgram),
    );
  await Promise.all(workers).catch((error: unknown) => {
    setThreads(core, 1);
    const reason = error instanceof Error ? error.message : 'none';
    throw new HeadwiseError('load-failed', `threads: expected workers of worker.js, got ${reason}`);
  });
}
