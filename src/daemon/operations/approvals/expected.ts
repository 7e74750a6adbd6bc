import { z } from 'zod'
import type { Expectation, ExpectationOfAll, LegTerms } from '../../../core/approvals/index.js'
import { MAX_OPTION_LEGS, MAX_PARTS } from '../../../core/orders/index.js'
import { fields } from '../../../core/validation/index.js'
import { approvalId } from './approval-id.js'

/** The most requests that one approve-all may name. */
const MOST_REQUESTS = 10_000
/** The most orders that one request becomes: every option leg in as many parts as a split has. */
const MOST_LEGS = MAX_OPTION_LEGS * MAX_PARTS

const price = () => fields.nonNegative('Must be at least 0.')

/** One order as the plan shows it. Members of the plan that say nothing about what is sent are ignored. */
const expectedLeg = z.object({
  symbol: fields.text(),
  exchange: fields.text(),
  action: fields.text(),
  quantity: fields.nonNegative('Must be at least 0.'),
  pricetype: fields.text(),
  product: fields.text(),
  price: price(),
  trigger_price: price().optional(),
  instructions: fields.text(1000).optional(),
})

const expectedLegs = z
  .array(expectedLeg)
  .max(MOST_LEGS)
  .meta({ description: 'Every leg of its plan, as it is there; none if it would send nothing.' })

const place = {
  mode: fields
    .oneOf(['live', 'analyze', 'queued'])
    .optional()
    .meta({ description: 'The mode that was shown; queued is the mode in which the request was queued.' }),
  broker: fields.text().optional().meta({ description: 'The broker that was shown. Live orders only.' }),
}

/** The body of an approval: what the approver saw. The daemon refuses to send anything else. */
export const approvePayload = z.strictObject({
  expected: z
    .strictObject({ ...place, legs: expectedLegs.optional() })
    .optional()
    .meta({
      description:
        'What the approver saw. The order is approved only while it would do exactly that; otherwise it stays pending.',
    }),
})

/** The body of an approval of the whole queue. */
export const approveAllPayload = z.strictObject({
  expected: z
    .strictObject({
      ...place,
      orders: z
        .array(z.strictObject({ id: approvalId, legs: expectedLegs }))
        .max(MOST_REQUESTS)
        .optional()
        .meta({ description: 'The requests to approve, with their legs. All others stay pending.' }),
    })
    .optional()
    .meta({ description: 'What the approver saw. A request that would do anything else stays pending.' }),
})

/** Returns what the approver of one request saw. */
export function expectationIn({ expected = {} }: z.output<typeof approvePayload>): Expectation {
  const { broker, legs, mode } = expected
  return { mode, broker, legs: legs?.map(termsOf) }
}

/** Returns what the approver of the queue saw. */
export function expectationOfAllIn({ expected = {} }: z.output<typeof approveAllPayload>): ExpectationOfAll {
  const { broker, mode, orders } = expected
  return { mode, broker, legsOf: orders && new Map(orders.map(({ id, legs }) => [id, legs.map(termsOf)])) }
}

function termsOf({ trigger_price: triggerPrice = 0, ...terms }: z.output<typeof expectedLeg>): LegTerms {
  return { ...terms, triggerPrice }
}
