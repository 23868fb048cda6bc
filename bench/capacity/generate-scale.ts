import { readFileSync, writeFileSync } from 'node:fs';
import { renderScale } from './render.ts';

/** Writes docs/scale.md from its template and the figures. */
const template = new URL('scale.template', import.meta.url);
const page = new URL('../../docs/scale.md', import.meta.url);
writeFileSync(page, renderScale(readFileSync(template, 'utf8')));
