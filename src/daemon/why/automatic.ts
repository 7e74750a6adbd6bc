import { ServiceError } from '../../core/errors/index.js'
import type { executionView } from '../../core/flows/index.js'
import type { RunningService } from '../daemon.js'
import type { Timeline } from './timeline.js'

export type SignalRow = NonNullable<Awaited<ReturnType<RunningService['strategyWebhookEvents']['find']>>>
export type RunRow = NonNullable<Awaited<ReturnType<RunningService['strategyHistory']['run']>>>
export type ExecutionRow = Awaited<ReturnType<RunningService['flows']['execution']>>
export type EventRow = NonNullable<Awaited<ReturnType<RunningService['strategyEvents']['find']>>>

/** Returns whether a call of a webhook was accepted. */
export function stateOfSignal({ result }: SignalRow): string {
  return result === 'ok' ? 'accepted' : 'refused'
}

/** Returns the state of a strategy's run now. */
export function stateOfRun({ reservedAt, stoppedAt }: RunRow): string {
  if (stoppedAt !== null) return 'stopped'
  return reservedAt === null ? 'running' : 'reserved'
}

/** Adds a call of a strategy's webhook, accepted or refused. */
export function addSignal(timeline: Timeline, row: SignalRow): void {
  if (!timeline.isNew('signal', row.id)) return
  const asked = [row.action, row.mode].filter((word) => word !== null).join(' ')
  timeline.add(
    {
      at: row.receivedAt,
      kind: 'signal',
      id: String(row.id),
      what: `Webhook call from ${row.ip}${asked === '' ? '' : `: ${asked}`}`,
    },
    {
      rule: row.result === 'ok' ? null : row.result,
      state: stateOfSignal(row),
      words: row.error,
    },
  )
}

/** Adds the start and the end of a strategy's run, and the call that started it. */
export async function addRun(
  service: Pick<RunningService, 'strategyWebhookEvents'>,
  timeline: Timeline,
  row: RunRow,
): Promise<void> {
  if (!timeline.isNew('run', row.id)) return
  if (row.webhookEventId !== null) {
    const signal = await service.strategyWebhookEvents.find(row.webhookEventId)
    if (signal) addSignal(timeline, signal)
  }
  const head = { kind: 'run' as const, id: String(row.id) }
  const mode = row.mode === 'live' ? ('live' as const) : ('analyze' as const)
  timeline.add(
    {
      ...head,
      at: row.startedAt,
      what: `Strategy ${row.strategyId} began run ${row.id}, started by ${row.triggerSource}`,
    },
    { mode, state: 'running' },
  )
  if (row.reservedAt !== null) {
    const what = `Run ${row.id} waits for a person`
    timeline.add(
      { ...head, at: row.reservedAt, what },
      { mode, state: 'reserved', words: row.reservedReason },
    )
  }
  if (row.stoppedAt === null) return
  const what = `Run ${row.id} ended`
  timeline.add({ ...head, at: row.stoppedAt, what }, { mode, rule: row.stopReason, state: 'stopped' })
}

/** Adds an event of a strategy. Its severity is no state of anything. */
export function addEvent(timeline: Timeline, row: EventRow): void {
  if (!timeline.isNew('event', row.id)) return
  const what = `${row.kind}${row.legId === null ? '' : ` of leg ${row.legId}`}`
  timeline.add(
    { at: row.ts, kind: 'run', id: String(row.id), what },
    { rule: row.severity === 'info' ? null : row.severity, words: row.message },
  )
}

/** Adds a run of a workflow, with the lines of its log. */
export function addExecution(
  timeline: Timeline,
  row: ExecutionRow,
  { logs }: Pick<ReturnType<typeof executionView>, 'logs'>,
): void {
  if (!timeline.isNew('execution', row.id)) return
  const head = { kind: 'workflow' as const, id: String(row.id) }
  const what = `Workflow ${row.workflowId} began run ${row.id}, version ${row.version}, started by ${row.trigger}`
  timeline.add({ ...head, at: row.startedAt, what }, { state: 'running' })
  for (const { level, message, node, time } of logs) {
    const at = Date.parse(time)
    const rule = level === 'info' ? null : level
    timeline.add({ ...head, at, what: node === undefined ? 'Run' : `Node ${node}` }, { rule, words: message })
  }
  if (row.completedAt === null) return
  timeline.add(
    { ...head, at: row.completedAt, what: `Run ${row.id} ended` },
    { state: row.status, words: row.error },
  )
}

/** Returns what a look-up finds; undefined if there is nothing. */
export async function orNothing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined
    throw error
  }
}
