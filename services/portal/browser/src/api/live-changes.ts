import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { routes } from '@tributary/admin-client/generated/routes.gen';
import { useEffect } from 'react';

const pollEveryMs = 10_000;
/** Many changes at once are one reason to ask again. */
const gatherMs = 1_000;

/**
 * Once the API describes a stream of changes, it is listened to; until then is asked now and then.
 */
const hasStream = Object.values<readonly [string, string]>(routes).some(
  ([, path]) => path === '/api/tenants/{tenantId}/changes',
);

/**
 * Keeps what is shown of a tenant up to date: each change that the server tells of makes the
 * queries of that tenant ask again. While the stream is broken, and for a page that is looked at,
 * they ask every ten seconds.
 */
export function useLiveChanges(tenantId: string): void {
  const client = useQueryClient();
  useEffect(() => listenTo(tenantId, client), [tenantId, client]);
}

function listenTo(tenantId: string, client: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askAgain = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void client.invalidateQueries({ queryKey: ['tenant', tenantId, 'live'] });
    }, gatherMs);
  };
  const stream = hasStream
    ? new EventSource(`/api/tenants/${encodeURIComponent(tenantId)}/changes`)
    : undefined;
  stream?.addEventListener('message', askAgain);
  const poll = setInterval(() => {
    const isListening = stream?.readyState === EventSource.OPEN;
    if (!isListening && document.visibilityState === 'visible') askAgain();
  }, pollEveryMs);
  return () => {
    stream?.close();
    clearInterval(poll);
    clearTimeout(timer);
  };
}
