import type { Exchange } from '../../../instruments/schema.js'

/**
 * Service codes by the broker's index names, in upper case. Names that are not listed only lose their spaces.
 */
const NSE_NAMES: ReadonlyMap<string, string> = new Map([
  ['NIFTY 50', 'NIFTY'],
  ['NIFTY BANK', 'BANKNIFTY'],
  ['NIFTY NEXT 50', 'NIFTYNXT50'],
  ['NIFTY FIN SERVICE', 'FINNIFTY'],
  ['NIFTY MID SELECT', 'MIDCPNIFTY'],
  ['INDIA VIX', 'INDIAVIX'],
  ['HANGSENG BEES NAV', 'HANGSENGBEESNAV'],
])

const BSE_CODES: ReadonlyMap<string, string> = new Map([
  ['SNSX50', 'SENSEX50'],
  ['SNXT50', 'BSESENSEXNEXT50'],
  ['MID150', 'BSE150MIDCAPINDEX'],
  ['LMI250', 'BSE250LARGEMIDCAPINDEX'],
  ['MSL400', 'BSE400MIDSMALLCAPINDEX'],
  ['AUTO', 'BSEAUTO'],
  ['BSE CG', 'BSECAPITALGOODS'],
  ['BSE CD', 'BSECONSUMERDURABLES'],
  ['BSE HC', 'BSEHEALTHCARE'],
  ['BSE IT', 'BSEINFORMATIONTECHNOLOGY'],
  ['CARBON', 'BSECARBONEX'],
  ['CPSE', 'BSECPSE'],
  ['DOL30', 'BSEDOLLEX30'],
  ['DOL100', 'BSEDOLLEX100'],
  ['DOL200', 'BSEDOLLEX200'],
  ['ENERGY', 'BSEENERGY'],
  ['BSEFMC', 'BSEFASTMOVINGCONSUMERGOODS'],
  ['FINSER', 'BSEFINANCIALSERVICES'],
  ['GREENX', 'BSEGREENEX'],
  ['INFRA', 'BSEINDIAINFRASTRUCTUREINDEX'],
  ['INDSTR', 'BSEINDUSTRIALS'],
  ['LRGCAP', 'BSELARGECAP'],
  ['METAL', 'BSEMETAL'],
  ['MIDCAP', 'BSEMIDCAP'],
  ['MIDSEL', 'BSEMIDCAPSELECTINDEX'],
  ['OILGAS', 'BSEOIL&GAS'],
  ['POWER', 'BSEPOWER'],
  ['REALTY', 'BSEREALTY'],
  ['SMLCAP', 'BSESMALLCAP'],
  ['SMLSEL', 'BSESMALLCAPSELECTINDEX'],
  ['SMEIPO', 'BSESMEIPO'],
  ['TECK', 'BSETECK'],
  ['TELCOM', 'BSETELECOM'],
])

const RENAMES: Readonly<Partial<Record<Exchange, ReadonlyMap<string, string>>>> = {
  NSE_INDEX: NSE_NAMES,
  BSE_INDEX: BSE_CODES,
}

/** Returns the service code of an index that the broker calls `name`. */
export function indexSymbol(exchange: Exchange, name: string): string {
  const known = name.trim().toUpperCase()
  return RENAMES[exchange]?.get(known) ?? known.replaceAll(' ', '')
}
