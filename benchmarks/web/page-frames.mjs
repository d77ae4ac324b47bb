#!/usr/bin/env node
// Measures how many frames a second the page shows while a model is trained in it. See --help.
import { exitWithError, readOptions } from '../../scripts/lib/command.mjs';
import { launchBrowser } from '../../tests/browser/lib/browser.mjs';
import { servePage } from '../../tests/browser/lib/server.mjs';
import { summary } from './statistics.mjs';

const help = `Usage: node benchmarks/web/page-frames.mjs [OPTIONS]

Opens the act on training of build/page/ in a headless browser and counts its frames: at rest, at the
default speed, at full speed, and at full speed with the largest model and one head enlarged, in
turn. Prints medians over the rounds: frames a second, frames that came late, tasks beyond 50 ms,
which Firefox does not tell.

  --browser=NAME   chrome or firefox (chrome)
  --rounds=N       how often each is counted (5)
  --seconds=N      for how long each time (4)
`;

const options = readOptions(help, {
  browser: { type: 'string', default: 'chrome' },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '4' },
});
const [rounds, seconds] = ['rounds', 'seconds'].map((name) => {
  const value = Number(options[name]);
  if (!(value >= 1)) exitWithError(`--${name}: expected 1 or more, got ${options[name]}`);
  return value;
});

if (!['chrome', 'firefox'].includes(options.browser)) {
  exitWithError(`--browser: expected chrome or firefox, got ${options.browser}`);
}

const cases = [
  { name: 'at rest', query: '', trains: false },
  { name: '60 steps a second', query: '', trains: true },
  { name: 'full speed', query: '?train-speed=full', trains: true },
  {
    name: 'full speed, 3 layers of 4 heads, one enlarged',
    query: '?train-speed=full&train-layers=3&train-heads=4',
    trains: true,
    enlarges: true,
  },
].map((each) => ({ ...each, counts: [] }));

/** In the page: its frames for so many milliseconds. */
async function countFrames(milliseconds) {
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()));
  const tellsTasks = PerformanceObserver.supportedEntryTypes.includes('longtask');
  if (tellsTasks) observer.observe({ type: 'longtask' });
  const step = () => Number(/\d+/.exec(document.querySelector('#train .run-status').textContent));
  const [from, firstStep] = [performance.now(), step()];
  const times = [];
  await new Promise((resolve) => {
    const count = (time) => {
      times.push(time);
      if (time - from < milliseconds) requestAnimationFrame(count);
      else resolve();
    };
    requestAnimationFrame(count);
  });
  observer.disconnect();
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  const duration = times.at(-1) - times[0];
  return {
    frames: (1000 * gaps.length) / duration,
    late: (100 * gaps.filter((gap) => gap > 25).length) / gaps.length,
    longest: Math.max(...gaps),
    tasks: tellsTasks ? tasks.length : NaN,
    steps: (1000 * (step() - firstStep)) / duration,
  };
}

const browser = await launchBrowser(options.browser);
const server = await servePage();
for (let round = 0; round < rounds; round++) {
  for (const { query, trains, enlarges, counts } of cases) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`${server.url}${query}#train`);
    await page.waitForFunction(() =>
      document.querySelector('#train .run-status')?.textContent.startsWith('Step 0'),
    );
    if (enlarges) await page.click('#train .head-card');
    await page.$eval('#train .playback', (bar) => bar.scrollIntoView());
    await new Promise((resolve) => setTimeout(resolve, 1000));
    if (trains) await page.click('#train .playback button.primary');
    counts.push(await page.evaluate(countFrames, 1000 * seconds));
    await context.close();
  }
}
for (const { name, counts } of cases) {
  const median = (what) => summary(counts.map((count) => count[what])).median;
  const parts = [
    `${median('frames').toFixed(1)} frames a second`,
    `${median('late').toFixed(1)} % late`,
    `the longest after ${median('longest').toFixed(0)} ms`,
    ...(Number.isNaN(median('tasks')) ? [] : [`${median('tasks')} tasks beyond 50 ms`]),
    `${median('steps').toFixed(0)} steps a second`,
  ];
  console.log(`${name}: ${parts.join(', ')}`);
}
await browser.close();
await server.close();
