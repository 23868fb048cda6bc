import { aclText, kafkaPrincipals } from '../../packages/contracts/src/topic-rights.ts';
import type { GivenAcl } from '../../packages/event-log/src/kafka-acls.ts';
import type { ScramMechanism } from '../../packages/event-log/src/scram-users.ts';
import { givenAcls, type Naming, type RightsReport, userOf } from './apply-rights.ts';

/** A line for each difference: as it is, or as what was done about it. */
export function describeReport(report: RightsReport, did: 'check' | 'apply'): string[] {
  const words =
    did === 'check'
      ? { missing: 'lacks', tooMuch: 'has too much:' }
      : { missing: 'was given', tooMuch: 'has lost' };
  return [
    ...report.usersMissing.map((user) => `${user} has no password: give it one with --passwords`),
    ...report.missing.map((acl) => `${acl.principal} ${words.missing} ${aclText(acl)}`),
    ...report.tooMuch.map((acl) => `${acl.principal} ${words.tooMuch} ${aclText(acl)}`),
    ...report.besides.map(
      (acl) => `${acl.principal} has besides: ${aclText(acl)} (--prune takes it away)`,
    ),
    ...report.others.map(({ principal, text }) => `${principal} has a rule of its own: ${text}`),
  ];
}

export function isAsWanted({
  usersMissing,
  missing,
  tooMuch,
  besides,
  others,
}: RightsReport): boolean {
  return [usersMissing, missing, tooMuch, besides, others].every((list) => list.length === 0);
}

export function sumOf(naming: Naming): string {
  const { length } = givenAcls(naming);
  return `${kafkaPrincipals.length} principals have their ${length} permissions, and nothing more.`;
}

/** For brokers whose administrators run Kafka's own commands. */
export function commandsOf(naming: Naming, mechanism: ScramMechanism): string[] {
  const server = '--bootstrap-server "$BROKERS" --command-config admin.properties';
  const users = kafkaPrincipals.map((principal) => {
    const user = userOf(principal, naming);
    const config = `'${mechanism.toUpperCase()}=[password=…]'`;
    const entity = `--entity-type users --entity-name ${user}`;
    return `kafka-configs.sh ${server} --alter ${entity} --add-config ${config}`;
  });
  const acls = [...groupByResource(givenAcls(naming)).values()].map((group) => {
    const [{ principal, resource, name, pattern }] = group;
    const operations = group.map(({ operation }) => `--operation ${operation}`).join(' ');
    const what = `--${resource} '${name}' --resource-pattern-type ${pattern}`;
    return `kafka-acls.sh ${server} --add --allow-principal ${principal} ${operations} ${what}`;
  });
  return [...users, ...acls];
}

function groupByResource(acls: readonly GivenAcl[]): Map<string, [GivenAcl, ...GivenAcl[]]> {
  const groups = new Map<string, [GivenAcl, ...GivenAcl[]]>();
  for (const acl of acls) {
    const key = [acl.principal, acl.resource, acl.pattern, acl.name].join(' ');
    const group = groups.get(key);
    if (group) group.push(acl);
    else groups.set(key, [acl]);
  }
  return groups;
}
