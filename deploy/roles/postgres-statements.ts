import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { quoteIdentifier } from '../../packages/runtime/src/postgres-connection.ts';
import {
  generationsSchema,
  type PostgresPrincipal,
  postgresTable,
  roleName,
} from './roles-table.ts';

// The table of roles as statements. Each may be run again, and changes nothing then.

const principals = Object.keys(postgresTable) as PostgresPrincipal[];

/** `verifierOf` gives what stands for a password: never itself, which would be logged. */
export function roleStatements(
  prefix: string,
  verifierOf: (principal: PostgresPrincipal) => string,
): string[] {
  const made = principals.flatMap((principal) => {
    const role = roleName(prefix, principal);
    return [
      `do $$ begin create role ${quoteIdentifier(role)}; exception when duplicate_object then null; end $$`,
      `alter role ${quoteIdentifier(role)} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${verifierOf(principal)}'`,
    ];
  });
  const memberships = principals.flatMap((principal) =>
    (postgresTable[principal].actsFor ?? []).map(
      (other) =>
        `grant ${quoteIdentifier(roleName(prefix, other))} to ${quoteIdentifier(roleName(prefix, principal))}`,
    ),
  );
  return [...made, ...memberships];
}

export function databaseStatements(prefix: string, database: string): string[] {
  const name = quoteIdentifier(database);
  return [
    `revoke all on database ${name} from public`,
    'revoke create on schema public from public',
    ...principals.flatMap((principal) => {
      const role = quoteIdentifier(roleName(prefix, principal));
      const { owns, hostsGenerations } = postgresTable[principal];
      return [
        `grant connect${hostsGenerations ? ', create' : ''} on database ${name} to ${role}`,
        ...owns.map((schema) => `create schema if not exists ${quoteIdentifier(schema)}`),
        ...owns.map((schema) => `alter schema ${quoteIdentifier(schema)} owner to ${role}`),
      ];
    }),
  ];
}

/** Once the tables of the registry are there. */
export function registryStatements(prefix: string): string[] {
  const schema = quoteIdentifier(generationsSchema);
  return principals.flatMap((principal) => {
    const { registry } = postgresTable[principal];
    if (registry === undefined) return [];
    const role = quoteIdentifier(roleName(prefix, principal));
    return [
      `grant usage on schema ${schema} to ${role}`,
      ...registry.map(({ privilege, on, columns }) => {
        const which = columns === undefined ? '' : ` (${columns.join(', ')})`;
        return `grant ${privilege}${which} on ${schema}.${quoteIdentifier(on)} to ${role}`;
      }),
    ];
  });
}

/** Schemas of all generations by pattern, each with the role that owns it; two arrays in step. */
export function ownershipOf(prefix: string): { patterns: string[]; roles: string[] } {
  const pairs = principals.flatMap((principal) =>
    postgresTable[principal].owns.map((schema) => ({
      pattern: postgresTable[principal].hostsGenerations
        ? `^${schema.replace(/_g1$/, '')}(_g[0-9]+)?$`
        : `^${schema}$`,
      role: roleName(prefix, principal),
    })),
  );
  return { patterns: pairs.map((pair) => pair.pattern), roles: pairs.map((pair) => pair.role) };
}

/**
 * What is in those schemas and belongs to somebody else, and the statement that changes it. A
 * sequence of a column goes with its table.
 */
export const strangersQuery = `
  with space as (
    select namespace.oid, nspname, nspowner, own.role
    from pg_namespace namespace
    join unnest($1::text[], $2::text[]) as own (pattern, role) on nspname ~ own.pattern
  ), item as (
    select 'schema' as kind, format('%I', nspname) as name, nspowner as owner, role from space
    union all
    select case relkind when 'v' then 'view' when 'm' then 'materialized view'
        when 'S' then 'sequence' else 'table' end,
      format('%I.%I', nspname, relname), relowner, role
    from pg_class join space on relnamespace = space.oid
    where relkind in ('r', 'p', 'v', 'm', 'S') and not (relkind = 'S' and exists (
      select from pg_depend
      where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype in ('a', 'i')))
    union all
    select 'routine', pg_proc.oid::regprocedure::text, proowner, role
    from pg_proc join space on pronamespace = space.oid
    union all
    select 'type', format('%I.%I', nspname, typname), typowner, role
    from pg_type join space on typnamespace = space.oid where typtype in ('e', 'd')
  )
  select kind, name, pg_get_userbyid(owner) as owner, role,
    format('alter %s %s owner to %I', kind, name, role) as statement
  from item where pg_get_userbyid(owner) <> role
  order by kind = 'schema' desc, name`;

/** What Postgres keeps of a password (RFC 5802): it checks one by it, nobody logs in by it. */
export function scramVerifier(password: string): string {
  const iterations = 4_096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const sign = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(sign('Client Key')).digest('base64');
  const serverKey = sign('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
