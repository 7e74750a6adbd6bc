import { marginBody } from '../../../core/orders/index.js'
import { openPositionBody, toggleBody } from '../../routes/account.js'
import { keyOnly, orderStatusBody } from '../../routes/account-views.js'
import { chartBody } from '../../routes/chart.js'
import { telegramBody, whatsappBody } from '../../routes/notify.js'
import { keyed, type Operation } from '../operation.js'
import * as answers from '../responses/account.js'
import { said } from '../responses/common.js'
import { preferences, told } from '../responses/market.js'

const account = keyed('Account')
const messages = keyed('Messages')
const broker = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const

const book = (name: string, summary: string, answer: Operation['answers'][number]): Operation =>
  account('POST', `/api/v1/${name}`, summary, { body: keyOnly, answer, errors: broker })

export const ACCOUNT_OPERATIONS: readonly Operation[] = [
  book('orderbook', 'The orders of today.', answers.orderbook),
  book('tradebook', 'The trades of today.', answers.tradebook),
  book('positionbook', 'The positions.', answers.positionbook),
  book('holdings', 'The shares that are held.', answers.holdings),
  book('funds', 'The funds: text live, numbers in Analyzer mode.', answers.funds),
  account('POST', '/api/v1/orderstatus', 'One order, by its id or by our own reference.', {
    body: orderStatusBody,
    example: { strategy: 'example', orderid: '26112045901458' },
    answer: answers.orderStatus,
    errors: ['not_found', ...broker],
  }),
  account('POST', '/api/v1/openposition', 'The signed quantity of one position; 0 without one.', {
    body: openPositionBody,
    example: { strategy: 'example', symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    answer: answers.openPosition,
    errors: broker,
  }),
  account('POST', '/api/v1/margin', 'What orders would take of the funds.', {
    body: marginBody,
    example: {
      positions: [
        {
          symbol: 'SBIN',
          exchange: 'NSE',
          action: 'BUY',
          product: 'MIS',
          pricetype: 'MARKET',
          quantity: '10',
        },
      ],
    },
    answer: answers.margin,
    errors: ['refused', 'not_found', 'unsupported', ...broker],
  }),
  account('POST', '/api/v1/analyzer', 'The mode: live, or Analyzer.', {
    body: keyOnly,
    answer: answers.analyzer,
  }),
  account('POST', '/api/v1/analyzer/toggle', 'Switches the mode; refused to users in semi-auto mode.', {
    body: toggleBody,
    example: { mode: true },
    answer: answers.analyzerToggle,
    errors: ['forbidden'],
  }),
  account('POST', '/api/v1/pnl/symbols', 'Profit by symbol, in Analyzer mode only.', {
    body: keyOnly,
    answer: answers.pnlSymbols,
    errors: ['refused'],
  }),
  account('POST', '/api/v1/ping', 'Whether the key is good.', { body: keyOnly, answer: answers.ping }),
  messages('POST', '/api/v1/telegram/notify', 'Sends a message by Telegram.', {
    body: telegramBody,
    example: { username: 'asha', message: 'Target hit' },
    answer: told,
    errors: ['conflict', 'not_found'],
  }),
  messages('POST', '/api/v1/whatsapp/notify', 'Sends a message by WhatsApp.', {
    body: whatsappBody,
    example: { self: true, message: 'Target hit' },
    answer: told,
    errors: ['conflict', 'not_found'],
  }),
  messages('GET', '/api/v1/chart', 'Preferences that clients keep here.', {
    query: keyOnly,
    answer: preferences,
  }),
  messages('POST', '/api/v1/chart', 'Keeps preferences; null forgets one.', {
    body: chartBody,
    example: { theme: 'dark' },
    answer: said,
  }),
]
