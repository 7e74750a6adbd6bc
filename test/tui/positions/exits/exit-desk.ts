import { type PositionRecord, positionRecords } from '../../../../src/client/answers/records.js'
import type { Body } from '../../../../src/client/index.js'
import type { Account } from '../../../../src/tui/live/account.js'
import type { ChangeQuestion, Refusal } from '../../../../src/tui/question/use-question.js'
import { AT_MARKET, tradingDesk } from '../../support/trading-desk.js'

/** A sold call, which a GTT can protect as NRML. */
export const SHORT_CALL = {
  ...{ symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO', action: 'SELL', product: 'NRML', quantity: 65 },
} as const satisfies Partial<Body<'placeorder'>>

/** A daemon with one position: ten bought shares of SBIN in delivery, unless the fields say otherwise. */
export async function heldDesk(
  fields: Partial<Body<'placeorder'>> = {},
  {
    mode = 'analyze',
    order_mode = 'auto',
  }: { mode?: 'live' | 'analyze'; order_mode?: Account['order_mode'] } = {},
) {
  const desk = await tradingDesk(mode)
  const { client } = desk
  await desk.place({ ...AT_MARKET, product: 'CNC', ...fields })
  const position = async (): Promise<PositionRecord> => {
    const [row] = positionRecords(await client.call('positionbook', {}))
    if (row === undefined) throw new Error('nothing is held')
    return row
  }
  const { data } = await client.request('GET /auth/whoami', {})
  const account: Account = { ...data, order_mode }
  const gtts = async () => (await client.call('gttorderbook', {})).data
  /** Confirms a question: checks its facts again, then sends it. */
  const confirm = async (asked: ChangeQuestion | Refusal) => {
    if ('refusal' in asked) throw new Error(asked.refusal)
    await asked.recheck?.()
    return desk.trading(asked.change.send(client))
  }
  return { ...desk, account, confirm, gtts, position }
}

/** Returns a price on the tick of SBIN that is a part of another one away. */
export const aside = (price: number, part: number): number => Math.round(price * (1 + part) * 20) / 20
