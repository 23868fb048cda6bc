import type { WidgetEvents } from './panel-contract.ts';

type Listener<E extends keyof WidgetEvents> = (detail: WidgetEvents[E]) => void;

export type EventListeners = {
  /** Gives the way to stop it. */
  on<E extends keyof WidgetEvents>(event: E, listener: Listener<E>): () => void;
  emit<E extends keyof WidgetEvents>(event: E, detail: WidgetEvents[E]): void;
};

/**
 * @param report is given what a listener throws: the page's own fault is no reason for ours to
 * stop.
 */
export function createEventListeners(report: (error: unknown) => void): EventListeners {
  const listeners = new Map<string, Set<(detail: never) => void>>();
  return {
    on(event, listener) {
      const ofEvent = listeners.get(event) ?? new Set();
      listeners.set(event, ofEvent.add(listener));
      return () => void ofEvent.delete(listener);
    },
    emit(event, detail) {
      for (const listener of [...(listeners.get(event) ?? [])]) {
        try {
          listener(detail as never);
        } catch (error) {
          report(error);
        }
      }
    },
  };
}
