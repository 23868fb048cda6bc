import { Button, Drawer, Group, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { CopyButton } from '../copy-button.tsx';
import { withMarks } from '../hidden-characters.ts';
import { BelowTitle } from '../part.tsx';

/** What is known of one row, beside the list; j and k, or two buttons, lead to its neighbours. */
export function OpenRow<Row>({
  rows,
  idOf,
  open,
  title,
  detail,
  onOpen,
}: {
  rows: readonly Row[];
  idOf: (row: Row) => string;
  open: string;
  title: (id: string, row: Row | undefined) => string;
  detail: (id: string, row: Row | undefined) => ReactNode;
  onOpen: (id: string | undefined) => void;
}) {
  const t = useTexts(commonTexts);
  const index = rows.findIndex((row) => idOf(row) === open);
  const row = rows[index];
  const neighbour = (step: 1 | -1) => {
    const next = index === -1 ? undefined : rows[index + step];
    return next === undefined ? undefined : () => onOpen(idOf(next));
  };
  useHotkeys([
    ['j', () => neighbour(1)?.()],
    ['k', () => neighbour(-1)?.()],
  ]);
  return (
    <Drawer
      opened
      onClose={() => onOpen(undefined)}
      position="right"
      size="lg"
      title={withMarks(title(open, row))}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      <Stack>
        <Group gap="xs">
          <Step label={`${t.previous} (k)`} onClick={neighbour(-1)} />
          <Step label={`${t.next} (j)`} onClick={neighbour(1)} />
          <CopyButton />
        </Group>
        <BelowTitle>{detail(open, row)}</BelowTitle>
      </Stack>
    </Drawer>
  );
}

function Step({ label, onClick }: { label: string; onClick: (() => void) | undefined }) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      // One that is really disabled would lose the focus at the end of the list.
      {...(onClick ? { onClick } : { 'data-disabled': true, 'aria-disabled': true })}
    >
      {label}
    </Button>
  );
}
