import type { CommandSpec } from './framework/command.js'

export type NounGroup = 'daemon' | 'account' | 'trade' | 'market' | 'flow' | 'desk' | 'more'

/** The entry of a noun before its module is loaded. */
interface NounEntry {
  name: string
  aliases?: readonly string[]
  group: NounGroup
  /** Hidden from help and completion. */
  hidden?: true
  summary: string
  load(): Promise<CommandSpec>
}

/** Every noun of `svc`: the one list for parsing, help and completion. */
export const NOUNS: readonly NounEntry[] = [
  {
    name: 'up',
    group: 'daemon',
    summary: 'start the daemon',
    load: async () => (await import('./commands/daemon/up.js')).up,
  },
  {
    name: 'down',
    group: 'daemon',
    summary: 'stop the daemon of the home',
    load: async () => (await import('./commands/daemon/down.js')).down,
  },
  {
    name: 'status',
    group: 'daemon',
    summary: 'state, address and mode of the daemon',
    load: async () => (await import('./commands/daemon/status.js')).status,
  },
  {
    name: 'tui',
    group: 'daemon',
    summary: 'the whole-terminal program: approvals, orders, positions, market, logs',
    load: async () => (await import('./commands/daemon/tui.js')).tui,
  },
  {
    name: 'doctor',
    group: 'daemon',
    summary: 'check clock, disk, files, daemon and credentials',
    load: async () => (await import('./commands/daemon/doctor.js')).doctor,
  },
  {
    name: 'self-check',
    group: 'daemon',
    summary: 'check an installation, with an order from end to end',
    load: async () => (await import('./commands/daemon/doctor.js')).selfCheck,
  },
  {
    name: 'admin',
    group: 'daemon',
    summary: 'freeze quantities, holidays, trading hours; errors, state and probes',
    load: async () => (await import('./commands/admin/index.js')).admin,
  },
  {
    name: 'config',
    group: 'daemon',
    summary: 'settings of the daemon: values, origins, changes',
    load: async () => (await import('./commands/control/config.js')).config,
  },
  {
    name: 'backup',
    group: 'daemon',
    summary: 'copies of all databases, made while the daemon runs',
    load: async () => (await import('./commands/backup/index.js')).backup,
  },
  {
    name: 'restore',
    group: 'daemon',
    summary: 'put a backup into a stopped home',
    load: async () => (await import('./commands/backup/restore.js')).restore,
  },
  {
    name: 'demo',
    group: 'daemon',
    summary: 'a demonstration in a temporary home',
    load: async () => (await import('./commands/daemon/demo.js')).demo,
  },
  {
    name: 'setup',
    group: 'account',
    summary: 'create the first user; prints the API key once',
    load: async () => (await import('./commands/account/setup.js')).setup,
  },
  {
    name: 'login',
    group: 'account',
    summary: 'sign in and store the session',
    load: async () => (await import('./commands/account/login.js')).login,
  },
  {
    name: 'logout',
    group: 'account',
    summary: 'end the stored session',
    load: async () => (await import('./commands/account/login.js')).logout,
  },
  {
    name: 'whoami',
    group: 'account',
    summary: 'the signed-in user and their scopes',
    load: async () => (await import('./commands/account/login.js')).whoami,
  },
  {
    name: 'token',
    group: 'account',
    summary: 'personal access tokens for scripts',
    load: async () => (await import('./commands/account/token.js')).token,
  },
  {
    name: 'apikey',
    group: 'account',
    summary: 'the API key',
    load: async () => (await import('./commands/account/apikey.js')).apikey,
  },
  {
    name: 'session',
    group: 'account',
    summary: 'devices that are signed in',
    load: async () => (await import('./commands/account/session.js')).session,
  },
  {
    name: 'login-activity',
    group: 'account',
    summary: 'sign-in attempts',
    load: async () => (await import('./commands/access/login-activity.js')).loginActivity,
  },
  {
    name: 'password',
    group: 'account',
    summary: 'change or reset the password',
    load: async () => (await import('./commands/access/password.js')).password,
  },
  {
    name: 'totp',
    group: 'account',
    summary: 'the second factor: codes of an authenticator app',
    load: async () => (await import('./commands/access/totp.js')).totp,
  },
  {
    name: 'ban',
    group: 'account',
    summary: 'banned addresses, and automatic bans',
    load: async () => (await import('./commands/security/ban.js')).ban,
  },
  {
    name: 'order',
    group: 'trade',
    summary: 'place, change, cancel and follow orders',
    load: async () => (await import('./commands/order/index.js')).order,
  },
  {
    name: 'position',
    group: 'trade',
    summary: 'positions and their profit and loss',
    load: async () => (await import('./commands/trade/position.js')).position,
  },
  {
    name: 'trade',
    group: 'trade',
    summary: 'trades of the session',
    load: async () => (await import('./commands/trade/account-lists.js')).trade,
  },
  {
    name: 'holding',
    group: 'trade',
    summary: 'delivery holdings',
    load: async () => (await import('./commands/trade/account-lists.js')).holding,
  },
  {
    name: 'fund',
    group: 'trade',
    summary: 'cash, margin and profit and loss of the account',
    load: async () => (await import('./commands/trade/account-lists.js')).fund,
  },
  {
    name: 'pnl',
    group: 'trade',
    summary: 'profit and loss of the day, by the minute',
    load: async () => (await import('./commands/pnl/index.js')).pnl,
  },
  {
    name: 'quote',
    group: 'market',
    summary: 'quotes of symbols',
    load: async () => (await import('./commands/market/quote.js')).quote,
  },
  {
    name: 'depth',
    group: 'market',
    summary: 'the order book of a symbol',
    load: async () => (await import('./commands/market/quote.js')).depth,
  },
  {
    name: 'history',
    group: 'market',
    summary: 'bars of a symbol, with a chart',
    load: async () => (await import('./commands/market/history.js')).history,
  },
  {
    name: 'search',
    group: 'market',
    summary: 'find instruments by words',
    load: async () => (await import('./commands/market/instrument.js')).search,
  },
  {
    name: 'symbol',
    group: 'market',
    summary: 'one instrument',
    load: async () => (await import('./commands/market/instrument.js')).symbol,
  },
  {
    name: 'expiry',
    group: 'market',
    summary: 'the expiries of an underlying',
    load: async () => (await import('./commands/market/instrument.js')).expiry,
  },
  {
    name: 'chain',
    group: 'market',
    summary: 'the option chain of an underlying',
    load: async () => (await import('./commands/market/option.js')).chain,
  },
  {
    name: 'greeks',
    group: 'market',
    summary: 'Greeks and implied volatility of options',
    load: async () => (await import('./commands/market/option.js')).greeks,
  },
  {
    name: 'stream',
    group: 'market',
    summary: 'live prices',
    load: async () => (await import('./commands/market/stream.js')).stream,
  },
  {
    name: 'flow',
    group: 'flow',
    summary: 'workflows, as files and in the daemon',
    load: async () => (await import('./commands/flow/index.js')).flow,
  },
  {
    name: 'strategy',
    group: 'flow',
    summary: 'strategies: configuration, runs, events, files',
    load: async () => (await import('./commands/strategy/index.js')).strategy,
  },
  {
    name: 'approval',
    aliases: ['pending'],
    group: 'desk',
    summary: 'orders that wait for approval',
    load: async () => (await import('./commands/approval/index.js')).approval,
  },
  {
    name: 'mode',
    group: 'desk',
    summary: 'execute orders at once, or queue them for approval',
    load: async () => (await import('./commands/control/mode.js')).mode,
  },
  {
    name: 'analyze',
    group: 'desk',
    summary: 'simulate orders (on) or send them to the broker (off)',
    load: async () => (await import('./commands/control/analyze.js')).analyze,
  },
  {
    name: 'sandbox',
    group: 'desk',
    summary: 'the simulated account: settings, profit, reset',
    load: async () => (await import('./commands/sandbox/index.js')).sandbox,
  },
  {
    name: 'risk',
    group: 'desk',
    summary: 'limits of the risk gate and the kill switch',
    load: async () => (await import('./commands/control/risk.js')).risk,
  },
  {
    name: 'broker',
    group: 'desk',
    summary: 'brokers and their instruments',
    load: async () => (await import('./commands/control/broker.js')).broker,
  },
  {
    name: 'message',
    group: 'desk',
    summary: 'messages by Telegram, WhatsApp and e-mail',
    load: async () => (await import('./commands/message/index.js')).message,
  },
  {
    name: 'smtp',
    group: 'desk',
    summary: 'the mail server',
    load: async () => (await import('./commands/access/smtp.js')).smtp,
  },
  {
    name: 'log',
    group: 'more',
    summary: 'requests with their answers, and the log of the daemon',
    load: async () => (await import('./commands/log/index.js')).log,
  },
  {
    name: 'audit',
    group: 'more',
    summary: 'who changed what: list, export and check the audit trail',
    load: async () => (await import('./commands/audit/index.js')).audit,
  },
  {
    name: 'event',
    group: 'more',
    summary: 'live events',
    load: async () => (await import('./commands/shell/event.js')).event,
  },
  {
    name: 'api',
    group: 'more',
    summary: 'any request to the daemon, with your credential',
    load: async () => (await import('./commands/shell/api.js')).api,
  },
  {
    name: 'mcp',
    group: 'more',
    summary: 'connect an assistant on this machine (Model Context Protocol)',
    load: async () => (await import('./commands/mcp/index.js')).mcp,
  },
  {
    name: 'open',
    group: 'more',
    summary: 'the documentation of the API in a browser',
    load: async () => (await import('./commands/shell/open.js')).open,
  },
  {
    name: 'completion',
    group: 'more',
    summary: 'completion scripts for bash, zsh and fish',
    load: async () => (await import('./commands/shell/completion.js')).completion,
  },
  {
    name: 'version',
    group: 'more',
    summary: 'versions of this program and of the daemon',
    load: async () => (await import('./commands/daemon/version.js')).version,
  },
  {
    name: 'help',
    group: 'more',
    summary: 'help for a command or a topic',
    load: async () => (await import('./commands/shell/help.js')).help,
  },
  {
    name: '__complete',
    group: 'more',
    hidden: true,
    summary: 'values for shell completion',
    load: async () => (await import('./commands/shell/completion.js')).complete,
  },
]

/** The nouns that help and completion show. */
export const VISIBLE_NOUNS = NOUNS.filter((noun) => !noun.hidden)
