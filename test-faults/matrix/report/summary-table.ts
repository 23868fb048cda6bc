import { invariants } from '../checker/check.ts';
import { html, type Html } from './html.ts';
import type { ReportRow } from './report-row.ts';

/** A line for each fault, and below a red one why it is red and how to see that again. */
export function summaryTable(rows: readonly ReportRow[]): Html {
  return html`<div class="wide">
      <table class="summary">
        <thead>
          <tr>
            <th rowspan="2"></th>
            <th rowspan="2">Fault</th>
            <th rowspan="2">Seed</th>
            <th rowspan="2">Done, by what proof</th>
            <th colspan="3">Customers’ requests</th>
            <th rowspan="2">Recovered in</th>
            <th colspan="${invariants.length}">Promises: items judged, and whether all held</th>
          </tr>
          <tr>
            <th>ok</th>
            <th>refused</th>
            <th>unknown</th>
            ${invariants.map(({ number, says }) => html`<th title="${says}">${number}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(rowOf)}
        </tbody>
      </table>
    </div>
    <ol class="promises">
      ${invariants.map(({ number, says }) => html`<li value="${number}">${says}</li> `)}
    </ol> `;
}

function rowOf(row: ReportRow): Html {
  const { number, fault, seed, ops, recovered } = row;
  return html`<tr class="${row.isGreen ? 'green' : 'red'}">
      <td>${row.isGreen ? '✓' : '✗'}</td>
      <td class="name"><a href="#row-${number}">${number} ${fault}</a></td>
      <td class="count">${seed}</td>
      <td class="proof">${proofOf(row)}</td>
      <td class="count">${ops.ok}</td>
      <td class="count">${ops.failed}</td>
      <td class="count">${ops.unknown}</td>
      <td class="count">${recovered}</td>
      ${invariants.map((invariant) => promiseOf(row, invariant.number))}
    </tr>
    ${row.isGreen ? [] : [whyOf(row)]}`;
}

function proofOf({ fired }: ReportRow): Html {
  const [first, ...more] = fired;
  if (first === undefined) return html`<b class="bad">never done</b>`;
  const others = more.length > 0 ? `; and ${more.length} more` : '';
  return html`<b>${fired.length}×</b> ${first.what}${others}`;
}

function promiseOf({ promises }: ReportRow, number: number): Html {
  const promise = promises.find((one) => one.number === number);
  if (promise === undefined) return html`<td class="count bad">–</td>`;
  const { judged, holds } = promise;
  return html`<td class="count ${holds ? 'good' : 'bad'}">${judged} ${holds ? '✓' : '✗'}</td>`;
}

function whyOf({ why, commands }: ReportRow): Html {
  return html`<tr class="why">
    <td></td>
    <td colspan="${7 + invariants.length}">
      <ul>
        ${why.map((one) => html`<li>${one}</li> `)}
      </ul>
      <pre>${commands.join('\n')}</pre>
    </td>
  </tr> `;
}
