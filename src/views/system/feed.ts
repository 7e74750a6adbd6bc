import type { RouteAnswer } from '../../client/endpoints.js'
import { ageText } from '../text/age.js'
import { countText } from '../text/count.js'

type Feed = RouteAnswer<'GET /broker/status'>['data']['feed']

/** Returns the state of the price feed in words. */
export function feedText({ age_ms: age, attempts, losses, stale, state, symbols }: Feed): string {
  const facts = [
    ...(symbols > 0 ? [countText(symbols, 'symbol')] : []),
    ...(age === null ? [] : [`last price ${ageText(age)} ago`]),
    ...(stale > 0 ? [`${countText(stale, 'symbol')} without new prices`] : []),
    ...(losses > 0 ? [`lost ${losses === 1 ? 'once' : `${losses} times`}`] : []),
    ...(state === 'lost' && attempts > 0 ? [`${countText(attempts, 'attempt')} to reconnect`] : []),
  ]
  return [FEED_STATES[state], ...facts].join(', ')
}

const FEED_STATES: Readonly<Record<Feed['state'], string>> = {
  disconnected: 'not connected',
  idle: 'connected, no symbol is watched',
  closed: 'connected, the market is closed',
  live: 'live',
  lost: 'lost',
}
