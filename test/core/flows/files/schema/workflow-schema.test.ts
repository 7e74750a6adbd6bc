import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configurationSchema } from '../../../../../src/core/flows/files/schema/field-schema.js'
import { workflowSchema } from '../../../../../src/core/flows/files/schema/workflow-schema.js'
import { NODES } from '../../../../../src/core/flows/nodes/index.js'
import { mistakes } from '../json-schema.js'

const schema = workflowSchema()
const wrong = (text: string) => mistakes(parse(text), schema)

describe('the JSON Schema', () => {
  it('contains the configuration of every type, with a description for each field', () => {
    expect(Object.keys(NODES).length).toBeGreaterThan(0)
    for (const definition of Object.values(NODES)) {
      const { properties } = configurationSchema(definition)
      expect(schema.$defs).toHaveProperty([`with.${definition.type}`])
      for (const [name, { description }] of Object.entries(definition.fields)) {
        expect(properties).toMatchObject({ [name]: { description } })
      }
    }
  })

  it('has defaults that are valid', () => {
    for (const { type, fields } of Object.values(NODES)) {
      for (const [name, field] of Object.entries(fields)) {
        if (field.default === undefined) continue
        const definition = configurationSchema({
          ...NODES[type],
          fields: { [name]: field },
        } as (typeof NODES)[string])
        expect([type, name, mistakes({ [name]: field.default }, definition)]).toEqual([type, name, []])
      }
    }
  })

  const FINE = `name: n
nodes:
  go: {type: webhookTrigger, next: [c]}
  c: {type: varCondition, label: Narrow?, with: {leftValue: "{{webhook.w}}", operator: <, rightValue: 0.45}, yes: order, no: [log], next: [{to: log, on: yes}]}
  order: {type: placeOrder, with: {symbol: SBIN, exchange: nse, action: "{{webhook.side}}", quantity: "{{webhook.qty}}", outputVariable: o}}
  log: {type: log, position: {x: 0, y: 1}}
`
  const GRAPH =
    '{"name": "n", "viewport": {}, "nodes": [{"id": "a", "type": "start", "position": {"x": 0, "y": 0}, "data": {"time": "09:15", "of the editor": 1}}], "edges": []}'

  it.each([
    ['the readable form', FINE],
    ['the graph form', GRAPH],
  ])('accepts %s', (_form, text) => {
    expect(wrong(text)).toEqual([])
  })

  const table: [string, string, string][] = [
    ['an unknown type', FINE.replace('type: log', 'type: lgo'), '/nodes/log/type: oneOf'],
    ['a missing field', FINE.replace('symbol: SBIN, ', ''), '/nodes/order/with: needs symbol'],
    [
      'a missing configuration',
      FINE.replace(/with: \{symbol.*\}\}/, 'label: x}'),
      '/nodes/order: needs with',
    ],
    ['a value that is no choice', FINE.replace('nse', 'NYSE'), '/nodes/order/with/exchange: anyOf'],
    ['text for a number', FINE.replace('"{{webhook.qty}}"', 'many'), '/nodes/order/with/quantity: anyOf'],
    ['an unknown key', FINE.replace('label:', 'lable:'), '/nodes/c/lable: not allowed'],
    ['an unknown key of the file', `${FINE}color: red\n`, '/color: not allowed'],
    ['an unknown side', FINE.replace('on: yes', 'on: maybe'), '/nodes/c/next: anyOf'],
    ['a graph without edges', GRAPH.replace(', "edges": []', ''), ': needs edges'],
    ['a time that is none', GRAPH.replace('09:15', 'noon'), '/nodes/0/data/time: anyOf'],
  ]
  it.each(table)('refuses %s', (_what, text, mistake) => {
    expect(wrong(text)).toContain(mistake)
  })
})
