/**
 * What a page shows, as a pattern: ids, secrets, times and numbers may be others, `…` stands for
 * anything, and lines may be broken elsewhere. All else has to be there, word for word.
 */
export function shapeOf(printed: string): RegExp {
  const source = printed
    .trim()
    .split(token)
    .map((part, index) => (index % 2 === 0 ? literal(part) : patternOf(part)))
    .join('');
  return new RegExp(`^\\s*${source}\\s*$`);
}

const token =
  /(…|\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT|\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?|\b(?=[\w-]*\d)(?=[\w-]*[a-zA-Z])[\w-]{9,}|\d[\d,]*(?:\.\d+)?)/;

function patternOf(part: string): string {
  if (part === '…') return '[\\s\\S]*?';
  if (/ GMT$/.test(part)) return '\\w{3}, \\d\\d \\w{3} \\d{4} [\\d:]+ GMT';
  if (/^\d{4}-\d\d-\d\dT/.test(part)) return '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
  if (/^[\d,.]+$/.test(part)) return '\\d[\\d,]*(?:\\.\\d+)?';
  return '[\\w-]+';
}

function literal(part: string): string {
  return part
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('\\s*');
}
