import type { OnStop } from './lifecycle.ts';

/** A part of a process, with all that the process has to know of it. */
export type Component = {
  start?(): unknown;
  stop?(): Promise<void> | void;
  /** For `/readyz`: whether the service can work with it now. */
  health?(): Health | Promise<Health>;
  gauges?: Gauges;
  durations?: Durations;
};

export type Health = { ok: boolean; detail?: string };
export type Checks = Record<string, () => Health | Promise<Health>>;
/** By their names on the wire; read when somebody asks for the metrics. */
export type Gauges = Readonly<Record<string, Gauge>>;
export type Gauge = {
  help: string;
  /** Names of the labels that each row has; none: what is read is one number. */
  labels?: readonly string[];
  read: () => Measured | Promise<Measured>;
};
export type Measured = number | readonly GaugeRow[];
export type GaugeRow = { labels: Readonly<Record<string, string>>; value: number };

/** By their names on the wire, which end with `_seconds`. */
export type Durations = Readonly<Record<string, Duration>>;
export type Duration = {
  help: string;
  labels: readonly string[];
  /** Upper bounds, in seconds. */
  buckets: readonly number[];
  /** Called once, with what is to be called for each. */
  follow(observe: ObserveDuration): void;
};
export type ObserveDuration = (seconds: number, labels: Readonly<Record<string, string>>) => void;

/**
 * The parts of a process, in the order in which they are added; they stop in reverse. What has to
 * be ready before something else is started, or told of before it is ready, stands in the order of
 * the text that adds and starts the parts.
 */
export type Composition = {
  /** From now on it is stopped with the process, its health is a check, its gauges are metrics. */
  add<C extends Component>(name: string, component: C): C;
  /** Starts it, and adds it once it has started. */
  start(name: string, component: Component): Promise<void>;
  /** The health of all that have been added, by name. */
  checks(): Checks;
};

export type Measure = {
  gauge(name: string, gauge: Gauge): void;
  duration(name: string, duration: Duration): void;
};

export function compose(options: {
  onStop: OnStop;
  /** Registers metrics; without it there are none. Parts may have the same ones. */
  measure?: Measure;
}): Composition {
  const { onStop, measure } = options;
  const parts: { name: string; component: Component }[] = [];

  function add<C extends Component>(name: string, component: C): C {
    parts.push({ name, component });
    if (component.stop) onStop(name, () => component.stop?.());
    for (const [row, gauge] of Object.entries(component.gauges ?? {})) measure?.gauge(row, gauge);
    for (const [row, duration] of Object.entries(component.durations ?? {})) {
      measure?.duration(row, duration);
    }
    return component;
  }

  return {
    add,
    async start(name, component) {
      await component.start?.();
      add(name, component);
    },
    checks: () =>
      Object.fromEntries(
        parts.flatMap(({ name, component: { health } }) => (health ? [[name, health]] : [])),
      ),
  };
}
