import { hash, verify } from '@node-rs/argon2';

/** argon2id, which is what the package takes when nothing else is said. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

/**
 * Whether it is the password, and whether it should be hashed anew since it costs more today. The
 * same work is done where there is no account, so that nobody hears of one by the time it takes.
 */
export async function verifyPassword(
  passwordHash: string | null | undefined,
  password: string,
): Promise<{ isRight: boolean; isOutdated: boolean }> {
  const isRight = await verify(passwordHash ?? (await nobodysHash()), password);
  if (passwordHash === null || passwordHash === undefined) {
    return { isRight: false, isOutdated: false };
  }
  return { isRight, isOutdated: !passwordHash.startsWith(`$argon2id$v=19$${costText}$`) };
}

const costText = `m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}`;

let hashOfNobody: Promise<string> | undefined;

function nobodysHash(): Promise<string> {
  return (hashOfNobody ??= hashPassword('nobody has this password'));
}
