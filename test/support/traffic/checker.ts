import type { Operation } from './history.js'

/** An order that exists: in the sandbox's book, or in the broker's own ledger. */
export interface Existing {
  orderId: string
  /** The id of the operation that requested it, from the order's strategy. */
  operation: string | undefined
}

/**
 * Set-full: every acknowledged order exists; no order exists that nobody requested or that was refused. An
 * order with an unknown outcome (`info`) may exist or not.
 */
export function lostOrPhantom(operations: readonly Operation[], existing: readonly Existing[]): string[] {
  const ids = new Set(existing.map(({ orderId }) => orderId))
  const asked = new Map(operations.map((operation) => [operation.id, operation]))
  const acknowledgedKeys = new Set(operations.filter(({ outcome }) => outcome !== 'fail').map(intentOf))
  return [
    ...operations
      .filter(({ outcome, orderId }) => outcome === 'ok' && !ids.has(orderId ?? ''))
      .map(({ id, orderId }) => `lost: ${id} was acknowledged as ${orderId}`),
    ...existing.flatMap(({ orderId, operation }) => {
      const asker = asked.get(operation ?? '')
      if (!asker) return [`phantom: ${orderId} (${operation}) was never asked for`]
      return acknowledgedKeys.has(intentOf(asker))
        ? []
        : [`executed although refused: ${orderId} (${operation})`]
    }),
  ]
}

/** Unique-ids: an intent (an idempotency key, or a request without one) is executed at most once. */
export function executedTwice(operations: readonly Operation[], existing: readonly Existing[]): string[] {
  const asked = new Map(operations.map((operation) => [operation.id, operation]))
  const orders = new Map<string, Set<string>>()
  for (const { orderId, operation } of existing) {
    const asker = asked.get(operation ?? '')
    const intent = asker ? intentOf(asker) : `order ${orderId}`
    orders.set(intent, (orders.get(intent) ?? new Set()).add(orderId))
  }
  return [
    ...[...orders]
      .filter(([, ids]) => ids.size > 1)
      .map(([intent, ids]) => `twice: ${intent} is ${[...ids]}`),
    ...repeated(existing.map(({ orderId }) => orderId)).map((orderId) => `listed twice: ${orderId}`),
  ]
}

/** Checks that all acknowledgements of one key name the same order. */
export function inconsistentAnswers(operations: readonly Operation[]): string[] {
  const answers = new Map<string, Set<string>>()
  for (const operation of operations) {
    if (operation.outcome !== 'ok' || operation.key === undefined) continue
    answers.set(operation.key, (answers.get(operation.key) ?? new Set()).add(operation.orderId ?? ''))
  }
  return [...answers].filter(([, ids]) => ids.size > 1).map(([key, ids]) => `key ${key} was told ${[...ids]}`)
}

/** One client's decision about one row, and whether the answer said that it won. */
export interface Decision {
  kind: 'approve' | 'reject' | 'expire'
  won: boolean | 'unknown'
}

/**
 * Linearizable register of an approval: pending, then one terminal state. At most one decision wins, and the
 * final state is the winner's. The order executes only after an approval, and only once.
 */
export function wrongRegister(decisions: readonly Decision[], final: string, executions: number): string[] {
  const winners = decisions.filter(({ won }) => won === true)
  const terminal = { approve: 'approved', reject: 'rejected', expire: 'rejected' } as const
  const possible = decisions.filter(({ won }) => won !== false).map(({ kind }) => terminal[kind])
  const found: string[] = []
  if (winners.length > 1) found.push(`${winners.length} winners: ${winners.map(({ kind }) => kind)}`)
  for (const { kind } of winners) {
    if (terminal[kind] !== final) found.push(`${kind} won, but the row is ${final}`)
  }
  if (final !== 'pending' && !possible.some((state) => state === final)) {
    found.push(`${final}, although nobody can have decided so`)
  }
  if (executions > 1) found.push(`executed ${executions} times`)
  if (executions > 0 && final !== 'approved') found.push(`executed although ${final}`)
  return found
}

function intentOf({ key, id }: Operation): string {
  return key === undefined ? `request ${id}` : `key ${key}`
}

function repeated(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
}
