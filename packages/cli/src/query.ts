/** The query of a request, of the flags that were given; empty without any. */
export function query(flags: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
