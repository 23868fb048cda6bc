import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

// X.509 certificates (RFC 5280) for servers of one deployment, by hand: containers have no openssl,
// and what these need of the standard is little. ECDSA on P-256 throughout.

/** What a server presents, and whom its clients believe; all PEM. */
export type ServerTls = { authority: string; certificate: string; key: string };

export type Authority = {
  certificate: string;
  /**
   * For a server that is reached by these names and IPv4 addresses. An organization is what some
   * servers take for the group of a client that presents the certificate.
   */
  issue(name: string, hosts: readonly string[], organization?: string): ServerTls;
};

/** Its key is nowhere but in this process: what is not issued while it runs never is. */
export function createAuthority(options: { days: number; now: Date }): Authority {
  const { privateKey, publicKey } = newKeys();
  const issuer = 'Tributary servers';
  const validity = validityOf(options);
  const keyId = randomBytes(20);
  const certificate = signed(privateKey, {
    ...{ issuer, subject: issuer, publicKey, validity },
    extensions: [
      extension(oids.basicConstraints, sequence(boolean(true))),
      extension(oids.keyUsage, bits(Buffer.of(0x04), 2)), // keyCertSign
      remark(oids.subjectKeyId, der(0x04, keyId)),
    ],
  });
  return {
    certificate,
    issue(name, hosts, organization) {
      const own = newKeys();
      const issued = signed(privateKey, {
        ...{ issuer, subject: name, organization, publicKey: own.publicKey, validity },
        extensions: [
          extension(oids.basicConstraints, sequence()),
          extension(oids.keyUsage, bits(Buffer.of(0x80), 7)), // digitalSignature
          extension(oids.subjectAltName, sequence(...hosts.map(alternativeName))),
          remark(oids.authorityKeyId, sequence(der(0x80, keyId))),
        ],
      });
      const key = own.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      return { authority: certificate, certificate: issued, key };
    },
  };
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

type Contents = {
  issuer: string;
  subject: string;
  organization?: string | undefined;
  publicKey: KeyObject;
  validity: Buffer;
  extensions: Buffer[];
};

function signed(key: KeyObject, contents: Contents): string {
  const { issuer, subject, organization, publicKey, validity, extensions } = contents;
  const algorithm = sequence(oid(oids.ecdsaWithSha256));
  const body = sequence(
    tagged(0, integer(Buffer.of(2))), // version 3
    integer(serialNumber()),
    algorithm,
    distinguishedName(issuer),
    validity,
    distinguishedName(subject, organization),
    publicKey.export({ format: 'der', type: 'spki' }),
    tagged(3, sequence(...extensions)),
  );
  const whole = sequence(body, algorithm, bits(sign('sha256', body, key), 0));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Above zero, and without a byte that DER would leave out. */
function serialNumber(): Buffer {
  const number = randomBytes(16);
  number[0] = (number[0]! & 0x3f) | 0x40;
  return number;
}

function distinguishedName(commonName: string, organization?: string): Buffer {
  const part = (id: Buffer, value: string) =>
    der(0x31, sequence(oid(id), der(0x0c, Buffer.from(value))));
  const group = organization === undefined ? [] : [part(oids.organization, organization)];
  return sequence(...group, part(oids.commonName, commonName));
}

/** From an hour before now, for clocks that differ. */
function validityOf({ days, now }: { days: number; now: Date }): Buffer {
  const from = new Date(now.getTime() - 3_600_000);
  const until = new Date(now.getTime() + days * 86_400_000);
  return sequence(utcTime(from), utcTime(until));
}

/** Two digits of the year, which mean 1950 to 2049. */
function utcTime(date: Date): Buffer {
  if (date.getUTCFullYear() > 2049) throw new Error('a certificate of this kind ends by 2049');
  const digits = date.toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function alternativeName(host: string): Buffer {
  return isIPv4(host)
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host));
}

/** A critical one. */
function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(oid(id), boolean(true), der(0x04, value));
}

/** One that may be passed over. */
function remark(id: Buffer, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

const oids = {
  ecdsaWithSha256: Buffer.from('2a8648ce3d040302', 'hex'),
  commonName: Buffer.from('550403', 'hex'),
  organization: Buffer.from('55040a', 'hex'),
  keyUsage: Buffer.from('551d0f', 'hex'),
  subjectAltName: Buffer.from('551d11', 'hex'),
  basicConstraints: Buffer.from('551d13', 'hex'),
  subjectKeyId: Buffer.from('551d0e', 'hex'),
  authorityKeyId: Buffer.from('551d23', 'hex'),
};

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const integer = (bytes: Buffer) => der(0x02, bytes);
const boolean = (value: boolean) => der(0x01, Buffer.of(value ? 0xff : 0));
const oid = (bytes: Buffer) => der(0x06, bytes);
const bits = (bytes: Buffer, unused: number) => der(0x03, Buffer.of(unused), bytes);
const tagged = (number: number, content: Buffer) => der(0xa0 + number, content);

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length < 0x100) return Buffer.of(0x81, length);
  return Buffer.of(0x82, length >> 8, length & 0xff);
}
