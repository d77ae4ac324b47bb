import { node } from './node.js';
import { workerOfAnotherOrigin } from './other-origin.js';
import type { WorkerTask } from './worker.js';

/** A worker on its way. */
export interface StartedWorker {
  /** Resolves when it is about to work; rejects if it fails to. */
  readonly ready: Promise<void>;
  give(task: WorkerTask): void;
  /** Whether a Node program goes on until it is ready. */
  keepProgram(keeps: boolean): void;
  /** Ends it, in Node not while it begins its task; otherwise it ends with its generation. */
  end(): void;
}

// Spelled out, so that bundlers find the file; for browsers where it is used, so that they bundle it as a worker. Vite,
// whose programs run in browsers, would have this one as text in the script.

const workerFile = (): URL => new URL(/* @vite-ignore */ './worker.js', import.meta.url);

function startInBrowser(): StartedWorker {
  const worker =
    workerOfAnotherOrigin(workerFile()) ??
    new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  return {
    ready: new Promise((resolve, reject) => {
      worker.onmessage = () => {
        worker.onerror = null;
        resolve();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message || 'a worker that does not load'));
      };
    }),
    give(task) {
      worker.postMessage(task);
    },
    keepProgram: () => undefined,
    end() {
      worker.terminate();
    },
  };
}

function startInNode(process: NodeJS.Process): StartedWorker {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const worker = new Worker(workerFile(), {
    // The program's own flags may be about how it was given.
    execArgv: [],
  });
  let isReady = false;
  let hasTask = false;
  const ready = new Promise<void>((resolve, reject) => {
    worker.on('error', reject).once('message', () => {
      isReady = true;
      worker.unref();
      resolve();
    });
    worker.once('exit', (code) => {
      reject(new Error(`a worker that ended with ${code}`));
    });
  });
  return {
    ready,
    give(task) {
      hasTask = true;
      worker.postMessage(task);
    },
    keepProgram(keeps) {
      if (keeps && !isReady) {
        worker.ref();
      } else {
        worker.unref();
      }
    },
    end() {
      if (isReady || !hasTask) {
        void worker.terminate();
        return;
      }
      // Node 20 crashes if it terminates a worker that is about to fail, which ends by itself.
      worker.unref();
      ready.then(
        () => void worker.terminate(),
        () => undefined,
      );
    },
  };
}

function startWorker(): StartedWorker {
  try {
    return node === undefined ? startInBrowser() : startInNode(node);
  } catch (error) {
    const nothing = (): undefined => undefined;
    const ready = Promise.reject(error instanceof Error ? error : new Error(String(error)));
    return { ready, give: nothing, keepProgram: nothing, end: nothing };
  }
}

/** Starts workers, which wait for their tasks. That one cannot be had is told by its `ready`. */
export function startWorkers(count: number): StartedWorker[] {
  return Array.from({ length: count }, () => {
    const worker = startWorker();
    // Who gives it its task hears of it.
    worker.ready.catch(() => undefined);
    return worker;
  });
}

/** Of use while no call is under way: workers hold nothing between calls. */
export function endWorkers(workers: readonly StartedWorker[]): void {
  workers.forEach((worker) => {
    worker.end();
  });
}

/** Whether Node starts workers, as far as can be told without starting one. */
export function mayStartInNode(process: NodeJS.Process): boolean {
  // Without --permission there is no such object, whatever its type says.
  const permission = process.permission as NodeJS.Process['permission'] | undefined;
  return (
    permission?.has('worker') !== false &&
    process.getBuiltinModule('node:fs').existsSync(workerFile())
  );
}
