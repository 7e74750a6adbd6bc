import type { Indicator, Param, ParamValue } from './definition.js'
import { INDICATORS } from './index.js'

/** One indicator, as documentation shows it. */
export interface IndicatorFacts {
  name: string
  title: string
  category: Indicator['category']
  /** Columns of the bars that it uses. */
  inputs: string[]
  /** True if `sourceSeries` may feed it with the series of another node. */
  nestable: boolean
  params: { name: string; default: ParamValue; range: string }[]
  /** The results with the paths that read their newest values, such as `latest.value`. */
  outputs: { path: string; meaning: string }[]
  /** The fields of a node that computes it. */
  example: string
}

const COLUMNS: Readonly<Record<string, string>> = { o: 'open', h: 'high', l: 'low', c: 'close', v: 'volume' }

/** Returns all indicators in the order of the table. */
export function indicatorFacts(): IndicatorFacts[] {
  return [...INDICATORS.values()].map(factsOf)
}

function factsOf({ name, title, category, inputs, nestable, params, outputs }: Indicator): IndicatorFacts {
  const settings = Object.entries(params).map(([one, param]) => `${one}: ${yamlOf(param.default)}`)
  const given = settings.length === 0 ? '' : `, params: {${settings.join(', ')}}`
  return {
    name,
    title,
    category,
    inputs: [...inputs].map((letter) => COLUMNS[letter] ?? letter),
    nestable,
    params: Object.entries(params).map(([one, param]) => ({
      name: one,
      default: param.default,
      range: rangeOf(param),
    })),
    outputs: outputs.map((meaning, index) => ({
      path: outputs.length === 1 ? 'latest.value' : `latest.out${index}`,
      meaning,
    })),
    example: `{indicatorName: ${name}${given}, outputVariable: ${name}}`,
  }
}

const RANGES: Readonly<Record<Param['kind'], string>> = {
  period: '1 to the number of bars',
  count: '1 or more',
  shift: '0 or more',
  number: 'any number',
  flag: 'true or false',
  text: 'text',
}

function rangeOf({ kind, choices }: Param): string {
  return choices === undefined ? RANGES[kind] : choices.join(', ')
}

/** Returns a default as YAML: texts that are more than a word are quoted. */
function yamlOf(value: ParamValue): string {
  return typeof value === 'string' && !/^[A-Za-z]\w*$/.test(value) ? JSON.stringify(value) : String(value)
}
