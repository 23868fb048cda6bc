import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { type Place, usePlace } from '../app/place.ts';
import type { Fields } from '../app/search.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { fromInput, timeZone, toInput } from './times.ts';

/** A row of filters; each is bound to one search parameter of the page. */
export function FilterBar<F extends Fields>({
  place,
  names,
  children,
}: {
  place: Place<F>;
  names: readonly (keyof F & string)[];
  children: ReactNode;
}) {
  const t = useTexts(commonTexts);
  const { search, setSearch } = usePlace(place);
  const isAny = names.some((name) => search[name] !== undefined);
  const none = Object.fromEntries(names.map((name) => [name, undefined]));
  return (
    <div className="filters" role="search">
      {children}
      {isAny && (
        <Button variant="default" onClick={() => setSearch(none as never)}>
          {t.reset}
        </Button>
      )}
    </div>
  );
}

type FilterProps<F extends Fields> = { place: Place<F>; name: keyof F & string; label: string };

export function SelectFilter<F extends Fields>({
  place,
  name,
  label,
  options,
}: FilterProps<F> & { options: readonly { value: string; label: string }[] }) {
  const t = useTexts(commonTexts);
  const { search, setSearch } = usePlace(place);
  return (
    <NativeSelect
      label={label}
      value={search[name] ?? ''}
      onChange={({ currentTarget: { value } }) =>
        setSearch({ [name]: value === '' ? undefined : value } as never)
      }
      data={[{ value: '', label: t.any }, ...options]}
    />
  );
}

/** Takes effect with Enter, or when it is left: a list is not asked for at each letter. */
export function TextFilter<F extends Fields>({ place, name, label }: FilterProps<F>) {
  const { search, setSearch } = usePlace(place);
  const set = search[name] ?? '';
  const [typed, setTyped] = useState(set);
  useEffect(() => setTyped(set), [set]);
  const apply = () => {
    if (typed !== set) setSearch({ [name]: typed === '' ? undefined : typed } as never);
  };
  return (
    <TextInput
      label={label}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={apply}
      onKeyDown={({ key }) => {
        if (key === 'Enter') apply();
      }}
    />
  );
}

/** From and to, typed in the zone that is chosen, kept as instants. */
export function PeriodFilter<F extends Fields>({
  place,
  from = 'from',
  to = 'to',
}: {
  place: Place<F>;
  from?: keyof F & string;
  to?: keyof F & string;
}) {
  const t = useTexts(commonTexts);
  return (
    <>
      <InstantFilter place={place} name={from} label={t.from} />
      <InstantFilter place={place} name={to} label={t.to} />
    </>
  );
}

function InstantFilter<F extends Fields>({ place, name, label }: FilterProps<F>) {
  const { search, setSearch } = usePlace(place);
  const zone = timeZone.use();
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={toInput(search[name], zone)}
      onChange={({ currentTarget }) =>
        setSearch({ [name]: fromInput(currentTarget.value, zone) } as never, { replace: true })
      }
    />
  );
}
