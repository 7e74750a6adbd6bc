import { ATTEMPT_COLUMNS } from '../../../views/security/login-attempt.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { parseInstant } from '../../output/text/instant.js'

export const loginActivity: CommandSpec = {
  name: 'login-activity',
  summary: 'Lists the sign-in attempts, newest first.',
  examples: ['login-activity', 'login-activity --status failed --since 3d', 'login-activity --clear'],
  options: [
    { flags: '--status <status>', summary: 'only these', choices: ['success', 'failed'] },
    { flags: '--since <time>', summary: 'from then on: 2h, 3d, today, 2026-11-20 or 2026-11-20T09:15' },
    { flags: '--limit <n>', summary: 'maximum number of rows, up to 500 (default: 100)' },
    {
      flags: '--clear',
      summary: 'delete the record. The service then also forgets the addresses that you signed in from',
    },
  ],
  async run(context, input) {
    const [status, limit, from] = [input.text('status'), input.number('limit'), input.text('since')]
    if (input.flag('clear')) {
      if (status !== undefined || limit !== undefined || from !== undefined)
        throw usageError('--clear deletes all attempts.')
      await context.prompts.confirm('Delete the record of all sign-in attempts')
      const { body } = await context.change('POST /security/api/login-activity/clear', {})
      await context.out.acted(body, 'The record of sign-in attempts is deleted.')
      return EXIT.done
    }
    const since = from && new Date(parseInstant(from, '--since', context.io.now(), false)).toISOString()
    const query = { status, limit, since }
    const { body } = await context.read('GET /security/api/login-activity', { query })
    await context.out.list({
      rows: body.attempts,
      id: 'timestamp',
      empty: 'No sign-in attempts.',
      columns: ATTEMPT_COLUMNS,
    })
    return EXIT.done
  },
}
