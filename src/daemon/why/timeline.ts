import type { AuditRow } from '../../core/audit/schema.js'

/** What an entry of a timeline is about. */
export const ENTRY_KINDS = [
  'request',
  'signal',
  'run',
  'workflow',
  'approval',
  'order',
  'fill',
  'change',
] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** Something that happened. What does not apply is null. */
export interface Entry {
  /** ISO 8601, UTC. */
  at: string
  kind: EntryKind
  /** The id of what it is about: a request id, an order reference, the number of an approval. */
  id: string
  /** What happened, in words. */
  what: string
  /** Who did it. */
  by: string | null
  mode: 'live' | 'analyze' | null
  /** The rule or the error code that decided. */
  rule: string | null
  /** The state that it led to. */
  state: string | null
  /** The words of the broker, or of the refusal. */
  words: string | null
  /** The number of its row in the audit trail. */
  audit: number | null
}

type Facts = Partial<Pick<Entry, 'by' | 'mode' | 'rule' | 'state' | 'words' | 'audit'>>
/** The instant of an entry, and what it is about. */
type Head = Pick<Entry, 'kind' | 'id' | 'what'> & { at: number }

/** The entries of a timeline, each thing once. */
export class Timeline {
  readonly #entries: { at: number; entry: Entry }[] = []
  readonly #seen = new Set<string>()

  /** Returns whether a thing is new here, and notes that it is no longer: things may lead to each other. */
  isNew(kind: string, id: string | number): boolean {
    const key = `${kind}:${id}`
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }

  add({ at, id, kind, what }: Head, facts: Facts = {}): void {
    const nothing = { by: null, mode: null, rule: null, state: null, words: null, audit: null }
    this.#entries.push({
      at,
      entry: { at: new Date(at).toISOString(), kind, id, what, ...nothing, ...facts },
    })
  }

  /**
   * Adds an act of the audit trail that no other record has.
   * @param words those of its refusal, which the trail does not keep
   */
  addAct(row: AuditRow, words = wordsOf(row)): void {
    if (!this.isNew('act', row.seq)) return
    this.add(
      {
        at: row.at,
        kind: 'change',
        id: row.target ?? row.requestId ?? String(row.seq),
        what: `${row.act} ${row.outcome}${row.address === null ? '' : ` from ${row.address}`}`,
      },
      { by: row.actor, rule: row.code, words, audit: row.seq },
    )
  }

  /** Returns the entries in the order in which they happened. Those of one instant keep the order in which they were added. */
  entries(): Entry[] {
    return this.#entries.toSorted((a, b) => a.at - b.at).map(({ entry }) => entry)
  }
}

/** Returns the message in the values of an act. */
function wordsOf({ after }: AuditRow): string | null {
  if (after === null) return null
  const values: unknown = JSON.parse(after)
  const message: unknown = Reflect.get(Object(values), 'message')
  return typeof message === 'string' ? message : null
}
