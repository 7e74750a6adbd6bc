import { signedIn } from '../running.js'
import * as answers from './book-schemas.js'
import { BROKER_REFUSALS } from './books.js'

const page = signedIn('Account', 'api', 'read')

/** The books of the account for a browser; a script gets the same as from the API. */
export const BOOK_PAGES = {
  'GET /orders': page('Returns the same as POST /api/v1/orderbook.', {
    answerText: 'text/html',
    answer: answers.orderbook,
    errors: BROKER_REFUSALS,
    run: async ({ account }, _input, { username }) => ({
      status: 'success',
      ...(await account.orderbook(username)),
    }),
  }),
  'GET /positions': page('Returns the same as POST /api/v1/positionbook.', {
    answerText: 'text/html',
    answer: answers.positionbook,
    errors: BROKER_REFUSALS,
    run: async ({ account }, _input, { username }) => ({
      status: 'success',
      ...(await account.positionbook(username)),
    }),
  }),
}
