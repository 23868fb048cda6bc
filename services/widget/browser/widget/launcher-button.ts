/** How every launcher on the page looks just now. */
export type Look = {
  /** Whether there is anything to open. */
  ready: boolean;
  open: boolean;
  /** Rules for `:host` (theme.ts). */
  theme: CSSStyleSheet;
  label: string;
  language: string;
  direction: 'ltr' | 'rtl';
  side: 'start' | 'end';
};

export type LauncherButton = { button: HTMLButtonElement; show(look: Look): void };

/**
 * The button that opens the panel, and closes it again. Its words are a slot's or the language's.
 */
export function createLauncherButton(
  kind: 'floating' | 'inline',
  onPress: () => void,
): LauncherButton {
  const button = document.createElement('button');
  button.type = 'button';
  button.setAttribute('part', 'button');
  button.setAttribute('aria-haspopup', 'dialog');
  const label = document.createElement('span');
  label.className = 'label';
  if (kind === 'floating') {
    button.className = 'floating';
    button.append(gift(), label);
  } else {
    // What the page wrote between the tags, else the icon and our words.
    const slot = document.createElement('slot');
    slot.append(gift(), label);
    button.append(slot);
  }
  button.addEventListener('click', onPress);
  return {
    button,
    show({ open, label: text, language, direction, side }) {
      button.setAttribute('aria-expanded', String(open));
      button.lang = language;
      button.dir = direction;
      button.dataset.side = side;
      if (label.textContent !== text) label.textContent = text;
    },
  };
}

/** Made by DOM calls: a page with Trusted Types takes no markup as text. */
function gift(): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  const drawing = {
    viewBox: '0 0 24 24',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '2',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
  };
  for (const [name, value] of Object.entries(drawing)) svg.setAttribute(name, value);
  path.setAttribute(
    'd',
    'M20 12v9H4v-9M2 7h20v5H2zM12 21V7M12 7H7.5a2.5 2.5 0 1 1 0-5C11 2 12 7 12 7zM12 7h4.5a2.5 2.5 0 1 0 0-5C13 2 12 7 12 7z',
  );
  svg.append(path);
  return svg;
}
