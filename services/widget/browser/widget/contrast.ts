/** Colours as `#rrggbb`; contrast as WCAG 2.2 measures it (relative luminance, 1 to 21). */

export function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [
    number,
    number,
  ];
  return (lighter + 0.05) / (darker + 0.05);
}

/**
 * The ink where it can be read on the ground (4.5:1), else black or white, whichever is clearer.
 */
export function readable(ink: string, ground: string): string {
  if (contrast(ink, ground) >= 4.5) return ink;
  return contrast('#000000', ground) > contrast('#ffffff', ground) ? '#000000' : '#ffffff';
}

/** So much of the second in the first, 0 to 1. */
export function mix(base: string, added: string, share: number): string {
  const from = channels(base);
  const mixed = channels(added).map((to, i) =>
    Math.round((from[i] ?? 0) * (1 - share) + to * share),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
