// WebKitGTK, driven by its WebDriver on a virtual display.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Builder, Capabilities, Key } from 'selenium-webdriver';
import { Pointer } from 'selenium-webdriver/lib/input.js';
import { patience } from './browser.mjs';
import { startServer } from './processes.mjs';
import { twoFrames, until } from './until.mjs';

/** Starts the driver. */
function startDriver(downloads, environment) {
  // Desktops set the download folder here.
  writeFileSync(join(downloads, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  const env = {
    ...process.env,
    ...environment,
    XDG_CONFIG_HOME: downloads,
    // The compositor's thread has crashed in Mesa's software renderer, and all later tests hung.
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  };
  const line = 'xvfb-run --auto-servernum WebKitWebDriver --port=PORT';
  // By SIGKILL, xvfb-run would leave its lock behind.
  return startServer(line, { env }, { path: 'status', signal: 'SIGTERM' });
}

/** Keys by puppeteer's names. */
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

/** Resizes a window so that its page has this size; windows are at least 447 pixels wide. */
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

/** A window of WebKit with the interface of engines.mjs. `size` is that of its page. */
export async function launchWebKit(downloads, { size, isDark = false } = {}) {
  // WebKit follows the colours of the desktop.
  const driver = await startDriver(downloads, isDark ? { GTK_THEME: 'Adwaita:dark' } : {});
  const capabilities = new Capabilities({
    browserName: 'MiniBrowser',
    'webkitgtk:browserOptions': { args: ['--automation'] },
  });
  const window = await new Builder()
    .usingServer(driver.url)
    .withCapabilities(capabilities)
    .build()
    .catch(async (error) => {
      await driver.close();
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
      // It is taken with the next frame. On a busy machine no other frame may follow, so ask for one.
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
    // WebDriver does not report the console or failed requests.
    problems: [],
    async close() {
      await window.quit();
      await driver.close();
    },
  };
}
