import { z } from 'zod'
import type { BrokerService } from '../../../../core/brokers/index.js'
import { ServiceError } from '../../../../core/errors/index.js'
import { algoIdField } from '../../../../core/orders/schema.js'
import { fields } from '../../../../core/validation/index.js'
import { ok, text } from '../../common/answers.js'
import { changing, control, json, reading } from '../control-facts.js'

const algos = ok({
  data: z.strictObject({
    broker: text,
    sent: z.boolean().meta({
      description:
        'Whether the broker takes the id of an algorithm. One that does not gets the orders without it.',
    }),
    algos: z.array(z.strictObject({ strategy: text, algo_id: text })),
  }),
})

const strategyAlgo = z.strictObject({
  strategy: fields.text(255).refine((name) => name.trim() !== '', 'Must be the name of a strategy.'),
  algo_id: algoIdField()
    .nullable()
    .meta({ description: 'The id that the broker knows; null removes that of the strategy.' }),
})

/** The registered algorithms that the live orders of strategies are sent under. */
export const BROKER_ALGO_OPERATIONS = {
  'GET /broker/algos': control('Lists the algorithms of strategies at the active broker.', {
    ...reading,
    answer: algos,
    run: ({ brokers }) => ({ status: 'success', data: viewOf(brokers) }),
  }),
  'PUT /broker/algos': control('Maps a registered algorithm to a strategy at the active broker.', {
    ...changing,
    body: strategyAlgo,
    example: { strategy: 'momentum', algo_id: 'ALGO1' },
    answer: algos,
    errors: ['not_found', ...json],
    audit: { act: 'broker.set_algo' },
    run: async ({ brokers }, { body: { algo_id, strategy } }) => {
      if (algo_id !== null) await brokers.algos.set(brokers.brokerId, strategy, algo_id)
      else if (!(await brokers.algos.remove(brokers.brokerId, strategy))) {
        throw new ServiceError(
          'not_found',
          `The strategy ${strategy} has no algorithm at ${brokers.brokerId}.`,
        )
      }
      return { status: 'success', data: viewOf(brokers) }
    },
  }),
}

function viewOf(brokers: BrokerService) {
  const { brokerId: broker } = brokers
  return {
    broker,
    sent: brokers.available() && brokers.manifest().instructions.includes('algo_id'),
    algos: brokers.algos.at(broker).map(({ algoId, strategy }) => ({ strategy, algo_id: algoId })),
  }
}
