/** A piece of a page: text that is HTML already. */
export type Html = { readonly html: string };
type Part = string | number | Html | readonly Html[];

/**
 * HTML from a template: whatever stands in a hole is a text and is escaped, unless it is
 * {@link Html}.
 */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  const pieces = texts.map((text, i) => text + (i < parts.length ? rendered(parts[i]!) : ''));
  return { html: pieces.join('') };
}

export const nothing: Html = { html: '' };

/**
 * Data for a script of the page, as a block that is not run itself: a strict content security
 * policy lets it through. No `<` can end the block.
 */
export function dataBlock(id: string, data: unknown): Html {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return { html: `<script type="application/json" id="${escaped(id)}">${json}</script>` };
}

function rendered(part: Part): string {
  if (typeof part === 'string') return escaped(part);
  if (typeof part === 'number') return String(part);
  if ('html' in part) return part.html;
  return part.map((piece) => piece.html).join('');
}

/** Escapes a text for an element's content or a quoted attribute. */
export function escaped(text: string): string {
  const marks: Record<string, string> = {
    ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;' },
    ...{ '"': '&quot;', "'": '&#39;' },
  };
  return text.replace(/[&<>"']/g, (mark) => marks[mark] ?? mark);
}
