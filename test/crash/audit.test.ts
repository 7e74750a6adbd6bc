import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { chance, rounds } from '../support/chance/chance.js'
import { eventually, pause } from '../support/eventually.js'
import { query } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

const KILLS = rounds(6)

interface Row {
  act: string
  target: string | null
  outcome: string
  after: { max_order_value?: number } | null
}

it(`${KILLS} kills: every acknowledged act and order is in the audit trail, and the trail is whole`, {
  timeout: rounds(300_000),
}, async () => {
  const random = chance('audit kills')
  const daemon = await DaemonProcess.ready()
  onTestFinished(() => daemon.dispose())
  await daemon.analyze(true)
  const values: number[] = []
  const orders: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    let isOver = false
    const limits = async () => {
      for (let value = 1; !isOver; value++) {
        const limit = 1_000_000 + kill * 10_000 + value
        const reply = await daemon.request('PUT', '/risk', { max_order_value: limit }).catch(() => undefined)
        if (reply?.status === 200) values.push(limit)
      }
    }
    const trade = async () => {
      while (!isOver) {
        const reply = await daemon.place({ quantity: 1 }).catch(() => undefined)
        const id = reply?.status === 200 ? (reply.body as { orderid?: string }).orderid : undefined
        if (id !== undefined) orders.push(id)
        await pause(20)
      }
    }
    const work = [limits(), trade()]
    await pause(random.between(50, 1500))
    await daemon.kill()
    isOver = true
    await Promise.all(work)
    await daemon.start()
  }
  expect(values.length).toBeGreaterThan(0)
  expect(orders.length).toBeGreaterThan(0)

  const stored = async (): Promise<Row[]> => {
    const rows = await query<Omit<Row, 'after'> & { after: string | null }>(
      join(daemon.home, 'svc.db'),
      'select act, target, outcome, after from audit_entries order by seq',
    )
    return rows.map((row) => ({ ...row, after: row.after === null ? null : JSON.parse(row.after) }))
  }
  const placed = async () =>
    (await stored()).filter(({ act }) => act === 'order.place').map(({ target }) => target)
  await eventually(async () => {
    const known = new Set(await placed())
    return orders.every((id) => known.has(id))
  })
  const recordedOrders = await placed()
  expect(new Set(recordedOrders).size).toBe(recordedOrders.length)
  const changes = (await stored()).filter(({ act }) => act === 'risk.set')
  const recorded = changes.flatMap(({ after, outcome }) =>
    outcome === 'done' ? [after?.max_order_value] : [],
  )
  expect(values.filter((value) => !recorded.includes(value))).toEqual([])
  // At most the act that was in progress at each kill has no known end.
  expect(changes.filter(({ outcome }) => outcome !== 'done').length).toBeLessThanOrEqual(KILLS)
  const { body } = await daemon.request<{ data: { ok: boolean; problem: unknown } }>('GET', '/audit/verify')
  expect(body.data).toMatchObject({ ok: true, problem: null })
  expect(await query(join(daemon.home, 'svc.db'), 'select * from audit_pending')).toEqual([])
})
