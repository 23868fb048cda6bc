import { Marked, type Tokens } from 'marked';

/**
 * Our own Markdown files as HTML. Headings have anchors; a link to another file of the folder leads
 * to its page; a table of codes is a list of entries, each with an anchor of the code's name, so
 * that `/docs/errors#VALIDATION_ERROR` can be sent to somebody.
 */
export function renderMarkdown(text: string, folder: '' | 'runbooks/' = ''): string {
  return (folder === '' ? marked : markedOfRunbooks).parse(text, { async: false });
}

const marked = createMarked(pageOf);
const markedOfRunbooks = createMarked(pageFromRunbook);

function createMarked(pageOf: (href: string) => string | undefined): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const id = anchorOf(html);
        return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
      },
      // What may be wider than the page scrolls by itself, and can be reached by keys to do so.
      code({ text, lang }) {
        const name =
          lang === undefined || lang === '' ? '' : ` class="language-${escapeHtml(lang)}"`;
        return `<pre tabindex="0"><code${name}>${escapeHtml(text)}\n</code></pre>\n`;
      },
      link({ href, tokens }) {
        const page = pageOf(href);
        const text = this.parser.parseInline(tokens);
        return page === undefined ? text : `<a href="${page}">${text}</a>`;
      },
      // Comments are for who reads the file.
      html: ({ text }) => (text.startsWith('<!--') ? '' : text),
      image({ href, text }) {
        return `<img src="${pageOf(href) ?? ''}" alt="${text.replaceAll('"', '&quot;')}" loading="lazy">`;
      },
      table(table) {
        const inline = (cell: Tokens.TableCell) =>
          breakingAtSlashes(this.parser.parseInline(cell.tokens));
        const header = table.header.map(inline);
        const rows = table.rows.map((cells) => cells.map(inline));
        return header[0] === 'Code' ? entries(header, rows) : plainTable(header, rows);
      },
    },
  });
}

function entries(header: readonly string[], rows: readonly string[][]): string {
  const articles = rows.map(([code = '', ...cells]) => {
    const name = withoutTags(code);
    const facts = cells.map((cell, i) => `<dt>${header[i + 1]}</dt><dd>${cell}</dd>`);
    return (
      `<article class="entry" id="${name}">` +
      `<h3><a href="#${name}">${code}</a></h3><dl>${facts.join('')}</dl></article>`
    );
  });
  return `<div class="entries">\n${articles.join('\n')}\n</div>\n`;
}

/** In a frame of its own, which scrolls when the page is too narrow. */
function plainTable(header: readonly string[], rows: readonly string[][]): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  const hasHeader = header.some((cell) => cell !== '');
  const head = hasHeader ? `<thead>${row(header, 'th')}</thead>` : '';
  const body = rows.map((cells) => row(cells, 'td')).join('\n');
  return `<div class="table" tabindex="0"><table>${head}<tbody>\n${body}\n</tbody></table></div>\n`;
}

/**
 * `errors.md#x` → `/docs/errors#x`, `api/x.json` → `/docs/x.json`, receivers and images below
 * `/docs`.
 */
function pageOf(href: string): string {
  return href
    .replace(/^runbooks\/README\.md(?=#|$)/, '/docs/runbooks')
    .replace(/^((?:runbooks\/)?[a-z-]+)\.md(?=#|$)/, '/docs/$1')
    .replace(/^api\/([a-z-]+\.json)$/, '/docs/$1')
    .replace(/^(receivers\/[a-z]+\.[a-z]+|images\/[a-z0-9-]+\.png)$/, '/docs/$1');
}

/** From a runbook; what is not served, such as a decision, is no link. */
function pageFromRunbook(href: string): string | undefined {
  if (/^(https:|#)/.test(href)) return href;
  if (/^\.\.\/[a-z-]+\.md(#|$)/.test(href)) return pageOf(href.slice('../'.length));
  return href.startsWith('../') ? undefined : pageOf(`runbooks/${href}`);
}

/** Paths in narrow cells break where they may, and names not at all. */
function breakingAtSlashes(html: string): string {
  return html.replaceAll(
    /<code>([^<]*)<\/code>/g,
    (_, text: string) => `<code>${text.replaceAll('/', '/<wbr>')}</code>`,
  );
}

function anchorOf(html: string): string {
  const words = withoutTags(html)
    .toLowerCase()
    .replaceAll(/&[a-z#0-9]+;/g, '');
  return words.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
}

export function escapeHtml(text: string): string {
  const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  return text.replaceAll(/[&<>"]/g, (sign) => `&${names[sign]};`);
}

function withoutTags(html: string): string {
  return html.replaceAll(/<[^>]*>/g, '');
}
