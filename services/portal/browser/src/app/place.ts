import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Right } from '@tributary/contracts/admin/rights';
import { useCallback } from 'react';
import type { commonTexts } from '../i18n/common.ts';
import { type Fields, type SearchOf, type SearchPatch, writeSearch } from './search.ts';

type NavKey = keyof (typeof commonTexts)['en']['nav'];

/** Where a page is, whom it is for, and what its address says. */
export type Place<F extends Fields = Fields> = {
  /** Below `/portal/tenants/{tenantId}/`; `$name` is a part that differs, see usePlace. */
  path: string;
  /** Its name in the navigation; without one it is reached by links of other pages. */
  nav?: NavKey;
  /** The right that it needs, as routes of the API do. */
  right: Right;
  /** All search parameters: filters, sort, what is open. */
  search: F;
};

export function definePlace<F extends Fields>(place: Place<F>): Place<F> {
  return place;
}

/** The address of a page, for links. */
export function hrefOf<F extends Fields>(
  place: Place<F>,
  to: { tenantId: string; params?: Readonly<Record<string, string>>; search?: SearchOf<F> },
): string {
  const { tenantId, params = {}, search = {} } = to;
  const path = place.path.replace(/\$(\w+)/g, (_whole, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  return `/portal/tenants/${encodeURIComponent(tenantId)}/${path}${writeSearch(search)}`;
}

/** Where this page is now, and how to change what its address says. */
export function usePlace<F extends Fields>(_place: Place<F>) {
  const params: Record<string, string> = useParams({ strict: false });
  const search: SearchOf<F> = useSearch({ strict: false });
  const navigate = useNavigate();
  /** `replace` for what is typed, so that "back" does not go through every letter. */
  const setSearch = useCallback(
    (patch: SearchPatch<F>, { replace = false }: { replace?: boolean } = {}) => {
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, ...patch }),
        replace,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return { tenantId: params['tenantId'] ?? '', params, search, setSearch };
}
