import { html, render, type TemplateResult } from 'lit-html';

import { formatShape } from '../../format/numbers.js';
import { element, paragraph } from '../../ui/dom.js';
import { type Pass, sizes } from './pass.js';
import { type Axis, axes, steps, type StepNumber } from './steps.js';
import { words } from './words.js';

export interface StepText {
  readonly root: HTMLElement;
  /** `head` is counted from 0. */
  draw(pass: Pass, step: StepNumber, head: number): void;
}

/** A step in words, in code and in shapes. */
export function createStepText(): StepText {
  const title = element('h3', {});
  const sentence = element('div', { class: 'figure-sentence' });
  const code = element('div', { class: 'figure-code' });
  const shapes = element('div', { class: 'figure-shapes' });
  return {
    root: element(
      'section',
      { class: 'figure-step', 'aria-label': words.step },
      title,
      sentence,
      element('div', { class: 'figure-code-row' }, code, shapes),
    ),
    draw(pass, step, head) {
      const { heads, headSize, mask } = pass;
      const { hiddens, validLen } = sizes;
      const told = { heads, headSize, hiddens, validLen, mask, head: head + 1 };
      title.textContent = words.stepOf(step);
      sentence.replaceChildren(paragraph(words.sentences[step](told)));
      render(codeOf(step), code);
      render(shapesOf(pass, step), shapes);
    },
  };
}

function codeOf(step: StepNumber): TemplateResult {
  const lines = steps[step].code.map((line) =>
    line.split(/[⟦⟧]/).map((piece, at) => (at % 2 === 1 ? html`<mark>${piece}</mark>` : piece)),
  );
  return html`<h4>${words.code}</h4>
    <pre tabindex="0" role="region" aria-label=${words.code}><code>${lines.map(
      (line) => html`<span class="figure-code-line">${line}</span>`,
    )}</code></pre>`;
}

function shapesOf(pass: Pass, step: StepNumber): TemplateResult {
  const { length, hiddens } = sizes;
  const { heads, headSize } = pass;
  const lengthOf: Readonly<Record<Axis, number>> = {
    ...{ batch: 1, heads, batchHeads: heads, queries: length, keys: length, hiddens, headSize },
  };
  return html`<h4>${words.shapes}</h4>
    <dl>
      ${steps[step].shapes.map(
        ([name, ...own]) =>
          html`<div>
            <dt><code>${name}</code></dt>
            <dd>
              <span class="figure-shape">${formatShape(own.map((axis) => lengthOf[axis]))}</span>
              <span class="figure-axes">(${own.map((axis) => axes[axis]).join(', ')})</span>
            </dd>
          </div>`,
      )}
    </dl>`;
}
