import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Row } from './report.js'

/** One benchmark: its name on the command line, and its measurement. */
export interface Benchmark {
  name: string
  summary: string
  run(run: Run): Promise<Row[]>
}

/** The tools that benchmarks share: the time they may take, and temporary folders. */
export class Run {
  readonly #folders: string[] = []

  /** @param quick measures briefly: for a first impression, not for a comparison */
  constructor(readonly quick: boolean) {}

  /** Returns `full`, or `brief` in a quick run. */
  pick<T>(full: T, brief: T): T {
    return this.quick ? brief : full
  }

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    this.#folders.push(folder)
    return folder
  }

  dispose(): void {
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Returns the milliseconds that `work` took. */
export async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
