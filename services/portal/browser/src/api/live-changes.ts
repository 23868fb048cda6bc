import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiKey } from './queries.ts';

const pollEveryMs = 10_000;
/** Many changes at once are one reason to ask again. */
const gatherMs = 1_000;

/**
 * Keeps what is shown of a tenant up to date: each change that the server tells of makes the
 * queries of that tenant ask again. While the stream is broken, and for a page that is looked at,
 * they ask every ten seconds. What is written down when it is looked at is asked for again only
 * where it is a webhook that may have changed, by what the server tells or after a gap: whoever has
 * sent it again waits for its answer.
 */
export function useLiveChanges(tenantId: string): void {
  const client = useQueryClient();
  useEffect(() => listenTo(tenantId, client), [tenantId, client]);
}

type Change = { kind: string; id: string | null };
type DeliveryKey = ReturnType<typeof apiKey<'showDelivery'>>;

const deliveriesOf = (tenantId: string) =>
  apiKey('showDelivery', { path: { tenantId, eventId: '' } }).slice(0, 4);

function listenTo(tenantId: string, client: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askAgain = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void client.invalidateQueries({ queryKey: ['tenant', tenantId, 'live'] });
    }, gatherMs);
  };
  const stream = new EventSource(`/api/tenants/${encodeURIComponent(tenantId)}/changes`);
  // The first event of each stream, after a gap too, says that anything may have changed.
  for (const name of ['resync', 'changes']) stream.addEventListener(name, askAgain);
  const lookAgainAt = (isChanged: (webhookEventId: string) => boolean) =>
    void client.invalidateQueries({
      queryKey: deliveriesOf(tenantId),
      predicate: ({ queryKey }) => isChanged((queryKey as DeliveryKey)[4].path.eventId),
    });
  stream.addEventListener('resync', () => lookAgainAt(() => true));
  stream.addEventListener('changes', ({ data }: MessageEvent<string>) => {
    const { changes } = JSON.parse(data) as { changes: Change[] };
    const ids = new Set(changes.flatMap(({ kind, id }) => (kind === 'delivery' ? [id] : [])));
    // So many that the server names none of them.
    if (ids.size > 0) lookAgainAt((id) => ids.has(null) || ids.has(id));
  });
  const poll = setInterval(() => {
    const isListening = stream.readyState === EventSource.OPEN;
    if (!isListening && document.visibilityState === 'visible') askAgain();
  }, pollEveryMs);
  return () => {
    stream.close();
    clearInterval(poll);
    clearTimeout(timer);
  };
}
