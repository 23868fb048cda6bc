import { drawMarks, drawSpans } from './draw-moments.ts';
import { html, type Html } from './html.ts';
import type { Moment } from './moments.ts';
import { chart, clock, type Scale, scaleOf } from './scale.ts';
import type { Series, Steps } from './timeline.ts';

export type ChartOptions = {
  title: string;
  series: readonly Series[];
  /** Bars stand on each other; lines cross. */
  as: 'bars' | 'lines';
  /** Classes of the colours, in order of the series. */
  colours: readonly string[];
  steps: Steps;
  moments: readonly Moment[];
};

/** One chart over the time of a row, with its title, its legend and the moments of the row. */
export function drawChart(options: ChartOptions): Html {
  const { title, series, as, colours, steps, moments } = options;
  const tops = Array.from({ length: steps.count }, (_, i) =>
    series
      .map(({ values }) => values[i]!)
      .reduce((a, b) => (as === 'bars' ? a + b : Math.max(a, b)), 0),
  );
  const scale = scaleOf(steps, Math.max(...tops));
  const [top, bottom] = [chart.top, chart.height - chart.bottom];
  const shapes = as === 'bars' ? barsOf : linesOf;
  const colourOf = (i: number) => colours[i % colours.length]!;
  const legend = series.map(
    ({ name, values }, i) =>
      html`<span class="key ${colourOf(i)}"
        >${name}<small> max ${numberOf(Math.max(...values))}</small></span
      >`,
  );
  const drawn = shapes(series, steps, scale).map(
    (path, i) => html`<path class="${as} ${colourOf(i)}" d="${path}" />`,
  );
  return html`<figure>
    <figcaption><b>${title}</b> ${legend}</figcaption>
    <svg viewBox="0 0 ${chart.width} ${chart.height}" role="img" aria-label="${title}">
      ${drawSpans(moments, scale, top, bottom)}${axesOf(scale)}${drawn}${drawMarks(moments, scale, top, bottom)}${hintsOf(series, steps, scale)}
    </svg>
  </figure> `;
}

function barsOf(series: readonly Series[], steps: Steps, scale: Scale) {
  const below = Array.from({ length: steps.count }, () => 0);
  return series.map(({ values }) =>
    values
      .map((value, i) => {
        if (value === 0) return '';
        const [from, to] = edgesOf(i, steps, scale);
        const [bottom, top] = [scale.y(below[i]!), scale.y((below[i]! += value))];
        return `M${from} ${bottom}V${top}H${to}V${bottom}Z`;
      })
      .join(''),
  );
}

/** A number holds at the end of its step. */
function linesOf(series: readonly Series[], steps: Steps, scale: Scale) {
  return series.map(({ values }) => {
    const points = values.map((value, i) => `${edgesOf(i, steps, scale)[1]} ${scale.y(value)}`);
    return `M${points.join('L')}`;
  });
}

function edgesOf(i: number, { startMs, stepMs }: Steps, { x }: Scale) {
  return [x(startMs + i * stepMs), x(startMs + (i + 1) * stepMs)] as const;
}

function axesOf({ x, y, times, numbers }: Scale): Html[] {
  const { width, height, left, right, bottom } = chart;
  return [
    ...numbers.map(
      (number) =>
        html`<path class="grid" d="M${left} ${y(number)}H${width - right}" />
          <text class="tick end" x="${left - 6}" y="${y(number) + 4}">${numberOf(number)}</text> `,
    ),
    ...times.map(
      (at) =>
        html`<path class="grid" d="M${x(at)} ${height - bottom}v4" />
          <text class="tick middle" x="${x(at)}" y="${height - 4}">${clock(at)}</text> `,
    ),
  ];
}

/** What a step has, for whoever points at it. */
function hintsOf(series: readonly Series[], steps: Steps, scale: Scale): Html[] {
  return Array.from({ length: steps.count }, (_, i) => {
    const [from, to] = edgesOf(i, steps, scale);
    const some = series.filter(({ values }) => values[i]! > 0);
    const told = some.map(({ name, values }) => `${name}: ${numberOf(values[i]!)}`).join(', ');
    const at = clock(steps.startMs + i * steps.stepMs);
    return html`<path
      class="hint"
      d="M${from} ${chart.top}H${to}V${chart.height - chart.bottom}H${from}Z"
      ><title>${at} ${told || 'nothing'}</title></path
    >`;
  });
}

function numberOf(value: number): string {
  return (Math.round(value * 10) / 10).toLocaleString('en');
}
