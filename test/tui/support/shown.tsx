import { setImmediate as turn } from 'node:timers/promises'
import type { ReactNode } from 'react'
import { expect, onTestFinished } from 'vitest'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { type KeyMap, KeysProvider } from '../../../src/tui/keys/KeysProvider.js'
import { LiveDaemon } from '../../../src/tui/live/daemon.js'
import { DaemonProvider } from '../../../src/tui/live/use-daemon.js'
import { render } from './render.js'

export const UP = '\u001b[A'
export const DOWN = '\u001b[B'
export const RIGHT = '\u001b[C'
export const LEFT = '\u001b[D'
export const ESC = '\u001b'
export const ENTER = '\r'
export const TAB = '\t'

interface Options {
  map?: KeyMap
  /** The width of the terminal. */
  columns?: number
}

/** Draws a part of the program over a daemon, and types at it. */
export async function shown(access: DaemonAccess, part: ReactNode, { map, columns }: Options = {}) {
  const desk = new LiveDaemon(access)
  const app = render(
    <DaemonProvider value={desk}>
      <KeysProvider {...(map && { map })} onFault={desk.fault}>
        {part}
      </KeysProvider>
    </DaemonProvider>,
    columns,
  )
  onTestFinished(() => {
    app.unmount()
    desk.stop()
  })
  desk.start()
  const screen = () => app.lastFrame() ?? ''
  const shows = (text: string | RegExp) => expect.poll(screen).toMatch(text)
  /** Presses a key. React first gives the keys to what the last frame shows. */
  const press = async (key: string) => {
    for (let turns = 0; turns < 20; turns += 1) await turn()
    app.stdin.write(key)
    for (let turns = 0; turns < 20; turns += 1) await turn()
  }
  return { desk, screen, shows, press, unmount: app.unmount }
}
