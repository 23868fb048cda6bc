/**
 * The places where a piece of SQL names a schema: the wiring gives each connection its search path,
 * so that a service can run beside itself as another generation.
 */
export function findSchemaNames(sql: string): string[] {
  const text = sql
    .replace(/--.*$/gm, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    // `from` inside these is not followed by a table.
    .replace(/\b(extract|substring|trim|overlay)\s*\([^()]*\)/gi, '$1()')
    .replace(/\bdistinct\s+from\b/gi, 'distinct_from');
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([match]) => match.trim()));
}

const qualified = String.raw`(?:only\s+)?"?(?!pg_catalog\b|information_schema\b)[a-z_]\w*"?\s*\.\s*"?[a-z_]\w*"?`;

const patterns = [
  new RegExp(
    String.raw`\b(?:from|join|into|update|using|references|truncate)\s+${qualified}`,
    'gi',
  ),
  new RegExp(
    String.raw`\b(?:table|view|index|type|sequence)\s+(?:if\s+(?:not\s+)?exists\s+)?${qualified}`,
    'gi',
  ),
  new RegExp(String.raw`\bindex\b[^;]*?\bon\s+${qualified}`, 'gi'),
  /\b(?:create|drop|alter)\s+schema\b/gi,
  /\bset\s+(?:local\s+|session\s+)?search_path\b/gi,
];

/** Whether a text of a program is SQL. */
export function looksLikeSql(text: string): boolean {
  return /^\s*(?:select|insert|update|delete|with|create|alter|drop|truncate|set|lock)\s/i.test(
    text,
  );
}
