import { messageOf } from '../../../errors/index.js'
import { unsettledContract } from '../../../instruments/index.js'
import type { BrokerContext, BrokerPortfolio } from '../../broker.js'
import { isSessionRefusal } from '../../call-watch.js'
import type { Contract } from '../../kit/books/units.js'
import { notSent } from '../../kit/http/outcomes.js'
import { contractOf } from '../symbols.js'
import type { KitePosition } from '../wire.js'
import { isCountedInLots, unitsOf } from './lots.js'

/**
 * The contracts that Kite values with another size than our table does. Positions alone show the size. One of the two is
 * wrong, and an order of a wrong size trades many times too much, so nothing of the underlying is traded any more.
 */
export class ContractSizes {
  readonly #context: BrokerContext
  /** True once the positions have been read. */
  isRead = false
  /** Kite's size of one that differs, by exchange and underlying. */
  readonly #differing = new Map<string, number>()

  constructor(context: BrokerContext) {
    this.#context = context
  }

  /** Compares the size of a row with ours. Kite sends 1, or none, also for larger contracts: that proves nothing. */
  note(row: KitePosition): void {
    const { exchange, multiplier, tradingsymbol } = row
    const contract = contractOf(this.#context, row)
    const lot = unitsOf(contract, 1)
    const isProof = multiplier > 0 && multiplier !== 1
    if (!isProof || multiplier === lot || this.#differing.has(keyOf(contract))) return
    this.#differing.set(keyOf(contract), multiplier)
    this.#context.log.error('zerodha.multiplier_differs', { exchange, tradingsymbol, multiplier, lot })
  }

  /** Returns why a contract must not be traded; undefined if its size is settled. */
  problemOf(contract: Contract): string | undefined {
    const multiplier = this.#differing.get(keyOf(contract))
    if (multiplier === undefined) return unsettledContract(contract)
    const { exchange, name } = contract
    return `The broker's multiplier ${multiplier} of ${name} on ${exchange} differs from ${unitsOf(contract, 1)}, the lot size here: it is shown as the broker counts it and cannot be traded`
  }

  /**
   * Reads the positions once on a connection, if Kite counts lots of a contract: they alone show the sizes.
   * @throws BrokerError, never sent, if they cannot be read
   */
  async readFor(contract: Contract, portfolio: Pick<BrokerPortfolio, 'positions'>): Promise<void> {
    if (this.isRead || !isCountedInLots(contract)) return
    await portfolio.positions().catch((error: unknown) => {
      if (isSessionRefusal(error)) throw error
      const reason = `The positions, which show the broker's contract sizes, cannot be read: ${messageOf(error)}`
      throw notSent('unavailable', `${reason}. Nothing was sent.`)
    })
  }

  /**
   * @throws BrokerError, never sent: `unsupported` for a contract whose size is not settled, `unavailable` if the sizes were
   * not read on this connection, as after a sign-in between the preparation of an order and its last check
   */
  requireSettled(contract: Contract): void {
    const problem = this.problemOf(contract)
    if (problem !== undefined) throw notSent('unsupported', `${problem}.`)
    if (isCountedInLots(contract) && !this.isRead)
      throw notSent(
        'unavailable',
        'The connection to the broker is new, and its contract sizes are not read yet. Nothing was sent: try again.',
      )
  }
}

const keyOf = ({ exchange, name }: Contract) => `${exchange}:${name}`
