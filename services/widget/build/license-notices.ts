import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What the licenses of built-in libraries ask every copy to carry, as a comment. `ids` are the
 * paths of modules. @throws {Error} when a library has no LICENSE file
 */
export async function licenseNotices(ids: readonly string[]): Promise<string> {
  const folders = ids.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0]);
  const notices: string[] = [];
  for (const folder of [...new Set(folders)].filter((each) => each !== undefined).sort()) {
    const manifest = await readFile(join(folder, 'package.json'), 'utf8');
    const { name, version } = JSON.parse(manifest) as { name: string; version: string };
    const text = await readFile(join(folder, 'LICENSE'), 'utf8');
    notices.push(`${name} ${version}\n${text.trim()}`);
  }
  const all = notices.join('\n\n').replaceAll('*/', '* /');
  return all === '' ? '' : `/*!\n${all}\n*/\n`;
}
