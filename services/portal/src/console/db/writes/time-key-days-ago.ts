/** So many days ago, as columns have times. */
export function timeKeyDaysAgo(days: string): string {
  return `(select to_char((now() - ${days}::int * interval '1 day') at time zone 'utc',
    'YYYYMMDDHH24MISSMS')::bigint)`;
}
