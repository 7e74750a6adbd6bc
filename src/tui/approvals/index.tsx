import type { DaemonAccess } from '../live/live-feed.js'
import { fullScreen } from '../screen/full-screen.js'
import { useSize } from '../screen/size.js'
import { type Theme, ThemeContext } from '../screen/theme.js'
import { ApprovalScreen } from './ApprovalScreen.js'
import { Decisions } from './decisions.js'
import { ApprovalFeed } from './feed.js'

export interface WatchOptions extends Theme {
  daemon: DaemonAccess
  /** Aborted by a Ctrl-C that does not come as a key. */
  interrupts: AbortSignal
}

/** The end of the screen: the way it ended, and the approvals whose decision has no answer yet. */
export interface WatchEnd {
  interrupted: boolean
  unanswered: readonly number[]
}

/** Shows the approval queue on the whole terminal, until the user leaves it. */
export async function watchApprovals({ daemon, interrupts, ...theme }: WatchOptions): Promise<WatchEnd> {
  const feed = new ApprovalFeed(daemon)
  const decisions = new Decisions(daemon, () => void feed.refresh())
  let interrupt: () => void = () => undefined
  feed.start()
  try {
    return await fullScreen<WatchEnd>(
      (quit) => {
        interrupt = () => quit({ interrupted: true, unanswered: decisions.unanswered() })
        const leave = () => void decisions.settled().then(() => quit({ interrupted: false, unanswered: [] }))
        return (
          <ThemeContext.Provider value={theme}>
            <Sized {...{ feed, decisions }} onQuit={leave} />
          </ThemeContext.Provider>
        )
      },
      { interrupts, onInterrupt: () => interrupt() },
    )
  } finally {
    feed.stop()
  }
}

function Sized(props: { feed: ApprovalFeed; decisions: Decisions; onQuit(): void }) {
  return <ApprovalScreen {...props} size={useSize()} />
}
