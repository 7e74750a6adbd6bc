import type { RouteAnswer } from '../../../client/endpoints.js'
import type { CommandSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

/** `svc broker algo`: the registered algorithms of strategies. */
export const algo: CommandSpec = {
  name: 'algo',
  summary: 'Shows or sets the registered algorithm that the live orders of a strategy are sent under.',
  details:
    'STRATEGY=ID maps one, STRATEGY= removes it. An order that names its own algorithm keeps that. The mapping is that of\n' +
    'the active broker; a broker that takes no id of an algorithm gets the orders without it.',
  examples: ['broker algo', 'broker algo momentum=ALGO1', 'broker algo momentum='],
  arguments: [{ syntax: '[strategy=id]', summary: 'the strategy, and the id that the broker knows' }],
  async run(context, input) {
    const word = input.argument(0)
    const { body } =
      word === undefined
        ? await context.read('GET /broker/algos')
        : await context.change('PUT /broker/algos', { body: mappingOf(word) })
    await show(context, body.data)
    return EXIT.done
  },
}

/** Reads `momentum=ALGO1`; the name of a strategy may have the sign itself, an id never has. */
function mappingOf(word: string): { strategy: string; algo_id: string | null } {
  const place = word.lastIndexOf('=')
  if (place <= 0) throw usageError(`"${word}" names no algorithm.`, 'Example: svc broker algo momentum=ALGO1')
  const id = word.slice(place + 1).trim()
  return { strategy: word.slice(0, place), algo_id: id === '' ? null : id }
}

async function show(
  context: Context,
  { algos, broker, sent }: RouteAnswer<'GET /broker/algos'>['data'],
): Promise<void> {
  await context.out.list({
    rows: algos,
    columns: [{ key: 'strategy' }, { key: 'algo_id', title: 'ALGORITHM' }],
    id: 'strategy',
    empty: `No strategy has an algorithm at ${broker}.`,
  })
  if (!sent && algos.length > 0)
    context.out.note(`${broker} takes no id of an algorithm: orders go without it.`)
}
