import { sectionsOf } from './page-sections.ts';

/** What the search of the documentation looks through, section by section. */
export type IndexedSection = { path: string; page: string; heading: string; text: string };

export function indexOfPage(path: string, page: string, html: string): IndexedSection[] {
  return sectionsOf(html).map(({ id, depth, heading, text }) => ({
    // What stands at the top is the page itself.
    path: depth === 1 || id === '' ? path : `${path}#${id}`,
    page,
    heading: depth === 1 ? '' : heading,
    text,
  }));
}

/** The operations of an OpenAPI document, at the addresses that redoc gives them. */
export function indexOfOperations(path: string, page: string, json: string): IndexedSection[] {
  const { paths } = JSON.parse(json) as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([route, operations]) =>
    Object.entries(operations).flatMap(
      ([method, { operationId, summary = '', description = '' }]) =>
        operationId === undefined
          ? []
          : {
              path: `${path}#operation/${operationId}`,
              page,
              heading: `${method.toUpperCase()} ${route}`,
              text: `${summary}. ${description.replaceAll(/[`*]+/g, '').replaceAll(/\s+/g, ' ')}`.trim(),
            },
    ),
  );
}

type Operation = { operationId?: string; summary?: string; description?: string };
