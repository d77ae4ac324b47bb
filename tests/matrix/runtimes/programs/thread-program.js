// The suite on another thread than the program's own, by node:worker_threads.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readFileSync } from 'node:fs';
import * as headwise from 'headwise/models';
import { suite } from './suite.js';

if (isMainThread) {
  const cases = JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8'));
  const options = JSON.parse(process.argv[2]);
  const worker = new Worker(new URL(import.meta.url), { workerData: { cases, options } });
  worker.on('message', (results) => console.log(JSON.stringify(results)));
  worker.on('error', (error) => {
    throw error;
  });
} else {
  parentPort.postMessage(await suite(headwise, workerData.cases, workerData.options));
}
