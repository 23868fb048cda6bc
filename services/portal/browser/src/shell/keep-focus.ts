/** What had the focus last in a layer: the page, or a dialog above it. */
type Held = { layer: Element | null; element: HTMLElement; around: HTMLElement[] };

/**
 * What has the focus may go away: a button that is no longer offered, a row that is out of view, a
 * dialog that was opened from either. The focus then goes to what is around it, or to where it was
 * before, or to the heading of the page; whoever has no mouse would begin at the top each time.
 */
export function keepFocus(): void {
  /** The layer that had the focus last comes last. */
  let held: Held[] = [];
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const layer = target.closest('[role=dialog]');
    held = held.filter((each) => each.layer !== layer && each.layer?.isConnected !== false);
    held.push({ layer, element: target, around: focusableAround(target) });
  });
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null) return;
    queueMicrotask(() => {
      // Somebody clicked beside everything, which is no loss.
      if (isLost() && target instanceof HTMLElement && isUsable(target)) held = [];
    });
  });
  const look = () => {
    if (!isLost() || held.length === 0) return;
    const last = held.at(-1)!.element;
    // One that is disabled while its request is under way is used again after it.
    if (last.isConnected && !isUsable(last)) return;
    const next =
      held
        .toReversed()
        .flatMap(({ element, around }) => [element, ...around])
        .find(isUsable) ?? document.querySelector<HTMLElement>('h1[tabindex]');
    next?.focus({ preventScroll: next !== last });
  };
  new MutationObserver(look).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['disabled'],
  });
}

const isLost = () => document.activeElement === document.body || document.activeElement === null;

/** What is loading hides what it will take the place of. */
function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility();
}

/** From the inside; the page as a whole is left to its heading. */
function focusableAround(element: HTMLElement): HTMLElement[] {
  const around: HTMLElement[] = [];
  for (let each = element.parentElement; each !== null; each = each.parentElement) {
    if (each.hasAttribute('tabindex') && each.localName !== 'main') around.push(each);
  }
  return around;
}
