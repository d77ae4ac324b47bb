import { node } from './node.js';
import { workerOfAnotherOrigin } from './other-origin.js';
import type { WorkerTask } from './worker.js';

/** A worker that is starting or running. */
export interface StartedWorker {
  /** Resolves before it begins its task; rejects if it fails to start. */
  readonly ready: Promise<void>;
  give(task: WorkerTask): void;
  /** Whether a Node program keeps running until the worker is ready. */
  keepProgram(keeps: boolean): void;
  /** Ends the worker. In Node, a worker that is about to begin its task is ended once it has begun. */
  end(): void;
}

// The URLs are literal, so that bundlers find the file. In browsers, `new Worker` contains the URL, so that bundlers
// treat the file as a worker. Vite must ignore the URL below: it would inline the file as text, although programs built
// by Vite load the worker by the other URL.

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
    // Without the program's own flags: some, such as `--input-type`, say how the program was passed.
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
      // Node 20 crashes if it terminates a worker that is about to fail. Such a worker ends by itself.
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

/** Starts workers, which wait for their tasks. If one fails to start, its `ready` rejects. */
export function startWorkers(count: number): StartedWorker[] {
  return Array.from({ length: count }, () => {
    const worker = startWorker();
    // Prevents an unhandled rejection; the caller gets the error when it awaits `ready`.
    worker.ready.catch(() => undefined);
    return worker;
  });
}

/** Ends workers. Only between calls, when no work is in progress. */
export function endWorkers(workers: readonly StartedWorker[]): void {
  workers.forEach((worker) => {
    worker.end();
  });
}

/** Whether Node can probably start workers. Does not start one. */
export function mayStartInNode(process: NodeJS.Process): boolean {
  // Undefined without --permission, contrary to its type.
  const permission = process.permission as NodeJS.Process['permission'] | undefined;
  return (
    permission?.has('worker') !== false &&
    process.getBuiltinModule('node:fs').existsSync(workerFile())
  );
}
