// What a run draws where frames come late.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alone, openRun, press } from '../../lib/train-act.mjs';

/** Frames that are told to come so many milliseconds apart; counts those that had a new step, and those with a new map. */
const setFrames = (page, apart) =>
  page.evaluateOnNewDocument((gap) => {
    let frame = 0;
    let asked = [];
    let puts = 0;
    window.frames = { stepped: 0, drawn: 0 };
    performance.now = () => frame * gap;
    const status = () => document.querySelector('#train .run-status')?.textContent;
    const show = () => {
      const [before, putsBefore] = [status(), puts];
      const now = asked;
      asked = [];
      frame += 1;
      for (const callback of now) callback(frame * gap);
      if (status() !== before) window.frames.stepped += 1;
      if (puts !== putsBefore) window.frames.drawn += 1;
    };
    window.requestAnimationFrame = (callback) => {
      if (asked.push(callback) === 1) setTimeout(show, 4);
      return 0;
    };
    const { putImageData } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.putImageData = function (...args) {
      if (this.canvas === document.querySelector('#train canvas')) puts += 1;
      return putImageData.apply(this, args);
    };
  }, apart);

/** Of the frames with a new step, from the 30th on, the part that had a new map. */
async function partDrawn(t, apart) {
  const { page } = await openRun(t, `${alone}&train-speed=full`, {
    prepare: (tab) => setFrames(tab, apart),
  });
  const stepped = (frames) =>
    page.waitForFunction((least) => window.frames.stepped >= least && window.frames, {}, frames);
  await press(page, 'Start');
  const first = await (await stepped(30)).jsonValue();
  const last = await (await stepped(70)).jsonValue();
  return (last.drawn - first.drawn) / (last.stepped - first.stepped);
}

test('every step that a frame shows is drawn where frames come in time', async (t) => {
  assert.equal(await partDrawn(t, 16), 1);
});

test('one frame in four is drawn where they come late', async (t) => {
  const part = await partDrawn(t, 60);
  assert.ok(Math.abs(part - 0.25) < 0.05, `${part}`);
});
