import { html, type Html } from './html.ts';
import type { Moment } from './moments.ts';
import { chart, clock, type Scale } from './scale.ts';

const badge = { width: 22, height: 20 };
const lane = 16;
/** A span that is as wide has room for its name. */
const roomForName = 90;

/** Above the charts: a numbered badge for each moment, and what was going on between them. */
export function drawBadges(moments: readonly Moment[], scale: Scale): Html {
  const ends: number[] = [];
  const placed = moments.map(({ kind, atMs }, i) => {
    const x = scale.x(atMs);
    // Those that would touch are put below each other.
    const free = ends.findIndex((end) => end <= x - badge.width / 2);
    const row = free === -1 ? ends.length : free;
    ends[row] = x + badge.width / 2;
    return { kind, number: i + 1, x, y: row * badge.height + badge.height / 2 };
  });
  const badges = ends.length * badge.height;
  const height = badges + lane;
  return html`<svg viewBox="0 0 ${chart.width} ${height}" aria-hidden="true">
    ${drawSpans(moments, scale, badges, height)}
    ${placed.map(({ kind, x, y }) => html`<path class="mark ${kind}" d="M${x} ${y}V${height}" /> `)}
    ${placed.map(
      ({ kind, number, x, y }) =>
        html`<circle class="badge ${kind}" cx="${x}" cy="${y}" r="9" />
          <text class="number" x="${x}" y="${y + 4}">${number}</text> `,
    )}
    ${spansOf(moments)
      .map(({ name, fromMs, toMs }) => ({ name, from: scale.x(fromMs), to: scale.x(toMs) }))
      .filter(({ from, to }) => to - from > roomForName)
      .map(
        ({ name, from }) =>
          html`<text class="span-name" x="${from + 8}" y="${height - 4}">${name}</text> `,
      )}
  </svg>`;
}

/** The moments across a chart, from one height to another. */
export function drawMarks(moments: readonly Moment[], { x }: Scale, from: number, to: number) {
  return moments.map(
    ({ kind, atMs }) => html`<path class="mark ${kind}" d="M${x(atMs)} ${from}V${to}" /> `,
  );
}

/** Behind a chart: while the fault was on, and while what it had done was made good. */
export function drawSpans(moments: readonly Moment[], { x }: Scale, from: number, to: number) {
  return spansOf(moments).map(
    ({ kind, fromMs, toMs }) =>
      html`<path class="span ${kind}" d="M${x(fromMs)} ${from}H${x(toMs)}V${to}H${x(fromMs)}Z" /> `,
  );
}

type Span = { kind: string; name: string; fromMs: number; toMs: number };

/** The fault begins where the evidence says so, or else with its first proof. */
function spansOf(moments: readonly Moment[]): Span[] {
  const find = (...kinds: Moment['kind'][]) => moments.find(({ kind }) => kinds.includes(kind));
  const span = (kind: string, from: Moment | undefined, to: Moment | undefined): Span[] => {
    if (from === undefined || to === undefined || to.atMs <= from.atMs) return [];
    const name = `${kind} ${((to.atMs - from.atMs) / 1_000).toFixed(1)} s`;
    return [{ kind, name, fromMs: from.atMs, toMs: to.atMs }];
  };
  const undone = find('undone');
  return [
    ...span('fault', find('began', 'fired'), undone),
    ...span('recovery', undone, find('recovered')),
  ];
}

/** What the numbers of the badges stand for. */
export function listMoments(moments: readonly Moment[], startMs: number): Html {
  return html`<table class="moments">
    ${moments.map(
      ({ kind, atMs, says }, i) =>
        html`<tr>
          <td><span class="dot ${kind}">${i + 1}</span></td>
          <td>${clock(atMs)}.${new Date(atMs).toISOString().slice(20, 23)}</td>
          <td class="count">+${((atMs - startMs) / 1_000).toFixed(1)} s</td>
          <td>${says}</td>
        </tr> `,
    )}
  </table> `;
}
