// Browsers' workers in Node, as far as wllama needs them: each runs the code of a blob, in a thread. The
// package web-worker starts none from blobs.
import { resolveObjectURL } from 'node:buffer';
import { isMainThread, parentPort, Worker as Thread, workerData } from 'node:worker_threads';

class WebWorker extends EventTarget {
  #starting;
  #thread;

  constructor(address, { name = '' } = {}) {
    super();
    this.#starting = this.#start(address, name);
  }

  async #start(address, name) {
    const code = await resolveObjectURL(String(address)).text();
    const thread = new Thread(new URL(import.meta.url), { workerData: { code, name } });
    thread.on('message', (data) => tell(this, new MessageEvent('message', { data })));
    thread.on('error', ({ message }) => tell(this, new ErrorEvent('error', { message })));
    this.#thread = thread;
  }

  /** Sends at once if it can: the caller may sleep until the message has been read. */
  postMessage(message, transfer) {
    if (this.#thread) this.#thread.postMessage(message, transfer);
    else void this.#starting.then(() => this.postMessage(message, transfer));
  }

  async terminate() {
    await this.#starting;
    await this.#thread.terminate();
  }
}

function tell(target, event) {
  target[`on${event.type}`]?.(event);
  target.dispatchEvent(event);
}

Object.assign(globalThis, {
  Worker: WebWorker,
  self: globalThis,
  location: new URL(import.meta.url),
  onmessage: null,
});

if (!isMainThread && workerData?.code !== undefined) {
  const listeners = new EventTarget();
  // Else Emscripten's code would take this for Node.
  globalThis.process = undefined;
  Object.assign(globalThis, {
    name: workerData.name,
    WorkerGlobalScope: class {},
    WorkerNavigator: class {},
    postMessage: (message, transfer) => parentPort.postMessage(message, transfer),
    addEventListener: listeners.addEventListener.bind(listeners),
    removeEventListener: listeners.removeEventListener.bind(listeners),
  });
  await import(`data:text/javascript,${encodeURIComponent(workerData.code)}`);
  parentPort.on('message', (data) => {
    const event = new MessageEvent('message', { data });
    globalThis.onmessage?.(event);
    listeners.dispatchEvent(event);
  });
}
