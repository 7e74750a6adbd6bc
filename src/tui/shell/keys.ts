import type { ScreenId } from '../../views/screens.js'
import { type AnyBinding, type Binding, COMMAND, HELP, JUMP, keysOfAct, QUIT } from '../keys/bindings.js'
import { useKeyLayer, useKeyMap } from '../keys/KeysProvider.js'
import { useDaemon } from '../live/use-daemon.js'
import { SignInCover } from '../sign-in/use-sign-in.js'
import { numberOf, SCREENS } from './screens.js'

/** The parts that cover the screen. */
export type Overlay = 'help' | 'command' | 'jump'

/** The acts of the program itself. */
export interface ShellActs {
  show(screen: ScreenId): void
  /** Goes to the screen before. */
  back(): void
  cover(overlay: Overlay): void
  /** Opens the kill switch. */
  kill(): void
  mute(): void
  retry(): void
  /** Opens the sign-in again. */
  signIn(): void
  quit(): void
}

const ANY = ['any'] as const

/** Connects at once, while the connection is lost. */
const RETRY: Binding<'any', ShellActs> = {
  id: 'shell.retry',
  in: ANY,
  keys: ['ctrl-r'],
  explained: 'connect again now',
  act: (acts) => acts.retry(),
}

/** Opens the sign-in, which the user may have left. */
export const SIGN_IN: Binding<'any', ShellActs> = {
  id: 'shell.sign-in',
  in: ANY,
  keys: ['ctrl-l'],
  explained: 'sign in, when the session has ended',
  command: 'svc login',
  act: (acts: ShellActs) => acts.signIn(),
}

/** Opens the kill switch, whatever is on the screen. */
export const KILL: Binding<'any', ShellActs> = {
  id: 'shell.kill-switch',
  in: ANY,
  keys: ['ctrl-x'],
  explained: 'kill switch: asks for a word',
  command: 'svc risk kill',
  act: (acts: ShellActs) => acts.kill(),
}

/** The keys that work on every screen. */
export const SHELL_KEYS: readonly Binding<'any', ShellActs>[] = [
  ...SCREENS.map((screen) => ({
    id: `screen.${screen.id}`,
    in: ANY,
    keys: [numberOf(screen)],
    explained: screen.title,
    act: (acts: ShellActs) => acts.show(screen.id),
  })),
  { id: 'shell.last', in: ANY, keys: ['-'], explained: 'the screen before', act: (acts) => acts.back() },
  { ...HELP, act: (acts) => acts.cover('help') },
  { ...COMMAND, act: (acts) => acts.cover('command') },
  { ...JUMP, act: (acts) => acts.cover('jump') },
  KILL,
  { id: 'shell.mute', in: ANY, keys: ['ctrl-b'], explained: 'bell on or off', act: (acts) => acts.mute() },
  RETRY,
  SIGN_IN,
  { ...QUIT, act: (acts) => acts.quit() },
]

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
    const isFor = (binding: AnyBinding) => CHORD.test(name) && keysOfAct(binding, map).includes(name)
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
