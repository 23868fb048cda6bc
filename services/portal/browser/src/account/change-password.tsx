import { Button, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useChange } from '../api/queries.ts';
import { useTexts } from '../i18n/texts.ts';
import { ErrorText } from '../parts/error-text.tsx';
import { tell } from '../parts/tell.ts';
import { accountTexts } from './texts.ts';

export function ChangePassword() {
  const t = useTexts(accountTexts);
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const change = useChange('changePassword', {
    onDone: ({ ended }) => {
      setPassword('');
      setNewPassword('');
      tell(t.passwordChanged(ended));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ body: { password, newPassword } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label={t.passwordNow}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          autoComplete="current-password"
          required
        />
        <PasswordInput
          label={t.newPassword}
          description={t.newPasswordHint}
          value={newPassword}
          onChange={({ currentTarget }) => setNewPassword(currentTarget.value)}
          autoComplete="new-password"
          minLength={12}
          required
        />
        {change.error && <ErrorText error={change.error} unauthorized={t.wrong} />}
        <Button type="submit" loading={change.isPending}>
          {t.changePassword}
        </Button>
      </Stack>
    </form>
  );
}
