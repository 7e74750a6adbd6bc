/* What the CLI has of the terminal program. It is loaded when it starts: Ink and React would slow every other command. */

export type { CommandAccess } from './command/access.js'
export { listedActs } from './settings/own-keys.js'
export { DEFAULTS, readSettings, type TuiSettings } from './settings/settings.js'
export { lostText, runTui } from './shell/index.js'
