import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  contentHash,
  lint,
  readScenarios,
  readWorkflow,
  workflowSchema,
  writeReadable,
} from '../../src/core/flows/files/index.js'
import { mistakes } from '../core/flows/files/json-schema.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'
import { EXAMPLES, exampleOf, textOf } from './examples.js'

const FIRST_LINE = '# yaml-language-server: $schema=./flow.schema.json\n'

it('there are the examples that the documentation names', () => {
  expect(EXAMPLES.toSorted()).toEqual([
    'basket-rebalance',
    'crossover-trailing-exit',
    'end-of-day-report',
    'kill-switch',
    'opening-range-breakout',
    'option-straddle',
    'price-alert-exit',
    'webhook-order',
  ])
})

it('the schema beside them is the one of this version (otherwise: svc flow schema --out flows/flow.schema.json)', () => {
  expect(JSON.parse(textOf('flow.schema.json'))).toEqual(workflowSchema())
})

describe.each(EXAMPLES)('%s', (id) => {
  it('has no mistake and no warning', () => {
    expect(lint(exampleOf(id))).toEqual([])
  })

  it('fits the schema that its first line names', () => {
    const text = textOf(`${id}.yaml`)
    expect(text.startsWith(FIRST_LINE)).toBe(true)
    expect(mistakes(parse(text), workflowSchema())).toEqual([])
  })

  it('is known by the name of its file', () => {
    expect(exampleOf(id).key).toBe(id)
  })

  it('is the same workflow once written and read again', () => {
    const example = exampleOf(id)
    const again = readWorkflow(writeReadable(example, { key: id }), `${id}.yaml`)
    if (!again.ok) throw new Error(JSON.stringify(again.findings))
    expect(contentHash(again.value)).toBe(contentHash(example))
  })

  it('has two scenarios or more, which name its own nodes', () => {
    const read = readScenarios(textOf(`${id}.test.yaml`), `${id}.test.yaml`)
    if (!read.ok) throw new Error(JSON.stringify(read.findings))
    const { cases } = read.value
    const nodes = exampleOf(id).graph.nodes.map((node) => node.id)
    expect(cases.length).toBeGreaterThanOrEqual(2)
    expect(nodes).toEqual(
      expect.arrayContaining(
        cases.flatMap(({ expect: { visited = [], not_visited = [] } }) => [...visited, ...not_visited]),
      ),
    )
  })

  it('is imported in the form of a graph, and can be activated', async () => {
    const http = await HttpDesk.open()
    const headers = bearer(await http.tokenOf('flows'))
    const { name, description, graph } = exampleOf(id)
    const imported = await http.request('POST', '/flow/api/workflows/import', {
      headers,
      body: { name, description, ...graph },
    })
    expect(imported).toMatchObject({ status: 201, body: { status: 'success' } })
    expect(imported.body).not.toHaveProperty('migrations')
    const path = `/flow/api/workflows/${String(imported.body.workflow_id)}/activate`
    expect(await http.request('POST', path, { headers })).toMatchObject({ status: 200 })
  })
})
