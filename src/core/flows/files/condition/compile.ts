import type { Comparison, Condition } from './parse.js'

/** A node that an `if` stands for. */
export interface ConditionNode {
  id: string
  type: string
  data: Record<string, unknown>
  /** The gate that takes the result; undefined for the step itself. */
  gate: string | undefined
  /** Indexes in the text of the `if`: of the comparison, and of each field that comes from it. */
  at: { start: number; fields: Readonly<Record<string, number>> }
}

const GATES = { and: 'andGate', or: 'orGate', not: 'notGate' } as const

/**
 * Returns the nodes of an `if` in the step `id`. The step itself is the last one: a comparison, or the outermost gate. The
 * terms of a gate `x` are `x.1`, `x.2` and so on, so a term that is added at the end leaves the other ids as they are.
 */
export function compileCondition(id: string, condition: Condition, gate?: string): ConditionNode[] {
  if ('operator' in condition) return [comparisonNode(id, condition, gate)]
  const terms = 'term' in condition ? [condition.term] : condition.terms
  const below = terms.flatMap((term, index) => compileCondition(`${id}.${index + 1}`, term, id))
  const start = below[0]?.at.start ?? 0
  const data = condition.kind === 'not' ? {} : { inputCount: terms.length }
  return [...below, { id, type: GATES[condition.kind], data, gate, at: { start, fields: {} } }]
}

/** Returns the ids of the nodes that a run reaches first: the comparisons, in their order. */
export function entriesOf(nodes: readonly ConditionNode[]): string[] {
  return nodes.filter(({ type }) => type === 'varCondition' || type === 'timeCondition').map(({ id }) => id)
}

function comparisonNode(id: string, comparison: Comparison, gate: string | undefined): ConditionNode {
  const { kind, left, operator, right } = comparison
  if (kind === 'clock') {
    const at = { start: left.at, fields: { targetTime: right.at } }
    return { id, type: 'timeCondition', data: { targetTime: right.text, operator }, gate, at }
  }
  const at = { start: left.at, fields: { leftValue: left.at, rightValue: right.at } }
  const data = { leftValue: left.text, operator, rightValue: right.text }
  return { id, type: 'varCondition', data, gate, at }
}
