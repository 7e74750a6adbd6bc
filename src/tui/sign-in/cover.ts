import type { LiveDaemon } from '../live/daemon.js'
import { Store } from '../live/store.js'

/** Decides whether the sign-in lies over the screen. */
export class SignInCover {
  /** True if the user left the sign-in to look at the screen. */
  readonly isLeft = new Store(false)

  constructor({ connection }: LiveDaemon) {
    connection.state.subscribe(() => {
      if (connection.state.get().kind === 'connected') this.isLeft.set(false)
    })
  }

  open(): void {
    this.isLeft.set(false)
  }

  leave(): void {
    this.isLeft.set(true)
  }
}
