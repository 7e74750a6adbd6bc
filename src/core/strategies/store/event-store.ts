import { and, desc, eq } from 'drizzle-orm'
import { allBut, type Database, insertInto, type Tx } from '../../storage/index.js'
import { strategyEvents } from '../../storage/tables/svc/strategies.js'
import { EVENT_SEVERITY, type EventKind, type Severity } from '../config/vocabulary.js'

export type StrategyEventRow = typeof strategyEvents.$inferSelect

/** An event before it is stored. Without a severity it has the usual one of its kind. */
export interface NewStrategyEvent {
  strategyId: number
  userId: string
  runId?: number | null
  ts: number
  kind: EventKind
  severity?: Severity
  legId?: number | null
  message: string
  payload?: Readonly<Record<string, unknown>> | null | undefined
}

/** An event as it is stored. */
export interface StrategyEvent {
  strategyId: number
  userId: string
  runId: number | null
  ts: number
  kind: EventKind
  severity: Severity
  legId: number | null
  message: string
  payload: Readonly<Record<string, unknown>> | null
}

/** Tells clients of an event. Never blocks and never fails. */
export type PublishEvent = (event: StrategyEvent) => void

/** The events that a list is limited to. */
export interface EventQuery {
  runId?: number | undefined
  kind?: EventKind | undefined
  severity?: Severity | undefined
  limit: number
}

const APPEND = insertInto(strategyEvents, allBut(strategyEvents, 'id'))

/** The SQL of events. Rows are added and read, never changed. */
export class StrategyEventStore {
  constructor(private readonly db: Database) {}

  /** Adds events; concurrent callers share a statement. Resolves when they are durable. */
  append(events: readonly NewStrategyEvent[]): Promise<void> {
    return this.db.batch(eventRows(events))
  }

  /** Adds an event in the transaction of the change it is about. */
  async appendIn(tx: Tx, event: NewStrategyEvent): Promise<void> {
    await tx.insert(strategyEvents).values(eventRow(event))
  }

  async find(id: number): Promise<StrategyEventRow | undefined> {
    const [row] = await this.db.read.select().from(strategyEvents).where(eq(strategyEvents.id, id))
    return row
  }

  /** Returns the newest events of a strategy, newest first. */
  list(strategyId: number, { runId, kind, severity, limit }: EventQuery): Promise<StrategyEventRow[]> {
    return this.db.read
      .select()
      .from(strategyEvents)
      .where(
        and(
          eq(strategyEvents.strategyId, strategyId),
          runId === undefined ? undefined : eq(strategyEvents.runId, runId),
          kind === undefined ? undefined : eq(strategyEvents.kind, kind),
          severity === undefined ? undefined : eq(strategyEvents.severity, severity),
        ),
      )
      .orderBy(desc(strategyEvents.ts), desc(strategyEvents.id))
      .limit(limit)
  }
}

/** Returns an event with every field. */
export function storedEvent({ runId, legId, severity, payload, ...event }: NewStrategyEvent): StrategyEvent {
  return {
    ...event,
    runId: runId ?? null,
    legId: legId ?? null,
    severity: severity ?? EVENT_SEVERITY[event.kind],
    payload: payload ?? null,
  }
}

/** Returns the statement that adds events. */
export function eventRows(events: readonly NewStrategyEvent[]) {
  return APPEND.rows(events.map(eventRow))
}

function eventRow(event: NewStrategyEvent) {
  const stored = storedEvent(event)
  return { ...stored, payload: stored.payload && JSON.stringify(stored.payload) }
}
