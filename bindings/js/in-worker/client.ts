/** The caller's side: functions and proxies that send calls to the worker. */
import { expose, transfer, wrap, type Remote as ComlinkRemote } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { fail, HeadwiseError, reasonOf } from '../runtime/errors.js';
import { node } from '../runtime/node.js';
import { isObject } from '../runtime/options.js';
import { refusalOf, workerOfAnotherOrigin } from '../runtime/other-origin.js';
import { Tensor as LocalTensor } from '../tensor/tensor.js';
import {
  pack,
  unpack,
  valueOf,
  type Answer,
  type Formed,
  type Host,
  type Message,
  type Packed,
  type Path,
  type Place,
  type Receive,
  type TensorParts,
} from './messages.js';

interface LocalTensorClass extends Omit<typeof LocalTensor, 'randn' | 'prototype'> {
  new (...args: ConstructorParameters<typeof LocalTensor>): LocalTensor;
}

/** A running worker. */
interface Running {
  readonly host: ComlinkRemote<Host>;
  end(reason: string): void;
  /** Whether a Node program keeps running until the worker answers. */
  keepProgram(keeps: boolean): void;
  /** Rejects the calls that wait for an answer. */
  readonly waiting: Set<(reason: Error) => void>;
  /** The number of threads in the `init` call that started the worker. */
  readonly threads: unknown;
  /** Whether it has answered any call. */
  isUp: boolean;
}

let running: Running | undefined;

const expectedWorker = 'worker: expected in-worker-host.js to run';

function startWorker(threads: unknown): Running {
  const waiting: Running['waiting'] = new Set();
  let started: Running | undefined;
  const lose = (reason: string): void => {
    if (running === started) {
      running = undefined;
    }
    const message = `${expectedWorker}, got ${reason}`;
    waiting.forEach((reject) => {
      reject(new HeadwiseError('load-failed', message));
    });
  };
  try {
    return (started = { ...start(lose), waiting, threads, isUp: false });
  } catch (error) {
    throw new HeadwiseError('load-failed', `${expectedWorker}, got ${refusalOf(error)}`, {
      cause: error,
    });
  }
}

const hostFile = (): URL => new URL(/* @vite-ignore */ './in-worker-host.js', import.meta.url);

function start(lose: (reason: string) => void): Pick<Running, 'host' | 'end' | 'keepProgram'> {
  if (node === undefined) {
    const worker =
      workerOfAnotherOrigin(hostFile()) ??
      new Worker(new URL('./in-worker-host.js', import.meta.url), { type: 'module' });
    worker.onerror = (event) => {
      event.preventDefault();
      lose(event.message || 'a worker that does not load');
    };
    const end = (reason: string): void => {
      worker.terminate();
      lose(reason);
    };
    return { host: wrap<Host>(worker), end, keepProgram: () => undefined };
  }
  const { Worker: NodeWorker } = node.getBuiltinModule('node:worker_threads');
  const worker = new NodeWorker(hostFile(), { execArgv: [] });
  worker.unref();
  worker.on('error', (error) => {
    lose(reasonOf(error));
  });
  worker.on('exit', (code) => {
    lose(`a worker that ended with ${code}`);
  });
  return {
    host: wrap<Host>(nodeEndpoint(worker)),
    end(reason) {
      void worker.terminate();
      lose(reason);
    },
    keepProgram(keeps) {
      if (keeps) worker.ref();
      else worker.unref();
    },
  };
}

/**
 * Starts the worker if none runs. `init({ threads: 1 })` replaces a worker with more threads that has not answered yet.
 */
export function haveWorker(threads: unknown): void {
  if (threads === 1 && running?.isUp === false && running.threads !== 1) {
    running.end('init({ threads: 1 })');
  }
  running ??= startWorker(threads);
}

export function endWorker(): void {
  running?.end('dispose()');
}

/** For each proxy, the place of its object and the worker that it lives in. */
const places = new WeakMap<
  object,
  { readonly place: Place; readonly worker: Running | undefined; readonly root: object | undefined }
>();

/** Releases objects in the worker whose proxies were garbage-collected. */
const forgotten = new FinalizationRegistry<{ id: number; worker: Running }>(({ id, worker }) => {
  if (worker === running) {
    void worker.host.release(id);
  }
});

/** Arrays whose memory moves to the worker with the next call. */
const given = new WeakSet();

/**
 * Marks a tensor or typed array: the next call with it moves its memory to the worker instead of copying it. It is
 * empty afterwards.
 */
export function transferred<Value extends object>(value: Value): Value {
  given.add(value);
  return value;
}

/** Callbacks whose result is ignored. */
const notified = ['onToken', 'onProgress'];
/** Callbacks that calls wait for. */
const awaited = ['metric'];

const toTensor: Receive = ({ content }) => {
  const { data, shape } = content as TensorParts;
  return new Tensor(data, shape);
};

/**
 * Packs a call's arguments.
 *
 * @param closing collects functions that close the ports of this call
 * @param thrown collects errors of callbacks
 */
function packArguments(args: unknown, closing: (() => void)[], thrown: unknown[]): Packed {
  const open = (form: 'function' | 'signal', use: (port: MessagePort) => () => void): Formed => {
    const { port1, port2 } = new MessageChannel();
    const stop = use(port1);
    closing.push(() => {
      stop();
      port1.close();
    });
    return { form, content: port2 };
  };
  const send = (value: unknown, path: Path): Formed | undefined => {
    const key = path.at(-1) ?? '';
    // Paths of options have three parts, except in the first argument, which may be tensors by name.
    const isOption = path.length === 3 && path[1] !== '0';
    const known = typeof value === 'function' ? places.get(value) : undefined;
    if (known !== undefined) {
      checkOwner(known.worker);
      return { form: 'place', content: known.place };
    }
    if (typeof value === 'function') {
      // A function that is an argument itself, such as one that opens files, may answer asynchronously.
      const isAsked = path.length === 2 || awaited.includes(key);
      if (!isAsked && !notified.includes(key)) {
        fail('invalid-type', key, 'no function, since its answer would come too late', 'one');
      }
      const call = (message: Message): unknown => {
        try {
          const told = unpack(message, toTensor) as unknown[];
          const answer = (value as (...told: unknown[]) => unknown)(...told);
          return isAsked ? answer : undefined;
        } catch (error) {
          thrown.push(error);
          throw error;
        }
      };
      return open('function', (port) => {
        expose(call, port);
        return () => undefined;
      });
    }
    if (isOption && key === 'out' && isObject(value)) {
      fail('unsupported', 'out', 'none, since results have memory of their own', 'one');
    }
    if (value instanceof AbortSignal) {
      return open('signal', (port) => {
        const abort = (): void => {
          port.postMessage(null);
        };
        if (value.aborted) abort();
        value.addEventListener('abort', abort);
        return () => {
          value.removeEventListener('abort', abort);
        };
      });
    }
    return undefined;
  };
  return pack(args, send, (array) => given.delete(array));
}

/** Fails if the object's worker has ended. */
function checkOwner(owner: Running | undefined): void {
  if (owner !== undefined && owner !== running) {
    fail('disposed', 'worker', 'an object of the worker that runs', 'one of a worker that ended');
  }
}

/** Sends a call to the worker and waits for the answer or the worker's end. */
async function ask(
  act: (host: ComlinkRemote<Host>) => Promise<Answer>,
  owner?: Running,
  signal?: AbortSignal,
): Promise<unknown> {
  const worker = running;
  if (worker === undefined) {
    throw new HeadwiseError(
      'not-initialized',
      'headwise: expected init() to have been awaited, got a call before it',
    );
  }
  checkOwner(owner);
  const { host, waiting } = worker;
  worker.keepProgram(true);
  let stopWaiting: (reason: Error) => void = () => undefined;
  const abort = (): void => {
    stopWaiting((signal as { reason: Error }).reason);
  };
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      stopWaiting = reject;
      waiting.add(reject);
      signal?.addEventListener('abort', abort);
      act(host).then(resolve, reject);
    });
    worker.isUp = true;
    const receive: Receive = (formed) =>
      formed.form === 'tensor' ? toTensor(formed) : standIn(formed.content as Place, worker);
    return unpack(valueOf(answer), receive);
  } finally {
    signal?.removeEventListener('abort', abort);
    waiting.delete(stopWaiting);
    if (waiting.size === 0) {
      worker.keepProgram(false);
      // The next call may start another.
      if (!worker.isUp && worker === running) {
        worker.end('no answer');
      }
    }
  }
}

async function askWith(
  args: unknown[],
  act: (host: ComlinkRemote<Host>, message: Message) => Promise<Answer>,
  owner?: Running,
): Promise<unknown> {
  const signal = args
    .map((each) => isObject(each) && 'signal' in each && each.signal)
    .find((each) => each instanceof AbortSignal);
  const closing: (() => void)[] = [];
  const thrown: unknown[] = [];
  try {
    signal?.throwIfAborted();
    const { message, transfer: memory } = packArguments(args, closing, thrown);
    return await ask((host) => act(host, transfer(message, memory)), owner, signal);
  } catch (error) {
    // The worker sends a copy of the error, but the caller gets the original.
    if (thrown.length > 0 && !(error instanceof HeadwiseError)) {
      throw thrown[0];
    }
    // The arguments cannot be cloned, or contain themselves.
    if (isObject(error) && (error instanceof RangeError || isCloneError(error))) {
      const message = `arguments: expected awaited values that can be sent to a worker, got ${reasonOf(error)}`;
      throw new HeadwiseError('invalid-type', message, { cause: error });
    }
    throw error;
  } finally {
    closing.forEach((close) => {
      close();
    });
  }
}

const isCloneError = (error: object): boolean => 'name' in error && error.name === 'DataCloneError';

/**
 * A target for proxies that can be called and constructed; an arrow function cannot be constructed. Node's
 * `console.log` prints its name.
 */
function workerHandle(): void {
  // Never called: the proxy handles every call.
}

/** Creates a proxy of an object in the worker. It can be called, constructed, and asked for its members. */
function standIn(place: Place, worker?: Running, root?: object): unknown {
  const member = (name: string): Place => ({ ...place, path: [...place.path, name] });
  const proxy: object = new Proxy(workerHandle, {
    get(_target, name) {
      if (name === Symbol.asyncDispose) {
        return standIn(member('dispose'), worker, root ?? proxy);
      }
      if (name === Symbol.toPrimitive) {
        return () => fail('invalid-type', 'handle', 'an awaited value', 'none');
      }
      if (typeof name === 'symbol' || (name === 'then' && place.path.length === 0)) {
        return undefined;
      }
      if (name === 'then') {
        const value = ask((host) => host.get(place), worker);
        return value.then.bind(value);
      }
      return standIn(member(name), worker, root ?? proxy);
    },
    set(_target, name, value) {
      // An assignment cannot be awaited, so an error becomes an unhandled rejection.
      void askWith([value], (host, message) => host.set(member(String(name)), message), worker);
      return true;
    },
    apply: (_target, _self, args: unknown[]) =>
      askWith(args, (host, message) => host.call(place, message), worker),
    construct: (_target, args: unknown[]) =>
      askWith(args, (host, message) => host.construct(place, message), worker),
  });
  // `root` keeps the object in the worker while a proxy of one of its methods is in use.
  places.set(proxy, { place, worker, root });
  if (worker !== undefined && place.path.length === 0) {
    forgotten.register(proxy, { id: place.id, worker });
  }
  return proxy;
}

/** The package's `Tensor`, on the page. Only `randn` runs in the worker. */
export class Tensor extends (LocalTensor as unknown as LocalTensorClass) {
  static randn(shape: readonly number[], seed?: number): Promise<Tensor> {
    return askWith([shape, seed], (host, message) =>
      host.call({ id: 0, path: ['Tensor', 'randn'] }, message),
    ) as Promise<Tensor>;
  }
}

/** Creates a proxy of a function or a class of the package. */
export const named = (name: string): unknown => standIn({ id: 0, path: [name] });
