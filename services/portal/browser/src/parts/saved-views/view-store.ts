import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { useSession } from '../../api/session.ts';
import { readViews, type View } from './views.ts';

/**
 * The views that somebody has saved of a page of a tenant. This browser keeps them, apart for each
 * account, and the other windows of it follow at once.
 */
export function useViews(tenantId: string, page: string) {
  const { data: session } = useSession();
  const key = `tributary-views:${session?.accountId ?? ''}:${tenantId}:${page}`;
  const kept = useSyncExternalStore(
    subscribe,
    useCallback(() => read(key), [key]),
  );
  const views = useMemo(() => readViews(kept), [kept]);
  const keep = useCallback((next: readonly View[]) => write(key, JSON.stringify(next)), [key]);
  return { views, keep };
}

const listeners = new Set<() => void>();
/** Where a browser keeps nothing, they hold for this page. */
const notKept = new Map<string, string>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

function read(key: string): string | null {
  try {
    return notKept.get(key) ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    notKept.set(key, text);
  }
  for (const listener of listeners) listener();
}
