// A term opened for its definition: in Chromium, Firefox and WebKit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAct as open } from '../lib/acts.mjs';
import { engineName } from '../lib/engines.mjs';
import { until } from '../lib/until.mjs';

test(`a term opens its definition by keyboard and pointer, in ${engineName}`, async (t) => {
  const act = await open(t, '#align');
  const term = '#align .act-lead .term';
  const isShown = () =>
    act.evaluate(() => {
      const definition = document.querySelector('.definition');
      if (definition === null || !definition.matches(':popover-open')) return false;
      const { left, right, top, width } = definition.getBoundingClientRect();
      const word = document.querySelector('[aria-expanded="true"].term').getBoundingClientRect();
      return left >= 0 && right <= innerWidth && width > 0 && Math.abs(top - word.bottom) < 100;
    });
  const comes = () => until(isShown, () => 'no definition');
  const goes = () =>
    until(
      async () => !(await isShown()),
      () => 'the definition stays',
    );

  await act.tabTo(term);
  await act.press('Enter');
  await comes();
  assert.match(await act.textOf('.definition'), /^A decoder writes a sequence token by token/);
  await act.press('Enter');
  await goes();
  await act.press('Enter');
  await comes();
  await act.press('Escape');
  await goes();
  await act.click(term);
  await comes();
  await act.click(term);
  await goes();
});

test(`a question links to a view of an act without a reload, in ${engineName}`, async (t) => {
  const act = await open(t, '?question=why-sqrt-d&hide=reset#questions');
  await act.evaluate(() => {
    window.isSame = true;
  });
  // What loads above would move the link from under a press.
  await act.waitFor('#align .align-figure');
  await act.click('#questions a', 'the division in the figure');
  await act.waitForText('#figure h3', /^Step 4 of 9: Scale/);
  const { isSame, address } = await act.evaluate(() => ({
    isSame: window.isSame,
    address: window.location.search + window.location.hash,
  }));
  assert.equal(isSame, true);
  assert.equal(address, '?question=why-sqrt-d&hide=reset&figure-step=4#figure');
});
