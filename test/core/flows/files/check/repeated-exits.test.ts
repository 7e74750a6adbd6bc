import { expect, it } from 'vitest'
import { lint } from '../../../../../src/core/flows/files/check/lint.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'

function found(fields: string): [string, string][] {
  const order = `{type: smartOrder, with: {symbol: SBIN, exchange: NSE, action: SELL${fields}}}`
  const result = readWorkflow(`name: n\nnodes:\n  go: {type: webhookTrigger, next: a}\n  a: ${order}\n`, 'f')
  if (!result.ok) throw new Error(JSON.stringify(result.findings))
  return lint(result.value).map(({ code, severity }) => [severity, code])
}

it.each([
  ', quantity: 10, positionSize: 0',
  ', quantity: "{{webhook.quantity}}"',
  ', quantity: 10, positionSize: "{{webhook.position_size}}"',
])('warns of a quantity that a repeated exit would trade: %s', (fields) => {
  expect(found(fields)).toEqual([['warning', 'repeated_exit']])
})

it.each([
  '',
  ', quantity: 0, positionSize: 0',
  ', quantity: 10, positionSize: 10',
  ', positionSize: "{{webhook.position_size}}"',
])('finds nothing in a smart order without one: %s', (fields) => {
  expect(found(fields)).toEqual([])
})
