import type { ClientEvent, RouteAnswer, SvcClient } from '../../client/index.js'
import type { BrokerSession } from '../../views/system/broker-session.js'
import { Feed, type FeedDaemon, type Source } from './feed.js'

type Service = RouteAnswer<'GET /status'>['data']
type User = RouteAnswer<'GET /auth/whoami'>['data']

/** The facts of the header. */
export interface Status {
  user: Pick<User, 'username' | 'kind' | 'scopes' | 'expires_at'>
  analyze_mode: boolean
  order_mode: Service['order_mode']
  broker: string
  /** The state of the session at the broker, when it ends, and what to do about it. */
  session: Pick<BrokerSession, 'state' | 'until' | 'reason' | 'next_step'>
  killSwitch: boolean
  pendingApprovals: number
  inDoubt: number
  /** The age of the last tick in seconds when it was read; null if there was none, or it may not be read. */
  feedAgeS: number | null
  /** True when the feed is silent for a good reason: no symbol is subscribed, or the market is closed. */
  isFeedQuiet: boolean
  /** The price feed in words; undefined if it may not be read. */
  feed: FeedState | undefined
}

/** What the daemon says of its price feed. */
export interface FeedState {
  /** A sentence: `Prices are flowing`. */
  reason: string
  /** The number of symbols that are subscribed. */
  symbols: number
  /** The number of times that the feed was lost. */
  losses: number
}

const CHANGES: ReadonlySet<string> = new Set([
  ...['kill_switch', 'broker_session', 'active_sessions_update', 'master_contract_download'],
  ...['pending_order_created', 'pending_order_updated', 'order_in_doubt'],
])

const SOURCE: Source<Status | undefined> = {
  read: readStatus,
  isChangedBy: changesStatus,
  pauseMs: 5000,
  gatherMs: 250,
}

/** Returns whether the facts of the header may differ after an event. */
export function changesStatus({ event }: Pick<ClientEvent, 'event'>): boolean {
  return CHANGES.has(event)
}

async function readStatus(client: SvcClient): Promise<Status> {
  const [{ data: service }, { data: user }, feed] = await Promise.all([
    client.request('GET /status', {}),
    client.request('GET /auth/whoami', {}),
    readFeed(client),
  ])
  const { username, kind, scopes, expires_at } = user
  return {
    user: { username, kind, scopes, expires_at },
    analyze_mode: service.analyze_mode,
    order_mode: service.order_mode,
    broker: service.broker,
    session: service.broker_session,
    killSwitch: service.kill_switch,
    pendingApprovals: service.pending_approvals,
    inDoubt: service.in_doubt,
    ...feed,
  }
}

/** A token without the right to read the market shows no age of the feed. */
async function readFeed(client: SvcClient): Promise<Pick<Status, 'feedAgeS' | 'isFeedQuiet' | 'feed'>> {
  try {
    const health = await client.request('GET /api/websocket/health', {})
    const { last_data_age_seconds: feedAgeS, healthy, data_flow_healthy: isLive } = health
    const { message: reason, cache_size: symbols, stale_data_events: losses } = health
    return { feedAgeS, isFeedQuiet: healthy && !isLive, feed: { reason, symbols, losses } }
  } catch {
    return { feedAgeS: null, isFeedQuiet: false, feed: undefined }
  }
}

/** The facts of the header, live; undefined before the first read. */
export class StatusFeed extends Feed<Status | undefined> {
  constructor(daemon: FeedDaemon) {
    super(daemon, SOURCE, undefined)
  }
}
