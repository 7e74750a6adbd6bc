import { readFileSync } from 'node:fs'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

const { $schema: _, ...SCHEMA } = JSON.parse(readFileSync('docs/schemas/placed-order.v1.json', 'utf8'))
const validate = new AjvJsonSchemaValidator().getValidator(SCHEMA)

test('the answer has one shape in every mode, that of its schema', async () => {
  const desk = await CliDesk.open()
  const placed = async () => {
    const { exit, stdout, stderr } = await desk.svc('order place SBIN NSE BUY 10 -o json --yes')
    expect(exit, stderr).toBe(0)
    const record = JSON.parse(stdout)
    expect(validate(record), stdout).toMatchObject({ valid: true })
    expect(Object.keys(SCHEMA.properties)).toEqual(expect.arrayContaining(Object.keys(record)))
    return record
  }
  expect(await placed()).toMatchObject({ mode: 'live', orderid: expect.any(String) })
  await desk.service.settings.setAnalyzeMode(true)
  expect(await placed()).toMatchObject({ mode: 'analyze', orderid: expect.any(String) })
  await desk.service.settings.setAnalyzeMode(false)
  await desk.svc('mode set semi_auto')
  const queued = await placed()
  expect(queued).toMatchObject({ mode: 'semi_auto', pending_order_id: 1, orderid: null })
})

test.each([
  ['order place BUY 10 SBIN', 'Did you mean SBIN NSE BUY 10?'],
  ['order place sell 10 sbin bse', 'Did you mean SBIN BSE SELL 10?'],
  ['order place BUY 10 NSE:SBIN', 'Did you mean NSE:SBIN BUY 10?'],
  ['order place BUY SBIN 10', 'Did you mean SBIN NSE BUY 10?'],
  ['order place SBIN NSE 10 BUY', 'Did you mean SBIN NSE BUY 10?'],
  ['order place BUY SBIN', 'Example: SBIN NSE BUY 10'],
  ['order smart BUY 10 SBIN --position-size 5', 'Did you mean SBIN NSE BUY 10?'],
  ['order place SBIN BUY 10', 'Example: NSE:SBIN, or SBIN NSE'],
])('the words of an order in another order are refused with the right one: svc %s', async (line, hint) => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc(`${line} --yes`)
  expect([exit, stderr]).toEqual([2, expect.stringContaining(hint)])
  expect((await desk.svc('order list -q')).stdout).toBe('')
})
