/**
 * The program of each worker. It runs the caller's module with the same memory and its own stack. It computes when the
 * caller posts work in that memory, and sleeps in between.
 */
import type { Address } from './memory.js';
import { node } from './node.js';

/** The task of a worker. */
export interface WorkerTask {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** Index of the function to call in the module's table. */
  entry: number;
  /** The function's arguments, see threads.hpp. */
  stack: Address;
  thread: number;
  generation: number;
}

type Entry = (stack: number, thread: number, generation: number) => void;

/** Works until this generation of workers ends. */
function work(task: WorkerTask, ready: (message: string) => void): void {
  const { module, memory, entry, stack, thread, generation } = task;
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    // Kernels call no imports, such as Embind's functions, so these do nothing.
    (imports[from] ??= {})[name] = kind === 'memory' ? memory : () => undefined;
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  const table = Object.values(exports).find((value) => value instanceof WebAssembly.Table);
  ready('ready');
  (table?.get(entry) as Entry)(stack, thread, generation);
}

/** Throws, so that the caller learns that the engine could not send the task. */
function failToReceive(): never {
  throw new Error('a task that did not arrive');
}

if (node === undefined) {
  self.onmessage = ({ data }: MessageEvent<WorkerTask>) => {
    work(data, (message) => {
      self.postMessage(message);
    });
    self.close();
  };
  self.onmessageerror = failToReceive;
} else {
  const { parentPort } = node.getBuiltinModule('node:worker_threads');
  parentPort?.once('message', (task: WorkerTask) => {
    work(task, (message) => {
      parentPort.postMessage(message);
    });
    // Deno's port has no `close`, but its workers have the web's `close`.
    if ('close' in parentPort) {
      parentPort.close();
    } else {
      globalThis.close();
    }
  });
  parentPort?.once('messageerror', failToReceive);
}
