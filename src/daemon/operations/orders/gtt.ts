import { cancelGttPayload, modifyGttPayload, placeGttPayload } from '../../../core/orders/index.js'
import { noFields } from '../common/payloads.js'
import { keyed, keyedChange } from '../running.js'
import * as answers from './answers.js'
import { AFTER_ANSWER, CHANGE_REFUSALS, GTT, HEADERS, REFUSALS, STRATEGY } from './common.js'
import { ordering } from './ordering.js'

const gtt = keyedChange('Good till triggered', 'order')

/** Requests for orders that wait for a trigger price. The ids in their examples stand for ids that the service returned earlier. */
export const GTT_OPERATIONS = {
  'POST /api/v1/placegttorder': gtt(
    'Places a GTT: an order that waits for one trigger price, or for two (OCO).',
    {
      headers: HEADERS,
      body: placeGttPayload,
      example: GTT,
      answer: answers.placedGtt,
      errors: ['unsupported', ...REFUSALS],
      audit: AFTER_ANSWER,
      run: ordering('placegttorder'),
    },
  ),
  'POST /api/v1/modifygttorder': gtt('Changes an active GTT; replaces every field.', {
    headers: HEADERS,
    body: modifyGttPayload,
    example: { ...GTT, trigger_id: 'G00000000001', quantity: 6 },
    answer: answers.changedGtt,
    errors: ['unsupported', ...CHANGE_REFUSALS],
    audit: AFTER_ANSWER,
    run: ordering('modifygttorder'),
  }),
  'POST /api/v1/cancelgttorder': gtt('Cancels an active GTT.', {
    headers: HEADERS,
    body: cancelGttPayload,
    example: { ...STRATEGY, trigger_id: 'G00000000001' },
    answer: answers.changedGtt,
    errors: ['unsupported', ...CHANGE_REFUSALS],
    audit: AFTER_ANSWER,
    run: ordering('cancelgttorder'),
  }),
  'POST /api/v1/gttorderbook': keyed('Good till triggered', 'api')('Lists the GTTs.', {
    body: noFields,
    answer: answers.gttBook,
    errors: ['unsupported', 'broker_rejected', 'broker_protocol'],
    run: async ({ orders }, _input, { username }) => ({
      status: 'success',
      ...(await orders.gtts.book(username)),
    }),
  }),
}
