import { isTaken, type QueueHolder, takeQueue } from './command-queue.ts';
import { createTributary, type TributaryWidget } from './tributary.ts';

/**
 * The entry of the widget: the build makes `app/latest/tributary-widget.js` of it. It holds what a
 * page needs before anybody opens the panel, and leaves one global, the page's own `Tributary`.
 */
const page = window as { Tributary?: QueueHolder<TributaryWidget> };

// By way of a name: the build takes `new URL('…', import.meta.url)` for a file that it should copy.
const entryUrl = import.meta.url;

if (!isTaken(page.Tributary)) {
  page.Tributary ??= {};
  takeQueue(page.Tributary, createTributary(entryUrl), {
    onError: reportError,
    // The widget shows the visitor what is the matter; this is for whoever puts it into a page.
    // eslint-disable-next-line no-console
    onRejection: ({ code, message }) => console.warn(`Tributary: ${message} (${code})`),
  });
}
