import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What a panel of a dashboard shows. */
export type DrawnPanel = {
  title: string;
  unit: string;
  series: readonly { label: string; values: readonly (number | null)[] }[];
};
export type DrawnRow = { title: string; panels: readonly DrawnPanel[] };

const read = (path: string) => readFileSync(createRequire(import.meta.url).resolve(path), 'utf8');

/**
 * A page that draws the panels of a dashboard in three columns, as Grafana lays them out. The page
 * has all that it needs inside.
 */
export function dashboardPage(title: string, times: readonly number[], rows: readonly DrawnRow[]) {
  const data = JSON.stringify({ title, times, rows }).replaceAll('<', '\\u003c');
  return `<!doctype html><meta charset="utf-8"><title>${title}</title>
<style>${read('uplot/dist/uPlot.min.css')}
body { margin: 16px; width: 1168px; background: #fff; color: #24292e; font: 12px Arial, sans-serif }
h1 { font-size: 18px; margin: 0 0 8px } h2 { font-size: 14px; margin: 12px 0 6px }
.row { display: grid; grid-template-columns: repeat(3, 1fr); gap: 8px }
.panel { border: 1px solid #d8d9da; padding: 6px 8px; min-width: 0 }
.panel b { display: block; margin-bottom: 2px }
.legend { color: #555; font-size: 10px; max-height: 24px; overflow: hidden }
.legend i { display: inline-block; width: 8px; height: 3px; margin: 0 3px 3px 6px }
</style><body><script>${read('uplot/dist/uPlot.iife.min.js')}</script>
<script>const page = ${data}; (${draw.toString()})(page);</script>`;
}

type Page = { title: string; times: readonly number[]; rows: readonly DrawnRow[] };
type Element = {
  append(...children: (Element | string)[]): void;
  className: string;
  textContent: string;
  style: { background: string };
};
declare const document: { body: Element; createElement(tag: string): Element };
declare const uPlot: new (options: object, data: unknown, parent: Element) => unknown;

/** Runs in the browser, so it uses nothing from outside. */
function draw({ title, times, rows }: Page): void {
  const colours = '7eb26d eab839 6ed0e0 ef843c e24d42 1f78c1 ba43a9 705da0 508642 cca300'.split(
    ' ',
  );
  const colourOf = (i: number) => `#${colours[i % colours.length]}`;

  function element(tag: string, className: string, text = ''): Element {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  }

  function format(unit: string, value: number): string {
    const size = Math.abs(value);
    const short = (n: number) => String(Number(n.toPrecision(3)));
    if (unit === 's' && size > 0 && size < 1) return `${short(value * 1_000)} ms`;
    if (unit === 's') return `${short(value)} s`;
    if (unit === 'percentunit') return `${short(value * 100)} %`;
    if (unit === 'bytes') return `${short(value / 1_048_576)} MiB`;
    return size >= 1_000 ? `${short(value / 1_000)} K` : short(value);
  }

  function legendOf({ series }: DrawnPanel): Element {
    const legend = element('div', 'legend');
    series.forEach(({ label }, i) => {
      const mark = element('i', '');
      mark.style.background = colourOf(i);
      legend.append(mark, label);
    });
    if (series.length === 0) legend.append('No data');
    return legend;
  }

  document.body.append(element('h1', '', title));
  for (const row of rows) {
    const grid = element('div', 'row');
    document.body.append(element('h2', '', row.title), grid);
    for (const panel of row.panels) {
      const box = element('div', 'panel');
      grid.append(box);
      box.append(element('b', '', panel.title));
      const options = {
        ...{ width: 364, height: 116, legend: { show: false }, cursor: { show: false } },
        scales: {
          y: {
            range: (_: unknown, low: number, high: number) => [
              Math.min(0, low),
              high > 0 ? high * 1.05 : 1,
            ],
          },
        },
        axes: [
          {
            ...{ size: 26, gap: 2, font: '10px Arial', incrs: [60, 120, 300, 600, 1_800, 3_600] },
            values: (_: unknown, ticks: number[]) =>
              ticks.map((tick) => new Date(tick * 1_000).toISOString().slice(11, 16)),
          },
          {
            size: 56,
            font: '10px Arial',
            values: (_: unknown, ticks: number[]) => ticks.map((tick) => format(panel.unit, tick)),
          },
        ],
        series: [
          {},
          ...panel.series.map((_, i) => ({
            stroke: colourOf(i),
            width: 1,
            points: { show: false },
          })),
        ],
      };
      new uPlot(options, [times, ...panel.series.map(({ values }) => values)], box);
      box.append(legendOf(panel));
    }
  }
}
