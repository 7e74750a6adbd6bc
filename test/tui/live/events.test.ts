import { expect, it } from 'vitest'
import { changesStatus } from '../../../src/tui/live/status.js'
import { changesRequestLogs } from '../../../src/tui/logs/requests.js'

it.each(['order_in_doubt', 'kill_switch', 'pending_order_created'])(
  'the header is read again after %s',
  (event) => expect(changesStatus({ event })).toBe(true),
)

it.each(['order_event', 'order_failed', 'cancel_order_event', 'gtt_event', 'analyzer_update'])(
  'the order log and the analyzer log are read again after %s',
  (event) => expect(changesRequestLogs({ event })).toBe(true),
)
