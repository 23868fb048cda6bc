import { generate } from 'lean-qr/nano';
import { toSvgPath } from 'lean-qr/extras/svg';
import type { Language } from '../language.ts';

/**
 * Modules of white around the code, without which cameras do not find it (ISO/IEC 18004 section
 * 5.3.8).
 */
const quietZone = 4;

/**
 * Longer ones are left to the other ways: the largest code holds so many bytes (ISO/IEC 18004 table
 * 7, 40-L).
 */
export function fitsCode(link: string): boolean {
  return new TextEncoder().encode(link).length <= 2953;
}

/**
 * The link as a code to scan; black on white in every theme, since readers take no other for
 * granted.
 */
export function QrCode({ language, link }: { language: Language; link: string }) {
  const code = generate(link);
  const side = code.size + 2 * quietZone;
  return (
    <div class="qr">
      <svg
        class="qr-code"
        role="img"
        aria-label={language.text('qr.image')}
        viewBox={`${-quietZone} ${-quietZone} ${side} ${side}`}
        shape-rendering="crispEdges"
      >
        <rect x={-quietZone} y={-quietZone} width={side} height={side} fill="#fff" />
        <path d={toSvgPath(code)} fill="#000" />
      </svg>
      <p class="hint">{language.text('qr.hint')}</p>
    </div>
  );
}
