import { max } from 'd3-array';
import { html, render, type TemplateResult } from 'lit-html';

import { formatNumber, formatShort } from '../../format/numbers.js';
import { element } from '../../ui/dom.js';
import { contributions, countProjections, layerCounts, projectionDifference } from './facts.js';
import type { QuestionName } from './state.js';
import { words } from './words.js';

/** What is computed for an answer, if anything is. */
export function evidenceOf(question: QuestionName): HTMLElement | undefined {
  const content = makers[question]?.();
  if (content === undefined) return undefined;
  const root = element('div', { class: 'question-evidence' });
  render(content, root);
  return root;
}

const makers: Readonly<Partial<Record<QuestionName, () => TemplateResult>>> = {
  'h-projections': differenceOf,
  'input-slice': projectionTable,
  'giant-head': headTable,
  'weight-importance': contributionTable,
};

function differenceOf(): TemplateResult {
  const { heads, difference } = projectionDifference();
  return html`<p>${words.difference(heads, formatNumber(difference))}</p>`;
}

function projectionTable(): TemplateResult {
  const { table } = words;
  const rows = [
    [table.whole, countProjections('linear')],
    [table.slice, countProjections('convolution')],
    [table.none, countProjections('none')],
  ] as const;
  return html`<table>
    <caption>
      ${table.projection}
    </caption>
    <thead>
      <tr>
        <th scope="col">${table.sees}</th>
        <th scope="col" class="is-number">${table.parameters}</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([name, count]) =>
          html`<tr>
            <th scope="row">${name}</th>
            <td class="is-number">${count}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function headTable(): TemplateResult {
  const { table } = words;
  return html`<table>
    <caption>
      ${table.giant}
    </caption>
    <thead>
      <tr>
        <th scope="col">${table.heads}</th>
        <th scope="col" class="is-number">${table.parameters}</th>
        <th scope="col" class="is-number">${table.weightsPerQuery}</th>
      </tr>
    </thead>
    <tbody>
      ${[5, 1].map((heads) => {
        const { parameters, weights } = layerCounts(heads);
        return html`<tr>
          <th scope="row">${heads}</th>
          <td class="is-number">${parameters}</td>
          <td class="is-number">${table.product(...weights)}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

function contributionTable(): TemplateResult {
  const { caption, columns } = words.contribution;
  const { head, query, keys } = contributions();
  const bar = (column: 'weight' | 'product', value: number): TemplateResult => {
    const largest = max(keys, (key) => key[column]) ?? 1;
    return html`<td data-column=${column} data-value=${value} ?data-largest=${value === largest}>
      <span class="contribution">
        <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width=${value / largest} height="1"></rect>
        </svg>
        ${formatShort(value)}
      </span>
    </td>`;
  };
  return html`<table class="contributions">
    <caption>
      ${caption(head, query)}
    </caption>
    <thead>
      <tr>
        <th scope="col">${columns.key}</th>
        <th scope="col">${columns.weight}</th>
        <th scope="col" class="is-number">${columns.norm}</th>
        <th scope="col">${columns.product}</th>
      </tr>
    </thead>
    <tbody>
      ${keys.map(
        ({ weight, norm, product }, at) =>
          html`<tr>
            <th scope="row">${at + 1}</th>
            ${bar('weight', weight)}
            <td class="is-number" data-column="norm" data-value=${norm}>${formatShort(norm)}</td>
            ${bar('product', product)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
