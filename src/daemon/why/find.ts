import type { AuditRow } from '../../core/audit/schema.js'
import { ServiceError } from '../../core/errors/index.js'
import type { AskedRow } from '../../core/telemetry/index.js'
import type { RunningService } from '../daemon.js'
import type { ApprovalRow } from './approvals.js'
import { type EventRow, type ExecutionRow, orNothing, type RunRow, type SignalRow } from './automatic.js'
import { type Orders, ordersCalled } from './behind.js'

/** The kinds of things that have an id, in the order in which an id is looked for. */
export const SUBJECT_KINDS = [
  'order',
  'request',
  'key',
  'approval',
  'signal',
  'run',
  'execution',
  'event',
] as const
export type SubjectKind = (typeof SUBJECT_KINDS)[number]

/** What an id names. */
export type Subject =
  | ({ kind: 'order' } & Orders)
  | {
      kind: 'request' | 'key'
      asked: readonly AskedRow[]
      acts: readonly AuditRow[]
      refs: readonly string[]
    }
  | { kind: 'approval'; approval: ApprovalRow }
  | { kind: 'signal'; signal: SignalRow }
  | { kind: 'run'; run: RunRow }
  | { kind: 'execution'; execution: ExecutionRow }
  | { kind: 'event'; event: EventRow }

/** An id as its caller gave it, and whose things it may name. */
interface Sought {
  id: string
  userId: string
}

type Find = (service: RunningService, sought: Sought) => Promise<Subject | undefined>

/** The number in a text; undefined for any other text. */
function numberIn(id: string): number | undefined {
  const digits = /^#?(\d{1,15})$/.exec(id)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Returns a look-up by the number of a row. */
function numbered(
  find: (service: RunningService, row: number, userId: string) => Promise<Subject | undefined>,
): Find {
  return async (service, { id, userId }) => {
    const row = numberIn(id)
    return row === undefined ? undefined : find(service, row, userId)
  }
}

const FINDS: Readonly<Record<SubjectKind, Find>> = {
  order: async (service, sought) => {
    const { journalled, simulated } = await ordersCalled(service, sought)
    return journalled.length + simulated.length === 0 ? undefined : { kind: 'order', journalled, simulated }
  },
  request: async ({ audit, requests }, { id, userId }) => {
    const rows = await requests.ofRequest(id)
    const asked = rows.filter((row) => row.userId === null || row.userId === userId)
    const acts = (await audit.ofRequest(id)).filter(({ actor }) => actor === userId)
    const isKnown = asked.length + acts.length > 0
    return isKnown ? { kind: 'request', asked, acts, refs: refsOf(asked) } : undefined
  },
  key: async ({ audit, orderTrace, requests }, { id, userId }) => {
    const ids = [...new Set((await requests.ofKey(userId, id)).map(({ requestId }) => requestId))]
    // All that was recorded of them: the rows of single orders have no key.
    const rows = (await Promise.all(ids.map((requestId) => requests.ofRequest(requestId)))).flat()
    const asked = rows.filter((row) => row.userId === userId)
    const ref = await orderTrace.refOfKey(userId, id)
    const refs = [...new Set([...refsOf(asked), ...(ref === undefined ? [] : [ref])])]
    if (asked.length + refs.length === 0) return undefined
    const acts = (await Promise.all(ids.map((requestId) => audit.ofRequest(requestId)))).flat()
    return { kind: 'key', asked, acts, refs }
  },
  approval: numbered(async ({ approvals }, row, userId) => {
    const approval = await approvals.record(userId, row)
    return approval && { kind: 'approval', approval }
  }),
  signal: numbered(async (service, row, userId) => {
    const signal = await service.strategyWebhookEvents.find(row)
    return signal && (await isOwn(service, userId, signal.strategyId))
      ? { kind: 'signal', signal }
      : undefined
  }),
  run: numbered(async (service, row, userId) => {
    const run = await service.strategyHistory.run(row)
    return run && (await isOwn(service, userId, run.strategyId)) ? { kind: 'run', run } : undefined
  }),
  execution: numbered(async ({ flows }, row) => {
    const execution = await orNothing(flows.execution(row))
    return execution && { kind: 'execution', execution }
  }),
  event: numbered(async ({ strategyEvents }, row, userId) => {
    const event = await strategyEvents.find(row)
    return event?.userId === userId ? { kind: 'event', event } : undefined
  }),
}

/**
 * Returns everything that an id names, the likeliest first. `approval:12` names one kind.
 * @throws ServiceError `not_found` that says what was looked for
 */
export async function findSubjects(
  service: RunningService,
  userId: string,
  id: string,
): Promise<[Subject, ...Subject[]]> {
  const named = SUBJECT_KINDS.find((kind) => id.startsWith(`${kind}:`))
  const rest = named === undefined ? id : id.slice(named.length + 1)
  const kinds = named === undefined ? SUBJECT_KINDS : [named]
  const found = await Promise.all([
    ...kinds.map((kind) => FINDS[kind](service, { id: rest, userId })),
    // A key of the user's own may look like it.
    ...(named === undefined ? [] : [FINDS.key(service, { id, userId })]),
  ])
  const [first, ...others] = found.filter((subject) => subject !== undefined)
  if (first === undefined) throw new ServiceError('not_found', missingText(rest, kinds))
  return [first, ...others]
}

/** What an id of each kind is, for people. */
const NAMES: Readonly<Record<SubjectKind, string>> = {
  order: 'an order (its reference, or its id or trigger id at the broker or in the simulated account)',
  request: 'a request (X-Request-ID)',
  key: 'a client_order_id or Idempotency-Key',
  approval: 'an approval',
  signal: 'a webhook call of a strategy',
  run: 'a run of a strategy',
  execution: 'a run of a workflow',
  event: 'an event of a strategy',
}

function missingText(id: string, kinds: readonly SubjectKind[]): string {
  const sought = kinds.filter((kind) => TEXTUAL.has(kind) || numberIn(id) !== undefined || kinds.length === 1)
  return `Nothing is known of "${id}". It was looked for as ${sought.map((kind) => NAMES[kind]).join('; ')}. A request that only read leaves no trace.`
}

const TEXTUAL: ReadonlySet<SubjectKind> = new Set(['order', 'request', 'key'])

function refsOf(asked: readonly AskedRow[]): string[] {
  return asked.flatMap(({ subject }) => (subject === null ? [] : [subject]))
}

async function isOwn({ strategyCatalog }: RunningService, userId: string, strategyId: number | null) {
  return strategyId !== null && (await orNothing(strategyCatalog.get(userId, strategyId))) !== undefined
}
