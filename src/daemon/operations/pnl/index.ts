import { signedIn } from '../running.js'
import { pnlDay } from './answers.js'

const pnl = signedIn('Account', 'api')
const broker = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const

export const PNL_OPERATIONS = {
  'POST /pnltracker/api/pnl': pnl('Returns the profit and loss of the day by the minute; it only reads.', {
    scopes: ['read'],
    answer: pnlDay,
    errors: ['refused', ...broker],
  }),
}
