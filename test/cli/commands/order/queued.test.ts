import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* An order that is queued while the kill switch is on waits for an approval that would be refused: its answer says so. */

const stdin = JSON.stringify([
  { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' },
])
const ORDERS = [
  ['order place SBIN NSE BUY 1 --product MIS', ''],
  ['order basket -', stdin],
  ['order smart SBIN NSE BUY --position-size 1 --product MIS', ''],
  ['do b 1 sbin mis', ''],
] as const

test.each(ORDERS)('svc %s names the kill switch, in the document too', async (line, given) => {
  const desk = await CliDesk.open()
  await desk.svc('mode set semi_auto')
  const quiet = await desk.svc(line, { stdin: given })
  expect([quiet.exit, quiet.stderr]).toEqual([0, expect.not.stringContaining('kill switch')])
  await desk.svc('risk kill --reason "bad feed"')

  const { exit, stderr } = await desk.svc(line, { stdin: given })
  expect([exit, stderr]).toEqual([
    0,
    expect.stringMatching(
      /warning: the order waits, but an approval would be refused: The kill switch is on: bad feed/,
    ),
  ])
  const json = await desk.svc(`${line} --idempotency-key k1 -o json`, { stdin: given })
  const body = JSON.parse(json.stdout)
  expect(body).toMatchObject({ mode: 'semi_auto', warning: 'The kill switch is on: bad feed' })
  await desk.svc('risk resume --confirm RESUME')
  // A repeat under the key has the answer of the first.
  expect(
    JSON.parse((await desk.svc(`${line} --idempotency-key k1 -o json`, { stdin: given })).stdout),
  ).toEqual(body)
})
