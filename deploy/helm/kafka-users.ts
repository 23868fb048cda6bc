import { stringify } from 'yaml';
import { format } from 'prettier';
import {
  aclsOf,
  type KafkaAcl,
  type KafkaPrincipal,
  kafkaPrincipals,
} from '../../packages/contracts/src/topic-rights.ts';

/** A user of Strimzi for each service and tool, with its permissions and nothing more. */
export async function strimziUsers(): Promise<string> {
  const head =
    '# Users of the services and tools at brokers that Strimzi runs, and what each may do. Strimzi\n' +
    "# puts the password of each into a Secret of the user's name.\n" +
    '# Generated: node deploy/helm/write-examples.ts\n';
  const users = kafkaPrincipals.map((principal) => stringify(userOf(principal)));
  return format(head + users.join('---\n'), { parser: 'yaml', printWidth: 100, singleQuote: true });
}

function userOf(principal: KafkaPrincipal): object {
  return {
    apiVersion: 'kafka.strimzi.io/v1',
    kind: 'KafkaUser',
    metadata: {
      name: `tributary-${principal}`,
      labels: { 'strimzi.io/cluster': 'tributary' },
    },
    spec: {
      authentication: { type: 'scram-sha-512' },
      authorization: { type: 'simple', acls: byResource(aclsOf(principal, '')) },
    },
  };
}

/** One rule for each topic or group, with all that may be done there. */
function byResource(acls: readonly KafkaAcl[]): object[] {
  const rules = new Map<string, { resource: object; operations: string[] }>();
  for (const { resource: type, name, pattern, operation } of acls) {
    const key = `${type} ${pattern} ${name}`;
    const patternType = pattern === 'prefixed' ? 'prefix' : 'literal';
    const rule = rules.get(key) ?? { resource: { type, name, patternType }, operations: [] };
    rule.operations.push(operation);
    rules.set(key, rule);
  }
  return [...rules.values()];
}
