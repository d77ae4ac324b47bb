import { run } from './run.js';

self.onmessage = async ({ data }) => {
  try {
    postMessage({ results: await run(data) });
  } catch (error) {
    postMessage({ error: error.stack });
  }
};
postMessage('loaded');
