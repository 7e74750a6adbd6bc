import { expect, it } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

const DOCUMENTS = [
  '--json',
  '--jq .',
  '--jq=.',
  '--jsonl',
  '-o json',
  '-o jsonl',
  '-ojson',
  '--output json',
  '--output=jsonl',
] as const

it('an error is JSON with every option that asks for it', async () => {
  const desk = await CliDesk.open()
  for (const format of DOCUMENTS) {
    const { exit, stderr } = await desk.svc(`order status none ${format}`)
    expect(JSON.parse(stderr), format).toMatchObject({ status: 'error', code: 'not_found', exit: 4 })
    expect(exit, format).toBe(4)
  }
})

const TEXTS = ['', '-o table', '-o csv', '-o yaml'] as const

it('an error is a sentence with every other format', async () => {
  const desk = await CliDesk.open()
  for (const format of TEXTS) {
    expect((await desk.svc(`order status none ${format}`)).stderr, format).toMatch(/^error: /)
  }
})

it('an error about the format itself is JSON, too', async () => {
  const desk = await CliDesk.open()
  const { exit, stderr } = await desk.svc('order list -o json --jsonl')
  expect([exit, JSON.parse(stderr)]).toMatchObject([2, { message: expect.stringContaining('Choose one') }])
})
