import { escapeHtml } from './markdown.ts';
import { sectionsOf, type Section } from './page-sections.ts';

/**
 * Links to the sections of a page, those of third rank inside of those of second. Empty for a page
 * that has hardly any. It is open as it is served, so that it can be read without the script.
 */
export function tableOfContents(html: string): string {
  const sections = sectionsOf(html).filter(({ id, depth }) => id !== '' && isListed(depth));
  if (sections.length < 3) return '';
  const items = groups(sections).map((group) => {
    const [first, ...inner] = group.map(linkTo);
    const below = inner.map((link) => `<li>${link}</li>`).join('');
    return `<li>${first}${below === '' ? '' : `<ol>${below}</ol>`}</li>`;
  });
  return (
    `<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary>\n` +
    `<ol>\n${items.join('\n')}\n</ol></details></nav>\n`
  );
}

function isListed(depth: number): boolean {
  return depth === 2 || depth === 3;
}

/** Each begins at a heading of second rank; what comes before the first of these stands alone. */
function groups(sections: readonly Section[]): Section[][] {
  const found: Section[][] = [];
  for (const section of sections) {
    const last = found.at(-1);
    if (section.depth === 3 && last?.[0]?.depth === 2) last.push(section);
    else found.push([section]);
  }
  return found;
}

function linkTo({ id, heading }: Section): string {
  return `<a href="#${id}">${escapeHtml(heading)}</a>`;
}
