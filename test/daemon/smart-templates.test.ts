import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { smart } from '../../src/cli/commands/order/multi.js'
import { readWorkflow } from '../../src/core/flows/files/index.js'
import { nodeOf } from '../../src/core/flows/nodes/index.js'
import { TOOLS } from '../../src/daemon/mcp/tools/index.js'
import { OPERATIONS } from '../../src/daemon/operations/index.js'
import { runNode } from '../core/flows/support.js'
import { USER } from '../support/desk/desk.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'

/** A body of placesmartorder that goes to a position. */
type Body = Record<string, unknown>
interface Template {
  name: string
  to(position: number): Body | Promise<Body>
}

const page = (name: string) => readFileSync(`${import.meta.dirname}/../../docs/${name}`, 'utf8')

/** Fills in an alert as TradingView does, for an order of a strategy of ten shares. */
const alerted = (template: unknown, position: number): Body =>
  JSON.parse(
    JSON.stringify(template)
      .replaceAll('{{strategy.order.action}}', position > 0 ? 'buy' : 'sell')
      .replaceAll('{{strategy.order.contracts}}', '10')
      .replaceAll('{{strategy.position_size}}', String(position)),
  )

/** The JSON bodies in a page that name a target, and those of its `curl` commands. */
function inPage(name: string): Template[] {
  const blocks = [
    ...page(name).matchAll(/\{(?:[^{}]|\{\{[^{}]*\}\})*"position_size"(?:[^{}]|\{\{[^{}]*\}\})*\}/g),
  ]
  return blocks.map(([text], index) => ({
    name: `docs/${name} ${index + 1}`,
    to: (position) => {
      const { apikey: _, ...body } = alerted(JSON.parse(text.replace(/"'"\$KEY"'"/, '""')), position)
      return { ...body, position_size: position }
    },
  }))
}

function help(): Template[] {
  return (
    smart.examples?.map((line) => ({
      name: `svc ${line}`,
      to: (position) => {
        const [, symbol = '', , quantity] =
          /^order smart (?:NSE:)?(\w+)(?: NSE)? (\w+)(?: (\d+))? --position-size \d+(?: --dry-run)?$/.exec(
            line,
          ) ?? []
        return {
          symbol,
          exchange: 'NSE',
          strategy: 'cli',
          action: 'BUY',
          quantity: Number(quantity ?? 0),
          position_size: position,
        }
      },
    })) ?? []
  )
}

/** The smart orders of the example workflows, with ten for each reference. */
function nodes(): Template[] {
  const folder = `${import.meta.dirname}/../../flows`
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
  return files.flatMap((name) => {
    const read = readWorkflow(readFileSync(`${folder}/${name}`, 'utf8'), name)
    if (!read.ok) throw new Error(`${name} cannot be read`)
    return read.value.graph.nodes
      .filter(({ type }) => type === 'smartOrder')
      .map(({ data, id }) => ({
        name: `flows/${name} ${id}`,
        to: async (position: number) => {
          const definition = nodeOf('smartOrder')
          if (!definition) throw new Error('no smartOrder')
          const text = JSON.stringify({ ...data, positionSize: position }).replaceAll(/\{\{[^}]*\}\}/g, '10')
          const { ports } = await runNode(definition, JSON.parse(text))
          // The master of these tests has two shares.
          return { ...ports.sent[0]?.body, symbol: 'INFY' }
        },
      }))
  })
}

const tool: Template = {
  name: 'the tool place_smart_order',
  to: async (position_size) => {
    let body: Body = {}
    await TOOLS.find(({ name }) => name === 'place_smart_order')?.run(
      { symbol: 'INFY', action: 'BUY', position_size },
      {
        ask: async (_operation, given) => {
          body = { ...given }
          return {}
        },
        today: () => '',
        instruments: () => ({ total: 0, rows: [] }),
      },
    )
    return body
  },
}
const example: Template = {
  name: 'the example of the API description',
  to: (position_size) => ({ ...Object(OPERATIONS['POST /api/v1/placesmartorder'].example), position_size }),
}
const route: Template = {
  name: 'the message that POST /tradingview makes',
  to: (position) => ({ made: position }),
}

const TEMPLATES = [...inPage('tradingview.md'), ...help(), ...nodes(), tool, example, route]

async function rigOf(mode: 'live' | 'analyze') {
  const http = await HttpDesk.open({ env: { SMART_ORDER_RATE_LIMIT: '1000 per second' } })
  const { desk } = http
  if (mode === 'analyze') await desk.service.sandbox.start()
  await desk.service.settings.setAnalyzeMode(mode === 'analyze')
  const headers = { 'x-api-key': http.apikey }
  const post = async (name: string, body: object) => {
    const reply = await desk.settled(http.request('POST', `/api/v1/${name}`, { body, headers }))
    if (reply.status !== 200) throw new Error(`${name}: ${reply.text}`)
    return reply.body
  }
  const made = await http.request('POST', '/tradingview', {
    body: { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    headers: bearer(await http.tokenOf('admin')),
  })
  return {
    send: async ({ name, to }: Template, position: number) => {
      const { apikey: _, ...message } = alerted(made.body, position)
      return post('placesmartorder', name === route.name ? message : await to(position))
    },
    close: () => post('closeposition', { strategy: 'by hand' }),
    orders: async () => Object(await post('orderbook', {})).data.orders.length,
    net: async () => {
      const { sandbox, brokers } = desk.service
      const rows =
        mode === 'live'
          ? await desk.settled(brokers.client().portfolio.positions())
          : await desk.settled(sandbox.quantities(USER))
      return rows.reduce((sum, { quantity }) => sum + quantity, 0)
    },
  }
}

it('the templates are those of the pages, the help, the workflows, the tool, the description and the route', () => {
  expect(TEMPLATES.map(({ name }) => name.split(' ')[0])).toEqual(
    expect.arrayContaining(['docs/tradingview.md', 'svc', 'flows/basket-rebalance.yaml', 'the']),
  )
  expect(TEMPLATES.length).toBeGreaterThanOrEqual(12)
})

describe.each(['live', 'analyze'] as const)('in %s mode, each of three times', (mode) => {
  it.each(TEMPLATES)('$name ends at its target, and trades nothing more', async (template) => {
    const { close, net, orders, send } = await rigOf(mode)
    const threeTimes = async (position: number) => {
      for (let time = 0; time < 3; time++) await send(template, position)
      return [await net(), await orders()]
    }
    expect(await threeTimes(10)).toEqual([10, 1])
    expect(await threeTimes(0)).toEqual([0, 2])
    expect(await threeTimes(-10)).toEqual([-10, 3])
    await close()
    expect(await threeTimes(0)).toEqual([0, 4])
  })
})
