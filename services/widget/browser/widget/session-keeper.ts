import type { WidgetSession } from '@tributary/contracts/public/widget-session';
import type { Answer } from './ask-session.ts';
import type { WidgetState } from './panel-contract.ts';
import { notBooted, TributaryError, unauthorized, unavailable } from './tributary-error.ts';

/**
 * What is known of one user's session, and the ways it changes:
 *
 *   loading ─ start ─▶ ready ◀─ refresh ─▶ unavailable (with the session that was last known)
 *      └────────────▶ unauthorized, refused (a fault of the boot's options; start rejects)
 *
 * One request is under way at a time: who asks meanwhile waits for the same answer. After `stop`
 * nothing changes any more, whatever is still to come.
 */
export type SessionKeeper = {
  state(): WidgetState;
  /** Called after each change; gives the way to stop it. */
  subscribe(listener: () => void): () => void;
  /** Asks with retries. Rejects with a TributaryError unless it ends with a session. */
  start(): Promise<void>;
  /** Asks once. `quietly`: the state does not tell that it is under way. */
  refresh(quietly?: boolean): Promise<void>;
  stop(): void;
};

type Given = {
  ask(): Promise<Answer>;
  waitMs(duration: number): Promise<void>;
  /** What to make of a session before anybody sees it. */
  prepare(session: WidgetSession): Promise<WidgetSession>;
};

/** Between the first three attempts, so that a deployment or a lost packet goes unnoticed. */
const retryDelaysMs = [1_000, 3_000];

export function createSessionKeeper({ ask, waitMs, prepare }: Given): SessionKeeper {
  let state: WidgetState = { status: 'loading' };
  let stopped = false;
  let underWay: Promise<Answer> | undefined;
  const listeners = new Set<() => void>();

  const set = (next: WidgetState): void => {
    if (stopped || isSame(state, next)) return;
    state = next;
    for (const listener of [...listeners]) listener();
  };

  const attempt = async (delaysMs: number[]): Promise<Answer> => {
    const answer = await ask();
    const [delayMs, ...later] = delaysMs;
    if (answer.outcome !== 'unavailable' || delayMs === undefined || stopped) return answer;
    await waitMs(delayMs);
    return stopped ? answer : attempt(later);
  };

  const settle = async (delaysMs: number[]): Promise<Answer> => {
    const answer = await attempt(delaysMs);
    if (stopped) return answer;
    if (answer.outcome === 'session') {
      set({ status: 'ready', session: await prepare(answer.session), refreshing: false });
    } else if (answer.outcome === 'unauthorized') {
      set({ status: 'unauthorized' });
    } else {
      set({ status: 'unavailable', session: known(state) });
    }
    return answer;
  };

  const once = (delaysMs: number[]): Promise<Answer> => {
    underWay ??= settle(delaysMs).finally(() => (underWay = undefined));
    return underWay;
  };

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start() {
      // What is under way was asked with the options of before, an older token among them.
      if (underWay) await underWay;
      if (stopped) throw notBooted();
      if (state.status !== 'ready') set({ status: 'loading' });
      const answer = await once(retryDelaysMs);
      if (stopped) throw notBooted();
      const error = errorOf(answer);
      if (error) throw error;
    },
    async refresh(quietly = false) {
      if (!quietly && state.status === 'ready') set({ ...state, refreshing: true });
      // With nothing to show, that we try again is all there is to see.
      if (!quietly && state.status === 'unavailable' && !state.session) set({ status: 'loading' });
      await once([]);
    },
    stop() {
      stopped = true;
      listeners.clear();
    },
  };
}

/**
 * The messages are for those who read the console or catch the promise; a visitor reads the panel.
 */
function errorOf(answer: Answer): TributaryError | undefined {
  switch (answer.outcome) {
    case 'session':
      return undefined;
    case 'unauthorized':
      return unauthorized();
    case 'refused':
      return new TributaryError('INVALID_CONFIGURATION', answer.detail);
    case 'unavailable':
      return unavailable();
    default:
      return answer satisfies never;
  }
}

function known(state: WidgetState): WidgetSession | undefined {
  return 'session' in state ? state.session : undefined;
}

/** States hold nothing but JSON. An answer without news is no change, so nothing is drawn again. */
function isSame(one: WidgetState, other: WidgetState): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
