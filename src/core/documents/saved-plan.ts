import { z } from 'zod'
import { sha256Hex } from '../secrets/index.js'
import { isObject } from '../validation/index.js'
import { canonicalJson } from './changes.js'

/** The version of the form of a saved plan. A plan in another form is refused. */
const FORM = 1
/** The member that says what the file is. */
const MARK = 'svc_plan'

const identity = { key: z.string(), moved: z.array(z.string()).optional(), file: z.string().optional() }
const workflow = z.strictObject({
  ...identity,
  name: z.string(),
  description: z.string().nullable(),
  nodes: z.array(z.unknown()),
  edges: z.array(z.unknown()),
})
const strategy = z.strictObject({ ...identity, config: z.record(z.string(), z.unknown()) })

/** A row of the plan, as it was shown. */
const row = z.strictObject({
  kind: z.enum(['workflow', 'strategy']),
  key: z.string(),
  action: z.enum(['create', 'update', 'delete', 'none', 'orphan']),
  moved_from: z.string().nullable(),
  /** The id of what is stored; null for what is new. */
  id: z.number().nullable(),
  /** True for an active workflow and for a running strategy. */
  on: z.boolean(),
  /** True if an active workflow that no file has, or one of the same name, may be an older copy of it. */
  beside: z.boolean(),
  /** The version that is stored; null for what is new. */
  version: z.number().nullable(),
  /** Who stored that version, and when. */
  by: z.string().nullable(),
  at: z.string().nullable(),
  /** One text for each changed field. */
  changes: z.array(z.string()),
})

const plan = z.strictObject({
  /** When it was made, as an ISO time. */
  made_at: z.string(),
  /** The id of the daemon that it was compared with. */
  daemon: z.string(),
  prune: z.boolean(),
  activate: z.boolean(),
  complete: z.boolean(),
  commit: z.string().nullable(),
  rows: z.array(row),
  workflows: z.array(workflow).nullable(),
  strategies: z.array(strategy).nullable(),
})

/** What a plan would apply, what it was compared with, and what it showed. */
export type SavedPlan = z.output<typeof plan>
export type SavedRow = z.output<typeof row>

/** A saved plan, or why the text is none. */
export type SavedPlanResult = { plan: SavedPlan } | { problem: string }

/** Returns a plan as a file: JSON with a digest, so that a plan which somebody edits is refused. */
export function savedPlanText(content: SavedPlan): string {
  const document = { [MARK]: FORM, ...content, sha256: digestOf(content) }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

/** Reads a saved plan. Another form, a missing member and a changed one are problems. */
export function readSavedPlan(text: string): SavedPlanResult {
  const value = jsonOf(text)
  if (!isObject(value) || !(MARK in value)) return { problem: 'it is no plan of svc flow plan --out' }
  const { [MARK]: form, sha256, ...content } = value
  if (form !== FORM) return { problem: 'another version of svc wrote it' }
  const read = plan.safeParse(content)
  const isWhole = read.success && isOwn(read.data, sha256)
  return isWhole ? { plan: read.data } : { problem: 'it was changed or damaged after it was written' }
}

/** A text that is nested without end has no digest. */
function isOwn(content: SavedPlan, digest: unknown): boolean {
  try {
    return digest === digestOf(content)
  } catch (thrown) {
    if (thrown instanceof RangeError) return false
    throw thrown
  }
}

/** The digest is of the text that JSON gives, in which a member that is undefined is absent. */
function digestOf(content: SavedPlan): string {
  return sha256Hex(`svc plan ${FORM}\n${canonicalJson(JSON.parse(JSON.stringify(content)))}`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
