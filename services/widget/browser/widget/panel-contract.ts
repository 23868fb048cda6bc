import type { WidgetSession } from '@tributary/contracts/public/widget-session';
import type { Language } from './language.ts';

/**
 * What the entry and the panel, which is loaded when it is first opened, know of each other. They
 * may be of different releases for a moment (a browser keeps the entry for minutes, the panel for
 * ever), so a change that an older panel or entry could not bear takes another protocol number.
 */
export const panelProtocol = 1;

export type WidgetState =
  | { status: 'loading' }
  | { status: 'ready'; session: WidgetSession; refreshing: boolean }
  /** The token was refused (interface 5 rule 2). */
  | { status: 'unauthorized' }
  /** Offline, or the service does not answer; with what was last known, if anything was. */
  | { status: 'unavailable'; session: WidgetSession | undefined };

/** What `on` can be told of. */
export type WidgetEvents = {
  open: undefined;
  close: undefined;
  /** The invite link went to the clipboard. */
  copied: { link: string };
};

export type PanelHost = {
  /** The panel renders into this, and nowhere else. */
  root: ShadowRoot;
  state(): WidgetState;
  /** Called after each change of state; gives the way to stop it. */
  subscribe(listener: () => void): () => void;
  /** Asked anew at each rendering: the tenant's own texts come with the session. */
  readonly language: Language;
  /** Asks the service again. */
  refresh(): void;
  close(): void;
  emit<E extends keyof WidgetEvents>(event: E, detail: WidgetEvents[E]): void;
};

export type PanelModule = {
  panelProtocol: number;
  /** Shows the dialog and moves the focus into it; what it gives takes it away again. */
  mountPanel(host: PanelHost): { unmount(): void };
};
