import { pnlDay } from './answers/pnl.js'
import { signedIn } from './operation.js'

const pnl = signedIn('Account', 'api')
const read = { scopes: ['read'] } as const
const broker = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const

export const PNL_OPERATIONS = {
  'POST /pnltracker/api/pnl': pnl('Returns the profit and loss of the day by the minute; it only reads.', {
    ...read,
    answer: pnlDay,
    errors: ['refused', ...broker],
  }),
  'GET /pnltracker/legacy': pnl('Answers 404: the page is /pnl-tracker.', { ...read, errors: ['not_found'] }),
  'GET /test_chart': pnl('Answers 404: the page is /pnl-tracker.', { ...read, errors: ['not_found'] }),
}
