import { createHmac } from 'node:crypto'
import { generateSync } from 'otplib'
import { ALL_OPERATION_LIST } from '../../../src/daemon/operations/all.js'
import type { Tag } from '../../../src/daemon/operations/facts.js'
import { USER } from '../../support/desk/desk.js'
import { PASSWORD } from '../../support/desk/http-desk.js'
import { eventually } from '../../support/eventually.js'
import { MAIL_PASSWORD, MAIL_USER, mailServer as startMailServer } from '../../support/mail/mail-server.js'
import { PHONE_ID, WHATSAPP_TOKEN } from '../../support/messages/fake-whatsapp.js'
import { assistants } from './assistants.js'
import { Conversation, type Exchange, type Mode, TELEGRAM_SECRET } from './conversation.js'

/** Chapters whose operations work with only their examples. */
const SIMPLE: readonly Tag[] = [
  'Market data',
  'Instruments',
  'Options',
  'Calendar',
  'Stream',
  'Search',
  'Diagnostics',
  'Service',
]

/** Workflows: stored, activated, run, applied from files and deleted. */
async function flows(talk: Conversation): Promise<void> {
  const at = '/flow/api/workflows'
  const made = await talk.ask(`POST ${at}`)
  const params = { id: String(made.id) }
  await talk.ask(`POST ${at}`, { with: { nodes: [{ id: 'x' }] } })
  await talk.ask(`POST ${at}/import`)
  await talk.ask(`GET ${at}`)
  await talk.ask(`GET ${at}/:id`, { params })
  await talk.ask(`GET ${at}/:id`)
  await talk.ask(`PUT ${at}/:id`, { params })
  for (const name of ['activate', 'activate', 'execute', 'webhook/enable', 'webhook/auth-type']) {
    await talk.ask(`POST ${at}/:id/${name}`, { params })
  }
  await talk.ask(`POST ${at}/:id/webhook/auth-type`, { params, with: { auth_type: 'none' } })
  const hook = await talk.ask(`GET ${at}/:id/webhook`, { params })
  const token = { token: text(hook.webhook_token) }
  const query = { secret: text(hook.webhook_secret) }
  await talk.ask('POST /flow/webhook/:token', { params: token, query })
  await talk.ask('POST /flow/webhook/:token/:symbol', { params: { ...token, symbol: 'SBIN' }, query })
  await talk.ask('POST /flow/webhook/:token', { params: token })
  await talk.ask('POST /flow/webhook/:token')
  for (const name of ['regenerate', 'regenerate-secret', 'disable']) {
    await talk.ask(`POST ${at}/:id/webhook/${name}`, { params })
  }
  await talk.ask(`GET ${at}/:id/executions`, { params })
  await talk.ask('GET /flow/api/executions/:id', { params: { id: '1' } })
  await talk.ask('POST /flow/api/executions/:id/cancel', { params: { id: '1' } })
  await cancelled(talk)
  await talk.ask(`GET ${at}/:id/export`, { params })
  await talk.ask(`POST ${at}/:id/replace`, { params })
  await talk.ask(`GET ${at}/:id/versions`, { params })
  await talk.ask(`POST ${at}/:id/rollback`, { params })
  await talk.ask(`POST ${at}/:id/rollback`, { params, with: { version: 99 } })
  await talk.ask('GET /flow/api/monitor/status')
  for (const name of ['plan', 'apply', 'plan', 'run', 'symbol-lotsizes'])
    await talk.ask(`POST /flow/api/${name}`)
  await talk.ask('POST /flow/api/plan', {
    with: { workflows: [{ key: 'x', name: '', nodes: [], edges: [] }] },
  })
  await talk.ask('GET /flow/api/index-symbols')
  const secret = { params: { name: 'word' } }
  await talk.ask('PUT /flow/api/secrets/:name', secret)
  await talk.ask('GET /flow/api/secrets')
  await talk.ask('DELETE /flow/api/secrets/:name', secret)
  await talk.ask(`POST ${at}/:id/deactivate`, { params })
  await talk.ask(`DELETE ${at}/:id`, { params })
}

/** A waiting run is followed, refuses a second run, and is cancelled. */
async function cancelled(talk: Conversation): Promise<void> {
  const nodes = [
    { id: 't', type: 'start', position: { x: 0, y: 0 }, data: {} },
    { id: 'd', type: 'delay', position: { x: 0, y: 0 }, data: { delayValue: 60 } },
  ]
  const edges = [{ id: 'e', source: 't', target: 'd' }]
  const { id } = await talk.ask('POST /flow/api/workflows', { with: { nodes, edges } })
  const { flows } = talk.http.desk.service
  const caller = { username: USER, apiKey: talk.http.apikey }
  const run = flows.execute(Number(id), caller)
  const params = { id: String(id) }
  await talk.ask('POST /flow/api/workflows/:id/execute', { params })
  // The row of the waiting run is still being written.
  const newest = async () => (await flows.executions(Number(id), 1).next()).value
  await eventually(async () => (await newest()) !== undefined)
  const row = await newest()
  await talk.ask('POST /flow/api/executions/:id/cancel', { params: { id: String(row?.id) } })
  await run
}

/** Strategies: stored, changed, refused, listed, applied from files and deleted. */
async function strategies(talk: Conversation): Promise<void> {
  const at = '/strategy/api/strategies'
  const made = await talk.ask(`POST ${at}`)
  const id = idOf(made)
  const params = { id, leg: '1' }
  await talk.ask(`POST ${at}`)
  await talk.ask(`POST ${at}`, { with: { legs: [] } })
  await talk.ask(`POST ${at}`, {
    with: {
      name: 'Signals',
      strategy_kind: 'signal',
      legs: [{ symbol: 'SBIN', exchange: 'NSE', qty: 1 }],
      scheduler: { enabled: true, days: ['MON'], start_time: '09:20', auto_stop_time: '15:00' },
      lock_profit: { mode: 'lock', if_profit_reaches: 5000, lock_profit: 2000 },
    },
  })
  await talk.ask(`GET ${at}`)
  await talk.ask(`GET ${at}/:id`, { params })
  await talk.ask(`GET ${at}/:id`)
  await talk.ask(`PATCH ${at}/:id`, { params })
  await talk.ask(`PATCH ${at}/:id`, { params, with: { entry_time: '16:00' } })
  await talk.ask(`GET ${at}/:id/versions`, { params, query: { limit: '1' } })
  for (const version of ['1', '99']) {
    await talk.ask(`GET ${at}/:id/versions/:version`, { params: { id, version } })
    await talk.ask(`POST ${at}/:id/rollback`, { params, with: { version: Number(version) } })
  }
  await talk.ask(`GET ${at}/:id/versions`, { params })
  for (const name of ['webhook/rotate', 'live', 'kill_switch', 'unlock_webhook']) {
    await talk.ask(`POST ${at}/:id/${name}`, { params })
  }
  // Each end is of a run of its own; without one, the answer is a refusal.
  for (const end of ['stop', 'close_all', 'legs/:leg/close']) {
    await talk.ask(`POST ${at}/:id/start`, { params })
    await talk.ask('GET /strategies')
    await talk.ask('GET /strategies/:id', { params })
    await talk.ask(`POST ${at}/:id/${end}`, { params })
    await talk.ask(`POST ${at}/:id/${end}`, { params })
  }
  await talk.ask(`POST ${at}/:id/runs/:run/release`, { params: { id, run: '1' } })
  await talk.ask(`POST ${at}/:id/runs/:run/release`, { params: { id, run: '999' } })
  for (const name of [
    ...['runs', 'orders', 'events', 'webhook_events'],
    ...['orderbook', 'tradebook', 'positions'],
  ]) {
    await talk.ask(`GET ${at}/:id/${name}`, { params })
  }
  await talk.ask('GET /strategies')
  await talk.ask('GET /strategies/:id', { params, query: { run_id: '999' } })
  await talk.ask(`GET ${at}/:id/checkpoints`, { params, query: { run_id: '1' } })
  const own = { with: { strategy_id: Number(id) } }
  for (const end of ['stop', 'close_all', 'close_leg']) {
    await talk.ask('POST /api/v1/strategy/start', own)
    await talk.ask(`POST /api/v1/strategy/${end}`, own)
  }
  await talk.ask('POST /api/v1/strategy/list')
  for (const name of ['status', 'runs', 'orders', 'events']) {
    await talk.ask(`POST /api/v1/strategy/${name}`, own)
  }
  await talk.ask('POST /api/v1/strategy/events', { with: { strategy_id: 999 } })
  const other = { key: 'a', config: { name: 'a' } }
  await talk.ask('POST /strategy/api/plan')
  await talk.ask('POST /strategy/api/plan', { with: { strategies: [other] } })
  await talk.ask('POST /strategy/api/apply', {
    with: {
      strategies: [
        {
          key: 'cash',
          config: {
            name: 'Cash',
            underlying: 'SBIN',
            underlying_exchange: 'NSE',
            strategy_type: 'positional',
            legs: [{ segment: 'cash', position: 'B', lots: 1 }],
          },
        },
      ],
    },
  })
  await talk.ask(`DELETE ${at}/:id`, { params })
  const spare = await talk.ask(`POST ${at}`, { with: { name: 'Spare' } })
  await talk.ask(`DELETE ${at}/:id`, { params: { id: idOf(spare) } })
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the id of the thing that an answer has in `data`. */
const idOf = ({ data }: Readonly<Record<string, unknown>>): string => String(Object(data).id)

/** Calls all operations in one mode, including some that are refused. */
export async function everythingAsked(mode: Mode): Promise<Exchange[]> {
  const talk = await Conversation.open(mode)
  for (const topic of [
    // First: the alerts that the others cause count against the limit of a chat.
    messages,
    orders,
    gtts,
    account,
    simple,
    market,
    queue,
    doubt,
    administration,
    control,
    sandbox,
    telemetry,
    flows,
    strategies,
    alerts,
    record,
    assistants,
    access,
  ]) {
    await topic(talk)
  }
  return talk.exchanges
}

async function orders(talk: Conversation): Promise<void> {
  const resting = { pricetype: 'LIMIT', product: 'CNC', price: '850' }
  const place = 'POST /api/v1/placeorder'
  await talk.ask(place)
  await talk.ask(place, { headers: { 'x-dry-run': '1' } })
  await talk.ask(place, { with: { action: 'HOLD', quantity: 0 } })
  await talk.ask(place, { with: { symbol: 'NOPE' } })
  await talk.ask(place, { with: { apikey: 'x'.repeat(64) } })
  await talk.ask(place, { with: { product: 'CNC', action: 'SELL', quantity: 900 } })
  const { orderid } = await talk.ask(place, { with: resting })
  for (const name of [
    'placesmartorder',
    'placesmartorder',
    'basketorder',
    'splitorder',
    'optionsorder',
    'optionsmultiorder',
  ]) {
    await talk.ask(`POST /api/v1/${name}`)
  }
  await talk.ask('POST /api/v1/basketorder', { headers: { 'x-dry-run': '1' } })
  const unknown = { symbol: 'NOPE', exchange: 'NSE', action: 'SELL', quantity: 1 }
  await talk.ask('POST /api/v1/basketorder', { with: { orders: [unknown] } })
  await talk.ask('POST /api/v1/optionsorder', { with: { quantity: 130, splitsize: 65 } })
  await talk.ask('POST /api/v1/optionsmultiorder', {
    with: {
      legs: [
        { offset: 'ATM', option_type: 'PE', action: 'BUY', quantity: 130, splitsize: 65 },
        { offset: 'OTM50', option_type: 'PE', action: 'BUY', quantity: 65 },
      ],
    },
  })
  await talk.ask('POST /api/v1/modifyorder', { with: { orderid, price: 851 } })
  await talk.ask('POST /api/v1/modifyorder', { with: { orderid: 'none' } })
  await talk.ask('POST /api/v1/orderstatus', { with: { orderid } })
  await talk.ask('POST /api/v1/orderstatus', { with: { orderid: 'none' } })
  await talk.ask('POST /api/v1/refusedorders')
  await talk.ask('POST /api/v1/refusedorders', { with: { limit: 0 } })
  await talk.ask('POST /api/v1/why', { with: { id: orderid } })
  await talk.ask('POST /api/v1/why', { with: { id: 'none' } })
  await talk.ask('POST /api/v1/cancelorder', { with: { orderid } })
  await talk.ask('POST /api/v1/cancelorder', { with: { orderid } })
  await talk.ask(place, { with: resting })
  await talk.ask('POST /api/v1/cancelallorder')
  await talk.ask('POST /api/v1/cancelallorder')
}

async function gtts(talk: Conversation): Promise<void> {
  const { trigger_id } = await talk.ask('POST /api/v1/placegttorder')
  await talk.ask('POST /api/v1/placegttorder', {
    with: {
      trigger_type: 'OCO',
      action: 'SELL',
      triggerprice_sl: 700,
      stoploss: 699,
      triggerprice_tg: 1200,
      target: 1201,
    },
  })
  await talk.ask('POST /api/v1/gttorderbook')
  await talk.ask('POST /api/v1/modifygttorder', { with: { trigger_id } })
  await talk.ask('POST /api/v1/cancelgttorder', { with: { trigger_id } })
  await talk.ask('POST /api/v1/cancelgttorder', { with: { trigger_id } })
}

async function account(talk: Conversation): Promise<void> {
  for (const { method, path, tag } of ALL_OPERATION_LIST) {
    if (tag === 'Account' && path !== '/api/v1/analyzer/toggle') await talk.ask(`${method} ${path}`)
  }
  await talk.ask('POST /api/v1/analyzer/toggle', { with: { mode: talk.mode === 'analyze' } })
  await talk.ask('GET /orders/history', { query: {} })
  await talk.ask('GET /trades/history', { query: {} })
  await talk.ask('GET /orders/history', { query: { since: 'soon' } })
  const rows = await talk.ask('GET /orders/journal', { query: { state: 'filled' } })
  const [row] = Array.isArray(rows.data) ? rows.data : []
  if (row) await talk.ask('POST /api/v1/orderstatus', { with: { orderid: row.order_ref } })
  await talk.ask('POST /api/v1/closeposition')
  await talk.ask('POST /api/v1/closeposition')
}

async function simple(talk: Conversation): Promise<void> {
  const params = { ticker: 'NSE:SBIN' }
  for (const { method, path, tag } of ALL_OPERATION_LIST) {
    if (SIMPLE.includes(tag)) await talk.ask(`${method} ${path}`, { params })
  }
}

async function market(talk: Conversation): Promise<void> {
  const unlisted = { symbol: 'NOPE', exchange: 'NSE' }
  await talk.ask('POST /api/v1/quotes', { with: unlisted })
  await talk.ask('POST /api/v1/multiquotes', {
    with: { symbols: [unlisted, { symbol: 'SBIN', exchange: 'NSE' }] },
  })
  await talk.ask('POST /api/v1/multiquotes', { with: { symbols: [unlisted] } })
  await talk.ask('POST /api/v1/history', { with: { source: 'db' } })
  await talk.ask('POST /api/v1/symbol', { with: unlisted })
  await talk.ask('POST /api/v1/optionchain', { with: { with_greeks: false } })
  await talk.ask('POST /api/v1/optiongreeks', { with: { symbol: 'NOPE' } })
  await talk.ask('POST /api/v1/multioptiongreeks', {
    with: { symbols: [{ symbol: 'NOPE', exchange: 'NFO' }] },
  })
  await talk.ask('POST /api/v1/checkholiday', { with: { date: '2026-02-30' } })
  await talk.ask('GET /api/v1/instruments', { query: { format: 'csv' } })
  await talk.ask('GET /api/v1/ticker/:ticker', { params: { ticker: 'NSE:SBIN' }, query: { format: 'txt' } })
  await talk.ask('POST /api/websocket/subscribe')
  await talk.http.desk.clock.advance(3000)
  for (const name of ['subscriptions', 'market-data', 'health', 'metrics'])
    await talk.ask(`GET /api/websocket/${name}`)
  await talk.ask('GET /api/websocket/market-data', { query: { symbol: '' } })
  await talk.ask('POST /api/websocket/unsubscribe')
}

async function queue(talk: Conversation): Promise<void> {
  await talk.ask('POST /apikey/mode', { with: { mode: 'semi_auto' } })
  const ids: string[] = []
  for (const name of ['placeorder', 'placeorder', 'placeorder', 'basketorder', 'optionsmultiorder']) {
    const { pending_order_id } = await talk.ask(`POST /api/v1/${name}`)
    ids.push(String(pending_order_id))
  }
  const { pending_order_id } = await talk.ask('POST /api/v1/placeorder', { with: { symbol: 'NOPE' } })
  await talk.ask('POST /api/v1/cancelallorder')
  await talk.ask('POST /api/v1/analyzer/toggle')
  await talk.ask('GET /action-center/api/data')
  await talk.ask('GET /action-center/count')
  await talk.ask('POST /action-center/plan')
  const [first = '', second = ''] = ids
  await talk.ask('POST /action-center/approve/:id', { params: { id: first } })
  await talk.ask('POST /action-center/approve/:id', { params: { id: first } })
  await talk.ask('POST /action-center/approve/:id', { params: { id: String(pending_order_id) } })
  await talk.ask('POST /action-center/reject/:id', { params: { id: second } })
  await talk.ask('DELETE /action-center/delete/:id', { params: { id: second } })
  await talk.ask('DELETE /action-center/delete/:id', { params: { id: second } })
  await talk.ask('GET /action-center', { query: { order: first } })
  await talk.ask('POST /action-center/delete/:id', { params: { id: first } })
  await talk.ask('POST /action-center/approve-all/:id', { params: { id: first } })
  await talk.ask('POST /action-center/approve-all')
  await talk.ask('POST /action-center/approve-all')
  await talk.ask('GET /action-center/api/data', { query: { status: 'all' } })
  await talk.ask('POST /apikey/mode')
}

/** An order in doubt, until a person settles it. */
async function doubt(talk: Conversation): Promise<void> {
  if (talk.mode === 'analyze') return
  const faults = talk.http.desk.service.brokers.plugins.faults()
  faults.set([
    { on: ['place'], kind: 'lose_request' },
    { on: ['findByTag', 'orders'], kind: 'fail' },
  ])
  const { order_ref } = await talk.ask('POST /api/v1/placeorder')
  await talk.ask('POST /api/v1/orderbook')
  await talk.ask('GET /orders/journal')
  const ref = { params: { ref: text(order_ref) } }
  // The book cannot be read, so only force settles it.
  await talk.ask('POST /orders/journal/:ref/settle', ref)
  for (let times = 0; times < 2; times++) {
    await talk.ask('POST /orders/journal/:ref/settle', { ...ref, with: { force: true } })
  }
  await talk.ask('GET /orders/journal/:ref', ref)
  await talk.ask('GET /orders/journal/:ref')
  faults.set([{ on: ['place'], kind: 'fail', httpStatus: 418, message: 'A teapot' }])
  await talk.ask('POST /api/v1/placeorder')
  faults.set([])
}

/** Freeze quantities, holidays and trading hours: added, changed, uploaded and deleted. */
async function administration(talk: Conversation): Promise<void> {
  const at = '/admin/api'
  await talk.ask(`GET ${at}/stats`)
  await talk.ask(`GET ${at}/freeze`)
  const added = await talk.ask(`POST ${at}/freeze`, { with: { symbol: 'NEW' } })
  const freeze = { id: String(Object(added.data).id) }
  await talk.ask(`POST ${at}/freeze`)
  await talk.ask(`PUT ${at}/freeze/:id`, { params: freeze })
  await talk.ask(`PUT ${at}/freeze/:id`)
  const csv = { 'content-type': 'text/csv' }
  await talk.ask(`POST ${at}/freeze/upload`, { headers: csv, text: 'SYMBOL,FRZ\nNEW,5\nNIFTY,1800\n' })
  await talk.ask(`POST ${at}/freeze/upload`, { headers: csv, text: 'SYMBOL,FRZ\nNEW,0\n' })
  await talk.ask(`DELETE ${at}/freeze/:id`, { params: freeze })
  await talk.ask(`DELETE ${at}/freeze/:id`)
  await talk.ask(`GET ${at}/holidays`)
  await talk.ask(`GET ${at}/holidays`, { query: { year: '2027' } })
  const made = await talk.ask(`POST ${at}/holidays`)
  await talk.ask(`POST ${at}/holidays`)
  await talk.ask(`PUT ${at}/holidays/years/:year`, { params: { year: '2027' } })
  await talk.ask(`PUT ${at}/holidays/years/:year`, { params: { year: '2027' }, with: { complete: false } })
  await talk.ask(`DELETE ${at}/holidays/:id`, { params: { id: String(Object(made.data).id) } })
  await talk.ask(`DELETE ${at}/holidays/:id`)
  await talk.ask(`GET ${at}/timings`)
  await talk.ask(`PUT ${at}/timings/:exchange`, { params: { exchange: 'NSE' } })
  await talk.ask(`PUT ${at}/timings/:exchange`)
  await talk.ask(`POST ${at}/timings/check`)
  await talk.ask(`POST ${at}/timings/check`, { with: { date: '2027-03-22' } })
}

async function control(talk: Conversation): Promise<void> {
  await talk.ask('GET /settings/analyze-mode')
  await talk.ask('POST /settings/analyze-mode/:mode', {
    params: { mode: talk.mode === 'analyze' ? '1' : '0' },
  })
  await talk.ask('POST /settings/analyze-mode/:mode', { params: { mode: '2' } })
  const address = { ip_address: '203.0.113.7' }
  talk.http.desk.service.security.addMissingPath('203.0.113.7', '/nothing')
  for (const path of ['/security/api/data', '/security', '/logs/security']) await talk.ask(`GET ${path}`)
  await talk.ask('GET /security/stats')
  await talk.ask('POST /security/clear-404', { with: address })
  await talk.ask('POST /security/ban', { with: address })
  await talk.ask('POST /security/unban', { with: address })
  await talk.ask('POST /security/ban-host', { with: { host: '203.0.113.7' } })
  await talk.ask('POST /security/settings', { with: { auto_ban_enabled: false } })
  await talk.ask('GET /risk')
  await talk.ask('PUT /risk', { with: { max_order_value: 100 } })
  await talk.ask('POST /api/v1/placeorder')
  await talk.ask('PUT /risk')
  await talk.ask('POST /risk/kill-switch', { with: { on: true } })
  await talk.ask('POST /api/v1/placeorder')
  await talk.ask('POST /risk/kill-switch')
  for (const path of ['list', 'status', 'algos', 'simulated/faults']) await talk.ask(`GET /broker/${path}`)
  await talk.ask('PUT /broker/algos')
  await talk.ask('PUT /broker/algos', { with: { strategy: 'none', algo_id: null } })
  await talk.ask('GET /broker/check')
  await talk.ask('PUT /broker/simulated/faults')
  for (const path of ['use', 'login', 'sync']) await talk.ask(`POST /broker/${path}`)
  await talk.ask('GET /broker/use', { query: { broker: 'zerodha' } })
  await talk.ask('POST /broker/use', { with: { broker: 'none' } })
  await brokerSignIn(talk)
}

/** A sign-in at the page of a broker that nobody opens. */
async function brokerSignIn(talk: Conversation): Promise<void> {
  await talk.ask('POST /broker/login/begin')
  await talk.ask('POST /broker/use', { with: { broker: 'zerodha' } })
  const { data } = await talk.ask('POST /broker/login/begin')
  const { address, id } = Object(data)
  await talk.ask('GET /broker/login/:id', { params: { id: text(id) } })
  await talk.ask('GET /broker/login/:id', { params: { id: 'none' } })
  const params = { broker: 'zerodha' }
  await talk.ask('GET /:broker/callback', { params })
  const state = new URLSearchParams(new URL(text(address)).searchParams.get('redirect_params') ?? '').get(
    'state',
  )
  await talk.ask('GET /:broker/callback', { params, query: { state: text(state), status: 'cancelled' } })
  await talk.ask('POST /:broker/postback', { params })
  await talk.ask('POST /broker/use', { with: { broker: 'simulated' } })
}

async function sandbox(talk: Conversation): Promise<void> {
  await talk.ask('GET /sandbox/mypnl/export/:kind', { params: { kind: 'trades' } })
  await talk.ask('GET /sandbox/mypnl/export/:kind', { params: { kind: 'daily' } })
  await logs(talk)
  for (const { method, path, tag } of ALL_OPERATION_LIST) {
    if (tag === 'Sandbox' && !path.includes(':')) await talk.ask(`${method} ${path}`)
  }
  await talk.ask('POST /sandbox/update', { with: { config_value: 'none' } })
}

async function secondFactor(talk: Conversation): Promise<void> {
  await talk.ask('POST /auth/2fa/configure')
  await talk.ask('POST /auth/2fa/rotate')
  const { totp_secret } = await talk.ask('POST /auth/2fa/rotate', { with: { password: PASSWORD } })
  const secret = text(totp_secret)
  const codeIn = (seconds: number) =>
    generateSync({ secret, epoch: Math.floor(talk.http.desk.clock.now() / 1000) + seconds })
  await talk.ask('POST /auth/2fa/rotate/confirm')
  await talk.ask('POST /auth/2fa/rotate/confirm', { with: { totp_code: codeIn(-30) } })
  await talk.ask('GET /auth/profile-data')
  await talk.ask('POST /auth/2fa/configure', { with: { totp_code: codeIn(0) } })
  await talk.ask('GET /auth/2fa/status')
  await talk.ask('POST /auth/login/totp')
  const { login_token } = await talk.ask('POST /auth/login', { with: { username: USER, password: PASSWORD } })
  await talk.ask('POST /auth/login/totp', { with: { totp_code: 'wrong', login_token } })
  await talk.ask('POST /auth/login/totp', { with: { totp_code: codeIn(30), login_token } })
}

async function logs(talk: Conversation): Promise<void> {
  for (const { method, path, tag } of ALL_OPERATION_LIST) {
    if (tag === 'Logs') await talk.ask(`${method} ${path}`)
  }
  const log = talk.mode === 'analyze' ? 'analyzer' : 'orders'
  await talk.ask('GET /logs/entries', { query: { log, after: '0' } })
  await talk.ask('GET /logs', { query: { start_date: 'soon' } })
}

/** The rows are those of the requests before. A desk has no server, so it has no traffic of its own. */
async function health(talk: Conversation): Promise<void> {
  await talk.http.daemon.health.sample()
  const params = { id: '1' }
  for (const name of ['current', 'history', 'stats', 'alerts']) await talk.ask(`GET /health/api/${name}`)
  await talk.ask('POST /health/api/alerts/:id/acknowledge', { params })
  await talk.ask('POST /health/api/alerts/:id/resolve', { params })
}

async function telemetry(talk: Conversation): Promise<void> {
  await health(talk)
  await talk.ask('POST /api/v1/placeorder')
  for (const { method, path } of ALL_OPERATION_LIST) {
    const isOurs = /^(?:\/logs)?\/(?:traffic|latency)(?:\/|$)/.test(path)
    if (isOurs && !path.includes(':')) await talk.ask(`${method} ${path}`)
  }
  for (const broker of ['simulated', 'sandbox', 'none']) {
    await talk.ask('GET /latency/api/broker/:broker/stats', { params: { broker } })
  }
}

async function access(talk: Conversation): Promise<void> {
  await talk.askSetup()
  await talk.ask('POST /setup')
  for (const path of ['/setup', '/login', '/auth/login', '/auth/login/totp']) await talk.ask(`GET ${path}`)
  await talk.ask('GET /auth/check-setup')
  await talk.ask('POST /auth/login')
  await talk.ask('POST /auth/login', { with: { username: USER, password: PASSWORD } })
  await talk.ask('GET /auth/session-status')
  for (const path of ['session-status', 'csrf-token', 'whoami', 'active-sessions'])
    await talk.ask(`GET /auth/${path}`)
  await talk.ask('POST /auth/ws-ticket')
  await talk.ask('GET /auth/reauthenticate')
  await talk.ask('POST /auth/reauthenticate')
  await talk.ask('POST /auth/reauthenticate', { with: { password: PASSWORD } })
  const { data } = await talk.ask('POST /auth/tokens')
  await talk.ask('GET /auth/tokens')
  const params = { id: String(Object(data).id) }
  await talk.ask('DELETE /auth/tokens/:id', { params })
  await talk.ask('DELETE /auth/tokens/:id', { params: { id: '999' } })
  await talk.ask('GET /security/api/active-sessions')
  const { sessions, current_session_id: own } = await talk.ask('GET /auth/active-sessions')
  const other = Array.isArray(sessions) && sessions.find(({ session_id: id }) => id !== own)
  await talk.ask('DELETE /auth/active-sessions/:id', { params: { id: text(other?.session_id) } })
  await talk.ask('GET /security/api/login-activity', { query: { status: 'failed', limit: '2' } })
  await talk.ask('GET /security/api/login-activity', { query: { limit: '501' } })
  await talk.ask('POST /security/api/login-activity/clear')
  await talk.ask('GET /apikey')
  await talk.ask('POST /apikey')
  await mailServer(talk)
  await passwords(talk)
  await secondFactor(talk)
  await talk.ask('POST /broker/logout')
  await talk.ask('POST /auth/logout')
  await talk.ask('GET /auth/whoami')
}

/** The password is changed by both routes, and reset by a code; each ends the session of the next request. */
async function passwords(talk: Conversation): Promise<void> {
  const { clock, service } = talk.http.desk
  const other = 'Another horse 5!'
  for (const [name, old_password, new_password] of [
    ['change-password', PASSWORD, other],
    ['change', other, PASSWORD],
  ] as const) {
    await talk.signIn(old_password)
    await talk.ask(`POST /auth/${name}`, { with: { old_password: 'wrong', new_password } })
    const fields = { current_password: undefined, old_password, new_password, confirm_password: new_password }
    await talk.ask(`POST /auth/${name}`, { with: fields })
  }
  await talk.signIn(PASSWORD)
  const reset = 'POST /auth/reset-password'
  for (const step of ['email', 'select_totp', 'select_email', 'other'])
    await talk.ask(reset, { with: { step } })
  await clock.advance(60_000)
  const { secret } = await service.identity.secondFactor.enrolment(USER)
  const totp_code = generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
  await talk.ask(reset, { with: { step: 'totp', totp_code: 'wrong' } })
  const { token } = await talk.ask(reset, { with: { step: 'totp', totp_code } })
  await talk.ask('GET /auth/reset-password')
  await talk.ask('GET /auth/reset-password-email/:token', { params: { token: text(token) } })
  await talk.ask('GET /reset-password')
  await talk.ask(reset, { with: { step: 'password', token, password: PASSWORD } })
  await talk.signIn(PASSWORD)
  // A code works once, so the next one is of a later step.
  await clock.advance(60_000)
}

/** The audit trail of all that was asked before, and a backup of it. */
async function record(talk: Conversation): Promise<void> {
  await talk.ask('POST /backups')
  await talk.ask('GET /backups')
  await talk.ask('GET /audit/entries', { query: { limit: '1000' } })
  await talk.ask('GET /audit/entries', { query: { limit: '0' } })
  await talk.ask('GET /audit/export')
  await talk.ask('GET /audit/verify')
}

/** The bot of a fake Telegram and the account of a fake WhatsApp, their contacts and their queue. */
async function messages(talk: Conversation): Promise<void> {
  const bot = '/api/v1/telegram'
  await talk.ask('GET /api/v1/chart')
  await talk.ask('POST /api/v1/chart')
  await talk.ask('POST /api/v1/whatsapp/notify')
  await talk.ask('PUT /messages/channels/whatsapp', {
    with: {
      token: WHATSAPP_TOKEN,
      phone_number_id: PHONE_ID,
      app_secret: 'c'.repeat(32),
      verify_token: 'verify-me',
    },
  })
  const to = { params: { channel: 'whatsapp' } }
  await talk.ask('PUT /messages/contacts/:channel', to)
  await talk.ask('PUT /messages/preferences/:channel', to)
  for (const wait of [true, false]) {
    await talk.ask('POST /api/v1/whatsapp/notify', { with: { wait_for_delivery: wait } })
    await talk.ask(`POST ${bot}/notify`, { with: { wait_for_delivery: wait } })
  }
  for (const path of ['config', 'users', 'stats']) await talk.ask(`GET ${bot}/${path}`)
  const chat = { telegram_id: '4711' }
  await talk.ask(`GET ${bot}/preferences`, { query: chat })
  await talk.ask(`GET ${bot}/preferences`, { query: { telegram_id: '1' } })
  await talk.ask(`POST ${bot}/preferences`, { with: chat })
  await talk.ask(`POST ${bot}/broadcast`)
  for (const act of ['start', 'stop', 'stop', 'start']) await talk.ask(`POST ${bot}/${act}`)
  for (const act of ['stop', 'start', 'start']) await talk.ask(`POST /messages/channels/telegram/${act}`)
  await talk.ask(`POST ${bot}/config`, { with: { rate_limit_per_minute: 0 } })
  await talk.ask(`POST ${bot}/config`)
  await talk.ask('PUT /messages/channels/telegram')
  await talk.ask('POST /messages/test')
  await talk.ask('POST /messages/test', { with: { channel: 'email' } })
  await talk.ask('POST /messages/link')
  await talk.ask('GET /messages/status')
  await talk.ask('GET /messages/queue', { query: { state: 'sent' } })
  await talk.ask('POST /messages/queue/retry', { with: { id: undefined } })
  await talk.ask('POST /messages/queue/retry', { with: { id: 99 } })
  await talk.ask('DELETE /messages/contacts/:channel', to)
  await webhooksOfChats(talk)
}

/** The webhook of strategies, and the messages of alerts that place orders. */
async function alerts(talk: Conversation): Promise<void> {
  const made = await talk.ask('POST /strategy/api/strategies', { with: { name: 'Hooked' } })
  const params = { token: text(made.webhook_token) }
  for (const action of ['stop', 'stop', 'start', 'hold']) {
    await talk.ask('POST /strategy/webhook/:token', { params, with: { action } })
  }
  await talk.ask('POST /strategy/webhook/:token', { params, with: { mode: 'live' } })
  await talk.ask('POST /strategy/webhook/:token/:sender', {
    params: { ...params, sender: 'tradingview' },
    with: { action: 'stop' },
  })
  await talk.ask('POST /strategy/webhook/:token')
  await talk.ask('POST /strategy/webhook/:token/:sender')
  await talk.ask('POST /strategy/webhook/:token/:sender', {
    params: { token: 'unknown', sender: 'chartink' },
  })
  await talk.ask('POST /tradingview')
  await talk.ask('POST /tradingview', { with: { mode: 'line', action: 'BUY', quantity: 5 } })
  await talk.ask('POST /tradingview', { with: { symbol: 'NOTHING' } })
  await talk.ask('POST /gocharting')
  await talk.ask('POST /gocharting', { with: { product: undefined } })
}

/** Each with its own credential, and without. */
async function webhooksOfChats(talk: Conversation): Promise<void> {
  const [telegram, whatsapp] = ['POST /api/v1/telegram/webhook', 'POST /whatsapp/webhook']
  await talk.ask(telegram)
  await talk.ask(telegram, {
    headers: { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET },
    text: '{"update_id":1}',
  })
  await talk.ask('GET /whatsapp/webhook')
  await talk.ask('GET /whatsapp/webhook', {
    query: { 'hub.mode': 'subscribe', 'hub.verify_token': 'verify-me', 'hub.challenge': '1158201444' },
  })
  await talk.ask(whatsapp)
  const news = '{"object":"whatsapp_business_account","entry":[]}'
  const signature = createHmac('sha256', 'c'.repeat(32)).update(news).digest('hex')
  await talk.ask(whatsapp, { headers: { 'x-hub-signature-256': `sha256=${signature}` }, text: news })
}

/** The mail server of the settings accepts a mail. */
async function mailServer(talk: Conversation): Promise<void> {
  await talk.ask('POST /auth/test-smtp')
  const { port } = await startMailServer()
  const server = { smtp_server: '127.0.0.1', smtp_port: port }
  const account = { smtp_username: MAIL_USER, smtp_password: MAIL_PASSWORD }
  await talk.ask('POST /auth/smtp-config', { with: { ...server, ...account } })
  await talk.ask('GET /auth/smtp-config')
  await talk.ask('POST /auth/test-smtp')
  await talk.ask('POST /auth/debug-smtp')
  await talk.ask('POST /auth/smtp-config', { with: { smtp_port: 0 } })
}
