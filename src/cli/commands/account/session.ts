import { ATTEMPT_COLUMNS } from '../../../views/security/login-attempt.js'
import {
  described,
  type ListedSession,
  listedSessions,
  SESSION_COLUMNS,
} from '../../../views/security/session.js'
import { visible } from '../../../views/table/cells.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { called, declared, either } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { parseInstant } from '../../output/text/instant.js'
import { SINCE } from '../history.js'

/** Returns the user's sessions, each with a short id: long enough to differ from every other. */
export async function readSessions(context: Context): Promise<ListedSession[]> {
  return listedSessions((await context.read('GET /auth/active-sessions')).body)
}

const LIST_COLUMNS = [
  { key: 'session_id', title: 'ID', wide: true },
  { key: 'current' },
  ...SESSION_COLUMNS,
] as const satisfies readonly Column[]

/** Without a person to read it, the whole id is always there. */
const DOCUMENT_COLUMNS = [{ key: 'session_id', title: 'ID' } as const, ...LIST_COLUMNS.slice(1)]

const list = declared({
  name: 'list',
  summary: 'Lists the devices that are signed in, newest first.',
  details:
    'A table on a terminal shows the beginning of each id; -o wide and all other formats have the whole id.',
  examples: ['session list', 'session list -o wide', 'session list -q'],
  columns: DOCUMENT_COLUMNS,
  calls: 'GET /auth/active-sessions',
  list(answer, { context }) {
    const { isHuman } = context.out
    const short = { key: 'short', title: 'SESSION', human: true } as const
    return {
      rows: listedSessions(answer).map(({ short, ...row }) => (isHuman ? { ...row, short } : row)),
      id: 'session_id',
      empty: 'No sessions.',
      columns: isHuman ? [short, ...LIST_COLUMNS] : DOCUMENT_COLUMNS,
    }
  },
})

const revoke: CommandSpec = {
  name: 'revoke',
  summary: 'Signs a device out at once, or all devices but this one.',
  examples: ['session revoke 4f2a91bc', 'session revoke 4f2a91bc --yes', 'session revoke --others'],
  arguments: [
    {
      syntax: '[session-id]',
      summary: 'id from svc session list, or its beginning',
      complete: 'sessions',
    },
  ],
  options: [{ flags: '--others', summary: 'all sessions but the one of this command' }],
  async run(context, input) {
    const id = input.argument(0)
    if (input.flag('others')) {
      if (id !== undefined) throw usageError('Pass a session or --others, not both.')
      return revokeOthers(context)
    }
    if (id === undefined)
      throw usageError('The session is missing.', 'See: svc session list; or pass --others.')
    const session = named(await readSessions(context), id)
    await context.prompts.confirm(`Sign out ${described(session)}`)
    const body = await end(context, session)
    await context.out.acted(body, `Session ${session.short} is signed out.`)
    return EXIT.done
  },
}

async function revokeOthers(context: Context): Promise<ExitStatus> {
  const sessions = await readSessions(context)
  const others = sessions.filter(({ current }) => !current)
  if (others.length === sessions.length && sessions.length > 0) {
    throw usageError(
      'A personal access token has no session, so all sessions are others.',
      'Name one session.',
    )
  }
  if (others.length === 0) {
    context.out.note('No other device is signed in.')
    return EXIT.done
  }
  await context.prompts.confirm(`Sign out ${others.map(described).join(', ')}`)
  for (const session of others) {
    await end(context, session)
    context.out.note(`Session ${session.short} is signed out.`)
  }
  return EXIT.done
}

async function end(context: Context, { session_id: id }: ListedSession) {
  return (await context.change('DELETE /auth/active-sessions/:id', { params: { id } })).body
}

/** Returns the one session whose id begins with a text. @throws CliError when there is none, or several */
function named(sessions: readonly ListedSession[], start: string): ListedSession {
  const [session, ...others] = sessions.filter(({ session_id: id }) => id.startsWith(start.toLowerCase()))
  const hint = 'See: svc session list'
  if (!session) throw new CliError(EXIT.notFound, `There is no session ${visible(start)}.`, { hint })
  if (others.length === 0) return session
  throw usageError(`${visible(start)} is the beginning of ${others.length + 1} session ids.`, hint)
}

export const session: NounSpec = {
  examples: ['session list', 'session revoke 4f2a91bc', 'session revoke --others'],
  verbs: [list, revoke],
}

const attempts = called({
  calls: 'GET /security/api/login-activity',
  request(input, { io }) {
    const from = input.text('since')
    const since = from && new Date(parseInstant(from, '--since', io.now(), false)).toISOString()
    return { query: { status: input.text('status'), limit: input.number('limit'), since } }
  },
  list: ({ attempts }) => ({
    rows: attempts,
    id: 'timestamp',
    empty: 'No sign-in attempts.',
    columns: ATTEMPT_COLUMNS,
  }),
})

const clear = called({
  calls: 'POST /security/api/login-activity/clear',
  request(input) {
    const given = [input.text('status'), input.number('limit'), input.text('since')]
    if (given.some((value) => value !== undefined)) throw usageError('--clear deletes all attempts.')
    return {}
  },
  asks: () => 'Delete the record of all sign-in attempts',
  acted: () => 'The record of sign-in attempts is deleted.',
})

export const loginActivity: NounSpec = {
  summary: 'Lists the sign-in attempts, newest first.',
  examples: ['login-activity', 'login-activity --status failed --since 3d', 'login-activity --clear'],
  options: [
    { flags: '--status <status>', summary: 'only these', choices: ['success', 'failed'] },
    SINCE,
    { flags: '--limit <n>', summary: 'maximum number of rows, up to 500 (default: 100)' },
    {
      flags: '--clear',
      summary: 'delete the record. The service then also forgets the addresses that you signed in from',
    },
  ],
  columns: ATTEMPT_COLUMNS,
  run: either((input) => input.flag('clear'), clear, attempts),
}
