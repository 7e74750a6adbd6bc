import { onTestFinished } from 'vitest'
import type { EventTopics } from '../../../src/core/events/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { tempFile } from '../../support/files/temp.js'
import { recordingLogger } from '../logging/recording-logger.js'

export const NOW = '2026-03-02T10:00:00+05:30'
export const API_KEY = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** A logs database in its own file, a clock that does not move, and a logger that records its lines. */
export async function openLogs(file = tempFile('logs.db')) {
  const db = await Database.open({ file, schema: 'logs' })
  onTestFinished(() => db.close())
  return { db, clock: new VirtualClock(NOW), log: recordingLogger() }
}

export function orderPlaced(
  overrides: Partial<EventTopics['order.placed']> = {},
): EventTopics['order.placed'] {
  return {
    mode: 'live',
    api_type: 'placeorder',
    user_id: 'asha',
    api_key: API_KEY,
    strategy: 'ORB_15',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 5,
    pricetype: 'MARKET',
    product: 'MIS',
    orderid: '26030200000001',
    request_data: {
      apikey: API_KEY,
      strategy: 'ORB_15',
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 5,
      pricetype: 'MARKET',
      product: 'MIS',
    },
    response_data: { status: 'success', orderid: '26030200000001' },
    ...overrides,
  }
}

export function orderFailed(
  overrides: Partial<EventTopics['order.failed']> = {},
): EventTopics['order.failed'] {
  return {
    mode: 'live',
    api_type: 'placeorder',
    user_id: 'asha',
    api_key: API_KEY,
    symbol: 'SBIN',
    exchange: 'NSE',
    error_message: 'Margin exceeds available funds',
    request_data: { apikey: API_KEY, strategy: 'ORB_15', symbol: 'SBIN' },
    response_data: { status: 'error', message: 'Margin exceeds available funds' },
    ...overrides,
  }
}

export function orderUpdate(): EventTopics['order.update'] {
  return {
    mode: 'analyze',
    user_id: 'asha',
    broker: 'sandbox',
    orderid: '1',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 5,
    price: 0,
    trigger_price: 0,
    pricetype: 'MARKET',
    product: 'MIS',
    order_status: 'complete',
    filled_quantity: 5,
    pending_quantity: 0,
    average_price: 800.5,
    rejection_reason: '',
  }
}
