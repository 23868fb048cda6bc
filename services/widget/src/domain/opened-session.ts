import type { WidgetSession } from '@tributary/contracts/public/widget-session';

/** What became of a boot with a good token. */
export type OpenedSession =
  | { outcome: 'session'; session: WidgetSession; wrote: Wrote[] }
  | { outcome: 'unavailable'; detail: string };
/** For the metrics. */
export type Wrote = 'code' | 'person' | 'signup';
