import { type AnyBinding, keysOf } from '../keys/bindings.js'
import { useKeyLayer, useKeyMap } from '../keys/KeysProvider.js'
import { useDaemon } from '../live/use-daemon.js'
import { SignInCover } from '../sign-in/cover.js'
import { KILL, RETRY, SIGN_IN } from './keys.js'

/** Keys that type no text. */
const CHORD = /^(?:ctrl|alt)-/

/**
 * Handles the keys of the kill switch and of a lost connection above everything else: what is half typed need not be
 * closed for them.
 */
export function useLiftedKeys(kill: () => void): void {
  const daemon = useDaemon()
  const map = useKeyMap()
  useKeyLayer('controls', ({ name }) => {
    const { kind } = daemon.connection.state.get()
    const cover = daemon.part(SignInCover)
    const isFor = (binding: AnyBinding) => CHORD.test(name) && keysOf(binding, map).includes(name)
    // Without a session nothing can be sent: the sign-in comes first.
    if (isFor(KILL) && (kind !== 'signed_out' || cover.isLeft.get())) {
      kill()
      return true
    }
    if (kind === 'signed_out' && isFor(SIGN_IN)) {
      cover.open()
      return true
    }
    if ((kind === 'lost' || kind === 'signed_out') && isFor(RETRY)) {
      daemon.connection.retry()
      return true
    }
    return false
  })
}
