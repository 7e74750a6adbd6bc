import { Approvals } from '../../../../src/core/approvals/index.js'
import { ServiceError } from '../../../../src/core/errors/index.js'
import type { Logger } from '../../../../src/core/logging/index.js'
import type { SymbolRef } from '../../../../src/core/market/schema.js'
import {
  type OptionResolver,
  type OrderEvent,
  OrderJournal,
  type OrderPath,
  OrderUpdates,
  openOrderPath,
} from '../../../../src/core/orders/index.js'
import { RiskGate } from '../../../../src/core/risk/index.js'
import { Sandbox } from '../../../../src/core/sandbox/index.js'
import { type Database, isStorageBusy } from '../../../../src/core/storage/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { sandboxExecution } from '../../../../src/daemon/service/ports.js'
import { almanac, findInstrument, type ScriptedMarket } from '../../sandbox/harness.js'
import type { PaperExchange } from './exchange.js'
import { databaseIn, Life } from './life.js'

export const USER = 'asha'
export const FUTURE = { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO' } as const
export const CALL = { symbol: 'NIFTY30MAR2624500CE', exchange: 'NFO' } as const
export const SHARE = { symbol: 'SBIN', exchange: 'NSE' } as const
/** The largest order of a contract that the exchange takes. */
const LARGEST = 150

const CALENDAR = almanac()

/** What a user, an administrator and the broker can change at any moment. */
export interface Settings {
  mode: 'live' | 'analyze'
  orderMode: 'auto' | 'semi_auto'
  /** The live orders of assistants wait for approval. */
  proposes: boolean
  isSignedIn: boolean
  /** The instruments of the active broker are loaded. */
  isReady: boolean
  brokerId: string
  accountId: string
}

/** All that survives a crash. */
export interface World {
  svc: Database
  sandboxDb: Database
  exchange: PaperExchange
  market: ScriptedMarket
  settings: Settings
  /** The time of day, as the last life left it. */
  now: number
  /** What happened, in its order. */
  record: (what: string, facts: object) => void
}

/** Lets everything run that waits neither for a clock nor for a life to end. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    do await new Promise<void>((resolve) => setImmediate(resolve))
    while (isStorageBusy())
  }
}

/** One life of the service: the real order path, queue, gate and sandbox over what is durable. */
export interface Stage {
  life: Life
  clock: VirtualClock
  stopping: AbortController
  path: OrderPath
  approvals: Approvals
  risk: RiskGate
  sandbox: Sandbox
  updates: OrderUpdates
  /** Called at each turn at the broker, before the last check of an order. */
  onTurn: () => void
}

const options: OptionResolver = {
  resolve: async ({ offset }) => {
    if (offset === 'OTM50') throw new ServiceError('not_found', 'No such strike')
    return { ...(offset === 'ATM' ? CALL : FUTURE), underlyingLtp: 24_510 }
  },
}

/** Starts the service on what is durable, as far as its recovery. */
export async function startStage(world: World): Promise<Stage> {
  const { exchange, market, settings } = world
  const life = new Life()
  const clock = new VirtualClock(world.now, idle)
  const stopping = new AbortController()
  const record = (what: string, facts: object) => {
    if (!life.isOver) world.record(what, facts)
  }
  const log: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (event, fields = {}) => record('warning', { event, ...fields }),
    error: (event, fields = {}) => record('error', { event, ...fields }),
  }
  const svc = databaseIn(life, world.svc)
  const journal = new OrderJournal(svc, clock)
  const lastPrice = (ref: SymbolRef) => market.fresh(ref)?.ltp
  const quote = async (ref: SymbolRef) => (await market.quote(ref))?.ltp
  const sandbox = await Sandbox.open({
    db: databaseIn(life, world.sandboxDb),
    clock,
    instruments: {
      find: findInstrument,
      freezeQuantity: (of) => (of.exchange === 'NFO' ? LARGEST : undefined),
    },
    calendar: CALENDAR,
    market,
    stopped: () => risk.stopped(),
    publish: (event) => record('sandbox event', event),
    onOrders: (ids) => path.strategyOrders.changes.note(ids),
    log,
  })
  const risk: RiskGate = await RiskGate.open(svc, {
    log,
    clock,
    lastPrice,
    quote,
    dayPnl: async () => undefined,
    ordersToday: async () => 0,
  })
  const approvals = await Approvals.open({
    database: svc,
    clock,
    settings: { expirySeconds: 0, maxDriftPercent: 0 },
    events: { publishPaced: (topic, payload) => record('queue event', { topic, payload }) },
    log,
    lastPrice,
    orderMode: () => settings.orderMode,
    hasApiKey: () => true,
    tradingMode: () => settings.mode,
    assistantsPropose: () => settings.proposes,
    stopping: stopping.signal,
  })
  const client = exchange.clientIn(life, (call, details) => record('broker', { call, ...details }))
  const signedIn = () => {
    if (!settings.isSignedIn) throw new ServiceError('forbidden', 'Nobody is signed in at the broker.')
    return client
  }
  const path = openOrderPath({
    db: svc,
    clock,
    journal,
    risk,
    broker: {
      get brokerId() {
        return settings.brokerId
      },
      get accountId() {
        return settings.isSignedIn ? settings.accountId : undefined
      },
      client: signedIn,
      manifest: () => exchange.manifest(),
      orderSlot: async () => stage.onTurn(),
      requireReady: () => {
        signedIn()
        if (!settings.isReady) throw new ServiceError('unavailable', 'No instruments are loaded')
      },
    },
    sandbox: sandboxExecution(sandbox),
    gtts: sandbox.gtt,
    options,
    queue: approvals,
    settleApproval: (id, result) => approvals.settle(id, result),
    sessionOf: () => undefined,
    splitPauseMs: 100,
    stopping: stopping.signal,
    ports: {
      mode: () => settings.mode,
      publish: (event: OrderEvent) => record('event', event),
      publishFault: ({ operation, userId }, error) => record('fault', { operation, userId, error }),
      queuePrice: lastPrice,
      quote,
      priceBand: () => undefined,
      instrument: ({ symbol, exchange: of }) => {
        const found = findInstrument(symbol, of)
        return found && { ...found, freezeQuantity: undefined }
      },
      unlisted: ({ symbol, exchange: of }) =>
        findInstrument(symbol, of) ? undefined : Promise.resolve(`Symbol '${symbol}' not found`),
      largestOrder: ({ exchange: of }) => (of === 'NFO' ? LARGEST : undefined),
      timed: (order) => record('timed', order),
      refused: () => undefined,
      log,
    },
  })
  journal.onMoved((refs) => path.strategyOrders.changes.note(refs))
  approvals.onRejected((ids) => path.strategyOrders.noteRejected(ids))
  const updates = new OrderUpdates(
    journal,
    log,
    (ref) => path.reconciler.settled(ref),
    { noteOrder: () => Promise.resolve('its') },
    () => undefined,
    () => undefined,
  )
  const stage: Stage = {
    life,
    clock,
    stopping,
    path,
    approvals,
    risk,
    sandbox,
    updates,
    onTurn: () => undefined,
  }
  return stage
}

/** Recovers what the last life left, before anything else is accepted. */
export async function recoverOn({ approvals, path, sandbox }: Stage, { settings }: World): Promise<void> {
  await path.reconciler.recover()
  await approvals.start(path.executor)
  if (settings.mode === 'analyze') await sandbox.start()
  path.strategyOrders.guardEntries({ ready: async () => undefined, refusalOf: () => undefined })
}
