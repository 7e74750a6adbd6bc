/** The groups of tools of assistants. */
export const TOOLSETS = ['orders', 'account', 'marketdata', 'research', 'utility'] as const
export type Toolset = (typeof TOOLSETS)[number]
