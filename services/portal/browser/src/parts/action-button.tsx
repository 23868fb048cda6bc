import {
  Button,
  Group,
  Modal,
  PasswordInput,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import type { AnswerOf, AskedOf, OperationName } from '@tributary/admin-client/create-admin-client';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useChange } from '../api/queries.ts';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { ErrorText } from './error-text.tsx';

export type ActionField = {
  key: string;
  label: string;
  description?: string;
  kind?: 'line' | 'lines' | 'password' | 'number';
  required?: boolean;
  value?: string;
};
export type ActionValues = Readonly<Record<string, string>>;

export type ActionButtonProps<Name extends OperationName> = {
  name: Name;
  /** On the button, and on the one in the dialog that does it. */
  label: string;
  title: string;
  /** What it does, in a sentence, before it is done. */
  text: ReactNode;
  fields?: readonly ActionField[];
  asked: (values: ActionValues) => AskedOf<Name>;
  /** Told when it is done. */
  done: string;
  /** What the dialog shows when it is done, such as a secret; it closes where that is nothing. */
  result?: (answer: AnswerOf<Name>) => ReactNode;
  danger?: boolean;
  variant?: 'filled' | 'default';
};

/** A button, and the dialog that says what it does and asks for what it needs. */
export function ActionButton<Name extends OperationName>(props: ActionButtonProps<Name>) {
  const { label, title, danger = false, variant = 'default' } = props;
  const common = useTexts(commonTexts);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button onClick={open} variant={variant} {...(danger && { color: 'red' })}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={title}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <ActionForm {...props} onClose={close} />
      </Modal>
    </>
  );
}

/** What was typed stays until it is done: a request that failed loses nothing. */
function ActionForm<Name extends OperationName>({
  onClose,
  ...props
}: ActionButtonProps<Name> & { onClose: () => void }) {
  const { fields = [], result } = props;
  const common = useTexts(commonTexts);
  const [values, setValues] = useState<ActionValues>(() =>
    Object.fromEntries(fields.map(({ key, value = '' }) => [key, value])),
  );
  const [shown, setShown] = useState<ReactNode>(null);
  const tell = (message: string) =>
    notifications.show({ message, closeButtonProps: { 'aria-label': common.close } });
  const change = useChange(props.name, {
    onDone: (given) => {
      const waits = waitsForSecondPerson(given);
      tell(waits ? common.secondPerson : props.done);
      const toShow = waits ? null : result?.(given);
      if (toShow) setShown(toShow);
      else onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(props.asked(values));
  };
  if (shown) {
    return (
      <Stack>
        {shown}
        <Button variant="default" onClick={onClose}>
          {common.close}
        </Button>
      </Stack>
    );
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" component="div">
          {props.text}
        </Text>
        {fields.map((field, index) => (
          <FieldInput
            key={field.key}
            field={field}
            value={values[field.key] ?? ''}
            isFirst={index === 0}
            onChange={(value) => setValues({ ...values, [field.key]: value })}
          />
        ))}
        {change.error && <ErrorText error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={change.isPending} {...(props.danger && { color: 'red' })}>
            {props.label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function FieldInput({
  field: { label, description, kind = 'line', required = false },
  value,
  isFirst,
  onChange,
}: {
  field: ActionField;
  value: string;
  isFirst: boolean;
  onChange: (value: string) => void;
}) {
  const shared = {
    label,
    required,
    value,
    ...(description !== undefined && { description }),
    ...(isFirst && { 'data-autofocus': true }),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value),
  };
  if (kind === 'lines') return <Textarea autosize minRows={2} {...shared} />;
  if (kind === 'password') return <PasswordInput autoComplete="off" {...shared} />;
  return <TextInput {...(kind === 'number' && { inputMode: 'numeric' as const })} {...shared} />;
}

/** An action that a second person has to approve is answered by its approval, which waits. */
function waitsForSecondPerson(answer: unknown): boolean {
  const { approvalId, state } = (answer ?? {}) as { approvalId?: unknown; state?: unknown };
  return approvalId !== undefined && state === 'pending';
}
