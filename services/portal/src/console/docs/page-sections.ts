/** What begins at a heading, or at an entry of a table of codes, and ends before the next one. */
export type Section = {
  /** Empty for what stands before the first heading. */
  id: string;
  depth: number;
  heading: string;
  text: string;
};

/**
 * The sections of a page that was made of Markdown, in reading order. Headings and texts are plain
 * text: nothing of the page's HTML, neither tags nor entities.
 */
export function sectionsOf(html: string): Section[] {
  const [before = '', ...rest] = html.split(beginning);
  const sections: Section[] = [];
  if (plainText(before) !== '') {
    sections.push({ id: '', depth: 1, heading: '', text: plainText(before) });
  }
  // Split by a pattern with three groups: article's id, depth and id of the heading, then the text.
  for (let i = 0; i < rest.length; i += 4) {
    const [entryId, depth, headingId, content = ''] = rest.slice(i, i + 4);
    const [heading = '', ...texts] = content.split(/<\/h[1-6]>/);
    sections.push({
      id: entryId ?? headingId ?? '',
      depth: Number(depth),
      heading: plainText(heading),
      text: plainText(texts.join(' ')),
    });
  }
  return sections;
}

const beginning = /(?:<article class="entry" id="([^"]+)">)?<h([1-6])(?: id="([^"]+)")?>/;

function plainText(html: string): string {
  return html
    .replaceAll(/<\/?(?:p|li|ul|ol|dl|dt|dd|tr|td|th|pre|div|article|h[1-6]|br)\b[^>]*>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
