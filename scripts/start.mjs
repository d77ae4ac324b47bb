#!/usr/bin/env node
// Sets up, builds, shows the toy example and serves the page. See --help.
import { giveUp, readOptions } from './lib/command.mjs';
import { fromRoot } from './lib/files.mjs';
import { endWithSignals, run } from './lib/process.mjs';
import { productSteps } from './lib/product-steps.mjs';
import { runSteps } from './lib/steps.mjs';

const help = `Usage: npm start [-- OPTIONS]

Sets up what is missing, builds what is not up to date, prints the toy example's result and serves
the page until Ctrl-C.

  --port=NUMBER   the port to serve at; 4173 or the next that is free if left out
  --host=NAME     the address to serve at; 127.0.0.1 if left out, 0.0.0.0 for all
  --no-serve      ends after the toy example
`;

const options = readOptions(help, {
  port: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  'no-serve': { type: 'boolean' },
});
const port = options.port === undefined ? 4173 : Number(options.port);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  giveUp(`--port: expected a number from 0 to 65535, got ${options.port}`);
}

let server;
endWithSignals(async () => {
  await server?.close();
  // To end what serves until it is ended is no failure.
  return server && 0;
});

const { failed } = await runSteps(productSteps('build'));
if (failed) process.exit(1);

console.log();
await run(process.execPath, [fromRoot('examples/toy.mjs')]).catch((error) => giveUp(error.message));

if (!options['no-serve']) {
  server = await serve();
  const [address] = [...server.resolvedUrls.local, ...server.resolvedUrls.network];
  console.log(`\nThe page is at ${address} (Ctrl-C ends it)`);
}

/** Vite, unlike the rest of this script, is there only once the steps have run. */
async function serve() {
  const { preview } = await import('vite');
  const strictPort = options.port !== undefined;
  try {
    return await preview({
      root: fromRoot('web'),
      logLevel: 'warn',
      preview: { host: options.host, port, strictPort, open: false },
    });
  } catch (error) {
    return giveUp(`The page cannot be served: ${error.message}`);
  }
}
