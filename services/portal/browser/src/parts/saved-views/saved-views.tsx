import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useRef, useState } from 'react';
import { PlaceLink } from '../../app/link.tsx';
import { type Place, usePlace } from '../../app/place.ts';
import { type Fields, readSearch } from '../../app/search.ts';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../customer-text.tsx';
import { withMarks } from '../hidden-characters.ts';
import { tell } from '../tell.ts';
import { viewTexts } from './texts.ts';
import { useViews } from './view-store.ts';
import { isSameSearch, renamed, type View, withoutView, withView } from './views.ts';

/** Named filters of a page: each is a link, the one that is shown can be renamed and deleted. */
export function SavedViews<F extends Fields>({
  place,
  names,
}: {
  place: Place<F>;
  /** The search parameters that make a view. */
  names: readonly (keyof F & string)[];
}) {
  const t = useTexts(viewTexts);
  const { tenantId, search } = usePlace(place);
  const { views, keep } = useViews(tenantId, place.path);
  const row = useRef<HTMLElement>(null);
  const now = searchOf(search, names);
  const current = views.find((view) => isSameSearch(view.search, now));
  const isAny = Object.keys(now).length > 0;
  if (views.length === 0 && !isAny) return null;
  const remove = ({ name }: View) => {
    keep(withoutView(views, name));
    tell(t.deleted(withMarks(name)));
    // The button that was pressed is gone.
    row.current?.focus();
  };
  return (
    <nav aria-label={t.views} ref={row} tabIndex={-1}>
      <Group gap="xs">
        {views.map((view) => (
          <PlaceLink
            key={view.name}
            to={place}
            tenantId={tenantId}
            search={readSearch(place.search, view.search)}
            className="count"
            {...(view === current && { 'aria-current': 'true' as const })}
          >
            <CustomerText text={view.name} />
          </PlaceLink>
        ))}
        {current === undefined && isAny && (
          <NameButton
            label={t.saveView}
            text={t.kept}
            onName={(name) => {
              keep(withView(views, { name, search: now }));
              tell(t.saved(withMarks(name)));
            }}
          />
        )}
        {current && (
          <>
            <NameButton
              key={current.name}
              label={t.rename}
              value={current.name}
              onName={(name) => {
                keep(renamed(views, current.name, name));
                tell(t.renamed(withMarks(name)));
              }}
            />
            <Button variant="default" size="compact-sm" onClick={() => remove(current)}>
              {t.delete}
            </Button>
          </>
        )}
      </Group>
    </nav>
  );
}

function searchOf(search: object, names: readonly string[]): View['search'] {
  return Object.fromEntries(Object.entries(search).filter(([name]) => names.includes(name)));
}

function NameButton(props: {
  label: string;
  text?: string;
  value?: string;
  onName: (name: string) => void;
}) {
  const { label, text, value = '', onName } = props;
  const t = useTexts(viewTexts);
  const common = useTexts(commonTexts);
  const [isOpen, { open, close }] = useDisclosure();
  const [typed, setTyped] = useState(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const name = typed.trim();
    if (name === '') return;
    close();
    onName(name);
  };
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={open}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={label}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <form onSubmit={submit}>
          <Stack>
            {text !== undefined && <Text size="sm">{text}</Text>}
            <TextInput
              label={t.name}
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
              maxLength={80}
              required
              data-autofocus
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {common.cancel}
              </Button>
              <Button type="submit">{common.save}</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
