/**
 * Shows the dialog above everything on the page: in the browser's top layer, which no z-index of
 * the page reaches.
 *
 * On a phone it is modal: the page behind is dimmed, cannot be reached, and a tap on it closes the
 * panel. On a wider screen the page stays usable beside it, so it is a manual popover there, and
 * Tab leads on to the page. Which of the two is settled at opening; turning the phone changes the
 * layout only.
 *
 * Escape closes it where the focus is inside, and the page does not learn of that key: it may have
 * a dialog of its own, which is not meant.
 */
export function openDialog(dialog: HTMLDialogElement, onClose: () => void): () => void {
  const before = deepActiveElement();
  const listening = new AbortController();
  const { signal } = listening;
  const close = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  // Beside a modal dialog of the page everything else is inert: only another modal one can be used.
  const modal = matchMedia('(max-width: 559px)').matches || !!document.querySelector(':modal');
  dialog.addEventListener('cancel', close, { signal });
  // A browser that was asked twice closes without asking again.
  dialog.addEventListener('close', () => onClose(), { signal });
  dialog.addEventListener('keydown', (event) => event.key === 'Escape' && close(event), { signal });
  if (modal) {
    dialog.addEventListener('click', (event) => isOnBackdrop(event, dialog) && close(event), {
      signal,
    });
  }
  dialog.tabIndex = -1;
  show(dialog, modal);
  // On the dialog itself: a screen reader reads its title, and the next Tab is the first control.
  dialog.focus({ preventScroll: true });

  return () => {
    const hadFocus = dialog.matches(':focus-within');
    listening.abort();
    hide(dialog);
    if (hadFocus && before?.isConnected) before.focus({ preventScroll: true });
  };
}

function show(dialog: HTMLDialogElement, modal: boolean): void {
  if (modal) {
    dialog.showModal();
  } else if ('popover' in dialog) {
    dialog.popover = 'manual';
    dialog.showPopover();
  } else {
    // A browser without popovers: above what has no z-index as high as ours.
    (dialog as HTMLDialogElement).show();
  }
}

function hide(dialog: HTMLDialogElement): void {
  if (dialog.open) dialog.close();
  else if ('popover' in dialog && dialog.matches(':popover-open')) dialog.hidePopover();
}

function isOnBackdrop(event: MouseEvent, dialog: HTMLDialogElement): boolean {
  if (event.target !== dialog) return false;
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < left || x > right || y < top || y > bottom;
}

/** What has the focus, also inside open shadow roots (the launcher is in one). */
function deepActiveElement(): HTMLElement | undefined {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active instanceof HTMLElement && active !== document.body ? active : undefined;
}
