// Trains a model on induction, in a worker of a page or of Node. It posts the loss of every step, stops on request, and
// posts the trained parameters as a safetensors file.
import { AttentionOnlyTransformer, InductionTask, init, saveSafetensors } from 'headwise/models';

const isPage = typeof globalThis.postMessage === 'function';
const port = isPage ? globalThis : process.getBuiltinModule('node:worker_threads').parentPort;
if (!port) throw new Error('worker.mjs: expected to run in a worker');

let isStopped = false;
/** @param {unknown} message */
const receive = (message) => (isStopped ||= message === 'stop');
if ('on' in port) port.on('message', receive);
else port.onmessage = ({ data }) => receive(data);

await init();
const task = new InductionTask({ numSymbols: 16, length: 32, minPeriod: 8, maxPeriod: 16 });
const model = new AttentionOnlyTransformer({
  vocabularySize: task.vocabularySize,
  maxLength: task.length,
  numHiddens: 32,
  numLayers: 2,
  numHeads: 2,
  positions: 'learned',
  layerNorm: true,
  seed: 1,
  optimizer: { learningRate: 0.01 },
});
const steps = 300;
for (let step = 0; step < steps && !isStopped; step++) {
  const { tokens, targets } = task.batch(1, 32, 32 * step);
  const loss = model.trainStep(tokens, targets);
  port.postMessage({ step: step + 1, steps, loss });
  // Yields to the event loop, so that 'stop' can arrive.
  await new Promise((resolve) => setTimeout(resolve));
}
const file = saveSafetensors(model.stateDict());
port.postMessage({ isStopped, file }, [file.buffer]);
model.dispose();
if ('unref' in port) port.unref();
