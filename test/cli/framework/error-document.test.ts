import { expect, it } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

it.each([
  '--json',
  '--jq .',
  '--jq=.',
  '--jsonl',
  '-o json',
  '-o jsonl',
  '-ojson',
  '--output json',
  '--output=jsonl',
])('an error is JSON with %s', async (format) => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc(`order status none ${format}`)
  expect(JSON.parse(stderr)).toMatchObject({ status: 'error', code: 'not_found', exit: 4 })
  expect(exit).toBe(4)
})

it.each(['', '-o table', '-o csv', '-o yaml'])('an error is a sentence with %j', async (format) => {
  const desk = await CliDesk.open()
  expect((await desk.svc(`order status none ${format}`)).stderr).toMatch(/^error: /)
})

it('an error about the format itself is JSON, too', async () => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc('order list -o json --jsonl')
  expect([exit, JSON.parse(stderr)]).toMatchObject([2, { message: expect.stringContaining('Choose one') }])
})
