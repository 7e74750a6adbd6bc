import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '../../errors/index.js'
import { type FlowGraph, type FlowNode, isBlank } from '../graph/graph.js'
import type { Body } from '../ports.js'
import type { RunTrigger } from '../schema.js'
import { readOrderUpdate, type WatchSettings } from './order-update/watch-settings.js'
import { type AlertSettings, readPriceAlert } from './price/alert-settings.js'
import { type MarketHours, readMarketHours } from './price/market-hours.js'
import { choice, type Parsed } from './reading.js'
import type { Schedule } from './schedule/schedule.js'
import { isManual, pastText, readSchedule } from './schedule/schedule-settings.js'

export const TRIGGER_TYPES = ['start', 'webhookTrigger', 'priceAlert', 'orderUpdateTrigger'] as const
export type TriggerType = (typeof TRIGGER_TYPES)[number]

/** The choices for a run whose due time passed while the service was down or busy. */
export const MISSED_RUNS = ['skip', 'run_once'] as const
export type MissedRuns = (typeof MISSED_RUNS)[number]

export interface ScheduleSettings {
  /** Undefined if it runs only manually. */
  schedule: Schedule | undefined
  missedRuns: MissedRuns
  /** Undefined if it may run at any hour. */
  marketHours: MarketHours | undefined
}

/** The trigger of a workflow, from its first trigger node. */
export type Trigger =
  | ({ kind: 'schedule' } & ScheduleSettings)
  | { kind: 'webhook' }
  | { kind: 'priceAlert'; alert: AlertSettings }
  | { kind: 'orderUpdate'; watch: WatchSettings }

const READERS: Readonly<Record<TriggerType, (data: Readonly<Body>) => Parsed<Trigger>>> = {
  start: readStart,
  webhookTrigger: () => ({ value: { kind: 'webhook' } }),
  priceAlert: (data) => mapped(readPriceAlert(data), (alert) => ({ kind: 'priceAlert', alert })),
  orderUpdateTrigger: (data) => mapped(readOrderUpdate(data), (watch) => ({ kind: 'orderUpdate', watch })),
}

/** Fields of a trigger node. A change of one of them registers the trigger again. */
const TRIGGER_FIELDS = [
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

/** Returns the trigger node of a workflow: the first one in the order of its nodes. */
export function triggerNodeOf(graph: Pick<FlowGraph, 'nodes'>): FlowNode | undefined {
  return graph.nodes.find(({ type }) => isTriggerType(type))
}

/**
 * Returns the trigger settings of a workflow; undefined if it has no trigger.
 *
 * @throws ServiceError `validation` with the message for the response to an activation
 */
export function triggerOf(graph: Pick<FlowGraph, 'nodes'>): Trigger | undefined {
  const node = triggerNodeOf(graph)
  if (!node || !isTriggerType(node.type)) return undefined
  const { value, problems } = READERS[node.type](node.data)
  if (value) return value
  throw new ServiceError('validation', problems?.[0]?.message ?? 'Invalid trigger configuration')
}

const RUN_TRIGGERS = {
  webhookTrigger: 'webhook',
  priceAlert: 'price_alert',
  orderUpdateTrigger: 'order_update',
} as const satisfies Readonly<Record<Exclude<TriggerType, 'start'>, RunTrigger>>

/** Returns the trigger of a workflow as its runs name it; null without one. A draft may have wrong settings. */
export function runTriggerOf(graph: Pick<FlowGraph, 'nodes'>): RunTrigger | null {
  const node = triggerNodeOf(graph)
  if (!node || !isTriggerType(node.type)) return null
  return node.type === 'start' ? (isManual(node.data) ? 'manual' : 'schedule') : RUN_TRIGGERS[node.type]
}

/** Refuses a trigger that can never fire again. @throws ServiceError `validation` */
export function assertArmable(trigger: Trigger, now: number): void {
  if (trigger.kind !== 'schedule' || trigger.schedule === undefined) return
  const text = pastText(trigger.schedule, now)
  if (text !== undefined) throw new ServiceError('validation', text)
}

/** Returns whether two graphs have the same trigger, so that it need not be registered again. */
export function sameTrigger(a: Pick<FlowGraph, 'nodes'>, b: Pick<FlowGraph, 'nodes'>): boolean {
  return isDeepStrictEqual(triggerValues(a), triggerValues(b))
}

function triggerValues(graph: Pick<FlowGraph, 'nodes'>): unknown[] {
  const node = triggerNodeOf(graph)
  if (!node) return []
  return [node.type, ...TRIGGER_FIELDS.map((key) => (isBlank(node.data[key]) ? undefined : node.data[key]))]
}

function readStart(data: Readonly<Body>): Parsed<Trigger> {
  const missedRuns = choice('missedRuns', data.missedRuns, MISSED_RUNS)
  if (missedRuns.problems) return missedRuns
  const marketHours = readMarketHours(data)
  if (marketHours.problems) return marketHours
  return mapped(readSchedule(data), (schedule) => ({
    kind: 'schedule',
    schedule,
    missedRuns: missedRuns.value,
    marketHours: marketHours.value,
  }))
}

function mapped<T, U>(read: Parsed<T>, into: (value: T) => U): Parsed<U> {
  return read.problems ? { problems: read.problems } : { value: into(read.value) }
}
