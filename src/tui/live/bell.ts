import { Store } from './store.js'

/** Rings the terminal's bell, unless the user has muted it. */
export class Bell {
  readonly isMuted = new Store(false)
  readonly #say: (message: string) => void
  #ring: () => void = () => undefined

  constructor(say: (message: string) => void) {
    this.#say = say
  }

  /** Names the way to ring: only the owner of the terminal can. */
  connect(ring: () => void): void {
    this.#ring = ring
  }

  ring(): void {
    if (!this.isMuted.get()) this.#ring()
  }

  toggle(): void {
    this.isMuted.set(!this.isMuted.get())
    this.#say(this.isMuted.get() ? 'The bell is muted.' : 'The bell rings for each new order.')
  }
}
