import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type KafkaPrincipal, kafkaPrincipals } from '../../packages/contracts/src/topic-rights.ts';
import { readPasswordDirectory } from './password-directory.ts';

/**
 * Passwords by service; a new file has a random one for each, and is its owner's alone. A directory
 * has a file for each (password-directory.ts).
 */
export function ensurePasswordFile(file: string): Partial<Record<KafkaPrincipal, string>> {
  if (!existsSync(file)) {
    const made = kafkaPrincipals.map((name) => [name, randomBytes(32).toString('base64url')]);
    const text = JSON.stringify(Object.fromEntries(made), null, 2);
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
  }
  return readPasswords(file);
}

/** @throws when it names nobody's principal, or a password that is easily guessed. */
function readPasswords(file: string): Partial<Record<KafkaPrincipal, string>> {
  const found: unknown = statSync(file).isDirectory()
    ? readPasswordDirectory(file)
    : JSON.parse(readFileSync(file, 'utf8'));
  const known = new Set<string>(kafkaPrincipals);
  const passwords = Object.entries(found as object);
  for (const [name, password] of passwords) {
    if (!known.has(name)) {
      throw new Error(`${file}: ${name} is none of ${kafkaPrincipals.join(', ')}`);
    }
    if (typeof password !== 'string' || password.length < 20) {
      throw new Error(`${file}: the password of ${name} has less than 20 characters`);
    }
  }
  return Object.fromEntries(passwords);
}
