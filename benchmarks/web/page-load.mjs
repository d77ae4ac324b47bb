#!/usr/bin/env node
// Measures how soon the page, as built in build/page/, is painted and can be used. See --help.
import { exitWithError, readOptions } from '../../scripts/lib/command.mjs';
import { launchBrowser } from '../../tests/browser/lib/browser.mjs';
import { headers, serveFolder } from '../../tests/browser/lib/server.mjs';
import { fromRoot } from '../../scripts/lib/files.mjs';
import { summary } from './statistics.mjs';

const help = `Usage: node benchmarks/web/page-load.mjs [OPTIONS]

Opens the page in headless Chromium, from a static server on this machine, with nothing kept from
the visit before, and prints the medians of first paint and of the moment when all acts can be used.
With and without cross-origin isolation take turns.

  --rounds=N   how often each is opened (11)
`;

const options = readOptions(help, { rounds: { type: 'string', default: '11' } });
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1)
  exitWithError(`--rounds: expected 1 or more, got ${rounds}`);

async function timesOf(browser, url) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector('main:not([aria-busy])');
  const times = await page.evaluate(() => ({
    paint: performance.getEntriesByName('first-paint')[0]?.startTime,
    interactive: performance.getEntriesByName('interactive')[0].startTime,
  }));
  await context.close();
  return times;
}

const browser = await launchBrowser();
const hosts = [];
for (const [name, more] of [
  ['isolated', headers.isolation],
  ['not isolated', {}],
]) {
  const server = await serveFolder(fromRoot('build/page'), {
    headers: { ...headers.security, ...more },
  });
  hosts.push({ name, server, paints: [], interactives: [] });
}
for (let round = 0; round < rounds; round++) {
  for (const { server, paints, interactives } of hosts) {
    const { paint, interactive } = await timesOf(browser, server.url);
    if (paint !== undefined) paints.push(paint);
    interactives.push(interactive);
  }
}
for (const { name, paints, interactives } of hosts) {
  const show = (times) =>
    `${summary(times).median.toFixed(0)} ms (${Math.min(...times).toFixed(0)} at best)`;
  console.log(`${name}: first paint ${show(paints)}, interactive ${show(interactives)}`);
}
await browser.close();
for (const { server } of hosts) await server.close();
