import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { browserZoneName, timeZone } from '../../parts/times.ts';

const height = 160;

/**
 * A bar for each UTC day, on an axis of the zone that is chosen. Only how high it is drawn goes
 * through a number: whoever wants to know the sum reads the table.
 */
export function DayChart({
  label,
  days,
}: {
  label: string;
  days: readonly { day: string; exact: string }[];
}) {
  const parent = useRef<HTMLDivElement>(null);
  // What is drawn keeps its colours: in another scheme it is drawn anew.
  const scheme = useComputedColorScheme();
  const zone = timeZone.use();
  useEffect(() => {
    const element = parent.current!;
    const style = getComputedStyle(element);
    const colour = style.getPropertyValue('--mantine-color-blue-6').trim();
    const text = style.color;
    const grid = { stroke: style.getPropertyValue('--mantine-color-default-border').trim() };
    const zoneName = zone === 'utc' ? 'Etc/UTC' : browserZoneName();
    const axis = { stroke: text, grid, ticks: grid };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), zoneName),
        axes: [axis, axis],
        // Half a day more on either side, where the bars of the first and the last day end.
        scales: { x: { range: (_chart, first, last) => [first - 43_200, last + 43_200] } },
        series: [
          {},
          {
            stroke: colour,
            fill: colour,
            points: { show: false },
            paths: uPlot.paths.bars!({ size: [0.7] }),
          },
        ],
      },
      [
        days.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1_000),
        // eslint-disable-next-line no-restricted-syntax -- pixels, not an amount that is shown
        days.map(({ exact }) => Number(exact)),
      ],
      element,
    );
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.destroy();
    };
  }, [days, scheme, zone]);
  return <div role="img" aria-label={label} ref={parent} />;
}
