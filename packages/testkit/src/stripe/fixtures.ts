import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripeApiVersions, type StripeShape } from './api-version.ts';
import { fixturesDirectory, type FixtureFile } from './fixture-file.ts';

export type Json = Record<string, unknown>;

const read = (shape: StripeShape): FixtureFile =>
  JSON.parse(
    readFileSync(join(fixturesDirectory, `${stripeApiVersions[shape]}.json`), 'utf8'),
  ) as FixtureFile;

const files: Record<StripeShape, FixtureFile> = { old: read('old'), new: read('new') };

/**
 * The official object of that name (`invoice`, `checkout.session`), a copy of its own, with these
 * members set. Members that the shape does not have are refused: they would be invented.
 */
export function fixture(shape: StripeShape, name: string, members: Json = {}): Json {
  const official = files[shape].resources[name];
  if (official === undefined) throw new Error(`no fixture of ${name} in ${shape}`);
  const invented = Object.keys(members).filter((member) => !Object.hasOwn(official, member));
  if (invented.length > 0) {
    throw new Error(`${name} has no ${invented.join(', ')} in the fixture of ${shape}`);
  }
  return { ...structuredClone(official), ...members };
}
