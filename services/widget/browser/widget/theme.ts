import type { WidgetTheme } from '@tributary/contracts/widget-settings';
import { contrast, mix, readable } from './contrast.ts';

/**
 * A theme as custom properties, which go from the widget's element into all that it shows:
 *
 * | property | |
 * |---|---|
 * | `--tb-accent`, `--tb-on-accent` | buttons and the launcher, and what is written on them |
 * | `--tb-link` | the accent where it is text on the surface; readable there whatever the accent is |
 * | `--tb-surface`, `--tb-on-surface` | the panel, and what is written on it |
 * | `--tb-muted` | text of less weight on the surface |
 * | `--tb-raised` | a box on the surface |
 * | `--tb-line`, `--tb-outline` | decorative lines; the edge of a control (3:1, WCAG 1.4.11) |
 * | `--tb-positive`, `--tb-danger` | states, as text on the surface |
 * | `--tb-radius`, `--tb-font` | corner of the panel; of a control: `calc(var(--tb-radius) * .6)` |
 *
 * A tenant's colours are taken as they are; what is written on them is ours where they name
 * nothing, or something that cannot be read there (below 4.5:1, WCAG 1.4.3).
 */
export function themeCss(theme: WidgetTheme, scheme: Scheme): string {
  const light = declarations(paletteOf(theme, 'light'), 'light');
  const dark = declarations(paletteOf(theme, 'dark'), 'dark');
  const both = declare({
    '--tb-radius': `${theme.cornerRadius ?? 16}px`,
    '--tb-font': [theme.fontFamily, systemFonts].filter(Boolean).join(','),
  });
  if (scheme !== 'auto') return `:host{${both}${scheme === 'light' ? light : dark}}`;
  return `:host{${both}${light}}@media (prefers-color-scheme:dark){:host{${dark}}}`;
}

/** auto: as the visitor prefers. */
export type Scheme = 'auto' | 'light' | 'dark';

/**
 * The theme's choice, else the page's: a page that declares one colour scheme (CSS `color-scheme`)
 * is not given a widget of the other; with both or none declared the visitor decides.
 */
export function schemeOf(theme: WidgetTheme, declaredByPage: string): Scheme {
  if (theme.colourScheme !== undefined && theme.colourScheme !== 'auto') return theme.colourScheme;
  const declared = declaredByPage.split(/\s+/);
  const [light, dark] = [declared.includes('light'), declared.includes('dark')];
  if (light === dark) return 'auto';
  return light ? 'light' : 'dark';
}

/** Later themes over earlier ones, colour by colour. What is not a sound value is as if absent. */
export function mergeThemes(...themes: (WidgetTheme | undefined)[]): WidgetTheme {
  const merged: WidgetTheme = {};
  for (const theme of themes.map(soundTheme)) {
    const { light, dark, ...rest } = theme;
    Object.assign(merged, rest);
    if (light) merged.light = { ...merged.light, ...light };
    if (dark) merged.dark = { ...merged.dark, ...dark };
  }
  return merged;
}

type Palette = NonNullable<WidgetTheme['light']>;
type Colours = Required<Palette>;

const systemFonts = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';

const defaults: Record<'light' | 'dark', Colours> = {
  light: { accent: '#4338ca', onAccent: '#ffffff', surface: '#ffffff', onSurface: '#16181d' },
  dark: { accent: '#a5b4fc', onAccent: '#16181d', surface: '#1b1d23', onSurface: '#f3f4f6' },
};

const states = {
  light: { positive: '#15803d', danger: '#b91c1c' },
  dark: { positive: '#4ade80', danger: '#fca5a5' },
};

/** An accent of the light scheme is the brand's: it serves the dark one too when that has none. */
function paletteOf(theme: WidgetTheme, scheme: 'light' | 'dark'): Colours {
  const own = { ...theme[scheme] };
  if (own.accent === undefined && theme.light?.accent !== undefined) {
    own.accent = theme.light.accent;
    if (theme.light.onAccent !== undefined) own.onAccent ??= theme.light.onAccent;
  }
  const accent = own.accent ?? defaults[scheme].accent;
  const surface = own.surface ?? defaults[scheme].surface;
  return {
    accent,
    onAccent: readable(own.onAccent ?? defaults[scheme].onAccent, accent),
    surface,
    onSurface: readable(own.onSurface ?? defaults[scheme].onSurface, surface),
  };
}

function declarations(colours: Colours, scheme: 'light' | 'dark'): string {
  const { accent, onAccent, surface, onSurface } = colours;
  /** So much of the text's colour as is needed to reach the contrast, `share` at least. */
  const shade = (share: number, atLeast: number): string => {
    for (let part = share; part < 1; part += 0.05) {
      const mixed = mix(surface, onSurface, part);
      if (contrast(mixed, surface) >= atLeast) return mixed;
    }
    return onSurface;
  };
  const onIt = (colour: string) => (contrast(colour, surface) >= 4.5 ? colour : onSurface);
  return declare({
    'color-scheme': scheme,
    '--tb-accent': accent,
    '--tb-on-accent': onAccent,
    '--tb-link': onIt(accent),
    '--tb-surface': surface,
    '--tb-on-surface': onSurface,
    // Muted text is read on a raised box too, which takes a little of its contrast.
    '--tb-muted': shade(0.6, 5.2),
    '--tb-raised': mix(surface, onSurface, 0.05),
    '--tb-line': mix(surface, onSurface, 0.14),
    '--tb-outline': shade(0.3, 3.2),
    '--tb-positive': onIt(states[scheme].positive),
    '--tb-danger': onIt(states[scheme].danger),
  });
}

/** Important, since the page's own rules for the element would win over `:host` otherwise. */
function declare(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}:${value} !important;`)
    .join('');
}

/** Names, quoted or not; a quote that is never closed would take the rest of the sheet with it. */
const fontList = /^(?:[\w ,-]|"[\w ,'-]*"|'[\w ,"-]*'){1,200}$/;
const colour = /^#[0-9a-f]{6}$/i;

/**
 * A page may give anything at boot, and it goes into a style sheet: as strict as the contract is.
 */
function soundTheme(theme: WidgetTheme = {}): WidgetTheme {
  const { light, dark, colourScheme, cornerRadius, fontFamily, launcherSide } = theme;
  return {
    ...(light && { light: soundPalette(light) }),
    ...(dark && { dark: soundPalette(dark) }),
    ...(['auto', 'light', 'dark'].includes(colourScheme ?? '') && { colourScheme }),
    ...(Number.isInteger(cornerRadius) && {
      cornerRadius: Math.max(0, Math.min(32, cornerRadius ?? 0)),
    }),
    ...(fontList.test(fontFamily ?? '') && { fontFamily }),
    ...(['start', 'end'].includes(launcherSide ?? '') && { launcherSide }),
  };
}

function soundPalette(palette: Palette): Palette {
  const entries = Object.entries(palette).filter(([, value]) => colour.test(String(value)));
  return Object.fromEntries(entries);
}
