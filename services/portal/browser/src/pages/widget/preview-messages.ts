import type { WidgetSession } from '@tributary/contracts/public/widget-session';

/** What the page has its frame show. */
export type PreviewRequest = {
  /** What the widget is answered when it asks for its session. */
  session: WidgetSession;
  language: string;
  scheme: 'light' | 'dark';
};

/** What the frame says: its widget waits for a request, shows what was asked, cannot be had. */
export type PreviewState = 'ready' | 'shown' | 'failed';
