import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiKey } from './queries.ts';
import { checkSession } from './session.ts';

const pollEveryMs = 10_000;
/** Beside the stream: how far the read model is behind the log, no change tells of. */
const lookEveryMs = 30_000;
/** While nobody answers, and while no stream tells that the session has ended. */
const tryEveryMs = 2_000;
/** Many changes at once are one reason to ask again. */
const gatherMs = 1_000;
/** An attempt is on the log, from where the news comes, before the row that is asked for has it. */
const rowFollowsMs = 3_000;

/**
 * Keeps what is shown of a tenant up to date: each change that the server tells of makes the
 * queries of that tenant ask again. While the stream is broken, and for a page that is looked at,
 * they ask every ten seconds. What is written down when it is looked at is asked for again only
 * where it is a webhook that may have changed, by what the server tells or after a gap: whoever has
 * sent it again waits for its answer.
 *
 * When the stream ends, the session is asked for at once: it may have ended with it. Without one
 * it is asked for every two seconds, so that whoever was removed sees the page no longer than five.
 * Gives since when nobody answers; null while somebody does.
 */
export function useLiveChanges(tenantId: string): number | null {
  const client = useQueryClient();
  const [silentSince, setSilentSince] = useState<number | null>(null);
  useEffect(() => {
    const refresh = createRefresh(tenantId, client);
    const stream = createStream(tenantId, refresh);
    const stop = watchOver(stream, {
      askAgain: refresh.askAgain,
      onAnswer: () => {
        setSilentSince(null);
        refresh.askForFailed();
      },
      onSilence: (since) => setSilentSince((before) => before ?? since),
    });
    return () => {
      stop();
      stream.close();
      refresh.stop();
    };
  }, [tenantId, client]);
  return silentSince;
}

type Change = { kind: string; id: string | null };
type DeliveryKey = ReturnType<typeof apiKey<'showDelivery'>>;

const deliveriesOf = (tenantId: string) =>
  apiKey('showDelivery', { path: { tenantId, eventId: '' } }).slice(0, 4);

type Refresh = ReturnType<typeof createRefresh>;

/** What of a tenant is asked for again. */
function createRefresh(tenantId: string, client: QueryClient) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const laterLooks = new Set<ReturnType<typeof setTimeout>>();
  return {
    askAgain() {
      timer ??= setTimeout(() => {
        timer = undefined;
        void client.invalidateQueries({ queryKey: ['tenant', tenantId, 'live'] });
      }, gatherMs);
    },
    /** Also what is asked only when somebody looks, and what is of no tenant. */
    askForFailed() {
      void client.invalidateQueries({
        queryKey: ['tenant'],
        predicate: ({ state }) => state.status === 'error' && state.fetchStatus === 'idle',
      });
    },
    lookAgainAt(isChanged: (webhookEventId: string) => boolean) {
      const look = () =>
        void client.invalidateQueries({
          queryKey: deliveriesOf(tenantId),
          predicate: ({ queryKey }) => isChanged((queryKey as DeliveryKey)[4].path.eventId),
        });
      look();
      const later = setTimeout(() => {
        laterLooks.delete(later);
        look();
      }, rowFollowsMs);
      laterLooks.add(later);
    },
    stop() {
      for (const each of [timer, ...laterLooks]) clearTimeout(each);
    },
  };
}

type Stream = ReturnType<typeof createStream>;

/** A browser gives up on a stream that was refused; this one can be opened again. */
function createStream(tenantId: string, { askAgain, lookAgainAt }: Refresh) {
  const listeners = { onEnd: () => {} };
  let source = open();
  function open(): EventSource {
    const opened = new EventSource(`/api/tenants/${encodeURIComponent(tenantId)}/changes`);
    opened.addEventListener('error', () => listeners.onEnd());
    // The first event of each stream, after a gap too, says that anything may have changed.
    for (const name of ['resync', 'changes']) opened.addEventListener(name, askAgain);
    opened.addEventListener('resync', () => lookAgainAt(() => true));
    opened.addEventListener('changes', ({ data }: MessageEvent<string>) => {
      const { changes } = JSON.parse(data) as { changes: Change[] };
      const ids = new Set(changes.flatMap(({ kind, id }) => (kind === 'delivery' ? [id] : [])));
      // So many that the server names none of them.
      if (ids.size > 0) lookAgainAt((id) => ids.has(null) || ids.has(id));
    });
    return opened;
  }
  return {
    listeners,
    isOpen: () => source.readyState === EventSource.OPEN,
    openIfRefused() {
      if (source.readyState === EventSource.CLOSED) source = open();
    },
    close: () => source.close(),
  };
}

/** Asks without the stream while it is broken, and sees to it that it is opened again. */
function watchOver(
  stream: Stream,
  tell: { askAgain: () => void; onAnswer: () => void; onSilence: (since: number) => void },
): () => void {
  let isSilent = false;
  let isStopped = false;
  async function check(): Promise<void> {
    const since = Date.now();
    const isAnswered = await checkSession();
    if (isStopped) return;
    if (!isAnswered) tell.onSilence(since);
    else if (isSilent) {
      stream.openIfRefused();
      tell.onAnswer();
    }
    isSilent = !isAnswered;
  }
  stream.listeners.onEnd = () => void check();
  const whileUnheard = setInterval(() => {
    if (isSilent || !stream.isOpen()) void check();
  }, tryEveryMs);
  const poll = setInterval(() => {
    if (stream.isOpen()) return;
    stream.openIfRefused();
    if (document.visibilityState === 'visible') tell.askAgain();
  }, pollEveryMs);
  const look = setInterval(() => {
    if (document.visibilityState === 'visible') tell.askAgain();
  }, lookEveryMs);
  return () => {
    isStopped = true;
    for (const timer of [whileUnheard, poll, look]) clearInterval(timer);
  };
}
