// Trains in a worker of Node: node examples/training-in-a-worker/main.mjs [STEPS]. STEPS stops the run early.
import { Worker } from 'node:worker_threads';
import { init, loadSafetensors } from 'headwise/models';

const limit = Number(process.argv[2] ?? Infinity);
const worker = new Worker(new URL('./worker.mjs', import.meta.url));
worker.on('message', async ({ step, steps, loss, isStopped, file }) => {
  if (file) {
    await init();
    const names = Object.keys(loadSafetensors(file).tensors);
    console.log(`${isStopped ? 'stopped' : 'trained'}: ${names.length} parameters`);
    return;
  }
  if (step % 50 === 0) console.log(`step ${step} of ${steps}: loss ${loss.toFixed(3)}`);
  if (step === limit) worker.postMessage('stop');
});
