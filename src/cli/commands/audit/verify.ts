import type { RouteAnswer } from '../../../client/endpoints.js'
import type { CommandSpec, Input } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'

type Result = RouteAnswer<'GET /audit/verify'>['data']

/** A trail of ten million rows takes about five minutes. */
const TIMEOUT_MS = 10 * 60_000

export const verify: CommandSpec = {
  name: 'verify',
  summary: 'Checks the seal of every act, and names the first that was changed, moved, added or removed.',
  details:
    'Exit status 0: the trail is whole. 1: it is not. Note the head that a check prints on another machine: with --head, a later check proves that the trail was not replaced by an older one. With --file no daemon is asked; the keys are those of the home.',
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
  if (file === undefined) {
    return (await context.readFor(TIMEOUT_MS, 'GET /audit/verify', { query: { head } })).body.data
  }
  const { verifyOffline } = await import('../../../daemon/audit/offline/index.js')
  return verifyOffline({ home: context.settings.home, env: context.io.env, file, head })
}
