/** Values of metrics, and their rendering in the text format of Prometheus (version 0.0.4). */

export interface MetricFamily {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
}

export type Labels = Readonly<Record<string, string>>;

export const metricsMediaType = "text/plain; version=0.0.4; charset=utf-8";

const escapeLabel = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

const renderLabels = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(",")}}` : "";
};

/** Counters, gauges and histograms of declared names. A counter without labels starts at 0. */
export class MetricValues<Name extends string> {
  /** Values by rendered labels; for a histogram, by suffix and labels. */
  readonly #values = new Map<Name, Map<string, number>>();

  constructor(private readonly families: Readonly<Record<Name, MetricFamily>>) {
    for (const name of Object.keys(families) as Name[]) this.clear(name);
  }

  /** Removes the values of a family. */
  clear(name: Name): void {
    const { type, labels = [] } = this.families[name];
    this.#values.set(name, new Map(type === "counter" && labels.length === 0 ? [["", 0]] : []));
  }

  add(name: Name, amount: number, labels: Labels = {}): void {
    this.#addTo(name, renderLabels(labels), amount);
  }

  set(name: Name, value: number, labels: Labels = {}): void {
    this.#values.get(name)!.set(renderLabels(labels), value);
  }

  /** Adds an observation to a histogram. */
  observe(name: Name, value: number): void {
    for (const bound of [...this.families[name].buckets!, Infinity])
      this.#addTo(name, `_bucket{le="${bound === Infinity ? "+Inf" : bound}"}`, value <= bound ? 1 : 0);
    this.#addTo(name, "_sum", value);
    this.#addTo(name, "_count", 1);
  }

  render(): string {
    return [...this.#values]
      .flatMap(([name, values]) => {
        const { type, help } = this.families[name];
        const samples = [...values].map(([suffix, value]) => `${name}${suffix} ${value}`);
        return [`# HELP ${name} ${help.replaceAll("\\", "\\\\")}`, `# TYPE ${name} ${type}`, ...samples];
      })
      .map((line) => `${line}\n`)
      .join("");
  }

  #addTo(name: Name, key: string, amount: number): void {
    const values = this.#values.get(name)!;
    values.set(key, (values.get(key) ?? 0) + amount);
  }
}
