import { expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

/* What a person reads where the public API's own text is awkward; a document keeps that text. */

async function holding() {
  const desk = await CliDesk.open()
  await desk.svc('analyze on')
  await desk.svc('order place SBIN NSE BUY 10 --product MIS')
  return desk
}

test('one closed position is one position', async () => {
  const { svc } = await holding().then((desk) => ({ svc: desk.svc.bind(desk) }))
  expect((await svc('position close-all --yes')).stderr).toMatch(
    /^Closing orders are placed for 1 position\./m,
  )
})

test('order smart at its target says that nothing was needed', async () => {
  const desk = await holding()
  const command = 'order smart SBIN NSE SELL --product MIS --position-size 10'
  const shown = await desk.svc(command)
  expect([shown.exit, shown.stdout]).toEqual([
    0,
    expect.stringContaining('The position is already at the target: no order is needed.'),
  ])
  expect((await desk.svc(`${command} --json`)).stdout).toContain('No OpenPosition Found')
})

test('order smart at a price says which orders wait already', async () => {
  const desk = await holding()
  const command = 'order smart SBIN NSE BUY --product MIS --position-size 20 --price 700'
  await desk.svc(command)
  for (const again of [command, `${command} --dry-run`]) {
    const { exit, stdout } = await desk.svc(again)
    expect([exit, stdout]).toEqual([
      0,
      expect.stringContaining('LIMIT orders to BUY 10 already wait at this price'),
    ])
  }
})
