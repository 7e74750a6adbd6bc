import { Counter, Gauge, type Registry } from 'prom-client'

/** A value with its labels. */
export type Reading<Label extends string> = readonly [labels: Readonly<Record<Label, string>>, value: number]

interface Metric<Label extends string> {
  name: string
  help: string
  labels: readonly Label[]
  read(): readonly Reading<Label>[] | Promise<readonly Reading<Label>[]>
}

/** Registers a value that goes up and down. It is read when Prometheus asks; if that fails, it is absent. */
export function gauge<Label extends string>(registry: Registry, { read, ...metric }: Metric<Label>): void {
  new Gauge({
    ...namesOf(metric),
    registers: [registry],
    async collect() {
      this.reset()
      // A reset gives a metric without labels the value 0, which would pass for a reading.
      if (metric.labels.length === 0) this.remove()
      for (const [labels, value] of await readable(read)) this.set(labels, value)
    },
  })
}

/** Registers a value that only grows while the service runs, read like a {@link gauge}. */
export function counter<Label extends string>(registry: Registry, { read, ...metric }: Metric<Label>): void {
  new Counter({
    ...namesOf(metric),
    registers: [registry],
    async collect() {
      this.reset()
      // A reset gives a metric without labels the value 0, which would pass for a reading.
      if (metric.labels.length === 0) this.remove()
      for (const [labels, value] of await readable(read)) this.inc(labels, value)
    },
  })
}

function namesOf<Label extends string>({ help, labels, name }: Omit<Metric<Label>, 'read'>) {
  return { name, help, labelNames: [...labels] }
}

async function readable<Label extends string>(read: Metric<Label>['read']) {
  try {
    return await read()
  } catch {
    return []
  }
}
