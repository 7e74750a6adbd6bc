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
