/** The names in braces of `/tenants/{tenantId}`. */
type ParamNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;
export type PathParams<P extends string> = Readonly<Record<ParamNames<P>, string>>;

/** The parts of a path, with the parameters in their places and nothing encoded. */
export function segmentsOf<P extends string>(path: P, params: PathParams<P>): string[] {
  const values = params as Readonly<Record<string, string>>;
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? (values[part.slice(1, -1)] ?? '') : part));
}

/** The path of one request, encoded. */
export function pathOf<P extends string>(path: P, params: PathParams<P>): string {
  return `/${segmentsOf(path, params).map(encodeSegment).join('/')}`;
}

/** Dots alone would be taken for a step in the path, encoded or not. */
export function encodeSegment(text: string): string {
  return /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%252E') : encodeURIComponent(text);
}

/** As express writes parameters. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
