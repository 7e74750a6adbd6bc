import { setImmediate as turn } from 'node:timers/promises'
import type { Key } from 'ink'
import { type KeyPress, pressesOf } from './key-press.js'

/**
 * The layers of keys, the first to see a press first. A pane or what lies over it keeps every key from the layers below,
 * so that typed text starts no act.
 */
const LEVELS = ['controls', 'urgent', 'overlay', 'pane', 'screen', 'shell'] as const
const MODAL: ReadonlySet<Level> = new Set(['urgent', 'overlay', 'pane'])

export type Level = (typeof LEVELS)[number]

/** Handles a press. @returns true if no other layer may see it */
export type KeyHandler = (press: KeyPress) => boolean

/** The marks that a terminal puts around a pasted text. */
const [PASTE_BEGINS, PASTE_ENDS] = ['[200~', '[201~']
/** React draws the answer to a press within so many turns of the event loop. */
const DRAWING_TURNS = 3

/** Brings each press to the layer that it is meant for. */
export class KeyRouter {
  readonly #layers = new Map<Level, KeyHandler[]>(LEVELS.map((level) => [level, []]))
  readonly #waiting: KeyPress[] = []
  readonly #onFault: (thrown: unknown) => void
  #isDispatching = false
  #pasted: string | undefined

  /** @param onFault called with the error of a handler; the next press has its turn all the same */
  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault
  }

  /** Adds a layer. @returns the way to remove it */
  add(level: Level, handler: KeyHandler): () => void {
    const layers = this.#layers.get(level) ?? []
    layers.push(handler)
    return () => void layers.splice(layers.indexOf(handler), 1)
  }

  /** Takes a piece of input as Ink delivers it. */
  take(input: string, key: Key): void {
    this.#waiting.push(...this.#pressesOf(input, key))
    if (!this.#isDispatching) void this.#dispatchAll()
  }

  #pressesOf(input: string, key: Key): readonly KeyPress[] {
    if (input === PASTE_BEGINS) {
      this.#pasted = ''
      return []
    }
    if (this.#pasted === undefined) return pressesOf(input, key)
    if (input !== PASTE_ENDS) {
      this.#pasted += key.return ? '\n' : input
      return []
    }
    const text = this.#pasted
    this.#pasted = undefined
    return [{ name: 'paste', text }]
  }

  /** A press may open the pane that takes the next one, so the next waits until the pane is drawn. */
  async #dispatchAll(): Promise<void> {
    this.#isDispatching = true
    for (let press = this.#waiting.shift(); press !== undefined; press = this.#waiting.shift()) {
      try {
        this.#dispatch(press)
      } catch (thrown) {
        this.#onFault(thrown)
      }
      for (let turns = 0; turns < DRAWING_TURNS; turns += 1) await turn()
    }
    this.#isDispatching = false
  }

  #dispatch(press: KeyPress): void {
    for (const level of LEVELS) {
      const layers = [...(this.#layers.get(level) ?? [])].reverse()
      if (layers.some((handler) => handler(press))) return
      if (layers.length > 0 && MODAL.has(level)) return
    }
  }
}
