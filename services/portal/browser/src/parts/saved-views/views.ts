/** A set of search parameters under a name. */
export type View = { name: string; search: Readonly<Record<string, string>> };

/**
 * What a browser kept, of which anything may have become meanwhile: what is no view is left out.
 */
export function readViews(kept: string | null): View[] {
  try {
    const given: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(given) ? given.filter(isView) : [];
  } catch {
    return [];
  }
}

/** Under a name that there is already, it takes that one's place. */
export function withView(views: readonly View[], view: View): View[] {
  const isThere = views.some(({ name }) => name === view.name);
  return isThere ? views.map((each) => (each.name === view.name ? view : each)) : [...views, view];
}

export function withoutView(views: readonly View[], name: string): View[] {
  return views.filter((each) => each.name !== name);
}

/** It keeps its place; another of the new name goes. */
export function renamed(views: readonly View[], from: string, to: string): View[] {
  return views
    .filter(({ name }) => name === from || name !== to)
    .map((each) => (each.name === from ? { ...each, name: to } : each));
}

/** Whether both show the same, whatever order their parameters are in. */
export function isSameSearch(a: View['search'], b: View['search']): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

function isView(given: unknown): given is View {
  const { name, search } = (given ?? {}) as { name?: unknown; search?: unknown };
  return (
    typeof name === 'string' &&
    name !== '' &&
    typeof search === 'object' &&
    search !== null &&
    Object.values(search).every((value) => typeof value === 'string')
  );
}
