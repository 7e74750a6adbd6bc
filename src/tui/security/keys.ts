import { listKeys } from '../components/list/use-list.js'
import type { Binding } from '../keys/bindings.js'
import { detailKeys, type ListTabActs } from '../tabs/ListTab.js'
import { tabKeys } from '../tabs/use-tabs.js'

export const SECURITY_TABS = ['bans', 'suspects', 'sessions', 'sign-ins', 'settings'] as const

export type SecurityTab = (typeof SECURITY_TABS)[number]

/** The acts of the tabs. A tab has those whose keys work in it. */
export interface SecurityActs {
  ban(): void
  banHost(): void
  lift?(): void
  forget?(): void
  end?(): void
  edit?(): void
}

type Pane = SecurityTab | 'details'

/** The keys of the screen. */
export const SECURITY_KEYS: readonly Binding<Pane, SecurityActs & ListTabActs>[] = [
  {
    id: 'security.ban',
    in: SECURITY_TABS,
    keys: ['b'],
    does: 'ban',
    explained: 'ban an address or a network; on a row, its address',
    command: 'svc ban add <address>',
    act: (acts) => acts.ban(),
  },
  {
    id: 'security.lift',
    in: ['bans'],
    keys: ['u'],
    does: 'lift ban',
    command: 'svc ban remove <address>',
    explained: 'lift the ban: asks',
    act: (acts) => acts.lift?.(),
  },
  {
    id: 'security.forget',
    in: ['suspects'],
    keys: ['x'],
    does: 'clear 404s',
    explained: 'forget the 404s of the address',
    command: 'svc ban clear-404 <address>',
    act: (acts) => acts.forget?.(),
  },
  {
    id: 'security.end',
    in: ['sessions'],
    keys: ['x'],
    does: 'sign out',
    explained: 'end the session: asks',
    command: 'svc session revoke <session-id>',
    act: (acts) => acts.end?.(),
  },
  {
    id: 'security.edit',
    in: ['settings'],
    keys: ['e'],
    does: 'change',
    explained: 'change the limits and durations',
    command: 'svc ban settings <name=value>',
    act: (acts) => acts.edit?.(),
  },
  {
    id: 'security.ban-host',
    in: SECURITY_TABS,
    keys: ['h'],
    does: 'ban host',
    explained: 'ban the addresses that called a host name',
    command: 'svc ban add-host <host>',
    act: (acts) => acts.banHost(),
  },
  ...tabKeys(SECURITY_TABS),
  ...detailKeys(SECURITY_TABS),
  ...listKeys(SECURITY_TABS),
]
