import type { Finding } from '../../../core/strategies/files/index.js'
import { visible } from '../../../views/table/cells.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { confirmAct, sessionDestination } from '../../io/confirm.js'
import { readInput } from '../order/request.js'
import { findId, STRATEGY } from './find.js'
import { STRATEGY_COLUMNS } from './show.js'

const FILE = { syntax: '<file>', summary: 'a strategy file (YAML or JSON); - reads stdin' }
const LIST_HINT = { followUp: 'Check the strategies: svc strategy list' }

async function unreadable(findings: readonly Finding[]): Promise<CliError> {
  const { findingText } = await import('../../../core/strategies/files/index.js')
  return new CliError(EXIT.usage, findings.map((finding) => visible(findingText(finding))).join('\n'), {
    lines: true,
  })
}

const fileName = (file: string) => (file === '-' ? 'stdin.yaml' : file)

export const create = declared({
  name: 'create',
  summary: 'Stores a new strategy from a file. Its webhook token is shown only once.',
  examples: ['strategy create straddle.yaml', 'strategy create - < straddle.json'],
  details: 'For files that are kept in git, use svc strategy apply.',
  arguments: [FILE],
  calls: 'POST /strategy/api/strategies',
  async request(input, { io }) {
    const file = input.required(0)
    const { readStrategyFile } = await import('../../../core/strategies/files/index.js')
    const read = readStrategyFile(await readInput(file, io), fileName(file))
    if (!read.ok) throw await unreadable(read.findings)
    return { body: { ...read.value.config } }
  },
  followUp: () => LIST_HINT.followUp,
  record: ({ data, webhook_token }) => ({
    record: { id: data.id, name: data.name, webhook_token },
    fields: [{ key: 'id' }, { key: 'name' }, { key: 'webhook_token', title: 'WEBHOOK TOKEN' }],
    id: 'id',
  }),
  note: ({ message }) => message,
})

export const update = declared({
  name: 'update',
  summary: 'Changes the fields of a strategy that a file names. The strategy must not run.',
  examples: ['strategy update 1 changes.yaml', 'echo "product: MIS" | svc strategy update 1 -'],
  arguments: [STRATEGY, FILE],
  calls: 'PATCH /strategy/api/strategies/:id',
  async request(input, context) {
    const [word, file] = [input.required(0), input.required(1)]
    const { readStrategyPatch } = await import('../../../core/strategies/files/index.js')
    const read = readStrategyPatch(await readInput(file, context.io), fileName(file))
    if (!read.ok) throw await unreadable(read.findings)
    return { params: { id: await findId(context, word) }, body: read.value }
  },
  followUp: ({ request }) => `See the strategy: svc strategy show ${request.params.id}`,
  record: ({ data }) => ({ record: data, fields: STRATEGY_COLUMNS, id: 'id' }),
})

export const remove: CommandSpec = {
  name: 'delete',
  summary: 'Deletes a strategy with its runs, orders and events.',
  examples: ['strategy delete 1', 'strategy delete old-straddle --yes'],
  arguments: [STRATEGY],
  async run(context, input) {
    const word = input.required(0)
    const id = await findId(context, word)
    await confirmAct(context, `Delete strategy ${word} with its runs, orders and events`, async () => {
      const { data } = (await context.read('GET /strategy/api/strategies/:id', { params: { id } })).body
      const destination = await sessionDestination(context)
      return { destination, facts: [data.status], list: { rows: [data], columns: STRATEGY_COLUMNS } }
    })
    const { body } = await context.change(
      'DELETE /strategy/api/strategies/:id',
      { params: { id } },
      LIST_HINT,
    )
    await context.out.acted({ id: Number(id), ...body }, `Strategy ${word} is deleted.`)
    return EXIT.done
  },
}
