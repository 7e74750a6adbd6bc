import { describe, expect, test } from 'vitest'
import { nodeOf } from '../../../../../src/core/flows/nodes/index.js'
import { LINE_FIELDS } from '../../../../../src/core/flows/nodes/orders/basket-orders.js'
import { LEG_FIELDS } from '../../../../../src/core/flows/nodes/orders/legs.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { runNode } from '../../support.js'

const LISTS = [
  {
    type: 'basketOrder',
    list: 'orders',
    name: 'Order',
    fields: LINE_FIELDS,
    item: { symbol: 'SBIN', exchange: 'NSE', action: 'SELL', quantity: 10 },
  },
  {
    type: 'optionsMultiOrder',
    list: 'legs',
    name: 'Leg',
    fields: LEG_FIELDS,
    item: { offset: 'OTM1', optionType: 'PE', action: 'SELL', quantity: 2 },
  },
]

function run(type: string, data: Body, variables: Body = {}) {
  const definition = nodeOf(type)
  if (!definition) throw new Error(`no node ${type}`)
  const reads = { expiry: { data: ['24-NOV-26', '29-DEC-26'] } }
  return runNode(definition, data, { lots: { 'NFO:NIFTY': 65 }, reads, variables })
}

describe.each(LISTS)('$type', ({ type, list, name, fields, item }) => {
  const members = Object.entries(fields).flatMap(([field, { aliases = [] }]) => [
    { member: field, names: [field, ...aliases] },
    ...aliases.map((member) => ({ member, names: [field, ...aliases] })),
  ])

  /** Returns the complete item with nothing but one value for a field. */
  const withOnly = (names: readonly string[], member: string, value: unknown): Body => ({
    ...Object.fromEntries(Object.entries(item).filter(([key]) => !names.includes(key))),
    [member]: value,
  })

  test.each(members)('sends nothing if data leaves $member empty', async ({ member, names }) => {
    const refusal = { failure: `${name} 2: ${member} is empty; nothing was sent`, sent: [] }
    const filled = [item, withOnly(names, member, '{{webhook.empty}}')]
    for (const empty of ['', ' ']) {
      for (const saved of [filled, JSON.stringify(filled)]) {
        const { failure, ports } = await run(type, { [list]: saved }, { webhook: { empty } })
        expect({ failure, sent: ports.sent }).toEqual(refusal)
      }
    }
    for (const empty of ['', null]) {
      const items = [item, withOnly(names, member, empty)]
      for (const webhook of [{ items }, { items: JSON.stringify(items) }]) {
        const { failure, ports } = await run(type, { [list]: '{{webhook.items}}' }, { webhook })
        expect({ failure, sent: ports.sent }).toEqual(refusal)
      }
      const mixed = { [list]: [item, '{{webhook.second}}'] }
      const { failure, ports } = await run(type, mixed, { webhook: { second: items[1] } })
      expect({ failure, sent: ports.sent }).toEqual(refusal)
    }
  })

  test('takes the defaults for members that are left out, or left empty in the file', async () => {
    const open = Object.fromEntries(
      Object.keys(fields)
        .filter((field) => !(field in item))
        .map((field) => [field, '']),
    )
    const plain = await run(type, { [list]: [item] })
    expect(plain.ports.sent).toHaveLength(1)
    for (const saved of [[{ ...item, ...open }], JSON.stringify([{ ...item, ...open }])]) {
      expect((await run(type, { [list]: saved })).ports.sent).toEqual(plain.ports.sent)
    }
    expect((await run(type, { [list]: '{{webhook}}' }, { webhook: [item] })).ports.sent).toEqual(
      plain.ports.sent,
    )
  })
})
