import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

export type DnsAnswer =
  | { addresses: readonly string[]; alias?: string; texts?: readonly string[] }
  | 'no-such-name'
  | 'server-failure'
  | 'silent';

export type AnswerOf = (name: string, turn: number, type: 'A' | 'AAAA' | 'TXT') => DnsAnswer;

/** A name server for specs, over UDP: answers A, AAAA and TXT as told. */
export type DnsServer = {
  /** For `dnsServers`. */
  address: string;
  /** `A name`, `AAAA name` and `TXT name`, as they were asked for. */
  questions: string[];
  /** `turn` counts the questions of that name and type. */
  answerWith(answer: AnswerOf): void;
  stop(): Promise<void>;
};

export async function startDnsServer(): Promise<DnsServer> {
  const questions: string[] = [];
  let answerOf: AnswerOf = () => 'no-such-name';
  const socket = createSocket('udp4', (query, from) => {
    const { name, type, end } = readQuestion(query);
    const kind = kindOf(type);
    const question = `${kind} ${name}`;
    const turn = questions.filter((earlier) => earlier === question).length;
    questions.push(question);
    const answer = answerOf(name, turn, kind);
    if (answer !== 'silent') socket.send(reply(query.subarray(0, end), type, answer), from.port);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    answerWith: (next) => (answerOf = next),
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

const typeOf = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 };

function kindOf(type: number): 'A' | 'AAAA' | 'TXT' {
  if (type === typeOf.TXT) return 'TXT';
  return type === typeOf.AAAA ? 'AAAA' : 'A';
}

const responseCodes = { 'no-such-name': 3, 'server-failure': 2 };

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function reply(question: Buffer, type: number, answer: Exclude<DnsAnswer, 'silent'>): Buffer {
  const header = Buffer.from(question);
  const records = typeof answer === 'string' ? [] : recordsOf(type, answer);
  header.writeUInt16BE(0x8180 | (typeof answer === 'string' ? responseCodes[answer] : 0), 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, ...records]);
}

function recordsOf(type: number, answer: Exclude<DnsAnswer, string>) {
  if (type === typeOf.TXT) {
    const texts = (answer.texts ?? []).map((text) => Buffer.from(text));
    const name = Buffer.from([0xc0, 12]);
    return texts.map((text) => record(name, type, Buffer.from([text.length, ...text])));
  }
  const kind = type === typeOf.AAAA ? 'ipv6' : 'ipv4';
  const addresses = answer.addresses
    .map((address) => ipaddr.parse(address))
    .filter((address) => address.kind() === kind);
  const asked = Buffer.from([0xc0, 12]);
  if (answer.alias === undefined) {
    return addresses.map((address) => record(asked, type, Buffer.from(address.toByteArray())));
  }
  const alias = nameBytes(answer.alias);
  return [
    record(asked, typeOf.CNAME, alias),
    ...addresses.map((address) => record(alias, type, Buffer.from(address.toByteArray()))),
  ];
}

/** Kept for an hour, says the name server; nobody has to believe it. */
function record(name: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(3_600, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([...labels.flat(), Buffer.from([0])]);
}
