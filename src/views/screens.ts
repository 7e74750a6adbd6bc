/** The screens, in the order of their number keys, from 0 on. */
export const SCREEN_IDS = [
  'cockpit',
  'approvals',
  'orders',
  'positions',
  'flows',
  'strategies',
  'market',
  'security',
  'logs',
  'system',
] as const

export type ScreenId = (typeof SCREEN_IDS)[number]
