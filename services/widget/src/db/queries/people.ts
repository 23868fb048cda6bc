import type { Queryable } from './queryable.ts';

/** null: not known. */
export type Person = {
  email: string | null;
  /** The whole name. */
  name: string | null;
  firstName: string | null;
  lastName: string | null;
};

/** Undefined when nothing is known of them, or nothing any more. */
export async function personOf(
  db: Queryable,
  tenantId: string,
  userId: string,
): Promise<Person | undefined> {
  const { rows } = await db.query<Person>({
    name: 'widget_person_of',
    text: `select email, name, first_name as "firstName", last_name as "lastName" from person
           where tenant_id = $1 and user_id = $2
             and coalesce(email, name, first_name, last_name) is not null`,
    values: [tenantId, userId],
  });
  return rows[0];
}
