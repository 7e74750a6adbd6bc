const SHOWN_EVERY_MS = 1000

/** Says on standard error which benchmark runs and how long each took; on a terminal also how long this one has run. */
export class Progress {
  readonly #startedAt = performance.now()
  #count = 0

  constructor(readonly total: number) {}

  /** Begins the next benchmark. The returned function ends it. */
  begin(title: string): () => void {
    this.#count += 1
    const begunAt = performance.now()
    const line = () => `${this.#count} of ${this.total}  ${title}  ${seconds(begunAt)}`
    const { stderr } = process
    const draw = () => stderr.write(`\r\u001b[K${line().slice(0, (stderr.columns ?? 80) - 1)}`)
    const timer = stderr.isTTY ? setInterval(draw, SHOWN_EVERY_MS) : undefined
    if (stderr.isTTY) draw()
    return () => {
      clearInterval(timer)
      stderr.write(`${stderr.isTTY ? '\r\u001b[K' : ''}${line()}\n`)
    }
  }

  end(): void {
    process.stderr.write(`all in ${seconds(this.#startedAt)}\n`)
  }
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`
