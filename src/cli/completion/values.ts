import { cellText } from '../../views/table/cells.js'
import { readQueue } from '../commands/approval/queue.js'
import { LOCAL } from '../contexts/words.js'
import { visibleNouns } from '../framework/command/noun.js'
import type { Completion } from '../framework/command/option.js'
import type { Context } from '../framework/context.js'
import type { Candidate, Place, ReadValues } from './candidates.js'

type Kind = Exclude<Completion, readonly string[]>
type Reader = (context: Context, place: Place) => Promise<readonly Candidate[]>

const plain = (value: string | number): Candidate => ({ value: String(value), summary: '' })

/** More symbols than a person reads in a menu do not help. */
const MAX_SYMBOLS = 40

/** More rows than a person reads in a menu do not help. */
const MAX_ROWS = 50

/** Returns ids as the user began to type them: with the noun in front (`approval/6`), or bare. */
function named(rows: readonly Candidate[], noun: 'order' | 'approval', { partial }: Place): Candidate[] {
  const prefix = partial.startsWith(`${noun}/`) ? `${noun}/` : ''
  return rows.map((row) => ({ ...row, value: `${prefix}${row.value}` }))
}

/** Returns a time as tables show it. */
const timeIn = ({ io, settings }: Context, at: string | null) =>
  cellText(at, 'time', { human: true, utc: settings.utc, zone: true, now: io.now() })

/** The orders whose strategies are suggested. */
const RECENT_ORDERS = 200

/** Returns the words that may follow in a list with commas, each with what is typed before it. */
function nextOfList(words: readonly string[], partial: string): Candidate[] {
  const [, before = ''] = /^(.*,)?[^,]*$/.exec(partial) ?? []
  const given = new Set(before.split(','))
  return words.filter((word) => !given.has(word)).map((word) => plain(`${before}${word}`))
}

/** Returns the approvals of a status, newest first. */
async function approvals(context: Context, status: 'pending' | 'approved'): Promise<Candidate[]> {
  const rows = await readQueue(context, { status, limit: MAX_ROWS })
  return rows.map(({ id, symbol, action, quantity }) => ({
    value: String(id),
    summary: `${action} ${quantity} ${symbol}`,
  }))
}

const READERS: Readonly<Record<Kind, Reader>> = {
  approvals: async (context, place) => named(await approvals(context, 'pending'), 'approval', place),
  orders: async (context, place) => {
    // The name of an approval stands for the order that came from it.
    if (place.partial.startsWith('approval/')) {
      return named(await approvals(context, 'approved'), 'approval', place)
    }
    const { orders } = (await context.apiRead('orderbook')).body.data
    const rows = orders.map((order) => ({
      value: order.orderid,
      summary: `${order.action} ${order.quantity} ${order.symbol}, ${order.order_status}`,
    }))
    return named(rows, 'order', place)
  },
  gtts: async (context) =>
    (await context.apiRead('gttorderbook')).body.data.map(({ trigger_id: id, symbol, status }) => ({
      value: id,
      summary: `${symbol}, ${status}`,
    })),
  tokens: async (context) =>
    (await context.read('GET /auth/tokens')).body.data.map(({ id, name }) => ({
      value: String(id),
      summary: name,
    })),
  sessions: async (context) => {
    const { readSessions } = await import('../commands/account/session.js')
    const rows = await readSessions(context)
    return rows.map(({ short, ip_address: address }) => ({ value: short, summary: address ?? '' }))
  },
  brokers: async (context) =>
    (await context.read('GET /broker/list')).body.data.map(({ id, name }) => ({ value: id, summary: name })),
  workflows: async (context) =>
    (await context.read('GET /flow/api/workflows')).body.map(({ id, file_key: key, name }) => ({
      value: key ?? String(id),
      summary: name,
    })),
  strategyNames: async (context) =>
    (await context.read('GET /strategy/api/strategies')).body.data.map(({ id, file_key: key, name }) => ({
      value: key ?? String(id),
      summary: name,
    })),
  strategyRuns: async (context, { args }) => {
    const { findId } = await import('../commands/strategy/find.js')
    const id = await findId(context, args[0] ?? '')
    const query = { limit: String(MAX_ROWS) }
    const { body } = await context.read('GET /strategy/api/strategies/:id/runs', { params: { id }, query })
    return body.data.map(({ id: run, mode, started_at: at }) => ({
      value: String(run),
      summary: `${mode}, ${timeIn(context, at)}`,
    }))
  },
  strategyVersions: async (context, { args }) => {
    const { findId } = await import('../commands/strategy/find.js')
    const id = await findId(context, args[0] ?? '')
    const query = { limit: String(MAX_ROWS) }
    const route = 'GET /strategy/api/strategies/:id/versions'
    const { body } = await context.read(route, { params: { id }, query })
    return body.data.map(({ version, at }) => ({ value: String(version), summary: timeIn(context, at) }))
  },
  strategyEventKinds: async (context, { args }) => {
    const { findId } = await import('../commands/strategy/find.js')
    const id = await findId(context, args[0] ?? '')
    const { body } = await context.read('GET /strategy/api/strategies/:id/events', { params: { id } })
    return [...new Set(body.data.map(({ kind }) => kind))].sort().map(plain)
  },
  versions: async (context, { args }) => {
    const { findId } = await import('../commands/flow/find.js')
    const id = await findId(context, args[0] ?? '')
    const { body } = await context.read('GET /flow/api/workflows/:id/versions', { params: { id } })
    return body.data.map(({ version, at }) => ({ value: String(version), summary: timeIn(context, at) }))
  },
  runs: async (context, { args }) => {
    const { findId } = await import('../commands/flow/find.js')
    const id = await findId(context, args[0] ?? '')
    const query = { limit: String(MAX_ROWS) }
    const { body } = await context.read('GET /flow/api/workflows/:id/executions', { params: { id }, query })
    return body.map(({ id: run, status, started_at: at }) => ({
      value: String(run),
      summary: `${status}, ${timeIn(context, at)}`,
    }))
  },
  journal: async (context) => {
    const { body } = await context.read('GET /orders/journal', { query: { state: 'unknown' } })
    return body.data.map(({ order_ref: ref, symbol }) => ({ value: ref, summary: symbol ?? '' }))
  },
  rules: async (context) => {
    const { rules } = (await context.read('GET /risk')).body.data
    return Object.entries(rules).map(([rule, value]) => ({
      value: `${rule}=`,
      summary: `now ${value ?? 'off'}`,
    }))
  },
  settings: async (context) => {
    const { settingsOf } = await import('../commands/daemon/config.js')
    return (await settingsOf(context)).map(({ key, description }) => ({ value: key, summary: description }))
  },
  sandboxSettings: async (context) => {
    const { readSettings } = await import('../commands/control/sandbox.js')
    return (await readSettings(context)).map(({ key, range }) => ({ value: key, summary: range }))
  },
  nodes: async () => {
    const { nodeTypes } = await import('../commands/flow/reference/nodes.js')
    return (await nodeTypes()).map(({ type, summary }) => ({ value: type, summary }))
  },
  indicators: async () => {
    const { knownIndicators } = await import('../commands/flow/reference/indicators.js')
    return (await knownIndicators()).map(({ name, title }) => ({ value: name, summary: title }))
  },
  bans: async (context) =>
    (await context.read('GET /security/api/data')).body.banned_ips.map((row) => ({
      value: row.ip_address,
      summary: row.ban_reason,
    })),
  suspects: async (context) =>
    (await context.read('GET /security/api/data')).body.suspicious_ips.map((row) => ({
      value: row.ip_address,
      summary: `${row.error_count} requests for missing paths`,
    })),
  banSettings: async () => {
    const { BAN_SETTINGS } = await import('../../views/security/settings.js')
    return Object.entries(BAN_SETTINGS).map(([name, { summary }]) => ({ value: `${name}=`, summary }))
  },
  contexts: async ({ io }) => {
    const { readContexts } = await import('../contexts/file.js')
    const { daemons } = readContexts(io)
    const known = [...daemons].map(([value, { url }]) => ({ value, summary: url }))
    return [...known, { value: LOCAL, summary: 'the home of this machine' }]
  },
  scopes: async (_context, { partial }) => {
    const { SCOPE_NAMES } = await import('../commands/account/token.js')
    return nextOfList(SCOPE_NAMES, partial)
  },
  columns: async (_context, { columns, partial }) => nextOfList(columns, partial),
  sortColumns: async (_context, { columns, partial }) =>
    columns.map((column) => plain(partial.startsWith('-') ? `-${column}` : column)),
  strategies: async (context) => {
    const { body } = await context.read('GET /orders/history', { query: { limit: RECENT_ORDERS } })
    return [...new Set(body.data.map(({ strategy }) => strategy))].filter((name) => name !== '').map(plain)
  },
  events: async () => {
    const { EVENT_NAMES } = await import('../output/text/event-words.js')
    return EVENT_NAMES.map(plain)
  },
  runningRuns: async (context) => {
    const { body } = await context.read('GET /flow/api/workflows')
    const runs = await Promise.all(
      body.slice(0, MAX_ROWS).map(async ({ id, name }) => {
        const query = { status: 'running', limit: '5' }
        const request = { params: { id: String(id) }, query }
        const { body: running } = await context.read('GET /flow/api/workflows/:id/executions', request)
        return running.map((run) => ({ value: String(run.id), summary: name }))
      }),
    )
    return runs.flat()
  },
  aliases: async (context) => {
    const { readAliases } = await import('../aliases/file.js')
    return [...readAliases(context.io).values()].map(({ line, name }) => ({ value: name, summary: line }))
  },
  topics: async (context) => {
    const { TOPIC_SUMMARIES } = await import('../help/topic-names.js')
    const nouns = visibleNouns(context.nouns).map(({ name, summary }) => ({ value: name, summary }))
    return [...nouns, ...Object.entries(TOPIC_SUMMARIES).map(([value, summary]) => ({ value, summary }))]
  },
  expiries: async (context, { args, options }) => {
    const { namedUnderlying, optionExpiries } = await import('../commands/market/option.js')
    const word = options.get('underlying') ?? args[0]
    if (word === undefined) return []
    const code = options.get('exchange') ?? (word.includes(':') ? undefined : args[1])
    const { underlying, exchange } = namedUnderlying(word, code)
    return (await optionExpiries(context, underlying, exchange)).map(plain)
  },
  symbols: async (context, { partial }) => {
    const [, exchange, query = ''] = /^(?:(\w+):)?(.*)$/.exec(partial.toUpperCase()) ?? []
    if (query === '') return []
    const { body } = await context.apiRead('search', { query, ...(exchange !== undefined && { exchange }) })
    const starting = body.data.filter(({ symbol }) => symbol.startsWith(query))
    const found = new Map(
      starting.map(({ symbol, exchange: at, name }) => [
        exchange === undefined ? symbol : `${at}:${symbol}`,
        `${at} ${name ?? ''}`.trim(),
      ]),
    )
    return [...found].slice(0, MAX_SYMBOLS).map(([value, summary]) => ({ value, summary }))
  },
}

/** Returns a reader of values. It reads nothing when the daemon or a credential is missing. */
export function valueReader(context: (place: Place) => Context): ReadValues {
  return async (kind, place) => READERS[kind](context(place), place).catch(() => [])
}
