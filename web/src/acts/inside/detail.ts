import { html, nothing, render, type TemplateResult } from 'lit-html';

import type { Store } from '../../address/store.js';
import { followTheme } from '../../attention/colour.js';
import { formatShape } from '../../format/numbers.js';
import { element, marked, withHeadColour } from '../../ui/dom.js';
import { createMatrixView, type MatrixView } from './matrix-view.js';
import type { Pass } from './pass.js';
import { createScoreView } from './score-view.js';
import type { InsideState } from './state.js';
import { axes, type Part, steps, type StepNumber } from './steps.js';
import { sayStep, words } from './words.js';

/** A step in words, numbers, code and shapes. */
export function createDetail(
  store: Store<InsideState>,
  onLook: (weight: number | undefined) => void,
) {
  const text = element('div.inside-text');
  const readOut = element('p.read-out.inside-read-out');
  const matrices = element('div.inside-matrices.row');
  const code = element('div.inside-code');
  const shapes = element('div.inside-shapes');
  const score = createScoreView(store);
  const views = new Map<Part, MatrixView>();
  const viewOf = (part: Part): MatrixView => {
    const view =
      views.get(part) ??
      createMatrixView((sentence, weight) => {
        readOut.textContent = sentence ?? words.hint;
        onLook(weight);
      });
    views.set(part, view);
    return view;
  };
  let shown: [Pass, InsideState, number] | undefined;
  let made = '';
  let madeOf: Pass | undefined;

  /** @param head from 0 */
  const draw = (pass: Pass, state: InsideState, head: number): void => {
    shown = [pass, state, head];
    const { step } = state;
    const isScore = step === 3 || step === 4;
    if (isScore) score.draw(pass, state, head);
    // A divisor, a query or a key changes nothing else.
    if (made === `${step} ${head}` && madeOf === pass) return;
    [made, madeOf] = [`${step} ${head}`, pass];
    withHeadColour(text, head);
    render(textOf(pass, step, head), text);
    score.root.hidden = !isScore;
    matrices.hidden = isScore;
    readOut.hidden = isScore;
    readOut.textContent = words.hint;
    if (!isScore) {
      const { enlarged, results } = steps[step];
      for (const part of enlarged) viewOf(part).draw(pass, part, head);
      render(
        enlarged.map((part, at) => {
          const sign =
            at === 0 ? nothing : results.includes(part) && step !== 2 ? '→' : signOf(step);
          return html`${sign === nothing ? nothing : html`<span class="inside-sign soft small" aria-hidden="true">${sign}</span>`}${viewOf(part).root}`;
        }),
        matrices,
      );
    }
    render(codeOf(step), code);
    render(shapesOf(pass, step), shapes);
  };
  followTheme(() => {
    made = '';
    if (shown !== undefined) draw(...shown);
  });
  return {
    root: element(
      'section.inside-detail.stack',
      { 'aria-label': words.step },
      text,
      matrices,
      readOut,
      score.root,
      element('div.inside-source', code, shapes),
    ),
    score,
    draw,
  };
}

/** Between operands; the split has three results and none. */
function signOf(step: StepNumber): string | typeof nothing {
  if (step === 1 || step === 9) return words.timesTransposed;
  return step === 7 ? '×' : nothing;
}

function textOf(pass: Pass, step: StepNumber, head: number): TemplateResult {
  return html`<h3>${marked(sayStep(step))}</h3>
    <p>${marked(words.sentences[step](pass, head + 1))}</p>`;
}

function codeOf(step: StepNumber): TemplateResult {
  const lines = steps[step].code.map((line) =>
    line.split(/[⟦⟧]/).map((piece, at) => (at % 2 === 1 ? html`<mark>${piece}</mark>` : piece)),
  );
  return html`<h4>${words.code}</h4>
    <pre tabindex="0" role="region" aria-label=${words.code}><code>${lines.map(
      (line) => html`<span class="inside-code-line">${line}</span>`,
    )}</code></pre>`;
}

function shapesOf({ lengthOf }: Pass, step: StepNumber): TemplateResult {
  return html`<h4>${words.shapes}</h4>
    <dl class="stack">
      ${steps[step].shapes.map(
        ([name, ...own]) =>
          html`<div class="row">
            <dt><code>${name}</code></dt>
            <dd>
              <span class="inside-shape">${formatShape(own.map((axis) => lengthOf[axis]))}</span>
              <span class="inside-axes soft">(${own.map((axis) => axes[axis]).join(', ')})</span>
            </dd>
          </div>`,
      )}
    </dl>`;
}
