import { EXCHANGES } from '../../instruments/schema.js'
import { PRODUCTS } from '../../orders/schema.js'
import type { Body, ReadCall } from '../ports.js'
import { NodeError, type NodeResult, type NodeRun } from './definition.js'
import type { Field } from './field.js'
import { SYMBOL } from './form.js'

export const symbolField = {
  kind: 'text',
  required: true,
  form: SYMBOL,
  description: 'Symbol in the format of svc.',
} as const satisfies Field

export const exchangeField = {
  kind: 'text',
  required: true,
  default: 'NSE',
  choices: EXCHANGES,
  description: 'Exchange of the symbol.',
} as const satisfies Field

export const productField = {
  kind: 'text',
  default: 'MIS',
  choices: PRODUCTS,
  description: 'Product of the position.',
} as const satisfies Field

/** Reads, and fails the node if the read fails: a condition must never be decided by missing data. */
export async function readOrFail(run: NodeRun, call: ReadCall, body: Body): Promise<NodeResult> {
  const result = await run.read(call, body)
  if (result.status === 'error') throw new NodeError(result.message ?? `${call} failed`)
  return result
}

/** Returns the rows of a body's `data`; an empty list for anything else. */
export function rowsOf(data: unknown): Body[] {
  return Array.isArray(data) ? data.filter((row): row is Body => typeof row === 'object' && row !== null) : []
}
