import type { RouteAnswer } from '../../../client/endpoints.js'
import { feedText } from '../../../views/system/feed.js'
import { cellText, rupees } from '../../../views/table/cells.js'
import type { Context } from '../../framework/context.js'
import { unlistedSaid } from '../../http/unlisted.js'
import type { Found } from '../daemon/checks.js'
import { type Finding, fail, ok, warn } from '../daemon/checks.js'
import { limitFinding } from './live-limits.js'

type Answer<N extends Parameters<Context['read']>[0]> =
  RouteAnswer<N> extends { data: infer Data } ? Data : never

/** The answers of the daemon that the checks before a first day in Live mode read. */
export interface LiveFacts {
  brokers: Answer<'GET /broker/list'>
  broker: Answer<'GET /broker/status'>
  check: Answer<'GET /broker/check'>
  risk: Answer<'GET /risk'>
  messages: Answer<'GET /messages/status'>
  caller: Answer<'GET /auth/whoami'>
  now: number
}

/** Reads all facts. Only the broker is asked for something: nothing reaches the exchange. */
export async function readFacts(context: Context, symbol: string, exchange: string): Promise<LiveFacts> {
  const [brokers, broker, check, risk, messages, caller] = await Promise.all([
    context.read('GET /broker/list'),
    context.read('GET /broker/status'),
    context.read('GET /broker/check', { query: { symbol, exchange } }),
    context.read('GET /risk'),
    context.read('GET /messages/status'),
    context.read('GET /auth/whoami'),
  ])
  return {
    brokers: brokers.body.data,
    broker: broker.body.data,
    check: check.body.data,
    risk: risk.body.data,
    messages: messages.body.data,
    caller: caller.body.data,
    now: context.io.now(),
  }
}

const PLAN = 'subscribe the app to the data plan at the broker, then svc broker login'
const STATUS = 'svc broker status'
const DAY_MS = 86_400_000
const CLOCK_MS = 2000

/** The checks, in this order: what is chosen and signed in first, the limits last. */
const LIVE_CHECKS: readonly { check: string; find(facts: LiveFacts): Finding }[] = [
  { check: 'broker', find: brokerChosen },
  { check: 'session', find: session },
  { check: 'address', find: address },
  { check: 'funds', find: funds },
  { check: 'quotes', find: quotes },
  { check: 'feed', find: feed },
  { check: 'instruments', find: instruments },
  { check: 'clock', find: clock },
  { check: 'kill switch', find: killSwitch },
  { check: 'messages', find: messages },
  { check: 'max_order_value', find: (facts) => limitFinding(facts, 'max_order_value') },
  { check: 'max_day_loss', find: (facts) => limitFinding(facts, 'max_day_loss') },
  { check: 'price_band_percent', find: (facts) => limitFinding(facts, 'price_band_percent') },
]

export function findingsOf(facts: LiveFacts): Found[] {
  return LIVE_CHECKS.map(({ check, find }) => ({ check, ...find(facts) }))
}

function brokerChosen({ broker: { available, broker }, brokers }: LiveFacts): Finding {
  const use = 'svc analyze on, then svc broker use <id>; svc broker list shows the ids'
  if (!available) return fail(`no plugin for ${broker}`, use)
  const chosen = brokers.find(({ id }) => id === broker)
  const isMarket = chosen !== undefined && chosen.credential_fields.length > 0
  return isMarket ? ok(chosen.name) : fail(`${broker} needs no sign-in: its orders reach no market`, use)
}

function session({ broker: { broker, reason, session: now }, now: time }: LiveFacts): Finding {
  const next = now.next_step ?? 'svc broker login'
  const style = { human: true, utc: false, zone: true, now: time }
  const until = now.until ? `until ${cellText(now.until, 'time', style)}` : 'without an end'
  switch (now.state) {
    case 'signed_in':
    case 'ip_not_allowed':
      return ok(`signed in, ${until}`)
    case 'expires_soon':
      return warn(`signed in, ${until}: it ends soon`, next)
    case 'signed_out':
      return fail(`not signed in at ${broker}${reason ? `: ${reason}` : ''}`, next)
    case 'expired':
    case 'refused':
      return fail(`the session has ended: ${now.reason}`, next)
  }
}

function address({ broker: { connected, session: now } }: LiveFacts): Finding {
  if (now.state === 'ip_not_allowed') {
    return fail(`orders from this address are refused: ${now.reason}`, now.next_step ?? STATUS)
  }
  if (!connected) return fail('not known without a session', 'svc broker login')
  return ok('not refused; the broker tells with the first order whether it is registered')
}

function funds({ check: { funds: now, quote } }: LiveFacts): Finding {
  if (now.available_cash === null) return fail(now.error ?? 'no answer', STATUS)
  const cash = `${rupees(now.available_cash)} available`
  const isEnough = quote.ltp === null || now.available_cash >= quote.ltp
  return isEnough
    ? ok(cash)
    : warn(`${cash}, less than one share of ${quote.symbol}`, 'add funds at the broker')
}

function quotes({ check: { quote } }: LiveFacts): Finding {
  const { error, exchange, ltp, symbol } = quote
  const unlisted = error === null ? undefined : unlistedSaid(error)
  if (unlisted) return fail(unlisted.message, `svc search ${symbol}, then svc live check SYMBOL`)
  return ltp === null ? fail(error ?? 'no answer', PLAN) : ok(`${symbol} on ${exchange}: ${rupees(ltp)}`)
}

function feed({ broker: { connected, feed: state }, check }: LiveFacts): Finding {
  if (!connected) return fail('not connected', 'svc broker login')
  if (!check.feed.streams) return warn('the broker streams no prices', STATUS)
  if (check.feed.refused) return fail('the broker refuses the stream of prices', PLAN)
  if (state.state === 'lost' || state.state === 'disconnected') return fail(feedText(state), STATUS)
  const { silent_ms: silent } = check.feed
  if (silent !== null && silent > FEED_SILENCE_MS) return fail('connected, but silent', STATUS)
  return ok(feedText(state))
}

/** A broker with a heartbeat sends one about every second. */
const FEED_SILENCE_MS = 5000

function instruments({ broker: { broker, instruments: list }, now }: LiveFacts): Finding {
  const sync = 'svc broker sync'
  if (list.broker !== broker) return fail(`those of ${list.broker ?? 'no broker'} are loaded`, sync)
  if (list.count === 0) return fail('none are loaded', sync)
  const loaded = `${list.count.toLocaleString('en-IN')} from ${broker}`
  if (list.last_error) return warn(`${loaded}; the last load failed: ${list.last_error}`, sync)
  const age = list.loaded_at === null ? 0 : now - Date.parse(list.loaded_at)
  return age > DAY_MS ? warn(`${loaded}, more than a day old`, sync) : ok(loaded)
}

function clock({ check: { clock_ahead_ms: ahead } }: LiveFacts): Finding {
  if (ahead === null) return ok('the broker tells no time')
  const off = Math.abs(ahead)
  if (off <= CLOCK_MS) return ok('agrees with that of the broker')
  const detail = `${(off / 1000).toFixed(1)} s ${ahead < 0 ? 'behind' : 'ahead of'} the broker`
  return fail(detail, 'set the clock (NTP)')
}

function killSwitch({ caller: { scopes }, risk: { kill_switch: now } }: LiveFacts): Finding {
  if (now.on) return fail(`on: ${now.reason}`, 'svc risk resume')
  if (!scopes.includes('admin')) return fail('this credential may not turn it on', 'svc login')
  return ok('off, and within reach: svc risk kill stops new orders')
}

function messages({ messages: { channels } }: LiveFacts): Finding {
  const reached = channels.filter(({ address: to, ready }) => ready && to !== null)
  if (reached.length > 0) return ok(reached.map(({ channel }) => channel).join(', '))
  return warn('none reach you', 'svc message channel, then svc message link')
}
