import { Command, InvalidArgumentError, type Option, type ParseOptionsResult } from 'commander';

type Parser = { parseArg(value: string, previous: unknown): unknown };

/** What its types do not show. */
const commander = Command.prototype as unknown as {
  unknownCommand(this: Command): void;
  _outputHelpIfRequested(this: Command, args: readonly string[]): void;
};

/**
 * A command that reports everything that is wrong with its command line at once. Commander stops at
 * the first mistake by not returning from `error`; while a line is being parsed this one collects
 * and returns, and `refuseMistakes`, run before the action, stops once for all of them.
 */
export class StrictCommand extends Command {
  readonly #mistakes: string[] = [];
  #unknown: readonly string[] = [];
  #collects = false;

  override createCommand(name?: string): Command {
    return new StrictCommand(name);
  }

  override parseOptions(argv: string[]): ParseOptionsResult {
    // Only the command that acts is asked for its mistakes; a group has none but an unknown name.
    this.#collects = this.commands.length === 0;
    const parsed = super.parseOptions(argv);
    this.#unknown = parsed.unknown.filter((word) => word.startsWith('-') && word !== '-');
    return parsed;
  }

  override error(message: string, options?: { exitCode?: number; code?: string }): never {
    if (!this.#collects) return super.error(message, options);
    this.#mistakes.push(message);
    return undefined as never;
  }

  /** Commander calls it for each required option that is missing. */
  missingMandatoryOptionValue(option: Option): void {
    // An option whose value was refused is not missing as well.
    if (this.#mistakes.some((mistake) => mistake.includes(`'${option.flags}'`))) return;
    this.error(`error: required option '${option.flags}' not specified`);
  }

  /** Commander tells the first unknown option only. */
  unknownOption(first: string): void {
    const unknown = this.#unknown.length === 0 ? [first] : this.#unknown;
    for (const flag of unknown) {
      this.error(`error: unknown option '${flag.replace(/=.*/s, '')}'`);
    }
  }

  /** Commander would give the help of the group for a command that it does not have. */
  _outputHelpIfRequested(args: readonly string[]): void {
    const isUnknown = this.commands.length > 0 && this.args[0]?.startsWith('-') === false;
    if (isUnknown) commander.unknownCommand.call(this);
    commander._outputHelpIfRequested.call(this, args);
  }

  /** Commander reads each value by it, and throws what `error` was told once more. */
  _callParseArg(
    target: Parser,
    value: string | undefined,
    previous: unknown,
    invalid: string,
  ): unknown {
    // A value that is missing was reported as missing.
    if (value === undefined) return undefined;
    try {
      return target.parseArg(value, previous);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      return this.error(`${invalid} ${error.message}`);
    }
  }

  /** Commander counts unknown options among the arguments. */
  _excessArguments(received: readonly string[]): void {
    const expected = this.registeredArguments.length;
    const known = received.filter((word) => !this.#unknown.includes(word));
    if (known.length <= expected) return;
    const s = expected === 1 ? '' : 's';
    this.error(
      `error: too many arguments for '${this.name()}'. ` +
        `Expected ${expected} argument${s} but got ${known.length}: ${known.join(', ')}.`,
    );
  }

  refuseMistakes(): void {
    this.#collects = false;
    if (this.#mistakes.length > 0) super.error(this.#mistakes.join('\n'));
  }
}
