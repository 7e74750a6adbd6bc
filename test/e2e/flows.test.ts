import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  activateFlow,
  chain,
  createFlow,
  enableWebhook,
  fire,
  flowsOf,
  order,
  runsOf,
  simulatedTags,
  webhookFlow,
} from '../support/desk/flow-desk.js'
import { eventually } from '../support/eventually.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { Terminal } from '../support/terminal.js'

/*
 * The steps of a user of Flow in Analyzer mode, in this order: files, the command line, webhooks, schedules.
 */
let daemon: DaemonProcess
let terminal: Terminal
let folder: string

beforeAll(async () => {
  daemon = await DaemonProcess.ready()
  await daemon.analyze(true)
  folder = join(daemon.home, 'flows')
  mkdirSync(folder)
  terminal = new Terminal({
    home: join(daemon.home, 'terminal'),
    env: { SVC_URL: daemon.url, SVC_API_KEY: daemon.apikey, SVC_TOKEN: daemon.token },
  })
})
afterAll(() => daemon.dispose())

const svc = (...words: string[]) => terminal.svc(words)
const tagged = async (tag: string) => (await simulatedTags(daemon)).filter((each) => each === tag).length

const CALLED = `id: called
name: Called
nodes:
  hook: {type: webhookTrigger, next: buy}
  buy:
    type: placeOrder
    with:
      {symbol: "{{webhook.symbol}}", exchange: NSE, action: BUY, quantity: "{{webhook.quantity}}", product: CNC, strategyTag: from-a-file}
`
const OTHER = `id: other
name: Other
nodes:
  go: {type: start, next: note}
  note: {type: log, with: {message: other}}
`

describe('workflow files', () => {
  it('are applied from the command line; a second apply changes nothing', async () => {
    writeFileSync(join(folder, 'called.yaml'), CALLED)
    writeFileSync(join(folder, 'other.yaml'), OTHER)
    expect((await svc('flow', 'plan', folder)).exit).toBe(9)
    expect(await svc('flow', 'apply', folder, '--yes')).toMatchObject({
      exit: 0,
      stdout: '+ create called (version 1)\n+ create other (version 1)\n',
    })
    expect(await svc('flow', 'plan', folder)).toMatchObject({ exit: 0 })
  })

  it('the webhook of a workflow places its order, which the order list shows', async () => {
    const { id } = (await flowsOf(daemon)).get('Called') ?? { id: 0 }
    expect((await svc('flow', 'activate', 'called', '--yes')).exit).toBe(0)
    const hook = await enableWebhook(daemon, id)
    const wrong = await fire(daemon, { ...hook, secret: 'wrong' }, { symbol: 'SBIN', quantity: 7 })
    expect([wrong.status, await tagged('from-a-file')]).toEqual([401, 0])

    const { status, body } = await fire(daemon, hook, { symbol: 'SBIN', quantity: 7 })
    expect([status, body]).toMatchObject([
      200,
      { status: 'success', message: "Workflow 'Called' triggered", workflow_id: id },
    ])
    expect(await tagged('from-a-file')).toBe(1)
    expect((await svc('order', 'list')).stdout).toMatch(/SBIN.*\b7\b.*complete/)
    expect(await runsOf(daemon, id)).toMatchObject([{ status: 'completed', trigger: 'webhook' }])
  })

  it('an order with fields missing in the webhook body is not placed', async () => {
    const { id } = (await flowsOf(daemon)).get('Called') ?? { id: 0 }
    const { status, body } = await fire(daemon, await enableWebhook(daemon, id), { symbol: 'SBIN' })
    expect([status, body.message]).toEqual([
      502,
      expect.stringContaining('unresolved variable(s) in quantity'),
    ])
    expect(await tagged('from-a-file')).toBe(1)
  })
})

describe('a run that is not stored', () => {
  const file = () => join(folder, 'dry.yaml')
  const payload = () => join(folder, 'payload.txt')
  beforeAll(() => {
    writeFileSync(file(), CALLED.replaceAll('called', 'dry').replace('from-a-file', 'dry'))
    writeFileSync(payload(), JSON.stringify({ symbol: 'SBIN', quantity: 1 }))
  })

  it('as a dry run leaves no order, no workflow and no run', async () => {
    const before = [...(await flowsOf(daemon)).keys()]
    const { exit, stdout } = await svc('flow', 'run', file(), '--dry-run', '--payload', payload())
    expect([exit, stdout]).toEqual([0, expect.stringContaining('SBIN')])
    expect(await tagged('dry')).toBe(0)
    expect([...(await flowsOf(daemon)).keys()]).toEqual(before)
  })

  it('sends its orders and leaves nothing else', async () => {
    const before = [...(await flowsOf(daemon)).keys()]
    expect((await svc('flow', 'run', file(), '--payload', payload())).exit).toBe(0)
    expect(await tagged('dry')).toBe(1)
    expect([...(await flowsOf(daemon)).keys()]).toEqual(before)
  })
})

describe('a graph in the exported form', () => {
  it('is imported as a new, inactive workflow with its old names replaced, and runs', async () => {
    const edge = { type: 'insertable', animated: true }
    const answer = await daemon.request<{ workflow_id: number; migrations: string[] }>(
      'POST',
      '/flow/api/workflows/import',
      {
        name: 'Dip buyer',
        description: 'Buys when there is money, closes what is open',
        version: '1.0',
        exported_at: '2026-08-04T05:30:00.000000',
        viewport: { x: 0, y: 0, zoom: 1 },
        nodes: [
          {
            id: 'node_1',
            type: 'start',
            position: { x: 0, y: 0 },
            data: { scheduleType: 'manual' },
            measured: { width: 1 },
          },
          {
            id: 'node_2',
            type: 'fundCheck',
            position: { x: 0, y: 120 },
            data: { threshold: 10, operator: 'gt' },
          },
          {
            id: 'node_3',
            type: 'placeOrder',
            position: { x: -120, y: 240 },
            data: { ...order('imported')[1], priceType: 'MARKET', outputVariable: 'ord' },
            selected: false,
          },
          { id: 'node_4', type: 'closePositions', position: { x: -120, y: 360 }, data: {} },
          {
            id: 'node_5',
            type: 'log',
            position: { x: 120, y: 240 },
            data: { message: 'no money', level: 'info' },
          },
        ],
        edges: [
          { id: 'edge-1', source: 'node_1', target: 'node_2', ...edge },
          { id: 'edge-2', source: 'node_2', target: 'node_3', sourceHandle: 'true', ...edge },
          {
            id: 'edge-3',
            source: 'node_2',
            target: 'node_5',
            sourceHandle: 'false',
            targetHandle: null,
            ...edge,
          },
          { id: 'edge-4', source: 'node_3', target: 'node_4', ...edge },
        ],
      },
    )
    expect(answer).toMatchObject({ status: 201, body: { status: 'success' } })
    expect(answer.body.migrations).toHaveLength(2)
    expect((await flowsOf(daemon)).get('Dip buyer (imported)')).toMatchObject({ is_active: false })

    const { exit, stdout } = await svc('flow', 'run', String(answer.body.workflow_id))
    expect([exit, stdout]).toEqual([0, expect.not.stringContaining('no money')])
    expect(await tagged('imported')).toBe(1)
    const positions = (await daemon.api<{ data: { quantity: number; product: string }[] }>('positionbook'))
      .body
    expect(positions.data.filter(({ product, quantity }) => product === 'MIS' && quantity !== 0)).toEqual([])
  })
})

describe('a trigger', () => {
  it('fires a schedule every second until the workflow is deactivated', async () => {
    const schedule = { scheduleType: 'interval', intervalValue: 1, intervalUnit: 'seconds' }
    const id = await createFlow(daemon, chain('Ticking', ['start', schedule], order('tick')))
    await activateFlow(daemon, id)
    expect((await flowsOf(daemon)).get('Ticking')?.next_run_at).not.toBeNull()
    await eventually(async () => (await tagged('tick')) >= 2)
    expect((await svc('flow', 'deactivate', 'Ticking')).exit).toBe(0)
    expect((await flowsOf(daemon)).get('Ticking')?.next_run_at).toBeNull()
    await eventually(async () => (await runsOf(daemon, id)).every(({ status }) => status === 'completed'))
    const runs = await runsOf(daemon, id)
    expect(await tagged('tick')).toBe(runs.length)
    expect(runs.every(({ trigger }) => trigger === 'schedule')).toBe(true)
  })

  it('fires a price alert once, and deactivates it', async () => {
    const alert = { symbol: 'SBIN', exchange: 'NSE', condition: 'above', price: 1, trigger: 'once' }
    await activateFlow(
      daemon,
      await createFlow(daemon, chain('Alert', ['priceAlert', alert], order('alert'))),
    )
    await eventually(async () => (await flowsOf(daemon)).get('Alert')?.is_active === false)
    expect(await tagged('alert')).toBe(1)
  })
})

describe('a workflow that is running', () => {
  const PAUSE = ['delay', { delayValue: 1 }] as const

  it('is followed line by line, from another process', async () => {
    const hook = await webhookFlow(
      daemon,
      chain('Followed', ['webhookTrigger'], ['log', { message: 'said {{webhook.word}}' }], PAUSE),
    )
    const following = terminal.start('flow logs Followed --follow --jsonl')
    while (!following.stdout().includes('"finished"'))
      expect((await fire(daemon, hook, { word: 'hello' })).status).toBe(200)
    following.interrupt()
    const { exit, stdout } = await following.ended
    expect(exit).toBe(130)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(['log', 'finished']))
    expect(lines.filter(({ message }) => String(message).includes('said hello')).length).toBeGreaterThan(0)
  })

  it('runs once: of two calls at once one runs, the other gets 409, and there is one order', async () => {
    const hook = await webhookFlow(daemon, chain('Single', ['webhookTrigger'], order('single'), PAUSE))
    const replies = await Promise.all([fire(daemon, hook), fire(daemon, hook)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await tagged('single')).toBe(1)
    expect(await runsOf(daemon, hook.id)).toHaveLength(1)
    expect((await fire(daemon, hook)).status).toBe(200)
    expect(await tagged('single')).toBe(2)
  })

  it('ends when it is cancelled, and its unsent orders stay unsent', async () => {
    const flow = chain('Cancelled', ['webhookTrigger'], ['delay', { delayValue: 60 }], order('cancelled'))
    const hook = await webhookFlow(daemon, flow)
    const called = fire(daemon, hook)
    await eventually(async () => (await runsOf(daemon, hook.id)).length === 1)
    const [run] = await runsOf(daemon, hook.id)
    expect((await svc('flow', 'cancel', String(run?.id))).exit).toBe(0)
    expect((await called).status).toBe(409)
    expect(await runsOf(daemon, hook.id)).toMatchObject([{ status: 'failed' }])
    expect(await tagged('cancelled')).toBe(0)
  })
})
