import type { CommandSpec } from '../../framework/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Column } from '../../output/output.js'
import { INSTRUMENT_ARGUMENTS, instrumentOf } from './quote.js'

const INSTRUMENTS = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'name', leaves: 2 },
  { key: 'instrumenttype', title: 'TYPE', leaves: 1 },
  { key: 'expiry', leaves: 3 },
  { key: 'strike', kind: 'money' },
  { key: 'lotsize', title: 'LOT', kind: 'quantity' },
  { key: 'tick_size', title: 'TICK', leaves: 4 },
  { key: 'freeze_qty', title: 'FREEZE', kind: 'quantity', leaves: 5 },
] as const satisfies readonly Column[]

export const search: CommandSpec = {
  name: 'search',
  summary: 'Finds instruments by words.',
  examples: ['search reliance', 'search nifty 26000 ce --exchange NFO', 'search sbin -q'],
  arguments: [{ syntax: '<words...>', summary: 'parts of the symbol, the name, the strike or the expiry' }],
  options: [{ flags: '--exchange <code>', summary: 'only this exchange' }],
  async run(context, input) {
    const exchange = input.text('exchange')?.toUpperCase()
    const { body } = await context.apiRead('search', {
      query: input.words(0).join(' '),
      ...(exchange !== undefined && { exchange }),
    })
    await context.out.list({
      rows: body.data,
      columns: INSTRUMENTS,
      id: 'symbol',
      empty: 'Nothing was found.',
    })
    return EXIT.done
  },
}

export const symbol: CommandSpec = {
  name: 'symbol',
  summary: 'Shows one instrument: lot, tick, freeze quantity, expiry, broker names.',
  examples: ['symbol SBIN NSE', 'symbol NIFTY23NOV2626000CE NFO --json'],
  arguments: INSTRUMENT_ARGUMENTS,
  async run(context, input) {
    const { body } = await context.apiRead('symbol', instrumentOf(input))
    await context.out.record({
      record: body.data,
      fields: [
        ...INSTRUMENTS,
        { key: 'token' },
        { key: 'brsymbol', title: 'BROKER SYMBOL' },
        { key: 'brexchange', title: 'BROKER EXCHANGE' },
      ],
      id: 'token',
    })
    return EXIT.done
  },
}

export const expiry: CommandSpec = {
  name: 'expiry',
  summary: 'Lists the expiries of an underlying, nearest first.',
  examples: ['expiry NIFTY', 'expiry NIFTY NFO --type futures', 'expiry GOLD MCX -q'],
  arguments: [
    { syntax: '<underlying>', summary: 'for example NIFTY' },
    { syntax: '[exchange]', summary: 'NFO (default), BFO, MCX, CDS, BCD or CRYPTO' },
  ],
  options: [
    { flags: '--type <type>', summary: 'options (default) or futures', choices: ['options', 'futures'] },
  ],
  async run(context, input) {
    const { body } = await context.apiRead('expiry', {
      symbol: input.required(0).toUpperCase(),
      exchange: (input.argument(1) ?? 'NFO').toUpperCase(),
      instrumenttype: input.text('type') ?? 'options',
    })
    await context.out.list({
      rows: body.data.map((date) => ({ expiry: date })),
      columns: [{ key: 'expiry' }],
      id: 'expiry',
      empty: 'The underlying has no expiries on this exchange.',
    })
    return EXIT.done
  },
}
