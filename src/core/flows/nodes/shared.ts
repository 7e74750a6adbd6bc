import { EXCHANGES } from '../../instruments/schema.js'
import { PRODUCTS } from '../../orders/schema.js'
import type { Body, ReadCall } from '../ports.js'
import { NodeError, type NodeResult, type NodeRun } from './definition.js'
import type { Field } from './field.js'

/** Fields that several nodes have alike. */

export const symbolField = {
  kind: 'text',
  required: true,
  description: 'Symbol as the service writes it.',
} as const satisfies Field

export const exchangeField = {
  kind: 'text',
  required: true,
  default: 'NSE',
  choices: EXCHANGES,
  description: 'Exchange the symbol is listed on.',
} as const satisfies Field

export const productField = {
  kind: 'text',
  default: 'MIS',
  choices: PRODUCTS,
  description: 'Product of the position.',
} as const satisfies Field

/** Reads, and ends the node when that fails: a condition must never be decided by data that is not there. */
export async function readOrFail(run: NodeRun, call: ReadCall, body: Body): Promise<NodeResult> {
  const result = await run.read(call, body)
  if (result.status === 'error') throw new NodeError(result.message ?? `${call} failed`)
  return result
}

/** The rows of a body's `data`; anything else counts as none. */
export function rowsOf(data: unknown): Body[] {
  return Array.isArray(data) ? data.filter((row): row is Body => typeof row === 'object' && row !== null) : []
}
