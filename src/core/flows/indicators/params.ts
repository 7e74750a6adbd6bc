import { parseNumber } from '../language/numbers.js'
import {
  type Indicator,
  IndicatorError,
  type Param,
  type ParamValue,
  type ParamValues,
} from './definition.js'

/**
 * Reads the settings of an indicator over `length` values strictly, with defaults for the others.
 *
 * @throws IndicatorError for unknown names, wrong types, and windows longer than the data
 */
export function readParams(
  indicator: Indicator,
  given: Readonly<Record<string, unknown>>,
  length: number,
): ParamValues {
  const known = Object.keys(indicator.params)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new IndicatorError(
      `Indicator '${indicator.name}' has no parameter '${unknown}'; it has ${known.join(', ') || 'none'}`,
    )
  }
  return Object.fromEntries(
    Object.entries(indicator.params).map(([name, param]) => [
      name,
      readParam(name, param, given[name] ?? param.default, length),
    ]),
  )
}

function readParam(name: string, param: Param, given: unknown, length: number): ParamValue {
  switch (param.kind) {
    case 'flag':
      return flagOf(name, given)
    case 'text':
      return textParameter(name, given, param.choices)
    case 'number':
      return numberOf(name, given)
    case 'shift':
      return wholeOf(name, given, 0)
    case 'count':
      return wholeOf(name, given, 1)
    case 'period': {
      const period = wholeOf(name, given, 1)
      if (period <= length) return period
      throw new IndicatorError(`${titled(name)} (${period}) cannot be greater than data length (${length})`)
    }
  }
}

const titled = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

function numberOf(name: string, given: unknown): number {
  const number = typeof given === 'boolean' ? undefined : parseNumber(given)
  if (number === undefined) throw new IndicatorError(`${titled(name)} must be a number, got ${shown(given)}`)
  return number
}

function wholeOf(name: string, given: unknown, least: 0 | 1): number {
  const number = numberOf(name, given)
  if (!Number.isInteger(number)) {
    throw new IndicatorError(`${titled(name)} must be a whole number, got ${number}`)
  }
  if (number >= least) return number
  throw new IndicatorError(
    least === 1
      ? `${titled(name)} must be positive, got ${number}`
      : `${titled(name)} must not be negative, got ${number}`,
  )
}

function textParameter(name: string, given: unknown, choices: readonly string[] | undefined): string {
  if (typeof given !== 'string') throw new IndicatorError(`${titled(name)} must be text, got ${shown(given)}`)
  if (choices === undefined) return given
  const found = choices.find((choice) => choice.toLowerCase() === given.trim().toLowerCase())
  if (found !== undefined) return found
  throw new IndicatorError(`${titled(name)} '${given}' is not one of ${choices.join(', ')}`)
}

function flagOf(name: string, given: unknown): boolean {
  if (typeof given === 'boolean') return given
  if (given === 0 || given === 1) return given === 1
  const word = typeof given === 'string' ? given.trim().toLowerCase() : ''
  if (word === 'true' || word === 'false') return word === 'true'
  throw new IndicatorError(`${titled(name)} must be true or false, got ${shown(given)}`)
}

const shown = (value: unknown): string => JSON.stringify(value) ?? String(value)
