import { isEmail } from '@tributary/contracts/email';
import type { ProductUserDetails } from '@tributary/contracts/public/widget-session';

/** What is known of a person; null: not told. */
export type KnownPerson = {
  email: string | null;
  name: string | null;
  firstName: string | null;
  lastName: string | null;
};

export type PersonTold = { email?: string; name?: string; firstName?: string; lastName?: string };

/**
 * What a boot tells of its user that is not known yet; undefined when there is nothing new. All
 * that it tells goes together, as one record is the whole of what is kept of a person. What is
 * known beyond that is not told again: it may be on its way to be erased.
 */
export function personTold(
  details: ProductUserDetails,
  known: KnownPerson | undefined,
): PersonTold | undefined {
  const told = readDetails(details);
  const isNew = members.some((name) => told[name] !== undefined && told[name] !== known?.[name]);
  return isNew ? told : undefined;
}

function readDetails(details: ProductUserDetails): PersonTold {
  const [firstName, lastName, fullName, email] = [
    details.firstName,
    details.lastName,
    details.fullName,
    details.email,
  ].map((text = '') => text.trim()) as [string, string, string, string];
  const name = fullName === '' ? `${firstName} ${lastName}`.trim() : fullName;
  return {
    ...(isEmail(email) && { email }),
    ...(name !== '' && { name }),
    ...(firstName !== '' && { firstName }),
    ...(lastName !== '' && { lastName }),
  };
}

const members = ['email', 'name', 'firstName', 'lastName'] as const;
