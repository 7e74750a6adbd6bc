import { expect, test } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

/* What the risk gate refused was never an order; a person looks for it among the rejected ones all the same. */

const desk = commandDesk()

test('order list --status rejected has what the risk gate refused, with its reason and without an id', async () => {
  await desk.terminal.svc('risk set max_order_quantity=5 --yes')
  const refused = await desk.terminal.svc('order place SBIN NSE BUY 10 --product MIS')
  expect(refused.exit).toBe(5)
  for (const more of ['', ' --since today', ' --symbol SBIN']) {
    const { stdout } = await desk.terminal.svc(`order list --status rejected${more} -o json`)
    const rows: Record<string, unknown>[] = JSON.parse(stdout)
    expect(rows).toEqual([
      expect.objectContaining({
        orderid: '',
        order_status: 'rejected',
        rejection_reason: expect.stringContaining('limit of 5'),
      }),
    ])
  }
  expect(JSON.parse((await desk.terminal.svc('order list -o json')).stdout)).toEqual([])
})

test.each(['log analyzer', 'log traffic', 'audit list', 'log latency', 'log app'])(
  '%s --errors leaves out what succeeded',
  async (line) => {
    await desk.terminal.svc('order place SBIN NSE BUY 1 --product MIS')
    const { exit, stdout } = await desk.terminal.svc(`${line} --errors -o json`)
    expect(exit).toBe(0)
    expect(stdout).not.toMatch(/"(status|outcome)": ?"(success|SUCCESS|done)"/)
  },
)
