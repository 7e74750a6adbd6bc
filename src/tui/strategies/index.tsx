import type { DaemonAccess } from '../live/live-feed.js'
import { fullScreen } from '../screen/full-screen.js'
import { useSize } from '../screen/size.js'
import { type Theme, ThemeContext } from '../screen/theme.js'
import { StrategyActs } from './acts.js'
import { StrategyFeed } from './feed.js'
import { StrategyScreen } from './StrategyScreen.js'

export interface WatchOptions extends Theme {
  daemon: DaemonAccess
  /** Aborted by a Ctrl-C that does not come as a key. */
  interrupts: AbortSignal
}

/** The end of the screen: the way it ended, and the strategy whose change has no answer yet. */
export interface WatchEnd {
  interrupted: boolean
  unanswered: number | undefined
}

/** Shows the strategies on the whole terminal, until the user leaves it. */
export async function watchStrategies({ daemon, interrupts, ...theme }: WatchOptions): Promise<WatchEnd> {
  const feed = new StrategyFeed(daemon)
  const acts = new StrategyActs(daemon, () => void feed.refresh())
  let interrupt: () => void = () => undefined
  feed.start()
  try {
    return await fullScreen<WatchEnd>(
      (quit) => {
        interrupt = () => quit({ interrupted: true, unanswered: acts.unanswered() })
        const leave = () =>
          void acts.settled().then(() => quit({ interrupted: false, unanswered: undefined }))
        return (
          <ThemeContext.Provider value={theme}>
            <Sized {...{ feed, acts }} onQuit={leave} />
          </ThemeContext.Provider>
        )
      },
      { interrupts, onInterrupt: () => interrupt() },
    )
  } finally {
    feed.stop()
  }
}

function Sized(props: { feed: StrategyFeed; acts: StrategyActs; onQuit(): void }) {
  return <StrategyScreen {...props} size={useSize()} />
}
