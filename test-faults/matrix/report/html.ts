/** Text that is markup already, and is not escaped again. */
export type Html = { readonly markup: string };

type Part = string | number | Html | readonly Html[];

/** Markup from a template: whatever is put into it is escaped, unless it is markup itself. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const filled = texts.map((text, i) => text + markupOf(parts[i] ?? ''));
  return { markup: filled.join('') };
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markupOf(part: Part): string {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (sign) => entities[sign]!);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}
