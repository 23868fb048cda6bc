import { formatInstant, formatWithOffset, timeZone } from './times.ts';

/** Every time on every page. */
export function Time({ at }: { at: string | null | undefined }) {
  const zone = timeZone.use();
  if (at === null || at === undefined) return <>–</>;
  return (
    <time dateTime={at} title={formatWithOffset(at, zone)}>
      {formatInstant(at, zone)}
    </time>
  );
}
