/** The promises of `broker.ts`, by the number of their case. */
export const PROMISES = {
  '01': 'the manifest names known exchanges, products, price types and batch sizes',
  '02': 'everything in the manifest exists, and feeds exist exactly if the manifest says so',
  '03': 'an accepted order has an id and is in the order book with our field names',
  '04': 'an order is found by its tag, and an unused tag finds nothing',
  '05': 'every price type in the manifest is accepted and stored with its prices',
  '06': 'a resting order is modified and then cancelled by its id',
  '07': 'modifying or cancelling an unknown order is a proven refusal',
  '08': 'a completed order cannot be cancelled',
  '09': 'an unknown symbol is refused, and certainly not executed',
  '10': 'the trades of an order add up to its filled quantity',
  '11': 'positions are the net of the trades, and a closed one stays as a row with quantity 0',
  '12': 'a derivative is sold short in lots',
  '13': 'funds are five amounts as text with two decimals',
  '14': 'holdings are a list of rows with symbol, quantity and value',
  '15': 'quotes are in the requested order, and a bad symbol affects only its own entry',
  '16': 'depth starts with the best price, has at most the levels of the manifest, and does not cross',
  '17': 'bars are ascending and distinct, within the requested dates, both inclusive',
  '18': 'an unsupported interval or unknown symbol is refused',
  '19': 'ticks arrive for subscribed symbols, with depth in mode 3, and stop after unsubscribing',
  '20': 'order updates arrive with the id, the tag and the final state',
  '21': 'the master download returns our spelling, unique by symbol and exchange',
  '22': 'after closing once or twice, nothing is sent',
  '23': 'the profit of the day of a carried position counts from the previous close',
  '24': 'an order is changed from every price type that rests to every other, with the prices of the new one',
  '25': 'a tag of full length is kept whole, and finds its order',
  '26': 'an order whose answer has no id, or is cut off, is in doubt, and found once by its tag',
  '27': "a position in the broker's own product is shown in it, and closed in it",
  '28': 'a GTT is placed, listed with all that it is about, changed, and cancelled by its id',
  '29': 'an OCO fires once, and names the order that its leg sent',
  '30': 'a GTT at the market is kept, and sends an order that trades at once',
  '31': 'a GTT whose answer has no id, or is cut off, is in doubt and kept once, with what tells it from others',
  '32': 'a refused GTT is certainly not kept, and an unknown one is not found',
  '33': 'a margin is in rupees for units, and a basket needs no more than its orders one by one',
  '34': "quantities are units in orders, books, trades, positions, ticks and margins, and the broker's own count at the broker",
  '35': 'many calls at once stay within the limits that the broker counts',
  '36': 'a session that the broker ends is refused for certain, by calls and at the socket',
  '37': 'messages with several packets give every tick, and a packet that is cut off gives none',
  '38': 'every dial of a feed whose addresses work once has an address of its own',
  '39': 'no message and no log line shows a secret, also if the broker repeats it',
  '40': 'an address that the broker refuses stops orders for certain, and nothing else',
} as const

export type CaseId = keyof typeof PROMISES

/** The numbers of all cases, in order. */
export const CASES: readonly CaseId[] = Object.keys(PROMISES)
  .sort()
  .filter((id): id is CaseId => id in PROMISES)
