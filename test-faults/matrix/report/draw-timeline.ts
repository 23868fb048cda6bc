import { drawChart } from './draw-chart.ts';
import { drawBadges, listMoments } from './draw-moments.ts';
import { html, type Html } from './html.ts';
import { scaleOf } from './scale.ts';
import type { Timeline } from './timeline.ts';

const colours = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'];
const eventsAlone =
  'This evidence does not say when records were appended. The lag is that of events alone, ' +
  'counted from when they were first received, which may be long before a repeat got them ' +
  'onto the log.';

/** What happened, by number; and load, webhooks and lag over the same time. */
export function drawTimeline(timeline: Timeline): Html {
  const { steps, moments, requests, webhooks, lag, isLagWhole } = timeline;
  const seconds = steps.stepMs / 1_000;
  const per = seconds === 1 ? 'per second' : `per second, means of ${seconds} s`;
  const what = isLagWhole ? 'records on the log' : 'events that were received';
  const behind = lag.series.filter(({ values }) => values.some((value) => value > 0));
  return html`<div class="timeline">
      ${drawBadges(moments, scaleOf(steps, 1))}
      ${drawChart({
        ...{ title: `Requests ${per}`, as: 'bars', steps, moments, series: requests },
        colours: ['ok', 'refused', 'unknown'],
      })}
      ${drawChart({
        ...{ title: `Webhooks ${per}`, as: 'bars', steps, moments, series: webhooks },
        colours: ['ok', 'unknown'],
      })}
      ${drawChart({
        ...{ title: `Lag: ${what} and not yet applied`, as: 'lines' },
        ...{ steps: lag.steps, moments, series: behind, colours },
      })}
    </div>
    ${isLagWhole ? [] : [html`<p class="note">${eventsAlone}</p>`]}
    ${listMoments(moments, steps.startMs)}`;
}
