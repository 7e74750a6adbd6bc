import { messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import type { BrokerPortfolio, CallRank } from '../../broker.js'
import { isSessionRefusal } from '../../call-watch.js'
import { notSent } from '../http/outcomes.js'
import type { Contract, Units } from './units.js'

/**
 * The contracts that a broker values with another size than our table does. Positions alone show the size. One of the two is
 * wrong, and an order of a wrong size trades many times too much, so nothing of the underlying is traded any more.
 */
export class ContractSizes {
  /** True once the positions have been read. */
  isRead = false
  readonly #log: Pick<Logger, 'error'>
  readonly #units: Units
  /** The broker's size of one that differs, by exchange and underlying. */
  readonly #differing = new Map<string, number>()

  constructor({ log }: { log: Pick<Logger, 'error'> }, units: Units) {
    this.#log = log
    this.#units = units
  }

  /**
   * Compares the size of a row with ours, if ours is settled. Brokers send 1, or none, also for larger contracts: that proves
   * nothing.
   * @param multiplier rupees of one counted unit for each rupee of the price
   */
  note(contract: Contract, multiplier: number): void {
    if (this.#units.problemOf(contract) !== undefined) return
    const lot = this.#units.unitsOf(contract, 1)
    const isProof = multiplier > 0 && multiplier !== 1
    if (!isProof || multiplier === lot || this.#differing.has(keyOf(contract))) return
    this.#differing.set(keyOf(contract), multiplier)
    const { exchange, name } = contract
    this.#log.error('broker.multiplier_differs', { exchange, name, multiplier, lot })
  }

  /** Returns why a contract must not be traded; undefined if its size is settled. */
  problemOf(contract: Contract): string | undefined {
    const multiplier = this.#differing.get(keyOf(contract))
    if (multiplier === undefined) return this.#units.problemOf(contract)
    const { exchange, name } = contract
    return `The broker's multiplier ${multiplier} of ${name} on ${exchange} differs from ${this.#units.unitsOf(contract, 1)}, the lot size here: it is shown as the broker counts it and cannot be traded`
  }

  /**
   * Reads the positions once on a connection, if the broker counts lots of a contract: they alone show the sizes.
   * @param rank `exit` before an order, which may be one
   * @throws BrokerError, never sent, if they cannot be read
   */
  async readFor(
    contract: Contract,
    portfolio: Pick<BrokerPortfolio, 'positions'>,
    rank: CallRank,
  ): Promise<void> {
    if (this.isRead || !this.#units.isCountedInLots(contract)) return
    await portfolio.positions(rank).catch((error: unknown) => {
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
    if (this.#units.isCountedInLots(contract) && !this.isRead)
      throw notSent(
        'unavailable',
        'The connection to the broker is new, and its contract sizes are not read yet. Nothing was sent: try again.',
      )
  }
}

const keyOf = ({ exchange, name }: Contract) => `${exchange}:${name}`
