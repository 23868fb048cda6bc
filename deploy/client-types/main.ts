import { writeFileSync } from 'node:fs';
import { wireTypesFile, wireTypesUrl } from './render.ts';

/** Writes the client's wire-types.ts from the contracts; a test says when that was forgotten. */
writeFileSync(wireTypesUrl, await wireTypesFile());
