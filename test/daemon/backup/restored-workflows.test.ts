import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RESTORED } from '../../../src/core/backup/index.js'
import type { FlowGraph } from '../../../src/core/flows/graph/graph.js'
import type { Body } from '../../../src/core/flows/ports.js'
import { honourRestore } from '../../../src/daemon/backup/restored.js'
import { USER } from '../../support/desk/desk.js'
import { FlowRig, HELLO, HOOK, scheduled } from '../operations/flows/flow-rig.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const MINUTE_MS = 60_000

/** The graph of a workflow that a trigger starts. */
const startedBy = (type: string, data: Body): FlowGraph => ({
  ...HELLO,
  nodes: HELLO.nodes.map((node) => (node.id === 't' ? { ...node, type, data: { ...SBIN, ...data } } : node)),
})
const alert = (trigger: string) => startedBy('priceAlert', { condition: 'greater_than', price: 900, trigger })
const watch = (trigger: string) => startedBy('orderUpdateTrigger', { status: 'complete', trigger })

/** Tells the next start that the home was restored, and lets this service do what that start does. */
async function restore(rig: FlowRig): Promise<void> {
  const { home, service } = rig.desk
  writeFileSync(join(home, RESTORED), JSON.stringify({ id: 'b1', created_at: '2026-11-20T04:30:00.000Z' }))
  await honourRestore(service, home)
}

const isActive = async (rig: FlowRig, id: number) => (await rig.show(id)).body.is_active

/** SBIN trades at a price, and the monitor has checked it. */
async function trades(rig: FlowRig, ltp: number): Promise<void> {
  const { hub, listed } = rig.desk.service
  hub.last = () => undefined
  const prices = { ltp, bid: ltp, ask: ltp, open: ltp, high: ltp, low: ltp, prevClose: ltp }
  const more = { bidSize: 1, askSize: 1, volume: 1, oi: 0, timestamp: 0 }
  listed.quotes = async (refs) => refs.map((ref) => ({ ...ref, ...prices, ...more }))
  await rig.pass(5000)
}

test('a one-shot alert of a restored home does not fire again: it may have fired since the backup', async () => {
  const first = await FlowRig.open()
  const id = await first.arm(alert('once'))
  await restore(first)
  const second = await first.restart()
  expect(await isActive(second, id)).toBe(false)
  await second.desk.service.risk.setKillSwitch(false, 'looked', USER)
  await trades(second, 910)
  expect(await second.runs(id)).toEqual([])
  await second.ask('POST', `/workflows/${id}/activate`)
  await trades(second, 910)
  expect(await second.ran(id, 1)).toHaveLength(1)
})

test('an order update that a restored home learns again starts no workflow', async () => {
  const rig = await FlowRig.open()
  const watches = [await rig.arm(watch('once')), await rig.arm(watch('every_time'))]
  await restore(rig)
  await rig.desk.service.risk.setKillSwitch(false, 'looked', USER)
  expect(await rig.desk.place()).toMatchObject({ status: 200 })
  await rig.pass(2000)
  for (const id of watches) expect([await isActive(rig, id), await rig.runs(id)]).toEqual([false, []])
})

test('a workflow that starts again and again stays active', async () => {
  const rig = await FlowRig.open()
  const daily = scheduled(HELLO, { scheduleType: 'daily', time: '15:00' })
  const later = scheduled(HELLO, { scheduleType: 'once', executeAt: '2026-11-20T14:00' })
  const active = []
  for (const graph of [alert('every_time'), HOOK, HELLO, daily, later]) active.push(await rig.arm(graph))
  const [next, single] = active.slice(-2).map((id) => rig.flows.nextRun(id))
  await restore(rig)
  const second = await rig.restart()
  for (const id of active) expect(await isActive(second, id)).toBe(true)
  expect(active.slice(-2).map((id) => second.flows.nextRun(id))).toEqual([next, single])
  expect(second.desk.service.risk.killSwitch.reason).not.toContain('Workflow')
})

test('a time of a schedule between the backup and the restore is not made up for', async () => {
  const first = await FlowRig.open()
  const [daily, once] = [
    await first.arm(scheduled(HELLO, { scheduleType: 'daily', time: '11:30', missedRuns: 'run_once' })),
    await first.arm(
      scheduled(HELLO, { scheduleType: 'once', executeAt: '2026-11-20T11:30', missedRuns: 'run_once' }),
    ),
  ]
  first.clock.suspend(45 * MINUTE_MS)
  await restore(first)
  const second = await first.restart()
  await second.pass(2 * MINUTE_MS)
  expect([await second.runs(daily), await second.runs(once)]).toEqual([[], []])
  expect([await isActive(second, daily), await isActive(second, once)]).toEqual([true, false])
  expect(second.flows.nextRun(daily)).toBe(Date.parse('2026-11-21T11:30:00+05:30'))
})

test('the reason of the kill switch names the workflows, also after a start that was cut off', async () => {
  const rig = await FlowRig.open()
  const ids: number[] = []
  for (let made = 0; made < 2; made++) ids.push(await rig.arm(alert('once'), `Alert ${made}`))
  await restore(rig)
  const { reason } = rig.desk.service.risk.killSwitch
  const texts = [
    'Restored from the backup of 2026-11-20 10:00:00 IST. ',
    `Workflows ${ids.join(', ')} (started once, or by order updates) may have run after it and will not run again `,
    'before you activate them: svc flow activate ID. Compare orders and positions with the broker, then resume.',
  ]
  expect(reason).toBe(texts.join(''))
  await restore(rig)
  expect(rig.desk.service.risk.killSwitch.reason).toBe(reason)
})

test('while the disk refuses to store them, the workflows do not run, and the next start tries again', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(alert('once'))
  const { svc } = rig.desk.service.databases
  const write = svc.write.bind(svc)
  svc.write = async () => {
    throw new Error('the disk is full')
  }
  await restore(rig)
  svc.write = write
  expect(existsSync(join(rig.desk.home, RESTORED))).toBe(true)
  expect(rig.flows.workflows.get(id).isActive).toBe(false)
  await trades(rig, 910)
  expect(await rig.runs(id)).toEqual([])
})
