import type { RouteAnswer } from '../../../client/endpoints.js'
import { ERROR_CODES, ServiceError } from '../../../core/errors/index.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

/** A row and its seal, as a check prints them. */
const HEAD = /^\d{1,15}:[\w-]{1,60}$/

type Result = RouteAnswer<'GET /audit/verify'>['data']

/** A trail of ten million rows takes about two minutes on an idle machine. */
const TIMEOUT_MS = 10 * 60_000

export const verify: CommandSpec = {
  name: 'verify',
  summary: 'Checks the seal of every act, and names the first that was changed, moved, added or removed.',
  details:
    'Exit status 0: the trail is whole. 1: it is not. 4 or 5: the file does not exist, or has no audit trail. Note the head that a check prints on another machine: with --head, a later check proves that the trail was not replaced by an older one. With --file no daemon is asked; the keys are those of the home.',
  examples: ['audit verify', 'audit verify --json', 'audit verify --file svc.db.copy'],
  options: [
    { flags: '--head <head>', summary: 'the head of an earlier check, which the trail must contain' },
    { flags: '--file <path>', summary: 'check a copy of svc.db instead of the daemon' },
  ],
  async run(context, input) {
    const result = await resultOf(context, input)
    await context.out.record({
      record: result,
      id: 'ok',
      fields: [
        { key: 'ok', title: 'WHOLE' },
        { key: 'checked', kind: 'quantity' },
        { key: 'first', kind: 'quantity' },
        { key: 'last', kind: 'quantity' },
        { key: 'head' },
      ],
    })
    if (result.problem) context.out.note(`The trail is broken. ${result.problem.message}`)
    return result.ok ? EXIT.done : EXIT.failed
  },
}

async function resultOf(context: Context, input: Input): Promise<Result> {
  const [file, head] = [input.text('file'), input.text('head')]
  if (head !== undefined && !HEAD.test(head)) {
    throw usageError('--head must be the head of an earlier check.', 'svc audit verify prints it.')
  }
  if (file === undefined) {
    return (await context.readFor(TIMEOUT_MS, 'GET /audit/verify', { query: { head } })).body.data
  }
  const { verifyOffline } = await import('../../../daemon/audit/offline/index.js')
  return verifyOffline({ home: context.settings.home, env: context.io.env, file, head }).catch(refuseFile)
}

/** A file that cannot be checked must not look like a broken trail. @throws CliError */
function refuseFile(cause: unknown): never {
  if (!(cause instanceof ServiceError)) throw cause
  const { code, message } = cause
  throw new CliError(ERROR_CODES[code].exit, message, { code, cause })
}
