import { join } from 'node:path';
import { format } from 'prettier';
import { valuesSchema } from './values-schema.ts';

export const chartDir = join(import.meta.dirname, 'tributary');
export const schemaFile = join(chartDir, 'values.schema.json');

/** In the repository's format. */
export function schemaText(): Promise<string> {
  return format(JSON.stringify(valuesSchema), { parser: 'json', printWidth: 100 });
}
