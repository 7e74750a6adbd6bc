import { expect } from 'vitest'
import { USER } from '../../../../support/desk/desk.js'
import { PAIR, RunRig } from '../run-rig.js'

/* Runs with one long position, and the orders of somebody else that close it. */

export const LONG = { ...PAIR, legs: [{ segment: 'cash', position: 'B', lots: 10 }] }
export const SBIN = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' } as const
export const ORDER = { ...SBIN, pricetype: 'MARKET', strategy: 'by hand' }

export type Mode = 'live' | 'sandbox'

export async function started(mode: Mode, names: readonly string[] = ['long']) {
  const rig = await RunRig.open(mode === 'live' ? 'live' : 'analyze')
  const ids = []
  for (const name of names) {
    const id = await rig.create({ ...LONG, name }, mode === 'live')
    await rig.settled(rig.runs.start(id, { mode, trigger: 'manual' }))
    await rig.settled(rig.runs.settled())
    ids.push(id)
  }
  await seconds(rig, 6)
  return { rig, ids, id: ids[0] ?? 0 }
}

export async function seconds(rig: RunRig, count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    await rig.clock.advance(1000)
    await rig.settled(rig.runs.settled())
  }
}

/** The signed quantity of the account. */
export async function net(rig: RunRig, mode: Mode, product = 'MIS'): Promise<number> {
  const { brokers, sandbox } = rig.rig.desk.service
  const rows =
    mode === 'live'
      ? await rig.settled(brokers.client().portfolio.positions())
      : await rig.settled(sandbox.quantities(USER))
  return rows.filter((row) => row.product === product).reduce((sum, { quantity }) => sum + quantity, 0)
}

export async function messages(rig: RunRig): Promise<string[]> {
  const rows = await rig.query(
    `select message from strategy_events where kind = 'leg_close_manual' and severity = 'critical' order by id`,
  )
  return rows.map(({ message }) => String(message))
}

export async function post(rig: RunRig, path: string, body: Record<string, unknown>): Promise<void> {
  const { status, body: answer } = await rig.rig.post(path, body)
  expect(status, JSON.stringify(answer)).toBe(200)
}
