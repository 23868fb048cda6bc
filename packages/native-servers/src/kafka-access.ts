import type { ServerTls } from './certificates.ts';

/** Who may do everything at a broker whose clients need a password. */
export type KafkaAdmin = { user: string; password: string };

/**
 * The lines of server.properties of a broker that takes nobody without a password, and allows
 * nothing by itself. The administrator's password is in them, for PLAIN, so that there is somebody
 * before there are users in the log of the cluster; everybody else is such a user (SCRAM). The
 * controller's listener knows the administrator alone, who is the broker itself, too. With `tls`
 * every listener is encrypted, the controller's as well.
 */
export function accessProperties(
  { user, password }: KafkaAdmin,
  {
    clientListeners = ['CLIENT'],
    tls,
  }: { clientListeners?: readonly string[]; tls?: ServerTls | undefined } = {},
): Record<string, string> {
  const plain =
    'org.apache.kafka.common.security.plain.PlainLoginModule required ' +
    `username="${user}" password="${password}" user_${user}="${password}";`;
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  const protocol = tls === undefined ? 'SASL_PLAINTEXT' : 'SASL_SSL';
  const protocols = ['CONTROLLER', ...clientListeners].map((name) => `${name}:${protocol}`);
  const ofListeners = clientListeners.flatMap((name) => {
    const listener = `listener.name.${name.toLowerCase()}`;
    return [
      [`${listener}.plain.sasl.jaas.config`, plain],
      [`${listener}.scram-sha-256.sasl.jaas.config`, scram],
      [`${listener}.scram-sha-512.sasl.jaas.config`, scram],
    ];
  });
  return {
    'listener.security.protocol.map': protocols.join(','),
    'sasl.enabled.mechanisms': 'SCRAM-SHA-512,SCRAM-SHA-256,PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'sasl.mechanism.controller.protocol': 'PLAIN',
    'listener.name.controller.sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.controller.plain.sasl.jaas.config': plain,
    ...(Object.fromEntries(ofListeners) as Record<string, string>),
    ...(tls === undefined ? {} : tlsProperties(tls)),
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'allow.everyone.if.no.acl.found': 'false',
    'super.users': `User:${user}`,
  };
}

/** In the file itself, as its lines; nobody but the broker reads it. */
function tlsProperties({ authority, certificate, key }: ServerTls): Record<string, string> {
  const oneLine = (pem: string) => pem.trim().replaceAll('\n', '\\n');
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': oneLine(certificate),
    'ssl.keystore.key': oneLine(key),
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': oneLine(authority),
    'ssl.client.auth': 'none',
  };
}
