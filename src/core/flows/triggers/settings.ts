import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '../../errors/index.js'
import { type FlowGraph, type FlowNode, isBlank } from '../graph/graph.js'
import type { Body } from '../ports.js'
import { readOrderUpdate, type WatchSettings } from './order-update/watch-settings.js'
import { type AlertSettings, readPriceAlert } from './price/alert-settings.js'
import { type MarketHours, readMarketHours } from './price/market-hours.js'
import { choice, type Read } from './reading.js'
import type { Schedule } from './schedule/schedule.js'
import { pastText, readSchedule } from './schedule/schedule-settings.js'

export const TRIGGER_TYPES = ['start', 'webhookTrigger', 'priceAlert', 'orderUpdateTrigger'] as const
export type TriggerType = (typeof TRIGGER_TYPES)[number]

/** What becomes of a run whose time passed while nothing could run it. */
export const MISSED_RUNS = ['skip', 'run_once'] as const
export type MissedRuns = (typeof MISSED_RUNS)[number]

export interface ScheduleSettings {
  /** Undefined: it runs by hand only. */
  schedule: Schedule | undefined
  missedRuns: MissedRuns
  /** Undefined: it runs at any hour. */
  marketHours: MarketHours | undefined
}

/** How a workflow starts by itself, as its first trigger node says. */
export type Trigger =
  | ({ kind: 'schedule' } & ScheduleSettings)
  | { kind: 'webhook' }
  | { kind: 'priceAlert'; alert: AlertSettings }
  | { kind: 'orderUpdate'; watch: WatchSettings }

const READERS: Readonly<Record<TriggerType, (data: Readonly<Body>) => Read<Trigger>>> = {
  start: readStart,
  webhookTrigger: () => ({ value: { kind: 'webhook' } }),
  priceAlert: (data) => mapped(readPriceAlert(data), (alert) => ({ kind: 'priceAlert', alert })),
  orderUpdateTrigger: (data) => mapped(readOrderUpdate(data), (watch) => ({ kind: 'orderUpdate', watch })),
}

/** Settings whose change arms a workflow anew (contract, flow section 6.1), and our own for missed runs. */
const ARMED_BY = [
  'scheduleType',
  'time',
  'days',
  'executeAt',
  'intervalMinutes',
  'intervalValue',
  'intervalUnit',
  'marketHoursOnly',
  'missedRuns',
  'symbol',
  'exchange',
  'condition',
  'price',
  'priceLower',
  'priceUpper',
  'percentage',
  'trigger',
  'expiration',
  'orderId',
  'status',
] as const

export function isTriggerType(type: string): type is TriggerType {
  return TRIGGER_TYPES.some((one) => one === type)
}

/** The node that starts a workflow: the first trigger in the order of its nodes. */
export function triggerNodeOf(graph: Pick<FlowGraph, 'nodes'>): FlowNode | undefined {
  return graph.nodes.find(({ type }) => isTriggerType(type))
}

/**
 * The settings of the trigger of a workflow; undefined when it has none.
 * @throws ServiceError `validation` with the sentence activation answers
 */
export function triggerOf(graph: Pick<FlowGraph, 'nodes'>): Trigger | undefined {
  const node = triggerNodeOf(graph)
  if (!node || !isTriggerType(node.type)) return undefined
  const { value, problems } = READERS[node.type](node.data)
  if (value) return value
  throw new ServiceError('validation', problems?.[0]?.message ?? 'Invalid trigger configuration')
}

/** Refuses a trigger that would never fire any more. @throws ServiceError `validation` */
export function assertArmable(trigger: Trigger, now: number): void {
  if (trigger.kind !== 'schedule' || trigger.schedule === undefined) return
  const text = pastText(trigger.schedule, now)
  if (text !== undefined) throw new ServiceError('validation', text)
}

/** Whether a workflow may go from one graph to the other without being armed anew. */
export function sameTrigger(a: Pick<FlowGraph, 'nodes'>, b: Pick<FlowGraph, 'nodes'>): boolean {
  return isDeepStrictEqual(armedBy(a), armedBy(b))
}

function armedBy(graph: Pick<FlowGraph, 'nodes'>): unknown[] {
  const node = triggerNodeOf(graph)
  if (!node) return []
  return [node.type, ...ARMED_BY.map((key) => (isBlank(node.data[key]) ? undefined : node.data[key]))]
}

function readStart(data: Readonly<Body>): Read<Trigger> {
  const missedRuns = choice('missedRuns', data.missedRuns, MISSED_RUNS)
  if (missedRuns.problems) return missedRuns
  return mapped(readSchedule(data), (schedule) => ({
    kind: 'schedule',
    schedule,
    missedRuns: missedRuns.value,
    marketHours: readMarketHours(data),
  }))
}

function mapped<T, U>(read: Read<T>, into: (value: T) => U): Read<U> {
  return read.problems ? { problems: read.problems } : { value: into(read.value) }
}
