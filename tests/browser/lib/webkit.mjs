// WebKitGTK by its WebDriver, on a display without a screen.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Builder, Capabilities } from 'selenium-webdriver';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the driver and waits until it answers; gives its address and what ends it. */
async function startDriver() {
  const port = await freePort();
  const child = spawn('xvfb-run', ['--auto-servernum', 'WebKitWebDriver', `--port=${port}`], {
    stdio: 'ignore',
    // A group of its own: xvfb-run passes no signal on.
    detached: true,
  });
  let gone;
  child.once('error', (error) => (gone = error.message));
  child.once('exit', (code) => (gone = `exit code ${code}`));
  const url = `http://127.0.0.1:${port}`;
  const end = () => gone ?? process.kill(-child.pid, 'SIGTERM');
  process.once('exit', end);
  const isUp = () =>
    fetch(`${url}/status`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (gone) throw new Error(`no WebKitWebDriver: ${gone}; run node scripts/setup.mjs`);
    await sleep(50);
  }
  return { url, end };
}

/** A window of WebKit, with what the tests of all browsers ask of one. */
export async function launchWebKit() {
  const driver = await startDriver();
  const capabilities = new Capabilities({
    browserName: 'MiniBrowser',
    'webkitgtk:browserOptions': { args: ['--automation'] },
  });
  const window = await new Builder()
    .usingServer(driver.url)
    .withCapabilities(capabilities)
    .build()
    .catch((error) => {
      driver.end();
      throw error;
    });
  const evaluate = (work, ...args) =>
    window.executeScript(`return (${work}).apply(null, arguments)`, ...args);
  return {
    open: (address) => window.get(address),
    evaluate,
    async waitFor(selector) {
      const isThere = () => evaluate((wanted) => document.querySelector(wanted) !== null, selector);
      await window.wait(isThere, 30_000, `${selector} does not come`);
    },
    async screenshot(path) {
      writeFileSync(path, await window.takeScreenshot(), 'base64');
    },
    // There is no listening to its console, nor to what fails in the page.
    problems: [],
    async close() {
      await window.quit();
      driver.end();
    },
  };
}
