import type { CommandSpec, NounSpec } from './framework/command/command.js'
import { type NounEntry, type NounGroup, visibleNouns } from './framework/command/noun.js'

/** A noun as it is listed here: its module is loaded when a command line names it. */
interface Listed extends Pick<NounEntry, 'aliases' | 'hidden' | 'summary'> {
  load(): Promise<NounSpec>
}

/** Returns the nouns of a group by their names. The help of a noun begins with its summary, unless its module has a longer one. */
function nounsOf(group: NounGroup, nouns: Readonly<Record<string, Listed>>): NounEntry<CommandSpec>[] {
  return Object.entries(nouns).map(([name, listed]) => {
    const summary = `${listed.summary.charAt(0).toUpperCase()}${listed.summary.slice(1)}.`
    return { ...listed, name, group, load: async () => ({ name, summary, ...(await listed.load()) }) }
  })
}

/** Every noun of `svc`: the one list for parsing, help and completion. */
export const NOUNS: readonly NounEntry<CommandSpec>[] = [
  ...nounsOf('daemon', {
    up: {
      summary: 'start the daemon',
      load: async () => (await import('./commands/daemon/up.js')).up,
    },
    down: {
      summary: 'stop the daemon of the home',
      load: async () => (await import('./commands/daemon/down.js')).down,
    },
    status: {
      summary: 'state, address and mode of the daemon',
      load: async () => (await import('./commands/daemon/status.js')).status,
    },
    tui: {
      summary: 'the whole-terminal program: approvals, orders, positions, market, logs',
      load: async () => (await import('./commands/daemon/tui.js')).tui,
    },
    doctor: {
      summary: 'check clock, disk, files, daemon and credentials',
      load: async () => (await import('./commands/daemon/doctor.js')).doctor,
    },
    'self-check': {
      summary: 'check an installation, with an order from end to end',
      load: async () => (await import('./commands/daemon/doctor.js')).selfCheck,
    },
    admin: {
      summary: 'freeze quantities, holidays, trading hours; errors, state and probes',
      load: async () => (await import('./commands/admin/index.js')).admin,
    },
    config: {
      summary: 'settings of the daemon: values, origins, changes',
      load: async () => (await import('./commands/daemon/config.js')).config,
    },
    context: {
      summary: 'daemons by name, on this machine and elsewhere; all of them side by side',
      aliases: ['ctx'],
      load: async () => (await import('./commands/context/index.js')).context,
    },
    backup: {
      summary: 'copies of all databases, made while the daemon runs',
      load: async () => (await import('./commands/daemon/backup.js')).backup,
    },
    restore: {
      summary: 'put a backup into a stopped home',
      load: async () => (await import('./commands/daemon/backup.js')).restore,
    },
    upgrade: {
      summary: 'move this installation to another version, and back if that fails',
      load: async () => (await import('./commands/upgrade/index.js')).upgrade,
    },
    demo: {
      summary: 'a demonstration in a temporary home',
      load: async () => (await import('./commands/daemon/demo.js')).demo,
    },
  }),
  ...nounsOf('account', {
    setup: {
      summary: 'create the first user; prints the API key once',
      load: async () => (await import('./commands/account/setup.js')).setup,
    },
    login: {
      summary: 'sign in and store the session',
      load: async () => (await import('./commands/account/login.js')).login,
    },
    logout: {
      summary: 'end the stored session',
      load: async () => (await import('./commands/account/login.js')).logout,
    },
    whoami: {
      summary: 'the signed-in user and their scopes',
      load: async () => (await import('./commands/account/login.js')).whoami,
    },
    token: {
      summary: 'personal access tokens for scripts',
      load: async () => (await import('./commands/account/token.js')).token,
    },
    apikey: {
      summary: 'the API key',
      load: async () => (await import('./commands/account/apikey.js')).apikey,
    },
    session: {
      summary: 'devices that are signed in',
      load: async () => (await import('./commands/account/session.js')).session,
    },
    'login-activity': {
      summary: 'sign-in attempts',
      load: async () => (await import('./commands/account/session.js')).loginActivity,
    },
    password: {
      summary: 'change or reset the password',
      load: async () => (await import('./commands/account/password.js')).password,
    },
    totp: {
      summary: 'the second factor: codes of an authenticator app',
      load: async () => (await import('./commands/account/totp.js')).totp,
    },
    ban: {
      summary: 'banned addresses, and automatic bans',
      load: async () => (await import('./commands/account/ban.js')).ban,
    },
  }),
  ...nounsOf('trade', {
    order: {
      summary: 'place, change, cancel and follow orders',
      load: async () => (await import('./commands/order/index.js')).order,
    },
    do: {
      summary: 'an order in the words of a trader: svc do "b 10 sbin 965"',
      load: async () => (await import('./commands/trade/do.js')).doLine,
    },
    position: {
      summary: 'positions and their profit and loss',
      load: async () => (await import('./commands/trade/position.js')).position,
    },
    trade: {
      summary: 'trades of the session',
      load: async () => (await import('./commands/trade/account-lists.js')).trade,
    },
    holding: {
      summary: 'delivery holdings',
      load: async () => (await import('./commands/trade/account-lists.js')).holding,
    },
    fund: {
      summary: 'cash, margin and profit and loss of the account',
      load: async () => (await import('./commands/trade/account-lists.js')).fund,
    },
    pnl: {
      summary: 'profit and loss of the day, by the minute',
      load: async () => (await import('./commands/trade/pnl.js')).pnl,
    },
    why: {
      summary: 'what became of an order, approval, request or signal',
      load: async () => (await import('./commands/log/why.js')).why,
    },
  }),
  ...nounsOf('market', {
    market: {
      summary: 'whether the exchanges trade: exit status 0 or 1, for cron',
      load: async () => (await import('./commands/market/hours.js')).market,
    },
    quote: {
      summary: 'quotes of symbols',
      load: async () => (await import('./commands/market/quote.js')).quote,
    },
    depth: {
      summary: 'the order book of a symbol',
      load: async () => (await import('./commands/market/quote.js')).depth,
    },
    history: {
      summary: 'bars of a symbol, with a chart',
      load: async () => (await import('./commands/market/history.js')).history,
    },
    search: {
      summary: 'find instruments by words',
      load: async () => (await import('./commands/market/instrument.js')).search,
    },
    symbol: {
      summary: 'one instrument',
      load: async () => (await import('./commands/market/instrument.js')).symbol,
    },
    expiry: {
      summary: 'the expiries of an underlying',
      load: async () => (await import('./commands/market/instrument.js')).expiry,
    },
    chain: {
      summary: 'the option chain of an underlying',
      load: async () => (await import('./commands/market/option.js')).chain,
    },
    greeks: {
      summary: 'Greeks and implied volatility of options',
      load: async () => (await import('./commands/market/option.js')).greeks,
    },
    stream: {
      summary: 'live prices',
      load: async () => (await import('./commands/market/stream.js')).stream,
    },
  }),
  ...nounsOf('flow', {
    flow: {
      summary: 'workflows, as files and in the daemon',
      load: async () => (await import('./commands/flow/index.js')).flow,
    },
    strategy: {
      summary: 'strategies: configuration, runs, events, files',
      load: async () => (await import('./commands/strategy/index.js')).strategy,
    },
  }),
  ...nounsOf('control', {
    approval: {
      summary: 'orders that wait for approval',
      aliases: ['pending'],
      load: async () => (await import('./commands/approval/index.js')).approval,
    },
    mode: {
      summary: 'execute orders at once, or queue them for approval',
      load: async () => (await import('./commands/control/mode.js')).mode,
    },
    analyze: {
      summary: 'simulate orders (on) or send them to the broker (off)',
      load: async () => (await import('./commands/control/analyze.js')).analyze,
    },
    live: {
      summary: 'check what a first day of live orders needs',
      load: async () => (await import('./commands/control/live.js')).live,
    },
    sandbox: {
      summary: 'the simulated account: settings, profit, reset',
      load: async () => (await import('./commands/control/sandbox.js')).sandbox,
    },
    risk: {
      summary: 'limits of the risk gate and the kill switch',
      load: async () => (await import('./commands/control/risk.js')).risk,
    },
    broker: {
      summary: 'brokers and their instruments',
      load: async () => (await import('./commands/control/broker.js')).broker,
    },
    message: {
      summary: 'messages by Telegram, WhatsApp and e-mail',
      load: async () => (await import('./commands/message/index.js')).message,
    },
    smtp: {
      summary: 'the mail server',
      load: async () => (await import('./commands/message/smtp.js')).smtp,
    },
  }),
  ...nounsOf('more', {
    log: {
      summary: 'requests with their answers, and the log of the daemon',
      load: async () => (await import('./commands/log/index.js')).log,
    },
    audit: {
      summary: 'who changed what: list, export and check the audit trail',
      load: async () => (await import('./commands/log/audit.js')).audit,
    },
    event: {
      summary: 'live events',
      load: async () => (await import('./commands/shell/event.js')).event,
    },
    api: {
      summary: 'any request to the daemon, with your credential',
      load: async () => (await import('./commands/shell/api.js')).api,
    },
    mcp: {
      summary: 'connect an assistant on this machine (Model Context Protocol)',
      load: async () => (await import('./commands/shell/mcp.js')).mcp,
    },
    open: {
      summary: 'the documentation of the API in a browser',
      load: async () => (await import('./commands/shell/open.js')).open,
    },
    schema: {
      summary: 'the JSON Schemas of the records that -o json prints',
      load: async () => (await import('./commands/shell/schema.js')).schema,
    },
    alias: {
      summary: 'your own names for command lines',
      load: async () => (await import('./commands/shell/alias.js')).alias,
    },
    completion: {
      summary: 'completion scripts for bash, zsh and fish',
      load: async () => (await import('./commands/shell/completion.js')).completion,
    },
    version: {
      summary: 'versions of this program and of the daemon',
      load: async () => (await import('./commands/upgrade/version.js')).version,
    },
    man: {
      summary: 'the manual page of a command or a topic',
      load: async () => (await import('./commands/shell/man.js')).man,
    },
    help: {
      summary: 'help for a command or a topic',
      load: async () => (await import('./commands/shell/help.js')).help,
    },
    __migrate: {
      summary: 'migrate the databases of a stopped home, for svc upgrade',
      hidden: true,
      load: async () => (await import('./commands/daemon/backup.js')).migrate,
    },
    __complete: {
      summary: 'values for shell completion',
      hidden: true,
      load: async () => (await import('./commands/shell/completion.js')).complete,
    },
  }),
]

/** The nouns that help and completion show. */
export const VISIBLE_NOUNS = visibleNouns(NOUNS)
