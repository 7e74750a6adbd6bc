import type { DaemonAccess } from '../../client/daemon-access.js'
import type { ScreenId } from '../../views/screens.js'
import { Decisions } from '../approvals/decisions.js'
import { ringForNewOrders } from '../approvals/feed.js'
import { type CommandAccess, CommandsProvider } from '../command/access.js'
import { KeysProvider, useKeyLayer } from '../keys/KeysProvider.js'
import { LiveDaemon } from '../live/daemon.js'
import { DaemonProvider } from '../live/use-daemon.js'
import type { TuiSettings } from '../settings/settings.js'
import { fullScreen } from '../terminal/full-screen.js'
import { useSize } from '../terminal/size.js'
import { type Theme, ThemeContext } from '../terminal/theme.js'
import { App } from './App.js'
import { Leaving } from './leaving.js'

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
  /** What the user had decided or confirmed, and was not sent. */
  unsent: readonly string[]
}

/** Returns what the user must know of an end that waited for nothing; undefined if nothing is open. */
export function lostText({ unanswered, unsent }: Pick<TuiEnd, 'unanswered' | 'unsent'>): string | undefined {
  const lost = [
    ...(unanswered.length === 0
      ? []
      : [`A change was sent, and its answer did not come. Check: ${unanswered.join('; ')}`]),
    ...(unsent.length === 0 ? [] : [`Not sent: ${unsent.join(', ')}`]),
  ]
  return lost.length === 0 ? undefined : lost.join('. ')
}

/** Runs the terminal program until the user leaves it. */
export async function runTui(options: TuiOptions): Promise<TuiEnd> {
  const { daemon: access, commands, settings, first, interrupts, colours, utc } = options
  const daemon = new LiveDaemon(access)
  daemon.bell.isMuted.set(settings.isMuted)
  daemon.part(Decisions).undoWindow = settings.undo
  let interrupt: () => void = () => undefined
  daemon.start()
  const stopBell = ringForNewOrders(daemon)
  const leaving = new Leaving(daemon)
  try {
    return await fullScreen<TuiEnd>(
      ({ quit, suspend, ring }) => {
        daemon.bell.connect(ring)
        interrupt = () => quit({ interrupted: true, ...lostIn(daemon) })
        const leave = async () => {
          if (await leaving.mayEnd()) quit({ interrupted: false, unanswered: [], unsent: [] })
        }
        const quitWhenSettled = () => void leave().catch(daemon.fault)
        return (
          <ThemeContext.Provider value={{ colours, utc, name: settings.theme }}>
            <DaemonProvider value={daemon}>
              <CommandsProvider value={commands}>
                <KeysProvider map={settings.keys} onFault={daemon.fault}>
                  <Sized first={first} onQuit={quitWhenSettled} />
                  <Controls leaving={leaving} onInterrupt={() => interrupt()} onSuspend={suspend} />
                </KeysProvider>
              </CommandsProvider>
            </DaemonProvider>
          </ThemeContext.Provider>
        )
      },
      {
        interrupts,
        onInterrupt: () => interrupt(),
        onSuspend: () => daemon.suspended(),
        onFault: daemon.fault,
        lastWords: () => lostText(lostIn(daemon)),
      },
    )
  } finally {
    stopBell()
    daemon.stop()
  }
}

/** Drops what waits to be sent. Returns it, with what was sent and not answered. */
function lostIn(daemon: LiveDaemon): Pick<TuiEnd, 'unanswered' | 'unsent'> {
  const unsent = daemon.dropAtEnd()
  return { unanswered: daemon.unanswered(), unsent }
}

function Sized(props: { first: ScreenId; onQuit(): void }) {
  return <App {...props} size={useSize()} />
}

interface ControlsProps {
  leaving: Leaving
  onInterrupt(): void
  onSuspend(): void
}

/**
 * Handles the keys that end or suspend the program, whatever is on the screen. It comes after the other parts, so that
 * it sees every press before them: a press takes the end of the program back.
 */
export function Controls({ leaving, onInterrupt, onSuspend }: ControlsProps) {
  useKeyLayer('controls', ({ name }) => {
    leaving.takeBack()
    if (name === 'ctrl-c') onInterrupt()
    if (name === 'ctrl-z') onSuspend()
    return name === 'ctrl-c' || name === 'ctrl-z'
  })
  return null
}
