/** The screens, in the order of their number keys. */
export const SCREEN_IDS = [
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
