import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* What a rule refused never became an order. Its request has an id all the same, which explains it. */

async function withRefusals(): Promise<CliDesk> {
  const desk = await CliDesk.open()
  await desk.svc('order place SBIN NSE BUY 1 --yes')
  await desk.svc('risk set max_order_quantity=5 --yes')
  expect((await desk.svc('order place SBIN NSE BUY 10 --yes')).exit).toBe(5)
  expect((await desk.svc('order place INFY NSE BUY 20 --yes')).exit).toBe(5)
  return desk
}

test('-q and the records have the id of the request, which svc why explains', async () => {
  const desk = await withRefusals()
  const names = (await desk.svc('order list --status rejected -q')).stdout.trim().split('\n')
  expect(names).toHaveLength(2)
  const rows = JSON.parse((await desk.svc('order list --status rejected -o json')).stdout)
  expect(rows).toMatchObject(names.map((request_id) => ({ orderid: '', request_id })))
  const [last = ''] = names
  const why = await desk.svc(`why ${last}`)
  expect([why.exit, why.stdout]).toEqual([0, expect.stringContaining('max_order_quantity')])
  const { stdout } = await desk.svc('order list --status rejected -o csv --columns symbol,request_id')
  expect(stdout).toContain(`INFY,${last}`)
})

test('a list for people names the command that explains the newest', async () => {
  const desk = await withRefusals()
  const [last] = (await desk.svc('order list --status rejected -q')).stdout.split('\n')
  const list = await desk.svc('order list --status rejected', { answers: [] })
  expect(list.stderr).toContain(`svc why ${last}`)
  expect((await desk.svc('order list')).stderr).not.toContain('svc why')
})

test('an order has no such member, and -q prints its id', async () => {
  const desk = await withRefusals()
  const rows: { orderid: string }[] = JSON.parse((await desk.svc('order list -o json')).stdout)
  expect(rows).toEqual([expect.not.objectContaining({ request_id: expect.anything() })])
  expect((await desk.svc('order list -q')).stdout).toBe(`${rows[0]?.orderid}\n`)
})
