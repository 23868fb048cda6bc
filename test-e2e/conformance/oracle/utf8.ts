/** The text of these bytes by the table of well-formed sequences (Unicode 3-7); else undefined. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const points: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at]!;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4) return undefined;
    if (length === 1) points.push(String.fromCharCode(first));
    else {
      const [low, high] = secondByte[first] ?? [0x80, 0xbf];
      let point = first & (0x7f >> length);
      for (let i = 1; i < length; i++) {
        const byte = bytes[at + i] ?? 0;
        if (byte < (i === 1 ? low : 0x80) || byte > (i === 1 ? high : 0xbf)) return undefined;
        point = (point << 6) | (byte & 0x3f);
      }
      points.push(String.fromCodePoint(point));
    }
    at += length;
  }
  return points.join('');
}

/** Where the range of the second byte is narrower: overlong forms, surrogates, above U+10FFFF. */
const secondByte: Record<number, readonly [number, number]> = {
  0xe0: [0xa0, 0xbf],
  0xed: [0x80, 0x9f],
  0xf0: [0x90, 0xbf],
  0xf4: [0x80, 0x8f],
};
