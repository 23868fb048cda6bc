import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ErrorText } from '../../parts/error-text.tsx';
import { tell } from '../../parts/tell.ts';
import { place } from './place.ts';
import { rewardTexts } from './texts.ts';

/** A button, and the dialog that says what it does and takes a note. */
export function RewardAction({
  kind,
  rewardId,
}: {
  kind: 'release' | 'withhold';
  rewardId: string;
}) {
  const t = useTexts(rewardTexts);
  const common = useTexts(commonTexts);
  const { tenantId } = usePlace(place);
  const [isOpen, { open, close }] = useDisclosure();
  const [note, setNote] = useState('');
  const change = useChange(kind === 'release' ? 'releaseReward' : 'withholdReward', {
    onDone: () => {
      close();
      tell(kind === 'release' ? t.released : t.withheld);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({
      path: { tenantId, rewardId },
      body: note.trim() === '' ? {} : { note: note.trim() },
    });
  };
  return (
    <>
      <Button onClick={open} variant={kind === 'release' ? 'filled' : 'default'}>
        {t[kind]}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={kind === 'release' ? t.releaseTitle : t.withholdTitle}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">{kind === 'release' ? t.releaseText : t.withholdText}</Text>
            <Textarea
              label={t.note}
              value={note}
              onChange={({ currentTarget }) => setNote(currentTarget.value)}
              maxLength={1_000}
              data-autofocus
            />
            {change.error && <ErrorText error={change.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {common.cancel}
              </Button>
              <Button type="submit" loading={change.isPending}>
                {t[kind]}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
