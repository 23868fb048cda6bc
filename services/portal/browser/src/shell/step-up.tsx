import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/browser-client.ts';
import { keepSession, useSession } from '../api/session.ts';
import { answerStepUp, useStepUpAsked } from '../api/step-up.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { ErrorText } from '../parts/error-text.tsx';

/** Asks for the password once more where the API wants that; the request then goes on. */
export function StepUp() {
  const t = useTexts(commonTexts);
  const isAsked = useStepUpAsked();
  return (
    <Modal
      opened={isAsked}
      onClose={() => answerStepUp(false)}
      title={t.confirmTitle}
      closeButtonProps={{ 'aria-label': t.close }}
      zIndex={400}
    >
      <PasswordForm />
    </Modal>
  );
}

function PasswordForm() {
  const t = useTexts(commonTexts);
  const { data: session } = useSession();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () =>
      api.call('confirmSession', { body: { password, ...(code !== '' && { code }) } }),
    onSuccess: (answer) => {
      keepSession(answer);
      answerStepUp(true);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.confirmText}</Text>
        <PasswordInput
          label={t.password}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          autoComplete="current-password"
          required
          data-autofocus
        />
        {session?.secondFactor && (
          <TextInput
            label={t.code}
            description={t.codeHint}
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
            autoComplete="one-time-code"
            required
          />
        )}
        {confirm.error && <ErrorText error={confirm.error} unauthorized={t.wrongPassword} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answerStepUp(false)}>
            {t.cancel}
          </Button>
          <Button type="submit" loading={confirm.isPending}>
            {t.confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
