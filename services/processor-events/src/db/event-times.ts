import { connectionTestKind } from '../domain/kinds.ts';
import { fewestEvents, lookBackMs } from '../domain/silence.ts';
import type { Queryable } from './queryable.ts';

/**
 * What silence is evaluated by; the usual gap as `usualGapMs` of domain/silence.ts has it, for any
 * number of events.
 */
export type EventTimes = {
  lastEventMs: number | null;
  usualGapMs: number | null;
};

/**
 * Connections without an event are not in it. Our own that try the way in tell nothing of Stripe.
 */
export async function readEventTimes(
  db: Queryable,
  connectionIds: readonly string[],
): Promise<Map<string, EventTimes>> {
  const { rows } = await db.query<{
    connection_id: string;
    last_ms: number;
    events: string;
    gap_ms: number | null;
  }>({
    name: 'event_times',
    text: `
      select connection_id, last_ms, coalesce(recent.events, 0) as events, recent.gap_ms
      from unnest($1::text[]) as asked (connection_id)
      cross join lateral (
        select extract(epoch from max(received_at))::float8 * 1000 as last_ms
        from seen where seen.connection_id = asked.connection_id and kind <> $3
      ) as last
      left join lateral (
        select count(*) as events, max(gap_ms) as gap_ms from (
          select extract(epoch from received_at - lag(received_at)
            over (order by received_at))::float8 * 1000 as gap_ms
          from seen
          where seen.connection_id = asked.connection_id and kind <> $3
            and received_at > now() - $2 * interval '1 millisecond'
            and received_at <= now()
        ) as gaps
      ) as recent on true
      where last_ms is not null`,
    values: [connectionIds, lookBackMs, connectionTestKind],
  });
  return new Map(
    rows.map((row) => [
      row.connection_id,
      {
        lastEventMs: row.last_ms,
        usualGapMs: Number(row.events) >= fewestEvents ? row.gap_ms : null,
      },
    ]),
  );
}
