import { drawTimeline } from './draw-timeline.ts';
import { html, type Html } from './html.ts';
import type { ReportRow } from './report-row.ts';
import { style } from './style.ts';
import { summaryTable } from './summary-table.ts';

/** One page that needs nothing else, as text; `planned` rows were to be done. */
export function reportPage(rows: readonly ReportRow[], planned: number, now: Date): string {
  const title = titleOf(rows, planned);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>Faults: ${title}</title>
        <style>
          ${{ markup: style }}
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        <p>
          Each fault was done to a running system of its own, under the load of customers and
          operators. A fault counts only with a proof that it was done, and a promise only if there
          was something to judge it on. Everything below is calculated from the evidence folders;
          the README of the matrix says how. Written ${now.toISOString()}; all times are UTC.
        </p>
        ${summaryTable(rows)} ${rows.map(sectionOf)}
      </body>
    </html> `.markup;
}

function titleOf(rows: readonly ReportRow[], planned: number): string {
  const red = rows.filter(({ isGreen }) => !isGreen).length;
  const count = rows.length;
  const left = planned > count ? `; ${planned - count} are not done yet` : '';
  if (red > 0) return `✗ ${red} red of ${count} ${count === 1 ? 'fault' : 'faults'}${left}`;
  return `✓ all green, ${count} of ${planned}: every promise was judged and kept${left}`;
}

function sectionOf(row: ReportRow): Html {
  const { number, fault, seed, ops, recovered, timeline, commands } = row;
  return html`<section id="row-${number}">
    <h2>${row.isGreen ? '✓' : '✗'} ${number} ${fault}</h2>
    <p>
      Seed ${seed}; customers’ requests: ${ops.ok} ok, ${ops.failed} refused, ${ops.unknown}
      unknown; recovered in ${recovered}.
    </p>
    ${timeline === undefined ? html`<p>It left no evidence.</p>` : drawTimeline(timeline)}
    <pre>${commands.join('\n')}</pre>
  </section> `;
}
