import type { DaemonAccess } from '../../client/daemon-access.js'
import type { ScreenId } from '../../views/screens.js'
import { ringForNewOrders } from '../approvals/index.js'
import type { CommandAccess } from '../command/access.js'
import { CommandsProvider } from '../command/commands-context.js'
import { KeysProvider, useKeyLayer } from '../keys/KeysProvider.js'
import { Desk } from '../live/desk.js'
import { DeskProvider } from '../live/use-desk.js'
import { fullScreen } from '../screen/full-screen.js'
import { useSize } from '../screen/size.js'
import { type Theme, ThemeContext } from '../screen/theme.js'
import type { TuiSettings } from '../settings/settings.js'
import { App } from './App.js'

export interface TuiOptions extends Omit<Theme, 'name'> {
  daemon: DaemonAccess
  commands: CommandAccess
  settings: TuiSettings
  /** The screen to show first. */
  first: ScreenId
  /** Aborted by a Ctrl-C that does not come as a key. */
  interrupts: AbortSignal
}

/** The end of the program: the way it ended, and the commands that show what became of unanswered changes. */
export interface TuiEnd {
  interrupted: boolean
  unanswered: readonly string[]
}

const LEAVING = 'The program ends when every change is answered. ctrl-c ends it now.'

/** Runs the terminal program until the user leaves it. */
export async function runTui(options: TuiOptions): Promise<TuiEnd> {
  const { daemon, commands, settings, first, interrupts, colours, utc } = options
  const desk = new Desk(daemon)
  desk.bell.isMuted.set(settings.isMuted)
  let interrupt: () => void = () => undefined
  desk.start()
  const stopBell = ringForNewOrders(desk)
  try {
    return await fullScreen<TuiEnd>(
      ({ quit, suspend, ring }) => {
        desk.bell.connect(ring)
        interrupt = () => quit({ interrupted: true, unanswered: desk.unanswered() })
        const leave = () => {
          if (desk.unanswered().length > 0) desk.changes.message.set(LEAVING)
          void desk.settled().then(() => quit({ interrupted: false, unanswered: [] }))
        }
        return (
          <ThemeContext.Provider value={{ colours, utc, name: settings.theme }}>
            <DeskProvider value={desk}>
              <CommandsProvider value={commands}>
                <KeysProvider map={settings.keys} onFault={desk.fault}>
                  <Controls onInterrupt={() => interrupt()} onSuspend={suspend} />
                  <Sized first={first} onQuit={leave} />
                </KeysProvider>
              </CommandsProvider>
            </DeskProvider>
          </ThemeContext.Provider>
        )
      },
      { interrupts, onInterrupt: () => interrupt(), onFault: desk.fault },
    )
  } finally {
    stopBell()
    desk.stop()
  }
}

function Sized(props: { first: ScreenId; onQuit(): void }) {
  return <App {...props} size={useSize()} />
}

/** Handles the keys that end or suspend the program, whatever is on the screen. */
function Controls({ onInterrupt, onSuspend }: { onInterrupt(): void; onSuspend(): void }) {
  useKeyLayer('controls', ({ name }) => {
    if (name === 'ctrl-c') onInterrupt()
    if (name === 'ctrl-z') onSuspend()
    return name === 'ctrl-c' || name === 'ctrl-z'
  })
  return null
}
