import type { KafkaAcl, KafkaOperation } from '@tributary/contracts/topic-rights';
import kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { withAdmin } from './with-admin.ts';

/** A permission with whom it is of, as Kafka names them: `User:…`. */
export type GivenAcl = KafkaAcl & { principal: string };

/** A permission of another form than ours: a denial, of one host, on the cluster, … */
export type OtherAcl = { principal: string; text: string };

/** Every permission that the brokers know of these principals. */
export async function readAcls(
  kafka: KafkaConnection,
  principals: ReadonlySet<string>,
): Promise<{ ours: GivenAcl[]; others: OtherAcl[] }> {
  const { resources } = await withAdmin(kafka, (admin) =>
    admin.describeAcls({
      resourceType: AclResourceTypes.ANY,
      resourcePatternType: ResourcePatternTypes.ANY,
      operation: AclOperationTypes.ANY,
      permissionType: AclPermissionTypes.ANY,
    }),
  );
  const found = resources.flatMap(({ acls, ...resource }) =>
    acls
      .filter(({ principal }) => principals.has(principal))
      .map((acl) => ({ ...resource, ...acl })),
  );
  const ours = found.flatMap((entry) => fromEntry(entry) ?? []);
  const others = found.filter((entry) => fromEntry(entry) === undefined);
  return {
    ours,
    others: others.map((entry) => ({ principal: entry.principal, text: say(entry) })),
  };
}

export async function addAcls(kafka: KafkaConnection, acls: readonly GivenAcl[]): Promise<void> {
  if (acls.length === 0) return;
  await withAdmin(kafka, (admin) => admin.createAcls({ acl: acls.map(toEntry) }));
}

export async function removeAcls(kafka: KafkaConnection, acls: readonly GivenAcl[]): Promise<void> {
  if (acls.length === 0) return;
  await withAdmin(kafka, (admin) => admin.deleteAcls({ filters: acls.map(toEntry) }));
}

const { AclResourceTypes, AclOperationTypes, AclPermissionTypes, ResourcePatternTypes } = kafkajs;

const resourceTypes = { topic: AclResourceTypes.TOPIC, group: AclResourceTypes.GROUP };
const patternTypes = {
  literal: ResourcePatternTypes.LITERAL,
  prefixed: ResourcePatternTypes.PREFIXED,
};
const operationTypes: Record<KafkaOperation, kafkajs.AclOperationTypes> = {
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
  Create: AclOperationTypes.CREATE,
  Delete: AclOperationTypes.DELETE,
  Describe: AclOperationTypes.DESCRIBE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
};

function toEntry({ principal, resource, name, pattern, operation }: GivenAcl): kafkajs.AclEntry {
  return {
    principal,
    host: '*',
    resourceType: resourceTypes[resource],
    resourceName: name,
    resourcePatternType: patternTypes[pattern],
    operation: operationTypes[operation],
    permissionType: AclPermissionTypes.ALLOW,
  };
}

function fromEntry(entry: kafkajs.AclEntry): GivenAcl | undefined {
  const resource = keyOf(resourceTypes, entry.resourceType);
  const pattern = keyOf(patternTypes, entry.resourcePatternType);
  const operation = keyOf(operationTypes, entry.operation);
  const isOurs = entry.permissionType === AclPermissionTypes.ALLOW && entry.host === '*';
  if (!isOurs || !resource || !pattern || !operation) return undefined;
  return { principal: entry.principal, resource, name: entry.resourceName, pattern, operation };
}

function say(entry: kafkajs.AclEntry): string {
  const permission = AclPermissionTypes[entry.permissionType];
  const operation = AclOperationTypes[entry.operation];
  const resource = AclResourceTypes[entry.resourceType];
  const pattern = ResourcePatternTypes[entry.resourcePatternType];
  const what = `${permission} ${operation} on ${resource} ${entry.resourceName} (${pattern})`;
  return `${what} from host ${entry.host}`;
}

function keyOf<K extends string, V>(table: Record<K, V>, value: V): K | undefined {
  return (Object.keys(table) as K[]).find((key) => table[key] === value);
}
