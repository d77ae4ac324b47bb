// WebKitGTK by its WebDriver, on a display without a screen.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Builder, Capabilities, Key } from 'selenium-webdriver';
import { Pointer } from 'selenium-webdriver/lib/input.js';
import { patience } from './browser.mjs';
import { twoFrames, until } from './until.mjs';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the driver and waits until it answers; gives its address and what ends it. */
async function startDriver(downloads, environment) {
  const port = await freePort();
  // Where a desktop would say which folder is for downloads.
  writeFileSync(join(downloads, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  const child = spawn('xvfb-run', ['--auto-servernum', 'WebKitWebDriver', `--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...process.env,
      ...environment,
      XDG_CONFIG_HOME: downloads,
      // Drawn by the processor alone: its compositor's thread has crashed in Mesa's software renderer, and every test after
      // that waited in vain.
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    },
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
    if (gone) throw new Error(`no WebKitWebDriver: ${gone}; run scripts/setup.sh`);
    await sleep(50);
  }
  return { url, end };
}

/** Keys as puppeteer calls them. */
const keys = {
  Escape: Key.ESCAPE,
  Tab: Key.TAB,
  Enter: Key.ENTER,
  ' ': Key.SPACE,
  Home: Key.HOME,
  End: Key.END,
  ArrowLeft: Key.ARROW_LEFT,
  ArrowRight: Key.ARROW_RIGHT,
  ArrowUp: Key.ARROW_UP,
  ArrowDown: Key.ARROW_DOWN,
};

/** Makes a window as large as a page of that size needs, or as narrow as windows get: 447 pixels. */
async function giveRoom(window, { width, height }) {
  await window.manage().window().setRect({ width, height });
  const [inner, outer] = await window.executeScript(
    'return [[innerWidth, innerHeight], [outerWidth, outerHeight]]',
  );
  await window
    .manage()
    .window()
    .setRect({
      width: width + outer[0] - inner[0],
      height: height + outer[1] - inner[1],
    });
}

/** A window of WebKit, with what the tests of all browsers ask of one. `size` is what a page has of it. */
export async function launchWebKit(downloads, { size, isDark = false } = {}) {
  // It takes the colours of its desktop.
  const driver = await startDriver(downloads, isDark ? { GTK_THEME: 'Adwaita:dark' } : {});
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
  await window.manage().setTimeouts({ script: 2 * patience, pageLoad: 2 * patience });
  const evaluate = (work, ...args) =>
    window.executeScript(`return (${work}).apply(null, arguments)`, ...args);
  const act = (gesture) => gesture(window.actions({ async: false })).perform();
  const finger = new Pointer('finger', Pointer.Type.TOUCH);
  if (size !== undefined) await giveRoom(window, size);
  return {
    open: (address) => window.get(address),
    evaluate,
    run: (script) => window.executeScript(script),
    async waitFor(selector) {
      const isThere = () => evaluate((wanted) => document.querySelector(wanted) !== null, selector);
      await window.wait(isThere, patience, `${selector} does not come`);
    },
    async screenshot(path) {
      let picture;
      const taken = window.takeScreenshot().then((base64) => (picture = base64));
      // It comes with a next frame: on a busy machine the last one may be past already, and nothing asks for another.
      await until(async () => {
        await Promise.race([taken, sleep(1000)]);
        if (picture === undefined) await evaluate(twoFrames);
        return picture;
      }, 'no picture of the window');
      writeFileSync(path, picture, 'base64');
    },
    moveTo: (x, y) =>
      act((actions) => actions.move({ x: Math.round(x), y: Math.round(y), duration: 0 })),
    holdDown: () => act((actions) => actions.press()),
    letGo: () => act((actions) => actions.release()),
    touch: (x, y) =>
      window
        .actions({ async: false })
        .insert(
          finger,
          finger.move({ x: Math.round(x), y: Math.round(y), duration: 0 }),
          finger.press(),
          finger.release(),
        )
        .perform(),
    press: (key, { shift = false } = {}) =>
      act((actions) =>
        shift
          ? actions.keyDown(Key.SHIFT).keyDown(keys[key]).keyUp(keys[key]).keyUp(Key.SHIFT)
          : actions.keyDown(keys[key]).keyUp(keys[key]),
      ),
    // There is no listening to its console, nor to what fails in the page.
    problems: [],
    async close() {
      await window.quit();
      driver.end();
    },
  };
}
