import type { PreviewRequest, PreviewState } from './pages/widget/preview-messages.ts';

// The whole page inside the preview's frame, beside the widget's own script. The frame has no
// origin: it can neither read the portal nor ask it anything, and what the widget asks is answered
// here. So the real script is seen with settings that nobody has saved, and nothing is written by
// it.

type Widget = {
  boot(options: object): Promise<void>;
  open(): Promise<void>;
  on(event: 'open' | 'close', listener: () => void): void;
  shutdown(): void;
};

let shown: PreviewRequest | undefined;
/** Came while another was being shown. */
let next: PreviewRequest | undefined;
let widget: Widget | undefined;
/** Until somebody closes the panel to look at the launcher. */
let isOpen = true;
let isShowing = false;

window.fetch = () => Promise.resolve(Response.json(shown?.session));

// A panel that opens takes the focus: here it would take it from whoever types settings. A dialog
// that is inert while it is being shown does not.
const { focus } = HTMLElement.prototype;
HTMLElement.prototype.focus = function (options) {
  if (!isShowing) focus.call(this, options);
};
for (const name of ['showModal', 'showPopover'] as const) {
  const show: () => void = HTMLDialogElement.prototype[name];
  HTMLDialogElement.prototype[name] = function () {
    this.inert = isShowing;
    show.call(this);
    this.inert = false;
  };
}

addEventListener('message', ({ source, data }: MessageEvent<PreviewRequest>) => {
  if (source !== parent) return;
  next = data;
  if (!isShowing) void showNext();
});
// The error of a script that could not be loaded does not bubble.
addEventListener('error', () => report('failed'), true);

(window as { Tributary?: object }).Tributary = {
  cmd: [
    (given: Widget) => {
      widget = given;
      widget.on('open', () => (isOpen = true));
      widget.on('close', () => (isOpen = isShowing && isOpen));
      report('ready');
    },
  ],
};

async function showNext(): Promise<void> {
  isShowing = true;
  try {
    while (next !== undefined) {
      shown = next;
      next = undefined;
      await show(shown);
    }
    report('shown');
  } catch {
    report('failed');
  }
  isShowing = false;
}

/** A session is asked for once by a boot: another one needs a widget that begins anew. */
async function show({ language, scheme }: PreviewRequest): Promise<void> {
  document.documentElement.lang = language;
  document.documentElement.style.colorScheme = scheme;
  widget?.shutdown();
  await widget?.boot({ token: 'preview', productUserDetails: {}, language });
  if (isOpen) await widget?.open();
}

function report(state: PreviewState): void {
  parent.postMessage(state, '*');
}
