import { writeFileSync } from 'node:fs';
import { envReferencePage } from './render.ts';

/** Writes deploy/env-reference.md; a test says when that was forgotten. */
writeFileSync(new URL('../env-reference.md', import.meta.url), await envReferencePage());
