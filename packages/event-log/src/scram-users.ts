import { pbkdf2 as pbkdf2Callback, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { KafkaConnection } from './kafka.ts';
import { type Encoder, errorOfCode, newEncoder, sendRaw } from './raw-requests.ts';

const pbkdf2 = promisify(pbkdf2Callback);

export type ScramMechanism = 'scram-sha-256' | 'scram-sha-512';

export type ScramUser = { name: string; mechanism: ScramMechanism };

/** Kafka's least; a password here is 256 random bits, so that more would add nothing. */
const iterations = 4_096;

const mechanismIds = { 'scram-sha-256': 1, 'scram-sha-512': 2 } as const;
const hashes = { 'scram-sha-256': 'sha256', 'scram-sha-512': 'sha512' } as const;
const hashBytes = { 'scram-sha-256': 32, 'scram-sha-512': 64 } as const;

/** Makes users at the brokers, or gives those that are there these passwords. */
export async function setScramPasswords(
  kafka: KafkaConnection,
  users: readonly (ScramUser & { password: string })[],
): Promise<void> {
  const upsertions = await Promise.all(users.map(upsertion));
  await alterUsers(kafka, { deletions: [], upsertions });
}

/** Takes the passwords of these mechanisms away; what is connected stays so. */
export function removeScramPasswords(
  kafka: KafkaConnection,
  users: readonly ScramUser[],
): Promise<void> {
  const deletions = users.map(({ name, mechanism }) =>
    newEncoder().writeUVarIntString(name).writeInt8(mechanismIds[mechanism]).writeUVarIntBytes(),
  );
  return alterUsers(kafka, { deletions, upsertions: [] });
}

/** Every password that the brokers know, by its user and mechanism. */
export async function listScramUsers(kafka: KafkaConnection): Promise<ScramUser[]> {
  const { code, users } = await sendRaw(kafka, {
    name: 'DescribeUserScramCredentials',
    apiKey: 50,
    apiVersion: 0,
    encode: (encoder) => encoder.writeUVarIntBytes().writeUVarInt(0).writeUVarIntBytes(),
    decode(decoder) {
      decoder.readTaggedFields();
      decoder.readInt32();
      const failed = decoder.readInt16();
      decoder.readUVarIntString();
      const found = decoder.readUVarIntArray((row) => {
        const name = row.readUVarIntString() ?? '';
        row.readInt16();
        row.readUVarIntString();
        const mechanisms = row.readUVarIntArray((info) => {
          const id = info.readInt8();
          info.readInt32();
          info.readTaggedFields();
          return id;
        });
        row.readTaggedFields();
        return (mechanisms ?? []).map((id) => ({ name, mechanism: mechanismOf(id) }));
      });
      return { code: failed, users: (found ?? []).flat() };
    },
  });
  if (code !== 0) throw errorOfCode(code);
  return users;
}

async function upsertion({
  name,
  mechanism,
  password,
}: ScramUser & { password: string }): Promise<Encoder> {
  const salt = randomBytes(24);
  const salted = await pbkdf2(password, salt, iterations, hashBytes[mechanism], hashes[mechanism]);
  return newEncoder()
    .writeUVarIntString(name)
    .writeInt8(mechanismIds[mechanism])
    .writeInt32(iterations)
    .writeUVarIntBytes(salt)
    .writeUVarIntBytes(salted)
    .writeUVarIntBytes();
}

async function alterUsers(
  kafka: KafkaConnection,
  changes: { deletions: readonly Encoder[]; upsertions: readonly Encoder[] },
): Promise<void> {
  if (changes.deletions.length + changes.upsertions.length === 0) return;
  const results = await sendRaw(kafka, {
    name: 'AlterUserScramCredentials',
    apiKey: 51,
    apiVersion: 0,
    encode: (encoder) =>
      encoder
        .writeUVarIntBytes()
        .writeUVarIntArray(changes.deletions)
        .writeUVarIntArray(changes.upsertions)
        .writeUVarIntBytes(),
    decode(decoder) {
      decoder.readTaggedFields();
      decoder.readInt32();
      return decoder.readUVarIntArray((row) => {
        const result = { name: row.readUVarIntString(), code: row.readInt16() };
        const message = row.readUVarIntString();
        row.readTaggedFields();
        return { ...result, message };
      });
    },
  });
  const refused = (results ?? []).filter(({ code }) => code !== 0);
  if (refused.length === 0) return;
  const reasons = refused.map(
    ({ name, code, message }) => `${name}: ${message ?? errorOfCode(code).message}`,
  );
  throw new Error(`users were not changed: ${reasons.join('; ')}`);
}

function mechanismOf(id: number): ScramMechanism {
  return id === mechanismIds['scram-sha-512'] ? 'scram-sha-512' : 'scram-sha-256';
}
