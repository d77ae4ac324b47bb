// What tests of the heads read and press.
import assert from 'node:assert/strict';

/** Opens what an act has folded away below its controls. */
export const unfold = (page, within) =>
  page.$$eval(`${within} .rail-more`, (all) => all.forEach((more) => (more.open = true)));

/** A control of an act by the name and role that a screen reader tells. */
export async function control(page, name, role, within = '#heads') {
  await unfold(page, within);
  const found = await page.$(`${within} ::-p-aria([name="${name}"][role="${role}"])`);
  assert.ok(found, `no ${role} named ${name}`);
  return found;
}

export const press = async (page, name, role) => (await control(page, name, role)).click();

/** Saves a figure of an act by the label of the button in the act's menu. */
export async function save(page, name, within = '#heads') {
  await unfold(page, within);
  await page.click(`${within} .save-toggle`);
  await page.click(`${within} .save-list [aria-label="${name}"]`);
}

export const textOf = (page, selector) => page.$eval(selector, (found) => found.textContent);

/** A cell of a small map, counted from 0. */
export const cellAt = (page, sample, head, query, key, within = '.samples') =>
  page.$(
    `#heads ${within} .cell[data-sample="${sample}"][data-head="${head}"]` +
      `[data-query="${query}"][data-key="${key}"]`,
  );

/** Focuses a slider and presses keys on it. */
export async function slide(page, name, ...keys) {
  await (await control(page, name, 'slider')).focus();
  for (const key of keys) await page.keyboard.press(key);
}

/** Replaces what a field holds. */
export async function write(page, name, words) {
  const field = await control(page, name, 'textbox');
  await field.evaluate((area, written) => {
    area.focus();
    area.value = written;
    area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }, words);
}
