import { createRequire } from 'node:module';
import type { KafkaConnection } from './kafka.ts';
import { within } from './within.ts';

// Requests that kafkajs has no words for, sent over its own connections: it authenticates, finds
// the controller and keeps the requests apart. Its encoder and decoder write and read them.

export type Encoder = {
  writeInt8(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeBoolean(value: boolean): Encoder;
  writeArray(items: readonly string[]): Encoder;
  writeUVarInt(value: number): Encoder;
  writeUVarIntString(value: string): Encoder;
  writeUVarIntBytes(value?: Buffer): Encoder;
  writeUVarIntArray(items: readonly Encoder[]): Encoder;
};
export type Decoder = {
  readInt8(): number;
  readInt16(): number;
  readInt32(): number;
  readBoolean(): boolean;
  readString(): string;
  readArray<T>(read: (decoder: Decoder) => T): T[];
  readUVarIntString(): string | null;
  readUVarIntArray<T>(read: (decoder: Decoder) => T): T[] | null;
  readTaggedFields(): unknown;
};
export type RawRequest<T> = {
  name: string;
  apiKey: number;
  apiVersion: number;
  encode: (encoder: Encoder) => Encoder;
  decode: (decoder: Decoder) => T;
};

type Broker = { connectionPool: { send(request: unknown): Promise<unknown> } };
type Cluster = {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  refreshMetadata(): Promise<void>;
  findControllerBroker(): Promise<Broker>;
};

const require = createRequire(import.meta.url);
const EncoderClass = require('kafkajs/src/protocol/encoder') as new () => Encoder;
const DecoderClass = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => Decoder;
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode: (code: number) => Error & { type: string };
};

export const newEncoder = () => new EncoderClass();

/** What the brokers mean by an error code that is not 0. */
export function errorOfCode(code: number): Error & { type: string } {
  return createErrorFromCode(code);
}

/** Asks the controller, over a connection of its own, which is closed whatever comes of it. */
export async function sendRaw<T>(kafka: KafkaConnection, asked: RawRequest<T>): Promise<T> {
  const cluster = newCluster(kafka);
  await cluster.connect();
  try {
    await cluster.refreshMetadata();
    const broker = await cluster.findControllerBroker();
    const { name: apiName, apiKey, apiVersion } = asked;
    const encode = () => Promise.resolve(asked.encode(newEncoder()));
    const answer = broker.connectionPool.send({
      request: { apiKey, apiVersion, apiName, encode },
      response: {
        decode: (bytes: Buffer) => Promise.resolve(asked.decode(new DecoderClass(bytes))),
        parse: (data: unknown) => Promise.resolve(data),
      },
    });
    return (await within(answerMs, answer)) as T;
  } finally {
    await cluster.disconnect().catch(() => undefined);
  }
}

const answerMs = 15_000;

/** The client keeps how it makes one behind a symbol of its own. */
function newCluster({ client }: KafkaConnection): Cluster {
  const key = Object.getOwnPropertySymbols(client).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (key === undefined) throw new Error('kafkajs makes its connections otherwise now');
  type Make = (options: { allowAutoTopicCreation: boolean }) => Cluster;
  const make = (client as unknown as Record<symbol, Make>)[key]!;
  return make({ allowAutoTopicCreation: false });
}
