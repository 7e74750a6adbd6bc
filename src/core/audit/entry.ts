import { isDeepStrictEqual } from 'node:util'
import { escapeControls, redact } from '../logging/index.js'
import { sha256Hex } from '../secrets/index.js'
import { isObject } from '../validation/index.js'
import type { ActEnd, AuditEntry, NewAct } from './schema.js'

/** Longest text of a column. */
const MAX_TEXT = 300
/** Longest JSON of the values before or after an act. */
const MAX_VALUES = 16_384

/** Returns the row of an act. Secrets are removed, control characters escaped and long values cut. */
export function entryOf(act: NewAct, end: ActEnd, now: number): AuditEntry {
  const { actor } = act
  return {
    at: act.at ?? now,
    act: column(act.act),
    actor: column(actor.name),
    credential: actor.credential,
    credentialId: optional(actor.credentialId),
    address: optional(actor.address),
    target: optional(act.target),
    outcome: end.outcome ?? 'done',
    code: optional(end.code),
    before: valuesText(end.before),
    after: valuesText(end.after),
    requestId: optional(act.requestId),
  }
}

/**
 * A text that SQLite returns as it was stored: the seal is computed before. Half a surrogate pair, which the cut of a
 * long text may leave, becomes a replacement character.
 */
function column(text: string): string {
  return Buffer.from(escapeControls(text.slice(0, MAX_TEXT)).slice(0, MAX_TEXT)).toString()
}

const optional = (text: string | null | undefined): string | null => (text ? column(text) : null)

function valuesText(values: unknown): string | null {
  if (values === undefined || values === null) return null
  const json = Buffer.from(JSON.stringify(redact(values))).toString()
  if (json.length <= MAX_VALUES) return json
  return JSON.stringify({ cut: true, characters: json.length, sha256: sha256Hex(json) })
}

/** Returns the members that differ, as they were and as they are. Of anything but objects, both values. */
export function changesOf(before: unknown, after: unknown): Pick<ActEnd, 'before' | 'after'> {
  if (!isObject(before) || !isObject(after)) return { before, after }
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]))
  const pick = (from: Record<string, unknown>) =>
    Object.fromEntries(changed.filter((name) => name in from).map((name) => [name, from[name]]))
  return { before: pick(before), after: pick(after) }
}

/** Returns the value of a JSON text; undefined if it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
