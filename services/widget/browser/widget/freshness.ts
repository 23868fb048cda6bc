const pollMs = 15_000;

type Asked = {
  /** Whether the panel is open: nobody else sees what is new. */
  isOpen(): boolean;
  isUnavailable(): boolean;
  refresh(): void;
};

/**
 * Asks for news while somebody looks, and when the browser is back on the network. Gives the way to
 * stop it.
 */
export function keepFresh({ isOpen, isUnavailable, refresh }: Asked): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const look = (): void => {
    if (isOpen() && document.visibilityState === 'visible') refresh();
  };
  const timer = setInterval(look, pollMs);
  document.addEventListener('visibilitychange', look, { signal });
  window.addEventListener('online', () => isUnavailable() && refresh(), { signal });
  return () => {
    clearInterval(timer);
    stopping.abort();
  };
}
