import { z } from 'zod'
import { fields } from '../../validation/index.js'
import type { PriceType } from '../vocabulary.js'

/** The ways in which a broker may handle an order. Its manifest says which of them it can. */
export const ORDER_INSTRUCTIONS = ['IOC', 'TTL', 'amo', 'iceberg', 'market_protection', 'algo_id'] as const
export type OrderInstruction = (typeof ORDER_INSTRUCTIONS)[number]

/** The instructions of one order. An absent member asks for nothing. */
export interface OrderInstructions {
  /** How long the order lives; absent for the whole day. IOC: what is not filled at once is cancelled. */
  validity?: 'IOC' | 'TTL'
  /** The life in minutes, only with TTL: 1 to 1440. */
  validityTtl?: number
  /** The order waits for the next opening of the market. */
  amo?: true
  /** The number of parts that the exchange sees one after the other: 2 to 10. */
  icebergLegs?: number
  /** How far a MARKET or SL-M order may move the price, in percent: above 0, at most 100; -1 for the broker's own. */
  marketProtection?: number
  /** The id of a registered algorithm. */
  algoId?: string
}

/** How long an order lives, as requests name it. */
export const VALIDITIES = ['DAY', 'IOC', 'TTL'] as const

const MAX_TTL = 1_440
const LEGS = { least: 2, most: 10 }
const PROTECTION_RULE = 'Must be -1, or above 0 and at most 100.'
const ALGO_ID = /^[A-Za-z0-9]{1,50}$/

/** The id of a registered algorithm. */
export function algoIdField() {
  return fields
    .text()
    .refine((id) => ALGO_ID.test(id), 'Must be 1 to 50 letters and digits.')
    .meta({ description: 'Id of the registered algorithm that sends the order.' })
}

/** The optional fields by which a request that opens a position instructs the broker. */
export const instructionFields = {
  validity: fields
    .oneOf(VALIDITIES)
    .meta({ description: 'DAY (the default), IOC (fill at once or cancel), or TTL (validity_ttl minutes).' })
    .optional(),
  validity_ttl: fields
    .integer()
    .refine((minutes) => minutes >= 1 && minutes <= MAX_TTL, `Must be between 1 and ${MAX_TTL}.`)
    .meta({ description: 'Minutes that the order lives, with the validity TTL.' })
    .optional(),
  amo: fields
    .boolean()
    .meta({ description: 'true: the order waits for the next opening of the market.' })
    .optional(),
  iceberg_legs: fields
    .integer()
    .refine(
      (legs) => legs >= LEGS.least && legs <= LEGS.most,
      `Must be between ${LEGS.least} and ${LEGS.most}.`,
    )
    .meta({ description: 'Parts that the market sees one after the other, 2 to 10.' })
    .optional(),
  market_protection: fields
    .number()
    .refine((percent) => percent === -1 || (percent > 0 && percent <= 100), PROTECTION_RULE)
    .meta({
      description:
        "How far a MARKET or SL-M order may move the price, in percent; -1: the broker's own limit.",
    })
    .optional(),
  algo_id: algoIdField().optional(),
}

type InstructionName = keyof typeof instructionFields

/** The instructions of a request, under their public names. */
export type InstructionTerms = { [Name in InstructionName]?: z.output<(typeof instructionFields)[Name]> }

const NAMES: readonly InstructionName[] = [
  'validity',
  'validity_ttl',
  'amo',
  'iceberg_legs',
  'market_protection',
  'algo_id',
]

const NONE: InstructionTerms = Object.freeze({})

/** Returns the instructions alone that a request has; an empty object for a plain one. */
export function instructionTerms(request: InstructionTerms): InstructionTerms {
  if (!NAMES.some((name) => request[name] !== undefined)) return NONE
  const { validity, validity_ttl, amo, iceberg_legs, market_protection, algo_id } = request
  return {
    ...(validity !== undefined && { validity }),
    ...(validity_ttl !== undefined && { validity_ttl }),
    ...(amo !== undefined && { amo }),
    ...(iceberg_legs !== undefined && { iceberg_legs }),
    ...(market_protection !== undefined && { market_protection }),
    ...(algo_id !== undefined && { algo_id }),
  }
}

/** Returns the instructions of a request as a broker plugin gets them; undefined for a plain order of the day. */
export function instructionsOf(request: InstructionTerms): OrderInstructions | undefined {
  if (!NAMES.some((name) => request[name] !== undefined)) return undefined
  const { algo_id, amo, iceberg_legs, market_protection, validity, validity_ttl } = request
  const asked: OrderInstructions = {
    ...(validity !== undefined && validity !== 'DAY' && { validity }),
    ...(validity_ttl !== undefined && { validityTtl: validity_ttl }),
    ...(amo === true && { amo }),
    ...(iceberg_legs !== undefined && { icebergLegs: iceberg_legs }),
    ...(market_protection !== undefined && { marketProtection: market_protection }),
    ...(algo_id !== undefined && { algoId: algo_id }),
  }
  return Object.keys(asked).length > 0 ? asked : undefined
}

/** One contradiction a row: the field that is wrong, when it is, and the rule. */
const CONTRADICTIONS: readonly {
  field: InstructionName
  when: (request: InstructionTerms & { pricetype: PriceType }) => boolean
  message: string
}[] = [
  {
    field: 'validity_ttl',
    when: ({ validity, validity_ttl }) => validity === 'TTL' && validity_ttl === undefined,
    message: 'Required with validity TTL.',
  },
  {
    field: 'validity_ttl',
    when: ({ validity, validity_ttl }) => validity !== 'TTL' && validity_ttl !== undefined,
    message: 'Only with validity TTL.',
  },
  {
    field: 'amo',
    when: ({ amo, validity }) => amo === true && (validity === 'IOC' || validity === 'TTL'),
    message: 'Not with validity IOC or TTL: the order waits for the opening.',
  },
  {
    field: 'iceberg_legs',
    when: ({ iceberg_legs, validity }) => iceberg_legs !== undefined && validity === 'IOC',
    message: 'Not with validity IOC.',
  },
  {
    field: 'iceberg_legs',
    when: ({ amo, iceberg_legs }) => iceberg_legs !== undefined && amo === true,
    message: 'Not with amo.',
  },
  {
    field: 'market_protection',
    when: ({ market_protection, pricetype }) =>
      market_protection !== undefined && pricetype !== 'MARKET' && pricetype !== 'SL-M',
    message: 'Only with pricetype MARKET or SL-M.',
  },
]

/** Refuses instructions that contradict each other. `at` is the path of the order in the body that contains it. */
export function checkInstructions(
  request: InstructionTerms & { pricetype: PriceType },
  ctx: z.RefinementCtx,
  at: readonly PropertyKey[] = [],
): void {
  for (const { field, message, when } of CONTRADICTIONS) {
    if (when(request)) ctx.addIssue({ code: 'custom', path: [...at, field], message })
  }
}

/** The instruction that each member asks of a broker, and its name in a request. */
const ASKED: readonly { needs: OrderInstruction; name: string; by: (asked: OrderInstructions) => boolean }[] =
  [
    { needs: 'IOC', name: 'validity IOC', by: ({ validity }) => validity === 'IOC' },
    { needs: 'TTL', name: 'validity TTL', by: ({ validity }) => validity === 'TTL' },
    { needs: 'amo', name: 'amo', by: ({ amo }) => amo === true },
    { needs: 'iceberg', name: 'iceberg_legs', by: ({ icebergLegs }) => icebergLegs !== undefined },
    {
      needs: 'market_protection',
      name: 'market_protection',
      by: ({ marketProtection }) => marketProtection !== undefined,
    },
    { needs: 'algo_id', name: 'algo_id', by: ({ algoId }) => algoId !== undefined },
  ]

/** What a broker can, as its manifest says. */
export interface InstructedBroker {
  displayName: string
  instructions: readonly OrderInstruction[]
}

/** Returns why a broker cannot follow the instructions of an order; undefined if it can. */
export function lackOf(
  { displayName, instructions: can }: InstructedBroker,
  asked: OrderInstructions | undefined,
): string | undefined {
  if (!asked) return undefined
  const lacking = ASKED.filter(({ by, needs }) => by(asked) && !can.includes(needs)).map(({ name }) => name)
  return lacking.length > 0 ? `${displayName} does not take ${lacking.join(', ')}.` : undefined
}

/** Reads the instructions of a request, whatever else it has. */
const inRequest = z.object(instructionFields)

/** Returns what a stored or queued request asks of the broker; undefined for a plain order of the day. */
export function instructionsIn(request: unknown): InstructionTerms | undefined {
  const parsed = inRequest.safeParse(request)
  if (!parsed.success) return undefined
  const { amo, validity, ...others } = parsed.data
  const asked = {
    ...(validity !== undefined && validity !== 'DAY' && { validity }),
    ...(amo === true && { amo }),
    ...instructionTerms(others),
  }
  return Object.keys(asked).length > 0 ? asked : undefined
}

/** Returns instructions in words: `validity TTL, validity_ttl 5, amo`. */
export function instructionText(asked: InstructionTerms): string {
  return Object.entries(asked)
    .map(([name, value]) => (value === true ? name : `${name} ${value}`))
    .join(', ')
}

const CLIENT_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** The caller's own id of a request: the same as its Idempotency-Key. Part of the body and never of the payload. */
export const clientOrderIdField = () =>
  fields
    .text()
    .refine((id) => CLIENT_ID.test(id), 'Must be 1 to 255 printable characters.')
    .meta({ description: 'The same as the Idempotency-Key: a repeat gets the first outcome.' })
