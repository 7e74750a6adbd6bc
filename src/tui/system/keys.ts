import { listKeys } from '../components/list/use-list.js'
import { type Binding, moves } from '../keys/bindings.js'
import { detailKeys, type ListTabActs } from '../tabs/ListTab.js'
import { type TabActs, tabKeys } from '../tabs/use-tabs.js'

export const SYSTEM_TABS = [
  'overview',
  'diagnostics',
  'health',
  'freeze',
  'holidays',
  'hours',
  'risk',
] as const

export type SystemTab = (typeof SYSTEM_TABS)[number]

/** The tabs with the fields of one object. */
const FIELD_TABS = ['overview', 'risk'] as const
const LIST_TABS = ['health', 'freeze', 'holidays', 'hours'] as const

export interface ModeActs {
  analyze(): void
  orderMode(): void
}

/** The keys that change where orders go. */
function modeKeys<Pane extends string>(panes: readonly Pane[]): readonly Binding<Pane, ModeActs>[] {
  return [
    {
      id: 'system.analyze',
      in: panes,
      keys: ['m'],
      does: 'mode',
      explained: 'switch to LIVE or to ANALYZE: asks',
      command: 'svc analyze on',
      act: (acts) => acts.analyze(),
    },
    {
      id: 'system.order-mode',
      in: panes,
      keys: ['o'],
      does: 'order mode',
      explained: 'auto or semi_auto: asks',
      command: 'svc mode set <mode>',
      act: (acts) => acts.orderMode(),
    },
  ]
}

/** The keys of the tabs with fields. */
export const FIELD_KEYS: readonly Binding<SystemTab, ModeActs & TabActs>[] = [
  ...modeKeys<SystemTab>(FIELD_TABS),
  ...tabKeys<SystemTab>(FIELD_TABS),
]

export interface ProbeActs extends ModeActs {
  probe(): void
}

/** The keys of the probes. */
export const PROBE_KEYS: readonly Binding<SystemTab | 'details', ProbeActs & ListTabActs>[] = [
  {
    id: 'system.probe',
    in: ['diagnostics'],
    keys: ['p'],
    does: 'probe',
    explained: 'run the probes',
    command: 'svc admin diagnostics',
    act: (acts) => acts.probe(),
  },
  ...modeKeys<SystemTab>(['diagnostics']),
  ...tabKeys<SystemTab>(['diagnostics']),
  ...detailKeys<SystemTab>(['diagnostics']),
  ...moves<SystemTab>(['diagnostics']),
]

/** The acts of the lists. A tab has those whose keys work in it. */
export interface TableActs {
  add?(): void
  edit?(): void
  remove?(): void
  moveYear?(by: number): void
  acknowledge?(): void
  resolve?(): void
}

/** The keys of the lists. */
export const TABLE_KEYS: readonly Binding<SystemTab | 'details', TableActs & ListTabActs>[] = [
  {
    id: 'freeze.add',
    in: ['freeze'],
    keys: ['n'],
    does: 'add',
    command: 'svc admin freeze add',
    explained: 'add a freeze quantity',
    act: (acts) => acts.add?.(),
  },
  {
    id: 'freeze.edit',
    in: ['freeze'],
    keys: ['e'],
    does: 'change',
    command: 'svc admin freeze set',
    explained: 'change the freeze quantity',
    act: (acts) => acts.edit?.(),
  },
  {
    id: 'freeze.delete',
    in: ['freeze'],
    keys: ['d'],
    does: 'delete',
    command: 'svc admin freeze delete',
    explained: 'delete the freeze quantity: asks',
    act: (acts) => acts.remove?.(),
  },
  {
    id: 'holidays.add',
    in: ['holidays'],
    keys: ['n'],
    does: 'add',
    command: 'svc admin holiday add',
    explained: 'add a holiday or a special session',
    act: (acts) => acts.add?.(),
  },
  {
    id: 'holidays.delete',
    in: ['holidays'],
    keys: ['d'],
    does: 'delete',
    explained: 'delete the entry: asks',
    command: 'svc admin holiday delete <id>',
    act: (acts) => acts.remove?.(),
  },
  {
    id: 'holidays.next-year',
    in: ['holidays'],
    keys: ['right'],
    shown: '←→',
    does: 'year',
    command: 'svc admin holiday list --year 2027',
    act: (acts) => acts.moveYear?.(1),
  },
  {
    id: 'holidays.year-before',
    in: ['holidays'],
    keys: ['left'],
    act: (acts) => acts.moveYear?.(-1),
  },
  {
    id: 'hours.edit',
    in: ['hours'],
    keys: ['e'],
    does: 'change',
    command: 'svc admin timing set',
    explained: 'change the usual hours of the exchange',
    act: (acts) => acts.edit?.(),
  },
  {
    id: 'health.acknowledge',
    in: ['health'],
    keys: ['a'],
    does: 'acknowledge',
    explained: 'mark the alert as seen',
    command: 'svc admin health acknowledge <id>',
    act: (acts) => acts.acknowledge?.(),
  },
  {
    id: 'health.resolve',
    in: ['health'],
    keys: ['x'],
    does: 'resolve',
    explained: 'close the alert',
    command: 'svc admin health resolve <id>',
    act: (acts) => acts.resolve?.(),
  },
  ...tabKeys<SystemTab>(LIST_TABS),
  ...detailKeys<SystemTab>(LIST_TABS),
  ...listKeys<SystemTab>(LIST_TABS),
]
