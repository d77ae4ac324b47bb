import { run } from './run.js';

self.addEventListener('message', (event) => {
  event.waitUntil(
    run(event.data).then(
      (results) => event.source.postMessage({ results }),
      (error) => event.source.postMessage({ error: error.stack }),
    ),
  );
});
