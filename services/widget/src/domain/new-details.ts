import { isEmail } from '@tributary/contracts/email';
import type { ProductUserDetails } from '@tributary/contracts/public/widget-session';

/** What is known of a person; null: not known. */
export type KnownPerson = {
  email: string | null;
  name: string | null;
  firstName: string | null;
  lastName: string | null;
};

export type NewDetails = { email?: string; name?: string; firstName?: string; lastName?: string };

/**
 * What a boot reports of its user that is not known yet; undefined when there is nothing new. All
 * that it reports goes together, as one record is the whole of what is kept of a person. What is
 * known beyond that is not reported again: it may be on its way to be erased.
 */
export function newDetailsOf(
  details: ProductUserDetails,
  known: KnownPerson | undefined,
): NewDetails | undefined {
  const given = readDetails(details);
  const isNew = members.some((name) => given[name] !== undefined && given[name] !== known?.[name]);
  return isNew ? given : undefined;
}

function readDetails(details: ProductUserDetails): NewDetails {
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
