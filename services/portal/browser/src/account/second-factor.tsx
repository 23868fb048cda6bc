import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { correction, generate } from 'lean-qr';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { sessionKey, useChange } from '../api/queries.ts';
import type { Session } from '../api/session.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { PlainText } from '../parts/plain-text.tsx';
import { ErrorText } from '../parts/error-text.tsx';
import { accountTexts } from './texts.ts';

/**
 * An authenticator's codes: turned on with the first of them, turned off, and what replaces them.
 */
export function SecondFactor({ session }: { session: Session }) {
  const t = useTexts(accountTexts);
  const client = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>();
  const refresh = () => void client.invalidateQueries({ queryKey: sessionKey });
  const show = ({ recoveryCodes }: { recoveryCodes: readonly string[] }) => {
    setCodes(recoveryCodes);
    refresh();
  };
  const start = useChange('startSecondFactor');
  const remove = useChange('removeSecondFactor', { onDone: refresh });
  const renew = useChange('renewRecoveryCodes', { onDone: show });
  const error = start.error ?? remove.error ?? renew.error;
  return (
    <Stack align="flex-start">
      <Text size="sm">
        {session.secondFactor ? t.secondFactorOn(session.recoveryCodesLeft) : t.secondFactorOff}
      </Text>
      {session.secondFactor ? (
        <Group>
          <Button variant="default" onClick={() => renew.mutate({})} loading={renew.isPending}>
            {t.renew}
          </Button>
          <Button variant="default" onClick={() => remove.mutate({})} loading={remove.isPending}>
            {t.remove}
          </Button>
        </Group>
      ) : start.data === undefined ? (
        <Button variant="default" onClick={() => start.mutate({})} loading={start.isPending}>
          {t.start}
        </Button>
      ) : (
        <FirstCode {...start.data} onDone={show} />
      )}
      {error && <ErrorText error={error} />}
      <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />
    </Stack>
  );
}

function FirstCode({
  secret,
  otpauthUrl,
  onDone,
}: {
  secret: string;
  otpauthUrl: string;
  onDone: (answer: { recoveryCodes: readonly string[] }) => void;
}) {
  const t = useTexts(accountTexts);
  const [code, setCode] = useState('');
  const enable = useChange('enableSecondFactor', { onDone });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enable.mutate({ body: { code } });
  };
  return (
    <form onSubmit={submit}>
      <Stack align="flex-start">
        <Text size="sm">{t.scan}</Text>
        <QrCode text={otpauthUrl} label={t.qrCode} />
        <Text size="sm">
          {t.secret}: <Code>{secret}</Code>
        </Text>
        <TextInput
          label={t.code}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          autoComplete="one-time-code"
          inputMode="numeric"
          required
        />
        {enable.error && <ErrorText error={enable.error} />}
        <Button type="submit" loading={enable.isPending}>
          {t.confirm}
        </Button>
      </Stack>
    </form>
  );
}

function QrCode({ text, label }: { text: string; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const code = generate(text, { minCorrectionLevel: correction.M });
    // Dark on light with a margin, in both schemes: readers expect it.
    if (canvas.current) {
      code.toCanvas(canvas.current, {
        on: [0, 0, 0, 255],
        off: [255, 255, 255, 255],
        padX: 4,
        padY: 4,
      });
    }
  }, [text]);
  return <canvas ref={canvas} role="img" aria-label={label} className="qr-code" />;
}

function RecoveryCodes({
  codes,
  onClose,
}: {
  codes: readonly string[] | undefined;
  onClose: () => void;
}) {
  const t = useTexts(accountTexts);
  const common = useTexts(commonTexts);
  const text = (codes ?? []).join('\n');
  return (
    <Modal
      opened={codes !== undefined}
      onClose={onClose}
      title={t.codesTitle}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <Stack align="flex-start">
        <Text size="sm">{t.codesText}</Text>
        <PlainText text={text} label={t.codesTitle} w="100%" />
        <CopyButton text={text} />
      </Stack>
    </Modal>
  );
}
