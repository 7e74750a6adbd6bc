import type { Body } from '../../../client/index.js'
import type { FormField, FormValues } from '../../components/form/Form.js'

/** The values of a new form: a plain order of the day. */
export const NO_INSTRUCTIONS: FormValues = {
  more: 'no',
  validity: 'DAY',
  validity_ttl: '',
  amo: 'no',
  iceberg_legs: '',
  market_protection: '',
  algo_id: '',
}

const VALIDITIES = ['DAY', 'IOC', 'TTL'] as const
const isAsked = ({ more }: FormValues) => more === 'yes'
const isMarket = ({ pricetype }: FormValues) => pricetype === 'MARKET' || pricetype === 'SL-M'
const ALGO_ID = /^[A-Za-z0-9]{1,50}$/

/** Returns the fields of what an order may ask of the broker beside its terms. They show once the user asks for more. */
export function instructionFields(): readonly FormField[] {
  return [
    { name: 'more', label: 'More', choices: ['no', 'yes'] },
    { name: 'validity', label: 'Validity', choices: VALIDITIES, isShown: isAsked },
    {
      name: 'validity_ttl',
      label: 'Minutes',
      isShown: (values) => isAsked(values) && values.validity === 'TTL',
      problem: (value) => wholeProblem(value, 1, 1440),
    },
    {
      name: 'amo',
      label: 'Wait for the open',
      choices: ['no', 'yes'],
      isShown: (values) => isAsked(values) && values.validity === 'DAY',
    },
    {
      name: 'iceberg_legs',
      label: 'Iceberg legs',
      isShown: (values) => isAsked(values) && values.validity !== 'IOC' && values.amo !== 'yes',
      problem: (value) => (value.trim() === '' ? undefined : wholeProblem(value, 2, 10)),
    },
    {
      name: 'market_protection',
      label: 'Protection %',
      isShown: (values) => isAsked(values) && isMarket(values),
      problem: (value) => (value.trim() === '' ? undefined : protectionProblem(value)),
    },
    {
      name: 'algo_id',
      label: 'Algorithm',
      isShown: isAsked,
      problem: (value) =>
        value.trim() === '' || ALGO_ID.test(value.trim()) ? undefined : 'letters and digits',
    },
  ]
}

type Instructions = Pick<
  Body<'placeorder'>,
  'validity' | 'validity_ttl' | 'amo' | 'iceberg_legs' | 'market_protection' | 'algo_id'
>

/** Returns the instructions of a form whose values are good: those of the fields that it shows. */
export function instructionsIn(values: FormValues): Instructions {
  const text = (name: string) => {
    const field = instructionFields().find((one) => one.name === name)
    return field?.isShown?.(values) ? (values[name]?.trim() ?? '') : ''
  }
  const validity = VALIDITIES.find((one) => one === text('validity'))
  return {
    ...(validity !== undefined && validity !== 'DAY' && { validity }),
    ...(text('validity_ttl') !== '' && { validity_ttl: Number(text('validity_ttl')) }),
    ...(text('amo') === 'yes' && { amo: true }),
    ...(text('iceberg_legs') !== '' && { iceberg_legs: Number(text('iceberg_legs')) }),
    ...(text('market_protection') !== '' && { market_protection: Number(text('market_protection')) }),
    ...(text('algo_id') !== '' && { algo_id: text('algo_id') }),
  }
}

/** Returns instructions in words, for the review of an order; undefined for a plain one. */
export function instructionLine(body: Instructions): string | undefined {
  const { algo_id, amo, iceberg_legs, market_protection, validity, validity_ttl } = body
  const words = [
    validity === undefined ? '' : `validity ${validity}`,
    validity_ttl === undefined ? '' : `${String(validity_ttl)} minutes`,
    amo ? 'waits for the open' : '',
    iceberg_legs === undefined ? '' : `${String(iceberg_legs)} iceberg legs`,
    market_protection === undefined ? '' : `market protection ${String(market_protection)} %`,
    algo_id === undefined ? '' : `algorithm ${algo_id}`,
  ].filter((word) => word !== '')
  return words.length === 0 ? undefined : words.join(', ')
}

function wholeProblem(text: string, least: number, most: number): string | undefined {
  const isGood = /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most
  return isGood ? undefined : `a whole number from ${least} to ${most}`
}

function protectionProblem(text: string): string | undefined {
  const value = /^(-1|\d+(\.\d*)?|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN
  return value === -1 || (value > 0 && value <= 100) ? undefined : '-1, or above 0 to 100'
}
