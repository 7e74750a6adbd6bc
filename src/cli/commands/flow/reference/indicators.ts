import type { IndicatorFacts } from '../../../../core/flows/files/index.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { Context } from '../../../framework/context.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { nearest } from '../../../framework/nearest.js'

export const indicators: CommandSpec = {
  name: 'indicators',
  summary: 'Lists the indicators of workflows, or shows the parameters and results of one.',
  examples: ['flow indicators', 'flow indicators macd', 'flow indicators rsi --json'],
  arguments: [{ syntax: '[name]', summary: 'name of an indicator', complete: 'indicators' }],
  async run(context, input) {
    const all = await knownIndicators()
    const name = input.argument(0)
    if (name === undefined) {
      await context.out.list({
        rows: all,
        columns: [{ key: 'category' }, { key: 'name' }, { key: 'title' }],
        id: 'name',
        empty: 'There are no indicators.',
      })
      return EXIT.done
    }
    const found = all.find((one) => one.name === name.trim().toLowerCase())
    if (found === undefined) {
      const near = nearest(
        name,
        all.map((one) => one.name),
      )
      const hint = near === undefined ? 'List them: svc flow indicators' : `Did you mean "${near}"?`
      throw new CliError(EXIT.notFound, `There is no indicator "${name}".`, { hint })
    }
    await show(context, found)
    return EXIT.done
  },
}

/** Returns all indicators of workflows. */
export async function knownIndicators(): Promise<IndicatorFacts[]> {
  const { indicatorFacts } = await import('../../../../core/flows/files/index.js')
  return indicatorFacts()
}

/** Shows one document if a format was chosen; otherwise the parameters, the results and an example. */
async function show(context: Context, facts: IndicatorFacts): Promise<void> {
  if (context.settings.format !== undefined) {
    return context.out.record({ record: facts, fields: [], id: 'name' })
  }
  const { name, title, category, inputs, nestable, params, outputs, example } = facts
  context.out.write(`${name} (${category}): ${title}\n`)
  context.out.write(`Uses: ${inputs.join(', ')}${nestable ? ' or a series' : ''}\n\n`)
  if (params.length > 0) {
    await context.out.list({
      rows: params.map((one) => ({ parameter: one.name, default: String(one.default), range: one.range })),
      columns: [{ key: 'parameter' }, { key: 'default' }, { key: 'range' }],
      id: 'parameter',
      empty: '',
    })
    context.out.write('\n')
  }
  await context.out.list({
    rows: outputs.map(({ path, meaning }) => ({ result: `{{${name}.${path}}}`, meaning })),
    columns: [{ key: 'result' }, { key: 'meaning' }],
    id: 'result',
    empty: '',
  })
  context.out.write(`\nwith: ${example}\n`)
}
