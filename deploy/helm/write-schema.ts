import { writeFileSync } from 'node:fs';
import { schemaFile, schemaText } from './schema-text.ts';

/** Writes the schema of the chart's values; a test says when that was forgotten. */
writeFileSync(schemaFile, await schemaText());
