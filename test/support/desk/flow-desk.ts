import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { query } from '../files/files.js'
import type { DaemonProcess } from '../process/daemon-process.js'

export interface FlowNode {
  id: string
  type: string
  position: { x: number; y: number }
  data: Record<string, unknown>
}

export interface FlowDocument {
  name: string
  nodes: FlowNode[]
  edges: { id: string; source: string; target: string }[]
}

export type Link = readonly [type: string, data?: Record<string, unknown>]

/** Returns a workflow whose nodes follow one another; the first node is its trigger. */
export function chain(name: string, ...links: readonly Link[]): FlowDocument {
  const nodes = links.map(([type, data = {}], index) => ({
    id: `node_${index + 1}`,
    type,
    position: { x: 0, y: index * 120 },
    data,
  }))
  const edges = nodes.slice(1).map(({ id }, index) => ({
    id: `edge-${index + 1}`,
    source: `node_${index + 1}`,
    target: id,
  }))
  return { name, nodes, edges }
}

/**
 * Returns a market order for one share with its own tag; the sandbox's book shows the tag, so a test can find
 * the order.
 */
export const order = (strategyTag: string): Link => [
  'placeOrder',
  { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS', strategyTag },
]

/** Returns the body of an answer that must succeed. @throws Error with the whole answer */
async function done<T>(request: ReturnType<DaemonProcess['request']>): Promise<T> {
  const { status, text } = await request
  if (status >= 300) throw new Error(`${status} ${text}`)
  return JSON.parse(text)
}

const path = (id: number, rest = '') => `/flow/api/workflows/${id}${rest}`

export async function createFlow(daemon: DaemonProcess, document: FlowDocument): Promise<number> {
  return (await done<{ id: number }>(daemon.request('POST', '/flow/api/workflows', document))).id
}

export function activateFlow(daemon: DaemonProcess, id: number) {
  return done(daemon.request('POST', path(id, '/activate')))
}

export interface FlowWebhook {
  id: number
  token: string
  secret: string
}

/** Creates an active workflow that answers its webhook. */
export async function webhookFlow(daemon: DaemonProcess, document: FlowDocument): Promise<FlowWebhook> {
  const id = await createFlow(daemon, document)
  await activateFlow(daemon, id)
  return enableWebhook(daemon, id)
}

export async function enableWebhook(daemon: DaemonProcess, id: number): Promise<FlowWebhook> {
  const hook = await done<{ webhook_token: string; webhook_secret: string }>(
    daemon.request('POST', path(id, '/webhook/enable')),
  )
  return { id, token: hook.webhook_token, secret: hook.webhook_secret }
}

/** Calls a webhook from outside, with its secret in the body. */
export function fire(
  daemon: DaemonProcess,
  { token, secret }: FlowWebhook,
  payload: object = {},
  headers: Record<string, string> = {},
) {
  return daemon.send<{ execution_id: number | null }>(`/flow/webhook/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ secret, ...payload }),
  })
}

/** Calls a webhook whose calls are signed. */
export function fireSigned(
  daemon: DaemonProcess,
  { token, secret }: FlowWebhook,
  { id, payload = {} }: { id: string; payload?: object },
) {
  const body = JSON.stringify(payload)
  const time = Math.floor(Date.now() / 1000)
  const mac = createHmac('sha256', Buffer.from(secret, 'hex')).update(`${id}.${time}.${body}`)
  return daemon.send<{ execution_id: number | null }>(`/flow/webhook/${token}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(time),
      'webhook-signature': `v1,${mac.digest('base64')}`,
    },
    body,
  })
}

export interface FlowRow {
  id: number
  name: string
  is_active: boolean
  version: number
  file_key: string | null
  next_run_at: string | null
}

/** Returns all workflows as a user sees them, by name. */
export async function flowsOf(daemon: DaemonProcess): Promise<Map<string, FlowRow>> {
  const rows = await done<FlowRow[]>(daemon.request('GET', '/flow/api/workflows'))
  return new Map(rows.map((row) => [row.name, row]))
}

/** Returns the ids of the workflows whose trigger waits for the clock, a price or an order. */
export async function armedFlows(daemon: DaemonProcess): Promise<number[]> {
  const scheduled = [...(await flowsOf(daemon)).values()].filter((row) => row.next_run_at !== null)
  const { alerts, order_updates } = await done<{
    alerts: { workflow_id: number }[]
    order_updates: { watches: { workflow_id: number }[] }
  }>(daemon.request('GET', '/flow/api/monitor/status'))
  const watched = [...alerts, ...order_updates.watches].map(({ workflow_id }) => workflow_id)
  return [...scheduled.map(({ id }) => id), ...watched].sort((a, b) => a - b)
}

export interface ExecutionRow {
  id: number
  workflow_id: number
  status: string
  error: string | null
  trigger: string
  logs: string
}

/** Returns the runs in the database file, oldest first; the daemon may be down. */
export function runsOf(daemon: DaemonProcess, workflowId: number): Promise<ExecutionRow[]> {
  return query<ExecutionRow>(
    join(daemon.home, 'svc.db'),
    `select id, workflow_id, status, error, trigger, logs from flow_workflow_executions
      where workflow_id = ? order by id`,
    [workflowId],
  )
}

/** Returns the tags of the orders in the sandbox's own book, oldest first; the daemon may be down. */
export async function simulatedTags(daemon: DaemonProcess): Promise<string[]> {
  const rows = await query<{ strategy: string }>(
    join(daemon.home, 'sandbox.db'),
    'select strategy from sandbox_orders order by rowid',
  )
  return rows.map(({ strategy }) => strategy)
}
