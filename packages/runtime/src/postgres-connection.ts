import type pg from 'pg';
import type { PostgresSettings } from './variables.ts';

/** What every connection of this system has in common. */
export function connectionConfig(
  { url, tls }: Pick<PostgresSettings, 'url' | 'tls'>,
  options: { searchPath: readonly string[]; applicationName: string },
): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: options.applicationName,
    // In the start packet: no round trip, and no connection is ever without it. The time zone is
    // fixed so that a timestamp as text is the same from every server. Nothing is compiled first
    // (jit): where a sub-query may run for each row, that took longer than the sum of 50,000 rows.
    options: `-c search_path=${escapeOption(quoteSearchPath(options.searchPath))} -c timezone=UTC -c jit=off`,
    ...(tls === undefined ? {} : { ssl: { rejectUnauthorized: true, ...tls } }),
  };
}

export function quoteSearchPath(schemas: readonly string[]): string {
  return schemas.map(quoteIdentifier).join(',');
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** In the `options` of a start packet, blanks separate and a backslash protects. */
function escapeOption(value: string): string {
  return value.replaceAll(/[\\\s]/g, (character) => `\\${character}`);
}
