import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { isInDoubt } from '../../../../src/core/orders/index.js'
import { chance, rounds } from '../../../support/chance/chance.js'
import { tempDir } from '../../../support/files/temp.js'
import type { Ended } from './scenario.js'
import { type Trace, Traces } from './traces.js'

/*
 * Random courses of the whole order path: every kind of request from every source, in every mode, with faults of the broker,
 * crashes at any step, and retries. `SEED=…` repeats a run.
 */

const DAY_MS = 86_400_000
/** Facts of a trace that are checked. */
const inForce = z.object({ mode: z.enum(['live', 'analyze']), orderMode: z.enum(['auto', 'semi_auto']) })
const broker = z.object({ call: z.string(), tag: z.string().default('') })
const outage = z.object({ before: z.unknown(), after: z.unknown() })
/** The ids of the sandbox: of its orders, and of its GTTs. */
const SIMULATED = /^(?:\d{14}|GTT-.*)$/

/** The answers to one request under one key, within the lifetime of the key. */
function retriesIn({ ended }: Trace): Ended[][] {
  const byKey = new Map<string, Ended[]>()
  for (const end of ended) {
    if (end.key === undefined || !end.request) continue
    const same = JSON.stringify([end.key, end.request.operation, end.request.body])
    byKey.set(same, [...(byKey.get(same) ?? []), end])
  }
  return [...byKey.values()].map((ends) => ends.filter(({ at }) => at < (ends[0]?.at ?? at) + DAY_MS))
}

/** Returns whether the answer of a request is its last one. */
function isFinal({ answer, result }: Ended): boolean {
  return answer?.code === 'ok' && result !== undefined && !result.unfinished && !isInDoubt(result)
}

/**
 * Checks that each order left under the settings of that moment. What waits for no approval: an order that was approved,
 * one that a strategy has decided on, and a close.
 */
function checkSettings({ happened, seed, tables }: Trace): void {
  let now: z.infer<typeof inForce> = { mode: 'live', orderMode: 'auto' }
  const rows = new Map((tables.order_journal ?? []).map((row) => [row.order_ref, row]))
  for (const { what, facts } of happened) {
    if (what === 'settings') now = inForce.parse(facts)
    const { call, tag } = what === 'broker' ? broker.parse(facts) : { call: '', tag: '' }
    const row = rows.get(tag)
    if (!row || !call.startsWith('place') || row.source === 'strategy') continue
    expect(now.mode, `seed ${seed}: ${tag} left in Analyzer mode`).toBe('live')
    if (row.source === 'approval' || row.api_type === 'closeposition') continue
    expect(now.orderMode, `seed ${seed}: ${tag} left without an approval`).toBe('auto')
  }
}

/** Checks that what the broker could not take counts nothing. */
function checkOutages({ happened, seed }: Trace): void {
  for (const { what, facts } of happened) {
    if (what !== 'outage') continue
    const { after, before } = outage.parse(facts)
    expect(after, `seed ${seed}: an order that was not sent is counted`).toEqual(before)
  }
}

function check(trace: Trace): void {
  checkSettings(trace)
  checkOutages(trace)

  const { ended, exchange, seed, tables } = trace
  const journal = tables.order_journal ?? []
  const refs = journal.map((row) => String(row.order_ref))
  // Every order that left has a row, and arrived once. One that closes is sent again after proof that it never arrived.
  const arrived = [...exchange.orders, ...exchange.gtts].map(({ tag }) => tag)
  expect(new Set(arrived).size, `seed ${seed}: a tag arrived twice`).toBe(arrived.length)
  expect(
    exchange.sent.filter((tag) => !refs.includes(tag)),
    `seed ${seed}: sent without a row`,
  ).toEqual([])
  // An acknowledged order is in the records of its mode, once.
  for (const { result } of ended) {
    if (result?.outcome !== 'placed') continue
    const { isGtt, orderId } = result
    const rows = SIMULATED.test(orderId)
      ? [...(tables.sandbox_orders ?? []), ...(tables.sandbox_gtt ?? [])].filter(
          (row) => row.order_id === orderId || row.gtt_id === orderId,
        )
      : journal.filter((row) => (isGtt ? row.trigger_id : row.order_id) === orderId)
    expect(rows, `seed ${seed}: ${orderId} was acknowledged`).toHaveLength(1)
  }
  for (const retries of retriesIn(trace)) {
    // One key, one execution.
    const executed = new Set(retries.flatMap(({ result }) => result?.orderRef ?? []))
    expect(executed.size, `seed ${seed}: executed twice under ${retries[0]?.key}`).toBeLessThanOrEqual(1)
    // The final answer stays. Semi-auto mode blocks a change before its key is looked at.
    const final = retries.find(isFinal)
    if (!final || final.source === 'flow') continue
    const later = retries
      .slice(retries.indexOf(final))
      .filter(({ answer }) => answer !== undefined && answer.code !== 'forbidden')
    for (const { answer } of later) {
      expect(answer, `seed ${seed}: another answer under ${final.key}`).toEqual(final.answer)
    }
  }
}

describe('the order path', () => {
  test('sends every order once, records it, and answers a retry alike, whatever happens', async () => {
    const traces = await Traces.open(tempDir())
    onTestFinished(() => traces.close())
    const { seed } = chance('the order path')
    for (let round = 0; round < rounds(150); round++) check(await traces.of(seed + round))
  })
})
