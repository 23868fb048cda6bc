import { addLink, type Link } from './link-of-page.ts';

/** Forms and links that the page has marked are given the code at the moment that they are used. */
export function servePageParts(current: () => Link | undefined): void {
  const onLink = (event: Event): void => {
    const link = event.composedPath().find(isMarkedLink);
    const referral = link && current();
    const address = referral && addLink(link.href, referral);
    if (address) link.href = address;
  };
  // All by which a link is followed, opened elsewhere or copied; before the page's own listeners.
  for (const type of ['click', 'auxclick', 'contextmenu', 'keydown']) {
    addEventListener(type, onLink, true);
  }
  addEventListener('formdata', onFormData, true);

  /** What is already in the field stays: somebody has typed a code. */
  function onFormData(event: FormDataEvent): void {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.hasAttribute(mark)) return;
    const field = form.getAttribute(mark) || 'ucc';
    const ucc = !event.formData.get(field) && current()?.ucc;
    if (ucc) event.formData.set(field, ucc);
  }
}

const mark = 'data-tributary-ucc';

function isMarkedLink(target: EventTarget): target is HTMLAnchorElement {
  return target instanceof HTMLAnchorElement && target.hasAttribute(mark);
}
