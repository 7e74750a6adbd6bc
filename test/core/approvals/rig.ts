import { onTestFinished } from 'vitest'
import {
  type ApprovalExecutor,
  type ApprovalResult,
  Approvals,
  type ApprovalsOptions,
  type ApprovedRequest,
  type LegTerms,
  type QueuedOrder,
} from '../../../src/core/approvals/index.js'
import type { Refusal } from '../../../src/core/errors/index.js'
import type { Topic } from '../../../src/core/events/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { Database, type Tx } from '../../../src/core/storage/index.js'
import * as tables from '../../../src/core/storage/tables/svc/approvals.js'
import type { VirtualClock } from '../../../src/core/time/index.js'
import { deskClock } from '../../support/desk/desk-clock.js'
import { tempFile } from '../../support/files/temp.js'
import { createTables } from '../../support/schema.js'

export const ORDER = {
  strategy: 'Trend',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  quantity: 10,
  pricetype: 'LIMIT',
  product: 'MIS',
  price: 812.5,
  trigger_price: 0,
  disclosed_quantity: 0,
  underlying_ltp: null,
}

/** What {@link ORDER} asks of the broker. */
export const LEG: LegTerms = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  pricetype: 'LIMIT',
  product: 'MIS',
  price: 812.5,
  triggerPrice: 0,
}

export const placed = (...orderIds: string[]): ApprovalResult => ({
  outcome: 'placed',
  orders: orderIds.map((orderId) => ({ orderId })),
})

/** An executor whose journal is a table of the same file, so that claims and journal rows can be compared. */
export class LedgerExecutor implements ApprovalExecutor {
  readonly executed: number[] = []
  readonly resumed: string[] = []
  supported = new Set(['placeorder', 'smartorder', 'basketorder', 'splitorder', 'placegttorder'])
  answer: (order: QueuedOrder) => ApprovalResult | Promise<ApprovalResult> = (order) => placed(`B${order.id}`)
  found: ApprovalResult = { outcome: 'unknown', message: 'not in the book' }
  missing: string | undefined
  refuse: (order: QueuedOrder) => Refusal | undefined = () => undefined
  mode: 'live' | 'analyze' = 'live'
  /** Runs work while no other order trades on its positions. */
  alone: ApprovedRequest['alone'] = (work) => work()
  /** What a request would send now. */
  legs: (order: QueuedOrder) => readonly LegTerms[] = () => [LEG]
  journal: (tx: Tx, order: QueuedOrder) => Promise<void> = async (tx, order) => {
    await tx.exec('insert into journal values (?, ?)', [`R${order.id}`, order.id])
  }

  supports(operation: string): boolean {
    return this.supported.has(operation)
  }
  destination() {
    return { mode: this.mode, broker: 'simulated' }
  }
  open(order: QueuedOrder): ApprovedRequest {
    return {
      alone: (work) => this.alone(work),
      legs: () => this.legs(order),
      recheck: async () => this.refuse(order),
      begin: async (tx) => {
        await this.journal(tx, order)
        return `R${order.id}`
      },
      send: async () => {
        this.executed.push(order.id)
        const result = await this.answer(order)
        return async () => result
      },
    }
  }
  async withoutSession(): Promise<string | undefined> {
    return this.missing
  }
  async resume(ref: string): Promise<ApprovalResult> {
    this.resumed.push(ref)
    return this.found
  }
}

export interface PublishedEvent {
  topic: Topic
  payload: object
}

export interface Rig {
  approvals: Approvals
  executor: LedgerExecutor
  db: Database
  clock: VirtualClock
  events: PublishedEvent[]
  prices: Map<string, number>
  file: string
  inDoubt: number
  stopping: AbortController
}

export interface RigOptions {
  file?: string
  clock?: VirtualClock
  expirySeconds?: number
  maxDriftPercent?: number
  executor?: LedgerExecutor
  orderMode?: ApprovalsOptions['orderMode']
  hasApiKey?: ApprovalsOptions['hasApiKey']
  mode?: 'live' | 'analyze'
  lastPrices?: NonNullable<ApprovalsOptions['lastPrices']>
  assistantsPropose?: boolean
  events?: ApprovalsOptions['events']
}

/** A queue on a real file, with its executor. A file given again is opened as a restart would. */
export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const file = options.file ?? tempFile('svc.db')
  const clock = options.clock ?? deskClock('2026-03-10T09:30:00+05:30')
  const db = await Database.open({ file, schema: undefined })
  onTestFinished(() => db.close())
  if (!options.file) {
    await createTables(db, tables)
    await db.write((tx) => tx.exec('create table journal (ref text, approval_id integer)'))
  }
  const events: PublishedEvent[] = []
  const prices = new Map<string, number>()
  const stopping = new AbortController()
  const approvals = await Approvals.open({
    database: db,
    clock,
    settings: { expirySeconds: options.expirySeconds ?? 0, maxDriftPercent: options.maxDriftPercent ?? 0 },
    events: options.events ?? { publishPaced: (topic, payload) => void events.push({ topic, payload }) },
    log: silentLogger,
    lastPrice: ({ symbol, exchange }) => prices.get(`${exchange}:${symbol}`),
    ...(options.lastPrices && { lastPrices: options.lastPrices }),
    orderMode: options.orderMode ?? (() => 'semi_auto'),
    hasApiKey: options.hasApiKey ?? (() => true),
    tradingMode: () => options.mode ?? 'live',
    assistantsPropose: () => options.assistantsPropose ?? false,
    stopping: stopping.signal,
  })
  const executor = options.executor ?? new LedgerExecutor()
  const { inDoubt } = await approvals.start(executor)
  onTestFinished(() => approvals.close())
  return { approvals, executor, db, clock, events, prices, file, inDoubt, stopping }
}
