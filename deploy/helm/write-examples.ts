import { writeFileSync } from 'node:fs';
import { strimziUsers } from './kafka-users.ts';

/** Writes what of examples/ is made of the code; a test says when that was forgotten. */
writeFileSync(new URL('examples/strimzi-users.yaml', import.meta.url), await strimziUsers());
