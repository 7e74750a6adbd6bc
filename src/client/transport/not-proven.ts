/** A daemon that has not proved the id that a client knows. No credential was sent to it. */
export class NotProvenError extends Error {
  /**
   * `other`: a daemon with another id. `copied`: one that says the id and has not its key. `silent`: a server that says no
   * id.
   */
  readonly kind: 'other' | 'copied' | 'silent'
  /** The HTTP status of the answer. */
  readonly status: number
  /** The id that it says. */
  readonly found: string | undefined
  /** The beginning of its answer. */
  readonly text: string

  constructor(kind: NotProvenError['kind'], answer: { status: number; text: string; found?: string }) {
    super(
      kind === 'other'
        ? `Another daemon answers (${answer.found})`
        : kind === 'copied'
          ? 'The daemon says the right id and cannot prove it'
          : `The server does not prove who it is (HTTP ${answer.status})`,
    )
    this.name = 'NotProvenError'
    this.kind = kind
    this.status = answer.status
    this.found = answer.found
    this.text = answer.text.slice(0, 300)
  }
}
