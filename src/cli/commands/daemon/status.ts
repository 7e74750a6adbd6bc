import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import { isAtHome } from '../../contexts/target.js'
import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { probe } from '../../http/probe.js'
import { readDaemonFile } from '../../io/home.js'
import { daemonWithLock } from '../../io/home-lock.js'
import { isDaemonProcess } from '../../io/processes.js'

const FIELDS = [
  { key: 'context' },
  { key: 'state', kind: 'status' },
  { key: 'fault' },
  { key: 'pid' },
  { key: 'url' },
  { key: 'ws_url', title: 'WEBSOCKET' },
  { key: 'version' },
  { key: 'mode', kind: 'status' },
  { key: 'order_mode', title: 'ORDER MODE', kind: 'status' },
  { key: 'broker' },
  { key: 'session', kind: 'status' },
  { key: 'pending_approvals', title: 'WAITING', kind: 'quantity' },
  { key: 'in_doubt', title: 'IN DOUBT', kind: 'quantity' },
  { key: 'kill_switch', title: 'KILL SWITCH' },
] as const satisfies readonly Column[]

type ServiceStatus = RouteAnswer<'GET /status'>['data']

/** The codes of failures after which the address may well have a daemon. */
const SILENT: ReadonlySet<string> = new Set(['timeout', 'broken_answer'])
/** The codes of failures that show no stopped daemon: something else answers, or nobody can know who would. */
const NOT_STOPPED =
  /^(another_daemon|forbidden|redirect|no_tls|tls_|unknown_host|connect_timeout|unreachable)/

/** The result of a probe, and what the daemon reports about itself to a signed-in user. */
type Described = Omit<
  Partial<ServiceStatus>,
  'state' | 'pid' | 'url' | 'ws_url' | 'version' | 'mode' | 'broker'
> & {
  state: string
  pid: number | null
  url: string
  ws_url: string | null
  version: string | null
  mode: string | null
  broker: string | null
  /** The name of the context; none for the local home. */
  context?: string
  /** Why the daemon is not ready although it runs. */
  fault?: string
}

export const status: NounSpec = {
  summary:
    'Shows whether the daemon runs, its address and its mode. Exit 7 when no daemon runs, 1 when it does not answer, cannot store anything or has no session for live orders.',
  examples: ['status', 'status --json', 'status --url http://127.0.0.1:5000'],
  details: 'Works without a session; with one it also shows mode, broker and waiting approvals.',
  async run(context) {
    const { record, failure } = await describe(context)
    // Only a session that needs an act is worth a line.
    const { state: session } = record.broker_session ?? {}
    const isLost = session !== undefined && session !== 'signed_in'
    const shown = context.settings.format || !isLost ? record : { ...record, session }
    await context.out.record({ record: shown, fields: FIELDS, id: 'url' })
    if (record.state === 'stopped' || record.state === 'not_reached') {
      context.out.note(failureText(failure))
      return failure?.exit ?? EXIT.noDaemon
    }
    if (record.state === 'starting' && failure) {
      context.out.note(
        `The daemon (pid ${record.pid}) is starting, and takes no requests yet. Stop it: svc down`,
      )
      return EXIT.failed
    }
    if (record.state === 'no_answer') {
      context.out.note(
        record.pid === null
          ? failureText(failure)
          : `The daemon (pid ${record.pid}) runs, but does not answer at ${context.target.url}. Wait longer: --timeout 60s. Kill it: svc down --force`,
      )
      return EXIT.failed
    }
    if (record.fault !== undefined) {
      context.out.note(`Nothing can be stored: ${record.fault}. See the cause: svc doctor`)
      return EXIT.failed
    }
    if (record.state === 'not_ready') {
      context.out.note(noSession(record))
      return EXIT.failed
    }
    noteSessionEnd(context, record.broker_session)
    if (record.backup) noteBackup(context, record.backup)
    if (record.broker_available === false) context.out.note(noBroker(record.broker))
    // Known for months: svc doctor tells it, too.
    for (const { warning, year } of context.settings.verbose ? (record.calendar_gaps ?? []) : []) {
      context.out.note(`${warning} See svc admin holiday list --year ${year}`)
    }
    return EXIT.done
  },
}

/** Returns why there is no answer, and the next step. */
function failureText(failure: CliError | undefined): string {
  return [failure?.message, failure?.hint].filter((text) => text !== undefined).join(' ')
}

function noteBackup(context: Context, { failure, overdue }: ServiceStatus['backup']): void {
  if (failure) context.out.note(`The last backup failed: ${failure.message} Try again: svc backup`)
  else if (overdue) context.out.note('A scheduled backup is missing. Make one: svc backup')
}

/** Returns why live orders are refused, and what to do. */
function noSession({ broker_session: session }: Described): string {
  const reason = session?.reason ?? 'Nobody is signed in at the broker.'
  const next = session?.state === 'ip_not_allowed' ? 'Next' : 'Sign in'
  return `Live orders are refused. ${reason} ${next}: ${session?.next_step ?? 'svc broker login'}`
}

/** Tells the end of a session that is near, while the person is there to sign in again. */
function noteSessionEnd(context: Context, session: Described['broker_session']): void {
  if (session?.state !== 'expires_soon') return
  context.out.note(`The session at ${session.broker} ends soon. ${session.reason} Next: ${session.next_step}`)
}

function noBroker(broker: string | null): string {
  return `There is no plugin for ${broker ?? 'the broker'}: live orders are refused. Choose another: svc broker use <broker-id>`
}

async function describe(context: Context): Promise<{ record: Described; failure: CliError | undefined }> {
  const { target, settings } = context
  const file = readDaemonFile(settings.home)
  const own = target.source === 'home' && file !== undefined ? file : undefined
  const { accepts, live, ready, unready, version, failure } = await probe(context)
  // The file is written when the daemon is ready, so a running daemon that does not answer is not starting
  // up.
  const runs = !live && own !== undefined && isDaemonProcess(own.pid)
  const starting = live || runs || !isAtHome(target) ? undefined : daemonWithLock(settings.home)
  const isSilent = runs || (failure !== undefined && SILENT.has(failure.code))
  const isElsewhere = failure !== undefined && NOT_STOPPED.test(failure.code)
  const base = {
    ...(target.context !== undefined && { context: target.context.name }),
    state: ready
      ? 'ready'
      : live
        ? (unready?.state ?? 'starting')
        : starting !== undefined
          ? 'starting'
          : isSilent
            ? 'no_answer'
            : isElsewhere
              ? 'not_reached'
              : 'stopped',
    ...(unready?.fault !== undefined && { fault: unready.fault }),
    pid: (live || runs) && own ? own.pid : (starting ?? null),
    url: target.url,
    ws_url: live ? (own?.wsUrl ?? null) : null,
    version: version ?? null,
    mode: null,
    broker: null,
  }
  if (!accepts || !context.hasSession) return { record: base, failure }
  return { record: { ...base, ...(await moreForUsers(context)), state: base.state }, failure }
}

/** Returns the fields that `/status` adds for a session; none for an ended session. */
async function moreForUsers(context: Context): Promise<Partial<ServiceStatus>> {
  try {
    return (await context.read('GET /status')).body.data
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.denied) throw thrown
    context.out.note('The session has ended, so mode and broker are not shown. Sign in: svc login')
    return {}
  }
}
