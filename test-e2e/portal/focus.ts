/** What has the focus in a page, and what is wrong about that. */
export type Focus = {
  what: string;
  complaints: string[];
};

/**
 * Run in the page after each step. The focus must be somewhere; in the topmost dialog that is open;
 * in view and below nothing; and marked: by an outline of two pixels at least, of 3:1 against what
 * is behind it, not cut off, that what was focused a step ago no longer has.
 */
export const lookAtFocus = `(() => {
  const complaints = [];
  const element = document.activeElement;
  const rings = (window.ringsOfFocus ??= new Map());
  const what = element.outerHTML.slice(0, 200);
  if (element === document.body) return { what, complaints: ['the focus is lost'] };

  const dialog = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1);
  if (dialog && !dialog.contains(element)) complaints.push('the focus is outside of the dialog');

  // A choice of several that are drawn as buttons: what is seen is the label.
  const seen = element.matches('input[type=radio]') ? element.labels[0] : element;
  const ringOf = (each) => {
    const { outlineStyle, outlineWidth, outlineColor, outlineOffset } = getComputedStyle(each);
    return { outlineStyle, outlineWidth, outlineColor, outlineOffset };
  };
  for (const [each, before] of rings) {
    if (each === seen) continue;
    rings.delete(each);
    if (each.isConnected && JSON.stringify(ringOf(each)) === before) {
      complaints.push('what has no focus looks as if it had: ' + each.outerHTML.slice(0, 200));
    }
  }
  const ring = ringOf(seen);
  rings.set(seen, JSON.stringify(ring));
  const width = parseFloat(ring.outlineWidth);
  const offset = parseFloat(ring.outlineOffset);
  if (ring.outlineStyle !== 'solid' || width < 2) complaints.push('no outline: ' + JSON.stringify(ring));

  const colourOf = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\\d.]+/g).map(Number);
    return { alpha, parts: [red, green, blue] };
  };
  const lightOf = ({ parts }) => parts
    .map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, at) => sum + each * [0.2126, 0.7152, 0.0722][at], 0);
  let behind = offset < 0 ? seen : seen.parentElement;
  while (behind.parentElement && colourOf(getComputedStyle(behind).backgroundColor).alpha === 0) {
    behind = behind.parentElement;
  }
  const lights = [ring.outlineColor, getComputedStyle(behind).backgroundColor]
    .map((text) => lightOf(colourOf(text)));
  const contrast = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
  if (contrast < 3) complaints.push('the outline has a contrast of ' + contrast.toFixed(2));

  const clip = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const cut = (box) => ({
    left: Math.max(box.left, clip.left),
    top: Math.max(box.top, clip.top),
    right: Math.min(box.right, clip.right),
    bottom: Math.min(box.bottom, clip.bottom),
  });
  for (let each = seen.parentElement; each; each = each.parentElement) {
    if (each === document.documentElement || each === document.body) continue;
    if (getComputedStyle(each).overflowX === 'visible') continue;
    Object.assign(clip, cut(each.getBoundingClientRect()));
  }
  const sizeOf = (box) => Math.max(0, box.right - box.left) * Math.max(0, box.bottom - box.top);
  const box = seen.getBoundingClientRect();
  const inView = cut(box);
  if (sizeOf(inView) < 1) complaints.push('out of view');

  // The four sides of the ring, as boxes; two must be there, each for half its length, or for 60
  // pixels where an editor is higher than the window.
  const out = Math.max(offset, 0) + width;
  const inner = out - width;
  const around = (by) =>
    ({ left: box.left - by, top: box.top - by, right: box.right + by, bottom: box.bottom + by });
  const outer = around(offset < 0 ? offset + width : out);
  const inside = around(offset < 0 ? offset : inner);
  const sides = [
    { ...outer, bottom: inside.top },
    { ...outer, top: inside.bottom },
    { ...outer, right: inside.left },
    { ...outer, left: inside.right },
  ];
  const shown = sides.filter((side) => sizeOf(cut(side)) >= Math.min(sizeOf(side) / 2, 60 * width));
  if (shown.length < 2) complaints.push('the outline is cut off');

  const found = document
    .elementsFromPoint((inView.left + inView.right) / 2, (inView.top + inView.bottom) / 2)
    // A message goes away by itself.
    .find((each) => !each.closest('.mantine-Notifications-root'));
  if (found && !seen.contains(found) && !found.contains(seen)) {
    complaints.push('covered by ' + found.outerHTML.slice(0, 100));
  }
  return { what, complaints };
})()`;
