import type { CommandSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findId, STRATEGY } from './find.js'

export const release: CommandSpec = {
  name: 'release',
  summary: 'Ends a reserved run whose positions you have closed by hand. It sends no order.',
  examples: [
    'strategy release 1 --reason "closed in the app of the broker"',
    'strategy release morning-straddle --run 5 --reason "never held anything" --yes',
  ],
  details:
    'A run is reserved if a start could not restore it, or if it was live in a restored backup.\n' +
    'The service neither watches nor closes its positions. The release is refused while an order of\n' +
    'the run may still trade, and while the account shows a position in its contracts.\n' +
    'With --positions-checked, these positions belong to somebody else.',
  arguments: [STRATEGY],
  options: [
    { flags: '--run <id>', summary: 'the reserved run; otherwise the current one', complete: 'strategyRuns' },
    { flags: '--reason <text>', summary: 'what you found and did; stored with the event' },
    { flags: '--positions-checked', summary: "the account's positions in its contracts are not the run's" },
  ],
  async run(context, input) {
    const reason = input.text('reason')
    if (reason === undefined) {
      throw usageError('The reason is missing.', 'Pass --reason TEXT: what you found and did.')
    }
    const run = input.text('run')
    if (run !== undefined && !/^[1-9]\d*$/.test(run)) throw usageError('--run is the number of a run.')
    const id = await findId(context, input.required(0))
    const released = run ?? (await currentRun(context, id))
    await context.prompts.confirm(`Release run ${released}: it holds nothing any more`)
    const route = 'POST /strategy/api/strategies/:id/runs/:run/release'
    const { body } = await context.change(route, {
      params: { id, run: released },
      body: {
        reason,
        closed_by_hand: true,
        ...(input.flag('positionsChecked') && { positions_checked: true }),
      },
    })
    await context.out.acted(body, body.message)
    return EXIT.done
  },
}

async function currentRun(context: Context, id: string): Promise<string> {
  const { data } = (await context.read('GET /strategy/api/strategies/:id', { params: { id } })).body
  if (data.current_run_id !== null) return String(data.current_run_id)
  throw new CliError(EXIT.refused, `Strategy ${id} has no unfinished run.`, {
    code: 'conflict',
    hint: `See its runs: svc strategy runs ${id}`,
  })
}
