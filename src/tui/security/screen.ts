import { useDaemon, useFeed } from '../live/use-daemon.js'
import { tabScreen } from '../screen/tab-screen.js'
import { BanFeed, banFigures } from './ban-feed.js'
import { bans } from './bans.js'
import { sessions } from './sessions.js'
import { settings } from './settings.js'
import { signIns } from './sign-ins.js'
import { suspects } from './suspects.js'

/** Who may call the service: bans, addresses under suspicion, sessions, sign-ins and the rules of bans. */
export const security = tabScreen({
  id: 'security',
  title: 'Security',
  tabs: [bans, suspects, sessions, signIns, settings],
  useFigures: () => banFigures(useFeed(useDaemon().part(BanFeed)).content),
})
