/**
 * Counters, gauges and histograms as plain numbers: the control loop counts several times per reconcile, and may not pay
 * for label look-ups each time. `metrics.ts` gives them to prom-client when somebody scrapes.
 */

export type Labels = Readonly<Record<string, string>>;

/** A number that only grows. */
export class Counter {
  value = 0;
  inc(by = 1): void {
    this.value += by;
  }
}

/** A number that goes up and down, or is asked for when scraped. */
export class Gauge {
  #value = 0;
  readonly #read: (() => number) | undefined;
  constructor(read?: () => number) {
    this.#read = read;
  }
  get value(): number {
    return this.#read === undefined ? this.#value : this.#read();
  }
  set(value: number): void {
    this.#value = value;
  }
  add(by: number): void {
    this.#value += by;
  }
}

/** Counts of observations by size. */
export class Histogram {
  readonly bounds: readonly number[];
  /** Observations at or below each bound but above the one before; the last is for those above all. */
  readonly counts: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from<number>({ length: bounds.length + 1 }).fill(0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    counts[index] = (counts[index] as number) + 1;
    this.sum += value;
    this.count++;
  }
}

export type Instrument = Counter | Gauge | Histogram;

/** All instruments of one metric name. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly series: Map<string, { readonly labels: Labels; readonly instrument: Instrument }>;
  /** Series that are made when scraped: labels and value. */
  readonly collect?: () => readonly { readonly labels: Labels; readonly value: number }[];
}

/** The instruments of a manager, by name and labels. */
export class InstrumentRegistry {
  readonly #families = new Map<string, Family>();

  get families(): IterableIterator<Family> {
    return this.#families.values();
  }

  counter(name: string, help: string, labels: Labels = {}): Counter {
    return this.#series(name, help, "counter", labels, () => new Counter());
  }

  gauge(name: string, help: string, labels: Labels = {}, read?: () => number): Gauge {
    return this.#series(name, help, "gauge", labels, () => new Gauge(read));
  }

  histogram(name: string, help: string, bounds: readonly number[], labels: Labels = {}): Histogram {
    return this.#series(name, help, "histogram", labels, () => new Histogram(bounds));
  }

  /** A metric whose series are known only when scraped. Several may add to one name. */
  collected(
    name: string,
    help: string,
    collect: NonNullable<Family["collect"]>,
    type: "gauge" | "counter" = "gauge",
  ): void {
    const before = this.#families.get(name)?.collect;
    const both = before === undefined ? collect : () => [...before(), ...collect()];
    this.#families.set(name, { name, help, type, series: new Map(), collect: both });
  }

  #series<I extends Instrument>(
    name: string,
    help: string,
    type: Family["type"],
    labels: Labels,
    make: () => I,
  ): I {
    let family = this.#families.get(name);
    if (family === undefined) this.#families.set(name, (family = { name, help, type, series: new Map() }));
    const key = JSON.stringify(labels);
    const known = family.series.get(key);
    if (known !== undefined) return known.instrument as I;
    const instrument = make();
    family.series.set(key, { labels, instrument });
    return instrument;
  }
}

/** Bounds `start, start * factor, ...` */
export function exponentialBounds(start: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => start * factor ** index);
}
