import { LIMITS } from '../graph/graph.js'
import { lengthOf } from '../language/size.js'
import { NodeError } from '../nodes/definition.js'

const TOO_MUCH = `The variables of the run are longer than ${LIMITS.variablesLength} characters together`

/** The variables of one run, limited in length together: a run of many nodes must not take all memory. */
export class RunVariables {
  readonly values = new Map<string, unknown>()
  readonly #lengths = new Map<string, number>()
  #total = 0

  constructor(first: Readonly<Record<string, unknown>>) {
    for (const [name, value] of Object.entries(first)) this.keep(name, value)
  }

  /** Sets a variable. @returns its length @throws NodeError if they would be too long; the variable is unchanged then */
  set(name: string, value: unknown): number {
    const length = lengthOf(value, LIMITS.variablesLength)
    const total = this.#total - (this.#lengths.get(name) ?? 0) + length
    if (total > LIMITS.variablesLength) throw new NodeError(TOO_MUCH)
    return this.#put(name, value, length)
  }

  /** Sets a variable of any length: the result of an order is kept in any case. @returns its length */
  keep(name: string, value: unknown): number {
    return this.#put(name, value, lengthOf(value, LIMITS.variablesLength))
  }

  #put(name: string, value: unknown, length: number): number {
    this.#total += length - (this.#lengths.get(name) ?? 0)
    this.#lengths.set(name, length)
    this.values.set(name, value)
    return length
  }
}
