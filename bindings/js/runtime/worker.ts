/**
 * What runs in each worker: the module that the caller runs, on the same memory and a stack of its own. It computes
 * when the caller posts work there and sleeps in between.
 */
import type { Address } from './memory.js';
import { node } from './node.js';

/** The task of a worker. */
export interface WorkerTask {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** The function to call, as its place in the module's table. */
  entry: number;
  /** Its arguments, see threads.hpp. */
  stack: Address;
  thread: number;
  generation: number;
}

type Entry = (stack: number, thread: number, generation: number) => void;

/** Returns when this generation of workers ends. */
function work(task: WorkerTask, ready: (message: string) => void): void {
  const { module, memory, entry, stack, thread, generation } = task;
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    // Embind's functions, among others, which no kernel calls.
    (imports[from] ??= {})[name] = kind === 'memory' ? memory : () => undefined;
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  const table = Object.values(exports).find((value) => value instanceof WebAssembly.Table);
  ready('ready');
  (table?.get(entry) as Entry)(stack, thread, generation);
}

/** What the engine does not pass on among threads fails here, and so at the caller. */
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
    // Deno's port has no `close`, its workers have the web's.
    if ('close' in parentPort) {
      parentPort.close();
    } else {
      globalThis.close();
    }
  });
  parentPort?.once('messageerror', failToReceive);
}
