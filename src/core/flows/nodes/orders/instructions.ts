import { VALIDITIES } from '../../../orders/index.js'
import type { Body } from '../../ports.js'
import type { NodeRun } from '../definition.js'
import type { Fields } from '../field.js'

/** The fields that tell the broker how to handle an order. Blank ones ask for nothing. */
export const instructionFields = {
  validity: {
    kind: 'text',
    description: 'DAY (without it), IOC (fill at once or cancel), or TTL (`validityTtl` minutes).',
    choices: VALIDITIES,
    guarded: true,
  },
  validityTtl: {
    kind: 'integer',
    description: 'Minutes that an order with the validity TTL lives.',
    min: 1,
    max: 1440,
    aliases: ['validity_ttl'],
    guarded: true,
  },
  amo: {
    kind: 'flag',
    description: 'True if the order waits for the next opening of the market.',
    guarded: true,
  },
  icebergLegs: {
    kind: 'integer',
    description: 'Parts that the market sees one after the other.',
    min: 2,
    max: 10,
    aliases: ['iceberg_legs'],
    guarded: true,
  },
  marketProtection: {
    kind: 'number',
    description:
      "How far a MARKET or SL-M order may move the price, in percent; -1 is the broker's own limit.",
    min: -1,
    max: 100,
    aliases: ['market_protection'],
    guarded: true,
  },
  algoId: {
    kind: 'text',
    description: 'Id of the registered algorithm that sends the order.',
    form: { rule: '1 to 50 letters and digits', pattern: '^[A-Za-z0-9]{1,50}$' },
    aliases: ['algo_id'],
    guarded: true,
  },
} as const satisfies Fields

/** The members of an order or a leg in a list. */
export const ITEM_INSTRUCTIONS: Fields = Object.fromEntries(
  Object.entries(instructionFields).map(([name, { guarded: _, ...field }]) => [
    name,
    { ...field, description: '' },
  ]),
)

type Name = keyof typeof instructionFields

/** Reads the members of an order or a leg in a list; the others than `value` throw NodeError for another type. */
interface ItemReader {
  value(name: string): unknown
  text(name: string): string
  flag(name: string): boolean
  number(name: string): number
}

/** The instructions whose values are passed on as they are, by their names in the order endpoints. */
const NUMBERS = [
  ['validityTtl', 'validity_ttl'],
  ['icebergLegs', 'iceberg_legs'],
  ['marketProtection', 'market_protection'],
] as const satisfies readonly (readonly [Name, string])[]

/** Returns the instructions of a node with the names of the order endpoints. @throws NodeError */
export function readInstructions(run: NodeRun): Body {
  const numbers = NUMBERS.flatMap(([name, field]) =>
    run.blank(name) ? [] : [[field, run.number(name)] as const],
  )
  return {
    ...(!run.blank('validity') && { validity: run.text('validity') }),
    ...Object.fromEntries(numbers),
    ...(!run.blank('amo') && run.flag('amo') && { amo: true }),
    ...(!run.blank('algoId') && { algo_id: run.text('algoId') }),
  }
}

/** Returns the instructions of an order or a leg in a list, as {@link readInstructions} does. @throws NodeError */
export function itemInstructions(item: ItemReader): Body {
  const has = (name: Name) => item.value(name) !== undefined
  const numbers = NUMBERS.flatMap(([name, field]) => (has(name) ? [[field, item.number(name)] as const] : []))
  return {
    ...(has('validity') && { validity: item.text('validity') }),
    ...Object.fromEntries(numbers),
    ...(has('amo') && { amo: item.flag('amo') }),
    ...(has('algoId') && { algo_id: item.text('algoId') }),
  }
}
