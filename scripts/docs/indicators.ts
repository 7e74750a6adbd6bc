import { type IndicatorFacts, indicatorFacts } from '../../src/core/flows/files/index.js'
import { code, table } from './table.js'

/** Returns a table of indicators for each category. */
export function indicatorTables(): string {
  const all = indicatorFacts()
  const categories = [...new Set(all.map(({ category }) => category))]
  return categories
    .flatMap((category) => {
      const rows = all.filter((one) => one.category === category).map(row)
      return [`## ${category}`, table(['Name', 'Parameters', 'Results', 'Example'], rows)]
    })
    .join('\n\n')
}

function row({ name, title, inputs, nestable, params, outputs, example }: IndicatorFacts): string[] {
  const uses = `${title}. Uses ${inputs.join(', ')}${nestable ? ' or a series' : ''}.`
  const settings = params.map((one) => `${code(one.name)} ${code(String(one.default))} (${one.range})`)
  const results = outputs.map(({ path, meaning }) => `${code(path)} ${meaning}`)
  return [`${code(name)}: ${uses}`, settings.join('; ') || '-', results.join('; '), code(example)]
}
